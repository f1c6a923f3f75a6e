//! Where the result of `tally timeline` goes, and in which formats.

use std::path::{Path, PathBuf};

use tally_presentation::Page;
use tally_presentation::table::Table;
use tally_timeline::exports::{About, EXPORTS, ExportFormat};
use tally_timeline::{Extent, Figures, SinkError, View, document, html_page, table, text};
use tally_workbench::ProgramOutput;
use tally_workbench::files::replace::GrowingFile;

use super::options::{Format, TimelineArguments};
use super::source::{Source, TRACE};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// The endings of the names of files, besides those of the formats of other tools.
const ENDINGS: &[&str] = &[TRACE, "html", "json", "md", "csv", "txt"];

/// Where the result goes.
pub(super) struct Outputs {
    /// The format on standard output, if the result goes there.
    standard: Option<Format>,
    /// Files, and the formats of their contents.
    files: Vec<(PathBuf, Format)>,
    /// Files for other tools.
    exports: Vec<(PathBuf, &'static ExportFormat)>,
    /// The file for the trace of the run.
    trace: Option<PathBuf>,
}

impl Outputs {
    /// The outputs that the options name. Mistakes fail here, before anything runs.
    pub(super) fn new(format: Option<Format>, files: &[PathBuf]) -> Result<Outputs, Failure> {
        let mut outputs = Outputs {
            standard: None,
            files: Vec::new(),
            exports: Vec::new(),
            trace: None,
        };
        let mut endings = ENDINGS.to_vec();
        endings.extend(EXPORTS.iter().flat_map(|format| format.suffixes));
        for file in files {
            output::refuse_without_folder(file)?;
            let ending = output::ending(file, &endings)?;
            if let Some(format) = ending.and_then(ExportFormat::of_suffix) {
                outputs.refuse_twice(file)?;
                outputs.exports.push((file.clone(), format));
                continue;
            }
            let format = match ending {
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
            outputs.refuse_twice(file)?;
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

    fn refuse_twice(&self, file: &Path) -> Result<(), Failure> {
        let place = output::place(file);
        match self.all().any(|other| output::place(other) == place) {
            true => {
                let why = format!("{} would be written twice", file.display());
                Err(Failure::new(Exit::Usage, why))
            }
            false => Ok(()),
        }
    }

    /// All files that are written.
    fn all(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().map(|(file, _)| file);
        let exports = self.exports.iter().map(|(file, _)| file);
        let all = files.chain(exports).chain(&self.trace);
        all.map(PathBuf::as_path)
    }

    /// What is read is not written over.
    pub(super) fn refuse_over(&self, inputs: &[String]) -> Result<(), Failure> {
        let inputs: Vec<_> = inputs
            .iter()
            .map(|file| output::place(Path::new(file)))
            .collect();
        let mut all = self.all();
        match all.find(|file| inputs.contains(&output::place(file))) {
            None => Ok(()),
            Some(file) => {
                let why = format!("{} would be written over what is read", file.display());
                Err(Failure::new(Exit::Usage, why))
            }
        }
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

    /// A file that holds one run, if one is named.
    pub(super) fn of_one_run(&self) -> Option<&Path> {
        let exports = self.exports.first().map(|(file, _)| file.as_path());
        self.trace().or(exports)
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

    /// Whether there is anything to write besides files for other tools.
    pub(super) fn has_texts(&self) -> bool {
        self.standard.is_some() || !self.files.is_empty()
    }

    /// Writes the files for other tools. Each reads the trace once.
    pub(super) fn export(&self, source: &mut Source, extent: Extent) -> Result<(), Failure> {
        for (file, format) in &self.exports {
            export(file, format, source, extent)?;
        }
        Ok(())
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

fn export(
    path: &Path,
    format: &ExportFormat,
    source: &mut Source,
    extent: Extent,
) -> Result<(), Failure> {
    let name = path.display().to_string();
    let failed = |error| Failure::io("write", &name, &error);
    let refused = |error: SinkError| match error {
        SinkError::Io(error) => failed(error),
        error => Failure::new(Exit::Limit, format!("{name}: {error}")),
    };
    let (growing, file) = GrowingFile::begin(path).map_err(failed)?;
    let head = source.head().clone();
    let about = About {
        head: &head,
        ending: source.ending(),
        extent,
    };
    let exporter = format.exporter(about, file, growing.place());
    let mut exporter = exporter.map_err(refused)?;
    let replayed = source.replay_part(extent, &mut exporter);
    if let Some(error) = exporter.failure() {
        return Err(refused(error));
    }
    replayed?;
    let left_out = exporter.finish().map_err(refused)?;
    growing.complete().map_err(failed)?;
    for sentence in left_out {
        console::warning(&format!("{name}: {sentence}"));
    }
    Ok(())
}

fn shown(
    format: Format,
    page: Page,
    arguments: &TimelineArguments,
    source: &Source,
    figures: &Figures,
) -> Result<String, Failure> {
    let view: View = arguments.view();
    let (head, ending) = (source.head(), source.ending());
    if format == Format::Html {
        return Ok(html_page(head, ending, figures));
    }
    spelled(
        format,
        || text(figures, view, arguments.limit(), page),
        || table(figures, view),
        || output::json(&document(head, ending, figures)),
    )
}

/// A result in the format: as text, as one table, or as JSON. What has no page is text there.
pub(super) fn spelled(
    format: Format,
    text: impl FnOnce() -> String,
    table: impl FnOnce() -> Table,
    json: impl FnOnce() -> Result<String, Failure>,
) -> Result<String, Failure> {
    Ok(match format {
        Format::Human | Format::Html => text(),
        Format::Md => {
            let mut text = String::new();
            table().push_markdown(&mut text);
            text
        }
        Format::Csv => table().csv(),
        Format::Json => json()?,
    })
}
