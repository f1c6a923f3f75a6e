//! The outside world of a test: output is kept where the test can read it, files can be read below
//! `examples/data` only, the clock stands still.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tally_vm::Host;

/// A world whose output is shared between its clones.
#[derive(Clone, Debug, Default)]
pub struct TestHost {
    out: Arc<Mutex<String>>,
    error: Arc<Mutex<String>>,
}

fn append(buffer: &Mutex<String>, text: &str) {
    buffer
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push_str(text);
}

fn content(buffer: &Mutex<String>) -> String {
    buffer
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

impl TestHost {
    /// A world in which nothing was written yet.
    pub fn new() -> TestHost {
        TestHost::default()
    }

    /// What was written to standard output so far.
    pub fn out(&self) -> String {
        content(&self.out)
    }

    /// What was written to standard error so far.
    pub fn error(&self) -> String {
        content(&self.error)
    }

    /// A world of its own in which the same was written so far: what a forked machine needs.
    pub fn split(&self) -> TestHost {
        TestHost {
            out: Arc::new(Mutex::new(self.out())),
            error: Arc::new(Mutex::new(self.error())),
        }
    }
}

/// The file that a script means, if it lies below `examples/data`.
fn readable(path: &str) -> io::Result<PathBuf> {
    let root = crate::root();
    let file = root.join(path).canonicalize()?;
    let allowed = root.join("examples/data").canonicalize()?;
    if file.starts_with(allowed) {
        Ok(file)
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

impl Host for TestHost {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        append(&self.out, text);
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        append(&self.error, text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        Ok(String::new())
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(readable(path)?)
    }

    fn milliseconds(&mut self) -> u64 {
        0
    }
}
