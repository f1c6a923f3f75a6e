//! The successors of some states. Threads expand slices of a level.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::fingerprint::Fingerprint;
use crate::program::Program;
use crate::space::Space;
use crate::state::{Delivery, Scratch, State, Taken};
use crate::tables::{NONE, Tables};

/// More choices than these have no numbers of 16 bits. A state with more pending messages is not expanded.
pub(crate) const MOST_CHOICES: u32 = 1 << 16;

/// The successors of a slice of states.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slice {
    /// For each state, how many successors it has.
    pub(crate) counts: Vec<u32>,
    pub(crate) successors: Vec<Successor>,
    /// The bytes of successors that may be new.
    pub(crate) bytes: Vec<u8>,
    pub(crate) lossy: u64,
    pub(crate) has_conflicts: bool,
    pub(crate) most_actors: u32,
    pub(crate) most_pending: u32,
}

/// Bytes of successors after which a slice ends.
const FULL: usize = 4 << 20;
/// Bytes up to which the memory of a slice is used again.
const SMALL: usize = 1 << 18;
/// Slices for each thread whose successors are in memory together. With more of them, more successors are encoded that another slice has.
pub(crate) const SLICES: usize = 16;

impl Slice {
    fn is_full(&self) -> bool {
        self.bytes.len() > FULL
    }

    fn is_small(&self) -> bool {
        self.bytes.capacity() + self.successors.capacity() * size_of::<Successor>() <= SMALL
    }

    /// An empty slice in the memory of this one.
    fn emptied(mut self) -> Slice {
        self.counts.clear();
        self.successors.clear();
        self.bytes.clear();
        Slice {
            counts: self.counts,
            successors: self.successors,
            bytes: self.bytes,
            ..Slice::default()
        }
    }
}

/// A successor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Successor {
    pub(crate) fingerprint: Fingerprint,
    /// Its number, or [`NONE`] if it may be new.
    pub(crate) number: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What one thread needs to expand states.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expander {
    scratch: Scratch,
    state: State,
    next: State,
    places: Vec<u32>,
    turns: Vec<Taken>,
    targets: Vec<u32>,
    /// Empty slices, whose memory is used again. Threads would wait for each other in the allocator.
    spare: Vec<Slice>,
}

impl Expander {
    /// Takes back a slice that is not needed any more.
    pub(crate) fn reuse(&mut self, slice: Slice) {
        if slice.is_small() && self.spare.len() < SLICES {
            self.spare.push(slice.emptied());
        }
    }

    /// Expands states of a space, the first of them at least, up to a state with more than `most` pending messages. The program executes
    /// the turns that the tables do not know.
    ///
    /// # Errors
    ///
    /// Those of the program.
    pub(crate) fn expand<P: Program>(
        &mut self,
        space: &mut Space,
        program: &mut P,
        states: Range<u32>,
        most: u32,
    ) -> Result<Slice, P::Error> {
        let mut slice = self.spare.pop().unwrap_or_default();
        for number in states {
            if !self.begin(space, number, most, &mut slice) {
                break;
            }
            for place in &self.places {
                let taken = self.state.turn(*place, &mut space.tables, program)?;
                self.turns.push(taken);
            }
            self.finish(space, number, &mut slice);
            if slice.is_full() {
                break;
            }
        }
        Ok(slice)
    }

    /// Expands states of a space whose turns the tables know. None if they do not know one.
    pub(crate) fn expand_known(
        &mut self,
        space: &Space,
        states: Range<u32>,
        most: u32,
    ) -> Option<Slice> {
        let mut slice = self.spare.pop().unwrap_or_default();
        for number in states {
            if !self.begin(space, number, most, &mut slice) {
                break;
            }
            for place in &self.places {
                self.turns.push(self.state.known(*place, &space.tables)?);
            }
            self.finish(space, number, &mut slice);
            if slice.is_full() {
                break;
            }
        }
        Some(slice)
    }

