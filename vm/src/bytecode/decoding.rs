//! The one decoder of code: from words to instructions, their registers and their successors.

use super::Op;
use super::columns::{Immediate, Operand, Shape};
use super::word::{Cache, Word, with_jump};

/// The base of a jump's immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jumps {
    /// The first word of the code: code that is not linked.
    Absolute,
    /// The jump itself: linked code.
    Relative,
}

/// How an instruction uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// An instruction where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Index of its first word.
    pub pc: usize,
    /// Its opcode.
    pub op: Op,
    /// Its first word.
    pub word: Word,
    /// Its second word, if it is send-shaped.
    pub cache: Cache,
}

/// The instructions of code, in their order. Words that are no instruction are left out.
pub fn instructions(words: &[u64]) -> impl Iterator<Item = Instruction> {
    let mut pc = 0;
    std::iter::from_fn(move || {
        while pc < words.len() {
            let found = Instruction::at(words, pc);
            pc = found.map_or(pc + 1, |instruction| instruction.end());
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

impl Instruction {
    /// The instruction that starts at the word with this index.
    pub fn at(words: &[u64], pc: usize) -> Option<Instruction> {
        let word = Word(*words.get(pc)?);
        let op = word.op()?;
        let cache = match op.info().shape {
            Shape::Plain => 0,
            Shape::Send => words.get(pc + 1).copied().unwrap_or(0),
        };
        Some(Instruction {
            pc,
            op,
            word,
            cache: Cache(cache),
        })
    }

    /// Index of the first word behind it.
    pub fn end(self) -> usize {
        self.pc + self.op.width()
    }

    /// Its immediate; the bit that counts a step of a send-shaped instruction is no part of it.
    pub fn immediate(self) -> u32 {
        match self.op.info().shape {
            Shape::Plain => self.word.imm(),
            Shape::Send => self.word.index(),
        }
    }

    /// Its first word with another immediate and the same steps.
    pub fn with_immediate(self, immediate: u32) -> u64 {
        let word = Word(with_jump(self.word.0, immediate));
        match self.op.info().shape {
            Shape::Send if self.word.steps_with_answer() > 0 => word.assigning().0,
            _ => word.0,
        }
    }

    /// The steps that it adds, beside its send, if execution continues behind it.
    pub fn steps(self) -> u8 {
        let info = self.op.info();
        match (info.shape, info.c) {
            (Shape::Send, _) => self.word.steps_with_answer(),
            (Shape::Plain, Operand::Steps) => self.word.c(),
            (Shape::Plain, _) => match self.op {
                Op::MakeBlock => 1,
                Op::AssignBlock => 2,
                _ => 0,
            },
        }
    }

    /// The number of its send site, if it has one.
    pub fn site(self) -> Option<u32> {
        (self.op.info().imm == Immediate::Site).then(|| self.immediate())
    }

    /// The target of a jump.
    pub fn target(self, jumps: Jumps) -> Option<usize> {
        if !self.op.info().flow.jumps() {
            return None;
        }
        match jumps {
            Jumps::Absolute => Some(self.word.imm() as usize),
            Jumps::Relative => self.pc.checked_add_signed(self.word.imm() as i32 as isize),
        }
    }

    /// Where execution may go on after it.
    pub fn successors(self, jumps: Jumps) -> impl Iterator<Item = usize> {
        let behind = self.op.info().flow.falls_through().then_some(self.end());
        self.target(jumps).into_iter().chain(behind)
    }

    /// Its bytes and their uses.
    fn operands(self) -> [(Operand, u8); 3] {
        let info = self.op.info();
        [
            (info.a, self.word.a()),
            (info.b, self.word.b()),
            (info.c, self.word.c()),
        ]
    }

    /// Shows every register that it uses: writes first, then reads. A walk backwards needs this order.
    pub fn registers(self, mut tell: impl FnMut(usize, Access)) {
        let (info, word) = (self.op.info(), self.word);
        for (operand, byte) in self.operands() {
            if operand == Operand::Write {
                tell(usize::from(byte), Access::Write);
            }
        }
        if info.shape == Shape::Send {
            tell(usize::from(self.cache.destination()), Access::Write);
        }
        match info.imm {
            Immediate::WidePair => {
                tell((word.imm() & 0xFFFF) as usize, Access::Write);
                tell((word.imm() >> 16) as usize, Access::Read);
            }
            Immediate::Block => tell(0, Access::Read),
            Immediate::Nil
            | Immediate::Int32
            | Immediate::Literal
            | Immediate::Global
            | Immediate::Ivar
            | Immediate::Slot
            | Immediate::Jump
            | Immediate::Site
            | Immediate::Frame
            | Immediate::Definition => {}
        }
        for (operand, byte) in self.operands() {
            let first = usize::from(byte);
            let group = match operand {
                Operand::Read => first..first + 1,
                Operand::First => first..first + usize::from(word.c()),
                Operand::Nil
                | Operand::Write
                | Operand::Count
                | Operand::Int8
                | Operand::Sense
                | Operand::Steps => {
                    continue;
                }
            };
            group.for_each(|register| tell(register, Access::Read));
        }
        for offset in self.op.in_window(word.c()) {
            tell(self.cache.base() + offset, Access::Read);
        }
    }
}
