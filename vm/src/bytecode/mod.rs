//! The format between compiler and machine: the instruction list, the assembler for it, and the tables around it
//! ([`Unit`], [`Code`]). Nothing here knows the grammar of source text, and nothing here runs.

mod columns;
mod decoding;
mod empty;
mod instructions;
mod liveness;
mod names;
mod op;
mod short_cuts;
mod unit;
mod verify;
mod word;

pub use columns::{
    Arity, Counts, Effect, Effects, Flow, Immediate, OpInfo, Operand, Shape, Standing,
};
pub use decoding::{Access, Instruction, Jumps, instructions};
pub(crate) use empty::empty_code;
pub(crate) use instructions::with_instructions;
pub(crate) use liveness::Liveness;
pub use names::{continues_name, is_name, name_length, starts_name};
pub use op::Op;
pub use short_cuts::{Receivers, ShortCut};
pub(crate) use unit::GlobalKey;
pub use unit::{
    BlockCode, ClassDefinition, Code, CodeKind, Definition, FrameKind, GlobalRef, Kind, Literal,
    MethodDefinition, Pragma, Quick, Site, Span, TraitChange, TraitUse, Unit,
};

/// The control messages that are inlined when their block arguments are literal blocks (counting model, 1), and no
/// others.
pub const INLINED: [&str; 18] = [
    "ifTrue:",
    "ifFalse:",
    "ifTrue:ifFalse:",
    "ifFalse:ifTrue:",
    "ifNil:",
    "ifNotNil:",
    "ifNil:ifNotNil:",
    "ifNotNil:ifNil:",
    "and:",
    "or:",
    "whileTrue:",
    "whileFalse:",
    "whileTrue",
    "whileFalse",
    "repeat",
    "to:do:",
    "to:by:do:",
    "timesRepeat:",
];

pub use verify::verify;
pub use word::{Cache, LINK_WORDS, SEND_WORDS, Word, cache_word, with_jump, with_op};
