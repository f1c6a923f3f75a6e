//! Benchmarks that are scripts in the language. The caller names the scripts.

use std::error::Error;
use std::hint::black_box;

use criterion::{BatchSize, Criterion};
use tally_benches::{compile, machine};
use tally_vm::{Outcome, Vm};

/// Measures scripts, pairs of a name and a text, in a group of that name. Each run gets a machine of
/// its own, so that none finds what the one before has left; making it is not part of the time.
pub(crate) fn measure(
    criterion: &mut Criterion,
    group: &str,
    scripts: &[(&str, &str)],
) -> Result<(), Box<dyn Error>> {
    for (name, source) in scripts {
        let mut vm = machine()?;
        let unit = compile(&vm, name, source)?;
        let outcome = vm.run_unit(unit.clone());
        if outcome != Outcome::Finished {
            return Err(format!("{group}/{name}: {outcome:?}").into());
        }
        let run = |vm: &mut Result<Vm, String>| {
            black_box(vm.as_mut().map(|vm| vm.run_unit(unit.clone())).ok())
        };
        criterion.bench_function(&format!("{group}/{name}"), |bencher| {
            bencher.iter_batched_ref(machine, run, BatchSize::PerIteration);
        });
    }
    Ok(())
}
