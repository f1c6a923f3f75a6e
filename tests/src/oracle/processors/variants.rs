//! A run must be the same in every mode of the machine, with stops, and from copies that were made in the middle of it.

use tally_vm::{Outcome, Vm};

use crate::host::TestHost;
use crate::modes::{self, Mode};
use crate::observe::Options;

use super::observe::{Machines, Run, read};
use super::record::Circumstances;

/// Events that are shown before and behind the first one that differs.
const AROUND: usize = 4;

/// How many copies are made of a run.
const COPIES: u64 = 5;

/// Machines in all modes but the plain one.
pub(super) struct Variants {
    machines: Vec<(&'static str, Machines)>,
    /// Runs that were compared.
    pub(super) runs: usize,
}

impl Variants {
    /// Loads the library in each mode.
    ///
    /// # Errors
    /// A sentence, if the library does not load.
    pub(super) fn new() -> Result<Variants, String> {
        let usual = Options::default();
        // Switches after each tick, where a processor has several processes.
        let sliced = Options {
            slice: Some(1),
            ..Options::default()
        };
        let mut machines = vec![("slices of a tick", Machines::new(&sliced, &modes::PLAIN)?)];
        let others = modes::all().into_iter().skip(1);
        for mode in others.chain([modes::GC_STRESS]) {
            let Mode { name, .. } = mode;
            machines.push((name, Machines::new(&usual, &mode)?));
        }
        Ok(Variants { machines, runs: 0 })
    }

    /// The first variant of a run that differs from it.
    pub(super) fn difference(
        &mut self,
        plain: &mut Machines,
        source: &str,
        circumstances: Circumstances,
        run: &Run,
    ) -> Option<String> {
        for (name, machine) in &mut self.machines {
            self.runs += 1;
            match machine.run(source, circumstances) {
                Ok(other) => {
                    if let Some(text) = differs(name, run, &other) {
                        return Some(text);
                    }
                }
                Err(why) => return Some(format!("{name}: {why}")),
            }
        }
        // Each run on the same machines is another run ahead of the others.
        for _ in 0..3 {
            self.runs += 1;
            match plain.run(source, circumstances) {
                Ok(other) => {
                    if let Some(text) = differs("another run ahead", run, &other) {
                        return Some(text);
                    }
                }
                Err(why) => return Some(why),
            }
        }
        let stepped = self.steps(plain, source, circumstances, run);
        if let Some(text) = stepped.unwrap_or_else(Some) {
            return Some(text);
        }
        let copied = self.copies(plain, source, circumstances, run);
        copied.unwrap_or_else(Some)
    }

    /// Stops the run after each tick: no processor runs ahead of the others for longer.
    fn steps(
        &mut self,
        plain: &mut Machines,
        source: &str,
        circumstances: Circumstances,
        run: &Run,
    ) -> Result<Option<String>, String> {
        let (mut vm, unit, host) = plain.prepare(source, circumstances)?;
        vm.prepare_unit(unit);
        let mut stopped = (1..run.record.ticks).map(|at| vm.run_until(at));
        let outcome = stopped.find_map(|outcome| outcome);
        let outcome = outcome.unwrap_or_else(|| vm.resume());
        self.compare("stops after each tick", run, &vm, outcome, &host)
    }

    /// Stops the run at moments spread over it, lets a copy go on to its end each time, and at last the original.
    fn copies(
        &mut self,
        plain: &mut Machines,
        source: &str,
        circumstances: Circumstances,
        run: &Run,
    ) -> Result<Option<String>, String> {
        let (mut vm, unit, host) = plain.prepare(source, circumstances)?;
        vm.prepare_unit(unit);
        for copy in 0..COPIES {
            let at = run.record.ticks * (2 * copy + 1) / (2 * COPIES);
            if let Some(outcome) = vm.run_until(at) {
                return self.compare("stopped run", run, &vm, outcome, &host);
            }
            let split = host.split();
            let mut forked = vm.fork(Box::new(split.clone()));
            let outcome = forked.resume();
            let name = format!("copy at tick {at}");
            let different = self.compare(&name, run, &forked, outcome, &split)?;
            if different.is_some() {
                return Ok(different);
            }
        }
        let outcome = vm.resume();
        self.compare("original of the copies", run, &vm, outcome, &host)
    }

    fn compare(
        &mut self,
        name: &str,
        run: &Run,
        vm: &Vm,
        outcome: Outcome,
        host: &TestHost,
    ) -> Result<Option<String>, String> {
        self.runs += 1;
        Ok(differs(name, run, &read(vm, outcome, host)?))
    }
}

/// The same events have the same numbers and the same order, however far processors ran ahead of the others.
fn differs(name: &str, run: &Run, other: &Run) -> Option<String> {
    if let Some(text) = super::compare::differences(&run.record, &other.record) {
        return Some(format!("{name}: {text}"));
    }
    if run.timeline == other.timeline {
        return None;
    }
    let place = (0..).find(|at| {
        let (one, two) = (&run.timeline.events, &other.timeline.events);
        one.get(*at) != two.get(*at)
    });
    let around = |run: &Run| -> Vec<String> {
        let events = run.timeline.events.iter();
        let before = place.unwrap_or(0).saturating_sub(AROUND);
        let shown = events.skip(before).take(2 * AROUND + 1);
        shown.map(|event| format!("\n  {event:?}")).collect()
    };
    let (one, two) = (around(run).concat(), around(other).concat());
    Some(format!("{name}: the timelines differ:{one}\nand{two}"))
}
