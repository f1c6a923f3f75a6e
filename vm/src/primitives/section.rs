//! Primitives of Profile and CountedEvaluation: they record a block in the middle of a run.

use std::collections::BTreeMap;

use super::{Answer, Primitive, rows};
use crate::base::{MethodId, Value};
use crate::heap::Allocations;
use crate::machine::Vm;
use crate::observers::{CountedPiece, MethodCounts, Piece};
use crate::run::{Args, Request};

rows! {
    "profileBegin"(0) library requests => begin,
        "Always: a number for the piece of the run whose profile begins.";
    "profileEvaluate"(2) library requests => evaluate,
        "A block without arguments and the number of a piece: evaluates the block as that piece. The block counts again if the silence in force belongs to its own profile.";
    "profileEnd"(1) library requests => end,
        "The number of a piece: an Array of three elements. The first is whether the profile is complete. The second has an Array for each method (name, calls, calls of blocks, own, total). The third has an Array for each pair of caller and callee (their indices, 0 for the sender that requested the profile; calls, calls of blocks, total).";
    "countingBegin"(0) library requests => begin_counting,
        "Always: a number for the piece of the run that is going to be evaluated with everything counted.";
    "countingEvaluate"(2) library requests => evaluate,
        "As profileEvaluate.";
    "countingEvaluateWith"(3) library requests => evaluate_with,
        "A block with one argument, the number of a piece and the argument: evaluates the block as that piece. The block counts again if the silence in force belongs to its own profile.";
    "countingEnd"(1) library requests => end_counting,
        "The number of a piece that was evaluated counted: an Array of six elements. These are whether the counts are complete, an Array of the cost vector, the greatest depth of activations, and three Arrays of rows. A method's row has its number, calls, calls of blocks, own, total, and the objects and bytes that it allocated. A selector's row has the selector, the method that sends it, and the sends. A class's row has the class, objects and bytes.";
    "countingTrial"(2) library requests => attempt,
        "A block without arguments, and a number of CPUs from 1 on or nil: an Array of what evaluating the block takes in a copy of the machine. Its elements are makespan, ticks, waiting and evaluations of conditions, an Array of names of classes with the ticks waited for them, what took the time as text, who stands still or nil, and what failed or nil. Where no copy can be tried it is a String that says why.";
    "countingSchedules"(1) library requests => attempt_schedules,
        "A block without arguments: an Array of what evaluating the block takes in copies of the machine, under every order of what happens at the same moment. Its elements are how many orders were executed, the least and the greatest makespan, and whether these were all. The steps of the longest one follow as text, then who stands still or nil, and what failed or nil. Where no copy can be tried it is a String that says why.";
    "countingMethod"(1) library allocates => method,
        "The number of a method: an Array of its name, its file and the line that it begins in.";
}

fn begin(vm: &mut Vm, _args: Args) -> Answer {
    begin_piece(vm, false)
}

fn begin_counting(vm: &mut Vm, _args: Args) -> Answer {
    begin_piece(vm, true)
}

fn begin_piece(vm: &mut Vm, is_counting: bool) -> Answer {
    let number = vm.begin_section(is_counting);
    let number = super::counter::number(vm, number);
    super::reflection::answer(vm, number)
}

fn evaluate(vm: &mut Vm, args: Args) -> Answer {
    let block = args.at(vm, 0);
    evaluate_piece(vm, args, &[block])
}

fn evaluate_with(vm: &mut Vm, args: Args) -> Answer {
    let window = [args.at(vm, 0), args.at(vm, 2)];
    evaluate_piece(vm, args, &window)
}

/// Requests the evaluation of the block at the start of the window, with the arguments behind it.
fn evaluate_piece(vm: &mut Vm, args: Args, window: &[Value]) -> Answer {
    let (block, count) = (window[0], window.len() - 1);
    let number = args.at(vm, 1).as_int();
    let section = number.and_then(|number| u64::try_from(number).ok());
    let is_block = vm.is_block(block) && super::control::block_arity(vm, block) == Some(count);
    let (Some(section), true) = (section, is_block) else {
        return Answer::DECLINE;
    };
    vm.put_in_window(args.base, window);
    vm.run.request = Request::EvaluateSection { section, count };
    Answer::REQUEST
}

fn attempt(vm: &mut Vm, args: Args) -> Answer {
    let (block, cpus) = (args.at(vm, 0), args.at(vm, 1));
    let number = cpus.as_int().and_then(|cpus| u64::try_from(cpus).ok());
    let number = number.filter(|number| *number > 0);
    let is_block = vm.is_block(block) && super::control::block_arity(vm, block) == Some(0);
    if !is_block || (number.is_none() && !cpus.is_nil()) {
        return Answer::DECLINE;
    }
    vm.run.request = Request::Try { cpus: number };
    Answer::REQUEST
}

