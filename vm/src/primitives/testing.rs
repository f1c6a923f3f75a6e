//! A machine without a library that runs one primitive, for the tests of the primitives.

use super::{Answer, Before, Primitive, find};
use crate::base::{Config, Known, Value};
use crate::counting::Work;
use crate::machine::Vm;
use crate::processes::Stack;
use crate::run::Args;

/// A machine with a stack and no program.
pub(super) fn machine() -> Vm {
    let mut vm = Vm::new(Config::default());
    vm.running.stack = Stack::new(64);
    vm
}

/// Calls a primitive, checks it against its row's reach, and charges its work.
fn call(vm: &mut Vm, name: &str, args: Args) -> Answer {
    let (_, row) = find(name).expect("a primitive of that name");
    row.charge.charge_before(vm, args);
    let before = Before::of(vm);
    let answer = (row.function)(vm, args);
    before.check(vm, || Some(row), answer);
    if answer != Answer::DECLINE {
        row.charge
            .charge_after(vm, args, answer.value().unwrap_or(Value::NIL));
    }
    answer
}

/// The units of a counter that the primitive charges for this receiver and these arguments.
pub(super) fn charged(vm: &mut Vm, name: &str, values: &[Value], work: Work) -> u64 {
    let before = vm.counters.full.work;
    run(vm, name, values).expect("an answer");
    vm.counters.full.work.since(&before).get(work)
}

/// The primitive's answer for this receiver and these arguments; `None` when it declines.
pub(super) fn run(vm: &mut Vm, name: &str, values: &[Value]) -> Option<Value> {
    let (_, row) = find(name).expect("a primitive of that name");
    for (index, &value) in values.iter().enumerate() {
        vm.running.stack.set_value(index, value);
    }
    let args = Args {
        base: 0,
        count: values.len() - 1,
    };
    if let Some(count) = row.arguments {
        assert_eq!(usize::from(count), args.count, "{name}");
    }
    call(vm, name, args).value()
}

#[test]
fn every_name_is_given_once() {
    let mut names: Vec<&str> = super::all().map(|row| row.name).collect();
    names.sort_unstable();
    let rows = names.len();
    names.dedup();
    assert_eq!(names.len(), rows);
}

/// One of everything, and the numbers where something changes.
fn odd_values(vm: &mut Vm) -> Vec<Value> {
    let mut values = vec![Value::NIL, Value::TRUE];
    let numbers = [
        0,
        1,
        2,
        3,
        -1,
        16,
        255,
        256,
        1 << 31,
        -(1 << 31),
        Value::MAX_INT,
        Value::MIN_INT,
    ];
    values.extend(numbers.map(Value::int));
    for large in [1 << 61, -(1 << 61) - 1, 1 << 64, i128::MIN] {
        values.push(vm.make_integer_i128(large));
    }
    for float in [
        0.0,
        -0.0,
        1.5,
        -1e300,
        5e-324,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        values.push(vm.make_float(float));
    }
    for content in ["", "a", "-16r1F", " a\r\nb'", "1.5e400", "\u{400}b", "é"] {
        values.push(vm.make_string(content));
        values.push(vm.symbol(content));
    }
    values.extend([0, 255, 0x400, 0x10FFFF].map(Value::character));
    values.push(vm.make_array(&[]));
    values.push(vm.make_array(&[Value::NIL, Value::int(1)]));
    values.push(vm.make_bytes(Known::ByteArray.into(), &[0xFF, 0x61]));
    for known in [
        Known::Array,
        Known::String,
        Known::ByteArray,
        Known::Float,
        Known::Symbol,
    ] {
        values.push(vm.class_object(known.into()));
    }
    values
}

/// Runs a primitive with every receiver and first argument, the other arguments taken in turn.
fn run_with_anything(row: &Primitive) {
    // The nursery is large enough that nothing moves. The limit on memory is small, so that large requests are refused.
    let config = Config {
        nursery_bytes: 64 << 20,
        max_memory: Some(1 << 20),
        ..Config::default()
    };
    let mut vm = Vm::new(config);
    vm.running.stack = Stack::new(64);
    let count = usize::from(row.arguments.unwrap_or(0));
    let values = odd_values(&mut vm);
    let mut turn = 0;
    for &receiver in &values {
        for round in 0..values.len().pow(count.min(1) as u32) * count.clamp(1, 8) {
            vm.running.stack.set_value(0, receiver);
            for index in 1..=count {
                turn += 1;
                let choice = if index == 1 {
                    round
                } else {
                    turn * (2 * index + 1) + round
                };
                vm.running
                    .stack
                    .set_value(index, values[choice % values.len()]);
            }
            let _ = call(&mut vm, row.name, Args { base: 0, count });
        }
    }
}

#[test]
fn no_argument_makes_a_primitive_on_data_panic() {
    let groups = [
        super::slots::ROWS,
        super::integer::ROWS,
        super::float::ROWS,
        super::float_print::ROWS,
        super::character::ROWS,
        super::indexed::ROWS,
        super::bytes::ROWS,
        super::stream::ROWS,
        super::string::ROWS,
        super::string_search::ROWS,
        super::string_convert::ROWS,
        super::symbol::ROWS,
        super::regex::ROWS,
        super::host::ROWS,
    ];
    groups.into_iter().flatten().for_each(run_with_anything);
}
