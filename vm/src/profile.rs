//! The recorder: own, total and calls of every method, from snapshots of the send counter at entry and
//! exit of frames (counting model, 3). It sends nothing, so nothing has to be subtracted.

#![allow(unsafe_code)]

use crate::class::MethodId;
use crate::code::Target;
use crate::vm::Vm;

/// What was counted for one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Activations of the method.
    pub calls: u64,
    /// Activations of blocks whose source stands in the method.
    pub block_calls: u64,
    /// Sends executed in the method and in its blocks.
    pub own: u64,
    /// Sends below the outermost activations of the method and its blocks, their own included.
    pub total: u64,
}

/// What is kept of a method during the run; how often it was entered is counted in its targets.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    own: u64,
    total: u64,
}

/// Tallies of all methods of a machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// By method.
    rows: Vec<Row>,
    tallies: Vec<(MethodId, Tally)>,
}

/// A frame of the recorder's own stack.
#[derive(Clone, Copy, Debug)]
struct Entry {
    method: u32,
    /// Sends of the process when the frame was entered.
    start: u64,
    /// Sends below the frames that it called and that have gone.
    of_callees: u64,
}

/// The recorder's own stack for one process, parallel to its frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    entries: Vec<Entry>,
    /// By method: how many entries there are up to the outermost one of the method and its blocks, 0 if there is none.
    outermost: Vec<u32>,
}

impl Shadow {
    /// Notes a frame's entry, if that needs no memory.
    #[inline(always)]
    fn enter(&mut self, callee: &Target, sends: u64) -> bool {
        let method = callee.method.0;
        let entries = &mut self.entries;
        let Some(outermost) = self.outermost.get_mut(method as usize) else {
            return false;
        };
        let has_room = entries.len() < entries.capacity();
        if has_room {
            callee.entered.set(callee.entered.get() + 1);
            if *outermost == 0 {
                *outermost = entries.len() as u32 + 1;
            }
            let entry = Entry {
                method,
                start: sends,
                of_callees: 0,
            };
            // SAFETY: there is room for one more.
            unsafe {
                entries.as_mut_ptr().add(entries.len()).write(entry);
                entries.set_len(entries.len() + 1);
            }
        }
        has_room
    }
}

impl Recorder {
    /// Makes room for an entry, then notes it.
    #[inline(never)]
    fn enter_with_room(&mut self, shadow: &mut Shadow, callee: &Target, sends: u64) {
        shadow.entries.reserve(64);
        let needed = callee.method.0 as usize + 1;
        if needed > self.rows.len() {
            self.rows.resize(needed, Row::default());
        }
        if needed > shadow.outermost.len() {
            shadow.outermost.resize(self.rows.len(), 0);
        }
        shadow.enter(callee, sends);
    }

    /// Notes that the topmost frame was left: what was sent in it and in no callee is its own.
    #[inline(always)]
    fn exit(&mut self, shadow: &mut Shadow, sends: u64) {
        let Some(entry) = shadow.entries.pop() else {
            return;
        };
        let below = sends.wrapping_sub(entry.start);
        if let Some(caller) = shadow.entries.last_mut() {
            caller.of_callees = caller.of_callees.wrapping_add(below);
        }
        let method = entry.method as usize;
        debug_assert!(method < self.rows.len() && method < shadow.outermost.len());
        // SAFETY: rows and outermost entries are there for every method that was entered, and never go.
        let (row, outermost) = unsafe {
            (
                self.rows.get_unchecked_mut(method),
                shadow.outermost.get_unchecked_mut(method),
            )
        };
        row.own = row.own.wrapping_add(below.wrapping_sub(entry.of_callees));
        if *outermost == shadow.entries.len() as u32 + 1 {
            *outermost = 0;
            row.total = row.total.wrapping_add(below);
        }
    }

    /// Methods that were activated, with their tallies, in the order of their numbers.
    pub fn tallies(&self) -> impl Iterator<Item = (MethodId, Tally)> + '_ {
        self.tallies.iter().copied()
    }
}

