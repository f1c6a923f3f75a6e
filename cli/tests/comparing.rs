//! `tally compare`, `history` and `bisect` in git repositories: their results, the reasons to run a test again, and their
//! messages on failure. The user's tree is the same afterwards, byte by byte.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::Sandbox;

/// Its name has what names must not have.
const FOLDER: &str = "größe & mehr";

const SUMS: &str = "Object subclass: Sums [\n\
    upTo: n [ ^(1 to: n) inject: 0 into: [:sum :each | self add: each to: sum] ]\n\
    add: a to: b [ ^a + b ]\n\
    told: n [ ^self perform: #upTo: with: n ] ]\n";
const TESTS: &str = "TestCase subclass: SumsTest [\n\
    testTen [ self assert: (Sums new upTo: 10) equals: 55 ]\n\
    testTold [ self assert: (Sums new told: 100) equals: 5050 ]\n\
    testOther [ self assert: 3 + 4 equals: 7 ]\n]\n";
const SETTINGS: &str = "[project]\npaths = [\"src\", \"tests\"]\n";

/// A repository with a project.
struct Repository {
    sandbox: Sandbox,
    root: PathBuf,
}

impl Repository {
    /// With one commit.
    fn new(name: &str) -> Repository {
        let sandbox = Sandbox::new(name);
        let root = sandbox.path(FOLDER);
        fs::create_dir_all(&root).unwrap();
        let repository = Repository { sandbox, root };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.write("src/Sums.st", SUMS);
        repository.write("tests/SumsTest.st", TESTS);
        repository.write("tally.toml", SETTINGS);
        repository.commit("one");
        repository
    }

    /// With a second one, in which one method sends one message more each time.
    fn with_change(name: &str) -> Repository {
        let repository = Repository::new(name);
        repository.change("src/Sums.st", "^a + b", "^a + b + 0");
        repository.commit("two");
        repository
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn change(&self, name: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.root.join(name)).unwrap();
        assert!(text.contains(old), "{text}");
        self.write(name, &text.replacen(old, new, 1));
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(&self.root)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tally"));
        command
            .args(arguments)
            .current_dir(folder)
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null());
        command
    }

    /// Where the command makes its folders.
    fn temporary(&self) -> PathBuf {
        let folder = self.sandbox.path("temporary");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[track_caller]
    fn tally(&self, code: i32, arguments: &[&str]) -> Ran {
        self.tally_in(&self.root, code, arguments)
    }

    #[track_caller]
    fn tally_in(&self, folder: &Path, code: i32, arguments: &[&str]) -> Ran {
        let ran = Ran::of(self.command(folder, arguments).output().unwrap());
        assert_eq!(
            ran.code,
            Some(code),
            "{arguments:?}: {}{}",
            ran.out,
            ran.error
        );
        ran
    }

    #[track_caller]
    fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.tally(code, &[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&ran.out).unwrap()
    }

    /// The user's state: every file outside of `.tally`, and the status that git shows.
    fn state(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    if !path.ends_with(".tally") {
                        waiting.push(path);
                    }
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        for question in [&["status", "--porcelain"][..], &["stash", "list"]] {
            let name = PathBuf::from(question.join(" "));
            files.insert(name, self.git(question).into_bytes());
        }
        files
    }
}

struct Ran {
    code: Option<i32>,
    out: String,
    error: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            error: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn mentions(&self, text: &str) -> &Ran {
        assert!(self.out.contains(text), "expected {text:?} in {}", self.out);
        self
    }

    #[track_caller]
    fn says(&self, text: &str) -> &Ran {
        let said = self.error.contains(text);
        assert!(said, "expected {text:?} in {}", self.error);
        self
    }
}

/// The names in a list of objects.
fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["name"].as_str().unwrap()).collect()
}

/// How many commits a history ran.
fn runs(repository: &Repository, arguments: &[&str]) -> u64 {
    let history = repository.json(0, &[&["history"], arguments].concat());
    history["runs"].as_u64().unwrap()
}

