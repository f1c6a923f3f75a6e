//! The file in which measurements are kept: each is added as soon as it is there, so that an interruption loses none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use tally_study::data::{Application, Context, Data, Entry, Form};

use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::files::replace::is_free;

/// How every line of a data file begins.
const BEGINNING: &[u8] = b"{\"is\":";

/// The greatest number of old files that are kept.
const MOST_OLD: u32 = 10_000;

/// A data file to append to. No other process appends to it meanwhile.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    pub(super) data: Data,
}

impl Journal {
    /// Opens the file, which may be missing. What was cut off at its end is removed. With `anew`, what is there is kept under
    /// another name.
    pub(super) fn open(path: &Path, anew: bool) -> Result<Journal, Failure> {
        let failed = |error| Failure::io("open", &path.display().to_string(), &error);
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = locked(path)?;
        if anew && file.metadata().map_err(failed)?.len() > 0 {
            // No other process appends to it meanwhile: it is locked.
            fs::rename(path, free_name(path).map_err(failed)?).map_err(failed)?;
            file = locked(path)?;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n');
        let whole = whole.map_or(0, |at| at + 1);
        let data = parse(path, &bytes[..whole])?;
        let rest = &bytes[whole..];
        let is_ours = rest.starts_with(BEGINNING) || BEGINNING.starts_with(rest);
        if data.entries.is_empty() && !is_ours {
            let why = format!("{} is no file with measurements", path.display());
            return Err(Failure::new(Exit::Io, why));
        }
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Journal {
            path: path.to_path_buf(),
            file,
            data,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an entry.
    pub(super) fn add(&mut self, entry: Entry) -> Result<(), Failure> {
        let line = entry.line();
        let line = line.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| Failure::io("write", &self.path.display().to_string(), &error))?;
        self.data.entries.push(entry);
        Ok(())
    }

    /// Notes where a context's samples are taken. Those that are there were taken at the same place, or this fails.
    pub(super) fn note_context(&mut self, context: &Context) -> Result<(), Failure> {
        let known = self
            .data
            .contexts()
            .into_iter()
            .find(|c| c.name == context.name);
        match known {
            Some(known) if known == context => Ok(()),
            Some(known) => Err(self.elsewhere(known, context)),
            None => self.add(Entry::Context(context.clone())),
        }
    }

    fn elsewhere(&self, known: &Context, context: &Context) -> Failure {
        let facts = |c: &Context| {
            [
                ("tally", c.tally.clone()),
                ("the build", c.build.clone()),
                ("the library", c.library.clone()),
                ("the counting model", c.model.to_string()),
                ("the processor", c.processor.clone()),
                ("the system", c.system.clone()),
            ]
        };
        let differing = facts(known).into_iter().zip(facts(context));
        let differing: Vec<String> = differing
            .filter(|(old, new)| old != new)
            .map(|((what, old), (_, new))| format!("{what} was {old} and is {new}"))
            .collect();
        let why = format!(
            "{} holds measurements of '{}' from elsewhere: {}\nhelp: --anew begins again and keeps the old ones beside; --data names another file",
            self.path.display(),
            context.name,
            match differing.is_empty() {
                true => "its options differ".to_string(),
                false => differing.join("; "),
            }
        );
        Failure::new(Exit::Incomparable, why)
    }

    /// Notes what an application is, if that is not known yet.
    pub(super) fn note_application(&mut self, application: &Application) -> Result<(), Failure> {
        let known = self.data.applications();
        match known.into_iter().any(|known| known == application) {
            true => Ok(()),
            false => self.add(Entry::Application(application.clone())),
        }
    }

    /// Whether a run is known.
    pub(super) fn has(
        &self,
        application: &Application,
        context: &str,
        form: Form,
        round: u32,
    ) -> bool {
        let samples = self.data.samples(application, context, form);
        samples.iter().any(|sample| sample.round == round)
    }
}

/// The file, made if it is missing, for one process alone.
fn locked(path: &Path) -> Result<File, Failure> {
    let failed = |error| Failure::io("open", &path.display().to_string(), &error);
    if fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
        let why = format!("{} is no file", path.display());
        return Err(Failure::new(Exit::Io, why));
    }
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => {
            let why = format!("another study writes to {}", path.display());
            Err(Failure::new(Exit::Io, why))
        }
    }
}

/// A name beside the file that nothing has: `FILE.old`, or with a number behind.
fn free_name(path: &Path) -> io::Result<PathBuf> {
    let named = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(".old");
        if number > 1 {
            name.push(number.to_string());
        }
        PathBuf::from(name)
    };
    let free = (1..=MOST_OLD).map(named).find(|name| is_free(name));
    free.ok_or_else(|| io::ErrorKind::AlreadyExists.into())
}

/// Reads a data file that no process appends to.
pub(super) fn read(path: &Path) -> Result<Data, Failure> {
    let bytes =
        fs::read(path).map_err(|error| Failure::io("read", &path.display().to_string(), &error))?;
    parse(path, &bytes)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Data, Failure> {
    let unusable = |why: String| Failure::new(Exit::Io, format!("{}: {why}", path.display()));
    let text = std::str::from_utf8(bytes)
        .map_err(|_| unusable("this is no file with measurements".to_string()))?;
    Data::read(text).map_err(|error| unusable(error.to_string()))
}
