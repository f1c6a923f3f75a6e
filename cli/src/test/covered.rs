//! `--coverage`: what the tests executed of the program's own files, and where that is written. What counts as covered is
//! the profiler's business.

use std::path::{Path, PathBuf};

use tally_comparison::coverage::Coverage;
use tally_presentation::Page;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// A format of coverage, and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoverageTo {
    kind: Kind,
    /// Standard output, if none is named.
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Lcov,
    Json,
    Html,
}

/// The endings of names of files that decide a format.
const ENDINGS: [(&str, Kind); 6] = [
    ("html", Kind::Html),
    ("htm", Kind::Html),
    ("info", Kind::Lcov),
    ("lcov", Kind::Lcov),
    ("json", Kind::Json),
    ("txt", Kind::Text),
];

impl std::str::FromStr for CoverageTo {
    type Err = String;

    fn from_str(text: &str) -> Result<CoverageTo, String> {
        if let Some(kind) = kind_of_file(text) {
            let file = Some(PathBuf::from(text));
            return Ok(CoverageTo { kind, file });
        }
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) => (kind, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let kind = match kind {
            "text" => Kind::Text,
            "lcov" => Kind::Lcov,
            "json" => Kind::Json,
            "html" => Kind::Html,
            _ => {
                let why = "text, lcov, json or html is expected, and =FILE; or a file whose name ends in .html, .info, .json or .txt";
                return Err(why.to_string());
            }
        };
        if file
            .as_ref()
            .is_some_and(|file| file.as_os_str().is_empty())
        {
            return Err("a file's name is expected behind =".to_string());
        }
        Ok(CoverageTo { kind, file })
    }
}

/// The format that the ending of a file's name decides. What names a format itself is no file.
fn kind_of_file(text: &str) -> Option<Kind> {
    let ending = Path::new(text).extension()?.to_str()?;
    let known = |name: &&(&str, Kind)| ending.eq_ignore_ascii_case(name.0);
    let (_, kind) = ENDINGS.iter().find(known).filter(|_| !text.contains('='))?;
    Some(*kind)
}

impl CoverageTo {
    /// Writes it.
    pub(super) fn write(&self, coverage: &Coverage) -> Result<(), Failure> {
        let text = match self.kind {
            Kind::Text if self.file.is_some() => coverage.report(Page::default()),
            Kind::Text => format!("\n{}", coverage.report(console::results_page())),
            Kind::Lcov => coverage.to_lcov(),
            Kind::Html => coverage.to_html(),
            Kind::Json => {
                let text = coverage.to_json();
                let text = text.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
                text + "\n"
            }
        };
        output::write(&text, self.file.as_deref())
    }
}
