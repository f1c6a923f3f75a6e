//! From one instruction to the next. The handlers are written once; there are two ways to string them
//! together, of which a build has one:
//!
//! - `looped`: a handler answers where to go on, and a `loop { match }` around all of them goes there. Every
//!   compiler can do that; it is what debug builds have.
//! - `tail`: a handler's last act is to call the next one, through a table. The optimiser turns such a
//!   call into a jump, because both functions take the same few words and nothing is left to do in the caller;
//!   so each handler has an indirect jump of its own and registers of its own. For that no function called in the
//!   last place may take more than six words, which is what registers hold. The language does not promise
//!   it, so it is for optimised builds only (the build script sets `tail_dispatch`), and
//!   `tests/dispatch.rs` executes instructions on a stack that would not last without it.
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
