//! Primitives of every object: class, identity, becoming. Access to variables is in `slots`.

use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::machine::Vm;
use crate::observers::Question;
use crate::run::{Args, Request};

rows! {
    "objectClass"(0) open leaf => object_class,
        "Always: the receiver's class.", ALWAYS_SIMPLE;
    "objectSame"(1) open leaf => object_same,
        "Always: whether both are the same object; floats by their bits.", ALWAYS_SIMPLE;
    "objectNotSame"(1) open leaf => object_not_same,
        "Always: the negation of `objectSame`.", ALWAYS_SIMPLE;
    "objectBecome"(1) library requests => become_other,
        "Two objects in the heap, no classes, processes or blocks: exchanges them everywhere. None of them is a reference to an object of another processor, or is known to another processor by one.";
    "objectBecomeForward"(1) library requests => become_forward,
        "An object in the heap, no class, process or block, and any other: every reference to the first refers to the second. Processors as for `objectBecome`.";
    "objectBecomeForwardCopyHash"(2) library requests => become_forward_copy_hash,
        "As `objectBecomeForward`, and a Boolean: whether the other object takes over the first one's identity hash.";
    "arrayElementsExchangeIdentity"(1) library requests => elements_exchange,
        "Two Arrays of one size whose elements all are as `objectBecome` wants them, none twice: exchanges each with its partner.", BATCH;
    "arrayElementsForwardIdentity"(1) library requests => elements_forward,
        "Two Arrays of one size, the first one's elements as `objectBecomeForward` wants them, none twice: each reference to one of them refers to its partner.", BATCH;
    "objectAddress"(0) open leaf => address,
        "An object, on a machine configured to show addresses (only tests of `tally verify` are): its address in memory. \
         On any other machine a method that binds it has no primitive.";
    "objectRespondsTo"(1) open leaf => responds_to,
        "A symbol: whether the receiver's class or one above has such a method.";
}

fn object_class(vm: &mut Vm, args: Args) -> Answer {
    let class = vm.class_of(args.receiver(vm));
    vm.class_object(class).into()
}

/// Whether two values are the same object to the language: Floats are by their bits.
pub(super) fn is_same(vm: &Vm, a: Value, b: Value) -> bool {
    let bits = |v| vm.float_of(v).map(f64::to_bits);
    a == b || (bits(a).is_some() && bits(a) == bits(b))
}

fn object_same(vm: &mut Vm, args: Args) -> Answer {
    is_same(vm, args.receiver(vm), args.at(vm, 0)).into()
}

fn object_not_same(vm: &mut Vm, args: Args) -> Answer {
    (!is_same(vm, args.receiver(vm), args.at(vm, 0))).into()
}

/// Objects that the machine itself holds on to: classes, methods, processes, blocks.
fn is_fixed(vm: &Vm, value: Value) -> bool {
    vm.class_of_class_object(value).is_some()
        || vm.inherits(vm.class_of(value), Known::CompiledMethod.into())
        || vm.is_block(value)
        || vm.inherits(vm.class_of(value), Known::Process.into())
}

/// Goes on with the receiver, in a new mode if necessary.
fn changed(vm: &mut Vm, args: Args) -> Answer {
    let answer = args.receiver(vm);
    if !vm.run.mode_changed {
        return answer.into();
    }
    vm.run.request = Request::AnswerInNewMode { answer };
    Answer::REQUEST
}

/// Whether `become:` may redirect references to it.
fn is_free(vm: &mut Vm, value: Value) -> bool {
    value.is_object() && !is_fixed(vm, value) && !vm.is_known_elsewhere(value)
}

fn become_other(vm: &mut Vm, args: Args) -> Answer {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if !is_free(vm, a) || !is_free(vm, b) {
        return Answer::DECLINE;
    }
    vm.exchange(&[(a, b)]);
    changed(vm, args)
}

fn forward(vm: &mut Vm, args: Args, copies_hash: bool) -> Answer {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if !is_free(vm, a) || vm.is_known_elsewhere(b) {
        return Answer::DECLINE;
    }
    if copies_hash && b.is_object() {
        vm.heap.copy_hash(a, b);
    }
    vm.become_forward(a, b);
    changed(vm, args)
}

fn become_forward(vm: &mut Vm, args: Args) -> Answer {
    forward(vm, args, true)
}

fn become_forward_copy_hash(vm: &mut Vm, args: Args) -> Answer {
    match args.at(vm, 1).as_bool() {
        Some(copies_hash) => forward(vm, args, copies_hash),
        None => Answer::DECLINE,
    }
}

/// The elements of two Arrays of one size, side by side.
fn pairs(vm: &Vm, args: Args) -> Option<Vec<(Value, Value)>> {
    let arrays = [args.receiver(vm), args.at(vm, 0)];
    if arrays.iter().any(|&array| !vm.is_a(array, Known::Array)) {
        return None;
    }
    let [mine, others] = arrays.map(|array| vm.heap.slots(array));
    let same = mine.len() == others.len();
    same.then(|| mine.iter().copied().zip(others.iter().copied()).collect())
}

fn elements_exchange(vm: &mut Vm, args: Args) -> Answer {
    match pairs(vm, args) {
        Some(pairs) if pairs.iter().all(|&(a, b)| is_free(vm, a) && is_free(vm, b)) => {
            let mut seen = hashbrown::HashSet::new();
            if !pairs
                .iter()
                .all(|&(a, b)| a == b || (seen.insert(a) && seen.insert(b)))
            {
                return Answer::DECLINE;
            }
            vm.exchange(&pairs);
            changed(vm, args)
        }
        _ => Answer::DECLINE,
    }
}

fn elements_forward(vm: &mut Vm, args: Args) -> Answer {
    match pairs(vm, args) {
        Some(pairs)
            if pairs
                .iter()
                .all(|&(a, b)| is_free(vm, a) && !vm.is_known_elsewhere(b)) =>
        {
            let mut seen = hashbrown::HashSet::new();
            if !pairs.iter().all(|&(a, _)| seen.insert(a)) {
                return Answer::DECLINE;
            }
            for &(a, b) in pairs.iter().filter(|pair| pair.1.is_object()) {
                vm.heap.copy_hash(a, b);
            }
            vm.note_smaller(&pairs);
            vm.replace_references(&pairs);
            changed(vm, args)
        }
        _ => Answer::DECLINE,
    }
}

fn address(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let is_told = vm.config.tells_addresses && receiver.is_object();
    vm.asked(Question::Address, receiver);
    let words = i64::try_from(receiver.bits() / 8).ok()?;
    Value::try_int(words).filter(|_| is_told)
}

fn responds_to(vm: &mut Vm, args: Args) -> Answer {
    let class = vm.class_of(args.receiver(vm));
    match args.at(vm, 0).as_symbol() {
        Some(selector) => {
            vm.note_question(class, selector);
            vm.lookup(class, selector).is_some().into()
        }
        None => Answer::DECLINE,
    }
}