fn attempt_schedules(vm: &mut Vm, args: Args) -> Answer {
    let block = args.at(vm, 0);
    if !vm.is_block(block) || super::control::block_arity(vm, block) != Some(0) {
        return Answer::DECLINE;
    }
    vm.run.request = Request::TryEverySchedule;
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

fn end_counting(vm: &mut Vm, args: Args) -> Answer {
    let number = args.at(vm, 0).as_int();
    let Some(section) = number.and_then(|number| u64::try_from(number).ok()) else {
        return Answer::DECLINE;
    };
    match vm.end_counted_section(section) {
        Some(counted) => {
            let described = describe_counted(vm, &counted);
            super::reflection::answer(vm, described)
        }
        None => super::reflection::answer(vm, Value::NIL),
    }
}

/// An Array of all counts. Its parts wait among the handles.
fn describe_counted(vm: &mut Vm, counted: &CountedPiece) -> Value {
    let first = vm.run.handles.len();
    vm.run.handles.push(Value::bool(counted.is_complete));
    push_row(vm, None, &counted.counts);
    let depth = super::counter::number(vm, counted.depth);
    vm.run.handles.push(depth);
    push_array(vm, &counted.methods, push_method);
    push_array(vm, &counted.selectors, |vm, (selector, method), &sends| {
        let symbol = vm.symbol(selector);
        push_row(vm, Some(symbol), &[u64::from(method.0), sends]);
    });
    push_array(vm, &counted.classes, |vm, &class, &made| {
        let Allocations { objects, bytes, .. } = made;
        let class = vm.class_object(class);
        push_row(vm, Some(class), &[objects, bytes]);
    });
    let inside = super::counter::number(vm, counted.inside);
    vm.run.handles.push(inside);
    pop_array(vm, first)
}

/// Leaves an Array with the pushed values of all entries among the handles.
fn push_array<K, V>(vm: &mut Vm, entries: &BTreeMap<K, V>, push: impl Fn(&mut Vm, &K, &V)) {
    let first = vm.run.handles.len();
    for (key, value) in entries {
        push(vm, key, value);
    }
    let array = pop_array(vm, first);
    vm.run.handles.push(array);
}

fn push_method(vm: &mut Vm, &method: &MethodId, counts: &MethodCounts) {
    let (tally, made) = (counts.tally, counts.allocations);
    let numbers = [
        u64::from(method.0),
        tally.calls,
        tally.block_calls,
        tally.own,
        tally.total,
        made.objects,
        made.bytes,
    ];
    push_row(vm, None, &numbers);
}

fn method(vm: &mut Vm, args: Args) -> Answer {
    let number = args.at(vm, 0).as_int();
    let number = number.and_then(|number| u32::try_from(number).ok());
    let Some(id) = number
        .map(MethodId)
        .filter(|id| (id.0 as usize) < vm.image.methods.len())
    else {
        return Answer::DECLINE;
    };
    let first = vm.run.handles.len();
    let place = vm.method_place(id);
    for text in [vm.method_name(id), place.file] {
        let text = vm.make_string(&text);
        vm.run.handles.push(text);
    }
    let line = super::counter::number(vm, place.line as u64);
    vm.run.handles.push(line);
    pop_array(vm, first).into()
}

fn describe(vm: &mut Vm, piece: &Piece) -> Value {
    let methods: Vec<MethodId> = piece.tallies.keys().copied().collect();
    let index = |id: MethodId| methods.binary_search(&id).map_or(0, |at| at as u64 + 1);
    let first = vm.run.handles.len();
    for (&method, tally) in &piece.tallies {
        let name = vm.method_name(method);
        let name = vm.make_string(&name);
        let counts = [tally.calls, tally.block_calls, tally.own, tally.total];
        push_row(vm, Some(name), &counts);
    }
    let rows = pop_array(vm, first);
    vm.run.handles.push(rows);
    for (&(caller, callee), &[calls, block_calls, total]) in &piece.calls {
        let caller = caller.map_or(0, index);
        push_row(
            vm,
            None,
            &[caller, index(callee), calls, block_calls, total],
        );
    }
    let calls = pop_array(vm, first + 1);
    let rows = vm.run.handles.pop().unwrap_or(Value::NIL);
    vm.make_array(&[Value::bool(piece.is_complete), rows, calls])
}

/// Leaves an Array of a name, if there is one, and numbers among the handles.
fn push_row(vm: &mut Vm, name: Option<Value>, counts: &[u64]) {
    let first = vm.run.handles.len();
    vm.run.handles.extend(name);
    for &count in counts {
        let count = super::counter::number(vm, count);
        vm.run.handles.push(count);
    }
    let row = pop_array(vm, first);
    vm.run.handles.push(row);
}

/// An Array of the handles from the first on, which go.
fn pop_array(vm: &mut Vm, first: usize) -> Value {
    let values = vm.run.handles[first..].to_vec();
    let array = vm.make_array(&values);
    vm.run.handles.truncate(first);
    array
}
