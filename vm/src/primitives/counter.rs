//! Primitives of Compteur: reading the counters from a program (counting model, 5).

use num_bigint::BigInt;

use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Value};
use crate::counting::{CostCounts, Family, Measure};
use crate::machine::Vm;
use crate::processes::{Mark, MarkKind};
use crate::run::{Args, Request};

rows! {
    "counterSends"(0) library allocates => sends,
        "Always: the running process's send counter, this send included.";
    "counterReset"(0) library leaf => reset,
        "Always: the counter reads as 0 directly after this send.";
    "counterMeasureSends"(1) library requests => measure_sends,
        "A block without arguments: evaluates it and answers how many sends that executed.";
    "counterMeasureEverything"(1) library requests => measure_everything,
        "A block without arguments: evaluates it and answers an Array of the sends, loops, activations, blocks, primitives, objects, bytes, steps and called primitives, and the work, that it cost.";
    "counterMeasureWithForks"(1) library requests => measure_with_forks,
        "As counterMeasureEverything, every number with the processes that are forked during the evaluation, until it ends.";
    "counterMeasureSection"(1) library requests => measure_section,
        "As counterMeasureWithForks, with the value of the block behind the numbers.";
    "counterInherits"(2) library leaf => inherits,
        "A symbol and a class: whether the receiver answers the message by the class's own method. What a test finds does not depend on other classes and methods for it.";
    "counterEndTest"(0) library leaf => end_test,
        "Always: what follows is not part of the test that a recording of tests keeps apart.";
    "counterMeasureTest"(2) library requests => measure_test,
        "A block without arguments and a Boolean: as counterMeasureWithForks. A recording of tests keeps apart what is executed meanwhile. It is a test if the Boolean is true, else it is taken out of the tests.";
}

pub(super) fn number(vm: &mut Vm, n: u64) -> Value {
    match i64::try_from(n).ok().and_then(Value::try_int) {
        Some(small) => small,
        None => vm.make_integer(&BigInt::from(n)),
    }
}

fn sends(vm: &mut Vm, _args: Args) -> Value {
    vm.note_uncontrolled("a count of the whole run");
    let count = vm.counted_sends().wrapping_sub(vm.counters.counter_offset);
    number(vm, count)
}

fn reset(vm: &mut Vm, args: Args) -> Value {
    vm.counters.counter_offset = vm.counted_sends();
    args.receiver(vm)
}

fn measure(vm: &mut Vm, args: Args, measure: Measure) -> Answer {
    let block = args.at(vm, 0);
    if !vm.is_block(block) || super::control::block_arity(vm, block) != Some(0) {
        return Answer::DECLINE;
    }
    vm.run.request = Request::Measure(measure);
    Answer::REQUEST
}

fn measure_sends(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, Measure::Sends)
}

fn measure_everything(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, Measure::Costs)
}

fn measure_with_forks(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, Measure::WithForks)
}

fn measure_section(vm: &mut Vm, args: Args) -> Answer {
    measure(vm, args, Measure::Section)
}

fn inherits(vm: &mut Vm, args: Args) -> Answer {
    let class = ClassId(vm.class_number(args.receiver(vm)));
    let found = args.at(vm, 0).as_symbol();
    match (found, vm.class_of_class_object(args.at(vm, 1))) {
        (Some(selector), Some(holder)) => {
            vm.note_question(class, selector);
            let found = vm.lookup(class, selector);
            found
                .is_some_and(|method| vm.method(method).holder == holder)
                .into()
        }
        _ => Answer::DECLINE,
    }
}

fn end_test(vm: &mut Vm, args: Args) -> Value {
    let is_test = |mark: &&Mark| mark.kind == MarkKind::Measuring(Measure::Test);
    let innermost = vm.running.marks.iter().rev().find(is_test);
    // A test inside a test ends nothing.
    if let Some(serial) = innermost.map(|mark| mark.serial) {
        vm.end_part(serial);
    }
    args.receiver(vm)
}

fn measure_test(vm: &mut Vm, args: Args) -> Answer {
    match args.at(vm, 1) {
        Value::TRUE => measure(vm, args, Measure::Test),
        Value::FALSE => measure(vm, args, Measure::Harness),
        _ => Answer::DECLINE,
    }
}

