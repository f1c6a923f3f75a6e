//! How long the run would be if features were faster, with the same events in the same order.

use std::rc::Rc;

use super::{Graph, Passes, Stretch, Weigher};
use crate::measured::Window;
use crate::names::FeatureId;

/// A part of the ticks of a feature that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Less {
    pub(crate) feature: Option<FeatureId>,
    /// The part is `cut` of `of`, at most 1.
    pub(crate) cut: u64,
    pub(crate) of: u64,
}

/// The longest way to a moment: its length in ticks, and the ticks of the feature on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) ticks: u64,
    pub(crate) of_feature: u64,
}

impl Less {
    /// The length without the part, `of` times.
    pub(crate) fn weighs(&self, length: Length) -> u128 {
        let all = u128::from(length.ticks) * u128::from(self.of);
        all.saturating_sub(u128::from(length.of_feature) * u128::from(self.cut))
    }
}

/// Measures the longest ways for several changes at once.
#[derive(Debug)]
pub(crate) struct Parametric {
    changes: Vec<Less>,
    /// Ticks outside of it are not left out.
    window: Window,
}

impl Parametric {
    pub(crate) fn new(changes: Vec<Less>, window: Window) -> Parametric {
        Parametric { changes, window }
    }
}

impl Weigher for Parametric {
    /// A length for each change.
    type Value = Rc<[Length]>;

    fn begin(&mut self) -> Self::Value {
        self.changes.iter().map(|_| Length::default()).collect()
    }

    fn after(&mut self, value: &Self::Value, stretch: Stretch) -> Self::Value {
        let is_work = stretch.passes == Passes::Running;
        let until = stretch.from.saturating_add(stretch.ticks);
        let inside = self.window.overlap(stretch.from, until);
        let longer = |(length, change): (&Length, &Less)| {
            let is_its = is_work && stretch.feature.is_some() && change.feature == stretch.feature;
            let more = if is_its { inside } else { 0 };
            Length {
                ticks: length.ticks.saturating_add(stretch.ticks),
                of_feature: length.of_feature.saturating_add(more),
            }
        };
        value.iter().zip(&self.changes).map(longer).collect()
    }

    fn both(&mut self, one: &Self::Value, other: &Self::Value, _is_other: bool) -> Self::Value {
        if Rc::ptr_eq(one, other) {
            return Rc::clone(one);
        }
        let pairs = one.iter().zip(other.iter()).zip(&self.changes);
        let longer = |((one, other), change): ((&Length, &Length), &Less)| match change
            .weighs(*other)
            > change.weighs(*one)
        {
            true => *other,
            false => *one,
        };
        pairs.map(longer).collect()
    }
}

impl Graph<Parametric> {
    /// The longest way of all for each change.
    pub(crate) fn longest(&mut self, end: u64) -> Vec<Length> {
        let mut longest = self.finish(end);
        let ends: Vec<_> = self.ends().cloned().collect();
        for value in ends {
            longest = self.weigher.both(&longest, &value, false);
        }
        longest.to_vec()
    }
}
