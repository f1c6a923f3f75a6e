//! What is remembered of the past while a timeline is followed: the moments that later events may have waited for.

use crate::names::FeatureId;

/// A moment of the run, and what led to it.
#[derive(Clone, Debug)]
pub(super) struct Point<V> {
    pub(super) time: u64,
    pub(super) value: V,
}

/// A processor.
#[derive(Clone, Debug)]
pub(super) struct Place<V> {
    /// The last thing that it did, or that happened to it.
    pub(super) last: Point<V>,
    /// Where it used a CPU last, if a processor can still wait for that.
    pub(super) busy: Option<Point<V>>,
    /// Requests under way, the outermost first.
    pub(super) open: Vec<u32>,
    /// How many answers it waits for.
    pub(super) awaits: u32,
    /// The begin of its wait, and the feature that waits.
    pub(super) waits: Option<(u64, FeatureId)>,
    pub(super) is_asleep: bool,
    /// Whose locks its scope wants, or wanted last.
    pub(super) wants: Vec<u32>,
    /// When its lock came back last.
    pub(super) lock_back: Option<Point<V>>,
    /// The processor whose scope has its lock.
    pub(super) holder: Option<u32>,
    /// The end of the scope that has its lock.
    pub(super) scope_end: Option<Point<V>>,
    /// The CPU that it had last.
    pub(super) cpu: Option<usize>,
    /// When it got a CPU, and the one that had that CPU before.
    pub(super) dispatched: Option<(u64, Option<Point<V>>)>,
    /// How long that CPU took to switch.
    pub(super) switch: u64,
}

impl<V: Clone> Place<V> {
    pub(super) fn new(last: Point<V>) -> Place<V> {
        Place {
            last,
            busy: None,
            open: Vec::new(),
            awaits: 0,
            waits: None,
            is_asleep: false,
            wants: Vec::new(),
            lock_back: None,
            holder: None,
            scope_end: None,
            cpu: None,
            dispatched: None,
            switch: 0,
        }
    }

    /// Nothing that happens from now on waits for what was over at the moment. What a processor that is idle or waits has done is no cause
    /// either: what lets it go on is yet to come.
    pub(super) fn let_go(&mut self, moment: u64, past: &Point<V>) {
        for point in [&mut self.busy, &mut self.lock_back] {
            point.take_if(|point| point.time < moment);
        }
        let rests = self.open.is_empty() || self.waits.is_some();
        if rests && !self.is_asleep && self.dispatched.is_none() && self.last.time < past.time {
            self.last = past.clone();
        }
    }

    /// Shows all values that it remembers, and the begin of its wait.
    pub(super) fn show<'p>(
        &'p mut self,
        values: &mut Vec<&'p mut V>,
        waits: &mut Vec<&'p mut u64>,
    ) {
        let before = self
            .dispatched
            .as_mut()
            .and_then(|(_, before)| before.as_mut());
        let points = [&mut self.busy, &mut self.lock_back, &mut self.scope_end];
        let points = points.into_iter().flatten().chain(before);
        let all = points.chain([&mut self.last]);
        values.extend(all.map(|point| &mut point.value));
        waits.extend(self.waits.as_mut().map(|(since, _)| since));
    }
}

/// A request under way.
#[derive(Clone, Debug)]
pub(super) struct Row<V> {
    pub(super) feature: FeatureId,
    pub(super) supplier: u32,
    pub(super) waits: bool,
    pub(super) is_local: bool,
    pub(super) is_callback: bool,
    pub(super) called: Option<Point<V>>,
    /// When the central scheduler approved that it locks its supplier for itself alone.
    pub(super) approved: Option<Point<V>>,
    pub(super) returned: Option<Point<V>>,
    /// The processors whose locks its scope has.
    pub(super) locked: Vec<u32>,
}

/// A CPU.
#[derive(Clone, Debug)]
pub(super) enum Cpu<V> {
    /// The processor that had it last has had no other since.
    Of(u32),
    /// It was left there, if a processor can still wait for that.
    Left(Option<Point<V>>),
}
