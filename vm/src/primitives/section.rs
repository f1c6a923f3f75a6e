//! Primitives of Profile: recording what a block does, in the middle of a run.

use super::{Answer, Args, Primitive, rows};
use crate::class::MethodId;
use crate::profile::Piece;
use crate::value::Value;
use crate::vm::{Request, Vm};

rows! {
    "profileBegin"(0) => begin,
        "Always: a number for the piece of the run whose profile begins.";
    "profileEvaluate"(2) => evaluate,
        "A block without arguments and the number of a piece: evaluates the block, counted again if the piece was asked for by it, as that piece.";
    "profileEnd"(1) => end,
        "The number of a piece: an Array of whether nothing was left out, an Array of an Array for each method in it (name, calls, calls of blocks, own, total), and an Array of an Array for each pair of caller and callee (their indices, 0 for who asked for the profile; calls, calls of blocks, total).";
}

fn begin(vm: &mut Vm, _args: Args) -> Answer {
    let number = vm.begin_section();
    let number = super::counter::number(vm, number);
    super::reflection::answer(vm, number)
}

fn evaluate(vm: &mut Vm, args: Args) -> Answer {
    let (block, number) = (args.at(vm, 0), args.at(vm, 1).as_int());
    let section = number.and_then(|number| u64::try_from(number).ok());
    let is_block = vm.is_block(block) && super::control::block_arity(vm, block) == Some(0);
    let (Some(section), true) = (section, is_block) else {
        return Answer::DECLINE;
    };
    vm.put_in_window(args.base, &[block]);
    vm.request = Request::EvaluateSection { section };
    Answer::REQUEST
}

fn end(vm: &mut Vm, args: Args) -> Answer {
    let number = args.at(vm, 0).as_int();
    let Some(section) = number.and_then(|number| u64::try_from(number).ok()) else {
        return Answer::DECLINE;
    };
    let piece = vm.end_section(section);
    let described = describe(vm, &piece);
    super::reflection::answer(vm, described)
}

fn describe(vm: &mut Vm, piece: &Piece) -> Value {
    let methods: Vec<MethodId> = piece.tallies.keys().copied().collect();
    let index = |id: MethodId| methods.binary_search(&id).map_or(0, |at| at as u64 + 1);
    let first = vm.handles.len();
    for (&method, tally) in &piece.tallies {
        let name = vm.method_name(method);
        let name = vm.make_string(&name);
        let counts = [tally.calls, tally.block_calls, tally.own, tally.total];
        push_row(vm, Some(name), &counts);
    }
    let rows = pop_array(vm, first);
    vm.handles.push(rows);
    for (&(caller, callee), &[calls, block_calls, total]) in &piece.calls {
        let caller = caller.map_or(0, index);
        push_row(
            vm,
            None,
            &[caller, index(callee), calls, block_calls, total],
        );
    }
    let calls = pop_array(vm, first + 1);
    let rows = vm.handles.pop().unwrap_or(Value::NIL);
    vm.make_array(&[Value::bool(piece.is_complete), rows, calls])
}

/// Leaves an Array of a name, if there is one, and numbers among the handles.
fn push_row(vm: &mut Vm, name: Option<Value>, counts: &[u64]) {
    let first = vm.handles.len();
    vm.handles.extend(name);
    for &count in counts {
        let count = super::counter::number(vm, count);
        vm.handles.push(count);
    }
    let row = pop_array(vm, first);
    vm.handles.push(row);
}

/// An Array of the handles from the first on, which go.
fn pop_array(vm: &mut Vm, first: usize) -> Value {
    let values = vm.handles[first..].to_vec();
    let array = vm.make_array(&values);
    vm.handles.truncate(first);
    array
}
