//! Running a test: in a copy of the machine that has loaded the program, so that its counts do not depend on which
//! tests ran before. What it prints is kept. Who runs how many at once is in `pool`.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::loading;
use serde::{Deserialize, Serialize};
use tally_comparison::changes::RunLookups;
use tally_comparison::coverage::{self, Coverage, Executed};
use tally_profiler::{Ending, Input, Profile, TestCounts};
use tally_vm::bytecode::Span;
use tally_vm::{Cost, Detail, MemoryHost, Outcome, RecordedTests, Vm};

use super::NAME;
use super::discovery::Test;
use super::methods::{self, MethodCalls};
use super::observed::Observed;
use super::outcome::{Bounds, TestReport, Verdict, compiled_part, part, uses_of_budgets};
use super::running::Running;
use super::schedules::of_schedule;
use crate::embedder::Embedder;
use crate::error::Error;
use crate::exploring::StateExplorer;
use crate::outside::host::{CommandHost, Events, failure_text};
use crate::outside::kept::Kept;

/// The result of a test.
#[derive(Serialize, Deserialize)]
pub struct Ended {
    /// How the test ended.
    pub report: TestReport,
    /// What it measured within named budgets.
    pub uses: Vec<(String, TestCounts)>,
    /// What it costs on numbers of CPUs, if budgets name some and it uses processors.
    #[serde(default)]
    pub on_cpus: Vec<(u64, TestCounts)>,
    /// A schedule in which it does not pass, as a file's text, if one was found.
    #[serde(default)]
    pub schedule: Option<String>,
    /// What it printed.
    pub output: Kept,
    /// How long it took.
    pub time: Duration,
    /// What was recorded of its methods, if requested.
    pub observed: Option<Observed>,
    /// What it executed, if requested.
    pub executed: Option<Executed>,
    /// What it looked up, if requested.
    pub lookups: Option<RunLookups>,
    /// What the calls of methods sent, if requested and if it passed.
    pub calls: Vec<MethodCalls>,
    /// What it read from outside.
    pub inputs: Vec<Input>,
    /// Whether another run gives the same counts.
    pub is_reproducible: bool,
    /// Whether there was anything to run.
    pub was_run: bool,
    /// The machine or the command failed, not the test.
    pub is_internal: bool,
}

/// What was noted of a test while it ran, as far as requested.
#[derive(Default)]
struct Seen {
    observed: Option<Observed>,
    executed: Option<Executed>,
    lookups: Option<RunLookups>,
    calls: Vec<MethodCalls>,
}

/// A machine in which the resources of some tests are available.
struct Prepared {
    vm: Vm,
    /// How each of these tests ends if its resources could not be made available.
    ended: Option<TestReport>,
    output: Option<Kept>,
    /// What making them available read from outside.
    inputs: Vec<Input>,
    /// One of these tests.
    test: Test,
}

/// The result of resetting the resources of some tests.
#[derive(Serialize, Deserialize)]
pub struct Reset {
    /// Their names.
    pub resources: String,
    /// What is wrong if they could not be reset.
    defects: Option<Vec<String>>,
    /// What was printed meanwhile.
    pub output: Kept,
    /// What making them available read from outside.
    pub inputs: Vec<Input>,
}

impl Reset {
    /// A reset whose result is unknown.
    pub fn failed(why: String) -> Reset {
        Reset {
            resources: String::new(),
            defects: Some(vec![why + "\n"]),
            output: Kept::default(),
            inputs: Vec::new(),
        }
    }

    /// Shows the output and the defects. Answers whether there are no defects.
    pub fn show(&self, front: &dyn Embedder) -> bool {
        let is_well = self.show_defects(front);
        for (_, text) in self.output.pieces() {
            front.show(&text);
        }
        is_well
    }

    /// Shows what is wrong. Answers whether all is well.
    pub fn show_defects(&self, front: &dyn Embedder) -> bool {
        if let Some(defects) = &self.defects {
            show_unfinished(defects, front);
        }
        self.defects.is_none()
    }
}

/// The machines in which resources are available, by the names of the resources.
#[derive(Default)]
pub struct Resources(Mutex<BTreeMap<String, Arc<Mutex<Option<Prepared>>>>>);

