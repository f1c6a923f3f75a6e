//! Tests that use processors, under every schedule of these.

use std::sync::Arc;

use tally_vm::{GuideProblem, Timing, Vm};

use super::discovery::Test;
use super::outcome::{TestReport, Verdict, part};
use super::worker::Worker;
use crate::error::{Error, ErrorKind};
use crate::outside::kept::Kept;
use crate::schedules::{ProcessorSchedule, RunOfSearch, Search};

/// The most steps of a schedule that a report has.
const MOST_STEPS: usize = 60;

/// How tests are explored.
#[derive(Clone, Copy, Debug)]
pub struct ExploringTests {
    /// The most schedules of a test.
    pub most: u64,
    /// A digest of the program's source texts.
    pub program: u64,
}

impl Worker<'_> {
    /// The report of a test that has passed in this machine, or that of the first schedule in which it does not pass, with that schedule as a file's
    /// text.
    pub(super) fn explored(
        &mut self,
        test: &Test,
        mut report: TestReport,
        ran: &Vm,
        how: ExploringTests,
    ) -> Result<(TestReport, Option<String>), Error> {
        if !ran.has_processors() {
            return Ok((report, None));
        }
        if ran.has_made_trials() {
            let why =
                "its schedules are not explored: it asserts what a simulated machine measures";
            report.notes.push(why.to_string());
            return Ok((report, None));
        }
        let search = Search::new(Timing::Any);
        loop {
            let (_, host) = Kept::host(&self.running.permissions, &Arc::default());
            let Ok(mut vm) = self.copy(test, host)? else {
                return Ok((report, None));
            };
            if vm.has_processors() {
                let why = "its schedules are not explored: its resources have made processors";
                report.notes.push(why.to_string());
                return Ok((report, None));
            }
            vm.keep_failures();
            search.guide(&mut vm);
            let other = part(&mut vm, test, &test.sending("run:"), &self.bounds)?;
            let run = match search.end_run(&mut vm) {
                Err(error) if error.kind() == ErrorKind::Nondeterministic => {
                    let why = "its schedules are not explored: a clock, a random number or a file decides what it does";
                    report.notes.push(why.to_string());
                    return Ok((report, None));
                }
                run => run?,
            };
            if run.is_new_start {
                continue;
            }
            let other = other.unwrap_or_else(|| TestReport::unusable(test));
            if run.is_whole && other.verdict.is_bad() {
                let number = search.schedules();
                return Ok(failed(other, &run, &vm, (number, how.program)));
            }
            let schedules = search.schedules();
            if !run.has_more {
                report.notes.push(match schedules {
                    1 => "it has one schedule".to_string(),
                    many => format!("it passes under all of its {many} schedules"),
                });
                return Ok((report, None));
            }
            if schedules >= how.most {
                let passed = match schedules {
                    1 => "one schedule".to_string(),
                    many => format!("{many} schedules"),
                };
                report.notes.push(format!(
                    "it passes under {passed}, and there may be more: --explore=N executes N"
                ));
                return Ok((report, None));
            }
        }
    }
}

/// The report of a test that has followed a schedule in this machine, if it could not, or if the schedule went on.
pub(super) fn of_schedule(test: &Test, mut report: TestReport, vm: &Vm) -> TestReport {
    match vm.guide_problem().filter(|_| vm.has_processors()) {
        None => report,
        Some(GuideProblem::Impossible(name)) => {
            let why = format!("the schedule cannot be followed: {name} cannot go on");
            TestReport::new(test, Verdict::Error, Some(why))
        }
        Some(GuideProblem::Unused) => {
            let why = "the test ended before the schedule did";
            report.notes.push(why.to_string());
            report
        }
    }
}

/// The report of a schedule in which the test does not pass, and the schedule.
fn failed(
    mut report: TestReport,
    run: &RunOfSearch,
    vm: &Vm,
    (number, program): (u64, u64),
) -> (TestReport, Option<String>) {
    let taken = run.schedule(vm);
    let mut note = format!(
        "this is schedule {number} of those that were explored; {} of its {} steps, those at which something else could have happened:",
        taken.steps.len(),
        taken.choices.len()
    );
    for step in taken.steps.iter().take(MOST_STEPS) {
        note.push_str(&format!("\n  {step}"));
    }
    let more = taken.steps.len().saturating_sub(MOST_STEPS);
    if more > 0 {
        note.push_str(&format!("\n  … {more} more"));
    }
    report.notes.push(note);
    let schedule = ProcessorSchedule {
        program,
        timing: Timing::Any,
        ending: "fails".to_string(),
        taken,
    };
    (report, Some(schedule.json()))
}
