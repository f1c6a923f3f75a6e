//! Handlers of sends, and the one place where a frame is entered.
//!
//! A plain `Send` becomes what its inline cache holds: `SendFrame`, `SendQuick` and so on. Each has a handler that does
//! this one thing. A send to a number or a boolean becomes `SendNumber` or `SendBoolean` if all of its method can be
//! foreseen. With a second class of receivers a send becomes `SendPair`, whose cache holds both. With a third class it
//! becomes `SendGlobal`, which looks into the global cache. All of them do the same and count the same; with
//! optimisations off they are one instruction.

#![allow(unsafe_code)]

use super::decode::{a, b, base, c, cached_class, cached_record, cached_target, get, opcode};
use super::dispatch::{answered, next};
use super::foreseen::{case_of_boolean, case_of_booleans, case_of_floats, case_of_integers};
use super::{Carried, Mode, Out, control, enter_frame, events, handlers, resume, slow_handlers};
use crate::base::{ClassId, Known, SymbolId, Value};
use crate::bytecode::{Op, SEND_WORDS};
use crate::code::{Activation, Foreseen, Pair, Target};
use crate::machine::Vm;
use crate::primitives::Answer;
use crate::processes::code_of_meta;
use crate::run::Args;

/// Counts the send at `ip`, of the frame at `fp`, to this receiver.
#[inline(always)]
pub(super) unsafe fn count<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: &mut Carried,
    receiver: Value,
) {
    if M::COUNT {
        carried.ticks = carried.ticks.wrapping_add(1);
    }
    // SAFETY: by the caller's promise.
    unsafe { events::sent::<M>(vm, ip, fp, *carried, receiver) };
}

/// Whether the inline cache of a send in this form holds a class and its target: no record, and no selector.
#[inline(always)]
fn holds_one_class(opcode: u8) -> bool {
    const OTHERS: u8 = Op::SendGlobal as u8 - Op::SendNumber as u8;
    opcode.wrapping_sub(Op::SendNumber as u8) > OTHERS
}

/// Whether the inline cache of the send at `ip` is for the receiver.
#[inline(always)]
unsafe fn hits(vm: &Vm, ip: *const u64, receiver: Value) -> bool {
    // SAFETY: `ip` is at a send.
    unsafe { vm.class_number(receiver) == cached_class(ip) }
}

/// Puts a frame onto the window and goes on in it.
#[inline(always)]
unsafe fn enter<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    window: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: the limit lies below the stack's end, so that the frame's registers have room.
    // Before the comparison the frame may end behind the stack, so the sum is one of addresses only.
    unsafe {
        if window.wrapping_add(callee.register_count as usize) > vm.registers.stack_limit {
            return enter_on_larger_stack::<M>(vm, ip, fp, callee, carried);
        }
        enter_reserved::<M>(vm, ip, fp, window, callee, carried)
    }
}

/// As [`enter`], on a stack that has room.
#[inline(always)]
unsafe fn enter_reserved<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    window: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        if M::FULL {
            vm.counters.count_entry(callee);
            if vm.gauges_depth() {
                vm.registers.callee = callee;
                return enter_gauged::<M>(vm, ip, fp, carried);
            }
        }
        enter_counted::<M>(vm, ip, fp, window, callee, carried)
    }
}

/// As [`enter_counted`], noting how deep that is. The callee waits in the machine.
#[cold]
#[inline(never)]
unsafe fn enter_gauged<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise; the callee was put where it is found.
    unsafe {
        let (callee, window) = (&*vm.registers.callee, fp.add(usize::from(base(ip))));
        vm.depth_reached(fp, window, callee);
        enter_counted::<M>(vm, ip, fp, window, callee, carried)
    }
}

/// Enters a frame that was counted, and for which there is room.
#[inline(always)]
unsafe fn enter_counted<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    window: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: a window has two words below it for the frame's links.
    unsafe {
        let Some(code) = events::entered::<M>(vm, ip, fp, callee, carried) else {
            vm.registers.callee = callee;
            return begin_recorded::<M>(vm, ip, fp, carried);
        };
        enter_frame(window, code, ip.add(SEND_WORDS));
        begin::<M>(vm, window, callee, carried)
    }
}

