//! A machine without a library, and a way to run one primitive on it: for the tests of the primitives.

use super::{Args, find};
use crate::process::Stack;
use crate::value::Value;
use crate::vm::{Config, Vm};

/// A machine with a stack and no program.
pub(super) fn machine() -> Vm {
    let mut vm = Vm::new(Config::default());
    vm.stack = Stack::new(64);
    vm
}

/// What the primitive answers for these receiver and arguments; `None` when it declines.
pub(super) fn run(vm: &mut Vm, name: &str, values: &[Value]) -> Option<Value> {
    let (_, row) = find(name).expect("a primitive of that name");
    for (index, &value) in values.iter().enumerate() {
        vm.stack.set_value(index, value);
    }
    let args = Args {
        base: 0,
        count: values.len() - 1,
    };
    if let Some(count) = row.arguments {
        assert_eq!(usize::from(count), args.count, "{name}");
    }
    (row.function)(vm, args).value()
}

#[test]
fn every_name_is_given_once() {
    let mut names: Vec<&str> = super::all().map(|row| row.name).collect();
    names.sort_unstable();
    let rows = names.len();
    names.dedup();
    assert_eq!(names.len(), rows);
}
