//! The one list of instructions. The opcode enum, the assembler's and the disassembler's view, the
//! verifier, the liveness analysis of the collector and `docs/BYTECODE.md` all derive from it.
//! What an instruction *does* is not here: that is `interpreter`.

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
}

/// How a row's 32-bit immediate is used. Before a method is linked, indices refer to the tables of
/// its [`Code`](super::Code); afterwards to those of the machine.
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
    /// Index of a block of the same method.
    Block,
    /// Index of a send site.
    Site,
    /// A [`FrameKind`](super::FrameKind).
    Frame,
    /// Index of a definition of the unit.
    Definition,
}

/// How many words an instruction takes and what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One word: `op a b c imm32`.
    Plain,
    /// Three words: the instruction; class of the inline cache (low 32 bits), window base (16 bits)
    /// and destination (16 bits); target of the inline cache. Writes the destination; reads the
    /// window `base ..= base + argc` if `Window`-shaped operands say so (see [`Op::argument_count`]).
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

/// Everything that is known of an opcode apart from what it does.
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
    /// What it counts.
    pub counts: Counts,
}

macro_rules! instructions {
    ($( $(#[doc = $doc:literal])+ $name:ident ( $a:ident $b:ident $c:ident $imm:ident ) $shape:ident $counts:ident ; )+) => {
        /// An opcode; the low byte of an instruction's first word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $( $(#[doc = $doc])+ $name, )+ }

        impl Op {
            /// All opcodes, in the order of their numbers.
            pub const ALL: &'static [Op] = &[ $( Op::$name, )+ ];

            /// The rows of the table, in the order of the opcodes' numbers.
            pub const INFO: &'static [OpInfo] = &[ $( OpInfo {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                a: Operand::$a, b: Operand::$b, c: Operand::$c,
                imm: Immediate::$imm,
                shape: Shape::$shape,
                counts: Counts::$counts,
            }, )+ ];
        }
    };
}

