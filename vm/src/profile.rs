//! The recorder: own, total and calls of every method, from snapshots of the send counter at entry and
//! exit of frames (counting model, 3). It sends nothing, so nothing has to be subtracted.

use crate::class::MethodId;
use crate::code::{Target, TargetId};
use crate::interpreter::ModeName;
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

/// Tallies of all methods of a machine.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    tallies: Vec<Tally>,
}

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
    /// Sends of the process when `own` was last brought up to date.
    mark: u64,
    /// By method: how many of its frames are on the stack.
    active: Vec<u32>,
}

impl Recorder {
    fn tally(&mut self, method: u32) -> &mut Tally {
        let index = method as usize;
        if index >= self.tallies.len() {
            self.tallies.resize(index + 1, Tally::default());
        }
        &mut self.tallies[index]
    }

    fn settle(&mut self, shadow: &mut Shadow, sends: u64) {
        if let Some(top) = shadow.entries.last() {
            self.tally(top.method).own += sends.wrapping_sub(shadow.mark);
        }
        shadow.mark = sends;
    }

    fn enter(&mut self, shadow: &mut Shadow, method: MethodId, is_block: bool, sends: u64) {
        self.settle(shadow, sends);
        let tally = self.tally(method.0);
        if is_block {
            tally.block_calls += 1;
        } else {
            tally.calls += 1;
        }
        let index = method.0 as usize;
        if index >= shadow.active.len() {
            shadow.active.resize(index + 1, 0);
        }
        shadow.active[index] += 1;
        shadow.entries.push(Entry {
            method: method.0,
            start: sends,
        });
    }

    fn exit(&mut self, shadow: &mut Shadow, sends: u64) {
        self.settle(shadow, sends);
        if let Some(entry) = shadow.entries.pop() {
            let active = &mut shadow.active[entry.method as usize];
            *active -= 1;
            if *active == 0 {
                self.tally(entry.method).total += sends.wrapping_sub(entry.start);
            }
        }
    }

    /// Methods that were activated or sent something, with their tallies.
    pub fn tallies(&self) -> impl Iterator<Item = (MethodId, Tally)> + '_ {
        let used = |t: &Tally| *t != Tally::default();
        self.tallies
            .iter()
            .enumerate()
            .filter(move |(_, tally)| used(tally))
            .map(|(index, tally)| (MethodId(index as u32), *tally))
    }
}

impl Vm {
    /// Counts that a frame was entered. A quick method is no activation.
    #[inline(always)]
    pub(crate) fn record_entry(&mut self, callee: &Target, ticks: u64) {
        if callee.is_quick {
            return;
        }
        if callee.is_block {
            self.full.blocks += 1;
        } else {
            self.full.activations += 1;
        }
        if self.silence.is_some() {
            return;
        }
        if let Some(recorder) = &mut self.recorder {
            let sends = ticks.wrapping_sub(self.loops);
            recorder.enter(&mut self.shadow, callee.method, callee.is_block, sends);
        }
    }

    /// Counts that the frame with this meta word was left, however it was left.
    #[inline(always)]
    pub(crate) fn record_exit(&mut self, meta: u64, ticks: u64) {
        if self.recorder.is_some() && self.silence.is_none() {
            self.record_exit_slowly(crate::process::target_of_meta(meta), ticks);
        }
    }

    #[inline(never)]
    fn record_exit_slowly(&mut self, target: TargetId, ticks: u64) {
        if self.target(target).is_quick {
            return;
        }
        let sends = ticks.wrapping_sub(self.loops);
        if let Some(recorder) = &mut self.recorder {
            recorder.exit(&mut self.shadow, sends);
        }
    }

    /// Turns the recorder on. To be called before the run: nothing is on the stack yet.
    pub fn start_profile(&mut self) {
        self.recorder = Some(Box::default());
        self.shadow = Shadow {
            mark: self.process_sends(),
            ..Shadow::default()
        };
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

    /// Whether the whole cost vector is being maintained.
    pub fn counts_everything(&self) -> bool {
        matches!(self.mode(), ModeName::Full | ModeName::Checked)
    }
}
