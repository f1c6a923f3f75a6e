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

use super::{Exit, Mode};
use crate::base::Value;
use crate::machine::Vm;

/// Goes on at `ip`, having counted the instruction there.
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
        if M::FULL {
            vm.counters.full.instructions += 1;
        }
        if M::CHECKED {
            vm.count_opcode(*ip);
        }
        chosen::go(vm, ip, fp, carried)
    }
}

/// Executes the instruction at `ip`, which [`next`] has counted and which has had no effect, from its beginning.
///
/// # Safety
/// As for [`next`].
pub(super) unsafe fn again(vm: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) -> Out {
    // SAFETY: by the caller's promise.
    unsafe { chosen::go(vm, ip, fp, carried) }
}

impl Vm {
    #[inline(always)]
    fn count_opcode(&mut self, word: u64) {
        if let Some(counts) = &mut self.counters.opcode_counts {
            counts.count(word as u8);
        }
    }

    /// Executes from the saved state until there is reason to leave.
    pub(super) fn run<M: Mode>(&mut self) -> Exit {
        // SAFETY: the saved state is that of verified code.
        unsafe { chosen::run::<M>(self) };
        self.run.exit.take().unwrap_or(Exit::Mode)
    }
}
