//! Functions and the calls between them, without stacks. The total of a function is its own count and the counts of the
//! calls that leave it. Where functions call each other in a cycle, such a file has no totals
//! of each. So all functions of a cycle have the total of the cycle.
//!
//! The formats give no sum for the inclusive counts of calls. Recursive calls contain each other, so valgrind writes
//! more for them than the program cost, and some writers round. So a call has at most the total of its
//! callee, and a total is at most the whole.

use std::collections::{BTreeMap, HashMap};

use super::function::{Function, Functions};
use super::{ImportError, blank};
use crate::profile::{Call, Profile};
use crate::rank::{Order, compare};
use crate::recording::MAX_MEMORY;
use crate::unit::Unit;

/// Calls from one function to another.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    calls: u64,
    total: u64,
}

/// About the bytes of an edge here and of its call in the profile.
const EDGE: usize = 160;

/// The counts of a file.
#[derive(Debug, Default)]
pub(super) struct Graph {
    functions: Functions,
    own: Vec<u64>,
    edges: HashMap<(u32, u32), Edge>,
}

impl Graph {
    /// The number of a function.
    ///
    /// # Errors
    /// The functions or calls would take more memory than a profile may.
    pub(super) fn number(&mut self, function: Function) -> Result<u32, ImportError> {
        if self.edges.len() > MAX_MEMORY / EDGE {
            return Err(ImportError::too_much_memory());
        }
        let number = self.functions.number(function)?;
        self.own.resize(self.functions.len(), 0);
        Ok(number)
    }

    /// Adds counts of a function's own; answers whether the sum has room.
    pub(super) fn add_own(&mut self, function: u32, count: u64) -> bool {
        let own = &mut self.own[function as usize];
        own.checked_add(count).map(|sum| *own = sum).is_some()
    }

    /// Notes a line of a function.
    pub(super) fn note_line(&mut self, function: u32, line: usize) {
        self.functions.note_line(function, line);
    }

    /// Adds calls; answers whether the sums have room.
    pub(super) fn add_call(&mut self, caller: u32, callee: u32, calls: u64, total: u64) -> bool {
        let edge = self.edges.entry((caller, callee)).or_default();
        let sums = edge
            .calls
            .checked_add(calls)
            .zip(edge.total.checked_add(total));
        if let Some((calls, total)) = sums {
            *edge = Edge { calls, total };
        }
        sums.is_some()
    }

    /// The sum of all own counts.
    pub(super) fn sum(&self) -> Option<u64> {
        self.own
            .iter()
            .try_fold(0_u64, |sum, own| sum.checked_add(*own))
    }

    /// The profile in a unit.
    pub(super) fn profile(self, unit: Unit, bytes: &[u8]) -> Result<Profile, ImportError> {
        let whole = self.sum().ok_or_else(ImportError::too_large)?;
        let edges: BTreeMap<(u32, u32), Edge> = self.edges.into_iter().collect();
        let cycles = crate::cycles::cycles(self.own.len(), edges.keys().copied());
        let totals = totals(&self.own, &edges, &cycles, whole);
        let mut calls = vec![0_u64; self.own.len()];
        let known = edges.iter().filter(|_| unit.calls);
        for ((_, callee), edge) in known {
            let sum = calls[*callee as usize].checked_add(edge.calls);
            calls[*callee as usize] = sum.ok_or_else(ImportError::too_large)?;
        }
        let mut rows = Vec::with_capacity(self.functions.len());
        for (number, mut method) in (0_u32..).zip(self.functions.methods()) {
            let at = number as usize;
            (method.calls, method.own, method.total) = (calls[at], self.own[at], totals[at]);
            rows.push((number, method));
        }
        rows.sort_by(|(_, a), (_, b)| {
            compare(Order::Total, a, b).then_with(|| a.package.cmp(&b.package))
        });
        let mut places = vec![0_u32; rows.len()];
        for (place, (number, _)) in (0_u32..).zip(&rows) {
            places[*number as usize] = place;
        }
        let has_calls = unit.calls;
        let mut profile = blank(unit, whole, bytes);
        let activations = calls.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n));
        profile.cost.activations = activations.ok_or_else(ImportError::too_large)?;
        profile.methods = rows.into_iter().map(|(_, method)| method).collect();
        let call = |((caller, callee), edge): (&(u32, u32), &Edge)| Call {
            caller: Some(places[*caller as usize]),
            callee: places[*callee as usize],
            calls: if has_calls { edge.calls } else { 0 },
            block_calls: 0,
            total: edge.total.min(totals[*callee as usize]),
            ..Call::default()
        };
        profile.calls = edges.iter().map(call).collect();
        profile.calls.sort_by_key(|call| (call.caller, call.callee));
        Ok(profile)
    }
}

/// The total of each function, at most the whole.
fn totals(own: &[u64], edges: &BTreeMap<(u32, u32), Edge>, cycles: &[u32], whole: u64) -> Vec<u64> {
    let count = cycles.iter().max().map_or(0, |last| *last as usize + 1);
    // What the file says from within a cycle, and from outside: a function may lack its own lines.
    let mut within: Vec<u128> = vec![0; count];
    let mut called: Vec<u128> = vec![0; count];
    for (own, cycle) in own.iter().zip(cycles) {
        within[*cycle as usize] += u128::from(*own);
    }
    for ((caller, callee), edge) in edges {
        let (from, to) = (cycles[*caller as usize], cycles[*callee as usize]);
        if from != to {
            within[from as usize] += u128::from(edge.total);
            called[to as usize] += u128::from(edge.total);
        }
    }
    let total = |cycle: &u32| {
        let total = within[*cycle as usize].max(called[*cycle as usize]);
        u64::try_from(total).map_or(whole, |total| total.min(whole))
    };
    cycles.iter().map(total).collect()
}