/// The content of a mutex that no other thread holds.
pub fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Resources {
    fn slot(&self, names: &str) -> Arc<Mutex<Option<Prepared>>> {
        Arc::clone(locked(&self.0).entry(names.to_string()).or_default())
    }

    /// What was printed while the resources of a test were made, at the first query.
    pub fn take_output(&self, test: &Test) -> Option<Kept> {
        let slot = self.slot(&test.resources);
        locked(&slot).as_mut()?.output.take()
    }

    /// Resets all of them.
    pub fn reset(&self, running: &Running) -> Result<Vec<Reset>, Error> {
        let mut resets = Vec::new();
        for (names, slot) in &*locked(&self.0) {
            let Some(prepared) = locked(slot).take() else {
                continue;
            };
            let mut reset = Reset {
                resources: names.clone(),
                defects: None,
                output: Kept::default(),
                inputs: prepared.inputs,
            };
            if prepared.ended.is_none() {
                let (kept, host) = Kept::host(&running.permissions, &Arc::default());
                let mut prepared_vm = prepared.vm;
                let mut vm = prepared_vm.fork(Box::new(host));
                reset.defects = unfinished(&mut vm, &prepared.test, running.in_color)?;
                drop(vm);
                reset.output = kept.take();
            }
            resets.push(reset);
        }
        Ok(resets)
    }
}

/// Lets the library reset the resources of a test; answers whether that went well.
pub fn finish(vm: &mut Vm, test: &Test, front: &dyn Embedder) -> Result<bool, Error> {
    let defects = unfinished(vm, test, front.in_color())?;
    if let Some(defects) = &defects {
        show_unfinished(defects, front);
    }
    Ok(defects.is_none())
}

/// Lets the library reset the resources of a test. Answers what is wrong if that did not go well.
fn unfinished(vm: &mut Vm, test: &Test, in_color: bool) -> Result<Option<Vec<String>>, Error> {
    vm.keep_failures();
    vm.allow_ticks(None);
    let outcome = loading::run_text(vm, NAME, &test.sending("finish:"))?;
    let defects = vm.take_failures();
    if outcome == Outcome::Finished {
        return Ok(None);
    }
    let texts = defects.iter().map(|defect| failure_text(defect, in_color));
    Ok(Some(texts.collect()))
}

fn show_unfinished(defects: &[String], front: &dyn Embedder) {
    front.warn("the resources of the tests were not all reset");
    for defect in defects {
        front.show(defect);
    }
}

/// Runs tests in copies of a machine, one after the other. It is the same in a thread and in a process.
pub struct Worker<'r> {
    machine: &'r mut Vm,
    pub(super) running: &'r Running,
    resources: &'r Resources,
    pub(super) bounds: Bounds<'r>,
    /// What the tests have executed that was not handed on yet, if that is wanted.
    coverage: Option<Coverage>,
    /// Tests that were run. After each power of two of them the machine links what the last one did, so that the
    /// copies for the others need not.
    done: usize,
}

