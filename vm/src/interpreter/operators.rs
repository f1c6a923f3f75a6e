//! Handlers of the messages that have their own instructions: arithmetic, comparison, identity, `at:` and `at:put:`.
//! Each tries its short cut, which accepts some of the operands that the primitive accepts and answers the same. If the
//! short cut does not apply, the operands go into the window and the message is sent.

#![allow(unsafe_code)]

use super::arithmetic::Kind;
use super::decode::{a, b, b_as_integer, base, c, destination, get, imm, opcode, set, word};
use super::dispatch::{again, next};
use super::{Carried, Mode, Out, arithmetic, handlers, sends, slow_handlers};
use crate::base::{Known, Value};
use crate::bytecode::SEND_WORDS;
use crate::heap::Contents;
use crate::machine::Vm;

/// Which operands a message has, as a parameter of functions.
pub(super) struct Operands;

impl Operands {
    pub(super) const A_B: u8 = 0;
    pub(super) const A_INTEGER: u8 = 1;
    pub(super) const A_C: u8 = 2;
    pub(super) const A_B_C: u8 = 3;
}

/// The second operand.
#[inline(always)]
unsafe fn right<const OPERANDS: u8>(ip: *const u64, fp: *mut Value) -> Value {
    // SAFETY: the operands were verified.
    unsafe {
        match OPERANDS {
            Operands::A_INTEGER => b_as_integer(ip),
            Operands::A_C => get(fp, c(ip)),
            _ => get(fp, b(ip)),
        }
    }
}

/// No short cut was possible: the operands go into the window, and the message is sent.
///
/// # Safety
/// `ip` is at an instruction with these operands.
#[inline(never)]
pub(super) unsafe fn send_operands<M: Mode, const OPERANDS: u8>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
) -> Out {
    // SAFETY: operands and window were verified.
    unsafe {
        let (first, second) = (get(fp, a(ip)), right::<OPERANDS>(ip, fp));
        let third = if OPERANDS == Operands::A_B_C {
            get(fp, c(ip))
        } else {
            Value::NIL
        };
        let window = fp.add(usize::from(base(ip)));
        *window = first;
        *window.add(1) = second;
        if OPERANDS == Operands::A_B_C {
            *window.add(2) = third;
        }
        sends::send_filled::<M>(vm, ip, fp, carried)
    }
}

#[inline(always)]
fn short_cuts<M: Mode>(vm: &Vm) -> bool {
    !M::CHECKED || vm.config.optimisations.shortcuts
}

/// Counts as the primitive would: a send, and that primitive. If the primitive is not known yet, the instruction starts
/// again once it is known. So all steps before must be repeatable.
macro_rules! count {
    ($vm:ident, $ip:ident, $fp:ident, $carried:ident, $receiver:expr, $kind:expr) => {
        if M::FULL {
            let (op, kind) = (opcode($ip), $kind);
            if !$vm.knows_short_cut(op, kind) {
                return learn_short_cut::<M>($vm, $ip, $fp, $carried);
            }
            $vm.count_short_cut(op, kind);
        }
        sends::count::<M>($vm, $ip, $fp, &mut $carried, $receiver);
    };
}

#[inline(always)]
fn both_integers(left: Value, right: Value) -> bool {
    (left.bits() | right.bits()) & 3 == 0
}

/// Arithmetic with a short cut for two small integers; `FLOAT` names the operation on floats.
#[inline(always)]
unsafe fn calculate<M: Mode, const OPERANDS: u8, const FLOAT: u8>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
    fast: impl FnOnce(i64, i64) -> Option<i64>,
) -> Out {
    // SAFETY: operands and destination were verified.
    unsafe {
        let (left, right) = (get(fp, a(ip)), right::<OPERANDS>(ip, fp));
        if short_cuts::<M>(vm)
            && both_integers(left, right)
            && let Some(result) = fast(left.bits() as i64, right.bits() as i64)
        {
            count!(vm, ip, fp, carried, left, Kind::SMALL_INTEGER);
            set(fp, destination(ip), Value::from_bits(result as u64));
            return next::<M>(vm, ip.add(SEND_WORDS), fp, carried);
        }
        if FLOAT == Floats::NONE {
            return send_operands::<M, OPERANDS>(vm, ip, fp, carried);
        }
        calculate_with_floats::<M, OPERANDS, FLOAT>(vm, ip, fp, carried)
    }
}