/// Goes on in a frame that was just entered, at its poll point.
#[inline(always)]
unsafe fn begin<M: Mode>(
    vm: &mut Vm,
    window: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: the frame is the callee's.
    unsafe {
        // A lookup for the receiver's class found this code, so release builds need no check.
        debug_assert!(vm.may_run(*window, callee));
        let polls = !M::CHECKED || !callee.is_quick;
        if polls && vm.is_poll_due(carried) {
            return control::poll::<M>(vm, callee.entry, window, carried);
        }
        next::<M>(vm, callee.entry, window, carried)
    }
}

/// As [`begin`], where recording the entry takes more than a few instructions. The callee waits in the machine: a fifth
/// argument would make six words or more.
#[inline(never)]
unsafe fn begin_recorded<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise; the callee was put where it is found.
    unsafe {
        vm.registers.ticks = carried.ticks;
        let (callee, window) = (&*vm.registers.callee, fp.add(usize::from(base(ip))));
        let caller = code_of_meta((*fp.sub(2)).bits());
        let code = vm.record_entry(caller, ip, callee);
        enter_frame(window, code, ip.add(SEND_WORDS));
        begin::<M>(vm, window, callee, carried)
    }
}

#[cold]
#[inline(never)]
unsafe fn enter_on_larger_stack<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: `reserve` makes the room and answers the target to enter.
    unsafe {
        let window = fp.add(usize::from(base(ip)));
        vm.save(ip, fp, carried);
        let offset = window.offset_from(fp) as usize;
        let target = vm.reserve(offset, callee);
        let window = vm.registers.fp.add(offset);
        enter_reserved::<M>(vm, ip, vm.registers.fp, window, &*target, carried)
    }
}

/// Executes a send that was counted and looked up.
#[inline(never)]
unsafe fn activate<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: receiver and arguments stand in the window; quick methods fit their holders.
    unsafe {
        let window = fp.add(usize::from(base(ip)));
        let is_wrapper = callee.activation == Activation::Wrapper;
        if M::CHECKED && !vm.config.optimisations.quick && callee.is_quick && !is_wrapper {
            return enter::<M>(vm, ip, fp, window, callee, carried);
        }
        match callee.activation {
            Activation::Frame => {}
            Activation::Primitive => {
                return primitive_apart::<M>(vm, ip, fp, callee, carried);
            }
            Activation::Wrapper => return enter_wrapper::<M>(vm, ip, fp, callee, carried),
            Activation::BlockValue(arguments) => {
                if let Some(body) = vm.block_body(*window, usize::from(arguments)) {
                    count_primitive::<M>(vm, callee);
                    return enter::<M>(vm, ip, fp, window, &*body, carried);
                }
            }
            _ => {
                vm.count_steps::<M>(callee.quick_steps);
                let answer = quick_answer(vm, *window, *window.add(1), callee);
                return answered::<M>(vm, ip, fp, carried, answer);
            }
        }
        enter::<M>(vm, ip, fp, window, callee, carried)
    }
}

#[inline(always)]
fn quick_answer(vm: &mut Vm, receiver: Value, argument: Value, callee: &Target) -> Value {
    match callee.activation {
        Activation::QuickValue => callee.value,
        Activation::QuickLoad(slot) => vm.heap.slot(receiver, slot as usize),
        Activation::QuickStore(slot) => {
            vm.heap.set_slot(receiver, slot as usize, argument);
            receiver
        }
        _ => receiver,
    }
}

#[inline(always)]
fn count_primitive<M: Mode>(vm: &mut Vm, callee: &Target) {
    if M::FULL
        && let Some((_, number)) = callee.primitive
    {
        vm.counters.full.primitives[number as usize] += 1;
    }
}

/// Tries the primitive; the method's own body runs if it declines.
#[inline(always)]
unsafe fn primitive<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    window: *mut Value,
    callee: &Target,
    mut carried: Carried,
) -> Out {
    // SAFETY: receiver and arguments stand in the window.
    unsafe {
        vm.save(ip, fp, carried);
        let args = Args {
            base: window.offset_from(vm.running.stack.base().cast()) as usize,
            count: usize::from(callee.argument_count),
        };
        let answer = vm.call_primitive::<M>(callee, args);
        carried.ticks = vm.registers.ticks;
        if let Some(value) = answer.value() {
            return answered::<M>(vm, ip, fp, carried, value);
        }
        if answer == Answer::REQUEST {
            let next = vm.carry_out_request(callee, args);
            return resume::<M>(vm, next, carried);
        }
        enter::<M>(vm, ip, fp, window, callee, carried)
    }
}

