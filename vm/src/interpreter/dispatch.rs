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

/// The one list of opcodes and their handlers.
macro_rules! with_handlers {
    ($apply:ident) => {
        $apply! {
            Move moves::copy
            MoveWide moves::copy_wide
            LoadInt moves::load_int
            LoadNil moves::load_nil
            LoadTrue moves::load_true
            LoadFalse moves::load_false
            LoadLiteral moves::load_literal
            LoadGlobal moves::load_global
            LoadGlobalChecked moves::load_global_checked
            StoreGlobal moves::store_global
            LoadIvar moves::load_ivar
            StoreIvar moves::store_ivar
            LoadCaptured moves::load_captured
            MakeCell moves::make_cell
            MakeContext moves::make_context
            LoadCell moves::load_cell
            StoreCell moves::store_cell
            MakeBlock moves::make_block
            NewArray moves::new_array
            StoreElement moves::store_element
            CountInlined control::count_inlined
            Jump control::jump
            JumpTrue control::jump_true
            JumpFalse control::jump_false
            JumpNil control::jump_nil
            JumpNotNil control::jump_not_nil
            Loop control::repeat
            LoopTrue control::repeat_if_true
            LoopFalse control::repeat_if_false
            Return control::answer
            NonLocalReturn control::non_local_return
            MarkFrame control::mark_frame
            ResumeUnwind control::resume_unwind
            Define control::define
            Evaluate control::evaluate
            Send sends::send
            SuperSend sends::send
            Add operators::add
            Subtract operators::subtract
            Multiply operators::multiply
            Divide operators::divide
            FloorDivide operators::floor_divide
            Modulo operators::modulo
            BitAnd operators::bit_and
            BitOr operators::bit_or
            BitShift operators::bit_shift
            AddInt operators::add_int
            SubtractInt operators::subtract_int
            Less operators::less
            LessEqual operators::less_equal
            Greater operators::greater
            GreaterEqual operators::greater_equal
            Equal operators::equal
            NotEqual operators::not_equal
            Same operators::same
            NotSame operators::not_same
            LessInt operators::less_int
            LessEqualInt operators::less_equal_int
            GreaterInt operators::greater_int
            GreaterEqualInt operators::greater_equal_int
            EqualInt operators::equal_int
            NotEqualInt operators::not_equal_int
            LessJump operators::less_jump
            LessEqualJump operators::less_equal_jump
            GreaterJump operators::greater_jump
            GreaterEqualJump operators::greater_equal_jump
            EqualJump operators::equal_jump
            NotEqualJump operators::not_equal_jump
            SameJump operators::same_jump
            NotSameJump operators::not_same_jump
            LessIntJump operators::less_int_jump
            LessEqualIntJump operators::less_equal_int_jump
            GreaterIntJump operators::greater_int_jump
            GreaterEqualIntJump operators::greater_equal_int_jump
            EqualIntJump operators::equal_int_jump
            NotEqualIntJump operators::not_equal_int_jump
            At operators::at
            AtPut operators::at_put
            LoopTestUp control::loop_test_up
            LoopTestDown control::loop_test_down
            LoopStepUp control::loop_step_up
            LoopStepDown control::loop_step_down
            SendFrame sends::send_frame
            SendQuick sends::send_quick
            SendValue sends::send_value
            SendLoad sends::send_load
            SendPrimitive sends::send_primitive
            SendBlock sends::send_block
            SendNumber sends::send_number
            SendBoolean sends::send_boolean
            SendPair sends::send_pair
            SendPairValue sends::send_pair_value
            SendGlobal sends::send_global
        }
    };
}
use with_handlers;
