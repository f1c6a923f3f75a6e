//! The cost vector (counting model, 2).

use crate::heap::Allocations;

/// What a run, or a piece of one, cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered, quick ones and succeeding primitives excluded.
    pub activations: u64,
    /// Activations of real blocks.
    pub blocks: u64,
    /// Objects and bytes by the model.
    pub allocations: Allocations,
    /// Bytecode instructions executed.
    pub instructions: u64,
    /// Primitives that succeeded, by name, in the order of names.
    pub primitives: Vec<(&'static str, u64)>,
}

/// The counters of the running process that only the full loop maintains.
#[derive(Clone, Debug, Default)]
pub(crate) struct FullCounters {
    pub(crate) activations: u64,
    pub(crate) blocks: u64,
    pub(crate) instructions: u64,
    /// Indexed by primitive number.
    pub(crate) primitives: Vec<u64>,
}
