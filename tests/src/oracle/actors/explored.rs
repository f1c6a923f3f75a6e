//! What the engine finds, as `numbers`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use tally_explore::{
    Bounds, Computations, Delivery as EngineDelivery, FRONTIER, Findings, Machine as EngineMachine,
    Options, Outcome, ScheduleStep, Space, Start,
};

use super::costs::Machine;
use super::engine::Turns;
use super::explore::Setting;
use super::language::Program;
use super::numbers::{Costs, End, Numbers, Range, Reached};
use super::state::Delivery;

/// What the engine finds.
#[derive(Debug, PartialEq, Eq)]
pub struct Explored {
    /// The numbers.
    pub numbers: Numbers,
    /// A shortest schedule to each end.
    pub schedules: Vec<(End, Vec<ScheduleStep>)>,
    /// All findings in words, which do not depend on the number of threads.
    pub findings: String,
}

/// What the engine finds. It lists computations if `has_computations`.
pub fn explored(
    program: &Program,
    setting: &Setting,
    threads: usize,
    has_computations: bool,
) -> Explored {
    let mut turns = Turns::new(program);
    let start = turns.start();
    let explored = explored_turns(&mut turns, &start, setting, threads, has_computations);
    certain(explored)
}

/// What the engine finds of a program, whatever executes its turns.
///
/// # Errors
/// Those of the program.
pub fn explored_turns<P: tally_explore::Program>(
    turns: &mut P,
    start: &Start,
    setting: &Setting,
    threads: usize,
    has_computations: bool,
) -> Result<Explored, P::Error> {
    let options = Options {
        delivery: delivery(setting.delivery),
        threads,
        ..Options::default()
    };
    let mut space = Space::explore(turns, start, &options, &mut |_| true)?;
    let most = if has_computations {
        setting.prefixes
    } else {
        0
    };
    let computations = space.computations(turns, most as u64)?;
    let known = computations.as_ref();
    let alone = space.findings(turns, None)?;
    let findings = space.findings(turns, known)?;
    let machines = [Machine::units(), Machine::primes()].map(machine);
    let ranges = machines.map(|machine| space.prices(None, &machine, FRONTIER).bounds);
    let numbers = Numbers {
        states: space.states(),
        transitions: space.transitions(),
        ends: ends(&findings, known.is_some()),
        schedules: findings.schedules,
        nodes: findings.nodes.filter(|_| known.is_some()),
        prefixes: known.map(Computations::prefixes),
        determinacy: known.map(|_| determinacy(&findings, &alone)),
        costs: known.map(|_| machines.map(|machine| costs(&space, &findings, known, &machine))),
        ranges: match ranges {
            [Some(units), Some(primes)] if known.is_some() => Some([units, primes].map(range)),
            _ => None,
        },
        lossy: findings.lossy,
    };
    let outcomes = findings.outcomes.iter();
    let schedules = outcomes.map(|outcome| {
        let schedule = space.schedule_to(outcome, turns)?;
        Ok((end(outcome), schedule))
    });
    Ok(Explored {
        schedules: schedules.collect::<Result<_, P::Error>>()?,
        findings: format!("{findings:?} {ranges:?} {}", space.bytes()),
        numbers,
    })
}

fn ends(findings: &Findings, has_computations: bool) -> BTreeMap<End, Reached> {
    let ends = findings.outcomes.iter().map(|outcome| {
        let schedules = outcome.schedules.filter(|_| has_computations);
        let counted = schedules.map(|ways| (outcome.computations.unwrap_or(0), ways));
        (end(outcome), (outcome.states, counted))
    });
    ends.collect()
}

/// Merged states alone must show the same as a list of computations.
fn determinacy(findings: &Findings, alone: &Findings) -> String {
    match findings.determinacy == alone.determinacy {
        true => format!("{:?}", findings.determinacy),
        false => format!("{:?}, alone {:?}", findings.determinacy, alone.determinacy),
    }
}

fn costs(
    space: &Space,
    findings: &Findings,
    computations: Option<&Computations>,
    machine: &EngineMachine,
) -> Costs {
    let prices = space.prices(computations, machine, FRONTIER);
    let mut costs = Costs::new();
    for (number, cost) in prices.computations.iter().enumerate() {
        let end = findings.outcome_of(number).map(end).unwrap_or_default();
        *costs.entry((end, cost.work, cost.depth)).or_default() += 1;
    }
    costs
}

fn certain<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}

fn end(outcome: &Outcome) -> End {
    let written = outcome.written.iter();
    let written = written.map(|one| (one.actor.clone(), one.outputs.clone()));
    (written.collect(), outcome.failure.clone())
}

fn range(bounds: Bounds) -> Range {
    let Bounds { least, largest, .. } = bounds;
    [(least.work, largest.work), (least.depth, largest.depth)]
}

fn delivery(delivery: Delivery) -> EngineDelivery {
    match delivery {
        Delivery::Any => EngineDelivery::Any,
        Delivery::Fifo => EngineDelivery::Fifo,
        Delivery::Causal => EngineDelivery::Causal,
    }
}

fn machine(machine: Machine) -> EngineMachine {
    EngineMachine {
        send_sending: machine.send_sending,
        send_receiving: machine.send_receiving,
        new_sending: machine.new_sending,
        new_receiving: machine.new_receiving,
        replace: machine.replace,
        dispose: machine.dispose,
        latency: machine.latency,
        ..EngineMachine::default()
    }
}
