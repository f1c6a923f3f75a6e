//! Which packages dependencies come to, in which order, and what is said where they are not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::*;
use crate::embedder::Quiet;
use crate::files::temporary::TemporaryFolder;
use crate::project::Project;

/// Keeps the warnings.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Embedder for Heard {
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

/// A folder with a project in `app` and repositories beside it.
struct Folder(TemporaryFolder);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(TemporaryFolder::new("tally-dependencies").unwrap());
        folder.write("app/.git/HEAD", "");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Packages with a class each, in a repository beside the project.
    fn packages(&self, repository: &str, names: &[&str]) {
        for name in names {
            let class = name.replace('-', "");
            let text = format!("Class {{ #name : '{class}', #superclass : 'Object' }}\n");
            self.write(&format!("{repository}/src/{name}/{class}.class.st"), &text);
        }
    }

    fn baseline(&self, repository: &str, name: &str, body: &str) {
        let class = format!("BaselineOf{name}");
        let text = format!(
            "Class {{ #name : '{class}', #superclass : 'BaselineOf' }}\n\n\
             {class} >> baseline: spec [\n\t<baseline>\n\tspec for: #common do: [\n{body} ]\n]\n"
        );
        self.write(&format!("{repository}/src/{class}/{class}.class.st"), &text);
    }

    fn project(&self, settings: &str) -> Project {
        self.write("app/tally.toml", settings);
        Project::of(&self.0.path().join("app"), &Quiet).unwrap()
    }

    /// A line for each package that is loaded.
    fn loaded(&self, settings: &str) -> Vec<String> {
        let project = self.project(&format!("[dependencies]\n{settings}\n"));
        let found = project.find_dependencies(&Quiet).unwrap();
        let line = |package: &Loaded| match &package.why {
            Why::Named => format!("{} named", package.name),
            Why::Group { group, .. } => format!("{} in {group}", package.name),
            Why::RequiredBy(other) => format!("{} for {other}", package.name),
            Why::All => package.name.clone(),
        };
        let packages = found.all.iter().flat_map(|one| &one.packages);
        packages.map(line).collect()
    }

    fn refusal(&self, settings: &str) -> String {
        let project = self.project(&format!("[dependencies]\n{settings}\n"));
        project
            .find_dependencies(&Quiet)
            .unwrap_err()
            .message()
            .to_owned()
    }
}

#[test]
fn without_a_baseline_all_packages_but_tests_are_loaded() {
    let folder = Folder::new();
    folder.packages(
        "stones",
        &["Stones-Core", "Stones-Core-Tests", "Stones-Base"],
    );
    assert_eq!(
        folder.loaded("stones = { path = '../stones' }"),
        ["Stones-Base", "Stones-Core"]
    );
    assert_eq!(
        folder.loaded(
            "stones = { path = '../stones', packages = ['Stones-Core-Tests', 'Stones-Base'] }"
        ),
        ["Stones-Core-Tests named", "Stones-Base named"]
    );
}

#[test]
fn packages_in_filetree_are_folders_and_have_a_baseline() {
    let folder = Folder::new();
    let file = |package: &str, class: &str, name: &str, text: &str| {
        folder.write(
            &format!("stones/{package}.package/{class}.class/{name}"),
            text,
        );
    };
    for (package, class) in [
        ("Core", "Stone"),
        ("Extra", "Gem"),
        ("BaselineOfStones", "BaselineOfStones"),
    ] {
        let text = format!("{{ \"name\" : \"{class}\", \"super\" : \"Object\" }}");
        file(package, class, "properties.json", &text);
        file(
            package,
            class,
            "instance/hash.st",
            "comparing\nhash\n\t^ 7\n",
        );
    }
    let text = "baselines\nbaseline: spec\n\t<baseline>\n\tspec for: #common do: [ spec package: 'Core' ]\n";
    file(
        "BaselineOfStones",
        "BaselineOfStones",
        "instance/baseline..st",
        text,
    );
    let project = folder.project("[dependencies]\nstones = { path = '../stones' }\n");
    let found = project.find_dependencies(&Quiet).unwrap();
    let packages = &found.all[0].packages;
    assert_eq!(packages.len(), 1);
    assert_eq!(packages[0].name, "Core");
    assert!(
        packages[0].folder.ends_with("stones/Core.package"),
        "{}",
        packages[0].folder
    );
}

