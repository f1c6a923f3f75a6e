//! Tests that use processors or processes, under every schedule of these.

use std::sync::Arc;

use tally_vm::{GuideProblem, GuidedRun, Timing, Vm};

use super::discovery::Test;
use super::outcome::{TestReport, Verdict, part};
use super::worker::Worker;
use crate::error::{Error, ErrorKind};
use crate::outside::kept::Kept;
use crate::schedules::{ProcessorSchedule, TakenSchedule};
use crate::searching::{Search, Subject};

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

/// What a run of an exploration leads to.
enum Next {
    /// The next run.
    Run,
    /// The end of the exploration, about which this is said.
    End(String),
    /// The end, because the test does not pass: its report, and the schedule as a file's text.
    Failed(Box<(TestReport, String)>),
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
        let subject = match (ran.has_processors(), ran.has_forked()) {
            (true, _) => Subject::Processors(Timing::Any),
            (false, true) => Subject::Processes,
            (false, false) => return Ok((report, None)),
        };
        let search = Search::new(subject, None);
        loop {
            match self.next_schedule(test, &search, how)? {
                Next::Run => {}
                Next::End(note) => {
                    report.notes.push(note);
                    return Ok((report, None));
                }
                Next::Failed(found) => return Ok((found.0, Some(found.1))),
            }
        }
    }

    fn next_schedule(
        &mut self,
        test: &Test,
        search: &Search,
        how: ExploringTests,
    ) -> Result<Next, Error> {
        let unexplored =
            |why: &str| Ok(Next::End(format!("its schedules are not explored: {why}")));
        let (_, host) = Kept::host(&self.running.permissions, &Arc::default());
        let Ok(mut vm) = self.copy(test, host)? else {
            return unexplored("its resources cannot be made available");
        };
        vm.keep_failures();
        if search.subject() == Subject::Processes && vm.has_processes() {
            return unexplored("there were processes before it");
        }
        search.begin_run(&mut vm);
        let report = part(&mut vm, test, &test.sending("run:"), &self.bounds)?;
        if vm.has_wanted_trials() {
            return unexplored("it asserts what a simulated machine measures");
        }
        let run = match search.finish_run(&mut vm) {
            Err(error) if error.kind() == ErrorKind::Nondeterministic => {
                return unexplored("a clock, a random number or a file decides what it does");
            }
            run => run?,
        };
        if run.is_new_start {
            return Ok(Next::Run);
        }
        let report = report.unwrap_or_else(|| TestReport::unusable(test));
        let schedules = search.counts().schedules;
        if run.is_whole && report.verdict.is_bad() {
            let found = failed(report, &run, &vm, (schedules, how.program));
            return Ok(Next::Failed(Box::new(found)));
        }
        Ok(match schedules {
            1 if !run.has_more => Next::End("it has one schedule".to_string()),
            many if !run.has_more => {
                Next::End(format!("it passes under all of its {many} schedules"))
            }
            many if many >= how.most => {
                let several = if many == 1 { "schedule" } else { "schedules" };
                Next::End(format!(
                    "it passes under {many} {several}, and there may be more: --explore=N executes N"
                ))
            }
            _ => Next::Run,
        })
    }
}

/// The report of a test that has followed a schedule in this machine, if it could not, or if the schedule went on.
pub(super) fn of_schedule(test: &Test, mut report: TestReport, vm: &Vm) -> TestReport {
    let is_followed = vm.has_processors() || vm.has_watched_processes();
    match vm.guide_problem().filter(|_| is_followed) {
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
    run: &GuidedRun,
    vm: &Vm,
    (number, program): (u64, u64),
) -> (TestReport, String) {
    let taken = TakenSchedule::of(run, vm);
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
        most_ticks: None,
        taken,
    };
    (report, schedule.json())
}