impl Vm {
    /// The cost vector of the running process, in the order of Cost.
    pub(crate) fn counters_now(&self) -> CostCounts {
        let (full, allocations) = (self.counted_in_full(), self.counted_allocations());
        [
            self.counted_sends(),
            self.counted_loops(),
            full.activations,
            full.blocks,
            full.primitives.iter().sum(),
            allocations.objects,
            allocations.bytes,
            self.counted_sends().wrapping_add(full.steps),
            full.called,
            self.process_cost().work(),
        ]
    }

    /// The cost vector of all processes.
    fn counters_of_all(&self) -> CostCounts {
        let mut all = self.counters_now();
        all[0] = self.sends();
        all[1] = self.loops();
        all[7] = all[0].wrapping_add(self.counted_in_full().steps);
        all[9] = self.work();
        all
    }

    /// Charges what the running process executed to the measurements with forks that it belongs to.
    pub(crate) fn charge_measurements(&mut self) {
        if self.counters.families.is_any_open() {
            let (family, now) = (self.running.family, self.counters_of_all());
            self.counters.families.charge(family, now);
        }
    }

    /// Notes the counters for the measured block whose frame was just entered.
    pub(crate) fn start_measurement(&mut self, measure: Measure) {
        let Some(serial) = self.running.marks.last().map(|mark| mark.serial) else {
            return;
        };
        if measure == Measure::Test {
            self.begin_extent_of_test();
        }
        if measure.needs_everything() {
            self.begin_family(serial, measure.has_forks());
            self.begin_part(serial, measure);
        } else {
            let now = self.counters_now();
            self.counters.measurements.insert(serial, now);
        }
    }

    /// Begins a measurement of the running process, and of those that are forked meanwhile if it has them.
    pub(crate) fn begin_family(&mut self, serial: u64, has_forks: bool) -> Family {
        let now = self.counters_of_all();
        let around = (self.running.family, has_forks);
        let family = self.counters.families.begin(around, serial, now);
        self.running.family = family;
        family
    }

    /// Ends a measurement with forks that no frame began. Answers its costs.
    pub(crate) fn end_family_within(&mut self, serial: u64, family: Family) -> CostCounts {
        let (sum, around) = self.end_family(serial);
        if self.running.family == family {
            self.running.family = around;
        }
        sum
    }

    /// A measurement is not going to be finished: its frame goes without returning. Answers the measurement with forks
    /// around it if it was one.
    pub(crate) fn abandon_measurement(&mut self, serial: u64, measure: Measure) -> Option<Family> {
        let everything = u32::from(measure.needs_everything());
        self.counters.full_wanted = self.counters.full_wanted.saturating_sub(everything);
        if measure.needs_everything() {
            return Some(self.end_family(serial).1);
        }
        self.counters.measurements.remove(&serial);
        None
    }

    /// Ends a measurement with forks. Answers its costs, and the measurement around it.
    fn end_family(&mut self, serial: u64) -> (CostCounts, Family) {
        self.charge_measurements();
        self.end_part(serial);
        self.counters.families.end(serial)
    }

    /// The cost of the measured block with this mark, which answered `value`: its sends, or an Array of all costs. The
    /// Array does not count as an allocation and is not part of an enclosing measurement.
    pub(crate) fn finish_measurement(
        &mut self,
        mark: usize,
        measure: Measure,
        value: Value,
    ) -> Value {
        let serial = self.running.marks[mark].serial;
        if measure == Measure::Test {
            self.end_extent_of_test();
        }
        let costs = match measure.needs_everything() {
            true => {
                let (sum, around) = self.end_family(serial);
                self.running.family = around;
                sum
            }
            false => {
                let now = self.counters_now();
                let start = self.counters.measurements.remove(&serial).unwrap_or(now);
                std::array::from_fn(|i| now[i].wrapping_sub(start[i]))
            }
        };
        if measure == Measure::Sends {
            return number(self, costs[0]);
        }
        self.counters.full_wanted = self.counters.full_wanted.saturating_sub(1);
        let before = self.allocations_now();
        let first = self.run.handles.len();
        self.run.handles.push(value);
        for cost in costs {
            let number = number(self, cost);
            self.run.handles.push(number);
        }
        if measure == Measure::Section {
            let value = self.run.handles[first];
            self.run.handles.push(value);
        }
        let values = self.run.handles[first + 1..].to_vec();
        let array = self.make_array(&values);
        self.run.handles.truncate(first);
        self.forget_allocations_since(before);
        array
    }
}
