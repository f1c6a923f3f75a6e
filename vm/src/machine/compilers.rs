//! The compiler of a machine, handed in from outside: the machine itself never sees source text.

use std::sync::Arc;

use super::Vm;
use crate::bytecode::Unit;
use crate::image::Packed;

/// The compilers that a machine was given.
#[derive(Default)]
pub(crate) struct Compilers {
    /// Additional state of a machine for SOM.
    pub(crate) som: Som,
    /// Compiles source text for the running program.
    pub(crate) compiler: Option<Arc<dyn SourceCompiler>>,
}

impl Compilers {
    /// The compilers of a copy of the machine.
    pub(crate) fn fork(&self) -> Compilers {
        let Compilers { som, compiler } = self;
        Compilers {
            som: som.fork(),
            compiler: compiler.clone(),
        }
    }
}

/// The class in whose scope code is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The class's name.
    pub class: &'a str,
    /// Whether the code belongs to the class side.
    pub class_side: bool,
}

/// Why a text could not be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileFailure {
    /// The first error in a few words.
    pub message: String,
    /// All errors with their places, for people.
    pub details: String,
    /// The character at which the first error stands, counted from 1.
    pub position: usize,
}

/// The compiler as a running program needs it.
pub trait SourceCompiler: Send + Sync {
    /// Compiles a method: message pattern, then body. The unit's first definition adds it to the class.
    ///
    /// # Errors
    /// The reason why it does not compile.
    fn compile_method(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure>;

    /// Compiles temporaries and statements. The unit's script answers the value of the last one.
    ///
    /// # Errors
    /// The reason why they do not compile.
    fn compile_expression(
        &self,
        vm: &Vm,
        scope: Scope<'_>,
        name: &str,
        source: &str,
    ) -> Result<Unit, CompileFailure>;
}

/// Why a class could not be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Its source does not compile; the compiler's diagnostics as text.
    NotCompiled(String),
    /// Any other reason.
    Failed(String),
}

impl From<String> for LoadError {
    fn from(why: String) -> LoadError {
        LoadError::Failed(why)
    }
}

/// The source of a program's classes.
pub trait ClassSource: Send {
    /// The superclass of the class of this name: `None` when there is no such class here, `Some(None)` for a root.
    ///
    /// # Errors
    /// The reason why the superclass is unknown.
    fn superclass(&mut self, name: &str) -> Result<Option<Option<String>>, LoadError>;

    /// Compiles the class, whose superclass is defined, for the machine.
    ///
    /// # Errors
    /// The reason why it cannot be compiled.
    fn compile(&mut self, vm: &Vm, name: &str) -> Result<Unit, LoadError>;

    /// The same for a copy of the machine.
    fn fork(&self) -> Box<dyn ClassSource>;
}

/// Additional state of a machine for SOM.
#[derive(Default)]
pub(crate) struct Som {
    pub(crate) source: Option<Box<dyn ClassSource>>,
    pub(crate) embedded: Option<Arc<Packed<'static>>>,
    /// Whether a class with short-cut methods is not the embedded library's. Then the library's code may have been
    /// compiled with different short cuts.
    pub(crate) foreign_short_cuts: bool,
    /// Whether a class is the embedded library's.
    pub(crate) uses_library: bool,
    /// Classes that are being loaded, to meet cycles.
    pub(crate) loading: Vec<String>,
    /// Index of the first of 256 strings of one character among the machine's literals.
    pub(crate) characters: usize,
}

impl Som {
    pub(crate) fn fork(&self) -> Som {
        Som {
            source: self.source.as_ref().map(|source| source.fork()),
            embedded: self.embedded.clone(),
            foreign_short_cuts: self.foreign_short_cuts,
            uses_library: self.uses_library,
            loading: Vec::new(),
            characters: self.characters,
        }
    }
}