    /// Loads a state and its choices. Answers false if it has more than `most` pending messages: its successors may need more memory
    /// than there is.
    fn begin(&mut self, space: &Space, number: u32, most: u32, slice: &mut Slice) -> bool {
        space.load(number, &mut self.state);
        let pending = self.state.pending.len() as u32;
        slice.most_pending = slice.most_pending.max(pending);
        if pending > most {
            return false;
        }
        let Expander {
            scratch,
            state,
            places,
            ..
        } = self;
        state.choices(space.delivery, &space.tables, scratch, places);
        self.turns.clear();
        true
    }

    /// Adds the successors of the state.
    fn finish(&mut self, space: &Space, number: u32, slice: &mut Slice) {
        let (delivery, tables) = (space.delivery, &space.tables);
        slice.counts.push(self.places.len() as u32);
        slice.most_actors = slice.most_actors.max(self.state.actors.len() as u32);
        if !slice.has_conflicts && !space.has_conflicts {
            slice.has_conflicts = self.has_conflict(delivery, tables);
        }
        let first = slice.successors.len();
        let before = space.fingerprint(number);
        for (place, taken) in self.places.iter().zip(&self.turns) {
            let simple = match delivery {
                Delivery::Any => self.state.simple_next(before, *place, *taken, tables),
                _ => None,
            };
            let fingerprint = simple.unwrap_or_else(|| {
                self.next.copy(&self.state);
                let lost = self.next.take(*place, *taken, tables);
                slice.lossy += u64::from(lost > 0);
                self.next.fingerprint(delivery, tables, &mut self.scratch)
            });
            slice.successors.push(Successor {
                fingerprint,
                number: NONE,
                start: 0,
                end: 0,
            });
        }
        // Nothing else is between two look-ups, so that the processor waits for the memory of several at once.
        let successors = &mut slice.successors[first..];
        for successor in successors.iter_mut() {
            successor.number = space.find(successor.fingerprint).unwrap_or(NONE);
        }
        let choices = self.places.iter().zip(&self.turns).zip(successors);
        for ((place, taken), successor) in choices.filter(|(_, next)| next.number == NONE) {
            self.next.copy(&self.state);
            self.next.take(*place, *taken, tables);
            successor.start = slice.bytes.len() as u32;
            self.next.encode(&mut slice.bytes);
            successor.end = slice.bytes.len() as u32;
        }
    }

    /// Whether the order of two events matters that can happen next: of messages to one actor, and of a failure, which ends all.
    fn has_conflict(&mut self, delivery: Delivery, tables: &Tables) -> bool {
        let mut turns = self.turns.iter();
        let fails = |taken: &Taken| tables.turns[taken.turn as usize].failure != NONE;
        if self.places.len() > 1 && turns.any(fails) {
            return true;
        }
        // Of equal messages there is one choice, but both can arrive.
        let all = 0..self.state.pending.len() as u32;
        self.targets.clear();
        let target = |place: u32| tables.target(self.state.pending[place as usize]).0;
        match delivery {
            Delivery::Any if self.state.failed.is_none() => self.targets.extend(all.map(target)),
            _ => self
                .targets
                .extend(self.places.iter().map(|place| target(*place))),
        }
        self.targets.sort_unstable();
        self.targets.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// Expands slices of a level, with a thread for each expander. A slice whose turns are not all known is None.
pub(crate) fn expand_known(
    expanders: &mut [Expander],
    space: &Space,
    slices: &[Range<u32>],
    most: u32,
) -> Vec<Option<Slice>> {
    let next = AtomicUsize::new(0);
    let work = |expander: &mut Expander| {
        let mut done = Vec::new();
        while let Some(slice) = slices.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = expander.expand_known(space, slice.clone(), most);
            done.push((slice.start, found));
        }
        done
    };
    let mut all: Vec<(u32, Option<Slice>)> = thread::scope(|scope| {
        let threads = expanders.iter_mut();
        let threads: Vec<_> = threads.map(|one| scope.spawn(|| work(one))).collect();
        let threads = threads.into_iter();
        let done = threads.map(|thread| thread.join().unwrap_or_else(|why| resume_unwind(why)));
        done.flatten().collect()
    });
    all.sort_unstable_by_key(|(start, _)| *start);
    all.into_iter().map(|(_, slice)| slice).collect()
}
