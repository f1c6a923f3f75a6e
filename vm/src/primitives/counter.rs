//! Primitives of Compteur: reading the counters from a program (counting model, 5).

use num_bigint::BigInt;

use super::{Answer, Args, Primitive, rows};
use crate::value::Value;
use crate::vm::{Request, Vm};

rows! {
    "counterSends"(0) => sends,
        "Always: the running process's send counter, the send that asks included.";
    "counterReset"(0) => reset,
        "Always: the counter reads as 0 directly after this send.";
    "counterSnapshot"(0) => snapshot,
        "Always: an Array of sends, loops, activations, blocks, primitives, objects, bytes and instructions so far; itself not an allocation.";
    "counterCountEverything"(0) => count_everything,
        "Always: the whole cost vector is maintained from here on.";
    "counterCountLess"(0) => count_less,
        "Always: undoes one `counterCountEverything`.";
}

fn number(vm: &mut Vm, n: u64) -> Value {
    match i64::try_from(n).ok().and_then(Value::try_int) {
        Some(small) => small,
        None => vm.make_integer(&BigInt::from(n)),
    }
}

fn sends(vm: &mut Vm, _args: Args) -> Answer {
    let count = vm.process_sends().wrapping_sub(vm.counter_offset);
    number(vm, count).into()
}

fn reset(vm: &mut Vm, args: Args) -> Answer {
    vm.counter_offset = vm.process_sends();
    args.receiver(vm).into()
}

fn snapshot(vm: &mut Vm, _args: Args) -> Answer {
    let primitives: u64 = vm.full.primitives.iter().sum();
    let before = vm.heap.allocations;
    let counts = [
        vm.process_sends(),
        vm.loops,
        vm.full.activations,
        vm.full.blocks,
        primitives,
        before.objects,
        before.bytes,
        vm.full.instructions,
    ];
    let start = vm.handles.len();
    for count in counts {
        let value = number(vm, count);
        vm.handles.push(value);
    }
    let values = vm.handles[start..].to_vec();
    let array = vm.make_array(&values);
    vm.handles.truncate(start);
    vm.heap.allocations = before;
    array.into()
}

fn count_everything(vm: &mut Vm, args: Args) -> Answer {
    vm.full_wanted += 1;
    vm.request = Request::ModeChanged { answer: args.receiver(vm) };
    Answer::REQUEST
}

fn count_less(vm: &mut Vm, args: Args) -> Answer {
    vm.full_wanted = vm.full_wanted.saturating_sub(1);
    vm.request = Request::ModeChanged { answer: args.receiver(vm) };
    Answer::REQUEST
}