#[test]
fn a_change_is_found_and_explained_and_nothing_is_touched() {
    let repository = Repository::with_change("change");
    repository.change("src/Sums.st", "^a + b", "\"not committed\" ^a + b");
    repository.write("new.txt", "unknown to git");
    repository.git(&["add", "src/Sums.st"]);
    let before = repository.state();
    let found = repository.json(0, &["compare", "HEAD~1", "HEAD"]);
    assert_eq!(
        found["before"]["sends"].as_u64().unwrap() + 110,
        found["after"]["sends"]
    );
    let mut differing = names(&found["runs"]);
    differing.retain(|name| *name != "SumsTest>>testOther");
    assert_eq!(differing, ["SumsTest>>testTold", "SumsTest>>testTen"]);
    let whole = &found["explanation"]["whole"];
    assert_eq!(whole["difference"], 110);
    assert_eq!(names(&whole["parts"][0]["causes"]), ["Sums>>add:to:"]);
    assert_eq!(whole["parts"].as_array().unwrap().len(), 1);
    repository
        .tally(0, &["compare", "HEAD~1", "HEAD", "--explain"])
        .mentions("Sums>>add:to:");
    repository.tally(0, &["compare", "merge-base:main"]);
    repository.tally(0, &["history"]);
    repository
        .tally(0, &["bisect", "HEAD~1", "HEAD"])
        .mentions("two");
    assert_eq!(repository.state(), before);
    let left: Vec<_> = fs::read_dir(repository.temporary()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn rules_decide_about_the_exit_code() {
    let repository = Repository::with_change("rules");
    let compare = ["compare", "HEAD~1", "HEAD", "--fail-on"];
    let fails = |rule: &str, code| {
        repository.tally(code, &[&compare[..], &[rule]].concat());
    };
    fails("sends>+0", 3);
    fails("sends>+110", 0);
    fails("own(Sums>>add:to:)>+99%", 3);
    fails("test(*>>testOther)!=0", 0);
    fails("nonsense", 2);
    let ran = repository.tally(0, &[&compare[..], &["total(Absent*)>+0"]].concat());
    ran.says("the rule total(Absent*)>+0 is about nothing that ran");
    repository.write(
        "tally.toml",
        &format!("{SETTINGS}[compare]\nfail-on = [\"sends>+0\"]\n"),
    );
    repository
        .tally(3, &["compare", "HEAD~1"])
        .says("sends>+0: sends");
    repository.write(
        "tally.toml",
        &format!("{SETTINGS}[compare]\nfail-on = [\"send>+0\"]\n"),
    );
    repository
        .tally(2, &["compare", "HEAD~1"])
        .says("this is no rule");
}

#[test]
fn what_is_known_is_not_run_again_and_what_changed_is() {
    let repository = Repository::with_change("again");
    assert_eq!(runs(&repository, &[]), 2);
    assert_eq!(runs(&repository, &[]), 0);
    // A text that no program loads changes nothing.
    repository.write("README", "words");
    repository.commit("three");
    assert_eq!(runs(&repository, &[]), 0);
    // A method that is reached by perform: alone.
    repository.change(
        "src/Sums.st",
        "^(1 to: n) inject:",
        "n yourself. ^(1 to: n) inject:",
    );
    repository.commit("four");
    assert_eq!(runs(&repository, &[]), 1);
    // Another selection of tests is another question.
    assert_eq!(runs(&repository, &["-k", "testTen"]), 3);
    assert_eq!(runs(&repository, &["--seed", "2"]), 3);
    assert_eq!(runs(&repository, &[]), 0);
}

#[test]
fn what_was_read_from_outside_decides_too() {
    let repository = Repository::new("inputs");
    let script = "Transcript showCr: (File contentsOf: 'data.txt') size printString.\n\
        (OSEnvironment current at: 'TALLY_TEST_WORDS' ifAbsent: ['']) do: [:each | each asUppercase].\n";
    repository.write("count.st", script);
    repository.write("data.txt", "one");
    repository.commit("two");
    let run = [
        "--run",
        "count.st",
        "--allow-read",
        "--allow-env",
        "-n",
        "1",
    ];
    assert_eq!(runs(&repository, &run), 1);
    assert_eq!(runs(&repository, &run), 0);
    repository.write("data.txt", "one and two");
    repository.commit("three");
    assert_eq!(runs(&repository, &run), 1);
    // The variable is no part of the revision.
    let history = [&["history", "--format", "json"], &run[..]].concat();
    let mut command = repository.command(&repository.root, &history);
    let ran = Ran::of(command.env("TALLY_TEST_WORDS", "word").output().unwrap());
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["runs"], 1, "{}", ran.error);
    assert_eq!(runs(&repository, &run), 0);
}

#[test]
fn broken_commits_are_told_and_gone_around() {
    let repository = Repository::with_change("broken");
    repository.change("src/Sums.st", "told: n [", "told: n [ ^^ ");
    repository.commit("three is broken");
    repository.change("src/Sums.st", "told: n [ ^^ ", "told: n [ ");
    repository.change("tests/SumsTest.st", "equals: 55", "equals: 56");
    repository.commit("four fails");
    repository.change("tests/SumsTest.st", "equals: 56", "equals: 55");
    repository.change("src/Sums.st", "+ 0", "+ 0 + 0");
    repository.commit("five");
    let ran = repository.tally(8, &["compare", "HEAD", "HEAD~2"]);
    ran.says("in ").says("src/Sums.st:4");
    let ran = repository.tally(1, &["compare", "HEAD", "HEAD~1"]);
    ran.says("SumsTest>>testTen did not end well");
    let found = repository.json(
        0,
        &["bisect", "HEAD~3", "HEAD", "--test", "SumsTest>>testTen"],
    );
    assert_eq!(found["found"]["subject"], "five");
    assert_eq!(found["before"]["subject"], "two");
    let unknown = found["unknown"].as_array().unwrap().iter();
    let unknown: Vec<&str> = unknown
        .map(|one| one["subject"].as_str().unwrap())
        .collect();
    assert_eq!(unknown, ["three is broken", "four fails"]);
    let found = repository.json(
        0,
        &[
            "bisect",
            "HEAD~4",
            "HEAD",
            "--above",
            "60",
            "--test",
            "SumsTest>>testTen",
        ],
    );
    assert_eq!(found["found"]["subject"], "two");
    repository
        .tally(
            4,
            &["bisect", "HEAD~4", "HEAD", "--test", "SumsTest>>testOther"],
        )
        .mentions("the same");
    repository
        .tally(
            4,
            &["bisect", "HEAD~4", "HEAD", "--test", "SumsTest>>testNobody"],
        )
        .says("SumsTest>>testNobody");
    let history = repository.json(0, &["history"]);
    let commits = history["commits"].as_array().unwrap();
    assert!(commits[2]["count"].is_null() && commits[4]["count"].is_u64());
    assert_eq!(commits[3]["failed"], 1);
}

#[test]
fn tests_of_one_side_run_on_both() {
    let repository = Repository::with_change("tests-from");
    repository.change(
        "tests/SumsTest.st",
        "upTo: 10) equals: 55",
        "upTo: 20) equals: 210",
    );
    repository.commit("three");
    let sends = |from: &str| {
        let found = repository.json(
            0,
            &[
                "compare",
                "HEAD~2",
                "HEAD",
                "--tests-from",
                from,
                "-k",
                "testTen",
            ],
        );
        let of = |side: &str| found[side]["sends"].as_u64().unwrap();
        (of("before"), of("after"))
    };
    let (old, new, each) = (sends("old"), sends("new"), sends("each"));
    assert_eq!((old.0, new.1), each);
    assert_eq!(old.1 - old.0, 10);
    assert_eq!(new.1 - new.0, 20);
    repository.write(
        "src/Both.st",
        "Object subclass: Other []\nTestCase subclass: OtherTest [ testX [] ]\n",
    );
    repository
        .tally(2, &["compare", "HEAD", "--tests-from", "new"])
        .says("src/Both.st defines tests and Other");
}

#[test]
fn sums_and_gates_do_not_mislead() {
    let repository = Repository::with_change("mislead");
    // Nothing in common.
    repository.change("tests/SumsTest.st", "SumsTest", "OtherTest");
    repository
        .tally(5, &["compare", "HEAD", "--fail-on", "sends>+0"])
        .says("nothing ran on both sides");
    repository.git(&["checkout", "-q", "."]);
    repository.tally(0, &["compare", "HEAD", "-o", "x.HTML"]);
    let page = fs::read_to_string(repository.root.join("x.HTML")).unwrap();
    assert!(page.starts_with("<!"), "{page}");
    // A class that does not exist.
    repository
        .tally(4, &["history", "--method", "Absent>>is"])
        .says("nothing that ran is called Absent>>is");
    repository
        .tally(4, &["bisect", "HEAD~1", "HEAD", "--method", "Absent>>is"])
        .says("nothing that ran is called Absent>>is");
    // A test that fails has a share in no sum, so a sum with it is none.
    repository.change("tests/SumsTest.st", "equals: 55", "equals: 56");
    repository.commit("three");
    repository
        .tally(4, &["bisect", "HEAD~1", "HEAD"])
        .says("1 of 3 tests do not pass");
    // GOOD has to be on the line.
    repository.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    repository.write("README", "side");
    repository.commit("aside");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "-m", "merged", "side"]);
    repository
        .tally(
            2,
            &["bisect", "side", "HEAD", "--test", "SumsTest>>testTold"],
        )
        .says("came to HEAD by a merge")
        .says("\nhelp: ");
    // Files whose name selects no format.
    repository
        .tally(2, &["compare", "HEAD", "-o", "x.svg"])
        .says(".md, .html, .json, .txt");
}