instructions! {
    /// Copies register `b` to register `a`.
    Move(Write Read Nil Nil) Plain Nothing;
    /// Copies between registers beyond the reach of a byte.
    MoveWide(Nil Nil Nil WidePair) Plain Nothing;
    /// Puts a small integer into `a`.
    LoadInt(Write Nil Nil Int32) Plain Nothing;
    /// Puts nil into `a`.
    LoadNil(Write Nil Nil Nil) Plain Nothing;
    /// Puts true into `a`.
    LoadTrue(Write Nil Nil Nil) Plain Nothing;
    /// Puts false into `a`.
    LoadFalse(Write Nil Nil Nil) Plain Nothing;
    /// Puts a literal into `a`.
    LoadLiteral(Write Nil Nil Literal) Plain Nothing;
    /// Puts the value of a global, a class variable or a class into `a`.
    LoadGlobal(Write Nil Nil Global) Plain Nothing;
    /// Assigns `a` to a global or a class variable.
    StoreGlobal(Read Nil Nil Global) Plain Nothing;
    /// Puts an instance variable of the object in `b`, which is the method's receiver, into `a`.
    LoadIvar(Write Read Nil Ivar) Plain Nothing;
    /// Assigns `a` to an instance variable of the object in `b`, which is the method's receiver.
    StoreIvar(Read Read Nil Ivar) Plain Nothing;
    /// Puts a captured value of the block in `b` into `a`. Slot 0 is the first captured value.
    LoadCaptured(Write Read Nil Slot) Plain Nothing;
    /// Puts a new cell that holds `b` into `a`.
    MakeCell(Write Read Nil Nil) Plain Nothing;
    /// Puts a new object that stands for this activation into `a`: what `thisContext` means. Its receiver is `b`.
    MakeContext(Write Read Nil Nil) Plain Nothing;
    /// Puts the content of the cell in `b` into `a`.
    LoadCell(Write Read Nil Nil) Plain Nothing;
    /// Makes `a` the content of the cell in `b`.
    StoreCell(Read Read Nil Nil) Plain Nothing;
    /// Puts a new block into `a` that has captured the `c` registers from `b` on.
    MakeBlock(Write First Count Block) Plain Nothing;
    /// Puts a new Array into `a`; its size is the immediate, its elements are nil.
    NewArray(Write Nil Nil Slot) Plain Nothing;
    /// Stores `a` into the Array in `b`, at the zero-based index of the immediate.
    StoreElement(Read Read Nil Slot) Plain Nothing;
    /// Counts an evaluation of the inlined control message with the immediate's number; only where that was asked for. It does not
    /// count as an instruction.
    CountInlined(Nil Nil Nil Slot) Plain Nothing;
    /// Continues at the immediate; only ever forwards or to the condition of a loop.
    Jump(Nil Nil Nil Jump) Plain Nothing;
    /// Continues at the immediate if `a` is true, behind itself if it is false; else `a` gets `mustBeBoolean`.
    JumpTrue(Read Nil Nil Jump) Plain Nothing;
    /// Continues at the immediate if `a` is false, behind itself if it is true; else `a` gets `mustBeBoolean`.
    JumpFalse(Read Nil Nil Jump) Plain Nothing;
    /// Continues at the immediate if `a` is nil.
    JumpNil(Read Nil Nil Jump) Plain Nothing;
    /// Continues at the immediate if `a` is not nil.
    JumpNotNil(Read Nil Nil Jump) Plain Nothing;
    /// Goes round an inlined loop once more: counts the repetition, polls, continues at the immediate.
    Loop(Nil Nil Nil Jump) Plain Loop;
    /// If `a` is true, goes round the loop once more as `Loop` does; if false continues behind itself; else `mustBeBoolean`.
    LoopTrue(Read Nil Nil Jump) Plain Loop;
    /// If `a` is false, goes round the loop once more as `Loop` does; if true continues behind itself; else `mustBeBoolean`.
    LoopFalse(Read Nil Nil Jump) Plain Loop;
    /// Leaves the frame; `a` is the answer of the send or of the block's evaluation.
    Return(Read Nil Nil Nil) Plain Nothing;
    /// Leaves the home method of the running block, which is in `b`, with the answer `a`, through every pending `ensure:`.
    NonLocalReturn(Read Read Nil Nil) Plain Nothing;
    /// Gives the frame a mark record of the kind in the immediate; the first instruction of a method that needs one. The machine will read the `c` registers from `b` on, receiver and arguments.
    MarkFrame(Nil First Count Frame) Plain Nothing;
    /// Goes on with an unwinding when the block of an `ensure:` has run. Only the machine's own code has it.
    ResumeUnwind(Nil Nil Nil Nil) Plain Nothing;
    /// Carries out a definition of the unit (a class, an extension).
    Define(Nil Nil Nil Definition) Plain Nothing;

    /// Evaluates a code object of the unit with the object in the window's base as its receiver; no message is sent.
    Evaluate(Nil Nil Nil Definition) Send Nothing;
    /// Puts the value of a global into the destination. If it is not defined, `unknownGlobal:` with its name is delivered to `a`, the method's receiver, and not counted; the answer is the value.
    LoadGlobalChecked(Read Nil Nil Global) Send Nothing;
    /// Sends the site's selector with `c` arguments to the object in `a`. The last argument is in `b`, the others stand in the window behind its base; the rest is put there. Without arguments `b` is `a`.
    Send(Read Read Count Site) Send Send;
    /// As `Send`, but lookup starts above the class that holds the running method.
    SuperSend(Read Read Count Site) Send Send;

    /// `a + b`.
    Add(Read Read Nil Site) Send Send;
    /// `a - b`.
    Subtract(Read Read Nil Site) Send Send;
    /// `a * b`.
    Multiply(Read Read Nil Site) Send Send;
    /// `a / b`.
    Divide(Read Read Nil Site) Send Send;
    /// `a // b`.
    FloorDivide(Read Read Nil Site) Send Send;
    /// `a \\ b`.
    Modulo(Read Read Nil Site) Send Send;
    /// `a bitAnd: b`.
    BitAnd(Read Read Nil Site) Send Send;
    /// `a bitOr: b`.
    BitOr(Read Read Nil Site) Send Send;
    /// `a bitShift: b`.
    BitShift(Read Read Nil Site) Send Send;
    /// `a + b`, `b` an integer literal.
    AddInt(Read Int8 Nil Site) Send Send;
    /// `a - b`, `b` an integer literal.
    SubtractInt(Read Int8 Nil Site) Send Send;

    /// `a < b`.
    Less(Read Read Nil Site) Send Send;
    /// `a <= b`.
    LessEqual(Read Read Nil Site) Send Send;
    /// `a > b`.
    Greater(Read Read Nil Site) Send Send;
    /// `a >= b`.
    GreaterEqual(Read Read Nil Site) Send Send;
    /// `a = b`.
    Equal(Read Read Nil Site) Send Send;
    /// `a ~= b`.
    NotEqual(Read Read Nil Site) Send Send;
    /// `a == b`.
    Same(Read Read Nil Site) Send Send;
    /// `a ~~ b`.
    NotSame(Read Read Nil Site) Send Send;

    /// `a < b`, `b` an integer literal.
    LessInt(Read Int8 Nil Site) Send Send;
    /// `a <= b`, `b` an integer literal.
    LessEqualInt(Read Int8 Nil Site) Send Send;
    /// `a > b`, `b` an integer literal.
    GreaterInt(Read Int8 Nil Site) Send Send;
    /// `a >= b`, `b` an integer literal.
    GreaterEqualInt(Read Int8 Nil Site) Send Send;
    /// `a = b`, `b` an integer literal.
    EqualInt(Read Int8 Nil Site) Send Send;
    /// `a ~= b`, `b` an integer literal.
    NotEqualInt(Read Int8 Nil Site) Send Send;

    /// `a < b`, then the `JumpFalse` or `JumpTrue` on the destination that follows.
    LessJump(Read Read Sense Site) Send Send;
    /// `a <= b`, then the jump that follows.
    LessEqualJump(Read Read Sense Site) Send Send;
    /// `a > b`, then the jump that follows.
    GreaterJump(Read Read Sense Site) Send Send;
    /// `a >= b`, then the jump that follows.
    GreaterEqualJump(Read Read Sense Site) Send Send;
    /// `a = b`, then the jump that follows.
    EqualJump(Read Read Sense Site) Send Send;
    /// `a ~= b`, then the jump that follows.
    NotEqualJump(Read Read Sense Site) Send Send;
    /// `a == b`, then the jump that follows.
    SameJump(Read Read Sense Site) Send Send;
    /// `a ~~ b`, then the jump that follows.
    NotSameJump(Read Read Sense Site) Send Send;

    /// `a < b`, `b` an integer literal, then the jump that follows.
    LessIntJump(Read Int8 Sense Site) Send Send;
    /// `a <= b`, `b` an integer literal, then the jump that follows.
    LessEqualIntJump(Read Int8 Sense Site) Send Send;
    /// `a > b`, `b` an integer literal, then the jump that follows.
    GreaterIntJump(Read Int8 Sense Site) Send Send;
    /// `a >= b`, `b` an integer literal, then the jump that follows.
    GreaterEqualIntJump(Read Int8 Sense Site) Send Send;
    /// `a = b`, `b` an integer literal, then the jump that follows.
    EqualIntJump(Read Int8 Sense Site) Send Send;
    /// `a ~= b`, `b` an integer literal, then the jump that follows.
    NotEqualIntJump(Read Int8 Sense Site) Send Send;

    /// `a at: b`.
    At(Read Read Nil Site) Send Send;
    /// `a at: b put: c`.
    AtPut(Read Read Read Site) Send Send;

    /// The test of an inlined `to:do:` that counts up: `a <= b`. Its message, if one is needed, is delivered and not counted. A `LoopTrue` on the destination follows.
    LoopTestUp(Read Read Nil Site) Send Nothing;
    /// As `LoopTestUp`, counting down: `a >= b`.
    LoopTestDown(Read Read Nil Site) Send Nothing;
    /// The step of an inlined `to:do:` that counts up: the destination, which is `a`, becomes `a + c`, uncounted; `b` is the limit. A `LoopTestUp` of `a` and `b` and its `LoopTrue` follow, and on integers the three are one.
    LoopStepUp(Read Read Read Site) Send Nothing;
    /// As `LoopStepUp`, counting down; `c` is negative.
    LoopStepDown(Read Read Read Site) Send Nothing;

    /// A `Send` whose inline cache holds a method that takes a frame. Only the machine's own code has it, as those below.
    SendFrame(Read Read Count Site) Send Send;
    /// A `Send` whose inline cache holds another quick method.
    SendQuick(Read Read Count Site) Send Send;
    /// A `Send` whose inline cache holds a method that answers a literal.
    SendValue(Read Read Count Site) Send Send;
    /// A `Send` whose inline cache holds a method that answers an instance variable.
    SendLoad(Read Read Count Site) Send Send;
    /// A `Send` whose inline cache holds a method with a primitive.
    SendPrimitive(Read Read Count Site) Send Send;
    /// A `Send` whose inline cache holds the evaluation of a block.
    SendBlock(Read Read Count Site) Send Send;
    /// A `Send` to a number whose inline cache holds what its method does, which follows from the order of receiver and argument.
    SendNumber(Read Read Count Site) Send Send;
    /// A `Send` to true or false whose inline cache holds what their methods do, which follows from receiver and argument.
    SendBoolean(Read Read Count Site) Send Send;
    /// A `Send` that met receivers of two classes; its inline cache leads to what both have.
    SendPair(Read Read Count Site) Send Send;
    /// A `SendPair` whose two methods answer literals.
    SendPairValue(Read Read Count Site) Send Send;
    /// A `Send` that met receivers of more than two classes; it asks the global cache.
    SendGlobal(Read Read Count Site) Send Send;
}

