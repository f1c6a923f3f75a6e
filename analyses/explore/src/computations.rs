//! All computations of a program, as sets of events. The sets are found level by level, by the number of their events. There are
//! exponentially many sets when actors do not depend on each other, so that their number has a bound.

use hashbrown::HashSet;

use crate::fingerprint::Fingerprint;
use crate::program::Program;
use crate::space::Space;
use crate::state::{Scratch, State};
use crate::unfolding::{Prefix, Unfolding};

/// A computation: the paper's Ψ.
#[derive(Debug, Clone)]
pub struct Computation {
    /// Its events in an order in which they can happen, as numbers of the unfolding.
    pub(crate) events: Vec<u32>,
    /// Its final state.
    pub(crate) state: State,
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
    /// All computations. None if they have more than `most` prefixes.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub fn computations<P: Program>(
        &mut self,
        program: &mut P,
        most: u64,
    ) -> Result<Option<Computations>, P::Error> {
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
                prefix.arrivals(delivery, tables, &mut scratch, &mut places);
                if places.is_empty() {
                    all.push(computation(prefix, &unfolding));
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

fn computation(prefix: Prefix, unfolding: &Unfolding) -> Computation {
    Computation {
        events: prefix.events(unfolding),
        state: prefix.state,
    }
}
