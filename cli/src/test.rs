//! `tally test`: finds the tests that files define, runs them one by one in one machine, and reports.
//! How a test ends is decided by the library's TestCase; what that means for the exit code, here.

use std::fmt::Write as _;

use serde::Serialize;
use tally_vm::{Outcome, Value, Vm};

use crate::arguments::{Format, TestArguments};
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::{console, output, som};

const NAME: &str = "<test runner>";

/// A test: a class and the selector of one of its test methods.
struct Test {
    class: String,
    selector: String,
}

impl Test {
    fn name(&self) -> String {
        format!("{}>>{}", self.class, self.selector)
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Pass,
    Fail,
    Counted,
    Error,
    Skip,
}

impl Verdict {
    /// From the symbols that `TestCase>>runCapturing` answers.
    fn from_symbol(text: &str) -> Option<Verdict> {
        Some(match text {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail,
            "counted" => Verdict::Counted,
            "error" => Verdict::Error,
            "skip" => Verdict::Skip,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "ok",
            Verdict::Fail => "FAILED",
            Verdict::Counted => "FAILED (counted)",
            Verdict::Error => "ERROR",
            Verdict::Skip => "skipped",
        }
    }
}

#[derive(Serialize)]
struct TestReport {
    name: String,
    verdict: Verdict,
    message: Option<String>,
}

#[derive(Default, Serialize)]
struct Summary {
    tests: usize,
    passed: usize,
    failed: usize,
    counted: usize,
    errors: usize,
    skipped: usize,
}

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    summary: Summary,
    tests: Vec<TestReport>,
}

pub(crate) fn test(arguments: TestArguments) -> Result<Exit, Failure> {
    som::refuse(&arguments.program.files, "test")?;
    // Standard output carries the report alone when a program is to read it.
    let where_to = match arguments.format {
        Format::Human => ProgramOutput::Standard,
        Format::Json => ProgramOutput::Error,
    };
    let mut program = Program::load(
        &arguments.program.files,
        None,
        arguments.program.arguments.clone(),
        &arguments.machine,
        where_to,
    )?;
    let outcome = program.run();
    program.ended(&outcome)?;
    let tests = selected(discover(&mut program)?, &arguments.filters);
    if tests.is_empty() {
        let why = if arguments.filters.is_empty() {
            "the files define no tests: no subclass of TestCase has a method whose name begins with test"
        } else {
            "no test matches the filters"
        };
        return Err(Failure::new(Exit::Nothing, why));
    }
    if arguments.list {
        return list(&tests, arguments.format);
    }
    run_all(&mut program, &tests, arguments.format)
}

fn selected(tests: Vec<Test>, filters: &[String]) -> Vec<Test> {
    let is_wanted = |test: &Test| {
        let name = test.name();
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter))
    };
    tests.into_iter().filter(is_wanted).collect()
}

