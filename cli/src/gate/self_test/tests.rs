//! Gates wired well and badly, around a stand-in for tally that looks for the planted send. The same with the real one is
//! in the tests of the command.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A project in a folder that goes away with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tally gate tests {} {number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(fs::canonicalize(folder).unwrap())
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[cfg(unix)]
    fn script(&self, name: &str, content: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, content);
        fs::set_permissions(self.0.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const TESTS: &str = "TestCase subclass: TreeTest [\n\
    testSmall [ \"Small.\" <timeout: 3> | a | ((a := 3) + 4) printString. self assert: a = 3 ]\n\
    helper [ ^1 ]\n]\n";

/// What stands in for tally: it fails as a counted verdict does if the send is there.
const CHECK: &str =
    "#!/bin/sh\nif grep -q 'nil yourself' tests/*.st; then exit 3; fi\necho checked by tally\n";

fn exact(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_string()).collect()
}

fn project(folder: &Folder) -> Project {
    Project {
        root: folder.0.clone(),
        place: PathBuf::new(),
        tests: exact(&["TreeTest>>testSmall"]),
        patterns: Vec::new(),
    }
}

/// Everything below a folder: what it is, and its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match fs::symlink_metadata(&path).unwrap().is_dir() {
                true => waiting.push(path),
                false => {
                    found.insert(path.clone(), fs::read(path).unwrap_or_default());
                }
            }
        }
    }
    found
}

#[cfg(unix)]
mod on_a_system_with_shells {
    use super::*;

    fn gate() -> Folder {
        let folder = Folder::new();
        folder.write("tests/T.st", TESTS);
        folder.script("check", CHECK);
        folder
    }

    fn words(command: &[&str]) -> Vec<String> {
        exact(command)
    }

    /// Runs the test, and looks whether it left the project as it was and no copy of it.
    fn examined(folder: &Folder, command: &[&str]) -> Result<String, Failure> {
        let before = contents(&folder.0);
        let result = examine(&project(folder), &words(command));
        assert!(contents(&folder.0) == before);
        result
    }

    fn works(folder: &Folder, command: &[&str], text: &str) {
        let said = examined(folder, command).unwrap();
        assert!(said.contains(text), "{said}");
    }

    fn does_not(folder: &Folder, command: &[&str], exit: Exit, text: &str) {
        let failure = format!("{:?}", examined(folder, command).unwrap_err());
        assert!(failure.contains(&format!("exit: {exit:?}")), "{failure}");
        assert!(failure.contains(text), "{failure}");
    }

    #[test]
    fn a_plain_gate_works() {
        let verdict = "The gate works: with one send more in TreeTest>>testSmall (tests/T.st:2) the command ends with exit code 3, without it it passes.\n";
        assert_eq!(examined(&gate(), &["./check"]).unwrap(), verdict);
    }

    #[test]
    fn a_gate_behind_make_works() {
        let folder = gate();
        folder.write("Makefile", "all:\n\t./check\n");
        works(&folder, &["make"], "ends with exit code 2");
    }

    #[test]
    fn a_make_that_ignores_failures_does_not() {
        let folder = gate();
        folder.write("Makefile", "all:\n\t-./check # tally\n");
        does_not(
            &folder,
            &["make"],
            Exit::Counted,
            "Makefile:2: make ignores the failure",
        );
        folder.write("Makefile", "all:\n\t./check # tally\n");
        does_not(
            &folder,
            &["make", "-i"],
            Exit::Counted,
            "make -i ignores every failure",
        );
    }

    #[test]
    fn a_failure_that_is_ignored_is_found_out() {
        let folder = gate();
        folder.script("ci.sh", "#!/bin/sh -e\n# tally || true\n./check || true\n");
        does_not(
            &folder,
            &["./ci.sh"],
            Exit::Counted,
            "ci.sh:3: a failure in front of || is ignored",
        );
    }

    #[test]
    fn a_pipe_without_pipefail_is_found_out() {
        let folder = gate();
        folder.script("ci.sh", "#!/bin/bash\nset -e\n./check tally | tee log\n");
        does_not(
            &folder,
            &["./ci.sh"],
            Exit::Counted,
            "ci.sh:3: the exit code of a pipe",
        );
        folder.script(
            "ci.sh",
            "#!/bin/bash\nset -eo pipefail\n./check tally | tee log\n",
        );
        works(&folder, &["./ci.sh"], "exit code 3");
    }

