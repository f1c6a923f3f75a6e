//! Linked code: what the loop executes, and what inline caches point to.
//!
//! A [`Target`] is one thing that a send can lead to: a method or a block body. Targets are never freed or
//! moved while their machine lives, so caches and frames may point to them and into their words.

#![allow(unsafe_code)]

use crate::class::MethodId;
use crate::primitives::Function;
use crate::value::Value;

/// Index of a target in the machine's table; frames carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TargetId(pub(crate) u32);

/// How the loop activates a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// Push a frame.
    Frame,
    /// Answer the receiver.
    QuickSelf,
    /// Answer `Target::value`.
    QuickValue,
    /// Answer a slot of the receiver.
    QuickLoad(u32),
    /// Store the argument into a slot of the receiver, answer the receiver.
    QuickStore(u32),
    /// Try the primitive; push a frame if it declines.
    Primitive,
    /// Evaluate the receiver, a block of that many arguments; push a frame if it is no such block.
    BlockValue(u8),
    /// Hand the message to the wrapper that stands in the method's place.
    Wrapper,
}

/// Something that a send can lead to.
pub(crate) struct Target {
    /// First instruction.
    pub(crate) entry: *const u64,
    /// Registers of a frame.
    pub(crate) register_count: u32,
    /// From an instruction to its count of sends, in bytes; 0 while they are not counted.
    pub(crate) distance_to_counts: usize,
    /// The slot that `QuickLoad` answers.
    pub(crate) slot: u32,
    /// Its own number.
    pub(crate) id: TargetId,
    /// How it is activated.
    pub(crate) activation: Activation,
    /// Arguments that a frame takes.
    pub(crate) argument_count: u16,
    /// Whether it is a block's body.
    pub(crate) is_block: bool,
    /// For a block: whether a `^` stands in it.
    pub(crate) returns_home: bool,
    /// Whether the model calls the method quick; then it is neither counted nor polled, with a frame or without.
    pub(crate) is_quick: bool,
    /// For a block: the class of the block objects that a literal block makes.
    pub(crate) block_class: crate::class::ClassId,
    /// What `QuickValue` answers; a root.
    pub(crate) value: Value,
    /// The primitive's function and number.
    pub(crate) primitive: Option<(Function, u32)>,
    /// The method whose source the code stands in.
    pub(crate) method: MethodId,
    /// The linked instructions.
    pub(crate) words: Box<[u64]>,
    /// Live registers, computed when the collector first meets a frame of this code.
    pub(crate) liveness: Option<Box<crate::liveness::Liveness>>,
}

impl Target {
    /// Counts sends there from now on, or nowhere if there is no room.
    pub(crate) fn set_counts(&mut self, counts: &mut [u64]) {
        self.distance_to_counts = match counts.len() == self.words.len() {
            true => (counts.as_mut_ptr() as usize).wrapping_sub(self.entry as usize),
            false => 0,
        };
    }
}

/// What the code numbers of frames mean: numbers of targets, or of the recorder's edges while it is on.
#[derive(Clone, Copy)]
pub(crate) struct CodeTable(pub(crate) *const *mut Target);

impl CodeTable {
    /// The target that a frame with this code number runs.
    ///
    /// # Safety
    /// The number is a frame's of the machine whose table this is.
    #[inline(always)]
    pub(crate) unsafe fn get(self, code: u32) -> *mut Target {
        // SAFETY: by the caller's promise.
        unsafe { *self.0.add(code as usize) }
    }
}

/// A send site, linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedSite {
    pub(crate) selector: crate::value::SymbolId,
    pub(crate) method: MethodId,
    /// Index in the method's own table of sites.
    pub(crate) index: u32,
}