/// Enters a method that a wrapper has replaced.
#[cold]
#[inline(never)]
unsafe fn enter_wrapper<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: receiver and arguments stand in the window.
    unsafe {
        vm.save(ip, fp, carried);
        let window = vm.frame_index() + usize::from(base(ip));
        let next = vm.enter_wrapper(window, callee);
        resume::<M>(vm, next, carried)
    }
}

/// Puts receiver and last argument where the callee expects them, and answers the window.
#[inline(always)]
unsafe fn fill_window(ip: *const u64, fp: *mut Value) -> *mut Value {
    // SAFETY: operands and window were verified.
    unsafe {
        let (receiver, last) = (get(fp, a(ip)), get(fp, b(ip)));
        let window = fp.add(usize::from(base(ip)));
        *window = receiver;
        // Without arguments this is the receiver again.
        *window.add(usize::from(c(ip))) = last;
        window
    }
}

/// As [`primitive`], so that its caller needs no room on the stack.
#[inline(never)]
unsafe fn primitive_apart<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    callee: &Target,
    carried: Carried,
) -> Out {
    // SAFETY: by the caller's promise.
    unsafe {
        let window = fp.add(usize::from(base(ip)));
        primitive::<M>(vm, ip, fp, window, callee, carried)
    }
}

/// A send whose operands stand in the window, in any of its forms.
///
/// # Safety
/// `ip` is at a send-shaped instruction.
#[inline(always)]
pub(super) unsafe fn send_filled<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: receiver and arguments stand in the window.
    unsafe {
        let window = fp.add(usize::from(base(ip)));
        count::<M>(vm, ip, fp, &mut carried, *window);
        let usable = holds_one_class(opcode(ip)) && (!M::CHECKED || vm.config.optimisations.caches);
        if usable && hits(vm, ip, *window) {
            return activate::<M>(vm, ip, fp, &*cached_target(ip), carried);
        }
        send_missed::<M>(vm, ip, fp, carried)
    }
}

/// Takes the general path of a send if the inline cache does not fit the receiver.
macro_rules! expect_hit {
    ($vm:ident, $ip:ident, $fp:ident, $carried:ident, $receiver:expr) => {
        if M::CHECKED || !hits($vm, $ip, $receiver) {
            return send_otherwise::<M>($vm, $ip, $fp, $carried);
        }
        count::<M>($vm, $ip, $fp, &mut $carried, get($fp, a($ip)));
    };
}