    #[test]
    fn a_shell_that_goes_on_is_found_out() {
        let folder = gate();
        folder.script("ci.sh", "#!/bin/sh\n./check # tally\necho done\n");
        does_not(
            &folder,
            &["./ci.sh"],
            Exit::Counted,
            "ci.sh: the shell goes on",
        );
        does_not(
            &folder,
            &["sh", "ci.sh"],
            Exit::Counted,
            "ci.sh: the shell goes on",
        );
        does_not(
            &folder,
            &["sh", "-c", "./check; echo tally"],
            Exit::Counted,
            "the command: the shell goes on",
        );
        works(&folder, &["sh", "-e", "ci.sh"], "exit code 3");
    }

    #[test]
    fn a_command_that_never_runs_tally_is_found_out() {
        does_not(&gate(), &["true"], Exit::Counted, "mentions tally");
        let folder = gate();
        folder.script(
            "ci.sh",
            "#!/bin/sh\nset -e\ntrue tally test --counts ignore\n",
        );
        does_not(
            &folder,
            &["./ci.sh"],
            Exit::Counted,
            "ci.sh:3: --counts ignore compares nothing",
        );
    }

    #[test]
    fn a_command_must_pass_before() {
        does_not(
            &gate(),
            &["false"],
            Exit::Failed,
            "ends with exit code 1 in an unchanged copy",
        );
        does_not(
            &gate(),
            &["sh", "-c", "kill -9 $$"],
            Exit::Failed,
            "is ended by a signal",
        );
        does_not(
            &gate(),
            &["./missing"],
            Exit::Io,
            "cannot run ./missing: no such file",
        );
    }

    #[test]
    fn a_command_that_fails_at_any_change_proves_nothing() {
        let folder = gate();
        folder.write("sum", "");
        folder.script(
            "ci.sh",
            "#!/bin/sh -e\n./check\ncksum tests/T.st | cmp - sum\n",
        );
        let sum = std::process::Command::new("cksum")
            .arg("tests/T.st")
            .current_dir(&folder.0)
            .output();
        fs::write(folder.0.join("sum"), sum.unwrap().stdout).unwrap();
        // It looks at the send first, by an exit code of Tally's.
        works(&folder, &["./ci.sh"], "exit code 3");
        folder.script(
            "ci.sh",
            "#!/bin/sh -e\ncksum tests/T.st | cmp - sum\n./check\n",
        );
        does_not(
            &folder,
            &["./ci.sh"],
            Exit::Failed,
            "the command fails whatever is changed",
        );
    }

    #[test]
    fn the_command_runs_where_it_would_in_the_project() {
        let folder = gate();
        fs::create_dir_all(folder.0.join("sub/inner")).unwrap();
        folder.write(".tally/cache", "");
        let script = "#!/bin/sh\n[ \"$(basename \"$PWD\")\" = inner ] || exit 1\n[ ! -e ../../.tally ] || exit 1\ncd ../..\nexec ./check\n";
        folder.script("sub/inner/ci", script);
        let inner = Project {
            place: "sub/inner".into(),
            ..project(&folder)
        };
        let said = examine(&inner, &words(&["./ci"])).unwrap();
        assert!(said.contains("exit code 3"), "{said}");
    }

    #[test]
    fn links_into_the_project_lead_into_the_copy() {
        use std::os::unix::fs::symlink;
        let folder = gate();
        fs::rename(folder.0.join("tests"), folder.0.join("real")).unwrap();
        symlink(folder.0.join("real"), folder.0.join("tests")).unwrap();
        symlink("../outside", folder.0.join("out")).unwrap();
        symlink("real/T.st", folder.0.join("inside")).unwrap();
        works(&folder, &["./check"], "(real/T.st:2)");
        let copy = copy::Copy::of(&folder.0, &|| false).unwrap();
        let link = |name: &str| fs::read_link(copy.path().join(name)).unwrap();
        assert_eq!(link("out"), folder.0.join("../outside"));
        assert_eq!(link("inside"), Path::new("real/T.st"));
        assert_eq!(link("tests"), copy.path().join("real"));
    }