fn list(tests: &[Test], format: Format) -> Result<Exit, Failure> {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let text = match format {
        Format::Human => names.join("\n") + "\n",
        Format::Json => {
            output::json(&serde_json::json!({ "schema": "tally.tests/1", "tests": names }))?
        }
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}

/// Asks the library which tests there are.
fn discover(program: &mut Program) -> Result<Vec<Test>, Failure> {
    let text = "TestRunner allTestClasses collect: [:each | {each name. each allTestSelectors}]";
    let outcome = program.run_text(NAME, text)?;
    program.ended(&outcome)?;
    let vm = &program.vm;
    let mut tests = Vec::new();
    for class in elements(vm, vm.result()) {
        let [name, selectors] = elements(vm, class)[..] else {
            continue;
        };
        let Some(class) = vm.text_of(name) else {
            continue;
        };
        let selectors = elements(vm, selectors).into_iter();
        let texts = selectors.filter_map(|selector| vm.text_of(selector));
        tests.extend(texts.map(|selector| Test {
            class: class.clone(),
            selector,
        }));
    }
    Ok(tests)
}

/// The elements of an Array; none of anything else.
fn elements(vm: &Vm, value: Value) -> Vec<Value> {
    let is_array = value.is_object()
        && vm
            .find_class("Array")
            .is_some_and(|a| vm.class_of(value) == a);
    if is_array {
        vm.heap.slots(value).to_vec()
    } else {
        Vec::new()
    }
}

fn run_all(program: &mut Program, tests: &[Test], format: Format) -> Result<Exit, Failure> {
    let mut reports = Vec::new();
    let width = tests
        .iter()
        .map(|test| test.name().chars().count())
        .max()
        .unwrap_or(0);
    for test in tests {
        let report = run_one(program, test)?;
        if format == Format::Human {
            output::write(
                &format!("{:width$}  {}\n", report.name, report.verdict.word()),
                None,
            )?;
        }
        reports.push(report);
    }
    let report = Report {
        schema: "tally.test/1",
        summary: summary(&reports),
        tests: reports,
    };
    let text = match format {
        Format::Human => human(&report),
        Format::Json => output::json(&report)?,
    };
    output::write(&text, None)?;
    Ok(exit(&report.summary))
}

/// Runs a test. A limit ends everything, as nothing after it would be comparable; any other way to
/// end is the test's own.
fn run_one(program: &mut Program, test: &Test) -> Result<TestReport, Failure> {
    let text = format!("({} selector: #{}) runCapturing", test.class, test.selector);
    let outcome = program.run_text(NAME, &text)?;
    let (verdict, message) = match outcome {
        Outcome::Finished => answer(&program.vm),
        Outcome::Failed => (
            Verdict::Error,
            Some("an error that nobody handled".to_string()),
        ),
        Outcome::Deadlock => (
            Verdict::Error,
            Some("every process waits for another".to_string()),
        ),
        Outcome::Exited(code) => (
            Verdict::Error,
            Some(format!("it ended the run with exit code {code}")),
        ),
        Outcome::Limit(_) | Outcome::NotCompiled | Outcome::Internal(_) => {
            console::warning(&format!("{} was not finished", test.name()));
            program.ended(&outcome)?;
            (Verdict::Error, None)
        }
    };
    Ok(TestReport {
        name: test.name(),
        verdict,
        message,
    })
}

/// What `runCapturing` answered: how the test ended, and the message or nil.
fn answer(vm: &Vm) -> (Verdict, Option<String>) {
    let unknown = (
        Verdict::Error,
        Some("runCapturing was overridden".to_string()),
    );
    let [verdict, message] = elements(vm, vm.result())[..] else {
        return unknown;
    };
    match vm
        .text_of(verdict)
        .as_deref()
        .and_then(Verdict::from_symbol)
    {
        Some(verdict) => (verdict, vm.text_of(message)),
        None => unknown,
    }
}

fn summary(reports: &[TestReport]) -> Summary {
    let count = |verdict| {
        reports
            .iter()
            .filter(|report| report.verdict == verdict)
            .count()
    };
    Summary {
        tests: reports.len(),
        passed: count(Verdict::Pass),
        failed: count(Verdict::Fail),
        counted: count(Verdict::Counted),
        errors: count(Verdict::Error),
        skipped: count(Verdict::Skip),
    }
}

fn human(report: &Report) -> String {
    let mut text = String::new();
    let unhappy = report
        .tests
        .iter()
        .filter(|test| test.verdict != Verdict::Pass);
    for test in unhappy {
        let message = test.message.as_deref().unwrap_or("(no message)");
        let message = message.replace('\n', "\n    ");
        let _ = write!(
            text,
            "\n{} {}\n    {message}\n",
            test.name,
            test.verdict.word()
        );
    }
    let Summary {
        tests,
        passed,
        failed,
        counted,
        errors,
        skipped,
    } = &report.summary;
    let noun = if *tests == 1 { "test" } else { "tests" };
    let _ = writeln!(
        text,
        "\n{tests} {noun}: {passed} passed, {failed} failed, {counted} failed by counts, \
         {errors} in error, {skipped} skipped"
    );
    text
}

/// A functional failure wins over a counted one.
fn exit(summary: &Summary) -> Exit {
    if summary.failed + summary.errors > 0 {
        Exit::Failed
    } else if summary.counted > 0 {
        Exit::Counted
    } else if summary.passed == 0 {
        // Skipping everything is no way to pass.
        Exit::Nothing
    } else {
        Exit::Success
    }
}
