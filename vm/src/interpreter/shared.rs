//! Instructions of variables that processors share (R14). Such an access is an interaction: the others catch up before it
//! happens. A program without processors, or without such variables, executes the usual handlers.

#![allow(unsafe_code)]

use super::decode::{a, b, get, imm, opcode, set, word};
use super::dispatch::{answered, onward};
use super::{Carried, Mode, Next, Out, moves, resume};
use crate::base::Value;
use crate::bytecode::Op;
use crate::machine::Vm;
use crate::run::Exit;
use crate::separate::{Intent, Variable};

impl Vm {
    /// The shared variable that the instruction at `ip` accesses.
    ///
    /// # Safety
    /// `ip` is at an instruction of a global or an instance variable, `fp` at its frame.
    unsafe fn shared_variable(&self, ip: *const u64, fp: *mut Value) -> Option<Variable> {
        // SAFETY: by the caller's promise.
        let variable = unsafe {
            match Op::from_byte(opcode(ip))? {
                Op::LoadGlobal | Op::StoreGlobal => Variable::Global(imm(ip)),
                Op::LoadGlobalChecked => Variable::Global(word(ip).index()),
                _ => {
                    let class = self.class_of_class_object(get(fp, b(ip)))?;
                    let is_of_program = class.0 as usize >= self.image.library_classes;
                    let variable = Variable::OfClass(class, imm(ip));
                    return is_of_program.then_some(variable);
                }
            }
        };
        self.separate.shared.has(variable).then_some(variable)
    }
}

/// Executes an instruction that accesses a variable.
///
/// # Safety
/// As for every handler; the instruction is one of a global or an instance variable.
#[inline(never)]
pub(super) unsafe fn access<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        let Some(variable) = vm.shared_variable(ip, fp) else {
            return usual::<M>(vm, ip, fp, carried);
        };
        vm.save(ip, fp, carried);
        if vm.is_before_others() {
            // It is executed, and shown to the opcode counters, when the others have caught up.
            vm.uncount_opcode(opcode(ip));
            let next = vm.interact(Intent::Look);
            return resume::<M>(vm, next, carried);
        }
        match Op::from_byte(opcode(ip)) {
            Some(Op::StoreGlobal | Op::StoreIvar) if vm.is_in_turn() => {
                let stop = vm.refuse_in_turn("store a variable that others see");
                let next = Next::Exit(Exit::Stop(stop));
                return resume::<M>(vm, next, carried);
            }
            Some(Op::StoreGlobal | Op::StoreIvar) => vm.note_stored(variable),
            Some(Op::LoadGlobalChecked) if !vm.image.globals[word(ip).index() as usize].defined => {
            }
            Some(Op::LoadGlobalChecked) => {
                let value = vm.read_global(word(ip).index() as usize);
                return answered::<M>(vm, ip, fp, carried, value);
            }
            Some(Op::LoadGlobal) => {
                let value = vm.read_global(imm(ip) as usize);
                set(fp, a(ip), value);
                return onward::<M>(vm, ip, fp, carried);
            }
            _ if !vm.heap.has_slot(get(fp, b(ip)), imm(ip) as usize) => {}
            _ => {
                let value = vm.heap.slot(get(fp, b(ip)), imm(ip) as usize);
                let value = vm.seen_through_membrane(variable, value);
                set(fp, a(ip), value);
                return onward::<M>(vm, ip, fp, carried);
            }
        }
        usual::<M>(vm, ip, fp, carried)
    }
}

/// Executes the instruction as a program without processors does.
unsafe fn usual<M: Mode>(vm: &mut Vm, ip: *const u64, fp: *mut Value, carried: Carried) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        match Op::from_byte(opcode(ip)) {
            Some(Op::LoadGlobal) => moves::load_global::<M>(vm, ip, fp, carried),
            Some(Op::LoadGlobalChecked) => moves::load_global_checked::<M>(vm, ip, fp, carried),
            Some(Op::StoreGlobal) => moves::store_global::<M>(vm, ip, fp, carried),
            Some(Op::StoreIvar) => moves::store_ivar::<M>(vm, ip, fp, carried),
            _ => moves::load_ivar::<M>(vm, ip, fp, carried),
        }
    }
}