    #[test]
    fn copies_go_away_whatever_was_done_to_them() {
        let folder = gate();
        let kept = {
            let copy = copy::Copy::of(&folder.0, &|| false).unwrap();
            let inner = copy.path().join("a/b");
            fs::create_dir_all(&inner).unwrap();
            fs::write(inner.join("c"), "").unwrap();
            let mut rights = fs::metadata(&inner).unwrap().permissions();
            rights.set_readonly(true);
            fs::set_permissions(&inner, rights).unwrap();
            copy.path().to_path_buf()
        };
        assert!(!kept.exists());
        let interrupted = copy::Copy::of(&folder.0, &|| true);
        assert!(interrupted.is_err_and(|failure| failure.is_interrupt()));
    }

    #[test]
    fn what_was_fetched_is_copied_and_the_rest_of_the_cache_is_not() {
        let folder = Folder::new();
        folder.write(".tally/store", "kept");
        folder.write(".tally/dependencies/stones-1/a.st", "3");
        let copy = copy::Copy::of(&folder.0, &|| false).unwrap();
        let fetched = copy.path().join(".tally/dependencies/stones-1/a.st");
        assert_eq!(fs::read_to_string(fetched).unwrap(), "3");
        assert!(!copy.path().join(".tally/store").exists());
    }

    #[test]
    fn times_and_rights_are_copied_and_linked_repositories_are_not() {
        let folder = gate();
        folder.write(".git", "gitdir: /somewhere/else\n");
        let copy = copy::Copy::of(&folder.0, &|| false).unwrap();
        assert!(!copy.path().join(".git").exists());
        let facts = |path: PathBuf| fs::metadata(path).unwrap();
        let (old, new) = (
            facts(folder.0.join("check")),
            facts(copy.path().join("check")),
        );
        assert_eq!(old.modified().unwrap(), new.modified().unwrap());
        assert_eq!(old.permissions(), new.permissions());
    }
}

#[test]
fn without_exact_counts_there_is_nothing_to_notice() {
    let folder = Folder::new();
    folder.write("tests/T.st", TESTS);
    let nothing = Project {
        tests: Vec::new(),
        ..project(&folder)
    };
    let failure = format!(
        "{:?}",
        examine(&nothing, &["true".to_string()]).unwrap_err()
    );
    assert!(
        failure.contains("Nothing") && failure.contains("tally.counts"),
        "{failure}"
    );
    let elsewhere = Plant::find(
        &folder.0,
        &exact(&["Other>>testSmall", "TreeTest>>testOther"]),
        &[],
    );
    let failure = format!("{:?}", elsewhere.unwrap_err());
    assert!(failure.contains("nothing could be planted"), "{failure}");
}

/// A text in which a test begins to do something, and the same with the send.
const NOTATIONS: [(&str, &str); 7] = [
    (
        "TreeTest extend [ testSmall [ ^3 ] ]",
        "TreeTest extend [ testSmall [ nil yourself. ^3 ] ]",
    ),
    (
        "Object subclass: A [ testSmall [ ^1 ] ]\r\nTreeTest >> testSmall [\r\n | a |\r\n {1. 2} size ]\r\n",
        "Object subclass: A [ testSmall [ ^1 ] ]\r\nTreeTest >> testSmall [\r\n | a |\r\n nil yourself. {1. 2} size ]\r\n",
    ),
    (
        "TestCase subclass: TreeTest [ testSmall [ ((self foo) bar: 3) ] ]",
        "TestCase subclass: TreeTest [ testSmall [ nil yourself. ((self foo) bar: 3) ] ]",
    ),
    (
        "TestCase subclass: TreeTest [ TreeTest class >> testSmall [ ^0 ] testSmall [ #(1) do: [:x | x ] ] ]",
        "TestCase subclass: TreeTest [ TreeTest class >> testSmall [ ^0 ] testSmall [ nil yourself. #(1) do: [:x | x ] ] ]",
    ),
    (
        "TestCase subclass: TreeTest [ testSmall [ Transcript show: 'ä'; cr. 3 ] ]",
        "TestCase subclass: TreeTest [ testSmall [ nil yourself. Transcript show: 'ä'; cr. 3 ] ]",
    ),
    (
        "Class {\n\t#name : #TreeTest,\n\t#superclass : #TestCase\n}\n\n{ #category : #tests }\nTreeTest >> testSmall [\n\t\"Why.\"\n\t-3 abs\n]\n",
        "Class {\n\t#name : #TreeTest,\n\t#superclass : #TestCase\n}\n\n{ #category : #tests }\nTreeTest >> testSmall [\n\t\"Why.\"\n\tnil yourself. -3 abs\n]\n",
    ),
    (
        "TestCase subclass: TreeTest [ testSmall [ [:x | x ] value: 3 ] ]",
        "TestCase subclass: TreeTest [ testSmall [ nil yourself. [:x | x ] value: 3 ] ]",
    ),
];

