//! `tally test`: finds the tests that files define, runs them one by one in one machine, and reports.
//! How a test ends is decided by the library's TestCase; what that means for the exit code, here.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use tally_vm::bytecode::Span;
use tally_vm::{Failure as Defect, Outcome, SourcePlace, Trace, TraceFrame, Value, Vm};

use crate::arguments::{Format, TestArguments};
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::{console, output, som};

/// The name of the scripts that ask for tests.
pub(crate) const NAME: &str = "<test runner>";

/// A test, as the library's TestRunner found it.
struct Test {
    class: String,
    /// What distinguishes it from the other tests of its class: the selector, and parameters if it has some.
    label: String,
    selector: String,
    /// Why the tests of the class could not be made, if this stands for them.
    broken: Option<String>,
}

impl Test {
    fn name(&self) -> String {
        format!("{}>>{}", self.class, self.label)
    }

    /// Whether it is meant by a name, which may be that of its class.
    fn is_named(&self, name: &str) -> bool {
        let parts = name.split_once(">>");
        let is_it = |(class, test): (&str, &str)| {
            class == self.class && (test == self.label || test == self.selector)
        };
        parts.map_or(name == self.class, is_it)
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Pass,
    /// It came to its end and asserted nothing, which is no way to pass.
    Vacuous,
    Fail,
    Counted,
    Error,
    Skip,
    /// It did not pass, as expected.
    #[serde(rename = "expected failure")]
    ExpectedFailure,
    /// A limit of the machine ended it.
    Limit,
}

impl Verdict {
    /// From the symbols that the library answers.
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
            Verdict::Vacuous => "no assertion",
            Verdict::Fail => "FAILED",
            Verdict::Counted => "FAILED (counted)",
            Verdict::Error => "ERROR",
            Verdict::Skip => "skipped",
            Verdict::ExpectedFailure => "ok (failed as expected)",
            Verdict::Limit => "ERROR (limit)",
        }
    }

    /// The word as the report shows it.
    fn shown(self) -> String {
        match self {
            Verdict::Vacuous | Verdict::Skip => self.word().to_string(),
            _ => console::tinted(self.word(), !self.is_bad()),
        }
    }

    /// Whether the test should have ended otherwise.
    fn is_bad(self) -> bool {
        matches!(
            self,
            Verdict::Fail | Verdict::Counted | Verdict::Error | Verdict::Limit
        )
    }
}

/// A place in a method.
#[derive(Serialize)]
struct Place {
    method: String,
    file: String,
    line: usize,
    column: usize,
    source: String,
}

impl Place {
    fn of(trace: &Trace, index: usize) -> Option<Place> {
        let frame = trace.frames.get(index)?;
        let place = frame.place.clone()?;
        Some(Place {
            method: frame.method.clone(),
            file: place.file,
            line: place.line,
            column: place.column,
            source: place.text,
        })
    }

    /// `file:line:column in Class>>selector`, and the line with a caret.
    fn text(&self, before: &str) -> String {
        let place = SourcePlace {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            text: self.source.clone(),
        };
        format!(
            "    {before}{place} in {}\n{}",
            self.method,
            place.pointed_at("        ")
        )
    }
}

#[derive(Serialize)]
struct TestReport {
    name: String,
    class: String,
    selector: String,
    verdict: Verdict,
    message: Option<String>,
    /// Where in the test's own method it went wrong, or in what ran in its place.
    place: Option<Place>,
    /// Where below that, if somewhere else in the program.
    origin: Option<Place>,
    assertions: Option<i64>,
    /// Sends of setUp, test and tearDown, if it came to its end.
    sends: Option<i64>,
}

impl TestReport {
    fn new(test: &Test, verdict: Verdict, message: Option<String>) -> TestReport {
        TestReport {
            name: test.name(),
            class: test.class.clone(),
            selector: test.selector.clone(),
            verdict,
            message,
            place: None,
            origin: None,
            assertions: None,
            sends: None,
        }
    }

    /// Of a test that answered something else than how it ended.
    fn unusable(test: &Test) -> TestReport {
        let why = "its class does not run tests as TestCase does";
        TestReport::new(test, Verdict::Error, Some(why.to_string()))
    }

