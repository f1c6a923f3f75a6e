//! The world outside the machine: host and arguments.

mod failure;
mod host;
mod regexes;

use regexes::Kept;

pub use failure::{Failure, SourcePlace, Trace, TraceFrame};
pub use host::{FileFacts, FileKind, Host, MemoryHost, Writing};
pub(crate) use regexes::{Compiled, Encoded, Prepared};

/// The data that a program gets from outside, and its position in them.
pub(crate) struct World {
    pub(crate) host: Box<dyn Host>,
    /// The arguments that a script sees.
    pub(crate) arguments: Vec<String>,
    /// Regular expressions that were compiled; a copy of the machine compiles its own.
    pub(crate) regexes: Kept,
}

impl World {
    pub(crate) fn new(host: Box<dyn Host>) -> World {
        World {
            host,
            arguments: Vec::new(),
            regexes: Kept::default(),
        }
    }

    /// The world of a copy of the machine, which has a host of its own.
    pub(crate) fn fork(&self, host: Box<dyn Host>) -> World {
        let World {
            host: _,
            arguments,
            regexes: _,
        } = self;
        World {
            host,
            arguments: arguments.clone(),
            regexes: Kept::default(),
        }
    }
}
