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

/// A tally as it is kept during the run.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Activations of the method, and of its blocks.
    entered: [u64; 2],
    own: u64,
    total: u64,
}

/// Tallies of all methods of a machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// By method.
    rows: Vec<Row>,
}

/// A frame of the recorder's own stack.
#[derive(Clone, Copy, Debug)]
struct Entry {
    method: u32,
    /// Sends of the process when the frame was entered.
    start: u64,
}

/// The recorder's own stack for one process, parallel to its frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    entries: Vec<Entry>,
    /// By method: how many frames, its own and its blocks', are on the stack.
    active: Vec<u32>,
}

impl Recorder {
    /// Notes a frame's entry, if that needs no memory.
    #[inline(always)]
    fn enter(&mut self, shadow: &mut Shadow, callee: &Target, sends: u64) -> bool {
        let entries = &mut shadow.entries;
        let has_room = entries.len() < entries.capacity();
        let method = callee.method.0 as usize;
        let (Some(row), Some(active)) = (self.rows.get_mut(method), shadow.active.get_mut(method))
        else {
            return false;
        };
        if has_room {
            row.entered[usize::from(callee.is_block)] += 1;
            *active += 1;
            let entry = Entry {
                method: callee.method.0,
                start: sends,
            };
            // SAFETY: there is room for one more.
            unsafe {
                entries.as_mut_ptr().add(entries.len()).write(entry);
                entries.set_len(entries.len() + 1);
            }
        }
        has_room
    }

    /// Makes room for an entry, then notes it.
    #[inline(never)]
    fn enter_with_room(&mut self, shadow: &mut Shadow, callee: &Target, sends: u64) {
        shadow.entries.reserve(64);
        let needed = callee.method.0 as usize + 1;
        if needed > self.rows.len() {
            self.rows.resize(needed, Row::default());
        }
        if needed > shadow.active.len() {
            shadow.active.resize(needed, 0);
        }
        self.enter(shadow, callee, sends);
    }

    /// Notes that the topmost frame was left. What was sent in it is its own; its caller, whose frame the
    /// sends belong to as well, will count them too and must not own them.
    #[inline(always)]
    fn exit(&mut self, shadow: &mut Shadow, sends: u64) {
        let Some(entry) = shadow.entries.pop() else {
            return;
        };
        let below = sends.wrapping_sub(entry.start);
        if let Some(caller) = shadow.entries.last() {
            debug_assert!((caller.method as usize) < self.rows.len());
            // SAFETY: rows are there for every method that was entered, and never go.
            let row = unsafe { self.rows.get_unchecked_mut(caller.method as usize) };
            row.own = row.own.wrapping_sub(below);
        }
        let method = entry.method as usize;
        debug_assert!(method < self.rows.len() && method < shadow.active.len());
        // SAFETY: as above, and so for the counts of active frames.
        let (row, active) = unsafe {
            (
                self.rows.get_unchecked_mut(method),
                shadow.active.get_unchecked_mut(method),
            )
        };
        row.own = row.own.wrapping_add(below);
        *active -= 1;
        if *active == 0 {
            row.total = row.total.wrapping_add(below);
        }
    }

    /// Methods that were activated, with their tallies.
    pub fn tallies(&self) -> impl Iterator<Item = (MethodId, Tally)> + '_ {
        let used = |row: &&Row| row.entered != [0, 0];
        let numbered = self.rows.iter().enumerate();
        numbered
            .filter(move |(_, row)| used(row))
            .map(|(index, row)| {
                let tally = Tally {
                    calls: row.entered[0],
                    block_calls: row.entered[1],
                    own: row.own,
                    total: row.total,
                };
                (MethodId(index as u32), tally)
            })
    }

    /// Activations of methods and of blocks.
    pub(crate) fn activations(&self) -> [u64; 2] {
        self.rows.iter().fold([0, 0], |[methods, blocks], row| {
            [methods + row.entered[0], blocks + row.entered[1]]
        })
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
    /// that needs more than a few instructions.
    #[inline(always)]
    pub(crate) fn record_entry_quickly(&mut self, callee: &Target) -> bool {
        let sends = self.process_sends();
        match &mut self.recorder {
            Some(recorder) if self.silence.is_none() && !callee.is_quick => {
                recorder.enter(&mut self.shadow, callee, sends)
            }
            _ => false,
        }
    }

    /// As [`Vm::record_entry_quickly`], whatever it needs.
    #[inline(never)]
    pub(crate) fn record_entry(&mut self, callee: &Target) {
        let sends = self.process_sends();
        if let Some(recorder) = &mut self.recorder
            && self.silence.is_none()
            && !callee.is_quick
            && !recorder.enter(&mut self.shadow, callee, sends)
        {
            recorder.enter_with_room(&mut self.shadow, callee, sends);
        }
    }

    /// Counts and records that a frame was entered, from a slow path.
    pub(crate) fn note_entry(&mut self, callee: &Target) {
        self.count_entry(callee);
        self.record_entry(callee);
    }

    /// Records that the frame with this meta word was left, however it was left. Frames of quick methods are not
    /// recorded; there are some among delivered ones and in the loop's checked copy: there `may_be_quick`.
    #[inline(always)]
    pub(crate) fn record_exit(&mut self, meta: u64, may_be_quick: bool) {
        if self.recorder.is_none() || self.silence.is_some() {
            return;
        }
        if may_be_quick && self.target(crate::process::target_of_meta(meta)).is_quick {
            return;
        }
        let sends = self.process_sends();
        if let Some(recorder) = &mut self.recorder {
            recorder.exit(&mut self.shadow, sends);
        }
    }

    /// Turns the recorder on. To be called before the run: nothing is on the stack yet.
    pub fn start_profile(&mut self) {
        self.recorder = Some(Box::default());
        self.shadow = Shadow::default();
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
        *recorder
    }
}
