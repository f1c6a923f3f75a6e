//! Running tests: each in a copy of the machine that has loaded the program, so that its counts do not depend on which
//! tests ran before; several at once, a thread each. What it prints is kept, and told in the order of the tests.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tally_profiler::changes::RunLookups;
use tally_profiler::coverage::{self, Coverage};
use tally_profiler::{CostVector, Description, Ending, Input, MeasurementBuilder, Profile};
use tally_vm::bytecode::Span;
use tally_vm::{Cost, Detail, MemoryHost, Outcome, Vm};

use super::NAME;
use super::ended::{Bounds, TestReport, Verdict, compiled_part, part, uses_of_budgets};
use super::found::Test;
use crate::arguments::MachineArguments;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::host::{CommandHost, Events, ProgramOutput};
use crate::kept::Kept;
use crate::permissions::Permissions;
use crate::program;
use crate::project::Project;

/// Bytes of stack of a thread that runs tests. Only what is used is ever touched.
const STACK_BYTES: usize = 256 << 20;
/// What a test may send, loop repetitions included, unless the user says otherwise: a minute or two.
pub(super) const MOST_SENDS: u64 = 10_000_000_000;

/// How tests are to be run.
pub(super) struct Running {
    pub(super) permissions: Permissions,
    pub(super) jobs: usize,
    pub(super) max_sends: u64,
    /// Whether blocks that are counted are to be evaluated a second time, to find those that cost something else then.
    pub(super) checks_laziness: bool,
    /// Whether to note which messages a test looks up.
    pub(super) notes_lookups: bool,
    /// Whether there are budgets that tests refer to.
    pub(super) has_named_budgets: bool,
    /// What the tests executed, if that is wanted.
    pub(super) coverage: Option<Mutex<Coverage>>,
    /// What is to be recorded of each test, if anything.
    pub(super) recording: Option<Recording>,
    /// Where each test is added to what all of them cost, if that is wanted.
    pub(super) measuring: Option<MeasuringTests>,
}

/// What all tests cost, while they run.
pub(super) struct MeasuringTests {
    pub(super) detail: Detail,
    pub(super) about: Description,
    pub(super) builder: Mutex<MeasurementBuilder>,
}

impl Running {
    /// As the project's settings and the command line say, with nothing watched.
    pub(super) fn of(
        project: &Project,
        machine: &MachineArguments,
        jobs: Option<usize>,
    ) -> Running {
        let settings = &project.settings;
        let max_sends = machine.max_sends.or(settings.max_sends);
        Running {
            permissions: Permissions::from_options(machine),
            jobs: jobs.or(settings.jobs).unwrap_or_else(cores),
            max_sends: max_sends.unwrap_or(MOST_SENDS),
            checks_laziness: false,
            notes_lookups: false,
            has_named_budgets: settings.named().next().is_some(),
            coverage: None,
            recording: None,
            measuring: None,
        }
    }
}

/// How many tests are run at once if nobody says.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What is to be recorded of a test, and what its profile says beside.
pub(super) struct Recording {
    pub(super) detail: Detail,
    pub(super) about: Description,
}

