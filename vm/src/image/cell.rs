//! The code of a method, which may still be packed.

use std::sync::{Arc, OnceLock};

use crate::bytecode::{Code, empty_code};

/// A method's code, perhaps still packed.
#[derive(Clone)]
pub struct CodeCell {
    ready: OnceLock<Arc<Code>>,
    packed: &'static [u8],
    /// The verifier's result. Copies of a machine share the cell, so the code is verified once.
    verified: OnceLock<Result<(), String>>,
}

impl CodeCell {
    /// Code that is there already.
    pub(crate) fn ready(code: Arc<Code>) -> CodeCell {
        let cell = OnceLock::new();
        let _ = cell.set(code);
        CodeCell {
            ready: cell,
            packed: &[],
            verified: OnceLock::new(),
        }
    }

    pub(crate) fn packed(packed: &'static [u8]) -> CodeCell {
        CodeCell {
            ready: OnceLock::new(),
            packed,
            verified: OnceLock::new(),
        }
    }

    /// Whether the loop may run the code.
    pub(crate) fn verified(&self) -> &Result<(), String> {
        self.verified
            .get_or_init(|| crate::bytecode::verify(self.get()))
    }

    /// The code, unpacked if necessary.
    pub fn get(&self) -> &Arc<Code> {
        self.ready.get_or_init(|| {
            Arc::new(postcard::from_bytes(self.packed).unwrap_or_else(|_| empty_code("damaged")))
        })
    }
}
