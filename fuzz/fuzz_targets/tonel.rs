//! Loads arbitrary text as the files of a package, which a line `----` separates, and initialises its classes, within
//! small limits. A first line `path …` says where a file of a FileTree stands. Neither the loader nor
//! the machine may panic or reach an impossible state.
#![no_main]

use std::sync::{Arc, Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use tally_compiler::environment::MachineEnvironment;
use tally_compiler::load_order::{Package, PackageUnit, load_order};
use tally_compiler::render::render;
use tally_vm::{Config, MemoryHost, Outcome, Vm};

static WORLD: Mutex<Option<Vm>> = Mutex::new(None);

fn machine() -> Vm {
    let config = Config {
        nursery_bytes: 1 << 16,
        max_memory: Some(64 << 20),
        max_ticks: Some(50_000),
        max_depth: 2_000,
        ..Config::default()
    };
    tally_stdlib::machine(config, Box::<MemoryHost>::default()).expect("the library loads")
}

/// The path and the text of a file.
fn placed(file: &str) -> (&str, &str) {
    let placed = file
        .strip_prefix("path ")
        .and_then(|rest| rest.split_once('\n'));
    placed.unwrap_or(("fuzz.st", file))
}

fuzz_target!(|text: &str| {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let world = world.get_or_insert_with(machine);
    let files: Vec<(&str, &str)> = text.split("\n----\n").map(placed).collect();
    let compiled = tally_compiler::compile_all(&files, &MachineEnvironment(world));
    let mut units = Vec::new();
    for ((name, source), one) in files.iter().zip(compiled) {
        let rendered = render(&one.diagnostics, name, source, false);
        assert_eq!(one.diagnostics.is_empty(), rendered.is_empty());
        let has_error = one.diagnostics.iter().any(|one| one.is_error());
        assert_eq!(
            one.unit.is_none(),
            has_error,
            "a unit exactly when nothing is an error"
        );
        units.extend(one.unit);
    }
    if units.len() < files.len() {
        return;
    }
    let package = Package {
        name: "fuzz".to_owned(),
        argument: 0,
    };
    let parts: Vec<PackageUnit<'_>> = units
        .iter()
        .map(|unit| PackageUnit { package: 0, unit })
        .collect();
    let order = load_order(&[package], &parts);
    assert_eq!(order.units.len(), units.len(), "every file is loaded once");
    let mut vm = machine();
    for index in order.units {
        if vm.run_unit(Arc::new(units[index].clone())) != Outcome::Finished {
            return;
        }
    }
    for class in order
        .initialised
        .into_iter()
        .flat_map(|(_, classes)| classes)
    {
        let text = format!("{class} initialize");
        let compiled = tally_compiler::compile("<initialize>", &text, &MachineEnvironment(&vm));
        let Some(unit) = compiled.unit else { return };
        let outcome = vm.run_unit(Arc::new(unit));
        assert!(!matches!(outcome, Outcome::Internal(_)), "{outcome:?}");
        if outcome != Outcome::Finished {
            return;
        }
    }
});
