//! Where the result of `tally timeline` goes, and in which formats.

use std::path::{Path, PathBuf};

use tally_presentation::Page;
use tally_timeline::{Figures, View, document, html_page, table, text};
use tally_workbench::ProgramOutput;

use super::source::{Source, TRACE};
use super::{Format, TimelineArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The endings of the names of files.
const ENDINGS: &[&str] = &[TRACE, "html", "json", "md", "csv", "txt"];

/// Where the result goes.
pub(super) struct Outputs {
    /// The format on standard output, if the result goes there.
    standard: Option<Format>,
    /// Files, and the formats of their contents.
    files: Vec<(PathBuf, Format)>,
    /// The file for the trace of the run.
    trace: Option<PathBuf>,
}

impl Outputs {
    /// The outputs that the options name. Mistakes fail here, before anything runs.
    pub(super) fn new(format: Option<Format>, files: &[PathBuf]) -> Result<Outputs, Failure> {
        let mut outputs = Outputs {
            standard: None,
            files: Vec::new(),
            trace: None,
        };
        for file in files {
            let format = match output::ending(file, ENDINGS)? {
                None => {
                    outputs.standard = format.or(Some(Format::Human));
                    continue;
                }
                Some(TRACE) => {
                    outputs.set_trace(file)?;
                    continue;
                }
                Some("html") => Format::Html,
                Some("json") => Format::Json,
                Some("md") => Format::Md,
                Some("csv") => Format::Csv,
                Some(_) => Format::Human,
            };
            if outputs.files.iter().any(|(other, _)| other == file) {
                let why = format!("{} would be written twice", file.display());
                return Err(Failure::new(Exit::Usage, why));
            }
            outputs.files.push((file.clone(), format));
        }
        if files.is_empty() {
            outputs.standard = format.or(Some(Format::Human));
        } else if format.is_some() && outputs.standard.is_none() {
            let why = "--format is for standard output; the names of files decide their formats";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(outputs)
    }

    fn set_trace(&mut self, file: &Path) -> Result<(), Failure> {
        match self.trace.replace(file.to_path_buf()) {
            None => Ok(()),
            Some(_) => Err(Failure::new(
                Exit::Usage,
                "a run has one trace; copy the file",
            )),
        }
    }

    /// The file for the trace of the run.
    pub(super) fn trace(&self) -> Option<&Path> {
        self.trace.as_deref()
    }

    /// Where the program's output goes.
    pub(super) fn of_program(&self) -> ProgramOutput {
        match self.standard {
            None | Some(Format::Human) => ProgramOutput::Standard,
            Some(_) => ProgramOutput::Error,
        }
    }

    /// Whether one of the results has this format.
    pub(super) fn has(&self, format: Format) -> bool {
        let files = self.files.iter().map(|(_, format)| *format);
        files.chain(self.standard).any(|one| one == format)
    }

    /// A trace is not written as a trace again.
    pub(super) fn refuse_trace(&self, file: &str) -> Result<(), Failure> {
        match self.trace {
            Some(_) => {
                let why = format!("{file} is a trace already; copy the file");
                Err(Failure::new(Exit::Usage, why))
            }
            None => Ok(()),
        }
    }

    /// Writes the result everywhere.
    pub(super) fn write(
        &self,
        arguments: &TimelineArguments,
        source: &Source,
        figures: &Figures,
    ) -> Result<(), Failure> {
        self.write_texts(|format, page| shown(format, page, arguments, source, figures))
    }

    /// Writes a result everywhere.
    pub(super) fn write_texts(
        &self,
        mut shown: impl FnMut(Format, Page) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        for (file, format) in &self.files {
            output::write(&shown(*format, Page::default())?, Some(file))?;
        }
        match self.standard {
            Some(format) => output::write(&shown(format, console::results_page())?, None),
            None => Ok(()),
        }
    }
}

fn shown(
    format: Format,
    page: Page,
    arguments: &TimelineArguments,
    source: &Source,
    figures: &Figures,
) -> Result<String, Failure> {
    let view: View = arguments.view();
    Ok(match format {
        Format::Human => text(figures, view, arguments.limit(), page),
        Format::Html => html_page(source.head(), source.ending(), figures),
        Format::Json => output::json(&document(source.head(), source.ending(), figures))?,
        Format::Md => {
            let mut text = String::new();
            table(figures, view).push_markdown(&mut text);
            text
        }
        Format::Csv => table(figures, view).csv(),
    })
}
