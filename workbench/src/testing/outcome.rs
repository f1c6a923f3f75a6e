//! The outcome of one test: from the library, or from the machine if the test did not come to its end. The locations of
//! its failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::loading;
use serde::{Deserialize, Serialize};
use tally_presentation::grouped;
use tally_profiler::{CostName, TestCounts};
use tally_vm::bytecode::Unit;
use tally_vm::{Failure as Defect, Outcome, SourcePlace, Trace, TraceFrame, Value, Vm, printable};

use super::NAME;
use super::discovery::{Test, elements};
use crate::error::Error;

/// Bytes of a text about a test that are kept. It stands in several reports, in some twice.
const MOST_TEXT: usize = 64 << 10;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It passed.
    Pass,
    /// It came to its end and asserted nothing, which is no way to pass.
    Vacuous,
    /// An assertion failed.
    Fail,
    /// An assertion about counts failed.
    Counted,
    /// A block that it counts costs something else when it is evaluated again.
    Lazy,
    /// An error ended it.
    Error,
    /// It was left out.
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
            "lazy" => Verdict::Lazy,
            "error" => Verdict::Error,
            "skip" => Verdict::Skip,
            _ => return None,
        })
    }

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "ok",
            Verdict::Vacuous => "no assertion",
            Verdict::Fail => "FAILED",
            Verdict::Counted => "FAILED (counted)",
            Verdict::Lazy => "LAZY",
            Verdict::Error => "ERROR",
            Verdict::Skip => "skipped",
            Verdict::ExpectedFailure => "ok (failed as expected)",
            Verdict::Limit => "ERROR (limit)",
        }
    }

    /// Whether the test should have ended otherwise.
    pub fn is_bad(self) -> bool {
        matches!(
            self,
            Verdict::Fail | Verdict::Counted | Verdict::Lazy | Verdict::Error | Verdict::Limit
        )
    }
}

/// A place in a method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    /// `Class>>selector`.
    pub method: String,
    /// The name of the file.
    pub file: String,
    /// From 1 on.
    pub line: usize,
    /// From 1 on.
    pub column: usize,
    /// The text of the line.
    pub source: String,
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
    pub fn text(&self, before: &str) -> String {
        let place = SourcePlace {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            text: self.source.clone(),
        };
        let head = format!("{before}{place} in {}", self.method);
        format!("    {}\n{}", printable(&head), place.pointed_at("        "))
    }
}

/// How one test ended, for reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestReport {
    /// `Class>>label`.
    pub name: String,
    /// Its class.
    pub class: String,
    /// The selector of its method.
    pub selector: String,
    /// How it ended.
    pub verdict: Verdict,
    /// The reason, if there is one.
    pub message: Option<String>,
    /// How the mistake is usually mended, if that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The location of the failure in the test's own method, or in the code that ran in its place.
    pub place: Option<Place>,
    /// The location below that, if it is elsewhere in the program.
    pub origin: Option<Place>,
    /// Assertions that it made, if it came to its end.
    pub assertions: Option<i64>,
    /// Sends of the test's own method, if it came to its end.
    pub sends: Option<u64>,
    /// The cost of the test's own method, and of the processes that it forked, if it came to its end.
    pub cost: Option<TestCost>,
    /// The cost of its setUp and tearDown, as far as they ran.
    pub fixture: Option<TestCost>,
    /// What there is to say of a test although it passed.
    pub notes: Vec<String>,
    /// What its named parts cost, in the order in which they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
}

/// A named part of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its name, which is not empty and has no brackets.
    pub name: String,
    /// What it cost, with the processes that it forked. The costs of parts of one name are added up.
    pub cost: TestCost,
}

/// What a test's own method cost, or its setUp and tearDown, with the processes that these forked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCost {
    /// Those of the costs that snapshots and budgets know.
    #[serde(flatten)]
    pub counts: TestCounts,
    /// Assignments, sends, decisions, blocks and brace arrays made, returns.
    pub steps: u64,
}

