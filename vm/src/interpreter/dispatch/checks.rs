//! Checks of executing instructions in debug builds. Their operands lie inside the frame and inside their tables. They
//! have only the effects that their rows name. The effect `Reads` is not checked, because the machine does not note
//! reads.
//!
//! A check costs ten times as much as an instruction, so a long run is checked in samples.
#![allow(unsafe_code)]

use super::super::decode::{get, opcode};
use crate::base::{ProcessId, Value};
use crate::bytecode::{Access, Effect, Flow, Immediate, Instruction, Jumps};
use crate::code::Target;
use crate::heap::{Allocations, Contents};
use crate::machine::Vm;
use crate::processes::in_stub;

/// Instructions at the beginning of a run that are all checked.
const FIRST: usize = 1 << 14;
/// Afterwards one in this number is checked. Hardly any loop has a multiple of that as its length.
const ONE_IN: usize = 61;
/// Slots of an object that are compared before and after an instruction.
const SLOTS: usize = 8;
/// Operands whose objects are checked.
const OPERANDS: usize = 2;

/// Chooses the instructions to be checked.
#[derive(Default)]
pub(super) struct Checks {
    executed: usize,
}

impl Checks {
    /// The state to compare with after the next instruction, if the instruction is checked.
    ///
    /// # Safety
    /// As for [`Before::of`].
    #[inline(always)]
    pub(super) unsafe fn before(
        &mut self,
        vm: &mut Vm,
        ip: *const u64,
        fp: *mut Value,
    ) -> Option<Before> {
        self.executed = self.executed.wrapping_add(1);
        if self.executed > FIRST && !self.executed.is_multiple_of(ONE_IN) {
            return None;
        }
        // SAFETY: by the caller's promise.
        unsafe { Before::of(vm, ip, fp) }
    }
}

/// The part of the state before an instruction that its row leaves unchanged.
pub(super) struct Before {
    instruction: Instruction,
    ip: *const u64,
    fp: *mut Value,
    code: *const Target,
    process: ProcessId,
    caches: usize,
    made: Allocations,
    bytes: usize,
    operands: [Value; OPERANDS],
    digest: u64,
}

impl Before {
    /// Checks the operands of the instruction at `ip`, and notes the state before it; `None` for the
    /// machine's own code, and for an access to a variable that processors may share: that can be an interaction.
    ///
    /// # Safety
    /// `ip` is at an instruction of verified code, `fp` at the frame that runs it.
    #[inline(never)]
    unsafe fn of(vm: &mut Vm, ip: *const u64, fp: *mut Value) -> Option<Before> {
        // SAFETY: by the caller's promise.
        if in_stub(ip) || vm.code.guards.is_shared(unsafe { opcode(ip) }) {
            return None;
        }
        // SAFETY: the pointer is a frame's, which stands in the stack.
        let frame = unsafe { fp.offset_from(vm.running.stack.base().cast()) } as usize;
        let code = vm.running_code(frame);
        let instruction = code.instruction_at(ip);
        debug_assert!(
            instruction.is_some(),
            "a frame runs other code than its own"
        );
        let instruction = instruction?;
        vm.check_operands(instruction, code);
        // SAFETY: the registers were checked.
        let operands = unsafe { operands(instruction, fp) };
        Some(Before {
            instruction,
            ip,
            fp,
            code,
            process: vm.running.id,
            caches: vm.code.filled_caches.len(),
            made: vm.heap.allocations,
            bytes: vm.heap.bytes_of_objects(),
            operands,
            digest: vm.digest(instruction, operands),
        })
    }