#[test]
fn the_work_tree_is_not_written_to_either() {
    let repository = Repository::new("writing");
    let script = "'out.txt' asFileReference writeStreamDo: [:out | out nextPutAll: 'x'].\n";
    repository.write("w.st", script);
    repository.commit("two");
    let before = repository.state();
    let write = ["--run", "w.st", "--allow-write"];
    repository.tally(0, &[&["compare", "HEAD"], &write[..]].concat());
    assert_eq!(repository.state(), before);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_a_revision_are_followed_each_time() {
    let repository = Repository::new("links");
    let outside = repository.sandbox.path("outside.st");
    fs::write(&outside, "3 printNl. 4 printNl").unwrap();
    std::os::unix::fs::symlink(&outside, repository.root.join("link.st")).unwrap();
    repository.commit("two");
    let run = ["--run", "link.st", "-n", "1"];
    assert_eq!(runs(&repository, &run), 1);
    assert_eq!(runs(&repository, &run), 0);
    fs::write(&outside, "3 printNl").unwrap();
    assert_eq!(runs(&repository, &run), 1);
}

#[test]
fn sources_with_other_line_ends_are_the_same_methods() {
    let repository = Repository::new("crlf");
    repository.git(&["config", "core.autocrlf", "false"]);
    repository.write("src/Sums.st", &SUMS.replace('\n', "\r\n"));
    repository.commit("two");
    let found = repository.json(0, &["compare", "HEAD~1", "HEAD", "--fail-on", "any"]);
    assert_eq!(found["explanation"]["whole"]["difference"], 0);
}

#[test]
fn places_where_it_cannot_work_are_told() {
    let outside = Sandbox::new("outside");
    let elsewhere = std::env::temp_dir().join(format!("tally comparing {}", std::process::id()));
    fs::create_dir_all(&elsewhere).unwrap();
    let repository = Repository::with_change("places");
    for command in [
        &["compare", "HEAD"][..],
        &["history"],
        &["bisect", "A", "B"],
    ] {
        repository
            .tally_in(&elsewhere, 2, command)
            .says("is in no git repository");
    }
    fs::remove_dir_all(&elsewhere).unwrap();
    repository
        .tally(2, &["compare", "absent"])
        .says("there is no revision 'absent'");
    repository.tally(2, &["compare", "--", "x"]).says("<A>");
    repository
        .tally(5, &["compare", "lost.json", "HEAD"])
        .says("no such file");
    repository
        .tally(2, &["bisect", "HEAD", "HEAD~1"])
        .says("is no ancestor of");
    repository
        .tally(4, &["compare", "HEAD", "-k", "nothing like this"])
        .says("no test matches");
    repository
        .tally(2, &["compare", "HEAD", "--run", "-"])
        .says("(-) cannot be a file");
    repository
        .tally(5, &["compare", "HEAD", "--run", "lost.st"])
        .says("there is no lost.st");
    // A clone without its past.
    let url = format!("file://{}", repository.root.display());
    let clone = outside.path("clone");
    repository.git(&["clone", "-q", "--depth", "1", &url, clone.to_str().unwrap()]);
    repository
        .tally_in(&clone, 5, &["compare", "HEAD~1"])
        .says("shallow");
    // A machine without git.
    let mut command = repository.command(&repository.root, &["compare", "HEAD"]);
    let ran = Ran::of(command.env("PATH", "/nowhere").output().unwrap());
    assert_eq!(ran.code, Some(74));
    ran.says("git is not installed");
    // A folder that was not there yet.
    repository.write("later/README", "");
    repository.git(&["add", "-A"]);
    repository
        .tally_in(&repository.root.join("later"), 5, &["compare", "HEAD"])
        .says("the folder later is not in");
}

#[test]
fn submodules_are_left_out_and_that_is_told() {
    let inner = Repository::new("inner");
    let repository = Repository::with_change("submodules");
    let url = format!("file://{}", inner.root.display());
    repository.git(&["submodule", "--quiet", "add", &url, "inner"]);
    repository.commit("three");
    repository
        .tally(0, &["compare", "HEAD", "--fail-on", "any"])
        .says("inner is a submodule, which is left out");
}

#[cfg(unix)]
#[test]
fn runs_that_are_killed_leave_nothing_behind_that_hinders_the_next() {
    let repository = Repository::with_change("killed");
    repository.write("slow.st", "1 to: 30000000 do: [:i | i printString ]\n");
    repository.write("quick.st", "3 printNl\n");
    repository.commit("three");
    let before = repository.state();
    for signal in ["-INT", "-KILL"] {
        let mut child = repository
            .command(&repository.root, &["compare", "HEAD", "--run", "slow.st"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while measuring(&repository) < 1 && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let status = child.wait().unwrap();
        if signal == "-INT" {
            assert_eq!(status.code(), Some(130));
            assert_eq!(fs::read_dir(repository.temporary()).unwrap().count(), 0);
        }
        repository.tally(
            0,
            &["compare", "HEAD", "--run", "quick.st", "--fail-on", "any"],
        );
    }
    assert_eq!(repository.state(), before);
}

/// How many folders there are in which something is measured.
#[cfg(unix)]
fn measuring(repository: &Repository) -> usize {
    let entries = fs::read_dir(repository.temporary()).unwrap();
    let is_one = |entry: &fs::DirEntry| entry.path().join("answer").exists();
    entries
        .filter(|entry| entry.as_ref().is_ok_and(is_one))
        .count()
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_kept_it_works_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::with_change("read-only");
    let mode = |mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(&repository.root, permissions).unwrap();
    };
    mode(0o555);
    let is_root = fs::write(repository.root.join("probe"), "").is_ok();
    let ran = Ran::of(
        repository
            .command(&repository.root, &["compare", "HEAD~1", "HEAD"])
            .output()
            .unwrap(),
    );
    mode(0o755);
    assert_eq!(ran.code, Some(0), "{}", ran.error);
    ran.mentions("+110");
    // Nothing is forbidden to root.
    if !is_root {
        ran.says("measurements are not stored");
    }
}
