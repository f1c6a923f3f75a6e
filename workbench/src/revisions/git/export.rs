//! A revision's files in a folder: the tree is listed, and each blob written as it is.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::{Commit, commit_of, failed, git, not_started, os_string, run, text};
use crate::error::{Error, ErrorKind};

/// What was written.
#[derive(Debug, PartialEq, Eq)]
pub struct Export {
    /// What the revision means.
    pub commit: Commit,
    /// How many files and links were written.
    pub files: usize,
    /// Where submodules would be; their files are in other repositories and are left out.
    pub submodules: Vec<PathBuf>,
}

/// A file of the tree.
struct Entry {
    kind: Kind,
    object: String,
    path: PathBuf,
}

enum Kind {
    File { is_executable: bool },
    Link,
    Submodule,
}

/// Writes all files of a revision below a folder, which must be empty or not yet there.
pub fn export(root: &Path, revision: &str, destination: &Path) -> Result<Export, Error> {
    let commit = commit_of(root, revision)?;
    let entries = entries(root, &commit)?;
    make_folder(destination)?;
    let is_used = fs::read_dir(destination)
        .map_err(|error| io("read", destination, &error))?
        .next()
        .is_some();
    if is_used {
        let why = format!("{} is not empty", destination.display());
        return Err(Error::new(ErrorKind::Io, why));
    }
    let mut export = Export {
        commit,
        files: 0,
        submodules: Vec::new(),
    };
    let mut blobs = Blobs::new(root)?;
    for entry in entries {
        if matches!(entry.kind, Kind::Submodule) {
            export.submodules.push(entry.path);
            continue;
        }
        let content = blobs.read(&entry.object)?;
        let place = destination.join(&entry.path);
        if let Some(folder) = place.parent() {
            make_folder(folder)?;
        }
        write(&entry.kind, &place, &content).map_err(|error| io("write", &place, &error))?;
        export.files += 1;
    }
    Ok(export)
}

fn io(doing: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::io(doing, &path.to_string_lossy(), error)
}

fn make_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|error| io("make", folder, &error))
}

/// The tree of a commit. Links are written last, so that nothing is ever written through one.
fn entries(root: &Path, commit: &Commit) -> Result<Vec<Entry>, Error> {
    let mut arguments = text(&["ls-tree", "-r", "-z", "--full-tree"]);
    arguments.push(OsStr::new(&commit.0));
    let output = run(root, &arguments)?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let rows = output.stdout.split(|&byte| byte == 0);
    let rows = rows.filter(|row| !row.is_empty());
    let mut entries = rows.map(entry).collect::<Result<Vec<Entry>, Error>>()?;
    entries.sort_by_key(|entry| matches!(entry.kind, Kind::Link));
    Ok(entries)
}

/// `mode type object<TAB>path`
fn entry(row: &[u8]) -> Result<Entry, Error> {
    let unreadable = || {
        let row = String::from_utf8_lossy(row).escape_debug().to_string();
        Error::new(
            ErrorKind::Io,
            format!("git lists a file in an unknown way: {row}"),
        )
    };
    let tab = row.iter().position(|&byte| byte == b'\t');
    let (head, path) = row.split_at(tab.ok_or_else(unreadable)?);
    let head = String::from_utf8_lossy(head);
    let fields: Vec<&str> = head.split(' ').collect();
    let [mode, _, object] = fields[..] else {
        return Err(unreadable());
    };
    let kind = match mode {
        "100755" => Kind::File {
            is_executable: true,
        },
        "120000" => Kind::Link,
        "160000" => Kind::Submodule,
        _ if mode.starts_with("100") => Kind::File {
            is_executable: false,
        },
        _ => return Err(unreadable()),
    };
    let path = PathBuf::from(os_string(path[1..].to_vec()));
    match is_safe(&path) {
        true => Ok(Entry {
            kind,
            object: object.to_string(),
            path,
        }),
        false => {
            let why = format!(
                "the revision holds a file whose name leads elsewhere: {}",
                path.display()
            );
            Err(Error::new(ErrorKind::Io, why))
        }
    }
}

/// Whether a path stays where it is put. A tree that was made by hand can name anything.
fn is_safe(path: &Path) -> bool {
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    path.components().next().is_some() && path.components().all(is_plain)
}

#[cfg(unix)]
fn write(kind: &Kind, place: &Path, content: &[u8]) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{OpenOptionsExt as _, symlink};
    let mode = match kind {
        Kind::Link => return symlink(OsStr::from_bytes(content), place),
        Kind::File {
            is_executable: true,
        } => 0o777,
        Kind::File { .. } | Kind::Submodule => 0o666,
    };
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(place);
    file?.write_all(content)
}

/// A link becomes a file that holds the link's target, as git does on systems without links.
#[cfg(not(unix))]
fn write(_kind: &Kind, place: &Path, content: &[u8]) -> std::io::Result<()> {
    fs::File::create_new(place)?.write_all(content)
}

/// A `git cat-file` that reads one object after the other.
struct Blobs {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    fn new(root: &Path) -> Result<Blobs, Error> {
        let mut command = git(root);
        command
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| not_started(root, &error))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::new(ErrorKind::Io, "git has no input or no output"));
        };
        Ok(Blobs {
            child,
            questions,
            answers: BufReader::new(answers),
        })
    }

    fn read(&mut self, object: &str) -> Result<Vec<u8>, Error> {
        self.answer(object)
            .map_err(|error| Error::new(ErrorKind::Io, format!("git: object {object}: {error}")))
    }

    /// `object type size`, a line's end, the bytes, a line's end.
    fn answer(&mut self, object: &str) -> std::io::Result<Vec<u8>> {
        let bad = |why: &str| std::io::Error::other(why.to_string());
        writeln!(self.questions, "{object}")?;
        self.questions.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let fields: Vec<&str> = head.trim_end().split(' ').collect();
        let size = match fields[..] {
            [_, "blob", size] => size
                .parse::<u64>()
                .map_err(|_| bad("a size that is no number"))?,
            [_, "missing"] => {
                return Err(bad(
                    "it is missing; a partial clone does not hold every file",
                ));
            }
            _ => return Err(bad("it is no file")),
        };
        let mut content = Vec::new();
        (&mut self.answers).take(size).read_to_end(&mut content)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        match content.len() as u64 == size {
            true => Ok(content),
            false => Err(bad("it ends too early")),
        }
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It has nothing to lose; a child that is not waited for would stay in the system's table.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
pub(super) mod tests_of_entries {
    //! What the tests of git look at apart.

    use super::*;

    /// The path that a row of a listing names.
    pub(in crate::revisions::git) fn path_of(row: &[u8]) -> Result<PathBuf, Error> {
        entry(row).map(|entry| entry.path)
    }
}
