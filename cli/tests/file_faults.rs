//! File operations that fail: of each command's operations on files one a run fails, or the disk is full from it on, or it ends
//! its process. Files and the store are as before or as after, and a later run gives what it always gives. A library that is
//! loaded in front of the C library does that (`support/file_faults.c`); what git does is left alone.
//!
//! With `TALLY_EVERY_FAULT` set no operation is left out; without it the number of the chosen operation grows ever faster.
#![cfg(target_os = "linux")]
#![expect(
    clippy::print_stdout,
    reason = "how far a test came is shown when it fails"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use support::Sandbox;

/// A run that takes longer is taken to hang.
const DEADLINE: Duration = Duration::from_secs(100);

/// So much older is everything that a later run finds.
const LATER: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// What happens to the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It fails.
    Error,
    /// The disk is full: half of its bytes have room, and the disk stays full.
    Full,
    /// Its process is killed before the operation, after half of its bytes, or after it.
    Before,
    Within,
    After,
}

const FAULTS: [(Fault, &str); 5] = [
    (Fault::Error, "error"),
    (Fault::Full, "full"),
    (Fault::Before, "before"),
    (Fault::Within, "within"),
    (Fault::After, "after"),
];

/// A command, and the conditions that hold for it under every failure.
struct Case {
    name: &'static str,
    /// Commands that make what is there before, while the programs are other ones.
    earlier: &'static [&'static [&'static str]],
    arguments: &'static [&'static str],
    /// The exit code with which it ends if nothing fails.
    code: i32,
    /// The exit codes that a fault may lead to besides.
    codes: &'static [i32],
    /// What it writes, in the project's folder.
    files: &'static [&'static str],
    /// Whether a file, which is the second, is sound if it is neither as before, the first, nor as after, the third.
    is_sound: fn(&str, &str, &str) -> bool,
    /// What of its output is the same each time.
    result: fn(&str) -> String,
    /// Whether it writes the same each time.
    is_repeatable: bool,
    /// By how much, in percent, the number of the chosen operation grows from run to run. More where a run takes long.
    growth: u64,
}

const CASE: Case = Case {
    name: "",
    earlier: &[],
    arguments: &[],
    code: 0,
    codes: &[74],
    files: &[],
    is_sound: |_, _, _| false,
    result: str::to_string,
    is_repeatable: true,
    growth: 120,
};

const CLASS: &str =
    "Object subclass: A [ go: n [ ^n = 0 ifTrue: [ 0 ] ifFalse: [ (self go: n - 1) + 1 ] ] ]\n";

fn program(number: u32) -> String {
    format!("{CLASS}(A new go: {number}) printNl.\n")
}

/// Writes over a file, and gives another one a new name if nothing has that.
fn script(text: &str) -> String {
    format!(
        "| here | here := FileSystem disk workingDirectory.\n\
         (here / 'out.a') contents: '{text}'.\n\
         [ (here / 'out.c') contents: '{text}'; renameTo: 'out.b' ] on: Error do: [ :e |\n\
         e messageText printNl. (here / 'out.b') exists ifFalse: [ e pass ]. (here / 'out.c') delete ].\n"
    )
}

fn tests(loops: u32) -> String {
    format!(
        "TestCase subclass: T [\n\
         testA [ 1 to: {loops} do: [ :i | i printString ]. self assert: true ]\n\
         testB [ self assert: true ]\n\
         ]\n"
    )
}

