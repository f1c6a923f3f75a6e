//! The time to compare two revisions of a project of 300 classes and 1,000 tests: beside running the two suites, and a
//! second time. The time is wall-clock time with all processors in use, because that is the time that a user waits.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::measure::median;
use crate::report::{Row, Verdict};

/// Headings of [`measure`].
pub const COLUMNS: &[&str] = &["seconds", "limit"];

/// The limit in seconds: for comparing beside the two suites, and for comparing when both results are stored.
const ALLOWANCE: f64 = 0.5;
const CLASSES: usize = 300;
const SUITES: usize = 50;
const TESTS_OF_SUITE: usize = 20;

/// A project in a folder that goes away.
struct Project(PathBuf);

impl Drop for Project {
    fn drop(&mut self) {
        // A file that stays in a folder for temporary files does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Measures comparisons by a `tally`, repeated; medians.
pub fn measure(tally: &Path, rounds: u32) -> Vec<Row> {
    measured(tally, rounds).unwrap_or_else(|why| {
        let name = "comparing two revisions";
        vec![Row::without_figures(name, Verdict::Broken(why))]
    })
}

fn measured(tally: &Path, rounds: u32) -> Result<Vec<Row>, String> {
    let project = Project::new()?;
    let (mut suites, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    let compare = ["compare", "HEAD~1", "HEAD"];
    for _ in 0..rounds {
        let suite = project.seconds(tally, &["test"])? + project.seconds(tally, &["test"])?;
        suites.push(suite);
        let _ = fs::remove_dir_all(project.0.join(".tally"));
        first.push(project.seconds(tally, &compare)?);
        second.push(project.seconds(tally, &compare)?);
    }
    let row = |name: &str, seconds: f64, limit: Option<f64>| Row {
        name: name.to_string(),
        figures: vec![
            format!("{seconds:.2}"),
            limit.map(|limit| format!("{limit:.2}")).unwrap_or_default(),
        ],
        verdict: limit.map_or(Verdict::None, |limit| Verdict::of(seconds, limit)),
    };
    let both = median(&suites);
    Ok(vec![
        row("running the two suites", both, None),
        row(
            "comparing two revisions",
            median(&first),
            Some(both + ALLOWANCE),
        ),
        row("comparing them again", median(&second), Some(ALLOWANCE)),
    ])
}

impl Project {
    /// With two commits, in the second of which one method sends one message more.
    fn new() -> Result<Project, String> {
        let name = format!("tally-targets-{}", std::process::id());
        let project = Project(std::env::temp_dir().join(name));
        let files = |error: std::io::Error| format!("the project cannot be written: {error}");
        for folder in ["src", "tests"] {
            fs::create_dir_all(project.0.join(folder)).map_err(files)?;
        }
        let write = |name: String, text: String| fs::write(project.0.join(name), text);
        for number in 0..CLASSES {
            write(format!("src/Model{number}.st"), class(number)).map_err(files)?;
        }
        for number in 0..SUITES {
            write(format!("tests/Suite{number}Test.st"), suite(number)).map_err(files)?;
        }
        let settings = "[project]\npaths = [\"src\", \"tests\"]\n";
        write("tally.toml".to_string(), settings.to_string()).map_err(files)?;
        project.git(&["init", "-q"])?;
        project.commit("one")?;
        let text = class(5).replace("sum + (self h5: k)", "sum + (self h5: k) + 0");
        write("src/Model5.st".to_string(), text).map_err(files)?;
        project.commit("two")?;
        Ok(project)
    }

    fn commit(&self, message: &str) -> Result<(), String> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", message])
    }

    fn git(&self, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments);
        self.run(command)
    }

    /// Seconds on the wall that a command takes in the project.
    fn seconds(&self, program: &Path, arguments: &[&str]) -> Result<f64, String> {
        let mut command = Command::new(program);
        command.args(arguments);
        let start = Instant::now();
        self.run(command)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn run(&self, mut command: Command) -> Result<(), String> {
        command
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let status = command.status().map_err(|error| error.to_string())?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("{command:?} fails: {status}")),
        }
    }
}

/// A class, one of ten that inherit from each other.
fn class(number: usize) -> String {
    let superclass = match number % 10 {
        0 => "Object".to_string(),
        _ => format!("Model{}", number - 1),
    };
    let mut text = format!("{superclass} subclass: Model{number} [\n");
    for method in 0..8 {
        let _ = write!(
            text,
            "    m{method}: n [ | sum | sum := 0.\n        1 to: n do: [ :k | sum := sum + (self h{method}: k) ].\n        ^sum ]\n    \
             h{method}: k [ ^k \\\\ {} + {number} ]\n",
            method + 2
        );
    }
    text + "    collect: n [ ^((1 to: n) collect: [ :e | self h0: e ]) inject: 0 into: [ :a :b | a + b ] ]\n    \
            sorted: n [ ^((1 to: n) asArray collect: [ :e | (e * 7919) \\\\ 101 ]) asSortedCollection first ]\n]\n"
}

fn suite(number: usize) -> String {
    let mut text = format!("TestCase subclass: Suite{number}Test [\n");
    for test in 0..TESTS_OF_SUITE {
        let model = (number * TESTS_OF_SUITE + test) % CLASSES;
        let _ = writeln!(
            text,
            "    test{test} [ | m | m := Model{model} new. self assert: (m m{}: 20) > 0. \
             self assert: (m collect: 30) > 0. self assert: (m sorted: 20) >= 0 ]",
            model % 8
        );
    }
    text + "]\n"
}
