//! Linked code: the words that the loop executes, the tables that they refer to by numbers, and the caches of lookups.

mod caches;
mod guards;
mod links;
mod methods;
mod records;
mod short_cuts;
mod target;
mod words;

use crate::base::Value;
use guards::Guards;
use links::Links;
use short_cuts::ShortCutPrimitives;

pub(crate) use caches::{LookupCache, empty_cache};
pub(crate) use guards::{Detour, Kinds};
pub(crate) use records::{CASES, CacheRecords, Foreseen, Outcome, Pair, UNFORESEEN};
pub(crate) use short_cuts::UNKNOWN;
pub(crate) use target::{
    Activation, BLOCK_HEAD_SLOTS, CodeTable, Entry, LinkedSite, Target, Targets, cache_of,
    send_before,
};
pub(crate) use words::CodeWords;

/// The rows of growing tables that the collector may skip in its search for young objects.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settled {
    pub(crate) literals: usize,
    pub(crate) targets: usize,
}

/// The code of a machine as the loop executes it.
#[derive(Default)]
pub(crate) struct LinkedCode {
    pub(crate) targets: Targets,
    pub(crate) sites: Vec<LinkedSite>,
    pub(crate) literals: Vec<Value>,
    /// The linked code of methods by their numbers, as far as it was needed.
    pub(crate) links: Links,
    /// Literals and targets before these were there at the last collection of the nursery.
    pub(crate) settled: Settled,
    /// Sends with a filled inline cache: the addresses of their first words.
    pub(crate) filled_caches: Vec<*mut u64>,
    /// What inline caches refer to beside targets.
    pub(crate) cache_records: CacheRecords,
    pub(crate) short_cut_primitives: Box<ShortCutPrimitives>,
    /// Which short cuts are closed.
    pub(crate) guards: Box<Guards>,
    /// An object may have fewer slots than its code uses, so the loop has to check.
    pub(crate) checks_slots: bool,
}

impl LinkedCode {
    /// The code of a copy of the machine: shared, with empty caches.
    pub(crate) fn fork(&mut self) -> LinkedCode {
        let LinkedCode {
            targets,
            sites,
            literals,
            links,
            settled: _,
            filled_caches: _,
            cache_records: _,
            short_cut_primitives: _,
            guards,
            checks_slots,
        } = self;
        LinkedCode {
            targets: targets.copy(),
            sites: sites.clone(),
            literals: literals.clone(),
            links: links.copy(),
            settled: Settled::default(),
            filled_caches: Vec::new(),
            cache_records: CacheRecords::default(),
            short_cut_primitives: Box::default(),
            guards: guards.clone(),
            checks_slots: *checks_slots,
        }
    }
}
