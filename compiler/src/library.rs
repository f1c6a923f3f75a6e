//! Compiles the library twice: once when the binary is built, and once for machines that count evaluations of inlined
//! control messages. The code for these machines has extra instructions that count.

use tally_vm::Vm;
use tally_vm::bytecode::Unit;

use crate::compile::{Compiled, compile_all};
use crate::environment::{ClassShape, Environment, MachineEnvironment, UnitEnvironment};

/// Globals that the library's own scripts define.
const GLOBALS: &[&str] = &["Smalltalk", "Transcript", "Processor"];

/// The world that the library is compiled for.
struct LibraryWorld {
    units: UnitEnvironment,
    counts_inlined: bool,
}

impl Environment for LibraryWorld {
    fn is_global(&self, name: &str) -> bool {
        self.units.is_global(name)
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        self.units.class(name)
    }

    fn understands(&self, selector: &str) -> bool {
        self.units.understands(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.units.selectors()
    }

    fn counts_inlined(&self) -> bool {
        self.counts_inlined
    }

    fn is_library(&self) -> bool {
        true
    }
}

/// Compiles the library's files, pairs of a name and a source text.
pub fn compile_library(files: &[(&str, &str)]) -> Vec<Compiled> {
    compile_files(files, false)
}

/// Compiles files that extend the library, for a world that has its units.
pub fn compile_extension(library: &[Unit], files: &[(&str, &str)]) -> Vec<Compiled> {
    let mut units = UnitEnvironment::from_units(library);
    GLOBALS.iter().for_each(|name| units.add_global(*name));
    let world = LibraryWorld {
        units,
        counts_inlined: false,
    };
    compile_all(files, &world)
}

/// The same for the library of a machine, with code that counts what the machine counts.
///
/// # Errors
/// A sentence, if the files do not compile: the build is broken.
pub fn extension_units(vm: &Vm, files: &[(&str, &str)]) -> Result<Vec<Unit>, String> {
    let compiled = compile_all(files, &ExtendedLibrary(MachineEnvironment(vm)));
    let units: Option<Vec<Unit>> = compiled.into_iter().map(|one| one.unit).collect();
    units.ok_or_else(|| "the library of the dialect does not compile".to_string())
}

/// The world of a machine, for texts that may do what only the library may.
pub struct ExtendedLibrary<'v>(pub MachineEnvironment<'v>);

impl Environment for ExtendedLibrary<'_> {
    fn is_global(&self, name: &str) -> bool {
        self.0.is_global(name)
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        self.0.class(name)
    }

    fn understands(&self, selector: &str) -> bool {
        self.0.understands(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.0.selectors()
    }

    fn counts_inlined(&self) -> bool {
        self.0.counts_inlined()
    }

    fn is_library(&self) -> bool {
        true
    }
}

fn compile_files(files: &[(&str, &str)], counts_inlined: bool) -> Vec<Compiled> {
    let mut units = UnitEnvironment::new();
    GLOBALS.iter().for_each(|name| units.add_global(*name));
    let world = LibraryWorld {
        units,
        counts_inlined,
    };
    compile_all(files, &world)
}

/// The library of a machine, packed, with code that counts evaluations of inlined control messages.
///
/// # Errors
/// A sentence, if it does not compile or cannot be packed: the build is broken.
pub fn library_counting_inlined(vm: &Vm) -> Result<Vec<u8>, String> {
    let units = library_units_counting_inlined(vm)?;
    tally_vm::pack_library(&units, vm.library_digest()).map_err(|error| error.to_string())
}

/// The library of a machine, compiled anew to code that counts evaluations of inlined control messages.
///
/// # Errors
/// A sentence, if it does not compile: the build is broken.
pub fn library_units_counting_inlined(vm: &Vm) -> Result<Vec<Unit>, String> {
    let numbers = 0..vm.library_unit_count();
    let texts: Vec<(String, String)> = numbers
        .map(|unit| (vm.unit_name(unit).to_string(), vm.unit_text(unit).into()))
        .collect();
    let pairs: Vec<(&str, &str)> = texts
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    let compiled = compile_files(&pairs, true);
    let units: Option<Vec<Unit>> = compiled.into_iter().map(|one| one.unit).collect();
    units.ok_or_else(|| "the library does not compile".to_string())
}
