//! Times of operations: all run in one machine, in rounds, so that what disturbs the computer for a while disturbs all alike.

use std::sync::Arc;

use tally_profiler::CostVector;
use tally_study::prices::{Counts, Measured, Point};
use tally_vm::bytecode::Unit;
use tally_vm::{Outcome, Vm};
use tally_workbench::ProgramOutput;
use tally_workbench::loading::{MachineSettings, compile_text};

use super::operations::{Operation, Table};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::program;
use crate::progress::Progress;
use crate::study::clock;

/// Runs of each operation at each size.
const ROUNDS: usize = 9;

/// The least seconds of a run. The clock is finer by a factor of thousands.
const LEAST: f64 = 0.003;

/// Most repetitions in a run.
const MOST_REPETITIONS: u64 = 1 << 22;

/// The name of scripts in messages.
const NAME: &str = "operation";

/// An operation at a size, ready to run.
struct Case<'o> {
    operation: &'o Operation,
    repeated: Arc<Unit>,
    /// The same without repetitions.
    empty: Arc<Unit>,
    point: Point,
}

/// A machine that runs operations.
pub(super) struct Bench {
    vm: Vm,
}

impl Bench {
    /// As users' programs get one, but what is printed goes nowhere.
    pub(super) fn new() -> Result<Bench, Failure> {
        let settings = MachineSettings::default();
        let program = program::load(&[], Some(""), &[], &settings, ProgramOutput::Nowhere)?;
        Ok(Bench { vm: program.vm })
    }

    fn unit(&self, text: &str) -> Result<Arc<Unit>, Failure> {
        Ok(Arc::new(compile_text(&self.vm, NAME, text)?))
    }

    /// Seconds of a run.
    fn run(&mut self, operation: &Operation, unit: &Arc<Unit>) -> Result<f64, Failure> {
        self.vm.collect_garbage();
        let start = clock::seconds();
        let outcome = self.vm.run_unit(Arc::clone(unit));
        let seconds = clock::seconds() - start;
        match outcome {
            Outcome::Finished => Ok(seconds),
            outcome => {
                let why = format!(
                    "the operation '{}' ended early: {outcome:?}",
                    operation.name
                );
                Err(Failure::new(Exit::Internal, why))
            }
        }
    }

    /// Defines the classes that an operation needs.
    pub(super) fn define(&mut self, operation: &Operation) -> Result<(), Failure> {
        let unit = self.unit(&operation.classes)?;
        self.run(operation, &unit).map(|_| ())
    }

    /// How many repetitions take long enough to be timed.
    pub(super) fn repetitions(&mut self, operation: &Operation, size: u64) -> Result<u64, Failure> {
        let mut repetitions = 1;
        loop {
            let unit = self.unit(&operation.script(size, repetitions))?;
            let empty = self.unit(&operation.script(size, 0))?;
            let taken = self.run(operation, &unit)? - self.run(operation, &empty)?;
            if taken >= LEAST || repetitions >= MOST_REPETITIONS {
                return Ok(repetitions);
            }
            let factor = (1.2 * LEAST / taken.max(LEAST / 16.0)).ceil();
            repetitions = (repetitions * factor as u64).min(MOST_REPETITIONS);
        }
    }

    /// What one repetition costs, by counter.
    pub(super) fn counts(
        &mut self,
        operation: &Operation,
        size: u64,
        repetitions: u64,
    ) -> Result<Counts, Failure> {
        self.vm.count_everything();
        let mut costs = Vec::new();
        for repetitions in [repetitions, 0] {
            let unit = self.unit(&operation.script(size, repetitions))?;
            let before = self.vm.cost();
            self.run(operation, &unit)?;
            costs.push(CostVector::from(&self.vm.cost().since(&before)));
        }
        self.vm.count_less();
        let (repeated, empty) = (counts_of(&costs[0]), counts_of(&costs[1]));
        let each = repeated.iter().map(|(counter, count)| {
            let once = empty.get(counter).copied().unwrap_or(0.0);
            (counter.clone(), (count - once) / repetitions as f64)
        });
        Ok(each.collect())
    }
}

/// The counts of a cost that have prices.
pub(crate) fn counts_of(cost: &CostVector) -> Counts {
    let counts = cost.weighted().filter(|(.., count)| *count > 0);
    counts
        .map(|(name, _, count)| (name.to_string(), count as f64))
        .collect()
}

/// All operations, measured in nanoseconds.
pub(super) fn measured(table: &Table) -> Result<Measured, Failure> {
    let mut bench = Bench::new()?;
    let mut cases = Vec::new();
    for operation in table.operations() {
        bench.define(operation)?;
        for &size in &operation.sizes {
            cases.push(prepared(&mut bench, operation, size)?);
        }
    }
    let progress = Progress::new(ROUNDS * cases.len());
    for _ in 0..ROUNDS {
        for case in &mut cases {
            progress.step(case.operation.name.as_str());
            let repeated = bench.run(case.operation, &case.repeated)? * NANOSECONDS;
            let empty = bench.run(case.operation, &case.empty)? * NANOSECONDS;
            case.point.runs.push([repeated, empty]);
            progress.done();
        }
    }
    let mut points = cases.into_iter().map(|case| case.point);
    let of = |operation: &Operation| points.by_ref().take(operation.sizes.len()).collect();
    let points = table.operations().map(of).collect();
    Ok(table.measured(points))
}

const NANOSECONDS: f64 = 1e9;

fn prepared<'o>(
    bench: &mut Bench,
    operation: &'o Operation,
    size: u64,
) -> Result<Case<'o>, Failure> {
    let repetitions = bench.repetitions(operation, size)?;
    Ok(Case {
        operation,
        repeated: bench.unit(&operation.script(size, repetitions))?,
        empty: bench.unit(&operation.script(size, 0))?,
        point: Point {
            size,
            counts: bench.counts(operation, size, repetitions)?,
            repetitions: repetitions as f64,
            runs: Vec::new(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::Bench;
    use crate::calibrate::operations::Table;

    #[test]
    fn each_operation_costs_what_it_prices() {
        let mut bench = Bench::new().expect("a machine");
        let table = Table::own().expect("the table");
        for stage in &table.stages {
            for operation in &stage.operations {
                bench.define(operation).expect("classes");
                let counts = bench.counts(operation, operation.sizes[0], 4);
                let count = counts.expect("counts").remove(&stage.counter);
                let (name, counter) = (&operation.name, &stage.counter);
                assert!(count > Some(0.0), "{name} costs no {counter}");
            }
        }
    }

    #[test]
    fn mixed_operations_run() {
        let mut bench = Bench::new().expect("a machine");
        for operation in &Table::own().expect("the table").mixed {
            bench.define(operation).expect("classes");
            let counts = bench.counts(operation, 1, 4).expect("counts");
            assert!(counts["sends"] > 4.0, "{}", operation.name);
        }
    }
}
