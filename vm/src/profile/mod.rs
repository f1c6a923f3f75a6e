//! The recorder: who activated whom, from where, how often and with how many sends below (counting model, 3).
//! It reads the send counter when frames are entered and left, and sends nothing, so nothing has to be
//! subtracted.
//!
//! While it is on, the meta word of a frame holds the number of the edge (`tree`) that the frame was entered by in
//! place of the number of its code. An entry subtracts the counter from the edge's total, leaving adds it. What
//! that comes to is worked out at the end (`recording`).

#![allow(unsafe_code)]

mod allocation;
mod counted;
mod recording;
mod section;
mod switch;
mod tree;

use crate::code::{CodeTable, Target, TargetId};
use crate::process::code_of_meta;
use crate::value::Value;
use crate::vm::Vm;
use allocation::AllocationSites;
pub(crate) use counted::{CountedPiece, DepthGauge, MethodCounts};
pub use recording::{Context, ContextKind, Counts, Edge, Made, Recorded, SendSite, Tally};
pub(crate) use section::{Piece, Section};
pub(crate) use tree::Edge as RawEdge;
use tree::Tree;

/// Whether the machine can record at all: only without it can be seen what it costs while it is off.
pub(crate) const PROFILING: bool = !cfg!(no_profiling);

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Count the sends of each site, and what is allocated where. Needs the copy of the loop that maintains the
    /// whole cost vector.
    pub sites: bool,
    /// Contexts of the calling-context tree; `None` for about a million.
    pub most_contexts: Option<usize>,
}

/// What is recorded of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) tree: Tree,
    /// The code that each edge enters.
    codes: Vec<*mut Target>,
    detail: Detail,
    /// How often each instruction was executed as a send, by code; the code knows how far its counts are away.
    sites: Vec<Box<[u64]>>,
    allocations: AllocationSites,
    /// Whether it has seen every frame of the run.
    sees_everything: bool,
    /// Counted evaluations that need the sites, which nobody else asked for.
    sites_lent: u32,
}

impl Recorder {
    fn new(detail: Detail) -> Recorder {
        let most = detail.most_contexts.unwrap_or(tree::MOST_CONTEXTS);
        Recorder {
            tree: Tree::new(most),
            codes: vec![std::ptr::null_mut()],
            detail,
            sites: Vec::new(),
            allocations: AllocationSites::default(),
            sees_everything: false,
            sites_lent: 0,
        }
    }

    /// The edge into a target, see [`Tree::edge`].
    fn edge(&mut self, parent: u32, site: *const u64, target: &mut Target, silent: bool) -> u32 {
        let edge = self.tree.edge(parent, site as usize, target, silent);
        if edge as usize == self.codes.len() {
            self.codes.push(&raw mut *target);
            if self.detail.sites {
                self.make_room_for_sites(target);
            }
        }
        edge
    }

    /// Gives the code counts of its own, if it has none.
    fn make_room_for_sites(&mut self, target: &mut Target) {
        let number = target.id.0 as usize;
        if number >= self.sites.len() {
            self.sites.resize(number + 1, Box::default());
        }
        if target.distance_to_counts == 0 {
            self.sites[number] = vec![0; target.words.len()].into_boxed_slice();
            target.set_counts(&mut self.sites[number]);
        }
    }
}

impl Vm {
    /// Shows the loop where the recorder's tables are, after they may have moved.
    pub(crate) fn refresh_recorder(&mut self) {
        match &mut self.recorder {
            Some(recorder) => {
                self.edges = recorder.tree.edges.as_mut_ptr();
                self.codes = CodeTable(recorder.codes.as_ptr());
            }
            None => {
                self.edges = std::ptr::null_mut();
                // A row is a pointer.
                self.codes = CodeTable(self.targets.as_ptr().cast());
            }
        }
    }

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

    /// The number for the meta word of a frame that the send at `ip` enters from the frame at `fp`, recorded, if
    /// that edge is the one last taken from there.
    ///
    /// # Safety
    /// The recorder is on, `ip` at a send of the code that the frame at `fp` runs.
    #[inline(always)]
    pub(crate) unsafe fn enter_quickly(
        &mut self,
        ip: *const u64,
        fp: *mut Value,
        callee: &Target,
        ticks: u64,
    ) -> Option<u32> {
        // SAFETY: frames hold numbers of edges while the recorder is on, and edges those of others.
        unsafe {
            let caller = self.edges.add(code_of_meta((*fp.sub(2)).bits()) as usize);
            let number = *(*caller)
                .next
                .get_unchecked(tree::place_of(ip as usize, callee.id.0));
            let edge = &mut *self.edges.add(number as usize);
            if edge.site != ip as usize || edge.target != callee.id.0 {
                return None;
            }
            edge.calls = edge.calls.wrapping_add(1);
            let sends = ticks.wrapping_sub(self.loops);
            edge.total = edge.total.wrapping_sub(sends);
            Some(number)
        }
    }

