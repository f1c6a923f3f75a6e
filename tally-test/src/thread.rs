//! A stack that is large enough for the compiler. Threads of `cargo test` have 2 MiB, and deeply nested source text needs
//! more.

use std::panic::resume_unwind;
use std::thread;

use tally_workbench::ErrorKind;

use crate::error::Error;

/// Addresses of the stack; the system provides memory for the used part only.
const STACK_BYTES: usize = 256 << 20;

/// Does work in a thread of its own. A panic in the work goes on in the caller.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_BYTES);
        let started = builder.spawn_scoped(scope, work);
        let thread = started.map_err(|error| {
            let why = format!("no thread could be started: {error}");
            Error::new(ErrorKind::Io, why)
        })?;
        thread.join().or_else(|panic| resume_unwind(panic))
    })
}
