//! Dispatch by tail calls: each handler calls the next one through a table.
#![allow(unsafe_code)]

use super::super::{Exit, Mode, control, decode, guards, moves, operators, sends};
use super::next;
use crate::base::Value;
use crate::bytecode::{Op, with_instructions};
use crate::machine::Vm;

/// Handlers answer nothing: when one returns, the loop is left.
pub(in super::super) type Out = ();

/// The values that handlers pass on beside instruction and frame pointer: two words, which take a register each.
#[derive(Clone, Copy)]
pub(in super::super) struct Carried {
    /// Sends and loop repetitions of the running process.
    pub(in super::super) ticks: u64,
    handlers: *const Handlers,
}

type Handler = unsafe fn(&mut Vm, *const u64, *mut Value, Carried);

/// The handlers by opcode byte.
#[derive(Clone, Copy)]
pub(in super::super) struct Handlers([Handler; 256]);

#[inline(always)]
pub(super) unsafe fn go(vm: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) {
    // SAFETY: by the caller's promise; `run` keeps the table until the loop is left.
    unsafe {
        let handlers = &*carried.handlers;
        handlers.0[usize::from(decode::opcode(ip))](vm, ip, fp, carried)
    }
}

#[inline(always)]
pub(in super::super) fn leave(vm: &mut Vm, exit: Exit) {
    vm.run.exit = Some(exit);
}

macro_rules! table_by_opcode {
    ($( $(#[$doc:meta])* $op:ident $columns:tt => $module:ident::$handler:ident; )+) => {
        const fn handlers<M: Mode>() -> Handlers {
            // Bytes that are no opcode do not occur in verified code.
            let mut table = [control::jump::<M> as Handler; 256];
            $( table[Op::$op as usize] = $module::$handler::<M>; )+
            Handlers(table)
        }
    };
}
with_instructions!(table_by_opcode);

struct TableOf<M>(std::marker::PhantomData<M>);

impl<M: Mode> TableOf<M> {
    const TABLE: &'static Handlers = &handlers::<M>();
}

/// The handler of an instruction that has a guard.
unsafe fn guarded<M: Mode>(vm: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) {
    // SAFETY: by the caller's promise.
    unsafe {
        match vm.detour(ip, fp) {
            Some(detour) => guards::take::<M>(detour, vm, ip, fp, carried),
            None => {
                let usual = &TableOf::<M>::TABLE.0;
                usual[usize::from(decode::opcode(ip))](vm, ip, fp, carried)
            }
        }
    }
}

/// The handlers of a machine with closed short cuts.
#[cold]
fn guarded_handlers<M: Mode>(vm: &Vm) -> Handlers {
    let mut table = *TableOf::<M>::TABLE;
    for &op in Op::ALL {
        if vm.code.guards.has(op as u8) {
            table.0[op as usize] = guarded::<M>;
        }
    }
    table
}

/// # Safety
/// The saved state is that of verified code.
pub(super) unsafe fn run<M: Mode>(vm: &mut Vm) {
    let own = vm.code.guards.are_any().then(|| guarded_handlers::<M>(vm));
    let carried = Carried {
        ticks: vm.registers.ticks,
        handlers: own.as_ref().unwrap_or(TableOf::<M>::TABLE),
    };
    // SAFETY: by the caller's promise.
    unsafe { next::<M>(vm, vm.registers.ip, vm.registers.fp, carried) }
}
