//! The world outside as a machine meets it: host, arguments, clock, chance.

mod failure;
mod host;
mod regexes;

use regexes::Kept;

pub use failure::{Failure, SourcePlace, Trace, TraceFrame};
pub use host::{FileFacts, FileKind, Host, MemoryHost, Writing};
pub(crate) use regexes::{Compiled, Encoded, Prepared};

/// What a program gets from outside, and how far it has used it.
pub(crate) struct World {
    pub(crate) host: Box<dyn Host>,
    /// What a script sees as its arguments.
    pub(crate) arguments: Vec<String>,
    /// Microseconds by which the clock was put forward while everybody slept.
    pub(crate) clock_offset: u64,
    pub(crate) random_count: i64,
    /// Regular expressions that were compiled; a copy of the machine compiles its own.
    pub(crate) regexes: Kept,
}

impl World {
    pub(crate) fn new(host: Box<dyn Host>) -> World {
        World {
            host,
            arguments: Vec::new(),
            clock_offset: 0,
            random_count: 0,
            regexes: Kept::default(),
        }
    }

    /// The world of a copy of the machine, which has a host of its own.
    pub(crate) fn fork(&self, host: Box<dyn Host>) -> World {
        let World {
            host: _,
            arguments,
            clock_offset,
            random_count,
            regexes: _,
        } = self;
        World {
            host,
            arguments: arguments.clone(),
            clock_offset: *clock_offset,
            random_count: *random_count,
            regexes: Kept::default(),
        }
    }
}
