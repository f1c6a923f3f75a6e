//! The outside world of a script that the command runs: standard streams, files and the environment as far
//! as they are allowed, the real clock. `permissions` decides what is allowed.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tally_vm::{Failure, FileFacts, Host, Writing};

use crate::embedder::{Front, ProgramOutput};
use crate::files::replace::replace_file;
use crate::outside::inputs::{self, Inputs, Unrepeatable};
use crate::outside::permissions::{Denied, Permissions};

/// The real outside world.
pub struct CommandHost {
    out: Box<dyn Write + Send>,
    error: Box<dyn Write + Send>,
    /// Whether the script may read what the command's own standard input holds; else there is nothing.
    has_input: bool,
    permissions: Permissions,
    start: Instant,
    events: Arc<Events>,
    in_color: bool,
}

/// What a script did that the command has to know of afterwards.
#[derive(Debug, Default)]
pub struct Events {
    /// What it read from outside.
    inputs: Mutex<Inputs>,
    /// The first access that was denied.
    denied: Mutex<Option<Denied>>,
    /// What it printed last did not end a line.
    pub line_is_open: AtomicBool,
    /// Its standard output could not be written; why, the first time.
    pub output_failure: OnceLock<io::Error>,
}

impl Events {
    /// The script's first access that was denied.
    pub fn first_denied(&self) -> MutexGuard<'_, Option<Denied>> {
        self.denied.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the script has read from outside so far.
    pub fn inputs(&self) -> MutexGuard<'_, Inputs> {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_standard_input(&self, text: &str, read: &io::Result<usize>, is_end: bool) {
        let mut inputs = self.inputs();
        match read {
            Ok(_) => inputs.note_standard_input(text.as_bytes(), is_end),
            // What was taken from it is lost.
            Err(_) => inputs.doubt(Unrepeatable::Failed),
        }
    }
}

/// An error as the command shows it: without the frames of the library, unless `TALLY_TRACE` is `all`.
pub(crate) fn failure_text(failure: &Failure, in_color: bool) -> String {
    let shows_library = std::env::var_os("TALLY_TRACE").is_some_and(|value| value == "all");
    failure.text(in_color, shows_library)
}

impl CommandHost {
    /// A world with these permissions, in which what the script does is noted in `events`.
    pub fn new(
        front: &Front,
        output: ProgramOutput,
        permissions: Permissions,
        events: Arc<Events>,
    ) -> CommandHost {
        CommandHost {
            out: front.output(output),
            error: front.error_output(),
            has_input: true,
            permissions,
            start: Instant::now(),
            events,
            in_color: front.in_color(),
        }
    }

    /// A world without standard input whose output goes to these streams.
    pub fn keeping(
        out: Box<dyn Write + Send>,
        error: Box<dyn Write + Send>,
        permissions: Permissions,
        events: Arc<Events>,
    ) -> CommandHost {
        CommandHost {
            out,
            error,
            has_input: false,
            permissions,
            start: Instant::now(),
            events,
            in_color: false,
        }
    }
}

impl CommandHost {
    fn note_denied(&self, what: Denied) {
        self.events.first_denied().get_or_insert(what);
    }

    /// The place of a file that is to be read.
    fn readable(&self, path: &str) -> io::Result<PathBuf> {
        let found = self.permissions.read.resolve(path);
        self.noting(found, Denied::Read)
    }

    /// The place of a path that the script may look at. Permission to write includes permission to look.
    fn knowable(&self, path: &str) -> io::Result<PathBuf> {
        match self.permissions.write.resolve(path) {
            Ok(place) => Ok(place),
            Err(_) => self.readable(path),
        }
    }

    /// The place of a file that is to be written, links followed.
    fn writable(&self, path: &str) -> io::Result<PathBuf> {
        let found = self.permissions.write.resolve_new(path);
        self.noting(found, Denied::Write)
    }

