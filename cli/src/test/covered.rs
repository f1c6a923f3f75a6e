//! `--coverage`: what the tests executed of the program's own files, and where that is written. What counts as covered is
//! the profiler's business.

use std::path::PathBuf;

use tally_comparison::coverage::Coverage;

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
}

impl std::str::FromStr for CoverageTo {
    type Err = String;

    fn from_str(text: &str) -> Result<CoverageTo, String> {
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) => (kind, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let kind = match kind {
            "text" => Kind::Text,
            "lcov" => Kind::Lcov,
            "json" => Kind::Json,
            _ => return Err("text, lcov or json is expected, and =FILE".to_string()),
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

impl CoverageTo {
    /// Writes it.
    pub(super) fn write(&self, coverage: &Coverage) -> Result<(), Failure> {
        let text = match self.kind {
            Kind::Text => format!("\n{}", coverage.report(console::results_page())),
            Kind::Lcov => coverage.to_lcov(),
            Kind::Json => {
                let text = coverage.to_json();
                let text = text.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
                text + "\n"
            }
        };
        output::write(&text, self.file.as_deref())
    }
}
