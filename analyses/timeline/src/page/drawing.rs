//! What the page draws, collected in one pass within bounds.

use std::collections::BTreeMap;

use tally_vm::Event;

use super::cpus::Cpus;
use super::holds::{Hold, Holds};
use super::kept::Kept;
use super::rows::{MOST_LOCKS, MOST_MARKS, Marks, Row};
use super::strips::Strips;
use super::tracks::Tracks;
use crate::following::Wait;
use crate::measured::{Extent, Measured, Window};
use crate::states::{Cause, State};

/// The most requests that are drawn: the longest.
const MOST_REQUESTS: usize = 400_000;
/// The most waits that are listed one by one: those that last to the end, then the longest.
const MOST_WAITS: usize = 20_000;
/// The most marks of requests that are under way.
const MOST_OPEN_MARKS: usize = 1 << 20;

/// Strips, tracks, requests and waits of a timeline, for a page.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    window: Window,
    strips: Strips,
    tracks: Tracks,
    requests: Kept<Row>,
    waits: Kept<Wait>,
    holds: Holds,
    cpus: Cpus,
    /// Marks of requests that have not ended.
    open: BTreeMap<u32, Marks>,
    open_marks: usize,
    /// Requests that have ended, and whose clients have no answer yet.
    unanswered: BTreeMap<u32, Row>,
}

impl Drawing {
    /// An empty one.
    pub(crate) fn new(extent: &Extent) -> Drawing {
        let window = Window {
            from: extent.window.from,
            to: extent.end.min(extent.window.to).max(extent.window.from),
        };
        Drawing {
            window,
            strips: Strips::new(window),
            tracks: Tracks::new(window),
            requests: Kept::new(MOST_REQUESTS),
            waits: Kept::new(MOST_WAITS),
            holds: Holds::new(window),
            cpus: Cpus::new(window, !extent.is_segment || extent.window.from == 0),
            open: BTreeMap::new(),
            open_marks: 0,
            unanswered: BTreeMap::new(),
        }
    }

    pub(crate) fn spent(&mut self, processor: u32, state: State, from: u64, to: u64) {
        self.strips.spent(processor, state, from, to);
        self.tracks.spent(state, from, to);
        if matches!(state, State::Running | State::Overhead) {
            self.cpus.busy(processor, from, to);
        }
    }

    /// An event, before anything that follows from it.
    pub(crate) fn event(&mut self, event: &Event) {
        self.holds.event(event);
        self.cpus.event(event);
    }

    /// The condition of a request was evaluated.
    pub(crate) fn evaluated(&mut self, request: u32, time: u64, is_true: bool) {
        if self.window.contains(time)
            && let Some(marks) = self.marks(request)
            && marks.evaluations.len() < MOST_MARKS
        {
            marks.evaluations.push((time, is_true));
            self.open_marks += 1;
        }
    }

    /// A request locks a processor.
    pub(crate) fn wants(&mut self, request: u32, supplier: u32) {
        if let Some(marks) = self.marks(request)
            && marks.locks.len() < MOST_LOCKS
            && !marks.locks.contains(&supplier)
        {
            marks.locks.push(supplier);
            self.open_marks += 1;
        }
    }

    fn marks(&mut self, request: u32) -> Option<&mut Marks> {
        let has_room = self.open_marks < MOST_OPEN_MARKS;
        has_room.then(|| self.open.entry(request).or_default())
    }

    /// The request has ended, or will not end.
    pub(crate) fn ended(&mut self, number: u32, part: Measured) {
        let marks = self.open.remove(&number).unwrap_or_default();
        self.open_marks -= marks.evaluations.len() + marks.locks.len();
        let row = Row {
            number,
            answered: None,
            marks,
            measured: part,
        };
        match row.measured.waits && row.measured.returns.is_some() {
            true => drop(self.unanswered.insert(number, row)),
            false => self.add(row),
        }
    }

    /// The client has the answer of a request.
    pub(crate) fn answered(&mut self, number: u32, time: u64) {
        if let Some(mut row) = self.unanswered.remove(&number) {
            row.answered = Some(time.clamp(self.window.from, self.window.to));
            self.add(row);
        }
    }

    fn add(&mut self, row: Row) {
        let last = row.answered.or(row.measured.returns);
        let begins = row.measured.begins().unwrap_or(self.window.to);
        let length = last.unwrap_or(self.window.to).saturating_sub(begins);
        self.requests.add(length, row);
    }

    /// The part of a wait that is in the window. One that lasts to the end counts even if it has no ticks.
    pub(crate) fn waited(&mut self, wait: Wait) {
        if wait.cause == Cause::Queue {
            self.tracks.queued(wait.from, wait.to);
        }
        let inside = |moment: u64| moment.clamp(self.window.from, self.window.to);
        let wait = Wait {
            from: inside(wait.from),
            to: inside(wait.to),
            ..wait
        };
        if wait.from < wait.to || wait.lasts {
            let ticks = wait.to.saturating_sub(wait.from);
            self.waits.add_lasting(ticks, wait.lasts, wait);
        }
    }

    /// What is drawn, after the last event.
    pub(crate) fn finish(mut self) -> Drawn {
        for (_, row) in std::mem::take(&mut self.unanswered) {
            self.add(row);
        }
        self.strips.join();
        let (holds, all_holds) = self.holds.finish();
        Drawn {
            holds,
            all_holds,
            cpus: self.cpus,
            strips: self.strips,
            tracks: self.tracks,
            all_requests: self.requests.added(),
            requests: self.requests.finish(),
            all_waits: self.waits.added(),
            waits: self.waits.finish(),
        }
    }
}

/// What a page draws.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub(super) strips: Strips,
    pub(super) tracks: Tracks,
    /// The longest first.
    pub(super) requests: Vec<Row>,
    pub(super) all_requests: u64,
    /// Those that last to the end, then the longest.
    pub(super) waits: Vec<Wait>,
    pub(super) all_waits: u64,
    /// In the same order.
    pub(super) holds: Vec<Hold>,
    pub(super) all_holds: u64,
    pub(super) cpus: Cpus,
}
