//! The machine's interface to the outside: output, input, files, the clock. The command supplies a real host; tests
//! supply one in memory.

use std::io;

use super::failure::Failure;

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file with contents.
    File,
    /// A folder.
    Directory,
    /// Something else: a device, a pipe.
    Other,
}

/// Facts of a file or folder that need no opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// File, folder or other.
    pub kind: FileKind,
    /// Its size in bytes; 0 unless it is a file.
    pub size: u64,
    /// Whether the path's last name is that of a link.
    pub is_link: bool,
}

/// How a whole file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Replace the old contents.
    Replace,
    /// Append to the old contents.
    Append,
}

/// The outside world of a machine. All text is UTF-8. An operation that is forbidden to scripts, or that a host does
/// not offer, answers `PermissionDenied`.
pub trait Host: Send {
    /// Writes to standard output.
    fn write_out(&mut self, text: &str) -> io::Result<()>;
    /// Writes to standard error.
    fn write_error(&mut self, text: &str) -> io::Result<()>;
    /// Writes an unhandled error.
    fn write_failure(&mut self, failure: &Failure) -> io::Result<()> {
        self.write_error(&failure.text(false, true))
    }
    /// Makes everything written so far visible.
    fn flush(&mut self) -> io::Result<()>;
    /// The next line of standard input without its end, `None` at the end.
    fn read_line(&mut self) -> io::Result<Option<String>>;
    /// The rest of standard input.
    fn read_to_end(&mut self) -> io::Result<String>;
    /// The bytes of a file; `PermissionDenied` when the script may not read it.
    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>>;
    /// The facts about the file at a path.
    fn file_facts(&mut self, _path: &str) -> io::Result<FileFacts> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// The time of the last change at a path, in seconds since 1970.
    fn file_modified(&mut self, _path: &str) -> io::Result<i64> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// The names in a folder, sorted.
    fn file_names(&mut self, _path: &str) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Writes a whole file.
    fn write_file(&mut self, _path: &str, _bytes: &[u8], _writing: Writing) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Makes a folder inside an existing folder.
    fn create_directory(&mut self, _path: &str) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Deletes a file or an empty folder.
    fn delete_file(&mut self, _path: &str) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Moves a file or folder to a free path.
    fn rename_file(&mut self, _old: &str, _new: &str) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// The folder that paths start from.
    fn working_directory(&mut self) -> io::Result<String> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// The value of a variable of the environment, if there is one.
    fn environment(&mut self, _name: &str) -> io::Result<Option<String>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// The names of the variables of the environment that the script may read, sorted.
    fn environment_names(&mut self) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Milliseconds since some fixed moment, by the real clock.
    fn milliseconds(&mut self) -> u64;
    /// Lets that much time pass. A host whose clock stands still may do nothing.
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
    /// The text on standard output.
    pub out: String,
    /// The text on standard error.
    pub error: String,
    /// The rest of standard input.
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