impl Vm {
    /// Counts that a frame was entered. A quick method is no activation.
    #[inline(always)]
    pub(crate) fn count_entry(&mut self, callee: &Target) {
        if callee.is_quick {
            return;
        }
        if callee.is_block {
            self.full.blocks += 1;
        } else {
            self.full.activations += 1;
        }
    }

    /// Tells the recorder, if there is one, that a frame was entered; false if it has not been told because
    /// that needs more than a few instructions. Frames of quick methods are not recorded; there are some among
    /// delivered ones and in the loop's checked copy: there `may_be_quick`.
    #[inline(always)]
    pub(crate) fn record_entry_quickly(
        &mut self,
        callee: &Target,
        may_be_quick: bool,
        ticks: u64,
    ) -> bool {
        if self.recorder.is_none() || self.silence.is_some() || (may_be_quick && callee.is_quick) {
            return false;
        }
        let sends = ticks.wrapping_sub(self.loops);
        self.shadow.enter(callee, sends)
    }

    /// As [`Vm::record_entry_quickly`], whatever it needs.
    #[inline(never)]
    pub(crate) fn record_entry(&mut self, callee: &Target, ticks: u64) {
        if self.record_entry_quickly(callee, true, ticks)
            || self.silence.is_some()
            || callee.is_quick
        {
            return;
        }
        let sends = ticks.wrapping_sub(self.loops);
        if let Some(recorder) = &mut self.recorder {
            recorder.enter_with_room(&mut self.shadow, callee, sends);
        }
    }

    /// Counts and records that a frame was entered, from a slow path.
    pub(crate) fn note_entry(&mut self, callee: &Target) {
        self.count_entry(callee);
        self.record_entry(callee, self.ticks);
    }

    /// Records that the frame with this meta word was left, however it was left.
    #[inline(always)]
    pub(crate) fn record_exit(&mut self, meta: u64, may_be_quick: bool, ticks: u64) {
        if self.silence.is_some() {
            return;
        }
        if may_be_quick && self.target(crate::process::target_of_meta(meta)).is_quick {
            return;
        }
        let sends = ticks.wrapping_sub(self.loops);
        if let Some(recorder) = &mut self.recorder {
            recorder.exit(&mut self.shadow, sends);
        }
    }

    /// Activations of methods and of blocks that were recorded.
    pub(crate) fn recorded_activations(&self) -> [u64; 2] {
        self.targets.iter().fold([0, 0], |mut sums, target| {
            sums[usize::from(target.is_block)] += target.entered.get();
            sums
        })
    }

    /// The tallies of all methods that were activated, once everything is closed.
    fn collect_tallies(&self, rows: &[Row]) -> Vec<(MethodId, Tally)> {
        let mut tallies: Vec<Tally> = Vec::new();
        let own_and_total = |row: &Row| Tally {
            own: row.own,
            total: row.total,
            ..Tally::default()
        };
        tallies.extend(rows.iter().map(own_and_total));
        for target in &self.targets {
            if let Some(tally) = tallies.get_mut(target.method.0 as usize) {
                let count = if target.is_block {
                    &mut tally.block_calls
                } else {
                    &mut tally.calls
                };
                *count += target.entered.get();
            }
        }
        let numbered = (0u32..).map(MethodId).zip(tallies);
        numbered
            .filter(|(_, tally)| tally.calls + tally.block_calls > 0)
            .collect()
    }

    /// Turns the recorder on. To be called before the run: nothing is on the stack yet.
    pub fn start_profile(&mut self) {
        self.recorder = Some(Box::default());
        self.shadow = Shadow::default();
        self.targets.iter().for_each(|target| target.entered.set(0));
    }

    /// Closes what is still open, turns the recorder off and answers what it counted.
    pub fn finish_profile(&mut self) -> Recorder {
        let Some(mut recorder) = self.recorder.take() else {
            return Recorder::default();
        };
        let sends = self.process_sends();
        while !self.shadow.entries.is_empty() {
            recorder.exit(&mut self.shadow, sends);
        }
        for process in self.processes.iter_mut().flatten() {
            let sends = process.ticks.wrapping_sub(process.loops);
            while !process.shadow.entries.is_empty() {
                recorder.exit(&mut process.shadow, sends);
            }
        }
        recorder.tallies = self.collect_tallies(&recorder.rows);
        *recorder
    }
}