/// The operations of arithmetic on floats, as a parameter of functions.
struct Floats;

impl Floats {
    const NONE: u8 = 0;
    const ADD: u8 = 1;
    const SUBTRACT: u8 = 2;
    const MULTIPLY: u8 = 3;
    const DIVIDE: u8 = 4;
}

/// A float and a float or small integer.
#[inline(never)]
unsafe fn calculate_with_floats<M: Mode, const OPERANDS: u8, const FLOAT: u8>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: operands and destination were verified.
    unsafe {
        let (left, right) = (get(fp, a(ip)), right::<OPERANDS>(ip, fp));
        if short_cuts::<M>(vm)
            && let Some(x) = vm.float_of(left)
            && let Some(y) = vm.float_of(right).or_else(|| Some(right.as_int()? as f64))
            && (FLOAT != Floats::DIVIDE || y != 0.0)
        {
            let result = match FLOAT {
                Floats::ADD => x + y,
                Floats::SUBTRACT => x - y,
                Floats::MULTIPLY => x * y,
                _ => x / y,
            };
            count!(vm, ip, fp, carried, left, Kind::FLOAT);
            if M::FULL {
                vm.charge_float(ip, fp);
            }
            return match vm
                .heap
                .try_allocate_unwatched(Known::Float as u32, Contents::Bytes(8))
            {
                Some(float) => {
                    *float.pointer().add(1) = result.to_bits().to_le();
                    set(fp, destination(ip), float);
                    next::<M>(vm, ip.add(SEND_WORDS), fp, carried)
                }
                None => answer_float::<M>(vm, ip, fp, carried, result),
            };
        }
        send_operands::<M, OPERANDS>(vm, ip, fp, carried)
    }
}

/// Answers a float for which the nursery has no room.
#[cold]
#[inline(never)]
unsafe fn answer_float<M: Mode>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    result: f64,
) -> Out {
    vm.save(ip, fp, carried);
    let float = make_float(vm, result);
    // SAFETY: the destination was verified.
    unsafe {
        set(fp, destination(ip), float);
        next::<M>(vm, ip.add(SEND_WORDS), fp, carried)
    }
}

/// A function of its own, so that it takes no room on the handler's stack.
#[inline(never)]
fn make_float(vm: &mut Vm, result: f64) -> Value {
    vm.make_float(result)
}

/// A comparison's outcome becomes a value, or the jump that follows is taken or not.
#[inline(always)]
unsafe fn decide<M: Mode, const JUMPS: bool>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    carried: Carried,
    outcome: bool,
) -> Out {
    // SAFETY: the destination, or the jump that follows, was verified.
    unsafe {
        let behind = ip.add(SEND_WORDS);
        if !JUMPS {
            set(fp, destination(ip), Value::bool(outcome));
            return next::<M>(vm, behind, fp, carried);
        }
        if outcome == (c(ip) != 0) {
            return next::<M>(vm, behind.offset(imm(behind) as i32 as isize), fp, carried);
        }
        next::<M>(vm, behind.add(1), fp, carried)
    }
}

/// A relation, as a parameter of functions.
struct Relation;

impl Relation {
    const LESS: u8 = 0;
    const LESS_EQUAL: u8 = 1;
    const GREATER: u8 = 2;
    const GREATER_EQUAL: u8 = 3;
    const EQUAL: u8 = 4;
    const NOT_EQUAL: u8 = 5;

    #[inline(always)]
    fn holds<const RELATION: u8, T: PartialOrd>(left: T, right: T) -> bool {
        match RELATION {
            Relation::LESS => left < right,
            Relation::LESS_EQUAL => left <= right,
            Relation::GREATER => left > right,
            Relation::GREATER_EQUAL => left >= right,
            Relation::EQUAL => left == right,
            _ => left != right,
        }
    }
}

#[inline(always)]
unsafe fn compare<M: Mode, const OPERANDS: u8, const RELATION: u8, const JUMPS: bool>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: operands were verified.
    unsafe {
        let (left, right) = (get(fp, a(ip)), right::<OPERANDS>(ip, fp));
        if short_cuts::<M>(vm) && both_integers(left, right) {
            count!(vm, ip, fp, carried, left, Kind::SMALL_INTEGER);
            let (x, y) = (left.bits() as i64, right.bits() as i64);
            let outcome = Relation::holds::<RELATION, i64>(x, y);
            return decide::<M, JUMPS>(vm, ip, fp, carried, outcome);
        }
        compare_floats::<M, OPERANDS, RELATION, JUMPS>(vm, ip, fp, carried)
    }
}

