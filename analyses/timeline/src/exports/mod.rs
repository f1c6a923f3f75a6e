//! Timelines in the formats of other tools, one file a format. [`Exporter`] follows the parts of a timeline and gives what is
//! drawn to a `Pen`: slices, states, calls, levels, requests and waits. Each format only spells these. docs/TIMELINE.md describes the
//! formats. Memory is that of what is under way, except for the formats that say otherwise.

mod chrome;
mod exporter;
mod firefox;
mod levels;
mod pen;
mod perfetto;
mod protobuf;
mod slices;
mod sqlite;
mod svg;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::measured::Extent;
use crate::sink::SinkError;
use crate::trace::{Ending, Head};

pub use exporter::Exporter;
use pen::Pen;

/// A format of other tools.
#[derive(Debug)]
pub struct ExportFormat {
    /// Its name.
    pub name: &'static str,
    /// How names of its files end, without the dot before; the first is the usual one.
    pub suffixes: &'static [&'static str],
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sqlite,
    Perfetto,
    Chrome,
    Firefox,
    Svg,
}

/// All formats.
pub const EXPORTS: &[ExportFormat] = &[
    format("sqlite", &["sqlite", "db"], Kind::Sqlite),
    format("perfetto", &["pftrace", "perfetto-trace"], Kind::Perfetto),
    format("chrome", &["trace.json"], Kind::Chrome),
    format("firefox", &["firefox.json"], Kind::Firefox),
    format("svg", &["svg"], Kind::Svg),
];

const fn format(name: &'static str, suffixes: &'static [&'static str], kind: Kind) -> ExportFormat {
    ExportFormat {
        name,
        suffixes,
        kind,
    }
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What was run, and under which rules.
    pub head: &'a Head,
    /// How the run ended.
    pub ending: Ending,
    /// The part of it.
    pub extent: Extent,
}

impl ExportFormat {
    /// The format of files whose names end in this way.
    pub fn of_suffix(suffix: &str) -> Option<&'static ExportFormat> {
        EXPORTS
            .iter()
            .find(|format| format.suffixes.contains(&suffix))
    }

    /// An exporter that writes into an empty file, which stands at this path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn exporter(
        &self,
        about: About<'_>,
        file: File,
        path: &Path,
    ) -> Result<Exporter, SinkError> {
        let pen: Box<dyn Pen> = match self.kind {
            Kind::Sqlite => Box::new(sqlite::Sqlite::new(path)?),
            Kind::Perfetto => Box::new(perfetto::Perfetto::new(about.head, BufWriter::new(file))?),
            Kind::Chrome => Box::new(chrome::Chrome::new(BufWriter::new(file))?),
            Kind::Firefox => Box::new(firefox::Firefox::new(about, BufWriter::new(file))),
            Kind::Svg => Box::new(svg::Svg::new(about, BufWriter::new(file))),
        };
        Ok(Exporter::new(about, pen))
    }
}
