//! Explorations for assertions of tests.

use tally_explore::{
    Computations, Cycles, Delivery, FRONTIER, Findings, Machine, Options, ScheduleStep, Space,
};
use tally_vm::{ActorExplorer, ActorsAtStart, ExplorationRequest, ExploredFigures, TurnMachine};

use super::turns::{ActorProgram, TurnOptions};

/// The most states that an assertion explores.
const MOST_STATES: u32 = 1_000_000;
/// The most beginnings of computations that it counts.
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

impl StateExplorer {
    fn machine(&self, name: &str) -> Result<Machine, String> {
        match name {
            "" => return Ok(Machine::default()),
            "unit" => return Ok(Machine::uniform(1)),
            _ => {}
        }
        let found = self.machines.iter().find(|(other, _)| other == name);
        found.map(|(_, machine)| *machine).ok_or_else(|| {
            format!(
                "there is no machine {name}: tally.toml has none of that name, [machine.{name}]"
            )
        })
    }
}

impl ActorExplorer for StateExplorer {
    fn explore(
        &self,
        machine: Box<dyn TurnMachine>,
        start: ActorsAtStart,
        request: &ExplorationRequest,
    ) -> Result<ExploredFigures, String> {
        let costs = self.machine(&request.costs)?;
        let delivery = delivery(&request.delivery)?;
        let options = TurnOptions {
            most_ticks: Some(MOST_TICKS),
            ..TurnOptions::default()
        };
        let told = |error: crate::error::Error| error.message().to_string();
        let (mut program, start) = ActorProgram::of(machine, start, 0, &options).map_err(told)?;
        let limits = Options {
            delivery,
            max_states: MOST_STATES,
            ..Options::default()
        };
        let told = |error: super::turns::TurnError| error.to_string();
        let space = Space::explore(&mut program, &start, &limits, &mut |_| true);
        let mut space = space.map_err(told)?;
        if let Some(limit) = space.limit_text() {
            return Err(format!(
                "{limit} ended the exploration, so nothing is known of all schedules"
            ));
        }
        let computations = space.computations(&mut program, MOST_PREFIXES);
        let computations = computations.map_err(told)?;
        let findings = space.findings(&mut program, computations.as_ref());
        let findings = findings.map_err(told)?;
        let mut figures = figures(&space, &findings, computations.as_ref(), &costs)?;
        let written = findings.outcomes.iter();
        let written = written.filter(|outcome| outcome.failure.is_none());
        for outcome in written.take(MOST_SCHEDULES) {
            let steps = space.schedule_to(outcome, &mut program).map_err(told)?;
            figures.schedules.push(lines(&steps));
        }
        figures
            .schedules
            .resize(figures.results.len(), String::new());
        Ok(figures)
    }
}

/// The delivery with this name, the usual one if it is empty.
fn delivery(name: &str) -> Result<Delivery, String> {
    let all = [Delivery::Any, Delivery::Fifo, Delivery::Causal];
    let found = all.into_iter().find(|one| one.name() == name);
    let found = found.or(name.is_empty().then(Delivery::default));
    found.ok_or_else(|| format!("there is no delivery #{name}; there are #any, #fifo and #causal"))
}

fn figures(
    space: &Space,
    findings: &Findings,
    computations: Option<&Computations>,
    costs: &Machine,
) -> Result<ExploredFigures, String> {
    let prices = space.prices(computations, costs, FRONTIER);
    let bounds = prices.bounds;
    let is_fair = findings.cycles == Cycles::Fair;
    if bounds.is_none() && !is_fair {
        return Err(
            "the costs of this program are not known: its states were not kept".to_string(),
        );
    }
    let written = findings.outcomes.iter();
    let written = written.filter(|outcome| outcome.failure.is_none());
    let results = written.map(|outcome| {
        let lines = outcome.written.iter().flat_map(|list| list.outputs.clone());
        lines.collect()
    });
    Ok(ExploredFigures {
        states: space.states(),
        transitions: space.transitions(),
        computations: findings.computations,
        cost: bounds.map_or(0, |bounds| bounds.largest.work),
        depth: bounds.map_or(0, |bounds| bounds.largest.depth),
        results: results.collect(),
        schedules: Vec::new(),
        failure: failure(findings),
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