#[test]
fn a_send_is_planted_where_a_test_begins() {
    for (text, expected) in NOTATIONS {
        let folder = Folder::new();
        folder.write("a/T.st", text);
        let plant = Plant::find(&folder.0, &exact(&["TreeTest>>testSmall"]), &[]).unwrap();
        plant.put(&folder.0).unwrap();
        assert_eq!(
            fs::read_to_string(folder.0.join("a/T.st")).unwrap(),
            expected
        );
    }
}

#[test]
fn tests_of_their_own_method_come_first() {
    let folder = Folder::new();
    folder.write(
        "T.st",
        "T extend [ testA [ ^1 ] testB [ ^2 ] testEmpty [ ] ]",
    );
    let found = |names: &[&str]| {
        Plant::find(&folder.0, &exact(names), &[])
            .unwrap()
            .to_string()
    };
    assert_eq!(found(&["T>>testA (3)", "T>>testB"]), "T>>testB (T.st:1)");
    assert_eq!(
        found(&["T>>testA (3)", "T>>testEmpty"]),
        "T>>testA (3) (T.st:1)"
    );
    let class_side = Plant::find(&folder.0, &exact(&["T class>>testA", "T", "T>>"]), &[]);
    assert!(class_side.is_err());
}

#[test]
fn exact_budgets_mean_tests_as_well() {
    let folder = Folder::new();
    folder.write(
        "T.st",
        "T extend [ testA [ ^1 ] helper [ ^2 ] ] U extend [ testB [ ^1 ] ]",
    );
    let found = |pattern: &str| {
        let plant = Plant::find(&folder.0, &exact(&["No>>testA"]), &exact(&[pattern]));
        plant.map(|plant| plant.to_string()).ok()
    };
    assert_eq!(found("*>>testB").as_deref(), Some("U>>testB (T.st:1)"));
    assert_eq!(found("T").as_deref(), Some("T>>testA (T.st:1)"));
    assert_eq!(found("T>>helper"), None);
    let budget = "[[budget]]\ntest = \"T*\"\nsends = { KIND = 3 }\n[[budget]]\ntest = \"V\"\nbytes = { exact = 3 }\n";
    let patterns = |kind: &str| {
        folder.write("tally.toml", &budget.replace("KIND", kind));
        Project::of(&folder.0).unwrap().patterns
    };
    assert_eq!(patterns("exact"), ["T*"]);
    assert!(patterns("max").is_empty());
}

#[test]
fn settings_are_found_upwards_within_a_repository() {
    let folder = Folder::new();
    folder.write("tally.toml", "");
    folder.write("a/b/c", "");
    folder.write("r/.git/HEAD", "");
    folder.write("r/s/t", "");
    let root = |name: &str| Project::of(&folder.0.join(name)).unwrap();
    assert_eq!(root("a/b").root, folder.0);
    assert_eq!(root("a/b").place, Path::new("a/b"));
    assert_eq!(root("r/s").root, folder.0.join("r/s"));
    assert_eq!(root("r/s").place, Path::new(""));
}

#[test]
fn a_snapshot_that_cannot_be_read_is_reported() {
    let folder = Folder::new();
    folder.write("tally.counts", "nonsense\n");
    let failure = format!("{:?}", Project::of(&folder.0).unwrap_err());
    assert!(
        failure.contains("Incomparable") && failure.contains("tally.counts:1: "),
        "{failure}"
    );
}

#[test]
fn a_command_is_needed() {
    let failure = format!("{:?}", self_test(&[]).unwrap_err());
    assert!(
        failure.contains("Usage") && failure.contains("CMD"),
        "{failure}"
    );
}