    /// The place of a file to delete or rename: the last name itself, even if it is a link.
    fn writable_entry(&self, path: &str) -> io::Result<PathBuf> {
        let absolute = std::path::absolute(path)?;
        let (Some(above), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        // What stands at the end is a name, so the folder's own permission decides.
        let above = above.to_str().ok_or(io::ErrorKind::InvalidInput)?;
        let found = match self.permissions.write.resolve_new(above) {
            Ok(above) => Ok(above.join(name)),
            // The place that is allowed may be the thing itself.
            Err(_) => self.permissions.write.resolve_new(path),
        };
        self.noting(found, Denied::Write)
    }

    fn noting(&self, found: io::Result<PathBuf>, what: Denied) -> io::Result<PathBuf> {
        found.inspect_err(|error| {
            if error.kind() == io::ErrorKind::PermissionDenied {
                self.note_denied(what);
            }
        })
    }

    /// Looks at a place that the script named by a path, and notes the result. A denied access is not noted: the
    /// permissions are known before a run.
    fn look<T>(
        &self,
        place: io::Result<PathBuf>,
        look: impl FnOnce(&Path) -> io::Result<T>,
        note: impl FnOnce(&mut Inputs, &io::Result<T>),
    ) -> io::Result<T> {
        let found = match place {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
            place => place.and_then(|place| look(&place)),
        };
        note(&mut self.events.inputs(), &found);
        found
    }

    /// The place that the script is about to change, which it named by a path. That there is none is noted, unless it is not
    /// allowed.
    fn changeable(&self, path: &str, place: io::Result<PathBuf>) -> io::Result<PathBuf> {
        place.inspect_err(|error| {
            if error.kind() != io::ErrorKind::PermissionDenied {
                self.events.inputs().not_changed(path, error);
            }
        })
    }

    /// Keeps a failure for the end of the run. The program goes on: its cost does not depend on a full disk.
    fn note(&self, written: io::Result<()>) {
        if let Err(error) = written {
            let _ = self.events.output_failure.set(error);
        }
    }
}

fn write(
    place: &Path,
    bytes: &[u8],
    writing: Writing,
    old: Option<&std::fs::Metadata>,
) -> io::Result<()> {
    if let Some(old) = old {
        if old.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // A device or a pipe is no place for contents.
        if !old.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    match writing {
        Writing::Replace => replace_file(place, bytes, old),
        Writing::Append => std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(place)?
            .write_all(bytes),
    }
}

fn delete(place: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(place)?.is_dir() {
        true => std::fs::remove_dir(place),
        false => std::fs::remove_file(place),
    }
}

fn rename(old: &Path, new: &Path) -> io::Result<()> {
    std::fs::symlink_metadata(old)?;
    match std::fs::symlink_metadata(new) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::rename(old, new),
        // What is there may be a file, which would be lost.
        Err(error) => Err(error),
    }
}

impl Host for CommandHost {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            let is_open = !text.ends_with('\n');
            self.events.line_is_open.store(is_open, Ordering::Relaxed);
        }
        let written = self.out.write_all(text.as_bytes());
        self.note(written);
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        // So that what the program printed before stands before.
        self.flush()?;
        self.error.write_all(text.as_bytes())
    }

    fn write_failure(&mut self, failure: &Failure) -> io::Result<()> {
        self.write_error(&failure_text(failure, self.in_color))
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.out.flush();
        self.note(written);
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        self.flush()?;
        if !self.has_input {
            return Ok(None);
        }
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        self.events
            .note_standard_input(&line, &read, !line.ends_with('\n'));
        if read? == 0 {
            return Ok(None);
        }
        let text = line.strip_suffix('\n').unwrap_or(&line);
        Ok(Some(text.strip_suffix('\r').unwrap_or(text).to_string()))
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        self.flush()?;
        if !self.has_input {
            return Ok(String::new());
        }
        let mut rest = String::new();
        let read = io::stdin().read_to_string(&mut rest);
        self.events.note_standard_input(&rest, &read, true);
        read.map(|_| rest)
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let place = self.readable(path);
        self.look(place, inputs::contents, |inputs, found| {
            inputs.note_contents(path, found);
        })
    }

    fn sleep(&mut self, milliseconds: u64) {
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
    }

    fn file_facts(&mut self, path: &str) -> io::Result<FileFacts> {
        let place = self.knowable(path);
        let facts = |place: &Path| inputs::facts(place, Path::new(path));
        self.look(place, facts, |inputs, found| inputs.note_facts(path, found))
    }

    fn file_modified(&mut self, path: &str) -> io::Result<i64> {
        let place = self.knowable(path);
        self.look(place, inputs::modified, |inputs, found| match found {
            Ok(_) => inputs.doubt(Unrepeatable::ModificationTime),
            Err(_) => inputs.before_change(path),
        })
    }

    fn file_names(&mut self, path: &str) -> io::Result<Vec<String>> {
        let place = self.readable(path);
        self.look(place, inputs::names, |inputs, found| {
            inputs.note_names(path, found);
        })
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], writing: Writing) -> io::Result<()> {
        let place = self.changeable(path, self.writable(path))?;
        self.events.inputs().before_writing(path);
        let old = std::fs::metadata(&place).ok();
        if writing == Writing::Append && old.as_ref().is_none_or(std::fs::Metadata::is_file) {
            self.events.inputs().before_use(path, &place);
        }
        let done = write(&place, bytes, writing, old.as_ref());
        let mut inputs = self.events.inputs();
        inputs.changed(path, &place, old.is_some(), &done);
        done
    }

    fn create_directory(&mut self, path: &str) -> io::Result<()> {
        let place = self.changeable(path, self.writable(path))?;
        self.events.inputs().before_making(path);
        let done = std::fs::create_dir(&place);
        self.events.inputs().changed(path, &place, false, &done);
        done
    }

    fn delete_file(&mut self, path: &str) -> io::Result<()> {
        let place = self.changeable(path, self.writable_entry(path))?;
        self.events.inputs().before_deletion(path, &place);
        let done = delete(&place);
        self.events.inputs().changed(path, &place, true, &done);
        done
    }

    fn rename_file(&mut self, old: &str, new: &str) -> io::Result<()> {
        let from = self.changeable(old, self.writable_entry(old))?;
        let to = self.changeable(new, self.writable_entry(new))?;
        let mut inputs = self.events.inputs();
        inputs.before_change(old);
        inputs.before_use(old, &from);
        inputs.before_making(new);
        let done = rename(&from, &to);
        inputs.changed(old, &from, true, &done);
        inputs.changed(new, &to, false, &done);
        done
    }

    fn working_directory(&mut self) -> io::Result<String> {
        if !self.permissions.allow_any_file() {
            self.note_denied(Denied::Read);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let path = std::env::current_dir()?.into_os_string().into_string();
        let path = path.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        self.events.inputs().note_folder(&path);
        Ok(path)
    }

    fn environment(&mut self, name: &str) -> io::Result<Option<String>> {
        if !self.permissions.allow_variable(name) {
            self.note_denied(Denied::Environment);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let value = inputs::variable(name);
        self.events.inputs().note_variable(name, value.as_deref());
        Ok(value)
    }

    fn environment_names(&mut self) -> io::Result<Vec<String>> {
        if !self.permissions.allow_any_variable() {
            self.note_denied(Denied::Environment);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let names = self.permissions.variable_names();
        self.events.inputs().note_variable_names(&names);
        Ok(names)
    }

    fn milliseconds(&mut self) -> u64 {
        self.events.inputs().doubt(Unrepeatable::Clock);
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn microseconds(&mut self) -> u64 {
        self.events.inputs().doubt(Unrepeatable::Clock);
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn calendar_microseconds(&mut self) -> u64 {
        self.events.inputs().doubt(Unrepeatable::Clock);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |time| {
            u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
        })
    }
}