    /// The same with the places that its end comes from.
    fn located(mut self, trace: Option<&Trace>) -> TestReport {
        let Some(trace) = trace else {
            return self;
        };
        let end = format!(">>{}", self.selector);
        let is_own = |frame: &TraceFrame| !frame.is_library && frame.method != NAME;
        let is_test = |frame: &TraceFrame| is_own(frame) && frame.method.ends_with(&end);
        let innermost = trace.frames.iter().position(is_own);
        let in_test = trace.frames.iter().position(is_test);
        // If the test's method is not there, what sent everything else is most likely its setUp.
        let place = in_test.or(trace.frames.iter().rposition(is_own));
        self.place = place.and_then(|index| Place::of(trace, index));
        self.origin = innermost
            .filter(|_| innermost != place)
            .and_then(|index| Place::of(trace, index));
        self
    }
}

/// How many tests ended in which way. The first four fields come first in every report.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    tests: usize,
    counted: usize,
    vacuous: usize,
    /// Among those that passed.
    expected_failures: usize,
    /// Among the errors.
    limits: usize,
    not_run: usize,
}

#[derive(Serialize)]
struct Head {
    schema: &'static str,
    tests: usize,
}

#[derive(Serialize)]
struct Tail<'s> {
    summary: &'s Summary,
}

pub(crate) fn test(arguments: TestArguments) -> Result<Exit, Failure> {
    let (files, mut filters) = files_and_filters(&arguments.files);
    filters.extend(arguments.filters.iter().cloned());
    som::refuse(&files, "test")?;
    // Standard output carries the report alone when a program is to read it.
    let where_to = match arguments.format {
        Format::Human => ProgramOutput::Standard,
        Format::Json => ProgramOutput::Error,
    };
    let mut program = Program::load(
        &files,
        None,
        arguments.arguments.clone(),
        &arguments.machine,
        where_to,
    )?;
    let outcome = program.run();
    program.ended(&outcome)?;
    let found = discover(&mut program)?;
    let tests: Vec<(usize, Test)> = (1..)
        .zip(found)
        .filter(|(_, test)| is_selected(test, &filters))
        .collect();
    if tests.is_empty() {
        let why = if filters.is_empty() {
            "the files define no tests: no subclass of TestCase has a method whose name begins with test"
        } else {
            "no test matches the filters"
        };
        return Err(Failure::new(Exit::Nothing, why));
    }
    if arguments.list {
        return list(&tests, arguments.format);
    }
    run_all(&mut program, &tests, &arguments)
}

/// What names a file or a folder, or looks as if it should, is one; anything else is a filter. Without a single file
/// all are taken for files, so that the one which is missing is named.
fn files_and_filters(words: &[String]) -> (Vec<String>, Vec<String>) {
    let is_file = |word: &String| {
        let looks_like_one = word.contains(['/', '\\', '.']) && !word.contains(">>");
        word == "-" || looks_like_one || Path::new(word).exists()
    };
    let (files, filters): (Vec<String>, Vec<String>) = words.iter().cloned().partition(is_file);
    if files.is_empty() {
        (filters, Vec::new())
    } else {
        (files, filters)
    }
}

fn is_selected(test: &Test, filters: &[String]) -> bool {
    let name = test.name();
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter))
}