/// A project of three versions, of which the last one is not committed.
fn project(sandbox: &Sandbox) {
    sandbox.write("box/project/tally.toml", "[project]\npaths = [\"t.st\"]\n");
    sandbox.write("box/project/.gitignore", "/out.*\n.tally-*.tmp\n");
    sandbox.write("box/project/p.st", program(20));
    sandbox.write("box/project/w.st", script("first"));
    sandbox.write("box/project/t.st", tests(3));
    for folder in ["temporary", "state"] {
        fs::create_dir_all(sandbox.path("box").join(folder)).expect("a folder");
    }
    let git = |arguments: &[&str]| {
        sandbox.git(&[&["-C", "box/project"], arguments].concat());
    };
    git(&["init", "-q", "--template="]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    sandbox.write("box/project/t.st", tests(5));
    git(&["commit", "-qam", "two"]);
}

/// The command in the project, in front of which the library may be loaded.
fn tally(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tally"));
    command
        .args(arguments)
        .current_dir(sandbox.path("box/project"))
        .env("XDG_STATE_HOME", sandbox.path("box/state"))
        .env("TMPDIR", sandbox.path("box/temporary"))
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

/// What a run ended with and printed.
struct Ran {
    status: ExitStatus,
    output: String,
    error: String,
}

fn run(sandbox: &Sandbox, mut command: Command) -> Ran {
    let (out, err) = (sandbox.path("stdout"), sandbox.path("stderr"));
    let mut child = command
        .stdout(File::create(&out).expect("a file"))
        .stderr(File::create(&err).expect("a file"))
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("its end") {
            break status;
        }
        if start.elapsed() > DEADLINE {
            let _ = child.kill();
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
    Ran {
        status,
        output: text(&out),
        error: text(&err),
    }
}

/// The library that makes operations fail.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/file_faults.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join("file_faults.so");
        let own = folder.join(format!("file_faults.so-{}", std::process::id()));
        let built = Command::new("cc")
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .args([own.as_os_str(), source.as_ref()])
            .status();
        assert!(built.expect("a C compiler").success());
        fs::rename(own, &path).expect("a library");
        path
    })
}

/// The number of operations, and the chosen one if the number reaches it.
struct Counted {
    operations: u64,
    chosen: Option<String>,
}

