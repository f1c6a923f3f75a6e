//! Runs programs under the recorder, for tests of their measurements.

use std::sync::Arc;

use tally_comparison::{Measurement, MeasurementBuilder};
use tally_compiler::compile_all;
use tally_compiler::environment::MachineEnvironment;
use tally_profiler::{Description, Ending, Limits, definitions};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Detail, MemoryHost, Outcome, Vm};

fn about() -> Description {
    Description {
        program: 0,
        files: Vec::new(),
        scripts: Vec::new(),
        arguments: Vec::new(),
        seed: 1,
        limits: Limits::default(),
        ending: Ending::Finished,
        reproducible: true,
        definitions: None,
        inputs: None,
        revision: None,
    }
}

fn compiled(vm: &Vm, name: &str, text: &str) -> Vec<Arc<Unit>> {
    let compiled = compile_all(&[(name, text)], &MachineEnvironment(vm));
    let unit = |compiled: tally_compiler::Compiled| {
        let errors = format!("{:?}\n{text}", compiled.diagnostics);
        Arc::new(compiled.unit.unwrap_or_else(|| panic!("{errors}")))
    };
    compiled.into_iter().map(unit).collect()
}

/// The measurement of a program's runs, each in a copy of the machine.
pub(crate) fn measured(text: &str, runs: &[&str]) -> Measurement {
    let mut vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()).unwrap();
    let units = compiled(&vm, "program.st", text);
    for unit in &units {
        assert_eq!(vm.run_unit(Arc::clone(unit)), Outcome::Finished);
    }
    let mut builder = MeasurementBuilder::new(vm.library_digest(), &about());
    builder.set_definitions(definitions(&units));
    for (number, run) in runs.iter().enumerate() {
        let mut copy = vm.fork(Box::<MemoryHost>::default());
        let unit = compiled(&copy, "<run>", run).remove(0);
        copy.count_everything();
        copy.start_profile(Detail {
            sites: true,
            ..Detail::default()
        });
        let before = copy.cost();
        assert_eq!(copy.run_unit(unit), Outcome::Finished, "{text}{run}");
        let cost = copy.cost().since(&before);
        let recorded = copy.finish_profile();
        builder.add_recorded(&format!("T>>t{number}"), &copy, &recorded, &cost, &about());
    }
    builder.finish()
}
