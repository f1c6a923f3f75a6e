//! Where a profile goes and in which formats: one to standard output, or several to files, whose names decide
//! what they are. What the formats are is the profiler's business.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tally_presentation::Page;
use tally_profiler::{ExportError, ExportFormat, FORMATS, Measure, Profile};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output};

/// A format of a profile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProfileFormat {
    /// A report for people.
    Human,
    /// A format for programs.
    Export(&'static ExportFormat),
}

/// The ends of names of files with a report for people.
const REPORT: &str = ".txt";

impl ProfileFormat {
    /// The parser of `--format`.
    pub(crate) fn parser() -> impl TypedValueParser<Value = ProfileFormat> {
        let human = PossibleValue::new("human").help("a report for people");
        let others = FORMATS
            .iter()
            .map(|format| PossibleValue::new(format.name).help(format.about));
        let names = PossibleValuesParser::new(std::iter::once(human).chain(others));
        names.map(|name| {
            ExportFormat::named(&name).map_or(ProfileFormat::Human, ProfileFormat::Export)
        })
    }

    fn of_file(path: &Path) -> Option<ProfileFormat> {
        let name = path.file_name()?.to_string_lossy();
        match ExportFormat::of_file(&name) {
            Some(format) => Some(ProfileFormat::Export(format)),
            None => name.ends_with(REPORT).then_some(ProfileFormat::Human),
        }
    }
}

/// The ends of names of files, for help texts and messages.
fn suffixes() -> String {
    let first = FORMATS.iter().filter_map(|format| format.suffixes.first());
    let mut suffixes: Vec<&str> = first.copied().collect();
    suffixes.push(REPORT);
    suffixes.join(", ")
}

/// The help of options that name files.
pub(crate) fn help_of_outputs() -> String {
    format!(
        "Write the profile to files, named *{}",
        suffixes().replace(", ", ", *")
    )
}

/// Where a profile goes.
#[derive(Debug)]
pub(crate) struct Outputs(Vec<Output>);

#[derive(Debug)]
struct Output {
    format: ProfileFormat,
    /// Standard output if it is empty.
    file: Option<PathBuf>,
}

impl Outputs {
    /// The outputs that the options name. Mistakes in the options fail here, before anything runs.
    pub(crate) fn new(
        format: Option<ProfileFormat>,
        files: &[PathBuf],
    ) -> Result<Outputs, Failure> {
        if files.is_empty() {
            return Outputs::standard(format.unwrap_or(ProfileFormat::Human));
        }
        if format.is_some() && files.len() > 1 {
            let why = "--format is for one file; the names of several files decide their formats";
            return Err(Failure::new(Exit::Usage, why));
        }
        let mut outputs: Vec<Output> = Vec::new();
        for file in files {
            if output::is_standard(file) {
                let Outputs(standard) = Outputs::standard(format.unwrap_or(ProfileFormat::Human))?;
                if outputs.iter().any(|output| output.file.is_none()) {
                    let why = "- would be written twice";
                    return Err(Failure::new(Exit::Usage, why));
                }
                outputs.extend(standard);
                continue;
            }
            let format = match format.or_else(|| ProfileFormat::of_file(file)) {
                Some(format) => format,
                None => return Err(unknown(file)),
            };
            check_place(file)?;
            let is_there = |output: &Output| {
                output
                    .file
                    .as_deref()
                    .is_some_and(|other| is_same(other, file))
            };
            if outputs.iter().any(is_there) {
                let why = format!("{} would be written twice", file.display());
                return Err(Failure::new(Exit::Usage, why));
            }
            outputs.push(Output {
                format,
                file: Some(file.clone()),
            });
        }
        Ok(Outputs(outputs))
    }

