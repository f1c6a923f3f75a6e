//! Source texts: which files there are, those of folders too, and what they hold.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tally_compiler::bounds;
use tally_compiler::load_order::Package;
use tally_timeline::trace::MAGIC;

use super::{filetree, package};
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// How the command line names the standard input.
const STANDARD_INPUT_NAME: &str = "-";
const STANDARD_INPUT: &str = "<standard input>";

/// A source text and its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name under which it appears.
    pub name: String,
    /// The text.
    pub text: String,
    /// The package that it is a part of; index into the packages.
    pub(super) package: Option<usize>,
}

impl Source {
    /// A source that is no part of a package.
    pub fn script(name: &str, text: String) -> Source {
        Source {
            name: name.to_owned(),
            text,
            package: None,
        }
    }
}

/// Reads all files, those of folders too, so that every one that cannot be read is named at once.
pub(super) fn read_all(
    folder: &Path,
    arguments: &[String],
    front: &dyn Embedder,
) -> Result<(Vec<Source>, Vec<Package>), Error> {
    let mut reading = Reading {
        folder,
        front,
        sources: Vec::new(),
        packages: Vec::new(),
        read: HashSet::new(),
        failed: None,
    };
    for (number, argument) in arguments.iter().enumerate() {
        reading.argument(number, argument);
    }
    match reading.failed {
        Some(error) => Err(error),
        None => Ok((reading.sources, reading.packages)),
    }
}

/// The sources of files and folders, each with the name of its package.
///
/// # Errors
/// If a file cannot be read.
pub fn packaged(
    files: &[String],
    front: &dyn Embedder,
) -> Result<Vec<(Source, Option<String>)>, Error> {
    let (sources, packages) = read_all(Path::new(""), files, front)?;
    let named = sources.into_iter().map(|source| {
        let package = source.package.and_then(|number| packages.get(number));
        // A single file that is a package has no name but its own.
        let package = package.filter(|package| package.name != source.name);
        let name = package.map(|package| package.name.clone());
        (source, name)
    });
    Ok(named.collect())
}

struct Reading<'r> {
    /// The folder that relative names start from.
    folder: &'r Path,
    front: &'r dyn Embedder,
    sources: Vec<Source>,
    packages: Vec<Package>,
    /// The files that were read, by their full paths: one that is named twice, or by two folders, is read once.
    read: HashSet<PathBuf>,
    failed: Option<Error>,
}

impl Reading<'_> {
    fn argument(&mut self, number: usize, argument: &str) {
        if !self.folder.join(argument).is_dir() {
            return self.file(number, argument);
        }
        match package::find(self.folder, argument) {
            Ok(folders) => {
                for folder in folders {
                    let before = self.sources.len();
                    folder.files.iter().for_each(|file| self.read(file));
                    self.package(number, &folder.name, before);
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Reports an error at once, and goes on to the next file.
    fn fail(&mut self, error: &Error) {
        self.front.complain(error);
        self.failed = Some(Error::told(error.kind(), error.message()));
    }

    /// A single file in Tonel, or a single file-out, is a package of one file.
    fn file(&mut self, number: usize, file: &str) {
        let before = self.sources.len();
        self.read(file);
        let read = self.sources.get(before);
        if read.is_some_and(|source| package::is_of_package(&source.text)) {
            self.package(number, file, before);
        }
    }

    /// Makes a package of the sources from `first` on.
    fn package(&mut self, argument: usize, name: &str, first: usize) {
        if first == self.sources.len() {
            return;
        }
        for source in &mut self.sources[first..] {
            source.package = Some(self.packages.len());
        }
        self.packages.push(Package {
            name: name.to_owned(),
            argument,
        });
    }

    fn read(&mut self, file: &str) {
        // A file that does not exist is reported below.
        let whole = std::fs::canonicalize(self.folder.join(file));
        if file != STANDARD_INPUT_NAME && whole.is_ok_and(|whole| !self.read.insert(whole)) {
            return;
        }
        match read(self.folder, file) {
            Ok(source) => self.sources.push(source),
            Err(error) => self.fail(&error),
        }
    }
}

/// The bytes of a source, and no more than show that it is too long.
fn read_most(source: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = bounds::most_source_bytes() as u64 + 1;
    source.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(folder: &Path, file: &str) -> Result<Source, Error> {
    let (name, bytes) = match file {
        STANDARD_INPUT_NAME => (STANDARD_INPUT, read_most(std::io::stdin())),
        file => (
            file,
            std::fs::File::open(folder.join(file)).and_then(read_most),
        ),
    };
    let bytes = bytes.map_err(|error| Error::io("read", name, &error))?;
    if bounds::too_long(bytes.len() as u64).is_some() {
        let most = bounds::most_source_bytes();
        let why = format!("{name} is too long: a text has at most {most} bytes (--max-source)");
        return Err(Error::new(ErrorKind::Source, why));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if let Some(comment) = filetree::comment_of(&folder.join(file)) {
                text.push('\n');
                text.push_str(&comment);
            }
            Ok(Source::script(name, with_line_feeds(text)))
        }
        Err(error) => {
            if error.as_bytes().starts_with(&MAGIC) {
                let why =
                    format!("{name} is a trace, which `tally timeline` reads, and no program");
                return Err(Error::new(ErrorKind::Source, why));
            }
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            let why = format!("{name} is not UTF-8: invalid byte at offset {at}, line {line}");
            Err(Error::new(ErrorKind::Source, why))
        }
    }
}

/// File-outs of old systems end their lines with carriage returns. With line feeds in their place, lines have numbers.
fn with_line_feeds(text: String) -> String {
    match !text.contains('\n') && text.contains('\r') && tally_compiler::is_file_out(&text) {
        true => text.replace('\r', "\n"),
        false => text,
    }
}