#[test]
fn a_baseline_gives_groups_requirements_and_their_order() {
    let folder = Folder::new();
    folder.packages("stones", &["Base", "Core", "Extra", "My-Tests", "Other"]);
    folder.baseline(
        "stones",
        "Stones",
        "spec package: 'My-Tests' with: [ spec requires: #('Core') ].\n\
         spec package: 'Core' with: [ spec requires: 'Base'; includes: 'Extra' ].\n\
         spec package: 'Base'; package: 'Extra'; package: 'Other'.\n\
         spec group: 'default' with: #('Core'); group: 'Tests' with: #('My-Tests' 'default')",
    );
    let default = ["Base for Core", "Core in default", "Extra for Core"];
    assert_eq!(folder.loaded("stones = { path = '../stones' }"), default);
    assert_eq!(
        folder.loaded("stones = { path = '../stones', groups = ['Tests'] }"),
        [
            "Base for Core",
            "Core for My-Tests",
            "Extra for Core",
            "My-Tests in Tests"
        ]
    );
    assert_eq!(
        folder.loaded("stones = { path = '../stones', packages = ['Core', 'Base'] }"),
        ["Base named", "Core named", "Extra for Core"]
    );
    let refusal = folder.refusal("stones = { path = '../stones', groups = ['Test'] }");
    assert_eq!(
        refusal,
        "dependency stones: BaselineOfStones has no group 'Test'; did you mean 'Tests'?"
    );
}

#[test]
fn dependencies_come_behind_those_that_they_require() {
    let folder = Folder::new();
    folder.packages("a", &["A"]);
    folder.baseline(
        "a",
        "A",
        "spec baseline: 'Zed' with: [ spec repository: 'github://z/zed' ].\n\
         spec baseline: 'Own' with: [ spec loads: 'core' ].\n\
         spec package: 'A' with: [ spec requires: #('Zed' 'Own') ]",
    );
    folder.packages("a", &["OwnCore"]);
    folder.baseline(
        "a",
        "Own",
        "spec package: 'OwnCore'; group: 'core' with: 'OwnCore'",
    );
    folder.packages("z", &["Z"]);
    let both = "a = { path = '../a', baseline = 'A' }\nzed = { path = '../z' }";
    assert_eq!(
        folder.loaded(both),
        ["Z", "OwnCore in core", "A in default"]
    );
    let project = folder.project("[dependencies]\na = { path = '../a', baseline = 'A' }");
    let heard = Heard::default();
    for _ in 0..2 {
        project.dependencies(&heard).unwrap();
    }
    assert_eq!(
        *heard.0.lock().unwrap(),
        ["dependency a: it requires Zed (github://z/zed), which tally.toml does not name"]
    );
    assert_eq!(
        folder.refusal("a = { path = '../a' }"),
        "dependency a: it has several baselines, so name one by `baseline = \"…\"`, or name its packages: A, Own"
    );
}

#[test]
fn what_is_not_there_is_named() {
    let folder = Folder::new();
    folder.packages("stones", &["Stones-Core"]);
    folder.write("empty/README", "");
    let cases = [
        ("path = '../nowhere'", "there is no folder "),
        ("path = '../empty'", "holds no package"),
        (
            "path = '../stones', packages = ['Stones-Cor']",
            "there is no package 'Stones-Cor'; did you mean 'Stones-Core'?",
        ),
        (
            "path = '../stones', groups = ['default']",
            "it has no baseline",
        ),
        (
            "path = '../stones', baseline = 'Stones'",
            "there is no baseline 'Stones'",
        ),
    ];
    for (place, expected) in cases {
        let refusal = folder.refusal(&format!("stones = {{ {place} }}"));
        assert!(refusal.starts_with("dependency stones: "), "{refusal}");
        assert!(refusal.contains(expected), "{refusal}");
    }
    folder.baseline(
        "stones",
        "Stones",
        "spec package: 'Stones-Core'; package: 'Gone'",
    );
    let project = folder.project("[dependencies]\nstones = { path = '../stones' }");
    let heard = Heard::default();
    project.dependencies(&heard).unwrap();
    assert_eq!(
        *heard.0.lock().unwrap(),
        ["dependency stones: its repository lacks packages that it lists: Gone"]
    );
}

#[test]
fn a_dependency_of_which_nothing_is_loaded_is_an_error_with_its_cause() {
    let folder = Folder::new();
    folder.packages("stones", &["Stones-Core"]);
    folder.baseline(
        "stones",
        "Stones",
        "spec for: (self versionsFrom: 8) do: [ spec package: 'Stones-Core' ]",
    );
    let refusal = folder.refusal("stones = { path = '../stones' }");
    let expected =
        "dependency stones: nothing of it is loaded; name packages by `packages = [\"…\"]`; ";
    assert!(refusal.starts_with(expected), "{refusal}");
    let cause =
        "BaselineOfStones.class.st:6:12: the systems for which this part holds are computed";
    assert!(refusal.ends_with(cause), "{refusal}");
}