    fn standard(format: ProfileFormat) -> Result<Outputs, Failure> {
        let is_text = match format {
            ProfileFormat::Human => true,
            ProfileFormat::Export(format) => format.is_text,
        };
        if !is_text && std::io::stdout().is_terminal() {
            let why = "this format is no text for a terminal; write it to a file with -o";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(Outputs(vec![Output { format, file: None }]))
    }

    /// Whether the profile goes to standard output.
    pub(crate) fn is_standard_output(&self) -> bool {
        self.0.iter().any(|output| output.file.is_none())
    }

    /// Whether one of the formats is for programs.
    pub(crate) fn is_for_programs(&self) -> bool {
        let is = |output: &Output| matches!(output.format, ProfileFormat::Export(_));
        self.0.iter().any(is)
    }

    /// The file of a result that is one report for people or one JSON document, and whether it is JSON; `None` for other
    /// formats.
    pub(crate) fn report_or_json(&self) -> Option<(bool, Option<&Path>)> {
        let [Output { format, file }] = &self.0[..] else {
            return None;
        };
        match format {
            ProfileFormat::Human => Some((false, file.as_deref())),
            ProfileFormat::Export(format) if format.name == "json" => Some((true, file.as_deref())),
            ProfileFormat::Export(_) => None,
        }
    }

    /// Writes a profile in all formats; `report` makes the report for people, and a picture shows `measure`. A file that cannot be written does not prevent
    /// the others.
    pub(crate) fn write(
        &self,
        profile: &Profile,
        measure: Measure,
        report: impl Fn(&Profile, Page) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let written: Vec<_> = self
            .0
            .iter()
            .map(|output| output.write(profile, measure, &report))
            .collect();
        let mut failures = written.into_iter().filter_map(Result::err);
        let Some(first) = failures.next() else {
            return Ok(());
        };
        failures.for_each(|failure| {
            failure.report();
        });
        Err(first)
    }
}

impl Output {
    fn write(
        &self,
        profile: &Profile,
        measure: Measure,
        report: impl Fn(&Profile, Page) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let page = match self.file {
            Some(_) => Page::default(),
            None => console::results_page(),
        };
        let bytes = match self.format {
            ProfileFormat::Human => report(profile, page)?.into_bytes(),
            ProfileFormat::Export(format) => (format.write)(profile, measure).map_err(|why| {
                let what = match &self.file {
                    Some(file) => file.display().to_string(),
                    None => format!("the profile as {}", format.name),
                };
                match &why {
                    ExportError::NoTree | ExportError::NoSites => {
                        let others = fitting(profile);
                        let why =
                            format!("cannot write {what}: {why}; it can be written as {others}");
                        Failure::new(Exit::Usage, why)
                    }
                    _ => Failure::new(Exit::Io, format!("cannot write {what}: {why}")),
                }
            })?,
        };
        output::write_bytes(&bytes, self.file.as_deref())
    }
}

/// The names of the formats that a profile can be written in.
fn fitting(profile: &Profile) -> String {
    let fitting = FORMATS.iter().filter(|format| format.fits(profile));
    let names: Vec<&str> = fitting.map(|format| format.name).collect();
    format!("{} or human", names.join(", "))
}

fn unknown(file: &Path) -> Failure {
    let (file, suffixes) = (file.display(), suffixes());
    let why = format!(
        "{file}: the name does not decide the format; names end in {suffixes}, or use --format"
    );
    Failure::new(Exit::Usage, why)
}

/// Whether a file can exist at this path.
fn check_place(file: &Path) -> Result<(), Failure> {
    let name = file.display().to_string();
    let fails = |kind: std::io::ErrorKind| Err(Failure::io("write", &name, &kind.into()));
    if file.is_dir() {
        return fails(std::io::ErrorKind::IsADirectory);
    }
    match folder(file).is_dir() {
        true => Ok(()),
        false => Err(Failure::new(
            Exit::Io,
            format!("cannot write {name}: its folder does not exist"),
        )),
    }
}

fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Whether two paths name one file, which need not exist.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        let folder = folder(path).canonicalize().ok()?;
        let place = folder.join(path.file_name()?);
        Some(place.canonicalize().unwrap_or(place))
    };
    one == other || (real(one).is_some() && real(one) == real(other))
}
