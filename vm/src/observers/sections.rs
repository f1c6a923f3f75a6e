//! The pieces of a run that a program profiles, and the results of profiling them.

use crate::counting::{CostCounts, Family};
use std::collections::BTreeMap;

use super::recorded::{Counts, Tally};
use crate::base::{ClassId, MethodId, ProcessId};
use crate::heap::Allocations;

/// A piece of a run that is being recorded.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) number: u64,
    /// The counts before the piece.
    pub(crate) earlier: Counts,
    /// The context below which it is executed, once that has begun.
    pub(crate) root: Option<u32>,
    /// The additional counts of a counted evaluation.
    pub(crate) counting: Option<Counting>,
}

/// The counts of a piece of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) tallies: BTreeMap<MethodId, Tally>,
    /// Calls, block calls and total by caller and callee. The code that requested the profile has no entry as a caller.
    pub(crate) calls: BTreeMap<(Option<MethodId>, MethodId), [u64; 3]>,
    /// Whether every context found room.
    pub(crate) is_complete: bool,
}

/// The state of a counted evaluation until it ends. Its numbers are those of the process that evaluates the block and of
/// those that are forked meanwhile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting {
    /// The measurement of its cost vector.
    pub(crate) family: Family,
    /// The reading when a process of the family was entered; absent while another process runs.
    pub(crate) since: Option<Counts>,
    /// What its processes did before that.
    pub(crate) sum: Option<Counts>,
}

impl Counting {
    /// Adds the counts since a process of the family was entered.
    pub(crate) fn leave(&mut self, now: Counts) {
        if let Some(since) = self.since.take() {
            let more = now.since(Some(&since));
            match &mut self.sum {
                Some(sum) => sum.add(&more),
                None => self.sum = Some(more),
            }
        }
    }
}

/// The counts of a method in a counted evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MethodCounts {
    pub(crate) tally: Tally,
    /// The method's own allocations.
    pub(crate) allocations: Allocations,
}

/// All that was counted in a counted evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedPiece {
    /// The cost vector.
    pub(crate) counts: CostCounts,
    /// The part of its work that primitives did.
    pub(crate) inside: u64,
    /// Most activations that were under way at once, the block's own included.
    pub(crate) depth: u64,
    pub(crate) methods: BTreeMap<MethodId, MethodCounts>,
    /// Sends by selector and by the method that they stand in.
    pub(crate) selectors: BTreeMap<(String, MethodId), u64>,
    pub(crate) classes: BTreeMap<ClassId, Allocations>,
    /// Whether every context found room.
    pub(crate) is_complete: bool,
}

/// The depth of the activations of one process, from the block of a counted evaluation on.
#[derive(Clone, Debug)]
pub(crate) struct DepthGauge {
    pub(crate) section: u64,
    pub(crate) process: ProcessId,
    /// Bases of the frames that were under way when the last one was entered, in words from the start of the stack.
    pub(crate) open: Vec<usize>,
    pub(crate) most: usize,
}

impl DepthGauge {
    pub(crate) fn new(section: u64, process: ProcessId) -> DepthGauge {
        DepthGauge {
            section,
            process,
            open: Vec::new(),
            most: 0,
        }
    }

    /// Notes that a frame is entered from another frame. Frames lie above their callers, so noted frames above this
    /// caller have gone.
    pub(crate) fn enter(&mut self, caller: usize, frame: usize) {
        while self.open.pop_if(|open| *open > caller).is_some() {}
        self.open.push(frame);
        self.most = self.most.max(self.open.len());
    }
}
