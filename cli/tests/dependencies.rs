//! Packages of other repositories, from a folder and from a commit, in every command that loads a project.

#![cfg(unix)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;

use support::Sandbox;

fn class(name: &str, superclass: &str, methods: &str) -> String {
    let head = format!("Class {{\n\t#name : '{name}',\n\t#superclass : '{superclass}'\n}}\n");
    format!("{head}\n{methods}")
}

/// A project in `app` that uses a package of the repository in `stones`, which has tests of its own.
fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    let stone = "Stone >> weight [\n\t^ 3\n]\n\nStone class >> initialize [\n\tReady := true\n]\n";
    let stone = class("Stone", "Object", stone)
        .replace("#superclass", "#classVars : [ 'Ready' ],\n\t#superclass");
    sandbox.write("stones/src/Stones-Core/Stone.class.st", stone);
    let test = "StoneTest >> testWeight [\n\tself assert: Stone new weight equals: 3\n]\n";
    let test = class("StoneTest", "TestCase", test);
    sandbox.write("stones/src/Stones-Tests/StoneTest.class.st", test);
    let baseline = "BaselineOfStones >> baseline: spec [\n\t<baseline>\n\tspec for: #common do: [\n\t\t\
         spec package: 'Stones-Core'.\n\t\t\
         spec package: 'Stones-Tests' with: [ spec requires: 'Stones-Core' ].\n\t\t\
         spec group: 'default' with: 'Stones-Tests' ]\n]\n";
    sandbox.write(
        "stones/src/BaselineOfStones/BaselineOfStones.class.st",
        class("BaselineOfStones", "BaselineOf", baseline),
    );
    sandbox.write(
        "app/src/Wall.st",
        "Stone subclass: Wall [ weight [ ^super weight * 2 ] ]\n",
    );
    sandbox.write(
        "app/tests/WallTest.st",
        "TestCase subclass: WallTest [ testWeight [ self assert: Wall new weight equals: 6 ] ]\n",
    );
    settings(&sandbox, "path = '../stones'");
    sandbox
}

fn settings(sandbox: &Sandbox, stones: &str) {
    let text = format!(
        "[project]\npaths = [\"src\", \"tests\"]\n[dependencies]\nstones = {{ {stones} }}\n"
    );
    sandbox.write("app/tally.toml", text);
}

/// Commits everything in a folder and answers the commit's name.
fn commit(sandbox: &Sandbox, folder: &str) -> String {
    if !sandbox.path(&format!("{folder}/.git")).exists() {
        sandbox.git(&["init", "-q", "-b", "main", folder]);
    }
    sandbox.git(&["-C", folder, "add", "-A"]);
    sandbox.git(&["-C", folder, "commit", "-q", "-m", "a change"]);
    sandbox
        .read(&format!("{folder}/.git/refs/heads/main"))
        .trim()
        .to_owned()
}

#[test]
fn every_command_of_a_project_loads_its_dependencies_first() {
    let sandbox = project("dependencies-folder");
    let inside = |arguments: &[&str]| sandbox.tally_in("app", arguments);
    // The tests of the dependency are loaded, because its default group holds them, and they do not run.
    let ran = inside(&["test"]);
    ran.exits(0)
        .is_silent()
        .mentions("WallTest>>testWeight  ok");
    ran.mentions("1 test: 1 passed");
    inside(&["test", "--list"])
        .exits(0)
        .prints("WallTest>>testWeight\n");
    inside(&["test", "src", "tests/WallTest.st"])
        .exits(0)
        .mentions("1 test: 1 passed");
    inside(&["run", "-e", "Wall new weight"])
        .exits(0)
        .is_silent()
        .prints("6\n");
    inside(&["check"])
        .exits(0)
        .is_silent()
        .prints("2 files: 0 errors, 0 warnings\n");
    inside(&["verify", "--tests"])
        .exits(0)
        .mentions("WallTest>>testWeight");
    assert!(
        !inside(&["verify", "--tests"])
            .output()
            .contains("StoneTest")
    );
    let profiled = ["profile", "src", "-e", "Wall new weight"];
    inside(&profiled)
        .exits(0)
        .mentions("Stone class>>initialize");
    inside(&["run", "--no-project", "src/Wall.st"]).exits(8);
    // Below the project's folder the paths are the same.
    sandbox
        .tally_in("app/src", &["run", "-e", "Stone new weight"])
        .exits(0)
        .prints("3\n");
    // Tests run if their package is named.
    settings(&sandbox, "path = '../stones', packages = ['Stones-Tests']");
    inside(&["test"]).exits(0).mentions("2 tests: 2 passed");
    assert!(!sandbox.path("app/.tally/dependencies").exists());
}

