//! Compiling all sources of a program together, and putting packages into the order in which they are loaded.

use std::path::Path;
use std::sync::Arc;

use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::{ClassShape, MachineEnvironment, UnitEnvironment};
use tally_compiler::load_order::{Package, PackageUnit, load_order};
use tally_compiler::render::render;
use tally_compiler::{Compiled, compile_all};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Outcome, Vm};

use super::file_outs;
use super::findings::Findings;
use super::reading::{Source, read_all};
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// Sources in the order in which they are to run, and their units.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) sources: Vec<Source>,
    pub(super) units: Vec<Arc<Unit>>,
}

/// Compiles and runs a text that the command made itself.
pub fn run_text(vm: &mut Vm, name: &str, text: &str) -> Result<Outcome, Error> {
    let unit = compile_text(vm, name, text)?;
    Ok(vm.run_unit(Arc::new(unit)))
}

/// Compiles a text that the command made itself, for the world as it is now.
pub fn compile_text(vm: &Vm, name: &str, text: &str) -> Result<Unit, Error> {
    let compiled = tally_compiler::compile(name, text, &MachineEnvironment(vm));
    compiled.unit.ok_or_else(|| {
        let why = render(&compiled.diagnostics, name, text, false);
        Error::new(
            ErrorKind::Internal,
            format!("text made by the command:\n{why}"),
        )
    })
}

/// Compiles all sources together, prints what there is to say about any of them, and answers the
/// units in the order in which they run if nothing is an error.
pub(super) fn compile(
    sources: Vec<Source>,
    packages: &[Package],
    vm: &Vm,
    tells_warnings: bool,
    front: &dyn Embedder,
) -> Result<Prepared, Error> {
    let pairs: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_str()))
        .collect();
    let compiled = compile_all(&pairs, &MachineEnvironment(vm));
    let mut units = Vec::new();
    let mut findings = Findings::default();
    for (source, Compiled { unit, diagnostics }) in sources.iter().zip(compiled) {
        if tells_warnings || unit.is_none() {
            findings.show_of_program(source, diagnostics, front);
        }
        units.extend(unit.map(Arc::new));
    }
    findings.end(front);
    if units.len() < sources.len() {
        return Err(Error::told(ErrorKind::Source, "the sources do not compile"));
    }
    let mut waiting = sources.into_iter().zip(units).peekable();
    let mut prepared = Prepared::default();
    while let Some((source, unit)) = waiting.next() {
        if source.package.is_none() {
            prepared.sources.push(source);
            prepared.units.push(unit);
            continue;
        }
        let mut loaded = vec![(source, unit)];
        while let Some(next) = waiting.next_if(|(source, _)| source.package.is_some()) {
            loaded.push(next);
        }
        load_packages(loaded, packages, &mut prepared)?;
    }
    Ok(prepared)
}

/// Puts packages that stand side by side on the command line into the order in which they are loaded. Behind
/// them the classes are initialised that ask for it, package by package.
fn load_packages(
    loaded: Vec<(Source, Arc<Unit>)>,
    packages: &[Package],
    prepared: &mut Prepared,
) -> Result<(), Error> {
    let parts: Vec<PackageUnit<'_>> = loaded
        .iter()
        .filter_map(|(source, unit)| {
            let package = source.package?;
            Some(PackageUnit { package, unit })
        })
        .collect();
    let order = load_order(packages, &parts);
    let themselves = file_outs::classes(&loaded);
    let mut initialisers = Vec::new();
    for (package, mut classes) in order.initialised {
        classes.retain(|class| !themselves.contains(class));
        if !classes.is_empty() {
            initialisers.push(initialiser(&packages[package].name, &classes)?);
        }
    }
    let mut loaded: Vec<Option<(Source, Arc<Unit>)>> = loaded.into_iter().map(Some).collect();
    let ordered = order
        .units
        .into_iter()
        .filter_map(|index| loaded[index].take());
    for (source, unit) in ordered.chain(initialisers) {
        prepared.sources.push(source);
        prepared.units.push(unit);
    }
    Ok(())
}

/// The pseudo-method that sends `initialize` to classes of a package.
fn initialiser(package: &str, classes: &[String]) -> Result<(Source, Arc<Unit>), Error> {
    let mut world = UnitEnvironment::new();
    let mut text = String::new();
    for class in classes {
        world.add_class(class, ClassShape::default());
        text.push_str(class);
        text.push_str(" initialize.\n");
    }
    world.add_selector("initialize");
    let compiled = tally_compiler::compile(package, &text, &world);
    let unit = compiled.unit.ok_or_else(|| {
        let why = render(&compiled.diagnostics, package, &text, false);
        Error::new(
            ErrorKind::Internal,
            format!("text made by the command:\n{why}"),
        )
    })?;
    Ok((Source::script(package, text), Arc::new(unit)))
}

/// Reads and compiles all sources together, as for a run, and answers what there is to say about each.
pub fn diagnose(
    files: &[String],
    front: &dyn Embedder,
) -> Result<Vec<(Source, Vec<Diagnostic>)>, Error> {
    let (sources, _) = read_all(Path::new(""), files, front)?;
    let vm = tally_stdlib::machine(Config::default(), Box::<tally_vm::MemoryHost>::default())
        .map_err(|why| Error::new(ErrorKind::Internal, why))?;
    let pairs: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_str()))
        .collect();
    let compiled = compile_all(&pairs, &MachineEnvironment(&vm));
    let diagnostics = compiled.into_iter().map(|one| one.diagnostics);
    Ok(sources.into_iter().zip(diagnostics).collect())
}

/// The texts of files and folders, in the order in which they run.
pub fn read_texts(files: &[String], front: &dyn Embedder) -> Result<Vec<Source>, Error> {
    Ok(compiled(files, Config::default(), true, front)?.sources)
}

/// Files and folders, compiled to code with an instruction for each evaluation of an inlined message: their texts and units, in
/// the order in which they run.
pub fn read_counting_inlined(
    files: &[String],
    front: &dyn Embedder,
) -> Result<(Vec<Source>, Vec<Arc<Unit>>), Error> {
    let config = Config {
        count_inlined: true,
        ..Config::default()
    };
    let Prepared { sources, units } = compiled(files, config, false, front)?;
    Ok((sources, units))
}

fn compiled(
    files: &[String],
    config: Config,
    tells_warnings: bool,
    front: &dyn Embedder,
) -> Result<Prepared, Error> {
    if files.is_empty() {
        return Ok(Prepared::default());
    }
    let (sources, packages) = read_all(Path::new(""), files, front)?;
    let vm = tally_stdlib::machine(config, Box::<tally_vm::MemoryHost>::default())
        .map_err(|why| Error::new(ErrorKind::Internal, why))?;
    compile(sources, &packages, &vm, tells_warnings, front)
}
