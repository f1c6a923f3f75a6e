//! The critical path of a run, who made others wait, and how much shorter the run would be without the ticks of a feature.

use std::collections::BTreeMap;

use tally_vm::Event;

use crate::endings::Circumstances;
use crate::graph::Graph;
use crate::graph::concurrency::Concurrency;
use crate::graph::parametric::{Length, Less, Parametric};
use crate::graph::path::{CriticalPath, Trails};
use crate::measured::Window;
use crate::names::{FeatureId, Names};
use crate::obstacles::Obstacle;
use crate::sink::{Accepted, Described, Origin, Sink};

/// Follows a whole run, and finds the critical path in a part of it.
#[derive(Debug)]
pub struct Critical(Graph<Trails>);

impl Critical {
    /// Of the part of a run in these circumstances.
    pub fn new(window: Window, circumstances: Circumstances) -> Critical {
        Critical(Graph::new(Trails::new(window), circumstances))
    }

    /// Adds up what all ways have in common whenever they have this number of stretches. Shares do not depend on it.
    #[must_use]
    pub fn with_room(mut self, stretches: usize) -> Critical {
        self.0.weigher.limit(stretches);
        self
    }

    /// The path of a run that ends at this moment, and the names of its features.
    pub fn finish(mut self, end: u64) -> (CriticalPath, Names) {
        let last = self.0.finish(end);
        let path = self.0.weigher.finish(last);
        let unexplained = self.0.unexplained;
        let path = CriticalPath {
            unexplained,
            ..path
        };
        (path, self.0.names)
    }
}

/// Follows a whole run as if features had needed fewer ticks: the same events in the same order.
#[derive(Debug)]
pub struct Shortened(Graph<Parametric>);

impl Shortened {
    /// Of a run in these circumstances, once for each of the changes of a part of it.
    pub(crate) fn new(
        changes: Vec<Less>,
        window: Window,
        circumstances: Circumstances,
    ) -> Shortened {
        let parametric = Parametric::new(changes, window);
        Shortened(Graph::new(parametric, circumstances))
    }

    /// The longest way for each change.
    pub(crate) fn finish(mut self, end: u64) -> Vec<Length> {
        self.0.longest(end)
    }
}

/// Follows a whole run, and finds the normalized processor time of features in a part of it.
#[derive(Debug)]
pub struct Normalized(Graph<Concurrency>);

impl Normalized {
    /// Of the part of a run in these circumstances.
    pub fn new(window: Window, circumstances: Circumstances) -> Normalized {
        Normalized(Graph::new(Concurrency::new(window), circumstances))
    }

    /// The times of the features that execute, in ticks. None if there are more than two million stretches of execution.
    pub fn finish(self) -> Option<BTreeMap<FeatureId, f64>> {
        self.0.weigher.times()
    }
}

macro_rules! follows_with_graph {
    ($($name:ident),*) => {$(
        impl Sink for $name {
            fn processor(&mut self, number: u32, origin: Origin, class: &str) -> Accepted {
                self.0.processor(number, origin, class)
            }

            fn request(&mut self, number: u32, request: &Described<'_>) -> Accepted {
                self.0.request(number, request)
            }

            fn obstacle(&mut self, number: u32, obstacle: &Obstacle<'_>) -> Accepted {
                self.0.obstacle(number, obstacle)
            }

            fn event(&mut self, event: &Event) -> Accepted {
                self.0.event(event)
            }
        }
    )*};
}

follows_with_graph!(Critical, Shortened, Normalized);

/// What a run would gain from fewer ticks of a feature, with the same events in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zeroing {
    /// The feature.
    pub feature: FeatureId,
    /// Ticks that the run would be shorter, if the feature took none.
    pub gained: u64,
    /// Ticks of the feature on the path that can be left out until the path leaves the feature. None if it never does.
    pub slack: Option<u64>,
}

/// The most features of a pass.
const MOST_AT_ONCE: usize = 64;

/// The most passes for slack. Each finds another path, which is shorter than those before.
const MOST_PASSES: usize = 24;

/// Finds what is gained from features of the critical path, whose ticks in the part of the run these are. Each pass replays the run,
/// which ends at this moment, into a sink.
///
/// # Errors
/// Those of the passes.
pub fn zeroing<E>(
    shares: &[(FeatureId, u64)],
    (window, end): (Window, u64),
    circumstances: Circumstances,
    mut replay: impl FnMut(&mut Shortened) -> Result<(), E>,
) -> Result<Vec<Zeroing>, E> {
    let mut found = Vec::new();
    for some in shares.chunks(MOST_AT_ONCE) {
        let mut pass = |changes: &[Less]| {
            let mut shortened = Shortened::new(changes.to_vec(), window, circumstances);
            replay(&mut shortened)?;
            Ok(shortened.finish(end))
        };
        found.extend(zeroing_of(some, end, &mut pass)?);
    }
    Ok(found)
}

/// Newton's method for the first path that becomes the longest while the ticks of a feature shrink: the length without a part is a
/// convex function of the part, made of straight lines, one for each path.
fn zeroing_of<E>(
    shares: &[(FeatureId, u64)],
    end: u64,
    pass: &mut impl FnMut(&[Less]) -> Result<Vec<Length>, E>,
) -> Result<Vec<Zeroing>, E> {
    let whole = |(feature, _): &(FeatureId, u64)| Less {
        feature: Some(*feature),
        cut: 1,
        of: 1,
    };
    let mut changes: Vec<Less> = shares.iter().map(whole).collect();
    let mut lengths = pass(&changes)?;
    let rest = |length: &Length| length.ticks.saturating_sub(length.of_feature);
    let gained: Vec<u64> = lengths
        .iter()
        .map(|one| end.saturating_sub(rest(one)))
        .collect();
    for _ in 0..MOST_PASSES {
        let mut is_settled = true;
        for ((change, length), (_, share)) in changes.iter_mut().zip(&lengths).zip(shares) {
            let own = Length {
                ticks: end,
                of_feature: *share,
            };
            if let Some(crossing) = crossing(own, *length, *change) {
                *change = crossing;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
        lengths = pass(&changes)?;
    }
    let all = shares.iter().zip(&changes).zip(gained);
    Ok(all
        .map(|(((feature, share), change), gained)| Zeroing {
            feature: *feature,
            gained,
            slack: (gained < *share).then(|| {
                let ticks = u128::from(*share) * u128::from(change.cut) / u128::from(change.of);
                u64::try_from(ticks).unwrap_or(*share)
            }),
        })
        .collect())
}

/// The part at which the other path becomes as long as the critical one, if it is longer with this part left out.
fn crossing(own: Length, other: Length, at: Less) -> Option<Less> {
    if at.weighs(other) <= at.weighs(own) {
        return None;
    }
    // Only a damaged trace has events behind its end, so that another path is longer than the run.
    let shorter = own.ticks.checked_sub(other.ticks)?;
    let fewer = own.of_feature.checked_sub(other.of_feature)?;
    let crossing = Less {
        cut: shorter,
        of: fewer,
        ..at
    };
    (fewer > 0 && shorter <= fewer).then_some(crossing)
}