#[test]
fn check_packages_says_what_is_loaded_in_which_order_from_where() {
    let sandbox = project("dependencies-listed");
    let inside = |arguments: &[&str]| sandbox.tally_in("app", arguments);
    inside(&["check", "--packages"])
        .exits(0)
        .is_silent()
        .prints(
            "stones from ../stones, group default of BaselineOfStones\n   \
         1  Stones-Core (../stones/src/Stones-Core), required by Stones-Tests\n   \
         2  Stones-Tests (../stones/src/Stones-Tests), group default of BaselineOfStones\n\
         this project\n   3  src (src)\n   4  tests (tests)\n4 packages\n"
                .replace("src (src)", "src")
                .replace("tests (tests)", "tests")
                .as_str(),
        );
    settings(&sandbox, "path = '../stones', packages = ['Stones-Tests']");
    let ran = inside(&["check", "--packages", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(ran.exits(0).output()).unwrap();
    assert_eq!(report["schema"], "tally.packages/1");
    let packages = report["packages"].as_array().unwrap();
    let lines: Vec<String> = packages
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
            let parts = ["name", "dependency", "why"].map(text);
            format!("{} {}", parts.join(" | "), one["tests"])
        })
        .collect();
    let expected = [
        "Stones-Core | stones | required by Stones-Tests false",
        "Stones-Tests | stones | named in tally.toml true",
        "src | - | the project's own true",
        "tests | - | the project's own true",
    ];
    assert_eq!(lines, expected);
    let dependency = &report["dependencies"][0];
    assert_eq!(dependency["path"], "../stones");
    assert_eq!(dependency["baseline"], "BaselineOfStones");
}

#[test]
fn a_commit_is_fetched_once_and_is_there_without_its_repository() {
    let sandbox = project("dependencies-commit");
    let first = commit(&sandbox, "stones");
    let url = format!("file://{}", sandbox.path("stones").display());
    let at = |commit: &str| format!("git = '{url}', rev = '{commit}'");
    settings(&sandbox, &at(&first));
    let weighs = |text: &str| {
        let ran = sandbox.tally_in("app", &["run", "-e", "Wall new weight"]);
        ran.exits(0).prints(text);
        ran
    };
    weighs("6\n").says("fetching stones from file://");
    weighs("6\n").is_silent();
    let folder = format!("app/.tally/dependencies/stones-{first}");
    assert!(sandbox.path(&folder).join("src/Stones-Core").is_dir());
    // Nothing unfinished is left, and no repository.
    let left = fs::read_dir(sandbox.path("app/.tally/dependencies"));
    assert_eq!(left.unwrap().count(), 1);
    let stone = sandbox.read("stones/src/Stones-Core/Stone.class.st");
    sandbox.write(
        "stones/src/Stones-Core/Stone.class.st",
        stone.replace("^ 3", "^ 5"),
    );
    let second = commit(&sandbox, "stones");
    weighs("6\n").is_silent();
    settings(&sandbox, &at(&second));
    weighs("10\n").says("fetching stones from file://");
    fs::rename(sandbox.path("stones"), sandbox.path("gone")).unwrap();
    weighs("10\n").is_silent();
    settings(&sandbox, &at(&first));
    weighs("6\n").is_silent();
    let unknown = "0123456789abcdef0123456789abcdef01234567";
    settings(&sandbox, &at(unknown));
    let ran = sandbox.tally_in("app", &["test"]);
    ran.exits(74).says("dependency stones: file://");
    ran.says("cannot be fetched");
    fs::rename(sandbox.path("gone"), sandbox.path("stones")).unwrap();
    let ran = sandbox.tally_in("app", &["test"]);
    ran.exits(2)
        .says("dependency stones: the repository has no commit 0123456789abcdef");
}

