//! Profiles of programs in other languages, read from files of other tools, one module a format. `export` writes the same
//! formats. A reader makes a profile in the file's own unit; [`Unit`](crate::Unit) says which counts it knows. Formats of
//! calls become functions and calls (`graph`); formats of stacks become a calling-context tree (`stacks`).
//!
//! A reader trusts no file. Sums that exceed 64 bits and trees that exceed the memory of recordings are errors. This
//! module opens no files.

mod callgrind;
mod folded;
mod function;
mod graph;
mod pprof;
mod speedscope;
mod stacks;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::profile::{CostVector, Profile, fnv1a};
use crate::unit::Unit;

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The line, from 1; absent if no line is at fault.
    pub line: Option<usize>,
    /// The reason, without a full stop.
    pub why: String,
}

impl ImportError {
    fn whole(why: impl Into<String>) -> ImportError {
        ImportError {
            line: None,
            why: why.into(),
        }
    }

    fn at(line: usize, why: impl Into<String>) -> ImportError {
        ImportError {
            line: Some(line),
            why: why.into(),
        }
    }

    fn too_much_memory() -> ImportError {
        ImportError::whole("it takes more memory than a profile may")
    }

    fn too_large() -> ImportError {
        ImportError::whole("its sums exceed 64 bits")
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for ImportError {}

type Reader = fn(&[u8], Option<&str>) -> Result<Profile, ImportError>;

/// A format that profiles are read from.
#[derive(Debug)]
pub struct ImportFormat {
    /// Its name in messages, and in the unit of its profiles.
    pub name: &'static str,
    /// How names of its files end.
    suffixes: &'static [&'static str],
    /// How names of its files begin.
    prefixes: &'static [&'static str],
    /// Whether a file begins as files of this format do.
    begins: fn(&[u8]) -> bool,
    /// Reads a file; the text names the event that is wanted of several.
    read: Reader,
}

/// All formats, in the order in which a file's beginning is examined.
pub const IMPORTS: &[ImportFormat] = &[
    ImportFormat {
        name: "callgrind",
        suffixes: &[".callgrind"],
        prefixes: &["callgrind.out"],
        begins: callgrind::begins,
        read: callgrind::read,
    },
    ImportFormat {
        name: "speedscope",
        suffixes: &[".speedscope.json", ".speedscope"],
        prefixes: &[],
        begins: speedscope::begins,
        read: speedscope::read,
    },
    ImportFormat {
        name: "pprof",
        suffixes: &[".pprof", ".pb.gz", ".prof"],
        prefixes: &[],
        begins: pprof::begins,
        read: pprof::read,
    },
    ImportFormat {
        name: "folded",
        suffixes: &[".folded", ".collapsed"],
        prefixes: &[],
        begins: folded::begins,
        read: folded::read,
    },
];

impl ImportFormat {
    /// The format whose files are named like this path.
    pub fn of_file(path: &str) -> Option<&'static ImportFormat> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let fits = |format: &&ImportFormat| {
            format.suffixes.iter().any(|end| name.ends_with(end))
                || format.prefixes.iter().any(|start| name.starts_with(start))
        };
        IMPORTS.iter().find(fits)
    }

    /// The format of a file: as its contents begin, or else as it is named.
    pub fn of(path: &str, bytes: &[u8]) -> Option<&'static ImportFormat> {
        let begins = IMPORTS.iter().find(|format| (format.begins)(bytes));
        begins.or_else(|| ImportFormat::of_file(path))
    }
}

/// Reads a file as a profile of the event that is named, or of the file's first.
///
/// # Errors
/// The contents are not those of the format, or too large, or lack the event.
pub fn import(
    format: &ImportFormat,
    path: &str,
    bytes: &[u8],
    event: Option<&str>,
) -> Result<Profile, ImportError> {
    let mut profile = (format.read)(bytes, event)?;
    profile.files = vec![path.to_string()];
    match crate::check_identities(&profile).first() {
        Some(violation) => Err(ImportError::whole(violation.to_string())),
        None => Ok(profile),
    }
}

/// The place of the event that is wanted among a file's events; without a wish the first.
fn chosen(events: &[String], wanted: Option<&str>) -> Result<usize, ImportError> {
    let Some(wanted) = wanted else {
        return Ok(0);
    };
    let found = events.iter().position(|event| event == wanted);
    found.ok_or_else(|| {
        let there = events.join(", ");
        ImportError::whole(format!("it has no event '{wanted}'; it has {there}"))
    })
}

/// A profile in a unit, without functions. The members that an import does not know are neutral.
fn blank(unit: Unit, sum: u64, bytes: &[u8]) -> Profile {
    let text = String::from_utf8_lossy(bytes);
    Profile {
        program: crate::hexadecimal(fnv1a([text.as_ref()])),
        unit,
        cost: CostVector {
            sends: sum,
            ..CostVector::default()
        },
        ..Profile::default()
    }
}
