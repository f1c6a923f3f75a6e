//! Compiles arbitrary text and runs it, as usual and in the reference mode, within small limits. Neither run may panic or
//! reach an impossible state, and both must count the same.
#![no_main]

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use tally_compiler::environment::MachineEnvironment;
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Host, Limit, MemoryHost, Optimisations, Outcome, Vm};

static WORLD: Mutex<Option<Vm>> = Mutex::new(None);

/// A world without input and files whose output is read afterwards.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<String>>);

impl Output {
    fn append(&self, text: &str) -> io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_str(text);
        Ok(())
    }

    fn text(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Host for Output {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        self.append(text)
    }
    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.append(text)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn read_line(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }
    fn read_to_end(&mut self) -> io::Result<String> {
        Ok(String::new())
    }
    fn read_file(&mut self, _path: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn milliseconds(&mut self) -> u64 {
        0
    }
}

fn run(unit: &Arc<Unit>, optimisations: Optimisations) -> (Outcome, u64, u64, String) {
    let config = Config {
        nursery_bytes: 1 << 16,
        max_memory: Some(64 << 20),
        max_ticks: Some(200_000),
        max_depth: 5_000,
        optimisations,
        ..Config::default()
    };
    let output = Output::default();
    let mut vm =
        tally_stdlib::machine(config, Box::new(output.clone())).expect("the library loads");
    tally_compiler::runtime::equip(&mut vm);
    let outcome = vm.run_unit(unit.clone());
    let cost = vm.cost();
    (outcome, cost.sends, cost.loops, output.text())
}

fuzz_target!(|text: &str| {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let vm = world.get_or_insert_with(|| {
        tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())
            .expect("the library loads")
    });
    let compiled = tally_compiler::compile("fuzz.st", text, &MachineEnvironment(vm));
    let Some(unit) = compiled.unit.map(Arc::new) else {
        return;
    };
    let usual = run(&unit, Optimisations::ALL);
    assert!(!matches!(usual.0, Outcome::Internal(_)), "{:?}", usual.0);
    let reference = run(&unit, Optimisations::NONE);
    // Where the memory limit strikes is not part of the model.
    let by_memory = Outcome::Limit(Limit::Memory);
    if usual.0 != by_memory && reference.0 != by_memory {
        assert_eq!(usual, reference);
    }
});
