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
        .mentions("\n3 tests: 3 passed, 0 failed, 0 failed by counts, 0 in error, 0 skipped\n");
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
        "^elements includes: anObject",
        "elements do: [:each | each = anObject ifTrue: [^true]]. ^false",
    );
    sandbox.write("tree/src/Tree.st", slower);
    let ran = sandbox.tally(&["test", "tree/src", "tree/tests"]);
    ran.exits(3)
        .mentions("3 tests: 2 passed, 0 failed, 1 failed by counts");
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::new("overwrite");
    sandbox.write("full/notes.txt", "mine");
    sandbox.write("taken", "mine");
    sandbox.write("hollow/.keep", "");
    std::fs::remove_file(sandbox.path("hollow/.keep")).unwrap();
    let full = "error: full is not empty; nothing is overwritten, choose another name, or tally new . in that folder\n";
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

#[test]
fn tally_is_added_to_a_folder_that_has_sources() {
    let sandbox = Sandbox::new("existing");
    let inside = |name: &str| format!("lru-cache/{name}");
    sandbox.write(
        &inside("source/Cache.st"),
        "Object subclass: Cache [ get [ ^3 ] ]\n",
    );
    sandbox.write(
        &inside("my-tests/CacheTest.st"),
        "TestCase subclass: CacheTest [ testGet [ self assert: Cache new get equals: 3 ] ]\n",
    );
    sandbox.write(&inside("README.md"), "mine");
    sandbox.write(&inside(".gitignore"), "mine too");
    sandbox.write(&inside("data/x.txt"), "");
    let ran = sandbox.tally_in("lru-cache", &["new", "."]);
    ran.exits(0).is_silent().prints(
        "added:\n  .gitattributes\n  .github/workflows/tally.yml\n  tally.toml\nnext:\n  \
         tally test                   runs its tests\n  \
         tally test --counts update   writes tally.counts, what each test costs, to be committed\n",
    );
    assert_eq!(sandbox.read(&inside("README.md")), "mine");
    assert_eq!(sandbox.read(&inside(".gitignore")), "mine too");
    let settings = sandbox.read(&inside("tally.toml"));
    assert!(
        settings.contains("paths = [\"source\", \"my-tests\"]\n"),
        "{settings}"
    );
    assert!(!settings.contains("LruCache"), "{settings}");
    let ran = sandbox.tally_in("lru-cache", &["test"]);
    ran.exits(0).mentions("\n1 test: 1 passed");
    let ran = sandbox.tally_in("lru-cache", &["new", "."]);
    assert_eq!(
        ran.exits(2).error(),
        "error: tally.toml is there already; nothing was written\n"
    );
}

#[test]
fn a_folder_without_sources_gets_a_class_named_after_it() {
    let sandbox = Sandbox::new("bare");
    for (folder, class) in [
        ("lru-cache", "LruCache"),
        ("3 d.things", "DThings"),
        ("set", "SetProject"),
        ("---", "Project"),
    ] {
        sandbox.write(&format!("{folder}/notes.txt"), "mine");
        let ran = sandbox.tally_in(folder, &["new", "."]);
        ran.exits(0).mentions(&format!("  src/{class}.st\n"));
        let ran = sandbox.tally_in(folder, &["gate"]);
        ran.exits(0)
            .mentions(&format!("{class}Test>>testIncludesIsCheap"))
            .mentions("3 tests: 3 passed");
    }
}

#[test]
fn a_repository_is_made_where_there_is_none() {
    let folder = std::env::temp_dir().join(format!("tally-new-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let is_in_one = |path: &std::path::Path| path.ancestors().any(|a| a.join(".git").exists());
    let sandbox = Sandbox::new("repository");
    assert!(
        !is_in_one(&folder),
        "{} is in a repository",
        folder.display()
    );
    let project = folder.join("word-counter");
    let ran = sandbox.tally(&["new", project.to_str().unwrap()]);
    ran.exits(0)
        .is_silent()
        .mentions("made a git repository in ");
    assert!(project.join(".git").is_dir());
    // The sandbox is in one.
    let ran = sandbox.tally(&["new", "word-counter"]);
    assert!(!ran.exits(0).output().contains("repository"), "{ran}");
    std::fs::remove_dir_all(&folder).unwrap();
}