    /// Checks that nothing has happened that the row does not name. Execution goes on at `ip`, in the frame at `fp`, or the
    /// loop is left if `ip` is null.
    pub(super) fn check(&self, vm: &Vm, ip: *const u64, fp: *mut Value) {
        let info = self.instruction.op.info();
        let (name, effects) = (info.name, info.effects);
        if !effects.has(Effect::Sends) && !effects.has(Effect::Switches) {
            let flow_holds = ip.is_null() || self.goes_on_at(ip) && fp == self.fp;
            debug_assert!(flow_holds, "{name} goes on where its flow does not lead");
        }
        if !effects.has(Effect::Switches) {
            debug_assert!(vm.running.id == self.process, "{name} switches");
        }
        if !effects.has(Effect::Invalidates) {
            debug_assert!(
                vm.code.filled_caches.len() >= self.caches,
                "{name} invalidates"
            );
        }
        if !effects.has(Effect::Allocates) {
            let stays =
                vm.heap.allocations == self.made && vm.heap.bytes_of_objects() == self.bytes;
            debug_assert!(stays, "{name} allocates");
            let is_same = vm.digest(self.instruction, self.operands) == self.digest;
            debug_assert!(is_same, "{name} writes");
        }
    }

    fn goes_on_at(&self, ip: *const u64) -> bool {
        // SAFETY: targets live as long as the machine.
        let place = unsafe { (*self.code).index_of(ip) };
        debug_assert!(self.ip != ip || self.instruction.op.info().flow != Flow::Onward);
        let mut successors = self.instruction.successors(Jumps::Relative);
        place.is_some_and(|place| successors.any(|next| next == place))
    }
}

impl Vm {
    /// Checks an instruction's operands against its frame and the machine's tables.
    fn check_operands(&self, instruction: Instruction, code: &Target) {
        let (name, index) = (instruction.op.info().name, instruction.immediate() as usize);
        instruction.registers(|register, _| {
            debug_assert!(
                register < code.register_count as usize,
                "{name}: register {register} is outside the frame"
            );
        });
        let is_there = match instruction.op.info().imm {
            Immediate::Literal => index < self.code.literals.len(),
            Immediate::Global => index < self.image.globals.len(),
            Immediate::Site => index < self.code.sites.len(),
            Immediate::Block => index < self.code.targets.len(),
            Immediate::Jump => {
                let target = instruction.target(Jumps::Relative);
                target.is_some_and(|target| target < code.words.len())
            }
            Immediate::Nil
            | Immediate::Int32
            | Immediate::WidePair
            | Immediate::Ivar
            | Immediate::Slot
            | Immediate::Frame
            | Immediate::Definition => true,
        };
        debug_assert!(is_there, "{name}: {index} is outside its table");
    }

    /// A digest of the first slots of these objects and of the global that the instruction names. Always the same if
    /// the instruction may write, or may move objects.
    fn digest(&self, instruction: Instruction, operands: [Value; OPERANDS]) -> u64 {
        let info = instruction.op.info();
        if info.effects.has(Effect::Writes) || info.effects.has(Effect::Allocates) {
            return 0;
        }
        let has_slots = |value: &&Value| {
            value.is_object() && matches!(self.heap.contents(**value), Contents::Slots(_))
        };
        let slots = operands
            .iter()
            .filter(has_slots)
            .flat_map(|&object| self.heap.slots(object).iter().take(SLOTS));
        let global = (info.imm == Immediate::Global)
            .then(|| &self.image.globals[instruction.immediate() as usize].value);
        slots
            .chain(global)
            .fold(0, |digest, value| digest.rotate_left(5) ^ value.bits())
    }
}

/// The first values that the instruction reads.
///
/// # Safety
/// The instruction's registers lie inside the frame at `fp`.
unsafe fn operands(instruction: Instruction, fp: *mut Value) -> [Value; OPERANDS] {
    let (mut found, mut count) = ([Value::NIL; OPERANDS], 0);
    instruction.registers(|register, access| {
        if access == Access::Read && count < OPERANDS {
            // SAFETY: by the caller's promise.
            found[count] = unsafe { get(fp, register) };
            count += 1;
        }
    });
    found
}
