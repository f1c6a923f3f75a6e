//! Commands inside a project know its classes and its tests without being told: the project of a cache that forgets the entry that
//! was used least recently, made by `tally new`.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;
use support::lru::{CACHE, TESTS};

/// Has a test whose name is that of another test.
const MORE: &str = "TestCase subclass: MoreTest [ testHit [ self assert: true ] ]\n";

/// A project that `tally new` has made, with the cache in the place of its class.
fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.tally(&["new", "lru-cache"]).exits(0);
    sandbox.write("lru-cache/src/LruCache.st", CACHE);
    sandbox.write("lru-cache/tests/LruCacheTest.st", TESTS);
    sandbox.write(
        "lru-cache/scratch.st",
        "(LruCache capacity: 2) size displayNl.\n",
    );
    sandbox
}

#[test]
fn a_new_projects_budgets_fit_the_class_that_takes_the_place_of_its_own() {
    let sandbox = project("inside-new");
    let settings = sandbox.read("lru-cache/tally.toml");
    assert!(settings.contains("\"LruCacheTest>>test*\""), "{settings}");
    assert!(settings.contains("\"LruCache>>*\""), "{settings}");
    let ran = sandbox.tally_in("lru-cache", &["gate"]);
    ran.exits(0).is_silent().mentions("3 tests: 3 passed");
    assert!(!ran.output().contains("Budgets"), "{ran}");
    let tight = settings.replace("own = 10_000", "own = 5");
    sandbox.write("lru-cache/tally.toml", tight);
    let ran = sandbox.tally_in("lru-cache", &["gate"]);
    ran.exits(3).mentions("Budgets (tally.toml):");
}

#[test]
fn run_finds_the_classes_of_the_project_and_loads_nothing_twice() {
    let sandbox = project("inside-run");
    let inside = |arguments: &[&str]| sandbox.tally_in("lru-cache", arguments);
    inside(&["run", "-e", "(LruCache capacity: 2) size"])
        .exits(0)
        .is_silent()
        .prints("0\n");
    inside(&["run", "scratch.st"])
        .exits(0)
        .is_silent()
        .prints("0\n");
    // Also below the project's folder, and whatever the file is called.
    sandbox
        .tally_in("lru-cache/src", &["run", "../scratch.st"])
        .exits(0)
        .prints("0\n");
    sandbox.write("lru-cache/src/Loud.st", "'loud' displayNl.\n");
    for file in ["src/Loud.st", "src/../src/Loud.st", "src"] {
        inside(&["run", file]).exits(0).is_silent().prints("loud\n");
    }
    inside(&["run", "--no-project", "scratch.st"])
        .exits(8)
        .says("nothing here is called `LruCache`");
    // Outside of the project nothing is different.
    sandbox
        .tally(&["run", "-e", "LruCache"])
        .exits(8)
        .says("nothing here is called `LruCache`");
}

#[test]
fn profile_and_annotate_load_what_run_loads() {
    let sandbox = project("inside-profile");
    let inside = |arguments: &[&str]| sandbox.tally_in("lru-cache", arguments);
    inside(&["profile", "scratch.st"])
        .exits(0)
        .mentions("LruCache>>size");
    inside(&["annotate", "scratch.st"])
        .exits(0)
        .mentions("(LruCache capacity: 2) size displayNl.");
    inside(&["profile", "--sample", "scratch.st"]).exits(0);
    for command in ["profile", "annotate"] {
        inside(&[command, "--no-project", "scratch.st"])
            .exits(8)
            .says("nothing here is called `LruCache`");
    }
    // The counts of both commands are those of the same program.
    let counts = inside(&["run", "--counts", "scratch.st"]);
    let sends = |text: &str| {
        let digits = |line: &str| {
            line.chars()
                .filter(char::is_ascii_digit)
                .collect::<String>()
        };
        let line = text.lines().find(|line| line.contains("sends")).map(digits);
        line.expect("a line about sends")
    };
    inside(&["profile", "scratch.st", "-o", "p.json"]).exits(0);
    let json = sandbox.read("lru-cache/p.json");
    let cost = json.split_once("\"cost\"").expect("costs").1;
    assert_eq!(sends(cost), sends(counts.error()), "{counts}");
}

