//! What baselines in their usual forms say, and what is remarked of those that compute.

use super::*;

fn file(path: &str, text: &str) -> BaselineFile {
    BaselineFile {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

fn read(body: &str) -> Baseline {
    let text = format!(
        "Class {{\n\t#name : 'BaselineOfStones',\n\t#superclass : 'BaselineOf'\n}}\n\n\
         {{ #category : 'baselines' }}\nBaselineOfStones >> baseline: spec [\n\t<baseline>\n{body}\n]\n"
    );
    let read = Baseline::read("BaselineOfStones", &[file("b.st", &text)]);
    read.unwrap_or_else(|| panic!("no baseline in {text}"))
}

/// A line for each thing that a baseline says.
fn lines(baseline: &Baseline) -> Vec<String> {
    let packages = baseline.packages.iter().map(|package| {
        let Package {
            name,
            requires,
            includes,
        } = package;
        format!("package {name} requires {requires:?} includes {includes:?}")
    });
    let projects = baseline.projects.iter().map(|project| {
        let Project {
            name,
            baseline,
            repository,
            loads,
        } = project;
        format!("project {name} is {baseline} at {repository:?} loads {loads:?}")
    });
    let groups = baseline
        .groups
        .iter()
        .map(|group| format!("group {} {:?}", group.name, group.members));
    let remarks = baseline.remarks.iter().map(|remark| {
        let Remark {
            kind,
            line,
            column,
            message,
            ..
        } = remark;
        format!("{line}:{column} {kind:?} {message}")
    });
    packages
        .chain(projects)
        .chain(groups)
        .chain(remarks)
        .collect()
}

#[test]
fn literals_are_read() {
    let baseline = read(
        "spec for: #(#common #pharo) do: [\n\
         spec blessing: #baseline.\n\
         spec baseline: 'Json' with: [ spec repository: 'github://a/json'; loads: #(Core) ].\n\
         spec package: 'A'; package: #'B' with: [ spec requires: #('A' #C); includes: 'D' ].\n\
         spec package: 'C' with: [ spec requires: 'Json' ].\n\
         spec package: 'C' with: 'C-me.1'.\n\
         spec group: 'default' with: { 'B'. 'Tests' }; group: 'Tests' with: 'D' ]",
    );
    let expected = [
        "package A requires [] includes []",
        "package B requires [\"A\", \"C\"] includes [\"D\"]",
        "package C requires [\"Json\"] includes []",
        "project Json is Json at Some(\"github://a/json\") loads [\"Core\"]",
        "group default [\"B\", \"Tests\"]",
        "group Tests [\"D\"]",
    ];
    assert_eq!(lines(&baseline), expected);
    assert_eq!(baseline.name, "Stones");
}

#[test]
fn methods_that_get_the_specification_are_followed() {
    let baseline = read(
        "spec for: 'common' do: [ self core: spec; tests: spec; core: spec ]\n]\n\n\
         BaselineOfStones >> core: aSpec [\n\t| names |\n\tnames := #('A').\n\
         aSpec package: 'B' with: [ :it | it requires: names ].\n\tself tests: aSpec\n]\n\n\
         BaselineOfStones >> tests: spec [\n\t^ spec package: 'T'",
    );
    let expected = [
        "package B requires [\"A\"] includes []",
        "package T requires [] includes []",
    ];
    assert_eq!(lines(&baseline), expected);
}

#[test]
fn literals_are_handed_on_to_methods() {
    let baseline = read(
        "self add: 'A' with: #('B') to: spec.\n\tself add: 'C' with: spec name to: spec.\n\
         self add: 'D' with: 'E' to: spec\n]\n\n\
         BaselineOfStones >> add: name with: needed to: spec [\n\
         spec package: name with: [ spec requires: needed ].\n\
         self add: name with: needed to: spec",
    );
    let expected = [
        "package A requires [\"B\"] includes []",
        "package C requires [] includes []",
        "package D requires [\"E\"] includes []",
        "16:6 NotRead `add:with:to:` of the baseline is not run",
        "15:43 NoLiteral this is computed, so only a run could show it",
    ];
    assert_eq!(lines(&baseline), expected);
}

#[test]
fn methods_that_multiply_come_to_an_end() {
    let methods: String = (0..40)
        .map(|n| {
            let next = n + 1;
            format!("BaselineOfStones >> m{n}: spec [\n\tself m{next}: spec; m{next}: spec\n]\n\n")
        })
        .collect();
    let baseline = read(&format!(
        "self m0: spec\n]\n\n{methods}BaselineOfStones >> m40: spec [\n\tspec package: 'A'"
    ));
    assert_eq!(baseline.packages.len(), 1);
    assert!(baseline.remarks.len() <= 80);
}

#[test]
fn what_is_computed_or_run_has_a_remark_with_its_place() {
    let baseline = read(
        "| where |\n\
         where := self packageRepositoryURLForSpec: spec.\n\
         spec for: (self versions: 8) do: [ spec package: 'No' ].\n\
         spec for: #'pharo6.x' do: [ spec package: 'Old' ].\n\
         spec for: #common do: [\n\
         spec postLoadDoIt: #after.\n\
         spec baseline: 'Json' with: [ spec repository: where ].\n\
         spec package: self name.\n\
         self missing: spec.\n\
         Smalltalk isBig ifTrue: [ spec package: 'Big' ].\n\
         Transcript show: 'loading'.\n\
         spec package: 'A' with: [ spec preLoadDoIt: #before; requires: self needs ].\n\
         spec packge: 'B' ]",
    );
    let expected = [
        "package A requires [] includes []",
        "project Json is Json at None loads []",
        "11:12 NoLiteral the systems for which this part holds are computed",
        "12:11 OtherSystem a part for pharo6.x alone",
        "14:6 NotRun `postLoadDoIt:` is not run",
        "15:48 Place where this baseline is, is computed",
        "16:15 NoLiteral this is computed, so only a run could show it",
        "17:6 NotRead `missing:` of the baseline is not run",
        "18:1 NotRead what this statement says is known only when it runs",
        "20:32 NotRun `preLoadDoIt:` is not run",
        "20:64 NoLiteral this is computed, so only a run could show it",
        "21:6 NotRead `packge:` is not known",
    ];
    assert_eq!(lines(&baseline), expected);
}

#[test]
fn no_text_ends_the_reading() {
    for text in [
        "",
        "Class {",
        "Class { #name : 'BaselineOfStones' }",
        "3 + ",
    ] {
        let read = Baseline::read("BaselineOfStones", &[file("b.st", text)]);
        assert!(read.is_none_or(|one| one.packages.is_empty()), "{text}");
    }
    let deep = format!("spec package: {}'A'{}", "(".repeat(500), ")".repeat(500));
    assert!(read(&deep).packages.len() <= 1);
    let nested = "spec for: #common do: [ ".repeat(120) + &"]".repeat(120);
    let remarks = read(&nested).remarks;
    assert_eq!(remarks.len(), 1);
    assert_eq!(remarks[0].message, "this is nested too deeply to be read");
    let too_deep = "spec for: #common do: [ ".repeat(3_000) + &"]".repeat(3_000);
    assert_eq!(read(&too_deep).packages, []);
}

#[test]
fn a_baseline_in_filetree_has_a_file_for_each_method() {
    let class = "a/BaselineOfStones.package/BaselineOfStones.class";
    let method = |name: &str, body: &str| {
        let path = format!("{class}/instance/{name}..st");
        file(&path, &format!("baselines\n{name}: spec\n{body}\n"))
    };
    let files = [
        method("baseline", "\t<baseline>\n\tself core: spec"),
        method(
            "core",
            "\tspec package: 'Core'; group: 'default' with: 'Core'; package: self name",
        ),
        file(
            &format!("{class}/properties.json"),
            "{ \"name\" : \"BaselineOfStones\", \"super\" : \"BaselineOf\" }",
        ),
    ];
    let read = Baseline::read("BaselineOfStones", &files).expect("a baseline");
    assert_eq!(read.packages[0].name, "Core");
    assert_eq!(read.groups[0].members, ["Core"]);
    assert_eq!(read.remarks.len(), 1);
    assert_eq!(read.remarks[0].file, files[1].path);
    assert_eq!(read.remarks[0].line, 3);
    assert_eq!(Baseline::read("BaselineOfStones", &files[..2]), None);
}
