//! The recorder's results, independent of the machine's tables.

use std::collections::BTreeMap;

use crate::base::{ClassId, MethodId};
use crate::heap::Allocations;

/// The counts of one method.
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
    /// Sends below each activation of the method, nested ones too, added up; modulo 2^64.
    pub cumulative: u64,
    /// Work in the method and its blocks; zero if sites were not counted.
    pub own_work: u64,
    /// As `total`, of work.
    pub total_work: u64,
}

/// The meaning of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// The run.
    Run,
    /// Activations of a method.
    Method(MethodId),
    /// Activations of a block that stands in the method: its number there, from 1.
    Block(MethodId, u32),
    /// What did not fit into the tree.
    Other,
}

/// A node of the calling-context tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The context above; the run is its own.
    pub parent: u32,
    /// The meaning of the context.
    pub kind: ContextKind,
    /// Activations.
    pub calls: u64,
    /// Sends executed in it.
    pub own: u64,
    /// Its own sends and the sends of the contexts below.
    pub total: u64,
    /// The work done in it (counting model, 2.2); zero if sites were not counted.
    pub work: u64,
    /// Its own work and the work of the contexts below.
    pub total_work: u64,
    /// The part of its own work that the primitives called from it were charged.
    pub charged: u64,
    /// Whether no context above is of the same method or a block in it.
    pub is_outermost: bool,
    /// Whether no context above is of the same method or block.
    pub is_outermost_code: bool,
    /// Whether the call from its caller's method to its method is the first of its kind on the path.
    pub is_outermost_call: bool,
}

/// A way from one context to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the context at its start.
    pub from: u32,
    /// Index of the context at its end, below the start or, in a recursion, above it.
    pub to: u32,
    /// The send; `None` if no send led there, or if the sends of the context to one code share an edge.
    pub site: Option<SendSite>,
    /// Activations.
    pub calls: u64,
    /// Sends below them; modulo 2^64, since nested ones are counted more than once.
    pub cumulative: u64,
    /// The same of work; zero if sites were not counted.
    pub cumulative_work: u64,
}

/// A send in the source of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SendSite {
    /// The method.
    pub method: MethodId,
    /// Index in the sites of the method's code.
    pub index: u32,
    /// Whether it is sent to `super`.
    pub is_super: bool,
}

/// Objects of a class that were made in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Index of the context.
    pub context: u32,
    /// Their class.
    pub class: ClassId,
    /// The send whose primitive made them.
    pub site: Option<SendSite>,
    /// How many, and their bytes by the model.
    pub allocations: Allocations,
}

/// The recording of a run, or of a piece of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The tree; the first is the run, every other comes after the one above it.
    pub contexts: Vec<Context>,
    /// The edges by which contexts were entered.
    pub edges: Vec<Edge>,
    /// How often each site's message was sent; empty if that was not counted.
    pub sites: Vec<(SendSite, u64)>,
    /// The work that the primitives of each site were charged, if it is any.
    pub charges: BTreeMap<SendSite, u64>,
    /// The allocations; empty if they were not recorded.
    pub made: Vec<Made>,
    /// Whether every context found room.
    pub is_complete: bool,
}

/// A reading of an edge's counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeCounts {
    pub(crate) calls: u64,
    pub(crate) total: u64,
    pub(crate) work: u64,
    pub(crate) charged: u64,
}

impl EdgeCounts {
    fn with(self, other: EdgeCounts, join: fn(u64, u64) -> u64) -> EdgeCounts {
        EdgeCounts {
            calls: join(self.calls, other.calls),
            total: join(self.total, other.total),
            work: join(self.work, other.work),
            charged: join(self.charged, other.charged),
        }
    }

    pub(crate) fn plus(self, other: EdgeCounts) -> EdgeCounts {
        self.with(other, u64::wrapping_add)
    }

    pub(crate) fn minus(self, other: EdgeCounts) -> EdgeCounts {
        self.with(other, u64::wrapping_sub)
    }
}

/// A reading of the recorder's counters.
#[derive(Clone, Debug)]
pub struct Counts {
    pub(crate) edges: Vec<EdgeCounts>,
    /// Executions as a send, by code and instruction.
    pub(crate) sites: BTreeMap<(usize, usize), u64>,
    /// Work of primitives, by code and instruction.
    pub(crate) charges: BTreeMap<(usize, usize), u64>,
    pub(crate) made: BTreeMap<(u32, usize, u32), Allocations>,
}
