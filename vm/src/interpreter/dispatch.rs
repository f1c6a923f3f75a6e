//! The way from one instruction to the next. The handlers are written once. There are two ways to connect them, and
//! each build has one:
//!
//! - `looped`: a handler answers where to go on, and a `loop { match }` around all handlers goes there. Every
//!   compiler can do that. Debug builds use it.
//! - `tail`: a handler ends with a tail call of the next one, through a table. The optimiser turns the tail call into a
//!   jump, because both functions take the same few words and the caller has nothing left to do. So each handler has
//!   its own indirect jump and its own registers. A function in tail position may take at most six words, because
//!   only six fit into registers. The language does not promise the jump, so only optimised builds use it (the build
//!   script sets `tail_dispatch`). `tests/dispatch.rs` executes instructions on a stack that would overflow without it.
//!
//! What a handler does is not here.
#![allow(unsafe_code)]

#[cfg(debug_assertions)]
mod checks;
#[cfg(not(tail_dispatch))]
mod looped;
#[cfg(tail_dispatch)]
mod tail;

#[cfg(not(tail_dispatch))]
use looped as chosen;
#[cfg(tail_dispatch)]
use tail as chosen;

pub(super) use chosen::{Carried, Out, leave};

use super::control::{stop_here, yield_cpu};
use super::decode::{b, c, destination, jump_target, set, word};
use super::{Exit, Mode, handlers};
use crate::base::Value;
use crate::bytecode::{Counts, SEND_WORDS, Word};
use crate::machine::Vm;

/// Goes on at `ip`.
///
/// # Safety
/// `ip` is at an instruction of verified code, `fp` at the frame that runs it.
#[inline(always)]
pub(super) unsafe fn next<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        if M::CHECKED {
            if cfg!(tail_dispatch)
                && let Some(out) = others_first::<M>(vm, ip, fp, carried)
            {
                return out;
            }
            vm.count_opcode(*ip);
        }
        chosen::go(vm, ip, fp, carried)
    }
}

/// Where execution goes on if others come before the instruction at `ip`: the time slice of the processor is over, or the guide of the processes decides
/// when it comes.
///
/// # Safety
/// As for [`next`].
unsafe fn others_first<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Option<Out> {
    // SAFETY: by the caller's promise.
    unsafe {
        if vm.is_watched() && vm.stops_before(ip, fp) {
            return Some(stop_here::<M>(vm, ip, fp, carried));
        }
        is_slice_over(vm, ip, carried).then(|| yield_cpu::<M>(vm, ip, fp, carried))
    }
}

/// Whether the instruction at `ip` is a message before which the others may have the processor's CPU.
///
/// # Safety
/// `ip` is at an instruction of verified code.
unsafe fn is_slice_over(vm: &mut Vm, ip: *const u64, carried: Carried) -> bool {
    // SAFETY: by the caller's promise.
    let op = unsafe { Word(*ip).op() };
    let is_message = op.is_some_and(|op| op.info().counts == Counts::Send);
    if !is_message || !vm.has_slices() {
        return false;
    }
    vm.registers.ticks = carried.ticks;
    vm.is_slice_over()
}

handlers! {
    /// Goes on behind the instruction at `ip`, which has one word and counts its steps.
    onward(vm, ip, fp, carried) {
        vm.count_steps::<M>(c(ip));
        next::<M>(vm, ip.add(1), fp, carried)
    }

    /// Goes on where the instruction at `ip` jumps to. It counts its steps.
    jumped(vm, ip, fp, carried) {
        vm.count_steps::<M>(b(ip));
        next::<M>(vm, jump_target(ip), fp, carried)
    }
}

/// Gives the send at `ip` its answer and goes on behind it.
///
/// # Safety
/// As for [`next`].
#[inline(always)]
pub(super) unsafe fn answered<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    answer: Value,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        set(fp, destination(ip), answer);
        vm.count_steps::<M>(word(ip).steps_with_answer());
        next::<M>(vm, ip.add(SEND_WORDS), fp, carried)
    }
}

/// Executes the instruction at `ip` from its beginning. [`next`] has shown it to the opcode counters, and it has had no
/// effect.
///
/// # Safety
/// As for [`next`].
pub(super) unsafe fn again(vm: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) -> Out {
    // SAFETY: by the caller's promise.
    unsafe { chosen::go(vm, ip, fp, carried) }
}

impl Vm {
    /// Counts steps of instructions that are executed, beside sends.
    #[inline(always)]
    pub(super) fn count_steps<M: Mode>(&mut self, steps: u8) {
        if M::FULL {
            self.counters.full.steps += u64::from(steps);
        }
    }

    #[inline(always)]
    fn count_opcode(&mut self, word: u64) {
        if let Some(counts) = &mut self.counters.opcode_counts {
            counts.count(word as u8);
        }
    }

    /// The instruction that was counted last will be executed later, and counted then.
    #[cold]
    pub(super) fn uncount_opcode(&mut self, opcode: u8) {
        if let Some(counts) = &mut self.counters.opcode_counts {
            counts.uncount(opcode);
        }
    }

    /// Executes from the saved state until there is reason to leave.
    pub(super) fn run<M: Mode>(&mut self) -> Exit {
        // SAFETY: the saved state is that of verified code.
        unsafe { chosen::run::<M>(self) };
        self.run.exit.take().unwrap_or(Exit::Mode)
    }
}
