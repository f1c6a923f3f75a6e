//! Runs a program of the small language on the machine, and reads the record of the run.

use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_vm::bytecode::Unit;
use tally_vm::{EventKind, Outcome, Timeline, Vm};

use crate::host::TestHost;
use crate::modes::Mode;
use crate::observe::{Options, machine};

use super::record::{Circumstances, Ending, Happening, Record, RequestKey, What};

/// Machines with the library, which programs do not change.
pub struct Machines {
    vm: Vm,
    runs: usize,
}

/// What the machine shows of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Without anything that depends on the host.
    pub record: Record,
    /// As the machine has it.
    pub timeline: Timeline,
}

/// Ticks that a processor runs ahead of the others at most.
const AHEAD: [u64; 4] = [1, 7, 1_000, u64::MAX];

impl Machines {
    /// Loads the library.
    ///
    /// # Errors
    /// A sentence, if the library does not load.
    pub fn new(options: &Options, mode: &Mode) -> Result<Machines, String> {
        let vm = machine(options, mode, &TestHost::new())?;
        Ok(Machines { vm, runs: 0 })
    }

    /// A machine that can run a program, the program, and its outside world.
    ///
    /// # Errors
    /// A sentence, if the program does not compile.
    pub fn prepare(
        &mut self,
        source: &str,
        circumstances: Circumstances,
    ) -> Result<(Vm, Arc<Unit>, TestHost), String> {
        let compiled = tally_compiler::compile("program.st", source, &MachineEnvironment(&self.vm));
        let unit = compiled.unit.ok_or("the program does not compile")?;
        let host = TestHost::new();
        let mut vm = self.vm.fork(Box::new(host.clone()));
        vm.simulate(circumstances);
        vm.record_timeline();
        // No result depends on it, so each run has another one.
        vm.run_ahead(AHEAD[self.runs % AHEAD.len()]);
        self.runs += 1;
        Ok((vm, Arc::new(unit), host))
    }

    /// Runs a program.
    ///
    /// # Errors
    /// A sentence, if the program does not compile.
    pub fn run(&mut self, source: &str, circumstances: Circumstances) -> Result<Run, String> {
        let (mut vm, unit, host) = self.prepare(source, circumstances)?;
        let outcome = vm.run_unit(unit);
        read(&vm, outcome, &host)
    }
}

/// What the machine shows after a run.
///
/// # Errors
/// A sentence, if it shows nothing.
pub fn read(vm: &Vm, outcome: Outcome, host: &TestHost) -> Result<Run, String> {
    let timeline = vm.timeline().ok_or("there is no timeline")?;
    let ending = match outcome {
        Outcome::Finished => Ending::Finished,
        Outcome::Deadlock => Ending::Deadlock,
        Outcome::Failed => Ending::Failed,
        other => Ending::Other(format!("{other:?}\n{}", host.error())),
    };
    let cost = vm.cost();
    let record = record(&timeline, ending, cost.sends + cost.loops, host.out());
    Ok(Run { record, timeline })
}

/// Requests by client and number, processors by path.
fn record(timeline: &Timeline, ending: Ending, ticks: u64, output: String) -> Record {
    let path = |number: u32| timeline.processors[number as usize].path.clone();
    let mut counts = vec![0; timeline.processors.len()];
    let mut keys: Vec<RequestKey> = Vec::new();
    for request in &timeline.requests {
        let count = &mut counts[request.client as usize];
        keys.push((path(request.client), *count));
        *count += 1;
    }
    let mut happenings = Vec::new();
    for event in &timeline.events {
        let what = match event.kind {
            EventKind::Created => What::Created,
            EventKind::Called { supplier, waits } => What::Called(path(supplier), waits),
            EventKind::Synchronizes => What::Synchronizes,
            EventKind::Locks => What::Locks,
            EventKind::Granted => What::Granted,
            EventKind::Evaluated(result) => What::Evaluated(result),
            EventKind::Executes => What::Executes,
            EventKind::Returns => What::Returns,
            EventKind::Answered => What::Answered,
            EventKind::Unlocked => What::Unlocked,
            EventKind::Sleeps | EventKind::Blocks { .. } => What::Sleeps,
            EventKind::Wakes | EventKind::Freed { .. } => What::Wakes,
            EventKind::Joins => What::Joins,
            EventKind::Cancelled => What::Cancelled,
            EventKind::Ran(ticks) => What::RanFrom(event.time - ticks),
            EventKind::Charged(units) => What::ChargedFrom(event.time - units),
            EventKind::Wants { .. } | EventKind::Dispatched { .. } | EventKind::Approved => {
                continue;
            }
        };
        // A stretch of ticks may cover several requests, and an unlock is that of a processor.
        let is_of_processor = what.begin().is_some() || what == What::Unlocked;
        happenings.push(Happening {
            time: event.time,
            processor: path(event.processor),
            request: (!is_of_processor).then(|| keys[event.request as usize].clone()),
            what,
        });
    }
    Record::new(happenings, timeline.end, ending, ticks, output)
}
