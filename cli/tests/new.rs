//! `tally new`: what it makes works, and it makes nothing where something is.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const MADE: &str = "\
made word-counter:
  .gitattributes
  .github/workflows/tally.yml
  .gitignore
  README.md
  src/WordCounter.st
  tally.toml
  tests/WordCounterTest.st
next:
  cd word-counter
  tally test                   runs its tests
  tally test --counts update   writes tally.counts, what each test costs, to be committed
";

#[test]
fn a_new_project_has_tests_that_pass() {
    let sandbox = Sandbox::new("new");
    sandbox
        .tally(&["new", "word-counter"])
        .exits(0)
        .prints(MADE)
        .is_silent();
    let ran = sandbox.tally(&["test", "word-counter/src", "word-counter/tests"]);
    ran.exits(0)
        .mentions("\n4 tests: 4 passed, 0 failed, 0 failed by counts, 0 in error, 0 skipped\n");
    let settings = sandbox.read("word-counter/tally.toml");
    assert!(
        settings.contains("\"WordCounterTest>>test*\""),
        "{settings}"
    );
    for file in [
        "README.md",
        "src/WordCounter.st",
        "tests/WordCounterTest.st",
        "tally.toml",
    ] {
        let text = sandbox.read(&format!("word-counter/{file}"));
        assert!(!text.to_lowercase().contains("skeleton"), "{file}:\n{text}");
    }
}

#[test]
fn a_slower_search_fails_by_counts() {
    let sandbox = Sandbox::new("slower");
    sandbox.tally(&["new", "tree"]).exits(0);
    let slower = sandbox.read("tree/src/Tree.st").replace(
        "| low high middle |",
        "| low high middle | sorted do: [:each | each = aNumber ifTrue: [^true]].",
    );
    sandbox.write("tree/src/Tree.st", slower);
    let ran = sandbox.tally(&["test", "tree/src", "tree/tests"]);
    ran.exits(3)
        .mentions("4 tests: 3 passed, 0 failed, 1 failed by counts");
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::new("overwrite");
    sandbox.write("full/notes.txt", "mine");
    sandbox.write("taken", "mine");
    sandbox.write("hollow/.keep", "");
    std::fs::remove_file(sandbox.path("hollow/.keep")).unwrap();
    let full = "error: full is not empty; nothing is overwritten, choose another name\n";
    let ran = sandbox.tally(&["new", "full"]);
    assert_eq!(ran.exits(2).error(), full);
    assert_eq!(std::fs::read_dir(sandbox.path("full")).unwrap().count(), 1);
    let ran = sandbox.tally(&["new", "taken"]);
    ran.exits(2)
        .says("taken exists and is not a folder; nothing is overwritten");
    assert_eq!(sandbox.read("taken"), "mine");
    sandbox.tally(&["new", "hollow"]).exits(0);
    sandbox.tally(&["new", "hollow"]).exits(2);
    // What stands in the way is found, and nothing is left behind.
    sandbox.tally(&["new", "taken/inside"]).exits(74);
    assert_eq!(sandbox.read("taken"), "mine");
}

#[test]
fn names_that_cannot_be_are_refused() {
    let sandbox = Sandbox::new("names");
    for (name, why) in [
        ("", "'' is no name for a folder; choose another name"),
        ("..", "'..' is no name for a folder; choose another name"),
        (
            "2d",
            "'2d' does not begin with a letter from a to z; choose another name",
        ),
        (
            "a b",
            "'a b' holds ' '; a name has letters from a to z, digits, - and _; choose another name",
        ),
        (
            "nul",
            "'nul' is no name for a folder on some systems; choose another name",
        ),
        (
            "set",
            "its class would be Set, which the library has; choose another name",
        ),
    ] {
        let ran = sandbox.tally(&["new", name]);
        assert_eq!(ran.exits(2).error(), format!("error: {why}\n"));
        assert!(name.is_empty() || name == ".." || !sandbox.path(name).exists());
    }
}
