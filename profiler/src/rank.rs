//! The orders in which a profile's methods are shown. Every order is total, so that methods with equal counts have a
//! fixed sequence.

use std::cmp::Ordering;

use crate::profile::{MethodProfile, Profile};
use crate::tree::Measure;

/// The count that methods are ranked by, the greatest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Sends below the method, its own included.
    #[default]
    Total,
    /// Sends in the method itself and its blocks.
    Own,
    /// Activations of the method.
    Calls,
    /// Objects allocated in the method and its blocks.
    Objects,
    /// Their bytes.
    Bytes,
    /// Work in the method itself and its blocks.
    Work,
    /// Work below the method, its own included.
    TotalWork,
}

impl Order {
    /// The number that this order looks at first.
    pub fn key(self, method: &MethodProfile) -> u64 {
        match self {
            Order::Total => method.total,
            Order::Own => method.own,
            Order::Calls => method.calls,
            Order::Objects => method.allocations.objects,
            Order::Bytes => method.allocations.bytes,
            Order::Work => method.own_work,
            Order::TotalWork => method.total_work,
        }
    }

    /// The name of this order in a report.
    pub fn name(self) -> &'static str {
        match self {
            Order::Total => "total",
            Order::Own => "own",
            Order::Calls => "calls",
            Order::Objects => "objects",
            Order::Bytes => "bytes",
            Order::Work => "work",
            Order::TotalWork => "total work",
        }
    }

    /// The whole of this order's shares.
    pub fn whole(self, profile: &Profile) -> u64 {
        let cost = &profile.cost;
        match self {
            Order::Total | Order::Own => cost.sends,
            Order::Calls => cost.activations,
            Order::Objects => cost.allocations.objects,
            Order::Bytes => cost.allocations.bytes,
            Order::Work | Order::TotalWork => profile.work(),
        }
    }

    /// The weight of contexts for this order.
    pub fn measure(self) -> Measure {
        match self {
            Order::Total | Order::Own | Order::Calls => Measure::Sends,
            Order::Objects => Measure::Objects,
            Order::Bytes => Measure::Bytes,
            Order::Work | Order::TotalWork => Measure::Work,
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
    let by_name = || {
        let a = (&a.name, &a.file, a.line, &a.digest);
        a.cmp(&(&b.name, &b.file, b.line, &b.digest))
    };
    keys(b).cmp(&keys(a)).then_with(by_name)
}