impl Op {
    /// The opcode with this number.
    pub fn from_byte(byte: u8) -> Option<Op> {
        Op::ALL.get(usize::from(byte)).copied()
    }

    /// The row of the table.
    pub fn info(self) -> &'static OpInfo {
        &Op::INFO[self as usize]
    }

    /// How many words an instruction with this opcode takes.
    pub fn width(self) -> usize {
        match self.info().shape {
            Shape::Plain => 1,
            Shape::Send => 3,
        }
    }

    /// How many arguments the message of a send-shaped instruction has; `c` is its `c` byte.
    pub fn argument_count(self, c: u8) -> usize {
        match self {
            Op::Send | Op::SuperSend => usize::from(c),
            _ if self.is_formed_send() => usize::from(c),
            Op::Evaluate => 0,
            Op::AtPut => 2,
            _ => 1,
        }
    }

    /// The operands of a send-shaped instruction that already stand in its window, counted from its base;
    /// `c` is its `c` byte. The others stand in registers, and are copied when they are needed there.
    pub fn in_window(self, c: u8) -> std::ops::Range<usize> {
        match self {
            Op::Evaluate => 0..1,
            Op::Send | Op::SuperSend => 1..usize::from(c).max(1),
            _ if self.is_formed_send() => 1..usize::from(c).max(1),
            _ => 0..0,
        }
    }

    /// Whether it is a form that the machine gives a `Send` while it runs.
    pub fn is_formed_send(self) -> bool {
        matches!(
            self,
            Op::SendFrame
                | Op::SendQuick
                | Op::SendValue
                | Op::SendLoad
                | Op::SendPrimitive
                | Op::SendBlock
                | Op::SendNumber
                | Op::SendBoolean
                | Op::SendPair
                | Op::SendPairValue
                | Op::SendGlobal
        )
    }
}
