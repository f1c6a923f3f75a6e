//! How many schedules there are: the paths through the states, with every message on its own. They are the paths of the paper's tree
//! before equal states are merged.

use crate::cycles::{Components, Graph};
use crate::space::Space;
use crate::state::Delivery;

/// Numbers of schedules. A number of 2^128 or more is the largest one.
#[derive(Debug, Clone)]
pub(crate) struct Ways {
    /// From the start to each state.
    pub(crate) to: Vec<u128>,
}

impl Ways {
    /// The nodes of the tree whose equal states are not merged.
    pub(crate) fn nodes(&self) -> u128 {
        self.to
            .iter()
            .fold(0, |sum, ways| sum.saturating_add(*ways))
    }
}

impl Space {
    /// The numbers of schedules. None if there are infinitely many.
    pub(crate) fn ways(&self, components: &Components) -> Option<Ways> {
        if !components.cyclic.is_empty() {
            return None;
        }
        let mut to = vec![0u128; self.states() as usize];
        to[0] = 1;
        let mut graph = Graph::new(self);
        for state in components.order.iter().rev() {
            graph.load(*state);
            let ways = to[*state as usize];
            for (place, next) in graph.places.iter().zip(&graph.successors) {
                let pending = graph.state.pending[*place as usize];
                let equal = match self.delivery {
                    Delivery::Any => u128::from(graph.state.multiplicity(pending)),
                    _ => 1,
                };
                let next = &mut to[*next as usize];
                *next = next.saturating_add(ways.saturating_mul(equal));
            }
        }
        Some(Ways { to })
    }
}
