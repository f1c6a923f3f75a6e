//! The world outside the machine: host and arguments.

mod failure;
mod host;
mod regexes;
mod shared_host;

use regexes::Kept;
use shared_host::SharedHost;

pub use failure::{Failure, SourcePlace, Trace, TraceFrame};
pub use host::{FileFacts, FileKind, Host, MemoryHost, Writing};
pub(crate) use regexes::{Compiled, Encoded, Prepared};

/// The data that a program gets from outside, and its position in them.
pub(crate) struct World {
    pub(crate) host: Box<dyn Host>,
    /// The same, once copies of the machine see a part of it.
    shared: Option<SharedHost>,
    /// The arguments that a script sees.
    pub(crate) arguments: Vec<String>,
    /// Regular expressions that were compiled; a copy of the machine compiles its own.
    pub(crate) regexes: Kept,
}

impl World {
    pub(crate) fn new(host: Box<dyn Host>) -> World {
        World {
            host,
            shared: None,
            arguments: Vec::new(),
            regexes: Kept::default(),
        }
    }

    /// The host of a copy of the machine that is to leave no trace.
    pub(crate) fn host_of_trial(&mut self) -> Box<dyn Host> {
        let shared = match self.shared.take() {
            Some(shared) => shared,
            None => {
                let placeholder: Box<dyn Host> = Box::<MemoryHost>::default();
                let shared = SharedHost::new(std::mem::replace(&mut self.host, placeholder));
                self.host = Box::new(shared.clone());
                shared
            }
        };
        let host = Box::new(shared.of_copy());
        self.shared = Some(shared);
        host
    }

    /// The world of a copy of the machine, which has a host of its own.
    pub(crate) fn fork(&self, host: Box<dyn Host>) -> World {
        let World {
            host: _,
            shared: _,
            arguments,
            regexes: _,
        } = self;
        World {
            host,
            shared: None,
            arguments: arguments.clone(),
            regexes: Kept::default(),
        }
    }
}
