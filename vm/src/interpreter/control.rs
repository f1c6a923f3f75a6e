//! Handlers of jumps, loops and returns, and of instructions that only have a slow path.

#![allow(unsafe_code)]

use super::decode::{a, b, base, c, get, imm, jump_target, set, word};
use super::dispatch::{answered, jumped, next, onward};
use super::operators::{Operands, send_operands};
use super::{Carried, Mode, Out, events, handlers, leave, resume, slow_handlers};
use crate::base::Value;
use crate::bytecode::{FrameKind, SEND_WORDS};
use crate::machine::Vm;
use crate::separate::Intent;

/// Goes round a loop once more: counts the repetition and polls.
#[inline(always)]
unsafe fn go_round<M: Mode>(
    vm: &mut Vm,
    jump: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: `jump` is at an instruction that jumps.
    unsafe {
        vm.count_steps::<M>(b(jump));
        let ip = jump_target(jump);
        if M::COUNT {
            carried.ticks = carried.ticks.wrapping_add(1);
            vm.registers.loops = vm.registers.loops.wrapping_add(1);
        }
        if M::CHECKED && vm.has_slices() {
            vm.registers.ticks = carried.ticks;
            if vm.is_slice_over() {
                return yield_cpu::<M>(vm, ip, fp, carried);
            }
        }
        if vm.is_poll_due(carried) {
            return poll::<M>(vm, ip, fp, carried);
        }
        next::<M>(vm, ip, fp, carried)
    }
}

/// The step, the test and the jump of an inlined `to:do:` at once, for integers. That arithmetic is part of the inlining
/// in every mode.
#[inline(always)]
unsafe fn loop_step<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    goes_on: impl Fn(i64, i64) -> bool,
) -> Out {
    // SAFETY: registers and the companions that follow were verified.
    unsafe {
        let (index, limit, step) = (get(fp, a(ip)), get(fp, b(ip)), get(fp, c(ip)));
        if (index.bits() | limit.bits() | step.bits()) & 3 == 0
            && let Some(sum) = (index.bits() as i64).checked_add(step.bits() as i64)
        {
            set(fp, a(ip), Value::from_bits(sum as u64));
            let jump = ip.add(2 * SEND_WORDS);
            if goes_on(sum, limit.bits() as i64) {
                return go_round::<M>(vm, jump, fp, carried);
            }
            return onward::<M>(vm, jump, fp, carried);
        }
        uncounted_send::<M, { Operands::A_C }>(vm, ip, fp, carried)
    }
}

#[inline(always)]
unsafe fn loop_test<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    goes_on: impl Fn(i64, i64) -> bool,
) -> Out {
    // SAFETY: registers were verified.
    unsafe {
        let (index, limit) = (get(fp, a(ip)), get(fp, b(ip)));
        if (index.bits() | limit.bits()) & 3 == 0 {
            let answer = goes_on(index.bits() as i64, limit.bits() as i64);
            return answered::<M>(vm, ip, fp, carried, Value::bool(answer));
        }
        uncounted_send::<M, { Operands::A_B }>(vm, ip, fp, carried)
    }
}

/// The step of an inlined `to:do:` whose test is a message.
#[inline(never)]
pub(super) unsafe fn step_alone<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: registers were verified.
    unsafe {
        let (index, limit, step) = (get(fp, a(ip)), get(fp, b(ip)), get(fp, c(ip)));
        if (index.bits() | limit.bits() | step.bits()) & 3 == 0
            && let Some(sum) = (index.bits() as i64).checked_add(step.bits() as i64)
        {
            return answered::<M>(vm, ip, fp, carried, Value::from_bits(sum as u64));
        }
        uncounted_send::<M, { Operands::A_C }>(vm, ip, fp, carried)
    }
}

/// A loop's own arithmetic. It takes the path of a send and is none.
#[inline(never)]
pub(super) unsafe fn uncounted_send<M: Mode, const OPERANDS: u8>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    if M::COUNT {
        carried.ticks = carried.ticks.wrapping_sub(1);
    }
    // SAFETY: by the caller's promise.
    unsafe {
        events::not_sent::<M>(vm, ip, fp);
        send_operands::<M, OPERANDS>(vm, ip, fp, carried)
    }
}