/// Runs the command with a fault at an operation, and waits for all its processes.
fn faulted(sandbox: &Sandbox, arguments: &[&str], fault: &str, number: u64) -> (Ran, Counted) {
    let state = sandbox.path("counted");
    fs::write(&state, [0; 4096]).expect("a file");
    let mut command = tally(sandbox, arguments);
    // What the test itself writes lies beside the box.
    command
        .env("TALLY_FAULT", format!("{fault} {number}"))
        .env("TALLY_FAULT_BELOW", sandbox.path("box"))
        .env("TALLY_FAULT_STATE", &state)
        .env("LD_PRELOAD", library());
    let ran = run(sandbox, command);
    let lock = File::open(&state).expect("a file");
    let start = Instant::now();
    while lock.try_lock().is_err() {
        assert!(
            start.elapsed() < DEADLINE,
            "processes of {arguments:?} stay after {fault} {number}"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    let bytes = fs::read(&state).expect("a file");
    let (count, rest) = bytes.split_first_chunk::<8>().expect("a number");
    let text = String::from_utf8_lossy(&rest[4..]);
    let counted = Counted {
        operations: u64::from_ne_bytes(*count),
        chosen: (rest[0] != 0).then(|| text.trim_end_matches('\0').to_string()),
    };
    (ran, counted)
}

/// What a command writes, as far as it is there.
type Files = BTreeMap<&'static str, String>;

/// A case while it is tried.
struct Trial<'c> {
    case: &'c Case,
    sandbox: Sandbox,
    before: Files,
    after: Files,
    /// What it prints where it has not run before, and where it has.
    outputs: [String; 2],
}

impl<'c> Trial<'c> {
    fn new(case: &'c Case) -> Trial<'c> {
        let sandbox = Sandbox::new(&format!("file-faults-{}", case.name));
        project(&sandbox);
        for arguments in case.earlier {
            let ran = run(&sandbox, tally(&sandbox, arguments));
            assert!(ran.status.success(), "{arguments:?}: {}", ran.error);
        }
        sandbox.write("box/project/p.st", program(30));
        sandbox.write("box/project/w.st", script("second"));
        sandbox.write("box/project/t.st", tests(7));
        sandbox.git(&["-C", "box/project", "add", "-A"]);
        sandbox.git(&["-C", "box/project", "commit", "-qm", "three"]);
        sandbox.copy("box", "before");
        let mut trial = Trial {
            case,
            sandbox,
            before: Files::new(),
            after: Files::new(),
            outputs: Default::default(),
        };
        trial.before = trial.files();
        for number in 0..2 {
            let ran = run(&trial.sandbox, tally(&trial.sandbox, case.arguments));
            assert_eq!(
                ran.status.code(),
                Some(case.code),
                "{}: {}",
                case.name,
                ran.error
            );
            trial.outputs[number] = (case.result)(&ran.output);
            let found = trial.files();
            assert!(number == 0 || !case.is_repeatable || found == trial.after);
            trial.after = found;
        }
        trial
    }

    fn files(&self) -> Files {
        let project = self.sandbox.path("box/project");
        let read = |name: &&'static str| {
            let bytes = fs::read(project.join(name)).ok()?;
            Some((*name, String::from_utf8_lossy(&bytes).into_owned()))
        };
        self.case.files.iter().filter_map(read).collect()
    }

    /// Everything as it was before.
    fn restore(&self) {
        fs::remove_dir_all(self.sandbox.path("box")).expect("it can be removed");
        self.sandbox.copy("before", "box");
    }

    /// The remains of unfinished writes, and the folders that were to be removed.
    fn left(&self) -> Vec<PathBuf> {
        let mut left = Vec::new();
        for folder in ["project", "project/.tally", "state/tally", "temporary"] {
            let entries = fs::read_dir(self.sandbox.path("box").join(folder));
            let paths = entries.into_iter().flatten().flatten();
            left.extend(paths.map(|entry| entry.path()).filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                folder == "temporary" || name.starts_with(".tally-")
            }));
        }
        left
    }

    fn is_after(&self, files: &Files, output: &str) -> bool {
        if self.case.is_repeatable {
            return *files == self.after && self.outputs.contains(&(self.case.result)(output));
        }
        let is_complete = |(name, after): (&&str, &String)| {
            files.get(name).is_some_and(|found| {
                found.ends_with('\n') && found.lines().count() >= after.lines().count()
            })
        };
        self.after.iter().all(is_complete)
    }

    /// Runs with a fault at an operation, holds the end and what is there against the case, and runs again without. Answers
    /// whether there was such an operation, and how many there were.
    fn with(&self, fault: Fault, word: &str, number: u64) -> Result<u64, u64> {
        let case = self.case;
        self.restore();
        let (ran, counted) = faulted(&self.sandbox, case.arguments, word, number);
        let told = || {
            format!(
                "{word} {number} of {}: {:?}\n{}\n--- output\n{:.2000}--- errors\n{}",
                case.name, counted.chosen, ran.status, ran.output, ran.error
            )
        };
        let kills = matches!(fault, Fault::Before | Fault::Within | Fault::After);
        let code = ran.status.code();
        match code {
            Some(code) if code == case.code => {}
            Some(code) => assert!(case.codes.contains(&code), "{}", told()),
            None => assert!(kills && ran.status.signal() == Some(9), "{}", told()),
        }
        assert!(
            counted.chosen.is_some() || code == Some(case.code),
            "{}",
            told()
        );
        let found = self.files();
        // The report says that a version whose process was killed cannot be measured. Records of earlier runs only add to a
        // report.
        let is_told = (kills && ran.output.contains("was killed by SIGKILL"))
            || ran.output.contains("is known neither here nor by git");
        if code == Some(case.code) && !is_told {
            assert!(self.is_after(&found, &ran.output), "{}", told());
        }
        for name in case.files {
            let [before, found, after] =
                [&self.before, &found, &self.after].map(|files| files.get(name));
            let is_sound = || {
                let text = |file: Option<&String>| file.cloned().unwrap_or_default();
                found.is_some() && (case.is_sound)(&text(before), &text(found), &text(after))
            };
            assert!(
                found == before || found == after || is_sound(),
                "{name} is neither as before nor as after: {found:?}\n{}",
                told()
            );
        }
        let left = self.left();
        assert!(kills || left.is_empty(), "{left:?} stays: {}", told());
        self.is_ignored(&told);
        self.is_store_sound(&told);
        for path in left {
            let times = FileTimes::new().set_modified(SystemTime::now() - LATER);
            let file = File::open(path).expect("what is left");
            file.set_times(times).expect("it is ours");
        }
        let again = run(&self.sandbox, tally(&self.sandbox, case.arguments));
        let also = || {
            format!(
                "{}\n--- again\n{:.2000}{}",
                told(),
                again.output,
                again.error
            )
        };
        assert_eq!(again.status.code(), Some(case.code), "{}", also());
        assert!(self.is_after(&self.files(), &again.output), "{}", also());
        assert_eq!(self.left(), Vec::<PathBuf>::new(), "{}", also());
        match counted.chosen {
            Some(_) => Ok(counted.operations),
            None => Err(counted.operations),
        }
    }

    /// Nothing shows in git besides what the command was to write.
    fn is_ignored(&self, told: &dyn Fn() -> String) {
        let status = Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(self.sandbox.path("box/project"))
            .output()
            .expect("git");
        let text = String::from_utf8_lossy(&status.stdout);
        let is_expected = |line: &str| self.case.files.iter().any(|name| line.ends_with(name));
        assert!(text.lines().all(is_expected), "{text}\n{}", told());
    }

    /// The store, if there is one, can be read, and was not taken for a damaged one.
    fn is_store_sound(&self, told: &dyn Fn() -> String) {
        let folder = self.sandbox.path("box/project/.tally");
        if !folder.join("store.sqlite").exists() {
            return;
        }
        let ran = run(&self.sandbox, tally(&self.sandbox, &["store", "verify"]));
        assert!(
            ran.status.success(),
            "{}{}\n{}",
            ran.output,
            ran.error,
            told()
        );
        let aside = folder.join("store.sqlite.damaged-1");
        assert!(!aside.exists(), "a sound store was set aside: {}", told());
    }
}