#[test]
fn circles_and_long_chains_come_to_an_end() {
    let folder = Folder::new();
    folder.packages("stones", &["A", "B"]);
    folder.baseline(
        "stones",
        "Stones",
        "spec baseline: 'Stones' with: [ spec loads: 'default' ].\n\
         spec package: 'A' with: [ spec requires: 'B' ]; package: 'B' with: [ spec requires: 'A' ].\n\
         spec group: 'default' with: #('default' 'Stones' 'A')",
    );
    let loaded = folder.loaded("stones = { path = '../stones' }");
    assert_eq!(loaded, ["B for A", "A in default"]);
    let chain: String = (0..20_000)
        .map(|n| {
            format!(
                "spec package: 'P{n}' with: [ spec requires: 'P{}' ].\n",
                n + 1
            )
        })
        .collect();
    folder.baseline(
        "stones",
        "Stones",
        &(chain + "spec package: 'P20000' with: [ spec requires: 'A' ]"),
    );
    assert_eq!(
        folder.loaded("stones = { path = '../stones' }"),
        ["A for P20000"]
    );
}

#[test]
fn files_of_dependencies_come_first_and_programs_of_som_have_none() {
    let folder = Folder::new();
    folder.packages("stones", &["Stones-Core"]);
    let project = folder
        .project("[project]\npaths = ['src']\n[dependencies]\nstones = { path = '../stones' }");
    let root = folder.0.path().join("app");
    let package = root.join("../stones/src/Stones-Core").display().to_string();
    let own = root.join("src").display().to_string();
    let default = project.default_files(&Quiet).unwrap();
    assert_eq!(default, [package.clone(), own]);
    let named = vec!["x.st".to_owned()];
    let (files, is_whole) = project.files(named, &Quiet).unwrap();
    assert_eq!((files, is_whole), (vec![package, "x.st".to_owned()], false));
    let som = vec!["Hello.som".to_owned()];
    assert_eq!(project.with_dependencies(som.clone(), &Quiet).unwrap(), som);
}

#[test]
fn a_version_takes_what_is_outside_from_beside_the_project() {
    let folder = Folder::new();
    folder.packages("stones", &["Stones-Core"]);
    folder.packages("app/libs", &["Inner"]);
    let settings = "[dependencies]\n\
         inner = { path = 'libs' }\nstones = { path = '../stones' }\n";
    folder.project(settings);
    let version = TemporaryFolder::new("tally-dependencies").unwrap();
    let top = version.path().join("tree");
    fs::create_dir_all(top.join("libs/src/Inner")).unwrap();
    fs::create_dir(version.path().join(".git")).unwrap();
    fs::write(top.join("tally.toml"), settings).unwrap();
    let inner = "Class { #name : 'Inner', #superclass : 'Object' }\n";
    fs::write(top.join("libs/src/Inner/Inner.class.st"), inner).unwrap();
    let user = folder.0.path().join("app").canonicalize().unwrap();
    let origin = Origin {
        top: top.clone(),
        repository: user.clone(),
        project: user.clone(),
    };
    let project = Project::of(&top, &Quiet).unwrap().of_version(Some(origin));
    let files = project.default_files(&Quiet).unwrap();
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let outside = user.parent().unwrap().join("stones/src/Stones-Core");
    assert_eq!(files, [top.join("libs/src/Inner"), outside]);
    assert!(Path::new(&files[0]).is_dir());
}

#[test]
fn the_tests_of_packages_that_are_not_named_are_those_of_others() {
    let unit = |name: &str, class: &str| {
        let text = format!("Object subclass: {class} [ ]\n");
        let vm = tally_stdlib::machine(
            tally_vm::Config::default(),
            Box::<tally_vm::MemoryHost>::default(),
        );
        Arc::new(crate::loading::compile_text(&vm.unwrap(), name, &text).unwrap())
    };
    let folder = Folder::new();
    folder.packages("stones", &["A", "B", "B-Tests"]);
    let project = folder.project(
        "[dependencies]\nstones = { path = '../stones', packages = ['B', 'B-Tests'] }\n\
         more = { path = '../stones', packages = ['A'] }\n",
    );
    let mut found = project.find_dependencies(&Quiet).unwrap();
    for package in found.all.iter_mut().flat_map(|one| &mut one.packages) {
        if package.name == "B" {
            package.why = Why::All;
        }
    }
    let place = |name: &str| {
        let root = folder.0.path().join("app");
        root.join(format!("../stones/src/{name}/x.st"))
            .display()
            .to_string()
    };
    let units = [
        unit(&place("A"), "InA"),
        unit(&place("B"), "InB"),
        unit(&place("B-Tests"), "InTests"),
        unit("own.st", "Own"),
    ];
    let others = found.untested_classes(&units, Path::new(""));
    assert_eq!(others.into_iter().collect::<Vec<_>>(), ["InB"]);
}
