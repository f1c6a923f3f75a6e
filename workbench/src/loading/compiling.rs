//! Compiling all sources of a program together, and putting packages into the order in which they are loaded.

use std::path::Path;
use std::sync::Arc;

use tally_compiler::diagnostic::Diagnostic;
use tally_compiler::environment::{ClassShape, MachineEnvironment, UnitEnvironment};
use tally_compiler::load_order::{Package, PackageUnit, load_order};
use tally_compiler::render::render;
use tally_compiler::{Compiled, Notation, Text, compile_texts, compile_texts_in};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Outcome, Vm};

use super::absent::{self, Absent};
use super::file_outs;
use super::findings::Findings;
use super::reading::{Source, read_all};
use super::running::PackageUnits;
use super::statements;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// Sources in the order in which they are to run, and their units.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) sources: Vec<Source>,
    pub(super) units: Vec<Arc<Unit>>,
    /// What is left out of the packages.
    pub(super) absent: Vec<Absent>,
    /// Which units are of packages.
    pub(super) package_units: PackageUnits,
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

/// How sources are compiled.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Whether warnings are shown, and errors in what is left out.
    pub(super) tells_warnings: bool,
    /// Whether a package with a definition that does not compile is an error.
    pub(super) strict: bool,
}

/// The sources as texts for the compiler. Only packages do without definitions.
fn texts(sources: &[Source], strict: bool) -> Vec<Text<'_>> {
    let texts = sources.iter().map(|source| Text {
        name: &source.name,
        source: &source.text,
        forgives: source.package.is_some() && !strict,
    });
    texts.collect()
}

/// Compiles all sources together, prints what there is to say about any of them, and answers the
/// units in the order in which they run if no script has an error.
pub(super) fn compile(
    sources: Vec<Source>,
    packages: &[Package],
    vm: &Vm,
    how: How,
    front: &dyn Embedder,
) -> Result<Prepared, Error> {
    let compiled = compile_texts(&texts(&sources, how.strict), &MachineEnvironment(vm));
    let mut units = Vec::new();
    let mut prepared = Prepared::default();
    let mut findings = Findings::default();
    for (source, compiled) in sources.iter().zip(compiled) {
        let Compiled {
            unit,
            diagnostics,
            left_out,
        } = compiled;
        if how.tells_warnings || unit.is_none() {
            findings.show_of_program(source, diagnostics, unit.is_some(), front);
        }
        let absent = left_out.into_iter().map(|one| Absent::of(source, one));
        prepared.absent.extend(absent);
        units.extend(unit.map(Arc::new));
    }
    findings.end(front);
    if let Some(summary) = absent::summary(&prepared.absent).filter(|_| how.tells_warnings) {
        front.warn(&format!(
            "{summary}; a use of it fails (tally check lists it, --strict refuses it)"
        ));
    }
    if units.len() < sources.len() {
        return Err(Error::told(ErrorKind::Source, "the sources do not compile"));
    }
    let mut waiting = sources.into_iter().zip(units).peekable();
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
            let (source, unit) = initialiser(&packages[package].name, &classes)?;
            initialisers.push((source, unit, classes));
        }
    }
    let mut loaded: Vec<Option<(Source, Arc<Unit>)>> = loaded.into_iter().map(Some).collect();
    let ordered = order
        .units
        .into_iter()
        .filter_map(|index| loaded[index].take());
    for (source, unit) in ordered {
        prepared.package_units.add_defining(prepared.units.len());
        prepared.sources.push(source);
        prepared.units.push(unit);
    }
    for (source, unit, classes) in initialisers {
        prepared
            .package_units
            .add_initialising(prepared.units.len(), classes);
        prepared.sources.push(source);
        prepared.units.push(unit);
    }
    Ok(())
}

/// The pseudo-method that sends `initialize` to classes of a package.
pub(super) fn initialiser(package: &str, classes: &[String]) -> Result<(Source, Arc<Unit>), Error> {
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

/// What there is to say about sources.
pub struct Checked {
    /// The findings in each source.
    pub sources: Vec<(Source, Vec<Diagnostic>)>,
    /// What a run leaves out of the packages.
    pub absent: Vec<Absent>,
}

/// Reads and compiles all sources together, as for a run, and answers what there is to say about each.
pub fn diagnose(
    notation: Notation,
    files: &[String],
    front: &dyn Embedder,
) -> Result<Checked, Error> {
    let (sources, _) = read_all(Path::new(""), files, front)?;
    let mut vm = tally_stdlib::machine(Config::default(), Box::<tally_vm::MemoryHost>::default())
        .map_err(|why| Error::new(ErrorKind::Internal, why))?;
    if notation == Notation::Gst {
        statements::equip(&mut vm)?;
    }
    let world = MachineEnvironment(&vm);
    let compiled = compile_texts_in(notation, &texts(&sources, true), &world);
    let diagnostics: Vec<_> = compiled.into_iter().map(|one| one.diagnostics).collect();
    let mut absent = Vec::new();
    if diagnostics.iter().flatten().any(Diagnostic::is_error) {
        for (source, one) in
            sources
                .iter()
                .zip(compile_texts_in(notation, &texts(&sources, false), &world))
        {
            let left_out = one.left_out.into_iter();
            absent.extend(left_out.map(|one| Absent::of(source, one)));
        }
    }
    let sources = sources.into_iter().zip(diagnostics).collect();
    Ok(Checked { sources, absent })
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
    let Prepared { sources, units, .. } = compiled(files, config, false, front)?;
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
    let how = How {
        tells_warnings,
        strict: false,
    };
    compile(sources, &packages, &vm, how, front)
}