impl TestCost {
    /// From an Array in the order of the library's Cost; the costs of processors may stand behind it.
    fn of(vm: &Vm, value: Value) -> Option<TestCost> {
        let counts = elements(vm, value);
        let count = |n: &Value| n.as_int().and_then(|n| u64::try_from(n).ok());
        let counts: Vec<u64> = counts.iter().map(count).collect::<Option<_>>()?;
        let [
            sends,
            loops,
            activations,
            blocks,
            primitives,
            allocations,
            bytes,
            steps,
            called,
            work,
            ref of_processors @ ..,
        ] = counts[..]
        else {
            return None;
        };
        let mut counts = TestCounts {
            sends,
            loops,
            activations,
            blocks,
            primitives,
            allocations,
            bytes,
            called,
            work,
            ..TestCounts::default()
        };
        for (cost, count) in CostName::OF_PROCESSORS.into_iter().zip(of_processors) {
            counts.set(cost, *count);
        }
        Some(TestCost { counts, steps })
    }
}

impl TestReport {
    /// A report that says no more than how the test ended.
    pub fn new(test: &Test, verdict: Verdict, message: Option<String>) -> TestReport {
        TestReport {
            name: test.name(),
            class: test.class.clone(),
            selector: test.selector.clone(),
            verdict,
            message: message.map(shortened),
            help: None,
            place: None,
            origin: None,
            assertions: None,
            sends: None,
            cost: None,
            fixture: None,
            notes: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Another test's end that is this one's too.
    pub fn of(&self, test: &Test) -> TestReport {
        TestReport {
            name: test.name(),
            class: test.class.clone(),
            selector: test.selector.clone(),
            ..self.clone()
        }
    }

    /// Of a test that answered something else than how it ended.
    pub fn unusable(test: &Test) -> TestReport {
        let why = "it did not come to its end: its process ended, or its class does not run tests as TestCase does";
        TestReport::new(test, Verdict::Error, Some(why.to_string()))
    }

    /// The same with the help and the places of the error that ended it.
    fn explained(self, defect: Option<&Defect>) -> TestReport {
        let help = defect.and_then(|defect| defect.help.clone());
        TestReport {
            help: help.map(shortened),
            ..self.located(defect.map(|defect| &defect.trace))
        }
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

/// The beginning of a long text, and how much more there was.
fn shortened(mut text: String) -> String {
    let end = text.floor_char_boundary(MOST_TEXT);
    let more = text.len() - end;
    if more > 0 {
        text.truncate(end);
        text.push_str(&format!("… ({more} more bytes)"));
    }
    text
}

/// How long a part of a test may run.
#[derive(Clone, Copy)]
pub struct Bounds<'b> {
    /// Sends and loop repetitions.
    pub max_sends: Option<u64>,
    /// Whether the result is no longer needed.
    pub is_over: &'b AtomicBool,
}

/// Runs a part of a test; answers how the test has ended, if it has.
pub fn part(
    vm: &mut Vm,
    test: &Test,
    text: &str,
    bounds: &Bounds<'_>,
) -> Result<Option<TestReport>, Error> {
    let unit = Arc::new(loading::compile_text(vm, NAME, text)?);
    compiled_part(vm, test, unit, bounds)
}

/// Runs a part of a test that is compiled; answers how the test has ended, if it has.
pub fn compiled_part(
    vm: &mut Vm,
    test: &Test,
    unit: Arc<Unit>,
    bounds: &Bounds<'_>,
) -> Result<Option<TestReport>, Error> {
    let mut goes_on = || !bounds.is_over.load(Ordering::Relaxed);
    vm.allow_ticks(None);
    let Some(outcome) = vm.run_unit_while(unit, bounds.max_sends, &mut goes_on) else {
        return Ok(None);
    };
    let defects = vm.take_failures();
    let stopped = vm.stopped_trace();
    let unhandled = defects.iter().find(|defect| defect.is_unhandled);
    let ended = |verdict, message: String| {
        let report = TestReport::new(test, verdict, Some(message));
        Some(match &stopped {
            Some(trace) => report.located(Some(trace)),
            None => report.explained(unhandled.or(defects.last())),
        })
    };
    Ok(match &outcome {
        Outcome::Finished => answered(vm, test, &defects),
        Outcome::Failed => match answered(vm, test, &defects) {
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
                    message.unwrap_or_else(|| "an unhandled error".to_string()),
                )
            }
        },
        Outcome::Deadlock => {
            let told = unhandled.map(|defect| defect.message.clone());
            let usual = || "no process can go on".to_string();
            ended(Verdict::Error, told.unwrap_or_else(usual))
        }
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
            format!("{}, so it was not finished", limit_text(*limit, bounds)),
        ),
        Outcome::Internal(_) => {
            loading::ended(&outcome)?;
            None
        }
    })
}