fn list(tests: &[(usize, Test)], format: Format) -> Result<Exit, Failure> {
    let names: Vec<String> = tests.iter().map(|(_, test)| test.name()).collect();
    let text = match format {
        Format::Human => names.join("\n") + "\n",
        Format::Json => {
            output::json(&serde_json::json!({ "schema": "tally.tests/1", "tests": names }))?
        }
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}

/// Asks the library which tests there are; it keeps them by their numbers, which begin at 1.
fn discover(program: &mut Program) -> Result<Vec<Test>, Failure> {
    let outcome = program.run_text(NAME, "TestRunner collect")?;
    program.ended(&outcome)?;
    let vm = &program.vm;
    let mut tests = Vec::new();
    for found in elements(vm, vm.result()) {
        let texts = elements(vm, found);
        let texts: Vec<Option<String>> = texts.iter().map(|&value| vm.text_of(value)).collect();
        let [Some(class), Some(label), Some(selector), broken] = &texts[..] else {
            return Err(Failure::new(Exit::Failed, "a test without a name"));
        };
        tests.push(Test {
            class: class.clone(),
            label: label.clone(),
            selector: selector.clone(),
            broken: broken.clone(),
        });
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

fn run_all(
    program: &mut Program,
    tests: &[(usize, Test)],
    arguments: &TestArguments,
) -> Result<Exit, Failure> {
    let format = arguments.format;
    let mut reports = Vec::new();
    let widths = tests.iter().map(|(_, test)| test.name().chars().count());
    let width = widths.max().unwrap_or(0);
    if format == Format::Json {
        let head = Head {
            schema: "tally.test/1",
            tests: tests.len(),
        };
        output::write(&output::json_line(&head)?, None)?;
    }
    program.vm.keep_failures();
    for (number, test) in tests {
        let report = run_one(program, *number, test, arguments.machine.max_sends)?;
        let text = match format {
            Format::Human => format!("{:width$}  {}\n", report.name, report.verdict.shown()),
            Format::Json => output::json_line(&report)?,
        };
        output::write(&text, None)?;
        let stops = arguments.fail_fast && report.verdict.is_bad();
        reports.push(report);
        if stops {
            break;
        }
    }
    let is_clean = finish(program)?;
    let mut summary = summary(&reports);
    summary.not_run = tests.len() - reports.len();
    let text = match format {
        Format::Human => human(&reports, &summary),
        Format::Json => output::json_line(&Tail { summary: &summary })?,
    };
    output::write(&text, None)?;
    Ok(match exit(&summary) {
        Exit::Success if !is_clean => Exit::Failed,
        exit => exit,
    })
}

/// Lets the library reset the resources of the tests; answers whether that went well.
fn finish(program: &mut Program) -> Result<bool, Failure> {
    let outcome = program.run_text(NAME, "TestRunner finish")?;
    let defects = program.vm.take_failures();
    if outcome == Outcome::Finished {
        return Ok(true);
    }
    console::warning("the resources of the tests were not all reset");
    for defect in defects {
        console::write(&defect.text(console::in_color()));
    }
    Ok(false)
}

/// Runs a test. However it ends, the next one can be run: what it left running is ended.
fn run_one(
    program: &mut Program,
    number: usize,
    test: &Test,
    max_sends: Option<u64>,
) -> Result<TestReport, Failure> {
    if let Some(why) = &test.broken {
        return Ok(TestReport::new(test, Verdict::Error, Some(why.clone())));
    }
    program.vm.allow_ticks(max_sends);
    let prepared = part(program, test, &format!("TestRunner prepare: {number}"))?;
    if let Some(report) = prepared {
        return Ok(report);
    }
    let made = program.vm.processes_made();
    let report = part(program, test, &format!("TestRunner run: {number}"))?;
    program.vm.end_processes_after(made);
    Ok(report.unwrap_or_else(|| TestReport::unusable(test)))
}

/// Runs a part of a test; answers how the test has ended, if it has.
fn part(program: &mut Program, test: &Test, text: &str) -> Result<Option<TestReport>, Failure> {
    let outcome = program.run_text(NAME, text)?;
    let defects = program.vm.take_failures();
    let stopped = program.vm.stopped_trace();
    let unhandled = defects.iter().find(|defect| defect.is_unhandled);
    let ended = |verdict, message: String| {
        let trace = stopped.as_ref();
        let trace = trace.or(unhandled.or(defects.last()).map(|defect| &defect.trace));
        Some(TestReport::new(test, verdict, Some(message)).located(trace))
    };
    Ok(match &outcome {
        Outcome::Finished => answered(&program.vm, test, &defects),
        Outcome::Failed => match answered(&program.vm, test, &defects) {
            // The test itself did not pass; what its processes did follows from that, or matters less.
            Some(report) if report.verdict.is_bad() => Some(report),
            Some(_) => {
                let message = unhandled.map_or("", |defect| defect.message.as_str());
                ended(
                    Verdict::Error,
                    format!("a process that the test made ended by an error: {message}"),
                )
            }
            None => {
                let message = unhandled.map(|defect| defect.message.clone());
                ended(
                    Verdict::Error,
                    message.unwrap_or_else(|| "an error that nobody handled".to_string()),
                )
            }
        },
        Outcome::Deadlock => ended(
            Verdict::Error,
            "every process waits for another".to_string(),
        ),
        Outcome::Exited(code) => ended(
            Verdict::Error,
            format!("it ended the program, with exit code {code}"),
        ),
        Outcome::NotCompiled => ended(
            Verdict::Error,
            "a class that it needs does not compile".to_string(),
        ),
        Outcome::Limit(limit) => ended(
            Verdict::Limit,
            format!("{}, so it was not finished", limit_text(*limit)),
        ),
        Outcome::Internal(_) => {
            program.ended(&outcome)?;
            None
        }
    })
}

/// Tests that are run by themselves, for somebody who measures that.
pub(crate) struct Chosen {
    tests: Vec<(usize, Test)>,
    max_sends: Option<u64>,
    /// Those whose resources could not be made available.
    broken: Vec<TestReport>,
}

/// How chosen tests ended.
pub(crate) struct Ran {
    reports: Vec<TestReport>,
    /// Where the scripts stand in their texts that asked for the tests.
    pub(crate) scripts: Vec<Span>,
}

impl Chosen {
    /// Finds the tests of these names, `Class>>selector` or a class, and makes their resources available.
    pub(crate) fn new(
        program: &mut Program,
        names: &[String],
        max_sends: Option<u64>,
    ) -> Result<Chosen, Failure> {
        // The limit is for the tests.
        program.vm.allow_ticks(None);
        let found = discover(program)?;
        for name in names {
            if !found.iter().any(|test| test.is_named(name)) {
                return Err(Failure::new(Exit::Nothing, unknown(&found, name)));
            }
        }
        program.vm.keep_failures();
        let mut chosen = Chosen {
            tests: Vec::new(),
            max_sends,
            broken: Vec::new(),
        };
        for (number, test) in (1..).zip(found) {
            if names.iter().any(|name| test.is_named(name)) {
                chosen.prepare(program, number, test)?;
            }
        }
        Ok(chosen)
    }

    fn prepare(&mut self, program: &mut Program, number: usize, test: Test) -> Result<(), Failure> {
        let ended = match &test.broken {
            Some(why) => Some(TestReport::new(&test, Verdict::Error, Some(why.clone()))),
            None => part(program, &test, &format!("TestRunner prepare: {number}"))?,
        };
        match ended {
            Some(report) => self.broken.push(report),
            None => self.tests.push((number, test)),
        }
        Ok(())
    }

    /// Runs the tests, and nothing beside them.
    pub(crate) fn run(self, program: &mut Program) -> Result<Ran, Failure> {
        let mut reports = self.broken;
        let mut scripts = Vec::new();
        for (number, test) in &self.tests {
            program.vm.allow_ticks(self.max_sends);
            let text = format!("TestRunner run: {number}");
            scripts.push(program.compile_text(NAME, &text)?.script.span);
            let made = program.vm.processes_made();
            let report = part(program, test, &text)?;
            program.vm.end_processes_after(made);
            reports.push(report.unwrap_or_else(|| TestReport::unusable(test)));
        }
        program.vm.allow_ticks(None);
        Ok(Ran { reports, scripts })
    }
}

impl Ran {
    /// The way in which a run ended that ended as these tests did.
    pub(crate) fn outcome(&self) -> Outcome {
        match exit(&summary(&self.reports)) {
            Exit::Limit => Outcome::Limit(tally_vm::Limit::Ticks),
            Exit::Failed => Outcome::Failed,
            _ => Outcome::Finished,
        }
    }

    /// Tells what became of tests that did not pass, and how the command is to end.
    pub(crate) fn report(&self, program: &mut Program) -> Result<Exit, Failure> {
        let is_clean = finish(program)?;
        let summary = summary(&self.reports);
        for test in &self.reports {
            if test.verdict.is_bad() || test.verdict == Verdict::Skip {
                console::write(&details(test));
            }
        }
        let passed = summary.passed + summary.vacuous;
        if passed < summary.tests {
            console::write(&format!("\n{}\n", summary_line(&summary)));
        }
        Ok(match exit(&summary) {
            // What asserts nothing can be measured all the same.
            Exit::Nothing if passed > 0 => Exit::Success,
            Exit::Success if !is_clean => Exit::Failed,
            exit => exit,
        })
    }
}

fn unknown(tests: &[Test], name: &str) -> String {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let classes = tests.iter().map(|test| test.class.as_str());
    let near = tally_compiler::nearest(name, names.iter().map(String::as_str).chain(classes));
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("there is no test '{name}'{hint}")
}

fn limit_text(limit: tally_vm::Limit) -> &'static str {
    match limit {
        tally_vm::Limit::Ticks => {
            "the limit on sends and loop repetitions was reached (--max-sends)"
        }
        tally_vm::Limit::Memory => "the limit on memory was reached (--max-memory)",
        tally_vm::Limit::Depth => "the limit on the depth of activations was reached (--max-depth)",
    }
}

/// What the library answered: how the test ended, what there is to say, assertions, sends, and whether it is
/// expected to pass.
fn answered(vm: &Vm, test: &Test, defects: &[Defect]) -> Option<TestReport> {
    let [verdict, message, assertions, sends, should_pass] = elements(vm, vm.result())[..] else {
        return None;
    };
    let verdict = Verdict::from_symbol(vm.text_of(verdict)?.as_str())?;
    let should_pass = should_pass != Value::FALSE;
    let assertions = assertions.as_int();
    let mut message = vm.text_of(message);
    let verdict = match verdict {
        Verdict::Pass if !should_pass => {
            message = Some("it passed, though it is expected to fail".to_string());
            Verdict::Fail
        }
        Verdict::Pass if assertions == Some(0) => Verdict::Vacuous,
        Verdict::Fail | Verdict::Error | Verdict::Counted if !should_pass => {
            Verdict::ExpectedFailure
        }
        verdict => verdict,
    };
    let noted = defects.iter().find(|defect| !defect.is_unhandled);
    let report = TestReport {
        assertions,
        sends: sends.as_int(),
        ..TestReport::new(test, verdict, message)
    };
    Some(report.located(noted.map(|defect| &defect.trace)))
}

fn summary(reports: &[TestReport]) -> Summary {
    let count = |verdict| {
        reports
            .iter()
            .filter(|report| report.verdict == verdict)
            .count()
    };
    let (expected_failures, limits) = (count(Verdict::ExpectedFailure), count(Verdict::Limit));
    Summary {
        passed: count(Verdict::Pass) + expected_failures,
        failed: count(Verdict::Fail),
        errors: count(Verdict::Error) + limits,
        skipped: count(Verdict::Skip),
        tests: reports.len(),
        counted: count(Verdict::Counted),
        vacuous: count(Verdict::Vacuous),
        expected_failures,
        limits,
        not_run: 0,
    }
}

fn human(reports: &[TestReport], summary: &Summary) -> String {
    let mut text = String::new();
    for test in reports {
        if test.verdict.is_bad() || test.verdict == Verdict::Skip {
            text.push_str(&details(test));
        }
    }
    let _ = writeln!(text, "\n{}", summary_line(summary));
    if summary.vacuous > 0 {
        let _ = writeln!(
            text,
            "A test that asserts nothing is not counted as passed."
        );
    }
    text
}

fn details(test: &TestReport) -> String {
    let message = test.message.as_deref().unwrap_or("");
    let message = if message.is_empty() {
        "(no message)".to_string()
    } else {
        message.trim_end().replace('\n', "\n    ")
    };
    let mut text = format!("\n{} {}\n    {message}\n", test.name, test.verdict.shown());
    if test.verdict == Verdict::Skip {
        return text;
    }
    if let Some(origin) = &test.origin {
        text.push_str(&origin.text(""));
    }
    if let Some(place) = &test.place {
        text.push_str(&place.text(if test.origin.is_some() { "from " } else { "" }));
    }
    text
}

fn summary_line(summary: &Summary) -> String {
    let noun = if summary.tests == 1 { "test" } else { "tests" };
    let mut text = format!(
        "{} {noun}: {} passed, {} failed, {} failed by counts, {} in error, {} skipped",
        summary.tests,
        summary.passed,
        summary.failed,
        summary.counted,
        summary.errors,
        summary.skipped
    );
    for (count, what) in [
        (summary.vacuous, "without an assertion"),
        (summary.expected_failures, "failed as expected"),
        (summary.not_run, "not run"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

/// A limit leaves open how a test would have ended; else a functional failure wins over a counted one.
fn exit(summary: &Summary) -> Exit {
    if summary.limits > 0 {
        Exit::Limit
    } else if summary.failed + summary.errors > 0 {
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
