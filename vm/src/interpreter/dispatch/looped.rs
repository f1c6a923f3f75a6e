//! Dispatch by a loop around a match over all handlers.
#![allow(unsafe_code)]

use super::super::{Exit, Mode, control, guards, moves, operators, sends};
use super::{next, others_first};
use crate::base::Value;
use crate::bytecode::{Op, Word, with_instructions};
use crate::machine::Vm;

/// Where the loop goes on; nowhere if `ip` is null.
#[derive(Clone, Copy)]
pub(in super::super) struct Out {
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
}

/// The values that handlers pass on beside instruction and frame pointer.
#[derive(Clone, Copy)]
pub(in super::super) struct Carried {
    /// Sends and loop repetitions of the running process.
    pub(in super::super) ticks: u64,
}

#[inline(always)]
pub(super) unsafe fn go(_: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) -> Out {
    Out { ip, fp, carried }
}

#[inline(always)]
pub(in super::super) fn leave(vm: &mut Vm, exit: Exit) -> Out {
    vm.run.exit = Some(exit);
    Out {
        ip: std::ptr::null(),
        fp: std::ptr::null_mut(),
        carried: Carried { ticks: 0 },
    }
}

macro_rules! match_on_opcode {
    ($( $(#[$doc:meta])* $op:ident $columns:tt => $module:ident::$handler:ident; )+) => {
        /// Executes one instruction.
        #[inline(always)]
        unsafe fn step<M: Mode>(vm: &mut Vm, at: Out) -> Out {
            let Out { ip, fp, carried } = at;
            // SAFETY: by the caller's promise; the verifier has checked that the byte is an opcode.
            unsafe {
                let opcode = Word(*ip).0 as u8;
                if vm.code.guards.are_any()
                    && vm.code.guards.has(opcode)
                    && let Some(detour) = vm.detour(ip, fp)
                {
                    return guards::take::<M>(detour, vm, ip, fp, carried);
                }
                match std::mem::transmute::<u8, Op>(opcode) {
                    $( Op::$op => $module::$handler::<M>(vm, ip, fp, carried), )+
                }
            }
        }
    };
}
with_instructions!(match_on_opcode);

/// # Safety
/// The saved state is that of verified code.
pub(super) unsafe fn run<M: Mode>(vm: &mut Vm) {
    // SAFETY: handlers answer such states again.
    unsafe {
        let carried = Carried {
            ticks: vm.registers.ticks,
        };
        let mut at = next::<M>(vm, vm.registers.ip, vm.registers.fp, carried);
        #[cfg(debug_assertions)]
        let mut checks = super::checks::Checks::default();
        while !at.ip.is_null() {
            // Here, since a switch before an instruction is no part of the one before.
            if M::CHECKED
                && let Some(other) = others_first::<M>(vm, at.ip, at.fp, at.carried)
            {
                at = other;
                continue;
            }
            #[cfg(debug_assertions)]
            let before = checks.before(vm, at.ip, at.fp);
            at = step::<M>(vm, at);
            #[cfg(debug_assertions)]
            if let Some(before) = before {
                before.check(vm, at.ip, at.fp);
            }
        }
    }
}
