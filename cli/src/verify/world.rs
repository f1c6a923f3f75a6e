//! The outside world of a program that is run again and again: each run reads the same input and may read files, what it prints is
//! kept, and it cannot change anything that another run could see.

use std::io;
use std::sync::{Arc, OnceLock};

use tally_vm::{FileFacts, Host, Writing};

use tally_workbench::outside::host::CommandHost;

/// The command's standard input, read when a program needs it for the first time.
#[derive(Default)]
pub(super) struct Input(OnceLock<Result<String, io::ErrorKind>>);

impl Input {
    fn text(&self) -> io::Result<&str> {
        let read = || io::read_to_string(io::stdin()).map_err(|error| error.kind());
        match self.0.get_or_init(read) {
            Ok(text) => Ok(text),
            Err(kind) => Err((*kind).into()),
        }
    }
}

/// The world of one run.
pub(super) struct World {
    inner: CommandHost,
    input: Arc<Input>,
    /// Bytes of the input that the program has read.
    taken: usize,
}

impl World {
    pub(super) fn new(inner: CommandHost, input: &Arc<Input>) -> World {
        World {
            inner,
            input: Arc::clone(input),
            taken: 0,
        }
    }
}

impl Host for World {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        self.inner.write_out(text)
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.inner.write_error(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        let rest = self.input.text()?.get(self.taken..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        self.taken += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        Ok(Some(line.strip_suffix('\r').unwrap_or(line).to_string()))
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        let text = self.input.text()?;
        let rest = text.get(self.taken..).unwrap_or_default().to_string();
        self.taken = text.len();
        Ok(rest)
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        self.inner.read_file(path)
    }

    fn file_facts(&mut self, path: &str) -> io::Result<FileFacts> {
        self.inner.file_facts(path)
    }

    fn file_names(&mut self, path: &str) -> io::Result<Vec<String>> {
        self.inner.file_names(path)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], writing: Writing) -> io::Result<()> {
        // It is denied there, which the program may notice as in any other run.
        self.inner.write_file(path, bytes, writing)
    }

    fn working_directory(&mut self) -> io::Result<String> {
        self.inner.working_directory()
    }

    fn environment(&mut self, name: &str) -> io::Result<Option<String>> {
        self.inner.environment(name)
    }

    fn environment_names(&mut self) -> io::Result<Vec<String>> {
        self.inner.environment_names()
    }

    fn milliseconds(&mut self) -> u64 {
        0
    }
}
