//! Packing and unpacking of instruction words.

use super::Op;

/// Words between the caller's last live register and the callee's register 0: the frame's meta
/// word and its return address. A send's window base leaves them free below it.
pub const LINK_WORDS: usize = 2;

/// Words of a send-shaped instruction.
pub const SEND_WORDS: usize = 3;

/// The first word of an instruction: `op8 a8 b8 c8 imm32`, the opcode in the lowest byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    /// Packs an instruction.
    pub fn new(op: Op, a: u8, b: u8, c: u8, imm: u32) -> Word {
        Word(
            u64::from(op as u8)
                | u64::from(a) << 8
                | u64::from(b) << 16
                | u64::from(c) << 24
                | u64::from(imm) << 32,
        )
    }

    /// The opcode, if the byte is one.
    pub fn op(self) -> Option<Op> {
        Op::from_byte(self.0 as u8)
    }

    /// Byte `a`.
    pub fn a(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// Byte `b`.
    pub fn b(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// Byte `c`.
    pub fn c(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The immediate.
    pub fn imm(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The same send-shaped instruction, whose answer the source assigns to a variable in a register.
    #[must_use]
    pub fn assigning(self) -> Word {
        Word(self.0 | 1 << 63)
    }

    /// The steps of a send-shaped instruction beside its send, once it has an answer: 1 if that is assigned, else 0.
    pub fn steps_with_answer(self) -> u8 {
        (self.0 >> 63) as u8
    }

    /// The immediate of a send-shaped instruction, which is an index.
    pub fn index(self) -> u32 {
        self.imm() & !ASSIGNS
    }
}

/// The bit of the immediate of a send-shaped instruction that says that the answer is assigned.
const ASSIGNS: u32 = 1 << 31;

/// The second word of a send-shaped instruction: class of the inline cache (low 32 bits), base of the window (16 bits),
/// destination (16 bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache(pub u64);

impl Cache {
    /// The class that the inline cache holds, 0 for none.
    pub fn class(self) -> u32 {
        self.0 as u32
    }

    /// The same word with a different class.
    #[must_use]
    pub fn with_class(self, class: u32) -> Cache {
        Cache(self.0 & !0xFFFF_FFFF | u64::from(class))
    }

    /// First register of the window.
    pub fn base(self) -> usize {
        (self.0 >> 32) as usize & 0xFFFF
    }

    /// Register that gets the answer.
    pub fn destination(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// The same instruction with a different opcode.
pub fn with_op(word: u64, op: Op) -> u64 {
    word & !0xFF | u64::from(op as u8)
}

/// The second word of a send-shaped instruction with an empty cache.
pub fn cache_word(base: u16, dst: u16) -> u64 {
    u64::from(base) << 32 | u64::from(dst) << 48
}

/// The same instruction with a different immediate, as for patching a jump.
pub fn with_jump(word: u64, target: u32) -> u64 {
    word & 0xFFFF_FFFF | u64::from(target) << 32
}
