//! The outside world of a script that the command runs: standard streams, files as far as they are
//! allowed, the real clock. What a script may do is decided here and nowhere else.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tally_vm::Host;

use crate::exit::Exit;

/// Which files a script may read.
#[derive(Clone, Debug)]
pub(crate) enum ReadPermission {
    /// None.
    Nothing,
    /// All that the user may.
    Everything,
    /// Those at and below these places, which are canonical paths.
    Below(Vec<PathBuf>),
}

impl ReadPermission {
    /// What the values of `--allow-read` mean; an empty one stands for everything.
    pub(crate) fn from_options(paths: &[String]) -> ReadPermission {
        if paths.is_empty() {
            return ReadPermission::Nothing;
        }
        if paths.iter().any(String::is_empty) {
            return ReadPermission::Everything;
        }
        let place = |path: &String| {
            // A place that does not exist yet may be allowed all the same.
            std::fs::canonicalize(path)
                .or_else(|_| std::path::absolute(path))
                .ok()
        };
        ReadPermission::Below(paths.iter().filter_map(place).collect())
    }

    /// The file to open for a path. Links and `..` are resolved first, so that they lead nowhere
    /// else; a path outside is refused before it tells whether anything is there.
    fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        match self {
            ReadPermission::Nothing => Err(io::ErrorKind::PermissionDenied.into()),
            ReadPermission::Everything => Ok(PathBuf::from(path)),
            ReadPermission::Below(places) => {
                let is_allowed = |path: &Path| places.iter().any(|place| path.starts_with(place));
                match std::fs::canonicalize(path) {
                    Ok(real) if is_allowed(&real) => Ok(real),
                    Err(error) if std::path::absolute(path).is_ok_and(|p| is_allowed(&p)) => {
                        Err(error)
                    }
                    _ => Err(io::ErrorKind::PermissionDenied.into()),
                }
            }
        }
    }
}

/// Where a script's standard output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramOutput {
    /// To standard output.
    Standard,
    /// To standard error, because standard output carries the command's own result.
    Error,
}

/// The real outside world.
pub(crate) struct CommandHost {
    out: BufWriter<Box<dyn Write + Send>>,
    permission: ReadPermission,
    start: Instant,
    events: Arc<Events>,
}

/// What a script did that the command has to know of afterwards.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// It looked at the real clock, so that its counts may depend on it.
    pub(crate) clock_was_read: AtomicBool,
    /// It asked for a file that it may not read.
    pub(crate) file_was_denied: AtomicBool,
    /// What it printed last did not end a line.
    pub(crate) line_is_open: AtomicBool,
    /// Its standard output could not be written; why, the first time.
    pub(crate) output_failure: OnceLock<io::Error>,
}

impl CommandHost {
    /// A world with these permissions, in which what the script does is noted in `events`.
    pub(crate) fn new(
        output: ProgramOutput,
        permission: ReadPermission,
        events: Arc<Events>,
    ) -> CommandHost {
        let stream: Box<dyn Write + Send> = match output {
            ProgramOutput::Standard => Box::new(io::stdout()),
            ProgramOutput::Error => Box::new(io::stderr()),
        };
        let out = BufWriter::with_capacity(1 << 16, stream);
        CommandHost {
            out,
            permission,
            start: Instant::now(),
            events,
        }
    }
}

impl CommandHost {
    /// Ends the process when nobody reads the output any more: a program that prints without end
    /// would otherwise go on for ever. There is nobody to tell, so nothing is said. Any other failure
    /// is kept for the end of the run.
    fn note(&self, written: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &written {
            if error.kind() == io::ErrorKind::BrokenPipe {
                std::process::exit(Exit::Io.code());
            }
            let kept = io::Error::new(error.kind(), error.to_string());
            let _ = self.events.output_failure.set(kept);
        }
        written
    }
}

impl Host for CommandHost {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            let is_open = !text.ends_with('\n');
            self.events.line_is_open.store(is_open, Ordering::Relaxed);
        }
        let written = self.out.write_all(text.as_bytes());
        self.note(written)
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        // So that what the program printed before stands before.
        self.flush()?;
        io::stderr().write_all(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.out.flush();
        self.note(written)
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        self.flush()?;
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.strip_suffix('\n').unwrap_or(&line);
        Ok(Some(text.strip_suffix('\r').unwrap_or(text).to_string()))
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        self.flush()?;
        io::read_to_string(io::stdin())
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let path = self.permission.resolve(path).inspect_err(|error| {
            if error.kind() == io::ErrorKind::PermissionDenied {
                self.events.file_was_denied.store(true, Ordering::Relaxed);
            }
        })?;
        let metadata = std::fs::metadata(&path)?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // A device or a pipe may have no end.
        if !metadata.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        std::fs::read(path)
    }

    fn milliseconds(&mut self) -> u64 {
        self.events.clock_was_read.store(true, Ordering::Relaxed);
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn microseconds(&mut self) -> u64 {
        self.events.clock_was_read.store(true, Ordering::Relaxed);
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