#[test]
fn versions_are_compared_with_the_dependencies_that_they_have() {
    let sandbox = project("dependencies-versions");
    let stones = commit(&sandbox, "stones");
    sandbox.write("app/.gitignore", ".tally\n");
    commit(&sandbox, "app");
    let compare = |old: &str, new: &str| sandbox.tally_in("app", &["compare", old, new]);
    // A folder beside the repository is the same for both versions.
    compare("HEAD", "WORKTREE")
        .exits(0)
        .mentions("0 of 1 tests differ");
    // A commit belongs to the version that names it.
    let url = format!("file://{}", sandbox.path("stones").display());
    settings(&sandbox, &format!("git = '{url}', rev = '{stones}'"));
    commit(&sandbox, "app");
    let stone = sandbox.read("stones/src/Stones-Core/Stone.class.st");
    let slower = stone.replace("^ 3", "^ 1 max: 3");
    sandbox.write("stones/src/Stones-Core/Stone.class.st", slower);
    let later = commit(&sandbox, "stones");
    settings(&sandbox, &format!("git = '{url}', rev = '{later}'"));
    commit(&sandbox, "app");
    for _ in 0..2 {
        let ran = compare("HEAD~1", "HEAD");
        ran.exits(0).mentions("Stone>>weight");
        assert!(!ran.output().contains("StoneTest"), "{ran}");
    }
    let kept = sandbox.path("app/.tally/dependencies");
    assert_eq!(fs::read_dir(kept).unwrap().count(), 2);
    // The tests that the change concerns are known.
    sandbox
        .tally_in("app", &["test", "--changed", "HEAD~1"])
        .exits(0)
        .mentions("1 passed");
    let ran = sandbox.tally_in("app", &["compare", "HEAD~1", "HEAD", "--tests-from", "new"]);
    ran.exits(0).mentions("Stone>>weight");
    assert!(
        sandbox
            .path("stones/src/Stones-Tests/StoneTest.class.st")
            .exists()
    );
}

#[test]
fn what_has_no_effect_is_said_once_and_listed() {
    let sandbox = project("dependencies-remarks");
    let file = "stones/src/BaselineOfStones/BaselineOfStones.class.st";
    let baseline = sandbox.read(file).replace(
        "spec package: 'Stones-Core'.",
        "spec package: 'Stones-Core'.\n\t\tspec postLoadDoIt: #ready.\n\t\t\
         spec baseline: 'Moss' with: [ spec repository: 'github://moss/moss' ].",
    );
    sandbox.write(file, baseline);
    let ran = sandbox.tally_in("app", &["test"]);
    ran.exits(0)
        .says("dependency stones: 1 part of its baseline has no effect");
    let listed = sandbox.tally_in("app", &["check", "--packages"]);
    listed
        .exits(0)
        .mentions("BaselineOfStones.class.st:10:8: `postLoadDoIt:` is not run");
    // The default group does not need it; all that is listed does.
    assert!(!ran.error().contains("Moss"), "{ran}");
    settings(&sandbox, "path = '../stones', groups = ['ALL']");
    let ran = sandbox.tally_in("app", &["test"]);
    ran.exits(0)
        .says("it requires Moss (github://moss/moss), which tally.toml does not name");
}
