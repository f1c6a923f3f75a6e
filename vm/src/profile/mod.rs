//! The recorder: records activations by caller, callee and site, their number, and the sends below them (counting
//! model, 3). It reads the send counter when frames are entered and left. It sends nothing, so nothing has to be
//! subtracted.
//!
//! While the recorder is on, the meta word of a frame holds the number of the edge (`tree`) that entered the frame. The
//! word then holds no code number. An entry subtracts the counter from the edge's total, and leaving adds it.
//! `recording` computes the results at the end.

#![allow(unsafe_code)]

mod crowds;
mod extents;
mod following;
mod lookups;
mod sampling;

mod allocation;
mod counted;
mod events;
mod parts;
mod recording;
mod section;
mod switch;
mod work;

use crate::base::{TargetId, Value};
use crate::code::{CodeTable, Target};
use crate::machine::Vm;
use crate::observers::{PROFILING, Spent, tree};
use crate::processes::code_of_meta;

pub(crate) use events::ProcessEvent;
pub use lookups::is_short_cut;
pub use parts::RecordedTests;

impl Vm {
    /// Shows the loop where the recorder's tables are, after they may have moved.
    pub(crate) fn refresh_recorder(&mut self) {
        match &mut self.observers.recorder {
            Some(recorder) => {
                self.registers.edges = recorder.tree.edges.as_mut_ptr();
                self.registers.codes = CodeTable(recorder.codes.as_ptr());
            }
            None => {
                self.registers.edges = std::ptr::null_mut();
                // A row is a pointer.
                self.registers.codes = CodeTable(self.code.targets.as_ptr().cast());
            }
        }
    }

    /// Records the entry of a frame by the send at `ip` from the frame at `fp`, if its edge is the last one taken from
    /// there. Then it answers the number for the meta word of the new frame.
    ///
    /// # Safety
    /// The recorder is on, `ip` at a send of the code that the frame at `fp` runs.
    #[inline(always)]
    pub(crate) unsafe fn enter_quickly(
        &mut self,
        ip: *const u64,
        fp: *mut Value,
        callee: &Target,
        spent: Spent,
    ) -> Option<u32> {
        // SAFETY: while the recorder is on, frames hold numbers of edges, and edges hold numbers of the edges taken
        // last.
        unsafe {
            let caller = self
                .registers
                .edges
                .add(code_of_meta((*fp.sub(2)).bits()) as usize);
            let number = *(*caller)
                .next
                .get_unchecked(tree::place_of(ip as usize, callee.id.0));
            let edge = &mut *self.registers.edges.add(number as usize);
            if edge.site != ip as usize || edge.target != callee.id.0 {
                return None;
            }
            edge.calls = edge.calls.wrapping_add(1);
            edge.enter(spent);
            Some(number)
        }
    }

    /// The number for the meta word of a frame. The frame is entered from a frame with this number, by the send at
    /// `site` or by no send. The entry is counted, and recorded if the recorder is on.
    #[inline(never)]
    pub(crate) fn code_for_entry(&mut self, caller: u32, site: *const u64, callee: &Target) -> u32 {
        self.counters.count_entry(callee);
        self.record_entry(caller, site, callee)
    }

    /// As [`Vm::code_for_entry`], of a frame that the vector has counted.
    #[inline(never)]
    pub(crate) fn record_entry(&mut self, caller: u32, site: *const u64, callee: &Target) -> u32 {
        if !PROFILING {
            return callee.id.0;
        }
        let silent = self.running.silence.is_some();
        let spent = self.spent();
        let Some(recorder) = &mut self.observers.recorder else {
            return callee.id.0;
        };
        let target = self.code.targets.note_in(callee.id.0 as usize);
        let number = recorder.edge(caller, site, target, silent);
        let edge = &mut recorder.tree.edges[number as usize];
        edge.calls = edge.calls.wrapping_add(1);
        edge.enter(spent);
        self.refresh_recorder();
        if self.observers.extents.is_some() {
            self.extent_begins(callee, spent.sends);
        }
        number
    }

    /// The number for the meta word of the first frame of a process, which has not begun yet.
    pub(crate) fn code_for_process(&mut self, target: TargetId) -> u32 {
        let Some(recorder) = &mut self.observers.recorder else {
            return target.0;
        };
        let number = recorder.edge(
            tree::RUN,
            std::ptr::null(),
            self.code.targets.note_in(target.0 as usize),
            false,
        );
        self.refresh_recorder();
        number
    }

    /// Counts and records that a process has begun with its first frame.
    pub(super) fn note_first_entry(&mut self, frame: usize) {
        let number = self.running.frame_code(frame);
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*self.frame_target(frame) };
        self.counters.count_entry(callee);
        let spent = self.spent();
        if let Some(recorder) = &mut self.observers.recorder {
            let edge = &mut recorder.tree.edges[number as usize];
            edge.calls = edge.calls.wrapping_add(1);
            edge.enter(spent);
        }
        self.extent_begins(callee, spent.sends);
    }

    /// Records that the frame with this meta word was left, however it was left. The recorder is on.
    ///
    /// # Safety
    /// The word is that of a frame.
    #[inline(always)]
    pub(crate) unsafe fn exit_quickly(&mut self, meta: u64, spent: Spent) {
        // SAFETY: frames hold numbers of edges while the recorder is on.
        let edge = unsafe { &mut *self.registers.edges.add(code_of_meta(meta) as usize) };
        edge.leave(spent);
    }

    /// As [`Vm::exit_quickly`], from a slow path, if the recorder is on.
    pub(crate) fn record_exit(&mut self, frame: usize) {
        if PROFILING && !self.registers.edges.is_null() {
            let meta = self.running.stack.word(frame - 2);
            let spent = self.spent();
            // SAFETY: the recorder is on.
            unsafe { self.exit_quickly(meta, spent) };
            if self.observers.extents.is_some() {
                self.extent_ends(spent.sends);
            }
        }
    }

    /// Adds `sends` to the executions of the send at `ip`, of the frame at `fp`. `u64::MAX` takes one back.
    ///
    /// # Safety
    /// `ip` is at an instruction of the code that the frame runs.
    #[inline(always)]
    pub(crate) unsafe fn count_site(&mut self, ip: *const u64, fp: *mut Value, sends: u64) {
        if !PROFILING || self.registers.edges.is_null() || self.running.silence.is_some() {
            return;
        }
        // SAFETY: by the caller's promise; the counts have a place for each word of the code.
        unsafe {
            let code = self.registers.codes.get(code_of_meta((*fp.sub(2)).bits()));
            let distance = (*code).distance_to_counts;
            if distance != 0 {
                let count = (ip as usize).wrapping_add(distance) as *mut u64;
                *count = (*count).wrapping_add(sends);
            }
        }
    }
}
