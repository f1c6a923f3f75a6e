//! The set of closed short cuts, and of accesses to variables that processors share. `interpreter` decides what their
//! instructions do.

use crate::bytecode::{Op, Operand, ShortCut};

/// Bits for the kinds of receivers that short cuts distinguish.
pub(crate) struct Kinds;

impl Kinds {
    pub(crate) const INTEGER: u8 = 1;
    pub(crate) const FLOAT: u8 = 2;
    pub(crate) const OTHER: u8 = 4;
    pub(crate) const ALL: u8 = Kinds::INTEGER | Kinds::FLOAT | Kinds::OTHER;
}

/// The work of an instruction whose short cut is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detour {
    /// Send the message to `a` with the argument `b`.
    #[default]
    Send,
    /// The same; `b` is an integer literal.
    SendLiteral,
    /// The same with the arguments `b` and `c`.
    SendTwo,
    /// The test of an inlined loop, as a message that is not counted.
    LoopTest,
    /// The step of an inlined loop, as a message that is not counted.
    LoopStep,
    /// The step of an inlined loop by itself, because its test is closed.
    StepAlone,
    /// An access to a variable, which processors may share (R14).
    Shared,
}

/// Of an opcode: which kinds of receivers take the detour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guard {
    pub(crate) kinds: u8,
    pub(crate) detour: Detour,
}

#[derive(Clone, Debug)]
pub(crate) struct Guards {
    pub(crate) by_opcode: [Guard; 256],
    /// Whether any short cut is closed.
    are_any: bool,
    /// Detours to a message that were taken.
    pub(crate) detours: u64,
}

impl Default for Guards {
    fn default() -> Guards {
        Guards {
            by_opcode: [Guard::default(); 256],
            are_any: false,
            detours: 0,
        }
    }
}

impl Guards {
    #[inline(always)]
    pub(crate) fn are_any(&self) -> bool {
        self.are_any
    }

    /// Whether an opcode's short cut is closed for some receivers.
    #[inline(always)]
    pub(crate) fn has(&self, opcode: u8) -> bool {
        self.by_opcode[usize::from(opcode)].kinds != 0
    }

    fn set(&mut self, op: Op, kinds: u8, detour: Detour) -> bool {
        let guard = &mut self.by_opcode[op as usize];
        let changes = guard.kinds | kinds != guard.kinds || guard.detour != detour;
        guard.kinds |= kinds;
        guard.detour = detour;
        self.are_any = true;
        changes
    }

    /// Lets the instructions, which access variables, look whether processors share theirs; answers whether that is new.
    pub(crate) fn share(&mut self, instructions: &[Op]) -> bool {
        let changes = instructions
            .iter()
            .map(|&op| self.set(op, Kinds::ALL, Detour::Shared));
        changes.fold(false, |any, one| any | one)
    }

    /// Whether the opcode is that of an access that looks so.
    pub(crate) fn is_shared(&self, opcode: u8) -> bool {
        self.has(opcode) && self.by_opcode[usize::from(opcode)].detour == Detour::Shared
    }

    /// Closes a short cut for some kinds of receivers; answers whether that is new.
    pub(crate) fn close(&mut self, row: &ShortCut, kinds: u8) -> bool {
        let mut changes = false;
        for op in row.instructions() {
            changes |= self.set(op, kinds, sending(op));
        }
        if kinds & Kinds::INTEGER != 0 {
            self.close_loops(row.op);
        }
        changes
    }

    /// Inlined loops on integers step by `+` and test by `<=` or `>=`.
    fn close_loops(&mut self, op: Op) {
        let (test, step) = match op {
            Op::Add => {
                self.set(Op::LoopStepUp, Kinds::INTEGER, Detour::LoopStep);
                self.set(Op::LoopStepDown, Kinds::INTEGER, Detour::LoopStep);
                return;
            }
            Op::LessEqual => (Op::LoopTestUp, Op::LoopStepUp),
            Op::GreaterEqual => (Op::LoopTestDown, Op::LoopStepDown),
            _ => return,
        };
        self.set(test, Kinds::INTEGER, Detour::LoopTest);
        if !self.has(step as u8) {
            self.set(step, Kinds::INTEGER, Detour::StepAlone);
        }
    }
}

/// How an instruction sends its message.
fn sending(op: Op) -> Detour {
    match (op.info().b, op.info().c) {
        (Operand::Int8, _) => Detour::SendLiteral,
        (_, Operand::Read) => Detour::SendTwo,
        _ => Detour::Send,
    }
}