fn limit_text(limit: tally_vm::Limit, bounds: &Bounds<'_>) -> String {
    let text = match limit {
        tally_vm::Limit::Ticks => {
            let number = bounds.max_sends.map(grouped).unwrap_or_default();
            return format!(
                "the limit of {number} sends and loop repetitions was reached (max-sends in tally.toml, or --max-sends)"
            );
        }
        tally_vm::Limit::Work => "the limit on work was reached (--max-work)",
        tally_vm::Limit::Silence => crate::loading::SILENCE,
        tally_vm::Limit::Memory => "the limit on memory was reached (--max-memory)",
        tally_vm::Limit::Depth => "the limit on the depth of activations was reached (--max-depth)",
        tally_vm::Limit::VirtualTime => "virtual time came to its end",
        tally_vm::Limit::Serials => "the numbers of frames are used up",
    };
    text.to_string()
}

/// The library's answer: the outcome, message, assertions, costs, costs of setUp and tearDown, notes and sections of the test, and
/// whether it is expected to pass.
fn answered(vm: &Vm, test: &Test, defects: &[Defect]) -> Option<TestReport> {
    let answer = elements(vm, vm.result());
    let [
        verdict,
        message,
        assertions,
        cost,
        fixture,
        notes,
        sections,
        should_pass,
    ] = answer[..]
    else {
        return None;
    };
    let verdict = Verdict::from_symbol(vm.text_of(verdict)?.as_str())?;
    let should_pass = should_pass != Value::FALSE;
    let assertions = assertions.as_int();
    let cost = TestCost::of(vm, cost);
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
    let mut noted = defects.iter().filter(|defect| !defect.is_unhandled);
    let noted = match verdict {
        Verdict::Counted => noted.next(),
        // What ended the test came after assertions about counts that do not hold.
        _ => noted.next_back(),
    };
    let notes = elements(vm, notes);
    let report = TestReport {
        assertions,
        sends: cost.map(|cost| cost.counts.sends),
        cost,
        fixture: TestCost::of(vm, fixture),
        notes: notes
            .into_iter()
            .filter_map(|note| vm.text_of(note).map(shortened))
            .collect(),
        sections: named_costs(vm, sections),
        ..TestReport::new(test, verdict, message)
    };
    Some(report.explained(noted))
}

/// What the last test measured within named budgets: the name of the budget and the counts.
pub fn uses_of_budgets(vm: &mut Vm) -> Result<Vec<(String, TestCounts)>, Error> {
    let outcome = loading::run_text(vm, NAME, "CountedBudget uses")?;
    loading::ended(&outcome)?;
    let uses = named_costs(vm, vm.result()).into_iter();
    Ok(uses.map(|used| (used.name, used.cost.counts)).collect())
}

/// From an Array of pairs of a name and an Array in the order of the library's Cost.
fn named_costs(vm: &Vm, pairs: Value) -> Vec<Section> {
    let section = |pair| {
        let [name, counts] = elements(vm, pair)[..] else {
            return None;
        };
        Some(Section {
            name: vm.text_of(name)?,
            cost: TestCost::of(vm, counts)?,
        })
    };
    elements(vm, pairs)
        .into_iter()
        .filter_map(section)
        .collect()
}
