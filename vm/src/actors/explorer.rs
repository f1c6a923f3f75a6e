//! Who explores the programs of actors of assertions. The machine gives away a copy of itself that stands still behind a block; a crate
//! that knows states and computations explores it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{ActorsAtStart, AskedTurn, TurnDone, TurnFault};

/// What is to be explored, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplorationRequest {
    /// The order in which messages may arrive, by name; empty for the usual one.
    pub delivery: String,
    /// The machine that prices messages, by name; empty for one on which they cost nothing.
    pub costs: String,
}

/// What an exploration has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExploredFigures {
    /// The states.
    pub states: u64,
    /// The transitions between them.
    pub transitions: u64,
    /// The computations, if they were counted.
    pub computations: Option<u64>,
    /// The largest Work of a computation, in ticks, if it is known exactly.
    pub cost: Option<u64>,
    /// The largest Depth, in ticks, if it is known exactly.
    pub depth: Option<u64>,
    /// What each result writes, line by line: the actors' lines by their names.
    pub results: Vec<Vec<String>>,
    /// A schedule to each result, in lines. Those of many results are left out: their texts are empty.
    pub schedules: Vec<String>,
    /// What fails in some schedule, with the schedule, or why there may be no end.
    pub failure: Option<String>,
}

/// The most outcomes of a run that are kept, and the most characters of each.
const MOST_OUTCOMES: usize = 1_000;
const MOST_CHARACTERS: usize = 200;

/// What all explorations of a run have found, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplorationTotals {
    /// The states.
    pub states: u64,
    /// The computations, as far as they were counted.
    pub computations: u64,
    /// The largest Work of each exploration, in ticks, as far as it is known.
    pub cost: u64,
    /// The largest Depth of each exploration, in ticks, as far as it is known.
    pub depth: u64,
    /// The results of the programs. Only the first 1,000 are kept, and 200 characters of each.
    pub outcomes: BTreeSet<String>,
}

impl ExplorationTotals {
    pub(crate) fn add(&mut self, figures: &ExploredFigures) {
        let add = |sum: &mut u64, more: Option<u64>| {
            *sum = sum.saturating_add(more.unwrap_or(0));
        };
        add(&mut self.states, Some(figures.states));
        add(&mut self.computations, figures.computations);
        add(&mut self.cost, figures.cost);
        add(&mut self.depth, figures.depth);
        let written = figures.results.iter().map(|lines| match lines.is_empty() {
            true => "nothing".to_string(),
            false => lines.join(", "),
        });
        for outcome in written {
            if self.outcomes.len() < MOST_OUTCOMES {
                self.outcomes
                    .insert(outcome.chars().take(MOST_CHARACTERS).collect());
            }
        }
    }
}

/// Executes turns, each by itself: the machine behind a script whose messages it has held back.
pub trait TurnMachine: Send {
    /// Executes one turn.
    ///
    /// # Errors
    /// Why it cannot be said what the turn does.
    fn turn(&mut self, asked: &AskedTurn<'_>) -> Result<TurnDone, TurnFault>;

    /// The contents of a behaviour or message as a text: of a behaviour its class and variables, of a message its selector and arguments.
    /// Addresses appear as slots: `{0}`.
    fn text(&self, bytes: &[u8]) -> String;
}

/// Explores programs of actors.
pub trait ActorExplorer: Send + Sync {
    /// Explores what the machine has left. The machine executes the turns.
    ///
    /// # Errors
    /// A sentence, if the program cannot be explored to its end.
    fn explore(
        &self,
        machine: Box<dyn TurnMachine>,
        start: ActorsAtStart,
        request: &ExplorationRequest,
    ) -> Result<ExploredFigures, String>;
}

/// The explorer of a machine, if it has one.
#[derive(Clone, Default)]
pub(crate) struct Explorer(pub(crate) Option<Arc<dyn ActorExplorer>>);

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Explorer").field(&self.0.is_some()).finish()
    }
}