/// A float and a float, or a small integer that a float holds exactly; equality of strings, and of Characters, which are
/// equal to themselves alone.
#[inline(never)]
unsafe fn compare_floats<M: Mode, const OPERANDS: u8, const RELATION: u8, const JUMPS: bool>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: operands were verified.
    unsafe {
        let (left, right) = (get(fp, a(ip)), right::<OPERANDS>(ip, fp));
        if RELATION == Relation::EQUAL && left.as_character().is_some() && short_cuts::<M>(vm) {
            count!(vm, ip, fp, carried, left, Kind::TEXT);
            return decide::<M, JUMPS>(vm, ip, fp, carried, left == right);
        }
        if short_cuts::<M>(vm)
            && let Some((x, y)) = vm.floats_to_compare(left, right)
        {
            count!(vm, ip, fp, carried, left, Kind::FLOAT);
            let outcome = Relation::holds::<RELATION, f64>(x, y);
            return decide::<M, JUMPS>(vm, ip, fp, carried, outcome);
        }
        if RELATION == Relation::EQUAL
            && short_cuts::<M>(vm)
            && let Some(outcome) = vm.same_strings(left, right)
        {
            count!(vm, ip, fp, carried, left, Kind::OTHER);
            if M::FULL {
                vm.charge_comparison([left, right], ip, fp);
            }
            return decide::<M, JUMPS>(vm, ip, fp, carried, outcome);
        }
        send_operands::<M, OPERANDS>(vm, ip, fp, carried)
    }
}

#[inline(always)]
unsafe fn identify<M: Mode, const SAME: bool, const JUMPS: bool>(
    vm: &mut Vm,
    ip: *const u64,
    fp: *mut Value,
    mut carried: Carried,
) -> Out {
    // SAFETY: operands were verified.
    unsafe {
        let (left, right) = (get(fp, a(ip)), get(fp, b(ip)));
        if !short_cuts::<M>(vm) {
            return send_operands::<M, { Operands::A_B }>(vm, ip, fp, carried);
        }
        count!(vm, ip, fp, carried, left, vm.kind_of(left));
        let same =
            left == right || (left.is_object() && right.is_object() && vm.same_float(left, right));
        decide::<M, JUMPS>(vm, ip, fp, carried, same == SAME)
    }
}

macro_rules! arithmetic_handlers {
    ($( $name:ident($operands:ident, $floats:ident) $fast:expr; )+) => {
        handlers! { $(
            $name(vm, ip, fp, carried) {
                calculate::<M, { Operands::$operands }, { Floats::$floats }>(
                    vm, ip, fp, carried, $fast,
                )
            }
        )+ }
    };
}

arithmetic_handlers! {
    add(A_B, ADD) i64::checked_add;
    subtract(A_B, SUBTRACT) i64::checked_sub;
    multiply(A_B, MULTIPLY) |a, b| (a >> 2).checked_mul(b);
    divide(A_B, DIVIDE) arithmetic::divide;
    floor_divide(A_B, NONE) arithmetic::floor_divide;
    modulo(A_B, NONE) arithmetic::modulo;
    bit_and(A_B, NONE) |a, b| Some(a & b);
    bit_or(A_B, NONE) |a, b| Some(a | b);
    bit_shift(A_B, NONE) arithmetic::shift;
    add_int(A_INTEGER, ADD) i64::checked_add;
    subtract_int(A_INTEGER, SUBTRACT) i64::checked_sub;
}

macro_rules! comparison_handlers {
    ($( $name:ident($operands:ident, $relation:ident, $jumps:literal); )+) => {
        handlers! { $(
            $name(vm, ip, fp, carried) {
                compare::<M, { Operands::$operands }, { Relation::$relation }, $jumps>(
                    vm, ip, fp, carried,
                )
            }
        )+ }
    };
}

