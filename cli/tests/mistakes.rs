//! Mistakes that beginners make, and the answer of the command to each. A mistake is a program in `mistakes/`. The file
//! beside it holds the exit code and all that the program and the command wrote. `TALLY_UPDATE=1` rewrites these files.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::Sandbox;

/// The audit found 45 mistakes. Thirty or more were added.
const FEWEST: usize = 75;

#[test]
fn each_mistake_gets_the_answer_on_record() {
    let sandbox = Sandbox::new("mistakes");
    let programs = programs();
    assert!(programs.len() >= FEWEST, "only {} left", programs.len());
    let is_updating = std::env::var_os("TALLY_UPDATE").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for program in programs {
        let record = program.with_extension("txt");
        let answer = answer(&sandbox, &program);
        if is_updating {
            fs::write(&record, answer).unwrap();
        } else if fs::read_to_string(&record).unwrap_or_default() != answer {
            wrong.push(format!("--- {}\n{answer}", record.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} answers differ; TALLY_UPDATE=1 rewrites the records\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "st"));
    paths.sort();
    paths
}

/// What the command writes when it runs the program.
fn answer(sandbox: &Sandbox, program: &Path) -> String {
    let name = program.file_name().unwrap().to_string_lossy();
    sandbox.write(&name, fs::read(program).unwrap());
    let ran = sandbox.tally(&["run", &name]);
    let code = ran.code().unwrap();
    format!(
        "exit {code}\n--- standard output\n{}--- standard error\n{}",
        ran.output(),
        ran.error()
    )
}

/// `tally check` runs nothing, and reports what loading would refuse.
#[test]
fn check_reports_what_loading_would_refuse() {
    let sandbox = Sandbox::new("mistakes-check");
    let rows = [
        (
            "Object subclass: A [ ]\nA subclass: B [ ]\nB subclass: A [ ]\n",
            "error[E0212]: `A` inherits from itself\n --> a.st:3:1\n",
        ),
        (
            "A subclass: B [ ]\nB subclass: A [ ]\n",
            "error[E0212]: `A` inherits from itself\n --> a.st:2:1\n",
        ),
        (
            "Object subclass: String [ ]\n",
            "error[E0217]: the machine relies on `String` as it is\n --> a.st:1:18\n",
        ),
    ];
    for (source, expected) in rows {
        sandbox.write("a.st", source);
        let ran = sandbox.tally(&["check", "a.st"]);
        assert_eq!(ran.code(), Some(8), "{source}");
        let error = ran.error();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(error.matches("error[").count(), 1, "{error}");
        assert_eq!(sandbox.tally(&["run", "a.st"]).code(), Some(8), "{source}");
    }
    sandbox.write("a.st", "TestCase subclass: ATest [ testA [ ] ]\n");
    sandbox.write("b.st", "TestCase subclass: ATest [ testB [ ] ]\n");
    let checked = sandbox.tally(&["check", "a.st", "b.st"]);
    let error = checked.error();
    let expected = "warning[W0315]: two files define the class `ATest`\n --> b.st:1:20\n";
    assert!(error.starts_with(expected), "{error}");
    // The files of a folder that is no project may be programs of their own.
    sandbox.write("apart/a.st", "Object subclass: A [ a [ ^3 ] ]\nA new a\n");
    sandbox.write("apart/b.st", "Object subclass: A [ b [ ^4 ] ]\nA new b\n");
    assert_eq!(sandbox.tally(&["check", "apart"]).error(), "");
    sandbox.write("tally.toml", "[project]\npaths = [\"apart\"]\n");
    let checked = sandbox.tally(&["check"]);
    let expected = "warning[W0315]: two files define the class `A`\n";
    assert!(checked.error().starts_with(expected), "{}", checked.error());
}

#[test]
fn a_file_in_two_paths_of_a_project_is_read_once() {
    let sandbox = Sandbox::new("mistakes-paths");
    sandbox.write(
        "tally.toml",
        "[project]\npaths = [\"src\", \"src/tests\", \"src/a.st\"]\n",
    );
    sandbox.write("src/a.st", "Object subclass: A [ b [ ^3 ] ]\n");
    sandbox.write(
        "src/tests/t.st",
        "TestCase subclass: ATest [ testB [ self assert: A new b equals: 3 ] ]\n",
    );
    let checked = sandbox.tally(&["check"]);
    assert_eq!(checked.output(), "2 files: 0 errors, 0 warnings\n");
    assert_eq!(checked.error(), "");
    let tested = sandbox.tally(&["test"]);
    assert_eq!(tested.code(), Some(0), "{}", tested.error());
}

#[test]
fn the_help_of_an_error_stands_in_the_report_of_a_test() {
    let sandbox = Sandbox::new("mistakes-help");
    sandbox.write(
        "t.st",
        "TestCase subclass: ATest [ testA [ self assert: 'a' + 'b' equals: 'ab' ] ]\n",
    );
    let tested = sandbox.tally(&["test", "t.st"]);
    assert_eq!(tested.code(), Some(1));
    let help = "    = help: strings are joined by a comma: `'a' , 'b'`\n";
    assert!(tested.output().contains(help), "{}", tested.output());
}