fn try_case(case: &Case) {
    let trial = Trial::new(case);
    let is_thorough = std::env::var_os("TALLY_EVERY_FAULT").is_some();
    for (fault, word) in FAULTS {
        let (mut number, mut tried) = (1, 0);
        let operations = loop {
            match trial.with(fault, word, number) {
                Ok(_) => tried += 1,
                Err(operations) => break operations,
            }
            number = match is_thorough {
                true => number + 1,
                false => number * case.growth / 100 + 1,
            };
        };
        println!("{} {word}: {tried} of {operations}", case.name);
    }
}

/// The lines in front of the first one that has a text.
fn before(output: &str, text: &str) -> String {
    let lines = output.lines().take_while(|line| !line.contains(text));
    lines.collect::<Vec<&str>>().join("\n")
}

#[test]
fn a_conversion() {
    try_case(&Case {
        name: "convert",
        earlier: &[
            &["profile", "p.st", "-o", "out.tally"],
            &["profile", "t.st", "-o", "out.json"],
        ],
        arguments: &["convert", "out.tally", "out.json"],
        files: &["out.json"],
        ..CASE
    });
}

#[test]
fn profiles() {
    try_case(&Case {
        name: "profile",
        earlier: &[&["profile", "p.st", "-o", "out.tally", "-o", "out.json"]],
        arguments: &[
            "profile",
            "p.st",
            "-o",
            "out.tally",
            "-o",
            "out.json",
            "-o",
            "out.html",
            "-o",
            "out.folded",
        ],
        files: &["out.tally", "out.json", "out.html", "out.folded"],
        ..CASE
    });
}

#[test]
fn a_snapshot() {
    try_case(&Case {
        name: "test",
        earlier: &[&["test", "--jobs", "1", "--counts", "update"]],
        arguments: &["test", "--jobs", "1", "--counts", "update"],
        codes: &[1, 74],
        files: &["tally.counts"],
        // The report shows the cost of the methods that a test activated, if the cost is known.
        result: |output| before(output, "costs otherwise"),
        ..CASE
    });
}

