//! What the compiler hands to the machine: the instruction list, the assembler for it, and the
//! tables around it ([`Unit`], [`Code`]). Nothing here knows source text grammar, and nothing runs.

mod empty;
mod instructions;
mod short_cuts;
mod unit;
mod word;

pub(crate) use empty::empty_code;
pub use instructions::{Counts, Immediate, Op, OpInfo, Operand, Shape};
pub use short_cuts::{Receivers, ShortCut};
pub use unit::{
    BlockCode, ClassDefinition, Code, CodeKind, Definition, FrameKind, GlobalRef, Kind, Literal,
    MethodDefinition, Pragma, Quick, Site, Span, TraitChange, TraitUse, Unit,
};
pub use word::{LINK_WORDS, SEND_WORDS, Word, cache_word, with_jump, with_op};

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