handlers! {
    send(vm, ip, fp, carried) {
        fill_window(ip, fp);
        send_filled::<M>(vm, ip, fp, carried)
    }

    send_frame(vm, ip, fp, carried) {
        expect_hit!(vm, ip, fp, carried, get(fp, a(ip)));
        let window = fill_window(ip, fp);
        enter::<M>(vm, ip, fp, window, &*cached_target(ip), carried)
    }

    send_quick(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        expect_hit!(vm, ip, fp, carried, receiver);
        if let Activation::QuickStore(slot) = (*cached_target(ip)).activation
            && vm.heap.store(receiver, slot as usize, get(fp, b(ip)))
        {
            return remember_receiver::<M>(vm, ip, fp, carried);
        }
        vm.count_steps::<M>((*cached_target(ip)).quick_steps);
        answered::<M>(vm, ip, fp, carried, receiver)
    }

    send_value(vm, ip, fp, carried) {
        expect_hit!(vm, ip, fp, carried, get(fp, a(ip)));
        vm.count_steps::<M>((*cached_target(ip)).quick_steps);
        answered::<M>(vm, ip, fp, carried, (*cached_target(ip)).value)
    }

    send_load(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        expect_hit!(vm, ip, fp, carried, receiver);
        let slot = (*cached_target(ip)).slot as usize;
        vm.count_steps::<M>((*cached_target(ip)).quick_steps);
        answered::<M>(vm, ip, fp, carried, vm.heap.slot(receiver, slot))
    }

    send_primitive(vm, ip, fp, carried) {
        expect_hit!(vm, ip, fp, carried, get(fp, a(ip)));
        let window = fill_window(ip, fp);
        primitive::<M>(vm, ip, fp, window, &*cached_target(ip), carried)
    }

    send_block(vm, ip, fp, carried) {
        expect_hit!(vm, ip, fp, carried, get(fp, a(ip)));
        let window = fill_window(ip, fp);
        let callee = &*cached_target(ip);
        // Only blocks are of the class that the cache holds.
        let id = vm.heap.slot(*window, 0).int_unchecked() as usize;
        let body: *const Target = &raw const **vm.code.targets.get_unchecked(id);
        let body = &*body;
        if body.argument_count != callee.argument_count {
            return activate::<M>(vm, ip, fp, callee, carried);
        }
        count_primitive::<M>(vm, callee);
        enter::<M>(vm, ip, fp, window, body, carried)
    }

    send_number(vm, ip, fp, carried) {
        let (receiver, argument) = (get(fp, a(ip)), get(fp, b(ip)));
        expect_hit!(vm, ip, fp, carried, receiver);
        if (receiver.bits() | argument.bits()) & 3 == 0 {
            let case = case_of_integers(receiver, argument);
            return answer_foreseen::<M>(vm, ip, fp, carried, case);
        }
        compare_floats::<M>(vm, ip, fp, carried)
    }

    send_boolean(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        let Some(case) = case_of_booleans(receiver, get(fp, b(ip))).filter(|_| !M::CHECKED) else {
            return send_boolean_else::<M>(vm, ip, fp, carried);
        };
        count::<M>(vm, ip, fp, &mut carried, receiver);
        answer_foreseen::<M>(vm, ip, fp, carried, case)
    }

    send_pair(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        let Some(callee) = pair_member::<M>(vm, ip, receiver) else {
            return send_otherwise::<M>(vm, ip, fp, carried);
        };
        count::<M>(vm, ip, fp, &mut carried, receiver);
        if matches!(callee.activation, Activation::QuickValue | Activation::QuickSelf) {
            let is_self = callee.activation == Activation::QuickSelf;
            let answer = if is_self { receiver } else { callee.value };
            vm.count_steps::<M>(callee.quick_steps);
            return answered::<M>(vm, ip, fp, carried, answer);
        }
        let window = fill_window(ip, fp);
        if callee.activation == Activation::Frame {
            return enter::<M>(vm, ip, fp, window, callee, carried);
        }
        activate::<M>(vm, ip, fp, callee, carried)
    }

    send_pair_value(vm, ip, fp, carried) {
        let Some(callee) = pair_member::<M>(vm, ip, get(fp, a(ip))) else {
            return send_otherwise::<M>(vm, ip, fp, carried);
        };
        count::<M>(vm, ip, fp, &mut carried, get(fp, a(ip)));
        vm.count_steps::<M>(callee.quick_steps);
        answered::<M>(vm, ip, fp, carried, callee.value)
    }

    send_global(vm, ip, fp, carried) {
        if M::CHECKED {
            return send_otherwise::<M>(vm, ip, fp, carried);
        }
        let receiver = get(fp, a(ip));
        let class = ClassId(vm.class_number(receiver));
        // The selector stands in place of a class.
        let Some(target) = vm.registers.lookup_cache.get(class, SymbolId(cached_class(ip))) else {
            return send_otherwise::<M>(vm, ip, fp, carried);
        };
        count::<M>(vm, ip, fp, &mut carried, receiver);
        let callee = &*target;
        if callee.activation == Activation::QuickValue {
            vm.count_steps::<M>(callee.quick_steps);
            return answered::<M>(vm, ip, fp, carried, callee.value);
        }
        let window = fill_window(ip, fp);
        if callee.activation == Activation::Frame {
            return enter::<M>(vm, ip, fp, window, callee, carried);
        }
        activate::<M>(vm, ip, fp, callee, carried)
    }
}

/// The target for the receiver's class, if it is one of the two classes in the cache.
#[inline(always)]
unsafe fn pair_member<'a, M: Mode>(vm: &Vm, ip: *const u64, receiver: Value) -> Option<&'a Target> {
    if M::CHECKED {
        return None;
    }
    // SAFETY: the send has the form of a pair; targets live as long as the machine.
    unsafe {
        let class = vm.class_number(receiver);
        let pair: &Pair = cached_record(ip);
        let is_second = class == pair.second_class;
        let is_member = is_second || class == cached_class(ip);
        is_member.then(|| &*pair.targets[usize::from(is_second)])
    }
}

