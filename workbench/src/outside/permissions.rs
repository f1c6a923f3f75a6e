//! The permissions of a script: which files it may read and write, which variables of the environment it
//! may read. Paths are resolved here, so that neither links nor `..` lead out of the allowed folders. Nothing is
//! opened here.

mod places;

use std::io;
use std::path::{Path, PathBuf};

use places::Places;

/// What a script may do outside.
#[derive(Clone, Debug)]
pub struct Permissions {
    /// Which files it may read.
    pub read: FilePermission,
    /// Which files it may write.
    pub write: FilePermission,
    /// Names of variables of the environment; an empty one stands for all.
    environment: Vec<String>,
}

impl Permissions {
    /// Paths that a script may read, paths that it may write, and names of variables. An empty text stands for everything.
    pub fn new(read: &[String], write: &[String], environment: &[String]) -> Permissions {
        Permissions {
            read: FilePermission::from_options(read),
            write: FilePermission::from_options(write),
            environment: environment.to_vec(),
        }
    }

    /// No restriction.
    #[cfg(test)]
    pub fn everything() -> Permissions {
        Permissions {
            read: FilePermission::Everything,
            write: FilePermission::Everything,
            environment: vec![String::new()],
        }
    }

    /// Whether the script may use some file.
    pub fn allow_any_file(&self) -> bool {
        let is_nothing = |permission| matches!(permission, &FilePermission::Nothing);
        !(is_nothing(&self.read) && is_nothing(&self.write))
    }

    /// Whether the script may read some variable of the environment.
    pub fn allow_any_variable(&self) -> bool {
        !self.environment.is_empty()
    }

    /// Whether the script may read this variable of the environment.
    pub fn allow_variable(&self, name: &str) -> bool {
        let is_allowed = |allowed: &String| allowed.is_empty() || allowed == name;
        self.environment.iter().any(is_allowed)
    }

    /// The names of the variables that the script may read, sorted.
    pub fn variable_names(&self) -> Vec<String> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let mut names: Vec<String> = names.filter(|name| self.allow_variable(name)).collect();
        names.sort_unstable();
        names
    }
}

/// Which files a script may read, or write.
#[derive(Clone, Debug)]
pub enum FilePermission {
    /// None.
    Nothing,
    /// All that the user may.
    Everything,
    /// Those at and below some places.
    Below(Places),
}

impl FilePermission {
    /// What the values of `--allow-read` or `--allow-write` mean; an empty one stands for everything.
    fn from_options(paths: &[String]) -> FilePermission {
        if paths.is_empty() {
            return FilePermission::Nothing;
        }
        if paths.iter().any(String::is_empty) {
            return FilePermission::Everything;
        }
        FilePermission::Below(Places::of(paths))
    }

    /// The file to open for a path. Links and `..` are resolved first, so that they lead nowhere
    /// else; a path outside is refused before it reveals whether a file is there.
    pub fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        match self {
            FilePermission::Nothing => Err(io::ErrorKind::PermissionDenied.into()),
            FilePermission::Everything => Ok(PathBuf::from(path)),
            FilePermission::Below(places) => places.resolve(path),
        }
    }

    /// The place to write at for a path. The existing part is resolved, and the new part must lie
    /// inside.
    pub fn resolve_new(&self, path: &str) -> io::Result<PathBuf> {
        match self {
            FilePermission::Nothing => Err(io::ErrorKind::PermissionDenied.into()),
            FilePermission::Everything => real_place(Path::new(path)),
            FilePermission::Below(places) => places.resolve_new(path),
        }
    }
}

/// Where a path leads when links are followed, be something there or not: as much of it as exists is
/// resolved, and the rest must be plain names.
pub fn real_place(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut missing = Vec::new();
    let mut at = absolute.as_path();
    loop {
        match std::fs::canonicalize(at) {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Ok(real);
            }
            // A link that leads nowhere would be followed when it is written through.
            Err(error) if at.is_symlink() || error.kind() != io::ErrorKind::NotFound => {
                return Err(error);
            }
            Err(error) => {
                let (Some(name), Some(above)) = (at.file_name(), at.parent()) else {
                    return Err(error);
                };
                missing.push(name);
                at = above;
            }
        }
    }
}

/// What a script may not do unless it is allowed.
#[derive(Clone, Copy, Debug)]
pub enum Denied {
    /// To read a file.
    Read,
    /// To change files.
    Write,
    /// To read a variable of the environment.
    Environment,
}

impl Denied {
    /// The remedy.
    pub fn help(self) -> &'static str {
        match self {
            Denied::Read => "--allow-read=PATH lets a script read what is at and below PATH",
            Denied::Write => "--allow-write=PATH lets a script write at and below PATH",
            Denied::Environment => "--allow-env=NAME lets a script read the variable NAME",
        }
    }
}
