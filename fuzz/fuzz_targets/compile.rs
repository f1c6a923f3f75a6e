//! Feeds arbitrary text to the compiler, with the library as its world. The compiler may report errors but must not
//! panic. Accepted text must render and must pass as a unit. Nothing is run here.
#![no_main]

use std::sync::{Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use tally_compiler::environment::MachineEnvironment;
use tally_vm::{Config, MemoryHost, Vm};

static WORLD: Mutex<Option<Vm>> = Mutex::new(None);

fuzz_target!(|text: &str| {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let vm = world.get_or_insert_with(|| {
        tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default())
            .expect("the library loads")
    });
    let compiled = tally_compiler::compile("fuzz.st", text, &MachineEnvironment(vm));
    let rendered = tally_compiler::render::render(&compiled.diagnostics, "fuzz.st", text, false);
    assert_eq!(compiled.diagnostics.is_empty(), rendered.is_empty());
    let has_error = compiled.diagnostics.iter().any(|one| one.is_error());
    assert_eq!(
        compiled.unit.is_none(),
        has_error,
        "a unit exactly when nothing is an error"
    );
});