    /// The number for the meta word of a frame that is entered from a frame with this number, by the send at `site` or
    /// by none: counted, and recorded if the recorder is on.
    #[inline(never)]
    pub(crate) fn code_for_entry(&mut self, caller: u32, site: *const u64, callee: &Target) -> u32 {
        self.count_entry(callee);
        self.record_entry(caller, site, callee)
    }

    /// As [`Vm::code_for_entry`], of a frame that the vector has counted.
    #[inline(never)]
    pub(crate) fn record_entry(&mut self, caller: u32, site: *const u64, callee: &Target) -> u32 {
        if !PROFILING {
            return callee.id.0;
        }
        let silent = self.silence.is_some();
        let sends = self.process_sends();
        let Some(recorder) = &mut self.recorder else {
            return callee.id.0;
        };
        let target = self.targets.note_in(callee.id.0 as usize);
        let number = recorder.edge(caller, site, target, silent);
        let edge = &mut recorder.tree.edges[number as usize];
        edge.calls = edge.calls.wrapping_add(1);
        edge.total = edge.total.wrapping_sub(sends);
        self.refresh_recorder();
        number
    }

    /// The number for the meta word of the first frame of a process, which has not begun yet.
    pub(crate) fn code_for_process(&mut self, target: TargetId) -> u32 {
        let Some(recorder) = &mut self.recorder else {
            return target.0;
        };
        let number = recorder.edge(
            tree::RUN,
            std::ptr::null(),
            self.targets.note_in(target.0 as usize),
            false,
        );
        self.refresh_recorder();
        number
    }

    /// Counts and records that a process has begun with its first frame.
    pub(crate) fn note_first_entry(&mut self, frame: usize) {
        let number = self.frame_code(frame);
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*self.frame_target(frame) };
        self.count_entry(callee);
        let sends = self.process_sends();
        if let Some(recorder) = &mut self.recorder {
            let edge = &mut recorder.tree.edges[number as usize];
            edge.calls = edge.calls.wrapping_add(1);
            edge.total = edge.total.wrapping_sub(sends);
        }
    }

    /// Records that the frame with this meta word was left, however it was left. The recorder is on.
    ///
    /// # Safety
    /// The word is that of a frame.
    #[inline(always)]
    pub(crate) unsafe fn exit_quickly(&mut self, meta: u64, ticks: u64) {
        // SAFETY: frames hold numbers of edges while the recorder is on.
        let edge = unsafe { &mut *self.edges.add(code_of_meta(meta) as usize) };
        let sends = ticks.wrapping_sub(self.loops);
        edge.total = edge.total.wrapping_add(sends);
    }

    /// As [`Vm::exit_quickly`], from a slow path, if the recorder is on.
    pub(crate) fn record_exit(&mut self, frame: usize) {
        if PROFILING && !self.edges.is_null() {
            let meta = self.stack.word(frame - 2);
            // SAFETY: the recorder is on.
            unsafe { self.exit_quickly(meta, self.ticks) };
        }
    }

    /// Counts that the send at `ip`, of the frame at `fp`, was executed; or that it was not, for one that is no send.
    ///
    /// # Safety
    /// `ip` is at an instruction of the code that the frame runs.
    #[inline(always)]
    pub(crate) unsafe fn count_site(&mut self, ip: *const u64, fp: *mut Value, sends: u64) {
        if !PROFILING || self.edges.is_null() || self.silence.is_some() {
            return;
        }
        // SAFETY: by the caller's promise; the counts have a place for each word of the code.
        unsafe {
            let code = self.codes.get(code_of_meta((*fp.sub(2)).bits()));
            let distance = (*code).distance_to_counts;
            if distance != 0 {
                let count = (ip as usize).wrapping_add(distance) as *mut u64;
                *count = (*count).wrapping_add(sends);
            }
        }
    }

    /// Activations of methods and of blocks that the recorder has seen, if it has seen all there were.
    pub(crate) fn recorded_activations(&self) -> Option<[u64; 2]> {
        let recorder = self.recorder.as_ref()?;
        let tree = &recorder.tree;
        let counted = tree
            .edges
            .iter()
            .filter(|edge| edge.context > tree::OTHER && !tree.row(edge.context).is_quick);
        let sums = counted.fold([0u64; 2], |mut sums, edge| {
            let sum = &mut sums[usize::from(tree.row(edge.context).is_block)];
            *sum = sum.wrapping_add(edge.calls);
            sums
        });
        recorder.sees_everything.then_some(sums)
    }
}
