//! Guards of short cuts. A short cut replaces a method of the library. When another method takes the place of that
//! method, the machine closes the short cut for the receivers concerned, and for no others.
//!
//! The instructions stay as they are, so frames, return addresses and inline caches stay valid. The instructions of a
//! closed short cut get another handler, which looks at the receiver first. The other handlers know nothing of guards.

#![allow(unsafe_code)]

use super::control::{step_alone, uncounted_send};
use super::decode::{a, get, opcode};
use super::operators::{Operands, send_operands};
use super::{Carried, Mode, Out, shared};
use crate::base::{ClassId, Known, MethodId, SymbolId, Value};
use crate::bytecode::{Receivers, ShortCut};
use crate::code::{Detour, Kinds};
use crate::machine::Vm;

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
        // SAFETY: by the caller's promise.
        if self.code.guards.is_shared(unsafe { opcode(ip) }) {
            return Some(Detour::Shared);
        }
        // SAFETY: by the caller's promise; the other instructions read their receiver from `a`.
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

    /// A method was added to a class. If it replaces the method behind a short cut, the short cut is closed. It stays
    /// closed when the method goes again.
    pub(crate) fn guard_against(&mut self, method: MethodId, selector: SymbolId) {
        self.guard(selector, |vm, known| {
            vm.lookup(known.into(), selector) == Some(method)
        });
    }

    /// A method has gone from a class. Its instances, and those of its subclasses, inherit a method that no short cut
    /// replaces.
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

    pub(crate) fn close_all_short_cuts(&mut self) {
        for row in ShortCut::all(self.config.dialect) {
            self.close(row, Kinds::ALL);
        }
    }

    /// Whether a send of this selector may be short-cut: for every receiver of the short cut, the method is a
    /// primitive. The library of a Smalltalk machine is written so. A library of SOM need not be.
    pub fn short_cut_stands(&self, selector: &str) -> bool {
        let dialect = self.config.dialect;
        if dialect == crate::base::Dialect::Smalltalk {
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

/// Executes an instruction whose short cut is closed for its receiver.
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
            Detour::Shared => shared::access::<M>(vm, ip, fp, carried),
        }
    }
}
