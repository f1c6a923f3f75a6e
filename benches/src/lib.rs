//! The shared parts of this folder's measurements: loading a program into a machine, timing commands, targets and their
//! reports. No measurement is part of `cargo test`, because a test that asserts a time fails on slower machines.

pub mod awfy;
pub mod contest;
pub mod counting;
pub mod explore;
pub mod growth;
pub mod measure;
pub mod memory;
pub mod ordinary;
pub mod overhead;
pub mod plot;
pub mod processors;
pub mod report;
pub mod speed;
pub mod statistics;
pub mod versions;
pub mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tally_compiler::environment::MachineEnvironment;
use tally_compiler::render::render;
use tally_vm::bytecode::Unit;
use tally_vm::{Config, LoadError, MemoryHost, Vm};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A machine with the library, whose output stays in memory.
///
/// # Errors
/// A sentence, if the library does not load.
pub fn machine() -> Result<Vm, String> {
    let mut vm = tally_stdlib::machine(Config::default(), Box::new(MemoryHost::default()))?;
    tally_compiler::runtime::equip(&mut vm);
    Ok(vm)
}

/// Compiles a program for a machine.
///
/// # Errors
/// The diagnostics, rendered.
pub fn compile(vm: &Vm, name: &str, source: &str) -> Result<Arc<Unit>, String> {
    let compiled = tally_compiler::compile(name, source, &MachineEnvironment(vm));
    let diagnostics = compiled.diagnostics;
    compiled
        .unit
        .map(Arc::new)
        .ok_or_else(|| render(&diagnostics, name, source, false))
}

/// A program in the form of the commands' arguments: `[-cp FOLDERS] FILE ARGUMENT...`; the file is of SOM if its name
/// ends so.
pub struct Program<'a> {
    class_path: &'a str,
    file: &'a str,
    arguments: &'a [String],
}

impl<'a> Program<'a> {
    /// Takes a command line apart; `None` if it names no file.
    pub fn new(words: &'a [String]) -> Option<Program<'a>> {
        let (class_path, words) = match words {
            [option, folders, rest @ ..] if option == "-cp" => (folders.as_str(), rest),
            words => ("", words),
        };
        let (file, arguments) = words.split_first()?;
        Some(Program {
            class_path,
            file,
            arguments,
        })
    }

    /// A machine that is ready to run it, and the unit to run.
    ///
    /// # Errors
    /// A sentence or diagnostics: the file cannot be read or compiled.
    pub fn load(&self) -> Result<(Vm, Arc<Unit>), String> {
        if Path::new(self.file)
            .extension()
            .is_some_and(|end| end == "som")
        {
            return self.load_som();
        }
        let source = std::fs::read_to_string(self.file)
            .map_err(|error| format!("{}: {error}", self.file))?;
        let mut vm = machine()?;
        vm.set_arguments(self.arguments.to_vec());
        let unit = compile(&vm, self.file, &source)?;
        Ok((vm, unit))
    }

    fn load_som(&self) -> Result<(Vm, Arc<Unit>), String> {
        let folders = tally_workbench::loading::som::folders(self.class_path);
        let program =
            tally_workbench::loading::som::Program::new(self.file, &folders, self.arguments);
        let host = Box::new(MemoryHost::default());
        let loaded = program.machine(Config::default(), host, false);
        let (vm, _) = loaded.map_err(|error| match error {
            LoadError::NotCompiled(text) | LoadError::Failed(text) => text,
        })?;
        Ok((vm, Arc::new(program.start())))
    }
}

/// The path of a command that was built into the same folder as this one.
///
/// # Errors
/// A sentence saying how to build it, if it is not there.
pub fn beside(name: &str) -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = here.with_file_name(file);
    if path.is_file() {
        return Ok(path);
    }
    Err(format!(
        "there is no {} here; build it: cargo build --release -p tally -p tally-benches",
        path.display()
    ))
}

/// Objects to being a debug build.
///
/// # Errors
/// A sentence, in a debug build.
pub fn only_release() -> Result<(), String> {
    if cfg!(debug_assertions) {
        return Err("only a release build says anything about speed: cargo run --release".into());
    }
    Ok(())
}