impl<'r> Worker<'r> {
    /// One whose tests stop when `is_over` says so.
    pub fn new(
        machine: &'r mut Vm,
        running: &'r Running,
        resources: &'r Resources,
        is_over: &'r AtomicBool,
    ) -> Worker<'r> {
        Worker {
            machine,
            running,
            resources,
            bounds: Bounds {
                max_sends: Some(running.max_sends),
                is_over,
            },
            coverage: running.coverage.clone(),
            done: 0,
        }
    }

    /// Runs a test. Whatever it does, nothing of it reaches the next, not even a panic.
    pub fn run(&mut self, test: &Test) -> Result<Ended, Error> {
        let ended = catch_unwind(AssertUnwindSafe(|| self.run_unguarded(test)));
        ended.unwrap_or_else(|_| Ok(failed_inside(test)))
    }

    fn run_unguarded(&mut self, test: &Test) -> Result<Ended, Error> {
        let started = Instant::now();
        if let Some(why) = &test.broken {
            let report = TestReport::new(test, Verdict::Error, Some(why.clone()));
            return Ok(without_run(report));
        }
        let events = Arc::<Events>::default();
        let (kept, host) = Kept::host(&self.running.permissions, &events);
        let mut vm = match self.copy(test, host)? {
            Ok(vm) => vm,
            Err(report) => return Ok(without_run(report)),
        };
        vm.keep_failures();
        self.watch(&mut vm);
        let before = vm.cost();
        let silent_before = vm.programs_overhead();
        let unit = loading::compile_text(&vm, NAME, &test.sending("run:"))?;
        let script = unit.script.span;
        let made = vm.processes_made();
        let report = compiled_part(&mut vm, test, Arc::new(unit), &self.bounds)?;
        let report = report.unwrap_or_else(|| TestReport::unusable(test));
        let mut report = of_schedule(test, report, &vm);
        let unrepeatable = events.inputs().unrepeatable();
        let is_reproducible = unrepeatable.is_none();
        let on_cpus = self.measure_processors(test, &mut report, &vm, is_reproducible)?;
        self.measure(&mut vm, &report, &before, script, is_reproducible);
        let seen = self.seen(&mut vm, &report, test, &before, script);
        // Processes that the test left running take no part in what the machine does from here on.
        vm.end_processes_after(made);
        (report.notes).extend(unrepeatable.map(|why| why.note().to_string()));
        let silent = vm.programs_overhead().wrapping_sub(silent_before);
        report.notes.extend(loading::note_of_silence(silent));
        let mut uses = Vec::new();
        if self.running.has_named_budgets && !report.verdict.is_bad() {
            uses = uses_of_budgets(&mut vm)?;
        }
        let (report, schedule) = self.run_otherwise(test, report, &mut vm)?;
        self.done += 1;
        if self.done.is_power_of_two() {
            self.machine.link_as(&vm);
        }
        drop(vm);
        Ok(Ended {
            report,
            uses,
            on_cpus,
            schedule,
            output: kept.take(),
            time: started.elapsed(),
            observed: seen.observed,
            executed: seen.executed,
            lookups: seen.lookups,
            calls: seen.calls,
            inputs: events.inputs().all(),
            is_reproducible,
            was_run: true,
            is_internal: false,
        })
    }

    /// The report of a test that has run in this machine, or of another run of it in which it does not pass, if others are wanted; and the schedule of that
    /// run, if it has one.
    fn run_otherwise(
        &mut self,
        test: &Test,
        mut report: TestReport,
        ran: &mut Vm,
    ) -> Result<(TestReport, Option<String>), Error> {
        if self.running.checks_laziness && report.verdict == Verdict::Pass {
            report = self.checked_for_laziness(test, report, ran)?;
        }
        match self.running.explores {
            Some(how) if report.verdict == Verdict::Pass => self.explored(test, report, ran, how),
            _ => Ok((report, None)),
        }
    }

    /// Lets assertions about schedules use the machines of the settings.
    fn name_machines(&self, vm: &mut Vm) {
        if !self.running.machines.is_empty() {
            let machines = self.running.machines.clone();
            vm.explore_actors_with(Arc::new(StateExplorer { machines }));
        }
    }

    /// Lets a test follow its schedule, and begins to record what is wanted of it.
    fn watch(&self, vm: &mut Vm) {
        if let Some(schedule) = &self.running.schedule {
            schedule.guide(vm);
        }
        self.name_machines(vm);
        if self.coverage.is_some() {
            vm.record_tests_apart();
            return coverage::watch(vm);
        }
        if let Some(recording) = &self.running.recording {
            vm.count_everything();
            vm.record_tests_apart();
            vm.start_profile(recording.detail);
        }
        if let Some(measuring) = &self.running.measuring {
            vm.count_everything();
            vm.record_tests_apart();
            vm.start_profile(measuring.detail);
        }
        if self.running.measures_calls {
            vm.start_profile(Detail::default());
            vm.measure_extents();
        }
        if self.running.notes_lookups {
            vm.record_lookups();
        }
    }

    /// Adds a test to the measurement: its own part, up to its end or to the point where it failed. A test that failed
    /// before is added with everything that was done for it. A skipped test is not added.
    fn measure(
        &self,
        vm: &mut Vm,
        report: &TestReport,
        before: &Cost,
        script: Span,
        is_reproducible: bool,
    ) {
        let Some(measuring) = &self.running.measuring else {
            return;
        };
        let RecordedTests { tests, cost, .. } = recorded(vm, before);
        let mut about = measuring.about.clone();
        about.files.push(NAME.to_string());
        about.scripts.push(script);
        about.reproducible = is_reproducible;
        about.ending = match (report.cost, report.verdict) {
            (Some(_), Verdict::Counted) => Ending::Counted,
            (Some(_), _) => Ending::Finished,
            (None, verdict) if verdict.is_bad() => Ending::Failed,
            (None, _) => return,
        };
        let mut builder = locked(&measuring.builder);
        builder.add_recorded(&report.name, vm, &tests, &cost, &about);
        let counts = report.cost.map(|cost| cost.counts);
        builder.set_processors(counts.and_then(|counts| counts.of_processors()));
        let outcomes = vm.explored_so_far().outcomes.iter().cloned().collect();
        builder.set_explorations(counts.and_then(|counts| counts.of_explorations()), outcomes);
    }

    /// Ends the observation, and answers the requested parts. A profile is large, so the parts are taken out of it at once.
    fn seen(
        &mut self,
        vm: &mut Vm,
        report: &TestReport,
        test: &Test,
        before: &Cost,
        script: Span,
    ) -> Seen {
        let calls = methods::take(vm);
        let found = vm.take_lookups();
        let mut seen = Seen::default();
        if report.cost.is_some() && !report.verdict.is_bad() {
            seen.calls = calls;
        }
        let is_recorded = self.coverage.is_some() || self.running.recording.is_some();
        let recorded = is_recorded.then(|| recorded(vm, before));
        if let (Some(coverage), Some(recorded)) = (&mut self.coverage, &recorded) {
            coverage.add(&recorded.whole, &found);
            seen.executed = Some(coverage.take_executed());
        }
        if self.running.notes_lookups {
            let mut lookups = RunLookups::of(vm, &found);
            // What its resources did, another machine has done.
            lookups.is_in_doubt |= !test.resources.is_empty();
            seen.lookups = Some(lookups);
        }
        if let (Some(recording), Some(recorded)) = (&self.running.recording, recorded) {
            let RecordedTests { tests, cost, whole } = recorded;
            let mut about = recording.about.clone();
            about.files.push(NAME.to_string());
            about.scripts.push(script);
            let whole = Profile::collect(vm, &whole, &vm.cost().since(before), about.clone());
            let own = Profile::collect(vm, &tests, &cost, about);
            seen.observed = Some(Observed::of(&own, &whole, report.cost.is_some()));
        }
        seen
    }

    /// The report of a test that passed, or of the first of its counted blocks whose second evaluation differs from
    /// the first. Each is evaluated twice in a run of its own, which ends there, so that nothing else is disturbed.
    fn checked_for_laziness(
        &mut self,
        test: &Test,
        report: TestReport,
        ran: &mut Vm,
    ) -> Result<TestReport, Error> {
        let outcome = loading::run_text(ran, NAME, "TestAsserter countedEvaluations")?;
        loading::ended(&outcome)?;
        let evaluations = ran.result().as_int().unwrap_or(0);
        for number in 1..=evaluations {
            let (_, host) = Kept::host(&self.running.permissions, &Arc::default());
            let Ok(mut vm) = self.copy(test, host)? else {
                break;
            };
            vm.keep_failures();
            let text = format!("TestAsserter recheck: {number}");
            let outcome = loading::run_text(&mut vm, NAME, &text)?;
            loading::ended(&outcome)?;
            let second = part(&mut vm, test, &test.sending("run:"), &self.bounds)?;
            if let Some(lazy) = second.filter(|second| second.verdict.is_bad()) {
                return Ok(lazy);
            }
        }
        Ok(report)
    }

    /// A machine for a test, in which its resources are available; or how the test ends without them.
    pub(super) fn copy(
        &mut self,
        test: &Test,
        host: CommandHost,
    ) -> Result<Result<Vm, TestReport>, Error> {
        if test.resources.is_empty() {
            return Ok(Ok(self.machine.fork(Box::new(host))));
        }
        let slot = self.resources.slot(&test.resources);
        let mut slot = locked(&slot);
        let prepared = match &mut *slot {
            Some(prepared) => prepared,
            empty => empty.insert(self.prepare(test)?),
        };
        Ok(match &prepared.ended {
            Some(ended) => Err(ended.of(test)),
            None => Ok(prepared.vm.fork(Box::new(host))),
        })
    }

    fn prepare(&mut self, test: &Test) -> Result<Prepared, Error> {
        let events = Arc::<Events>::default();
        let (kept, host) = Kept::host(&self.running.permissions, &events);
        let mut vm = self.machine.fork(Box::new(host));
        vm.keep_failures();
        let ended = part(&mut vm, test, &test.sending("prepare:"), &self.bounds)?;
        // So that what was printed is complete.
        let vm = vm.fork(Box::<MemoryHost>::default());
        Ok(Prepared {
            vm,
            ended,
            output: Some(kept.take()),
            inputs: events.inputs().all(),
            test: test.clone(),
        })
    }
}

/// The recording of a test. If the test did not begin, its part is everything since `before`.
fn recorded(vm: &mut Vm, before: &Cost) -> RecordedTests {
    vm.finish_profile_of_tests().unwrap_or_else(|| {
        let cost = vm.cost().since(before);
        let whole = vm.finish_profile();
        RecordedTests {
            tests: whole.clone(),
            cost,
            whole,
        }
    })
}

/// The end of a test of which nothing but the report is known.
pub fn without_run(report: TestReport) -> Ended {
    Ended {
        report,
        uses: Vec::new(),
        on_cpus: Vec::new(),
        schedule: None,
        output: Kept::default(),
        time: Duration::ZERO,
        observed: None,
        executed: None,
        lookups: None,
        calls: Vec::new(),
        inputs: Vec::new(),
        is_reproducible: true,
        was_run: false,
        is_internal: false,
    }
}

/// A test during which the machine itself failed; the message was written.
fn failed_inside(test: &Test) -> Ended {
    let why = "an internal error of tally".to_string();
    Ended {
        is_internal: true,
        ..without_run(TestReport::new(test, Verdict::Error, Some(why)))
    }
}
