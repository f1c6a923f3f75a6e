//! What the machine needs of the world outside: output, input, files, the clock. The command supplies
//! the real one; tests supply one in memory.

use std::io;

use crate::trace::Failure;

/// The outside world of a machine. All text is UTF-8.
pub trait Host: Send {
    /// Writes to standard output.
    fn write_out(&mut self, text: &str) -> io::Result<()>;
    /// Writes to standard error.
    fn write_error(&mut self, text: &str) -> io::Result<()>;
    /// Tells of an error that nobody handled.
    fn write_failure(&mut self, failure: &Failure) -> io::Result<()> {
        self.write_error(&failure.text(false))
    }
    /// Makes everything written so far visible.
    fn flush(&mut self) -> io::Result<()>;
    /// The next line of standard input without its end, `None` at the end.
    fn read_line(&mut self) -> io::Result<Option<String>>;
    /// The rest of standard input.
    fn read_to_end(&mut self) -> io::Result<String>;
    /// The bytes of a file; `PermissionDenied` when the script may not read it.
    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>>;
    /// Milliseconds since some fixed moment, by the real clock.
    fn milliseconds(&mut self) -> u64;
    /// Lets that much time pass. A host whose clock stands still need not do anything.
    fn sleep(&mut self, _milliseconds: u64) {}
    /// Microseconds since the same moment.
    fn microseconds(&mut self) -> u64 {
        self.milliseconds().saturating_mul(1000)
    }
    /// Microseconds since 1970 by the real calendar, UTC.
    fn calendar_microseconds(&mut self) -> u64 {
        self.microseconds()
    }
}

/// A world of its own: output is kept, input is given, no files.
#[derive(Clone, Debug, Default)]
pub struct MemoryHost {
    /// What was written to standard output.
    pub out: String,
    /// What was written to standard error.
    pub error: String,
    /// What standard input still holds.
    pub input: String,
}

impl Host for MemoryHost {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        self.out.push_str(text);
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.error.push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        if self.input.is_empty() {
            return Ok(None);
        }
        let end = self.input.find('\n').map_or(self.input.len(), |at| at + 1);
        let line: String = self.input.drain(..end).collect();
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_string()))
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        Ok(std::mem::take(&mut self.input))
    }

    fn read_file(&mut self, _path: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn milliseconds(&mut self) -> u64 {
        0
    }
}