comparison_handlers! {
    less(A_B, LESS, false);
    less_equal(A_B, LESS_EQUAL, false);
    greater(A_B, GREATER, false);
    greater_equal(A_B, GREATER_EQUAL, false);
    equal(A_B, EQUAL, false);
    not_equal(A_B, NOT_EQUAL, false);
    less_int(A_INTEGER, LESS, false);
    less_equal_int(A_INTEGER, LESS_EQUAL, false);
    greater_int(A_INTEGER, GREATER, false);
    greater_equal_int(A_INTEGER, GREATER_EQUAL, false);
    equal_int(A_INTEGER, EQUAL, false);
    not_equal_int(A_INTEGER, NOT_EQUAL, false);
    less_jump(A_B, LESS, true);
    less_equal_jump(A_B, LESS_EQUAL, true);
    greater_jump(A_B, GREATER, true);
    greater_equal_jump(A_B, GREATER_EQUAL, true);
    equal_jump(A_B, EQUAL, true);
    not_equal_jump(A_B, NOT_EQUAL, true);
    less_int_jump(A_INTEGER, LESS, true);
    less_equal_int_jump(A_INTEGER, LESS_EQUAL, true);
    greater_int_jump(A_INTEGER, GREATER, true);
    greater_equal_int_jump(A_INTEGER, GREATER_EQUAL, true);
    equal_int_jump(A_INTEGER, EQUAL, true);
    not_equal_int_jump(A_INTEGER, NOT_EQUAL, true);
}

handlers! {
    same(vm, ip, fp, carried) {
        identify::<M, true, false>(vm, ip, fp, carried)
    }

    not_same(vm, ip, fp, carried) {
        identify::<M, false, false>(vm, ip, fp, carried)
    }

    same_jump(vm, ip, fp, carried) {
        identify::<M, true, true>(vm, ip, fp, carried)
    }

    not_same_jump(vm, ip, fp, carried) {
        identify::<M, false, true>(vm, ip, fp, carried)
    }

    at(vm, ip, fp, carried) {
        let (object, index) = (get(fp, a(ip)), get(fp, b(ip)));
        if short_cuts::<M>(vm)
            && let Some(element) = vm.array_at(object, index)
        {
            count!(vm, ip, fp, carried, object, Kind::OTHER);
            set(fp, destination(ip), element);
            return next::<M>(vm, ip.add(SEND_WORDS), fp, carried);
        }
        string_at::<M>(vm, ip, fp, carried)
    }

    at_put(vm, ip, fp, carried) {
        let (object, index, value) = (get(fp, a(ip)), get(fp, b(ip)), get(fp, c(ip)));
        if short_cuts::<M>(vm)
            && let Some(must_remember) = vm.array_at_put(object, index, value)
        {
            count!(vm, ip, fp, carried, object, Kind::OTHER);
            if must_remember {
                return remember_array::<M>(vm, ip, fp, carried);
            }
            set(fp, destination(ip), value);
            return next::<M>(vm, ip.add(SEND_WORDS), fp, carried);
        }
        string_at_put::<M>(vm, ip, fp, carried)
    }
}

slow_handlers! {
    /// A short cut whose primitive, for such a receiver, is not known yet.
    learn_short_cut(vm, ip, fp, carried) {
        vm.learn_short_cut(word(ip), get(fp, a(ip)));
        again(vm, ip, fp, carried)
    }

    /// An `at:` of an object that is no Array.
    string_at(vm, ip, fp, carried) {
        let (object, index) = (get(fp, a(ip)), get(fp, b(ip)));
        if short_cuts::<M>(vm)
            && let Some(character) = vm.string_at(object, index)
        {
            count!(vm, ip, fp, carried, object, Kind::TEXT);
            set(fp, destination(ip), character);
            return next::<M>(vm, ip.add(SEND_WORDS), fp, carried);
        }
        send_operands::<M, { Operands::A_B }>(vm, ip, fp, carried)
    }

    /// An `at:put:` to an object that is no Array.
    string_at_put(vm, ip, fp, carried) {
        let (object, index, value) = (get(fp, a(ip)), get(fp, b(ip)), get(fp, c(ip)));
        if short_cuts::<M>(vm) && vm.string_at_put(object, index, value) {
            count!(vm, ip, fp, carried, object, Kind::TEXT);
            set(fp, destination(ip), value);
            return next::<M>(vm, ip.add(SEND_WORDS), fp, carried);
        }
        send_operands::<M, { Operands::A_B_C }>(vm, ip, fp, carried)
    }

    /// An `at:put:` that is done but for remembering the array and for its answer.
    remember_array(vm, ip, fp, carried) {
        let slot = get(fp, b(ip)).int_unchecked() as usize - 1;
        vm.heap.remember(get(fp, a(ip)), slot);
        set(fp, destination(ip), get(fp, c(ip)));
        next::<M>(vm, ip.add(SEND_WORDS), fp, carried)
    }
}
