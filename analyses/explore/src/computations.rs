//! All computations of a program, as sets of events. The sets are found level by level, by the number of their events. There are
//! exponentially many sets when actors do not depend on each other, so that their number has a bound.

use hashbrown::HashSet;

use crate::fingerprint::Fingerprint;
use crate::program::Program;
use crate::space::Space;
use crate::state::{Scratch, State};
use crate::unfolding::{Prefix, Unfolding};

/// A computation: the paper's Ψ. Its events follow from the last ones: with all events of each, long computations would take much memory.
#[derive(Debug, Clone)]
pub struct Computation(Prefix);

impl Computation {
    /// Its events in an order in which they can happen, as numbers of the unfolding.
    pub(crate) fn events(&self, unfolding: &Unfolding) -> Vec<u32> {
        self.0.events(unfolding)
    }

    /// Its final state.
    pub(crate) fn state(&self) -> &State {
        &self.0.state
    }
}

/// All computations of a program.
#[derive(Debug, Clone)]
pub struct Computations {
    pub(crate) unfolding: Unfolding,
    pub(crate) all: Vec<Computation>,
    prefixes: u64,
}

impl Computations {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none. A program has one at least.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many sets of events are the beginning of a computation, or a computation.
    pub fn prefixes(&self) -> u64 {
        self.prefixes
    }
}

impl Space {
    /// All computations. None if they have more than `most` prefixes. Each state has one, and a cycle of states has prefixes without end.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub fn computations<P: Program>(
        &mut self,
        program: &mut P,
        most: u64,
    ) -> Result<Option<Computations>, P::Error> {
        let has_too_many = || self.has_graph() && !self.components().cyclic.is_empty();
        if self.states() > most || has_too_many() {
            return Ok(None);
        }
        let mut unfolding = Unfolding::default();
        let mut all = Vec::new();
        let mut level = vec![Prefix::new(self.start.clone())];
        let mut prefixes = 1;
        let mut scratch = Scratch::default();
        let mut places = Vec::new();
        while !level.is_empty() {
            let mut next: Vec<Prefix> = Vec::new();
            let mut known: HashSet<Fingerprint> = HashSet::new();
            for prefix in level {
                let (delivery, tables) = (self.delivery, &mut self.tables);
                let state = &prefix.state;
                state.arrivals(delivery, tables, &mut scratch, &mut places);
                if places.is_empty() {
                    all.push(Computation(prefix));
                    continue;
                }
                for place in &places {
                    let mut longer = prefix.clone();
                    longer.take(*place, &mut unfolding, tables, program)?;
                    if known.insert(longer.fingerprint) {
                        next.push(longer);
                        prefixes += 1;
                    }
                }
                if prefixes > most {
                    return Ok(None);
                }
            }
            level = next;
        }
        Ok(Some(Computations {
            unfolding,
            all,
            prefixes,
        }))
    }
}
