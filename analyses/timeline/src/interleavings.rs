//! Calls outside of scopes that other clients came between: a request called a supplier twice, each call was atomic alone, and
//! another client was served in between.

use std::collections::{BTreeMap, HashMap};

use crate::measured::Measured;
use crate::names::FeatureId;

/// The most pairs of processors that are followed.
const MOST_PAIRS: usize = 1 << 20;

/// The request that sent a call, and the number of changes at the supplier when it served the call.
type Call = (Option<u32>, u64);

/// Counts them by the feature of the second call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interleavings {
    /// By supplier: the client that was served last, and how often that changed.
    served: HashMap<u32, (u32, u64)>,
    /// By client and supplier: the client's last call outside of a scope.
    last: HashMap<(u32, u32), Call>,
    counts: BTreeMap<FeatureId, u64>,
}

impl Interleavings {
    /// The supplier takes up a request, which has its lock alone if that is true. The first one creates the supplier's object.
    pub(crate) fn serves(&mut self, row: &Measured, is_alone: bool) {
        let Some(served) = self.served.get_mut(&row.supplier) else {
            self.served.insert(row.supplier, (row.client, 0));
            return;
        };
        if served.0 != row.client {
            *served = (row.client, served.1 + 1);
        }
        let changes = served.1;
        let pair = (row.client, row.supplier);
        if !is_alone || (self.last.len() >= MOST_PAIRS && !self.last.contains_key(&pair)) {
            return;
        }
        let before = self.last.insert(pair, (row.sender, changes));
        if before.is_some_and(|(sender, before)| sender == row.sender && before != changes) {
            *self.counts.entry(row.feature).or_default() += 1;
        }
    }

    /// The counts by feature.
    pub(crate) fn finish(self) -> BTreeMap<FeatureId, u64> {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::Interleavings;
    use crate::measured::Measured;

    fn serve(all: &mut Interleavings, client: u32, is_alone: bool, sender: u32) {
        let row = Measured {
            client,
            sender: Some(sender),
            supplier: 9,
            ..Measured::default()
        };
        all.serves(&row, is_alone);
    }

    /// The supplier has served its first request.
    fn created() -> Interleavings {
        let mut all = Interleavings::default();
        serve(&mut all, 1, true, 1);
        all
    }

    fn count(calls: &[(u32, bool)]) -> u64 {
        let mut all = created();
        for (client, is_alone) in calls {
            serve(&mut all, *client, *is_alone, *client);
        }
        all.finish().into_values().sum()
    }

    #[test]
    fn another_client_between_two_calls_counts() {
        assert_eq!(count(&[(1, true), (1, true)]), 0);
        // The first request is no call of a pair.
        assert_eq!(count(&[(2, true), (1, true)]), 0);
        assert_eq!(count(&[(1, true), (2, true), (1, true)]), 1);
        assert_eq!(count(&[(1, true), (2, false), (1, true), (1, true)]), 1);
        // 2 also has 1 between its calls.
        assert_eq!(count(&[(1, true), (2, true), (1, true), (2, true)]), 2);
    }

    #[test]
    fn calls_of_different_requests_are_no_pair() {
        let mut all = created();
        for (client, sender) in [(1, 5), (2, 6), (1, 7)] {
            serve(&mut all, client, true, sender);
        }
        assert!(all.finish().is_empty());
    }

    #[test]
    fn calls_in_scopes_are_no_pair() {
        assert_eq!(count(&[(1, false), (2, true), (1, false)]), 0);
        assert_eq!(count(&[(1, true), (2, true), (1, false)]), 0);
    }
}