handlers! {
    count_inlined(vm, ip, fp, carried) {
        if let Some(count) = vm.counters.full.inlined.get_mut(imm(ip) as usize) {
            *count = count.wrapping_add(1);
        }
        next::<M>(vm, ip.add(1), fp, carried)
    }

    jump(vm, ip, fp, carried) {
        jumped::<M>(vm, ip, fp, carried)
    }

    jump_true(vm, ip, fp, carried) {
        match get(fp, a(ip)) {
            Value::TRUE => jumped::<M>(vm, ip, fp, carried),
            Value::FALSE => onward::<M>(vm, ip, fp, carried),
            _ => must_be_boolean::<M>(vm, ip, fp, carried),
        }
    }

    jump_false(vm, ip, fp, carried) {
        match get(fp, a(ip)) {
            Value::FALSE => jumped::<M>(vm, ip, fp, carried),
            Value::TRUE => onward::<M>(vm, ip, fp, carried),
            _ => must_be_boolean::<M>(vm, ip, fp, carried),
        }
    }

    jump_nil(vm, ip, fp, carried) {
        if get(fp, a(ip)) == Value::NIL {
            return jumped::<M>(vm, ip, fp, carried);
        }
        onward::<M>(vm, ip, fp, carried)
    }

    jump_not_nil(vm, ip, fp, carried) {
        if get(fp, a(ip)) != Value::NIL {
            return jumped::<M>(vm, ip, fp, carried);
        }
        onward::<M>(vm, ip, fp, carried)
    }

    repeat(vm, ip, fp, carried) {
        go_round::<M>(vm, ip, fp, carried)
    }

    repeat_if_true(vm, ip, fp, carried) {
        match get(fp, a(ip)) {
            Value::TRUE => go_round::<M>(vm, ip, fp, carried),
            Value::FALSE => onward::<M>(vm, ip, fp, carried),
            _ => must_be_boolean::<M>(vm, ip, fp, carried),
        }
    }

    repeat_if_false(vm, ip, fp, carried) {
        match get(fp, a(ip)) {
            Value::FALSE => go_round::<M>(vm, ip, fp, carried),
            Value::TRUE => onward::<M>(vm, ip, fp, carried),
            _ => must_be_boolean::<M>(vm, ip, fp, carried),
        }
    }

    answer(vm, ip, fp, carried) {
        let meta = (*fp.sub(2)).bits();
        if meta >> 32 != 0 {
            return answer_from_marked::<M>(vm, ip, fp, carried);
        }
        vm.count_steps::<M>(c(ip));
        events::left::<M>(vm, meta, carried);
        let value = get(fp, a(ip));
        let ip = (*fp.sub(1)).bits() as *const u64;
        let send = ip.sub(SEND_WORDS);
        let fp = fp.sub(usize::from(base(send)));
        answered::<M>(vm, send, fp, carried, value)
    }

    loop_test_up(vm, ip, fp, carried) {
        loop_test::<M>(vm, ip, fp, carried, |index, limit| index <= limit)
    }

    loop_test_down(vm, ip, fp, carried) {
        loop_test::<M>(vm, ip, fp, carried, |index, limit| index >= limit)
    }

    loop_step_up(vm, ip, fp, carried) {
        loop_step::<M>(vm, ip, fp, carried, |index, limit| index <= limit)
    }

    loop_step_down(vm, ip, fp, carried) {
        loop_step::<M>(vm, ip, fp, carried, |index, limit| index >= limit)
    }
}

slow_handlers! {
    /// The work at a poll point, before the instruction at `ip`.
    poll(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.poll();
        resume::<M>(vm, next, carried)
    }

    /// The slice of the running processor is over, before the instruction at `ip`.
    yield_cpu(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.interact(Intent::Yield);
        resume::<M>(vm, next, carried)
    }

    /// The guide of the processes decides when the instruction at `ip` comes.
    stop_here(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.stop_here();
        resume::<M>(vm, next, carried)
    }

    must_be_boolean(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.deliver_must_be_boolean(a(ip));
        resume::<M>(vm, next, carried)
    }

    answer_from_marked(vm, ip, fp, carried) {
        let value = get(fp, a(ip));
        vm.save(ip, fp, carried);
        let frame = vm.frame_index();
        // The return of a frame that interrupts a silence is part of the machinery.
        vm.resume_silence(frame);
        vm.count_steps::<M>(c(ip));
        let next = vm.return_from_marked(value);
        resume::<M>(vm, next, carried)
    }

    non_local_return(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        vm.count_steps::<M>(c(ip));
        let next = vm.non_local_return(a(ip));
        resume::<M>(vm, next, carried)
    }

    resume_unwind(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.resume_unwinding();
        resume::<M>(vm, next, carried)
    }

    mark_frame(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        vm.mark_frame(FrameKind::from_number(imm(ip)).unwrap_or(FrameKind::Home));
        next::<M>(vm, ip.add(1), fp, carried)
    }

    enter_scope(vm, ip, fp, carried) {
        vm.save(ip.add(1), fp, carried);
        let next = vm.enter_scope();
        resume::<M>(vm, next, carried)
    }

    define(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        if let super::Next::Exit(exit) = vm.define(imm(ip)) {
            return leave(vm, exit);
        }
        next::<M>(vm, ip.add(1), vm.registers.fp, carried)
    }

    /// A global that is not defined: a message to the receiver gives its value.
    unknown_global(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.unknown_global(word(ip));
        resume::<M>(vm, next, carried)
    }

    evaluate(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let next = vm.evaluate(imm(ip), fp.add(usize::from(base(ip))));
        resume::<M>(vm, next, carried)
    }
}