#[test]
fn a_comparison() {
    try_case(&Case {
        name: "compare",
        growth: 160,
        arguments: &["compare", "HEAD~2", "HEAD"],
        codes: &[6, 74],
        ..CASE
    });
}

#[test]
fn a_comparison_of_what_is_known() {
    try_case(&Case {
        name: "compare-known",
        earlier: &[&["compare", "HEAD~1", "HEAD"]],
        arguments: &["compare", "HEAD~1", "HEAD~1"],
        ..CASE
    });
}

#[test]
fn a_history() {
    try_case(&Case {
        name: "history",
        growth: 160,
        arguments: &["history", "-n", "2"],
        codes: &[6, 74],
        // How many were known already is another matter.
        result: |output| before(output, "commits,"),
        ..CASE
    });
}

const STUDY: &[&str] = STUDY_ANEW.split_at(STUDY_ANEW.len() - 1).0;
const STUDY_ANEW: &[&str] = &[
    "study",
    "p.st",
    "--quick",
    "--rounds",
    "1",
    "--data",
    "out.jsonl",
    "--anew",
];

#[test]
fn a_study() {
    try_case(&Case {
        name: "study",
        growth: 250,
        earlier: &[STUDY],
        arguments: &[
            "study",
            "t.st",
            "--quick",
            "--rounds",
            "1",
            "--data",
            "out.jsonl",
        ],
        codes: &[6, 74],
        files: &["out.jsonl"],
        // Line after line is added; the last one may be cut off. What was there stays.
        is_sound: |before, found, _| found.starts_with(before),
        is_repeatable: false,
        ..CASE
    });
}

#[test]
fn a_study_that_begins_anew() {
    try_case(&Case {
        name: "study-anew",
        growth: 400,
        earlier: &[STUDY, STUDY_ANEW],
        arguments: STUDY_ANEW,
        codes: &[6, 74],
        // What was measured before has this name already and keeps it.
        files: &["out.jsonl.old"],
        is_repeatable: false,
        ..CASE
    });
}

#[test]
fn a_gate() {
    try_case(&Case {
        name: "gate",
        earlier: &[&["test", "--counts", "update"]],
        arguments: &[
            "gate",
            "--jobs",
            "1",
            "--report",
            "junit=out.xml",
            "--report",
            "github=out.text",
        ],
        code: 3,
        codes: &[1, 5, 74],
        files: &["out.xml", "out.text"],
        // Without the baseline reports say less of methods.
        is_sound: |_, found, _| {
            let is_command = |line: &str| line.starts_with("::");
            found.ends_with("</testsuites>\n")
                || (found.ends_with('\n') && found.lines().all(is_command))
        },
        result: |output| before(output, "costs otherwise"),
        ..CASE
    });
}

#[test]
fn a_verification() {
    try_case(&Case {
        name: "verify",
        arguments: &["verify", "p.st"],
        codes: &[74],
        ..CASE
    });
}

#[test]
fn a_store_that_is_carried_elsewhere() {
    for (name, arguments, files) in [
        (
            "export",
            &["store", "export", "out.store"][..],
            &["out.store"][..],
        ),
        ("import", &["store", "import", "out.kept"], &[]),
        ("prune", &["store", "prune", "--keep", "1"], &[]),
    ] {
        try_case(&Case {
            name,
            earlier: &[
                &["history", "-n", "2"],
                &["store", "export", "out.kept"],
                &["history", "-n", "1", "-k", "testA"],
            ],
            arguments,
            files,
            ..CASE
        });
    }
}

#[test]
fn what_a_script_writes() {
    try_case(&Case {
        name: "script",
        earlier: &[&["run", "--allow-read=.", "--allow-write=.", "w.st"]],
        arguments: &["run", "--allow-read=.", "--allow-write=.", "w.st"],
        codes: &[1, 74],
        files: &["out.a", "out.b"],
        // What it says of errors that it handles is its own affair.
        result: |_| String::new(),
        ..CASE
    });
}