#[test]
fn repl_and_doc_find_the_classes_of_the_project() {
    let sandbox = project("inside-doc");
    sandbox
        .tally_in("lru-cache", &["doc", "LruCache class>>capacity:"])
        .exits(0)
        .mentions("Answer an empty cache.");
    sandbox
        .tally_in("lru-cache", &["doc", "--no-project", "LruCache"])
        .exits(4)
        .says("there is no class LruCache");
    sandbox.write("lru-cache/inputs", "(LruCache capacity: 2) size\n");
    let input = std::fs::File::open(sandbox.path("lru-cache/inputs"));
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_tally"))
        .args(["repl", "--no-history"])
        .current_dir(sandbox.path("lru-cache"))
        .stdin(input.expect("inputs"))
        .output()
        .expect("a session");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "0\n", "{ran:?}");
}

#[test]
fn check_looks_at_the_project_or_at_files_that_use_it() {
    let sandbox = project("inside-check");
    let inside = |arguments: &[&str]| sandbox.tally_in("lru-cache", arguments);
    inside(&["check"])
        .exits(0)
        .is_silent()
        .prints("2 files: 0 errors, 0 warnings\n");
    inside(&["check", "scratch.st"])
        .exits(0)
        .is_silent()
        .prints("1 file: 0 errors, 0 warnings\n");
    inside(&["check", "src/LruCache.st"])
        .exits(0)
        .prints("1 file: 0 errors, 0 warnings\n");
    inside(&["check", "--no-project", "scratch.st"])
        .exits(8)
        .says("nothing here is called `LruCache`");
    sandbox.write("lru-cache/src/Wrong.st", "LruCashe foo.\n");
    inside(&["check", "scratch.st"]).exits(0).is_silent();
    inside(&["check"])
        .exits(8)
        .says("did you mean `LruCache`?")
        .mentions("3 files: 1 error");
    sandbox
        .tally(&["check"])
        .exits(2)
        .says("nothing to check: name files");
}

#[test]
fn tests_are_chosen_alike_everywhere() {
    let sandbox = project("inside-chosen");
    let inside = |arguments: &[&str]| sandbox.tally_in("lru-cache", arguments);
    inside(&["test", "-k", "Test>>testH"])
        .exits(0)
        .mentions("1 test: 1 passed");
    for command in ["profile", "annotate"] {
        for choice in [["-k", "*testH*"], ["--test", "testHit"]] {
            let ran = inside(&[command, choice[0], choice[1]]);
            assert!(!ran.exits(0).output().is_empty(), "{ran}");
        }
        let ran = inside(&[command, "-k", "testHitt"]);
        ran.exits(4)
            .says("no test matches the filters; did you mean 'testHit'?");
        let ran = inside(&[command, "--test", "testHitt"]);
        ran.exits(4).says("did you mean 'LruCacheTest>>testHit'?");
    }
    inside(&["profile", "-e", "LruCache capacity: 3"])
        .exits(0)
        .mentions("LruCache class>>capacity:");
    inside(&["profile", "-k", "testHit"])
        .exits(0)
        .mentions("LruCache>>at:");
    inside(&["verify", "--tests", "-k", "*testM*"])
        .exits(0)
        .mentions("LruCacheTest>>testMiss");
    inside(&["test", "LruCasheTest"])
        .exits(4)
        .says("did you mean 'LruCacheTest'?");
    inside(&["gate", "-k", "nothing-like-it"])
        .exits(4)
        .says("no test matches the filters\n");
}

#[test]
fn a_test_is_followed_through_history_without_its_class() {
    let sandbox = project("inside-history");
    for (name, text) in [
        ("", CACHE.to_string()),
        (
            "slower",
            CACHE.replace("^nil]. self", "^nil]. self size. self"),
        ),
    ] {
        sandbox.write("lru-cache/src/LruCache.st", text);
        if name.is_empty() {
            sandbox.git(&["-C", "lru-cache", "init", "-q", "-b", "main"]);
        }
        sandbox.git(&["-C", "lru-cache", "add", "."]);
        sandbox.git(&[
            "-C",
            "lru-cache",
            "commit",
            "-q",
            "-m",
            &format!("C {name}"),
        ]);
    }
    let inside = |arguments: &[&str]| sandbox.tally_in("lru-cache", arguments);
    inside(&["history", "--test", "testHit"])
        .exits(0)
        .mentions("C slower");
    inside(&["bisect", "HEAD~1", "HEAD", "--test", "testHit"])
        .exits(0)
        .mentions("C slower");
    inside(&["history", "--test", "testHut"])
        .mentions("(there is no test testHut; did you mean testHit?)");
    sandbox.write("lru-cache/tests/MoreTest.st", MORE);
    inside(&["profile", "--test", "testHit"])
        .exits(4)
        .says("'testHit' is the name of several tests: LruCacheTest>>testHit, MoreTest>>testHit");
}
