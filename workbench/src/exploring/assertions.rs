//! Explorations for assertions of tests.

use tally_explore::{
    Cycles, Delivery, FRONTIER, Findings, Machine, Options, ScheduleStep, Space, Start,
    count_computations,
};
use tally_vm::{ActorExplorer, ActorsAtStart, ExplorationRequest, ExploredFigures, TurnMachine};

use super::turns::{ActorProgram, TurnError, TurnOptions};
use crate::error::Error;

/// The most states that an assertion explores.
const MOST_STATES: u32 = 1_000_000;
/// The most beginnings of computations that it looks for, and the most computations that it counts beyond.
const MOST_PREFIXES: u64 = 100_000;
/// The most ticks of a turn.
const MOST_TICKS: u64 = 10_000_000;
/// The results that get schedules.
const MOST_SCHEDULES: usize = 50;
/// The steps of a schedule that a failure shows.
const MOST_STEPS: usize = 40;

/// Explores what assertions need.
#[derive(Clone, Debug, Default)]
pub struct StateExplorer {
    /// The machines of the project's settings, by name.
    pub machines: Vec<(String, Machine)>,
}

impl ActorExplorer for StateExplorer {
    fn explore(
        &self,
        machine: Box<dyn TurnMachine>,
        start: ActorsAtStart,
        request: &ExplorationRequest,
    ) -> Result<ExploredFigures, String> {
        let costs = match request.costs.as_str() {
            "" => Machine::default(),
            name => Machine::named(name, &self.machines)?,
        };
        let delivery = delivery(&request.delivery)?;
        let options = TurnOptions {
            most_ticks: Some(MOST_TICKS),
            ..TurnOptions::default()
        };
        let told = |error: Error| error.message().to_string();
        let (mut program, start) = ActorProgram::of(machine, start, 0, &options).map_err(told)?;
        let limits = Options {
            delivery,
            max_states: MOST_STATES,
            ..Options::default()
        };
        figures(&mut program, &start, &limits, &costs)
    }
}

/// The delivery with this name, the usual one if it is empty.
fn delivery(name: &str) -> Result<Delivery, String> {
    let found = match name {
        "" => Some(Delivery::default()),
        name => Delivery::named(name),
    };
    found.ok_or_else(|| format!("there is no delivery #{name}; there are #any, #fifo and #causal"))
}

/// What there is to know of a program.
///
/// # Errors
///
/// A sentence, if not all of its schedules are known.
fn figures(
    program: &mut ActorProgram,
    start: &Start,
    limits: &Options,
    costs: &Machine,
) -> Result<ExploredFigures, String> {
    let told = |error: TurnError| error.to_string();
    let mut space = Space::explore(program, start, limits, &mut |_| true).map_err(told)?;
    if let Some(limit) = space.limit_text() {
        return Err(format!(
            "{limit} ended the exploration, so nothing is known of all schedules"
        ));
    }
    let computations = space.computations(program, MOST_PREFIXES).map_err(told)?;
    let findings = space.findings(program, computations.as_ref());
    let mut findings = findings.map_err(told)?;
    if findings.can_be_counted() {
        let delivery = limits.delivery;
        let counted = count_computations(program, start, delivery, MOST_PREFIXES, &mut |_| true);
        findings.add_counts(&counted.map_err(told)?);
    }
    if findings.cycles == Cycles::NotLookedFor {
        let why = "the states took too much memory to be kept, so it is not known whether all schedules end";
        return Err(why.to_string());
    }
    let (mut results, mut schedules) = (Vec::new(), Vec::new());
    let written = findings.outcomes.iter();
    for outcome in written.filter(|outcome| outcome.failure.is_none()) {
        let outputs = outcome.written.iter().flat_map(|list| list.outputs.clone());
        results.push(outputs.collect());
        schedules.push(match schedules.len() < MOST_SCHEDULES {
            true => lines(&space.schedule_to(outcome, program).map_err(told)?),
            false => String::new(),
        });
    }
    let bounds = space.prices(computations.as_ref(), costs, FRONTIER).bounds;
    let bounds = bounds.filter(|bounds| bounds.is_exact);
    Ok(ExploredFigures {
        states: space.states(),
        transitions: space.transitions(),
        computations: findings.computations,
        cost: bounds.map(|bounds| bounds.largest.work),
        depth: bounds.map(|bounds| bounds.largest.depth),
        results,
        schedules,
        failure: failure(&findings),
    })
}

/// The shortest schedule that fails, or a cycle.
fn failure(findings: &Findings) -> Option<String> {
    if let Some(failure) = findings.failures.first() {
        let head = format!("{} fails: {}", failure.actor, failure.text);
        return Some(format!("{head}\n{}", lines(&failure.schedule)));
    }
    findings.livelock.as_ref().map(|livelock| {
        let cycle = lines(&livelock.cycle);
        format!("a computation may go on for ever, with these turns again and again\n{cycle}")
    })
}

fn lines(steps: &[ScheduleStep]) -> String {
    let mut lines: Vec<String> = steps
        .iter()
        .take(MOST_STEPS)
        .map(|step| format!("  {step}"))
        .collect();
    if steps.len() > MOST_STEPS {
        lines.push(format!("  … {} more", steps.len() - MOST_STEPS));
    }
    lines.join("\n")
}
