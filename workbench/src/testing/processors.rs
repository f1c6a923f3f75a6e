//! What a test costs on simulated CPUs: its span, and how long its requests waited. Further runs of the test measure that, so that the run that
//! decides about it is not disturbed.

use std::collections::BTreeSet;
use std::sync::Arc;

use tally_profiler::TestCounts;
use tally_timeline::TrialReader;
use tally_vm::{Simulation, TestExtent, Vm};

use super::discovery::Test;
use super::outcome::{TestReport, Verdict, part};
use super::worker::Worker;
use crate::error::Error;
use crate::loading::VirtualTime;
use crate::outside::kept::Kept;

impl Worker<'_> {
    /// Adds to the costs of a test, which has come to its end in the machine, those of its explorations and of the processors that it used. Answers its costs on the
    /// numbers of CPUs that budgets name.
    pub(super) fn measure_processors(
        &mut self,
        test: &Test,
        report: &mut TestReport,
        ran: &Vm,
        is_reproducible: bool,
    ) -> Result<Vec<(u64, TestCounts)>, Error> {
        add_explorations(report, ran);
        let is_measured = is_reproducible && came_to_its_end(report.verdict);
        let (Some(cost), Some(extent), true) =
            (&mut report.cost, ran.extent_of_test(), is_measured)
        else {
            return Ok(Vec::new());
        };
        let budgets = self.running.on_cpus.iter();
        let budgets = budgets.filter(|budget| budget.may_mean(&report.name));
        let cpus: BTreeSet<u64> = budgets.filter_map(|budget| budget.cpus).collect();
        let counts = cost.counts;
        if let Some(counts) = self.on_cpus(test, counts, (ran.simulation(), Some(extent)))? {
            cost.counts = counts;
        }
        let mut found = Vec::new();
        for number in cpus {
            let simulation = Simulation {
                cpus: Some(number),
                ..ran.simulation()
            };
            let counts = self.on_cpus(test, counts, (simulation, None))?;
            found.extend(counts.map(|counts| (number, counts)));
        }
        Ok(found)
    }

    /// The costs of a test with those of its processors on a simulated machine, from a run of its own. It has run from and to these moments
    /// before, if that is known; otherwise another run learns that.
    fn on_cpus(
        &mut self,
        test: &Test,
        mut counts: TestCounts,
        (simulation, extent): (Simulation, Option<TestExtent>),
    ) -> Result<Option<TestCounts>, Error> {
        let extent = match extent {
            Some(extent) => Some(extent),
            None => self.run_on(test, simulation, |_| ())?,
        };
        let Some(extent) = extent else {
            return Ok(None);
        };
        // What runs the test comes before it, as it does in a test with nothing in it.
        let own = counts.sends.saturating_add(counts.loops);
        let from = extent.from.saturating_add(extent.ticks.saturating_sub(own));
        let time = VirtualTime::read_by(TrialReader::between(from, extent.to, &simulation));
        let receiver = time.receiver();
        let again = self.run_on(test, simulation, |vm| vm.record_timeline_to(receiver))?;
        let Some(figures) = time.figures().filter(|_| again == Some(extent)) else {
            return Ok(None);
        };
        counts.span = figures.makespan;
        counts.ticks = figures.ticks;
        counts.waiting = figures.waiting;
        counts.evaluations = figures.evaluations;
        Ok(Some(counts))
    }

    /// Runs a test on a simulated machine, and answers when it began and ended there, if it has ended well.
    fn run_on(
        &mut self,
        test: &Test,
        simulation: Simulation,
        prepare: impl FnOnce(&mut Vm),
    ) -> Result<Option<TestExtent>, Error> {
        let (_, host) = Kept::host(&self.running.permissions, &Arc::default());
        let Ok(mut vm) = self.copy(test, host)? else {
            return Ok(None);
        };
        vm.keep_failures();
        vm.simulate(simulation);
        prepare(&mut vm);
        let report = part(&mut vm, test, &test.sending("run:"), &self.bounds)?;
        vm.end_timeline();
        let is_well = report.is_some_and(|report| came_to_its_end(report.verdict));
        Ok(vm.extent_of_test().filter(|_| is_well))
    }
}

/// Whether a test ran to its end, though an assertion about counts may not hold.
fn came_to_its_end(verdict: Verdict) -> bool {
    !verdict.is_bad() || verdict == Verdict::Counted
}

/// Adds to the costs of a test those of its explorations.
fn add_explorations(report: &mut TestReport, ran: &Vm) {
    let explored = ran.explored_so_far();
    if let Some(cost) = &mut report.cost {
        cost.counts.states = explored.states;
        cost.counts.computations = explored.computations;
        cost.counts.cost = explored.cost;
        cost.counts.depth = explored.depth;
    }
}
