//! Orders in which a profile's methods are shown. Every order is total, so that equal counts never
//! leave the sequence to chance.

use std::cmp::Ordering;

use crate::profile::{MethodProfile, Profile};

/// What methods are ranked by, the greatest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Sends below the method, its own included.
    #[default]
    Total,
    /// Sends in the method itself and its blocks.
    Own,
    /// Activations of the method.
    Calls,
}

impl Order {
    /// The number that this order looks at first.
    pub fn key(self, method: &MethodProfile) -> u64 {
        match self {
            Order::Total => method.total,
            Order::Own => method.own,
            Order::Calls => method.calls,
        }
    }
}

/// The methods of a profile in an order.
pub fn ranked(profile: &Profile, order: Order) -> Vec<&MethodProfile> {
    let mut methods: Vec<&MethodProfile> = profile.methods.iter().collect();
    methods.sort_by(|a, b| compare(order, a, b));
    methods
}

pub(crate) fn compare(order: Order, a: &MethodProfile, b: &MethodProfile) -> Ordering {
    let keys = |m: &MethodProfile| (order.key(m), m.total, m.own, m.calls, m.block_calls);
    let names = |m: &MethodProfile| (m.name.clone(), m.file.clone(), m.line, m.digest.clone());
    keys(b).cmp(&keys(a)).then_with(|| names(a).cmp(&names(b)))
}