/// What came of a test.
pub(super) struct Ended {
    pub(super) report: TestReport,
    /// What it printed.
    pub(super) output: Kept,
    pub(super) time: Duration,
    /// What was recorded, if that was asked for.
    pub(super) profile: Option<Profile>,
    /// What it looked up, if that was asked for.
    pub(super) lookups: Option<RunLookups>,
    /// What it read from outside.
    pub(super) inputs: Vec<Input>,
    /// Whether another run gives the same counts.
    pub(super) is_reproducible: bool,
    /// Whether there was anything to run.
    pub(super) was_run: bool,
    /// The machine or the command failed, not the test.
    pub(super) is_internal: bool,
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

/// The machines in which resources are available, by the names of the resources.
#[derive(Default)]
pub(super) struct Resources(Mutex<BTreeMap<String, Arc<Mutex<Option<Prepared>>>>>);

/// What nobody else holds any more.
pub(super) fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Resources {
    fn slot(&self, names: &str) -> Arc<Mutex<Option<Prepared>>> {
        Arc::clone(locked(&self.0).entry(names.to_string()).or_default())
    }

    /// What was printed while the resources of a test were made, the first time somebody asks.
    pub(super) fn take_output(&self, test: &Test) -> Option<Kept> {
        let slot = self.slot(&test.resources);
        locked(&slot).as_mut()?.output.take()
    }

    /// What making them available read from outside.
    pub(super) fn inputs(&self) -> Vec<Input> {
        let slots = locked(&self.0);
        let inputs = slots.values().flat_map(|slot| {
            let prepared = locked(slot);
            let inputs = prepared.as_ref().map(|prepared| prepared.inputs.clone());
            inputs.unwrap_or_default()
        });
        inputs.collect()
    }

    /// Resets all of them; answers whether that went well.
    pub(super) fn finish(
        &self,
        permissions: &Permissions,
        where_to: ProgramOutput,
    ) -> Result<bool, Failure> {
        let mut is_clean = true;
        for slot in locked(&self.0).values() {
            let prepared = locked(slot).take();
            if let Some(mut prepared) = prepared.filter(|prepared| prepared.ended.is_none()) {
                let (kept, host) = Kept::host(permissions, &Arc::default());
                let mut vm = prepared.vm.fork(Box::new(host));
                is_clean &= finish(&mut vm, &prepared.test)?;
                drop(vm);
                kept.take().write(where_to)?;
            }
        }
        Ok(is_clean)
    }
}

/// Lets the library reset the resources of a test; answers whether that went well.
pub(super) fn finish(vm: &mut Vm, test: &Test) -> Result<bool, Failure> {
    vm.keep_failures();
    vm.allow_ticks(None);
    let outcome = program::run_text(vm, NAME, &test.sending("finish:"))?;
    let defects = vm.take_failures();
    if outcome == Outcome::Finished {
        return Ok(true);
    }
    console::warning("the resources of the tests were not all reset");
    for defect in defects {
        console::write(&defect.text(console::in_color()));
    }
    Ok(false)
}

/// Runs the tests in an order, and tells how each ended in the order in which they stand, until told to stop.
pub(super) fn run_all(
    base: &mut Vm,
    tests: &[Test],
    order: &[usize],
    running: &Running,
    resources: &Resources,
    tell: impl FnMut(usize, Ended) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let jobs = running.jobs.min(order.len()).max(1);
    let machines: Vec<Vm> = (0..jobs)
        .map(|_| base.fork(Box::<MemoryHost>::default()))
        .collect();
    let queue = Queue {
        tests,
        order,
        next: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let queue = &queue;
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for machine in machines {
            let sender = sender.clone();
            let worker = Worker {
                machine,
                running,
                resources,
                bounds: Bounds {
                    max_sends: Some(running.max_sends),
                    is_over: &queue.is_over,
                },
                done: 0,
            };
            let started = std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || worker.work(queue, sender));
            started.map_err(|error| {
                queue.is_over.store(true, Ordering::Relaxed);
                Failure::new(Exit::Internal, format!("no thread to work in: {error}"))
            })?;
        }
        drop(sender);
        let told = in_order(order, &receiver, tell);
        queue.is_over.store(true, Ordering::Relaxed);
        told
    })
}

/// Hands on what arrives, the tests in the order in which they stand.
fn in_order(
    order: &[usize],
    receiver: &mpsc::Receiver<(usize, Result<Ended, Failure>)>,
    mut tell: impl FnMut(usize, Ended) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut expected: Vec<usize> = order.to_vec();
    expected.sort_unstable();
    let mut expected = expected.into_iter().peekable();
    let mut waiting = BTreeMap::new();
    for (index, ended) in receiver {
        waiting.insert(index, ended?);
        while let Some(ended) = expected.peek().and_then(|index| waiting.remove(index)) {
            let Some(index) = expected.next() else { break };
            if !tell(index, ended)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The tests that wait for somebody to run them.
struct Queue<'t> {
    tests: &'t [Test],
    order: &'t [usize],
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl Queue<'_> {
    fn take(&self) -> Option<(usize, &Test)> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let index = *self.order.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        self.tests.get(index).map(|test| (index, test))
    }
}

/// Somebody who runs tests in copies of a machine.
struct Worker<'r> {
    machine: Vm,
    running: &'r Running,
    resources: &'r Resources,
    bounds: Bounds<'r>,
    /// Tests that were run. After each power of two of them the machine links what the last one did, so that the
    /// copies for the others need not.
    done: usize,
}

