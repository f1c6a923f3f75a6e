//! Primitives of Compteur: reading the counters from a program (counting model, 5).

use num_bigint::BigInt;

use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::machine::Vm;
use crate::run::{Args, Request};

rows! {
    "counterSends"(0) library allocates => sends,
        "Always: the running process's send counter, this send included.";
    "counterReset"(0) library leaf => reset,
        "Always: the counter reads as 0 directly after this send.";
    "counterMeasureSends"(1) library requests => measure_sends,
        "A block without arguments: evaluates it and answers how many sends that executed.";
    "counterMeasureEverything"(1) library requests => measure_everything,
        "A block without arguments: evaluates it and answers an Array of the sends, loops, activations, blocks, primitives, objects, bytes and instructions that it cost.";
}

pub(super) fn number(vm: &mut Vm, n: u64) -> Value {
    match i64::try_from(n).ok().and_then(Value::try_int) {
        Some(small) => small,
        None => vm.make_integer(&BigInt::from(n)),
    }
}

fn sends(vm: &mut Vm, _args: Args) -> Value {
    let count = vm.counted_sends().wrapping_sub(vm.counters.counter_offset);
    number(vm, count)
}

fn reset(vm: &mut Vm, args: Args) -> Value {
    vm.counters.counter_offset = vm.counted_sends();
    args.receiver(vm)
}

fn measure(vm: &mut Vm, args: Args, everything: bool) -> Answer {
    let block = args.at(vm, 0);
    if !vm.is_block(block) || super::control::block_arity(vm, block) != Some(0) {
        return Answer::DECLINE;
    }
    vm.run.request = Request::Measure { everything };
    Answer::REQUEST
}

fn measure_sends(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, false)
}

fn measure_everything(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, true)
}

impl Vm {
    /// The cost vector of the running process, in the order of Cost.
    pub(crate) fn counters_now(&self) -> [u64; 8] {
        let (full, allocations) = (self.counted_in_full(), self.counted_allocations());
        [
            self.counted_sends(),
            self.counted_loops(),
            full.activations,
            full.blocks,
            full.primitives.iter().sum(),
            allocations.objects,
            allocations.bytes,
            full.instructions,
        ]
    }

    /// Notes the counters for the measured block whose frame was just entered.
    pub(crate) fn start_measurement(&mut self) {
        if let Some(mark) = self.running.marks.last() {
            let serial = mark.serial;
            let now = self.counters_now();
            self.counters.measurements.insert(serial, now);
        }
    }

    /// The cost of the measured block with this mark: its sends, or an Array of all costs. The Array does not count as
    /// an allocation and is not part of an enclosing measurement.
    pub(crate) fn finish_measurement(&mut self, mark: usize, everything: bool) -> Value {
        let mut now = self.counters_now();
        let start = self
            .counters
            .measurements
            .remove(&self.running.marks[mark].serial)
            .unwrap_or(now);
        if !everything {
            return number(self, now[0].wrapping_sub(start[0]));
        }
        self.counters.full_wanted = self.counters.full_wanted.saturating_sub(1);
        // The block's own `Return` is part of the machinery.
        now[7] = now[7].wrapping_sub(u64::from(self.running.silence.is_none()));
        let before = self.allocations_now();
        let first = self.run.handles.len();
        for (end, start) in now.into_iter().zip(start) {
            let value = number(self, end.wrapping_sub(start));
            self.run.handles.push(value);
        }
        let values = self.run.handles[first..].to_vec();
        let array = self.make_array(&values);
        self.run.handles.truncate(first);
        self.forget_allocations_since(before);
        array
    }
}