/// Answers the method's foreseen result for this case. `None` if the case is not foreseen or its frames would meet a
/// limit.
#[inline(always)]
unsafe fn answer_foreseen<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
    case: usize,
) -> Out {
    // SAFETY: the send has such a form; cases are fewer than outcomes.
    unsafe {
        let foreseen: &Foreseen = cached_record(ip);
        let outcome = foreseen.outcomes.get_unchecked(case);
        let top = fp.wrapping_add(usize::from(base(ip)) + foreseen.words);
        let ticks = carried.ticks.saturating_add(outcome.sends);
        if M::FULL
            || M::RECORD
            || ticks >= vm.registers.tick_limit
            || top > vm.registers.stack_limit
        {
            return enter_foreseen::<M>(vm, ip, fp, carried);
        }
        if M::COUNT {
            carried.ticks = ticks;
        }
        answered::<M>(vm, ip, fp, carried, outcome.answer)
    }
}

slow_handlers! {
    /// A message to a number, counted, whose receiver and argument are not both integers.
    compare_floats(vm, ip, fp, carried) {
        let (receiver, argument) = (get(fp, a(ip)), get(fp, b(ip)));
        let Some((left, right)) = vm.floats_to_compare(receiver, argument) else {
            return enter_foreseen::<M>(vm, ip, fp, carried);
        };
        answer_foreseen::<M>(vm, ip, fp, carried, case_of_floats(left, right))
    }

    /// A send in the form of one to a boolean that has something else as its argument, or as its receiver.
    send_boolean_else(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        let is_true = receiver == Value::TRUE;
        if M::CHECKED || !(is_true || receiver == Value::FALSE) {
            return send_otherwise::<M>(vm, ip, fp, carried);
        }
        count::<M>(vm, ip, fp, &mut carried, receiver);
        answer_foreseen::<M>(vm, ip, fp, carried, case_of_boolean(is_true))
    }

    /// A send, counted, that might have been foreseen and was not.
    enter_foreseen(vm, ip, fp, carried) {
        let foreseen: &Foreseen = cached_record(ip);
        let receiver = get(fp, a(ip));
        let callee = &*foreseen.targets[usize::from(receiver == Value::TRUE)];
        if callee.activation == Activation::QuickValue {
            vm.count_steps::<M>(callee.quick_steps);
            return answered::<M>(vm, ip, fp, carried, callee.value);
        }
        let window = fill_window(ip, fp);
        if callee.activation == Activation::Frame {
            return enter::<M>(vm, ip, fp, window, callee, carried);
        }
        activate::<M>(vm, ip, fp, callee, carried)
    }

    /// A method that stores an instance variable is done but for remembering its receiver and for its answer.
    remember_receiver(vm, ip, fp, carried) {
        let receiver = get(fp, a(ip));
        if let Activation::QuickStore(slot) = (*cached_target(ip)).activation {
            vm.heap.remember(receiver, slot as usize);
        }
        vm.count_steps::<M>((*cached_target(ip)).quick_steps);
        answered::<M>(vm, ip, fp, carried, receiver)
    }

    /// A send in one of its special forms that turned out not to fit, not counted yet.
    send_otherwise(vm, ip, fp, carried) {
        fill_window(ip, fp);
        if M::CHECKED {
            return send_filled::<M>(vm, ip, fp, carried);
        }
        // The cache was read already; the cache of a `SendGlobal` holds no class.
        count::<M>(vm, ip, fp, &mut carried, *fp.add(usize::from(base(ip))));
        send_missed::<M>(vm, ip, fp, carried)
    }

    /// A send that was counted and that no inline cache knows.
    send_missed(vm, ip, fp, carried) {
        vm.save(ip, fp, carried);
        let window = fp.add(usize::from(base(ip)));
        let class = vm.class_number(*window);
        let target = vm.find_target(window, class);
        // A Message may have made the stack grow.
        activate::<M>(vm, ip, vm.registers.fp, &*target, carried)
    }
}

/// The form of a plain send whose cache holds a target with this activation.
pub(super) fn form_of(activation: Activation, class: u32) -> Op {
    match activation {
        Activation::Frame => Op::SendFrame,
        Activation::QuickLoad(_) => Op::SendLoad,
        Activation::QuickValue => Op::SendValue,
        Activation::QuickSelf | Activation::QuickStore(_) => Op::SendQuick,
        Activation::Primitive => Op::SendPrimitive,
        Activation::Wrapper => Op::Send,
        Activation::BlockValue(_) if Known::is_block_class(ClassId(class)) => Op::SendBlock,
        Activation::BlockValue(_) => Op::Send,
    }
}
