//! Profiles in the formats of other tools, one module a format. An exporter is a function from a profile to the contents
//! of a file; the table [`FORMATS`] names all exporters. docs/FORMATS.md relates each format's numbers to the profile's.
//! This module opens no files.

mod callgrind;
mod folded;
mod lines;
mod speedscope;
mod tree;

use std::fmt;

use crate::profile::Profile;
use crate::recording::{RecordingError, to_recording};
use crate::tree::Measure;

/// Why a profile cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The format consists of stacks, and the profile has no calling-context tree.
    NoTree,
    /// The format consists of lines, and no sites were counted.
    NoSites,
    /// The profile has an index out of range.
    Malformed(String),
    /// It is larger than the format allows.
    TooLarge(String),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::NoTree => write!(f, "the profile has no calling-context tree"),
            ExportError::NoSites => write!(f, "the profile has no counts of send sites"),
            ExportError::Malformed(why) => write!(f, "damaged profile: {why}"),
            ExportError::TooLarge(why) => write!(f, "the profile is too large: {why}"),
        }
    }
}

impl std::error::Error for ExportError {}

/// What a format consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// What every profile has.
    Methods,
    Contexts,
    Sites,
}

/// A format that profiles are written in.
#[derive(Debug)]
pub struct ExportFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// How names of its files end; the first is the usual one.
    pub suffixes: &'static [&'static str],
    /// Its purpose, half a sentence.
    pub about: &'static str,
    /// Whether its files are text.
    pub is_text: bool,
    /// What it consists of; a profile without that cannot be written in it.
    needs: Needs,
    /// Writes it.
    pub write: fn(&Profile, Measure) -> Result<Vec<u8>, ExportError>,
}

/// All formats. Where two suffixes fit a name, the longer one counts.
pub const FORMATS: &[ExportFormat] = &[
    ExportFormat {
        name: "tally",
        suffixes: &[".tally"],
        about: "everything, small",
        is_text: false,
        needs: Needs::Methods,
        write: recording,
    },
    ExportFormat {
        name: "json",
        suffixes: &[".json"],
        about: "everything, as docs/PROFILE.md describes it",
        is_text: true,
        needs: Needs::Methods,
        write: json,
    },
    ExportFormat {
        name: "callgrind",
        suffixes: &[".callgrind"],
        about: "for KCachegrind and callgrind_annotate",
        is_text: true,
        needs: Needs::Methods,
        write: |profile, _| callgrind::callgrind(profile).map(String::into_bytes),
    },
    ExportFormat {
        name: "speedscope",
        suffixes: &[".speedscope.json", ".speedscope"],
        about: "for speedscope",
        is_text: true,
        needs: Needs::Contexts,
        write: |profile, _| speedscope::speedscope(profile).map(String::into_bytes),
    },
    ExportFormat {
        name: "folded",
        suffixes: &[".folded"],
        about: "stacks on a line each, with their own sends",
        is_text: true,
        needs: Needs::Contexts,
        write: |profile, _| folded::folded(profile).map(String::into_bytes),
    },
    ExportFormat {
        name: "lines",
        suffixes: &[".csv"],
        about: "counts of each source line, as CSV",
        is_text: true,
        needs: Needs::Sites,
        write: |profile, _| lines::lines(profile).map(String::into_bytes),
    },
    ExportFormat {
        name: "svg",
        suffixes: &[".svg"],
        about: "a flame graph, as a picture",
        is_text: true,
        needs: Needs::Contexts,
        write: svg,
    },
    ExportFormat {
        name: "html",
        suffixes: &[".html", ".htm"],
        about: "a report to look around in, with a browser",
        is_text: true,
        needs: Needs::Methods,
        write: |profile, _| Ok(crate::html_report(profile).into_bytes()),
    },
];

fn recording(profile: &Profile, _: Measure) -> Result<Vec<u8>, ExportError> {
    to_recording(profile).map_err(|error| match error {
        RecordingError::TooLarge => ExportError::TooLarge("no recording can hold it".to_string()),
        other => ExportError::Malformed(other.to_string()),
    })
}

fn json(profile: &Profile, _: Measure) -> Result<Vec<u8>, ExportError> {
    let text = crate::to_json(profile);
    text.map(String::into_bytes)
        .map_err(|error| ExportError::Malformed(error.to_string()))
}

fn has_tree(profile: &Profile) -> bool {
    !profile.contexts.is_empty()
}

/// A run of ours without a send has no site either.
fn has_sites(profile: &Profile) -> bool {
    !profile.sites.is_empty() || (profile.unit.is_tally() && profile.cost.sends == 0)
}

fn svg(profile: &Profile, measure: Measure) -> Result<Vec<u8>, ExportError> {
    match has_tree(profile) {
        true => Ok(crate::flame_svg(profile, measure).into_bytes()),
        false => Err(ExportError::NoTree),
    }
}

impl ExportFormat {
    /// Whether a profile has what this format consists of.
    pub fn fits(&self, profile: &Profile) -> bool {
        match self.needs {
            Needs::Methods => true,
            Needs::Contexts => has_tree(profile),
            Needs::Sites => has_sites(profile),
        }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static ExportFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format whose files are named like this one.
    pub fn of_file(name: &str) -> Option<&'static ExportFormat> {
        let fits = |format: &'static ExportFormat| {
            let suffixes = format.suffixes.iter();
            let lengths = suffixes.filter(|suffix| name.ends_with(**suffix));
            lengths
                .map(|suffix| suffix.len())
                .max()
                .map(|length| (length, format))
        };
        let fitting = FORMATS.iter().filter_map(fits);
        fitting
            .max_by_key(|(length, _)| *length)
            .map(|(_, format)| format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_suffix_names_the_format() {
        let name = |file: &str| ExportFormat::of_file(file).map(|format| format.name);
        assert_eq!(name("a.json"), Some("json"));
        assert_eq!(name("a.speedscope.json"), Some("speedscope"));
        assert_eq!(name("folder.json/a"), None);
        assert_eq!(name("a.JSON"), None);
    }

    #[test]
    fn what_a_format_needs_is_what_its_writer_misses() {
        let folded = crate::IMPORTS.iter().find(|format| format.name == "folded");
        let import = |text: &str| crate::import(folded.unwrap(), "a", text.as_bytes(), None);
        let profiles = [
            crate::examples::words(),
            crate::examples::flat(),
            import("main;a 2\n").unwrap(),
            import("main;a 0\n").unwrap(),
        ];
        for profile in &profiles {
            for format in FORMATS {
                let missing = [Err(ExportError::NoTree), Err(ExportError::NoSites)];
                let is_missing = missing.contains(&(format.write)(profile, Measure::Sends));
                assert_eq!(is_missing, !format.fits(profile), "{}", format.name);
            }
        }
    }

    #[test]
    fn names_and_suffixes_are_given_once() {
        let mut all: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        all.extend(FORMATS.iter().flat_map(|format| format.suffixes));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
