//! Programs of SOM: what their files and arguments mean, and machines that load their classes. Nothing is
//! printed here, and what the language is stands in the compiler and the machine.

mod class_path;
mod named;

use std::path::{Path, PathBuf};

use tally_vm::{Config, Host, LoadError, Vm};

pub use class_path::{ClassPath, Loaded};
pub use named::{is_program, named, refuse};

/// A program of SOM as a command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where its classes are, in the order in which they are looked for.
    pub folders: Vec<PathBuf>,
    /// What `initialize:` gets: the name of the class to begin with, then the program's own arguments.
    pub arguments: Vec<String>,
}

impl Program {
    /// The program of a file `Class.som`: its own folder comes behind the folders of the class path.
    pub fn new(file: &str, class_path: &[PathBuf], arguments: &[String]) -> Program {
        let path = Path::new(file);
        let own = path.parent().unwrap_or(Path::new(""));
        let class = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut folders = class_path.to_vec();
        folders.push(own.to_path_buf());
        let arguments = std::iter::once(class.into_owned())
            .chain(arguments.iter().cloned())
            .collect();
        Program { folders, arguments }
    }

    /// A machine that is ready to run the program, and what it loads from now on.
    ///
    /// # Errors
    /// Why a class that every program needs could not be loaded.
    pub fn machine(
        &self,
        config: Config,
        host: Box<dyn Host>,
        color: bool,
    ) -> Result<(Vm, Loaded), LoadError> {
        let class_path = ClassPath::new(self.folders.clone(), color);
        let loaded = class_path.loaded();
        let vm = tally_stdlib::som_machine(config, host, Some(Box::new(class_path)))?;
        Ok((vm, loaded))
    }

    /// The unit that starts it.
    pub fn start(&self) -> tally_vm::bytecode::Unit {
        Vm::som_start(&self.arguments)
    }
}

/// The folders of a class path as it is written: separated by colons.
pub fn folders(class_path: &str) -> Vec<PathBuf> {
    let named = class_path.split(':').filter(|folder| !folder.is_empty());
    named.map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_by_its_file() {
        let arguments = ["10".to_string()];
        let program = Program::new("there/Harness.som", &folders("a::b"), &arguments);
        assert_eq!(program.arguments, ["Harness", "10"]);
        assert_eq!(program.folders, ["a", "b", "there"].map(PathBuf::from));
    }
}