impl Worker<'_> {
    fn work(mut self, queue: &Queue<'_>, sender: mpsc::Sender<(usize, Result<Ended, Failure>)>) {
        while let Some((index, test)) = queue.take() {
            let ended = catch_unwind(AssertUnwindSafe(|| self.run(test)));
            let ended = ended.unwrap_or_else(|_| Ok(failed_inside(test)));
            if sender.send((index, ended)).is_err() {
                return;
            }
        }
    }

    /// Runs a test. Whatever it does, nothing of it reaches the next.
    fn run(&mut self, test: &Test) -> Result<Ended, Failure> {
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
        let text = test.sending("run:");
        let unit = program::compile_text(&vm, NAME, &text)?;
        let script = unit.script.span;
        let made = vm.processes_made();
        let report = compiled_part(&mut vm, test, Arc::new(unit), &self.bounds)?;
        let mut report = report.unwrap_or_else(|| TestReport::unusable(test));
        let unrepeatable = events.inputs().unrepeatable();
        let is_reproducible = unrepeatable.is_none();
        self.measure(&mut vm, &report, &before, script, is_reproducible);
        let (profile, lookups) = self.seen(&mut vm, test, &before, script);
        // What the test left running has no part in what is asked of the machine from here on.
        vm.end_processes_after(made);
        let notes = unrepeatable.map(|why| why.note().to_string());
        report.notes.extend(notes);
        let silent = vm.programs_overhead().wrapping_sub(silent_before);
        report.notes.extend(program::note_of_silence(silent));
        if self.running.has_named_budgets && !report.verdict.is_bad() {
            report.uses = uses_of_budgets(&mut vm)?;
        }
        if self.running.checks_laziness && report.verdict == Verdict::Pass {
            report = self.checked_for_laziness(test, report, &mut vm)?;
        }
        self.done += 1;
        if self.done.is_power_of_two() {
            self.machine.link_as(&vm);
        }
        drop(vm);
        Ok(Ended {
            report,
            output: kept.take(),
            time: started.elapsed(),
            profile,
            lookups,
            inputs: events.inputs().all(),
            is_reproducible,
            was_run: true,
            is_internal: false,
        })
    }

    /// Begins to record what is wanted of a test.
    fn watch(&self, vm: &mut Vm) {
        if self.running.coverage.is_some() {
            return coverage::watch(vm);
        }
        if let Some(recording) = &self.running.recording {
            vm.count_everything();
            vm.start_profile(recording.detail);
        }
        if let Some(measuring) = &self.running.measuring {
            vm.count_everything();
            vm.start_profile(measuring.detail);
        }
        if self.running.notes_lookups {
            vm.record_lookups();
        }
    }

    /// Adds a test to what all of them cost: its own part if it ended well, without setUp, tearDown and the runner; else
    /// everything, as one that failed. A test that was left out is not added.
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
        let cost = vm.cost().since(before);
        let recorded = vm.finish_profile();
        let mut about = measuring.about.clone();
        about.files.push(NAME.to_string());
        about.scripts.push(script);
        about.reproducible = is_reproducible;
        let mut builder = locked(&measuring.builder);
        let name = &report.name;
        match (report.verdict.is_bad(), report.cost) {
            (true, _) => {
                about.ending = Ending::Failed;
                builder.add_recorded(name, vm, &recorded, &cost, &about);
            }
            (false, Some(own)) => {
                about.ending = Ending::Finished;
                let own = own.as_part_of(&CostVector::from(&cost));
                let start = ["performTest", &report.selector];
                builder.add_part(name, vm, &recorded, own, &about, start);
            }
            (false, None) => {}
        }
    }

    /// Ends that, adds to the coverage, and answers the profile and the lookups if they are wanted.
    fn seen(
        &self,
        vm: &mut Vm,
        test: &Test,
        before: &Cost,
        script: Span,
    ) -> (Option<Profile>, Option<RunLookups>) {
        let Running {
            coverage,
            recording,
            notes_lookups,
            ..
        } = self.running;
        let cost = vm.cost().since(before);
        let is_recorded = coverage.is_some() || recording.is_some();
        let recorded = is_recorded.then(|| vm.finish_profile());
        let found = vm.take_lookups();
        if let (Some(coverage), Some(recorded)) = (coverage, &recorded) {
            locked(coverage).add(recorded, &found);
        }
        let lookups = notes_lookups.then(|| {
            let mut lookups = RunLookups::of(vm, &found);
            // What its resources did, another machine has done.
            lookups.is_in_doubt |= !test.resources.is_empty();
            lookups
        });
        let profile = recording
            .as_ref()
            .zip(recorded)
            .map(|(recording, recorded)| {
                let mut about = recording.about.clone();
                about.files.push(NAME.to_string());
                about.scripts.push(script);
                Profile::collect(vm, &recorded, &cost, about)
            });
        (profile, lookups)
    }

    /// The report of a test that passed, or of the first of its counted blocks whose second evaluation differs from
    /// the first. Each is evaluated twice in a run of its own, which ends there, so that nothing else is disturbed.
    fn checked_for_laziness(
        &mut self,
        test: &Test,
        report: TestReport,
        ran: &mut Vm,
    ) -> Result<TestReport, Failure> {
        let outcome = program::run_text(ran, NAME, "TestAsserter countedEvaluations")?;
        program::ended(&outcome)?;
        let evaluations = ran.result().as_int().unwrap_or(0);
        for number in 1..=evaluations {
            let (_, host) = Kept::host(&self.running.permissions, &Arc::default());
            let Ok(mut vm) = self.copy(test, host)? else {
                break;
            };
            vm.keep_failures();
            let text = format!("TestAsserter recheck: {number}");
            let outcome = program::run_text(&mut vm, NAME, &text)?;
            program::ended(&outcome)?;
            let second = part(&mut vm, test, &test.sending("run:"), &self.bounds)?;
            if let Some(lazy) = second.filter(|second| second.verdict.is_bad()) {
                return Ok(lazy);
            }
        }
        Ok(report)
    }

    /// A machine for a test, in which its resources are available; or how the test ends without them.
    fn copy(&mut self, test: &Test, host: CommandHost) -> Result<Result<Vm, TestReport>, Failure> {
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

    fn prepare(&mut self, test: &Test) -> Result<Prepared, Failure> {
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

fn without_run(report: TestReport) -> Ended {
    Ended {
        report,
        output: Kept::default(),
        time: Duration::ZERO,
        profile: None,
        lookups: None,
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
