//! Who compiles source text for a machine: the machine itself never sees any.

use std::sync::Arc;

use crate::reflection::SourceCompiler;
use crate::som::Som;

/// The compilers that a machine was given.
#[derive(Default)]
pub(crate) struct Compilers {
    /// What a machine that speaks SOM has in addition.
    pub(crate) som: Som,
    /// Who compiles what a program wants compiled while it runs.
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
