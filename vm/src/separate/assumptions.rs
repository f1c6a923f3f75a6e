//! What a run assumes that its program does not say, and what is observed in order to compare runs.
//! docs/TIMELINE.md, *Assumptions*, defines each.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::engine::{ProcessorId, RequestId};
use crate::base::{ClassId, MethodId, SymbolId, Value};

/// One changed assumption. Names are those that a timeline shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Ticks of the feature's requests take other time.
    Pace {
        /// Class and selector.
        feature: (String, String),
        /// How long they take.
        pace: Pace,
    },
    /// Arguments of this class and its subclasses cross as deep copies.
    Copy {
        /// The name of the class.
        class: String,
    },
    /// The send at this site does not wait for its answer.
    Async {
        /// File, line and column.
        site: String,
    },
    /// Delays in the feature's requests take another time.
    Delay {
        /// Class and selector.
        feature: (String, String),
        /// How long they take.
        pace: Pace,
    },
    /// Scopes of the feature take further locks, which scopes inside them wanted in another run.
    Together {
        /// Class and selector.
        feature: (String, String),
        /// What these scopes wanted.
        inner: InnerLocks,
    },
    /// A client uses the first answer of this query again.
    Cache {
        /// Class and selector.
        feature: (String, String),
    },
    /// The n-th processor for the second class is the n-th for the first one.
    Merge {
        /// The class whose processors are used.
        first: String,
        /// The class that gets no processors of its own.
        second: String,
    },
}

/// How long ticks take: `ticks` of them take `units` units of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Not 0.
    pub ticks: u64,
    /// 0 if they take no time.
    pub units: u64,
}

impl Pace {
    /// What this number of ticks takes, rounded down.
    pub(crate) fn of(self, ticks: u64) -> u64 {
        let units = u128::from(ticks) * u128::from(self.units) / u128::from(self.ticks.max(1));
        u64::try_from(units).unwrap_or(u64::MAX)
    }
}

/// Ticks of a request with a pace of its own, from where they are counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) pace: Pace,
    pub(crate) request: RequestId,
    /// Ticks that the request has executed before.
    pub(crate) before: u64,
}

impl Stretch {
    /// What these further ticks take. All stretches of a request are rounded down together.
    pub(crate) fn units(self, ticks: u64) -> u64 {
        let all = self.before.saturating_add(ticks);
        self.pace.of(all).saturating_sub(self.pace.of(self.before))
    }
}

/// What scopes inside the scopes of a feature want to lock: for the path of a client and the number of the outer scope there, from 0, the
/// paths of the suppliers.
pub type InnerLocks = BTreeMap<(Vec<u32>, u64), BTreeSet<Vec<u32>>>;

/// What distinguishes requests whose answers are compared: client, supplier, class and selector.
pub(crate) type AnswerKey = (ProcessorId, ProcessorId, ClassId, SymbolId);

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAnswer {
    /// When, in units of the clock.
    pub time: u64,
    /// Of the whole answer, as far as it is compared.
    pub digest: u64,
    /// The begin of what is compared.
    pub text: Box<str>,
}

/// The answers of a feature that a supplier gave a client, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswersOfPair {
    /// The path of the client.
    pub client: Vec<u32>,
    /// The path of the supplier.
    pub supplier: Vec<u32>,
    /// Class and selector.
    pub feature: (String, String),
    /// The answers.
    pub answers: Vec<GivenAnswer>,
}

/// A query with its receiver and arguments: client, owner of the receiver, its number there, selector, and arguments as texts.
pub(crate) type QueryKey = (ProcessorId, ProcessorId, i64, SymbolId, String);

/// The assumption of a run, and what is observed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assumed {
    pub(crate) assumption: Option<Assumption>,
    /// How often it made a difference.
    pub(crate) uses: u64,
    /// Whether features are the one that the assumption names.
    pub(crate) features: HashMap<(ClassId, SymbolId), bool>,
    /// Whether classes are the one that the assumption names, or below it.
    pub(crate) classes: HashMap<ClassId, bool>,
    /// Whether sites are the one that the assumption names.
    pub(crate) sites: HashMap<(MethodId, u32), bool>,
    /// The first answers of the cached query.
    pub(crate) cached: HashMap<QueryKey, Value>,
    /// Requests whose answers will be kept, by their numbers.
    pub(crate) to_cache: HashMap<u32, QueryKey>,
    /// Processors of the class whose processors are used.
    pub(crate) firsts: Vec<ProcessorId>,
    /// How many of the other class were wanted.
    pub(crate) seconds: usize,
    /// Paths that were not used, and those of the processors that are used instead.
    pub(crate) merged: Vec<(Vec<u32>, Vec<u32>)>,
    /// Scopes of the feature whose scopes inside are noted, by their requests: the number at the client.
    pub(crate) outer: HashMap<RequestId, u64>,
    /// How many of them each client has opened.
    pub(crate) opened: HashMap<ProcessorId, u64>,
    pub(crate) inner: InnerLocks,
    pub(crate) answers: HashMap<AnswerKey, Vec<GivenAnswer>>,
    pub(crate) answer_count: usize,
}

impl Assumed {
    /// Shows all values to the collector.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.cached.values_mut().for_each(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, RequestId, Stretch};

    #[test]
    fn stretches_of_a_request_are_rounded_together() {
        let pace = Pace { ticks: 3, units: 2 };
        let mut before = 0;
        let mut all = 0;
        for ticks in [1, 1, 1, 4, 0, 3] {
            let stretch = Stretch {
                pace,
                request: RequestId(0),
                before,
            };
            all += stretch.units(ticks);
            before += ticks;
        }
        // 10 ticks take 20 / 3 units.
        assert_eq!((before, all), (10, 6));
        assert_eq!(Pace { ticks: 1, units: 0 }.of(u64::MAX), 0);
        assert_eq!(Pace { ticks: 1, units: 9 }.of(u64::MAX), u64::MAX);
    }
}
