//! The columns of the instruction list: all facts of an instruction beside its manual text and its handler.

/// How a row's `a`, `b` or `c` byte is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Unused; encoded as 0.
    Nil,
    /// A register that is written.
    Write,
    /// A register that is read.
    Read,
    /// The first register of a group that is read; `c` counts the group.
    First,
    /// A number of registers or arguments.
    Count,
    /// A signed integer of eight bits.
    Int8,
    /// 0: a `JumpFalse` on the destination follows; 1: a `JumpTrue` follows.
    Sense,
    /// The steps that executing the instruction adds: `b` if it jumps, `c` if execution continues behind it.
    Steps,
}

/// The use of a row's 32-bit immediate. Before a method is linked, indices refer to the tables of its
/// [`Code`](super::Code). After that they refer to the tables of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// Unused; encoded as 0.
    Nil,
    /// A signed integer.
    Int32,
    /// Destination register in the low 16 bits, source register in the high 16 bits.
    WidePair,
    /// Index of a literal.
    Literal,
    /// Index of a global binding.
    Global,
    /// Index of an instance-variable name; a slot of the receiver once linked.
    Ivar,
    /// A slot of an object, as it stands.
    Slot,
    /// Index of the word to continue at.
    Jump,
    /// Index of a block of the same method. A block inside a block has the same home. The running block in register 0
    /// holds that home, so the instruction reads register 0 too.
    Block,
    /// Index of a send site.
    Site,
    /// A [`FrameKind`](super::FrameKind).
    Frame,
    /// Index of a definition of the unit.
    Definition,
}

/// The number of words of an instruction and their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One word: `op a b c imm32`.
    Plain,
    /// Three words: the instruction; class of the inline cache (low 32 bits), window base (16 bits)
    /// and destination (16 bits); target of the inline cache. Writes the destination; reads the part of its window that
    /// [`Standing`] names. The highest bit of the immediate is the number of steps that the answer adds.
    Send,
}

/// What executing an instruction once adds to the counters of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Nothing.
    Nothing,
    /// One send.
    Send,
    /// One loop repetition, when the loop goes on.
    Loop,
}

/// How many arguments the message of a send-shaped instruction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// The instruction has no message: it is plain.
    Nil,
    /// No argument.
    Zero,
    /// One argument.
    One,
    /// Two arguments.
    Two,
    /// As many as byte `c` says.
    C,
}

/// Which operands of a send-shaped instruction stand in its window before it executes. The other operands stand in registers,
/// and the handler copies them when the message needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// None.
    Nil,
    /// The receiver.
    Base,
    /// The arguments before the last one.
    Inner,
}

/// Where execution goes on after an instruction that sends no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Behind the instruction.
    Onward,
    /// At the immediate.
    Jumps,
    /// Behind the instruction, or at the immediate.
    Branches,
    /// Nowhere in this code: the frame is left.
    Leaves,
}

impl Flow {
    /// Whether execution can go on behind the instruction.
    pub const fn falls_through(self) -> bool {
        match self {
            Flow::Onward | Flow::Branches => true,
            Flow::Jumps | Flow::Leaves => false,
        }
    }

    /// Whether execution can go on at the immediate.
    pub const fn jumps(self) -> bool {
        match self {
            Flow::Jumps | Flow::Branches => true,
            Flow::Onward | Flow::Leaves => false,
        }
    }
}

/// Something that executing an instruction may do beside reading and writing registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads an object, or a global.
    Reads,
    /// It changes an object that was there before, or a global.
    Writes,
    /// It makes an object: a collection can move every other one.
    Allocates,
    /// The machine may switch to a different process before the next instruction. That implies every effect but
    /// `Sends`.
    Switches,
    /// Inline caches are emptied, or instructions get new handlers.
    Invalidates,
    /// A method or block may be activated. That implies every effect.
    Sends,
}

impl Effect {
    /// All effects, in the order of the list's manual.
    pub const ALL: [Effect; 6] = [
        Effect::Reads,
        Effect::Writes,
        Effect::Allocates,
        Effect::Switches,
        Effect::Invalidates,
        Effect::Sends,
    ];

    /// The effects that this one implies, itself included.
    const fn closure(self) -> u8 {
        match self {
            Effect::Reads | Effect::Writes | Effect::Allocates | Effect::Invalidates => {
                1 << self as u8
            }
            Effect::Switches => (1 << Effect::Sends as u8) - 1,
            Effect::Sends => (2 << Effect::Sends as u8) - 1,
        }
    }
}

/// A set of effects. An effect that is not in the set does not happen; one that is in it may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects(u8);

impl Effects {
    /// These effects and the effects that they imply.
    pub(super) const fn of(named: &[Effect]) -> Effects {
        let (mut bits, mut index) = (0, 0);
        while index < named.len() {
            bits |= named[index].closure();
            index += 1;
        }
        Effects(bits)
    }

    /// Whether the effect may happen.
    pub const fn has(self, effect: Effect) -> bool {
        self.0 >> effect as u8 & 1 == 1
    }
}

/// All facts of an opcode beside its handler.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The opcode's name.
    pub name: &'static str,
    /// Its manual text.
    pub doc: &'static str,
    /// Use of byte `a`.
    pub a: Operand,
    /// Use of byte `b`.
    pub b: Operand,
    /// Use of byte `c`.
    pub c: Operand,
    /// Use of the immediate.
    pub imm: Immediate,
    /// Its words.
    pub shape: Shape,
    /// The arguments of its message.
    pub arity: Arity,
    /// What stands in its window.
    pub standing: Standing,
    /// Whether it is a form that the machine gives a `Send` while it runs.
    pub is_form: bool,
    /// The count that it adds to.
    pub counts: Counts,
    /// Where execution goes on.
    pub flow: Flow,
    /// The effects that it may have.
    pub effects: Effects,
}
