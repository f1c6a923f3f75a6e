//! Primitives that every object has: class, identity, becoming. Access to variables is in `slots`.

use super::{Answer, Args, Primitive, rows};
use crate::class::Known;
use crate::value::Value;
use crate::vm::Vm;

rows! {
    "objectClass"(0) => object_class,
        "Always: the receiver's class.";
    "objectSame"(1) => object_same,
        "Always: whether both are the same object; floats by their bits.";
    "objectNotSame"(1) => object_not_same,
        "Always: the negation of `objectSame`.";
    "objectBecome"(1) => become_other,
        "Two objects in the heap, no classes, processes or blocks: exchanges them everywhere.";
    "objectBecomeForward"(1) => become_forward,
        "An object in the heap, no class, process or block, and any other: every reference to the first refers to the second.";
    "objectRespondsTo"(1) => responds_to,
        "A symbol: whether the receiver's class or one above has such a method.";
}

fn object_class(vm: &mut Vm, args: Args) -> Answer {
    let class = vm.class_of(args.receiver(vm));
    vm.class(class).object.into()
}

fn same(vm: &Vm, args: Args) -> bool {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    let bits = |v| vm.float_of(v).map(f64::to_bits);
    a == b || (bits(a).is_some() && bits(a) == bits(b))
}

fn object_same(vm: &mut Vm, args: Args) -> Answer {
    same(vm, args).into()
}

fn object_not_same(vm: &mut Vm, args: Args) -> Answer {
    (!same(vm, args)).into()
}

/// Objects that the machine itself holds on to: classes, processes, blocks.
fn is_fixed(vm: &Vm, value: Value) -> bool {
    vm.class_of_class_object(value).is_some()
        || vm.is_block(value)
        || vm.inherits(vm.class_of(value), Known::Process.into())
}

fn become_other(vm: &mut Vm, args: Args) -> Answer {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if !a.is_object() || !b.is_object() || is_fixed(vm, a) || is_fixed(vm, b) {
        return Answer::DECLINE;
    }
    vm.replace_references(&[(a, b), (b, a)]);
    args.receiver(vm).into()
}

fn become_forward(vm: &mut Vm, args: Args) -> Answer {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if !a.is_object() || is_fixed(vm, a) {
        return Answer::DECLINE;
    }
    if b.is_object() {
        vm.become_forward(a, b);
    } else {
        vm.replace_references(&[(a, b)]);
    }
    args.receiver(vm).into()
}

fn responds_to(vm: &mut Vm, args: Args) -> Answer {
    let class = vm.class_of(args.receiver(vm));
    match args.at(vm, 0).as_symbol() {
        Some(selector) => vm.lookup(class, selector).is_some().into(),
        None => Answer::DECLINE,
    }
}
