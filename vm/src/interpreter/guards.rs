//! Guards of short cuts. A short cut stands for a method of the library; when another method takes that one's
//! place, the machine closes the short cut for the receivers concerned, and for no others.
//!
//! The instructions stay as they are, so frames, return addresses and inline caches stay valid. A closed short cut's
//! instructions get another handler, which looks at the receiver first; the others' handlers know nothing of guards.
#![allow(unsafe_code)]

use super::control::{step_alone, uncounted_send};
use super::decode::{a, get, opcode};
use super::operators::{Operands, send_operands};
use super::{Carried, Mode, Out};
use crate::bytecode::{Op, Operand, Receivers, ShortCut};
use crate::class::{ClassId, Known, MethodId};
use crate::machine::Vm;
use crate::value::{SymbolId, Value};

/// Bits for the kinds of receivers that short cuts tell apart.
struct Kinds;

impl Kinds {
    const INTEGER: u8 = 1;
    const FLOAT: u8 = 2;
    const OTHER: u8 = 4;
    const ALL: u8 = Kinds::INTEGER | Kinds::FLOAT | Kinds::OTHER;
}

/// What an instruction does in the place of its short cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Detour {
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
}

/// Of an opcode: which kinds of receivers take the detour.
#[derive(Clone, Copy, Debug, Default)]
struct Guard {
    kinds: u8,
    detour: Detour,
}

/// The guards of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    by_opcode: [Guard; 256],
    /// Whether any short cut is closed.
    are_any: bool,
    /// Detours to a message that were taken.
    detours: u64,
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
    /// Whether any short cut is closed.
    #[inline(always)]
    pub(super) fn are_any(&self) -> bool {
        self.are_any
    }

    /// Whether an opcode's short cut is closed for some receivers.
    #[inline(always)]
    pub(super) fn has(&self, opcode: u8) -> bool {
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

    /// Closes a short cut for some kinds of receivers; answers whether that is new.
    fn close(&mut self, row: &ShortCut, kinds: u8) -> bool {
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

/// The classes that short cuts for some receivers are about, with their kinds; none if every class is concerned.
fn classes(receivers: Receivers) -> &'static [(u8, Known)] {
    const COMPARABLE: &[(u8, Known)] = &[
        (Kinds::INTEGER, Known::SmallInteger),
        (Kinds::FLOAT, Known::Float),
        (Kinds::OTHER, Known::String),
        (Kinds::OTHER, Known::Character),
    ];
    const INDEXABLE: &[(u8, Known)] =
        &[(Kinds::OTHER, Known::Array), (Kinds::OTHER, Known::String)];
    match receivers {
        Receivers::Integers => &COMPARABLE[..1],
        Receivers::Numbers => &COMPARABLE[..2],
        Receivers::NumbersAndStrings => &COMPARABLE[..3],
        Receivers::Comparable => COMPARABLE,
        Receivers::Indexable => INDEXABLE,
        Receivers::Arrays => &INDEXABLE[..1],
        Receivers::All => &[],
    }
}

impl Vm {
    /// The detour that the instruction at `ip` takes, in the frame at `fp`.
    ///
    /// # Safety
    /// `ip` is at an instruction that has a guard, `fp` at its frame.
    #[inline(always)]
    pub(super) unsafe fn detour(&mut self, ip: *const u64, fp: *mut Value) -> Option<Detour> {
        // SAFETY: by the caller's promise; such instructions read their receiver from `a`.
        let (opcode, receiver) = unsafe { (opcode(ip), get(fp, a(ip))) };
        let guard = self.code.guards.by_opcode[usize::from(opcode)];
        let kind = if receiver.is_int() {
            Kinds::INTEGER
        } else if self.is_a(receiver, Known::Float) {
            Kinds::FLOAT
        } else {
            Kinds::OTHER
        };
        let takes = guard.kinds & kind != 0;
        self.code.guards.detours += u64::from(takes && guard.detour != Detour::StepAlone);
        takes.then_some(guard.detour)
    }

    /// Instructions that became messages because their short cuts are closed. A statistic for tests; no count.
    #[doc(hidden)]
    pub fn detours(&self) -> u64 {
        self.code.guards.detours
    }

    /// A method has come into a class: where it takes the place of a method that a short cut stands for, the short
    /// cut is closed. It stays closed when the method goes again.
    pub(crate) fn guard_against(&mut self, method: MethodId, selector: SymbolId) {
        self.guard(selector, |vm, known| {
            vm.lookup(known.into(), selector) == Some(method)
        });
    }

    /// A method has gone from a class: what its instances and those below inherit now is not what short cuts stand
    /// for.
    pub(crate) fn guard_against_loss(&mut self, holder: ClassId, selector: SymbolId) {
        self.guard(selector, |vm, known| vm.inherits(known.into(), holder));
    }

    fn guard(&mut self, selector: SymbolId, is_concerned: impl Fn(&Vm, Known) -> bool) {
        let text = self.image.symbols.text(selector);
        let Some(row) = ShortCut::of(self.config.dialect, text) else {
            return;
        };
        let concerned = classes(row.receivers).iter();
        let concerned = concerned.filter(|(_, known)| is_concerned(self, *known));
        let kinds = match row.receivers {
            Receivers::All => Kinds::ALL,
            _ => concerned.fold(0, |kinds, (kind, _)| kinds | kind),
        };
        self.close(row, kinds);
    }

    fn close(&mut self, row: &ShortCut, kinds: u8) {
        if kinds != 0 && self.code.guards.close(row, kinds) {
            // The loop takes its handlers when it is entered.
            self.run.mode_changed = true;
        }
    }

    /// Closes all short cuts.
    pub(crate) fn close_all_short_cuts(&mut self) {
        for row in ShortCut::all(self.config.dialect) {
            self.close(row, Kinds::ALL);
        }
    }

    /// Whether a send of this selector may be short-cut: wherever a short cut would be taken, the method
    /// behind it is a primitive. The library of a Smalltalk machine is made so; SOM's may be any.
    pub fn short_cut_stands(&self, selector: &str) -> bool {
        let dialect = self.config.dialect;
        if dialect == crate::dialect::Dialect::Smalltalk {
            return true;
        }
        let (Some(id), Some(row)) = (
            self.image.symbols.find(selector),
            ShortCut::of(dialect, selector),
        ) else {
            return false;
        };
        let is_primitive = |known: Known| {
            let method = self.lookup(known.into(), id);
            method.is_some_and(|method| self.method(method).code.get().primitive.is_some())
        };
        match row.receivers {
            Receivers::All => [Known::Object, Known::SmallInteger, Known::Float]
                .into_iter()
                .all(is_primitive),
            some => classes(some).iter().all(|&(_, known)| is_primitive(known)),
        }
    }
}

/// Carries out an instruction whose short cut is closed for its receiver.
///
/// # Safety
/// As for every handler; the detour is the instruction's.
#[inline(always)]
pub(super) unsafe fn take<M: Mode>(
    detour: Detour,
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        match detour {
            Detour::Send => send_operands::<M, { Operands::A_B }>(vm, ip, fp, carried),
            Detour::SendLiteral => send_operands::<M, { Operands::A_INTEGER }>(vm, ip, fp, carried),
            Detour::SendTwo => send_operands::<M, { Operands::A_B_C }>(vm, ip, fp, carried),
            Detour::LoopTest => uncounted_send::<M, { Operands::A_B }>(vm, ip, fp, carried),
            Detour::LoopStep => uncounted_send::<M, { Operands::A_C }>(vm, ip, fp, carried),
            Detour::StepAlone => step_alone::<M>(vm, ip, fp, carried),
        }
    }
}
