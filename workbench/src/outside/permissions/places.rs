//! Places that are allowed, and the way to a file in them. A path is followed name by name. A file that is neither in an allowed place nor
//! on the way to one is not looked at. So its existence changes neither the answer nor the time that the answer takes.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A path that leads through more links leads nowhere, as far as the system is concerned.
const MOST_LINKS: usize = 40;

/// Places that are allowed.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// What is at and below them is allowed. They are canonical.
    allowed: Vec<PathBuf>,
    /// What stands on the way to them. That it exists, the one who allowed them has told.
    on_the_way: BTreeSet<PathBuf>,
}

/// Where a path leads.
struct Way {
    /// As much as exists: without links.
    real: PathBuf,
    /// The names behind it.
    missing: Vec<OsString>,
}

impl Places {
    /// The places of these paths. One that does not exist yet may be allowed all the same.
    pub(super) fn of(paths: &[String]) -> Places {
        let mut places = Places::default();
        for path in paths {
            let mut on_the_way = BTreeSet::new();
            let look = |place: &Path| {
                on_the_way.insert(place.to_path_buf());
                true
            };
            let way = follow(Path::new(path), look);
            // Where the path goes through links, other paths go through what they lead to.
            if let Ok(way) = way.map(Way::whole) {
                on_the_way.extend(way.ancestors().map(Path::to_path_buf));
                places.on_the_way.extend(on_the_way);
                places.allowed.push(way);
            }
        }
        places
    }

    fn is_allowed(&self, path: &Path) -> bool {
        self.allowed.iter().any(|place| path.starts_with(place))
    }

    fn follow(&self, path: &str) -> io::Result<Way> {
        let may_look = |place: &Path| self.is_allowed(place) || self.on_the_way.contains(place);
        follow(Path::new(path), may_look)
    }

    /// The file to open for a path.
    pub(super) fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        let way = self.follow(path)?;
        let exists = way.missing.is_empty();
        let whole = way.whole();
        match (self.is_allowed(&whole), exists) {
            (true, true) => Ok(whole),
            (true, false) => Err(io::ErrorKind::NotFound.into()),
            (false, _) => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// The place to write at for a path.
    pub(super) fn resolve_new(&self, path: &str) -> io::Result<PathBuf> {
        let whole = self.follow(path).map(Way::whole);
        let allowed = whole.ok().filter(|whole| self.is_allowed(whole));
        allowed.ok_or(io::ErrorKind::PermissionDenied.into())
    }
}

impl Way {
    fn whole(self) -> PathBuf {
        let mut whole = self.real;
        whole.extend(self.missing);
        whole
    }
}

/// Follows a path as far as it exists. What must not be looked at is refused.
fn follow(path: &Path, mut may_look: impl FnMut(&Path) -> bool) -> io::Result<Way> {
    let mut real = beginning(path)?;
    let mut ahead: VecDeque<OsString> = names(path).collect();
    let mut links = 0;
    // The number of names ahead that come out of a link.
    let mut linked: usize = 0;
    while let Some(name) = ahead.pop_front() {
        let is_linked = linked > 0;
        linked = linked.saturating_sub(1);
        let step = PathBuf::from(&name);
        match step.components().next() {
            Some(Component::ParentDir) => {
                real.pop();
                continue;
            }
            Some(Component::RootDir | Component::Prefix(_)) => {
                real.push(step);
                continue;
            }
            Some(Component::Normal(_)) => {}
            Some(Component::CurDir) | None => continue,
        }
        let next = real.join(&name);
        if !may_look(&next) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        match fs::symlink_metadata(&next) {
            Ok(facts) if facts.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                let target = fs::read_link(&next)?;
                if target.is_absolute() {
                    real = PathBuf::new();
                }
                for name in names(&target).rev() {
                    ahead.push_front(name);
                    linked += 1;
                }
            }
            Ok(facts) if !facts.is_dir() && !ahead.is_empty() => {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(_) => real = next,
            // A link that leads nowhere would be followed when it is written through.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_linked => {
                ahead.push_front(name);
                return beyond(real, ahead);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Way {
        real,
        missing: Vec::new(),
    })
}

/// The folder that a path leads from.
fn beginning(path: &Path) -> io::Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    match path.is_absolute() {
        true => Ok(PathBuf::new()),
        false => std::env::current_dir(),
    }
}

/// The way to what does not exist. Behind it nothing leads back.
fn beyond(real: PathBuf, ahead: VecDeque<OsString>) -> io::Result<Way> {
    let is_plain = |name: &OsString| {
        let mut components = Path::new(name).components();
        matches!(components.next(), Some(Component::Normal(_)))
    };
    match ahead.iter().all(is_plain) {
        true => Ok(Way {
            real,
            missing: ahead.into(),
        }),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// The names in a path, `..` and the root among them.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    let names = path.components();
    names.map(|component| component.as_os_str().to_owned())
}
