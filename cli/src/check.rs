//! `tally check`: reads and compiles files and reports the compiler's findings, without running
//! anything.

mod packages;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tally_compiler::bounds;
use tally_compiler::diagnostic::{Diagnostic, Severity, line_column};
use tally_presentation::printable;

use crate::arguments::{Format, size};
use crate::dialect::DialectArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::inside::{self, InsideArguments};
use crate::{console, output};
use tally_workbench::loading::som::refuse;
use tally_workbench::loading::{Absent, Checked, Findings, Source, diagnose, summary_of_absent};
use tally_workbench::project::Project;

/// Findings that fail a check beside errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    // Any warning
    Warnings,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "Exits with 8 if there is an error, with 0 if there are warnings only.")]
pub(crate) struct CheckArguments {
    /// Files and folders, which may mention each other's and the project's classes; - is standard input [default: the project]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Treat these as errors too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,
    /// Check nothing; list the packages that would be loaded, in their order, and where they are from
    #[arg(long, conflicts_with = "deny")]
    pub(crate) packages: bool,
    #[command(flatten)]
    pub(crate) dialect: DialectArguments,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
    /// Refuse source texts of more than SIZE bytes [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) max_source: Option<usize>,
    /// The format of the findings; for people they go to standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    files: usize,
    errors: usize,
    warnings: usize,
    diagnostics: Vec<Finding>,
    /// What a run leaves out.
    #[serde(rename = "leftOut", skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<Missing>,
}

/// A definition that a run leaves out.
#[derive(Serialize)]
struct Missing {
    code: &'static str,
    what: String,
    file: String,
    line: usize,
}

/// A place from its first to behind its last character, lines and columns from 1.
#[derive(Serialize)]
struct Range {
    line: usize,
    column: usize,
    #[serde(rename = "endLine")]
    end_line: usize,
    #[serde(rename = "endColumn")]
    end_column: usize,
}

#[derive(Serialize)]
struct Other {
    #[serde(flatten)]
    range: Range,
    label: String,
}

#[derive(Serialize)]
struct Finding {
    code: &'static str,
    severity: &'static str,
    file: String,
    #[serde(flatten)]
    range: Range,
    message: String,
    label: String,
    others: Vec<Other>,
    notes: Vec<String>,
    help: Option<String>,
}

pub(crate) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    refuse(&arguments.files, "check")?;
    if let Some(bytes) = arguments.max_source {
        bounds::set_most_source_bytes(bytes);
    }
    if arguments.packages {
        return packages::list(arguments);
    }
    let Checked {
        sources: checked,
        absent,
    } = checked(arguments)?;
    let files = checked.len();
    let all = || checked.iter().flat_map(|(_, diagnostics)| diagnostics);
    let errors = all().filter(|one| one.is_error()).count();
    let warnings = all().count() - errors;
    match arguments.format {
        Format::Json => {
            let findings = checked.iter().flat_map(|(source, diagnostics)| {
                diagnostics.iter().map(|one| finding(source, one))
            });
            let report = Report {
                schema: "tally.check/1",
                files,
                errors,
                warnings,
                diagnostics: findings.collect(),
                left_out: absent.into_iter().map(missing).collect(),
            };
            output::write(&output::json(&report)?, None)?;
        }
        Format::Human => {
            let mut findings = Findings::default();
            for (source, diagnostics) in checked {
                findings.show(&source, diagnostics, &*front());
            }
            findings.end_of_kinds(&*front());
            if let Some(summary) = summary_of_absent(&absent) {
                console::write(&format!(
                    "A run does without these definitions; {summary}\n"
                ));
                for one in &absent {
                    console::write(&format!("  {}\n", printable(&one.line())));
                }
            }
            output::write(&summary(files, errors, warnings), None)?;
        }
    }
    let is_denied = arguments.deny.contains(&Deny::Warnings) && warnings > 0;
    Ok(if errors > 0 || is_denied {
        Exit::Source
    } else {
        Exit::Success
    })
}

/// The named sources with their findings, or those of the project. A named source may use the project's classes.
fn checked(arguments: &CheckArguments) -> Result<Checked, Failure> {
    let named = &arguments.files;
    let files = arguments.dialect.files(&arguments.inside, named, "check")?;
    if files.is_empty() {
        let why =
            "nothing to check: name files, or list them as paths under [project] in tally.toml";
        return Err(Failure::new(Exit::Usage, why));
    }
    let mut checked = diagnose(arguments.dialect.notation(), &files, &*front())?;
    let is_project = named.is_empty() || files != *named;
    if !is_project && named.iter().any(|name| Path::new(name).is_dir()) {
        // The files of a folder that is no project may be programs of their own.
        for (_, found) in &mut checked.sources {
            found.retain(|one| !(one.code == "W0315" && one.message.starts_with("two files")));
        }
    }
    if !named.is_empty() && files != *named {
        let roots: Vec<PathBuf> = named.iter().map(|name| inside::whole(name)).collect();
        let takes_input = named.iter().any(|name| name == "-");
        let is_meant = |name: &str| {
            let whole = inside::whole(name);
            let is_input = takes_input && name.starts_with('<');
            is_input || roots.iter().any(|root| whole.starts_with(root))
        };
        checked.sources.retain(|(source, _)| is_meant(&source.name));
        checked.absent.retain(|one| is_meant(&one.file));
    } else if !arguments.inside.no_project {
        // What another project is warned of is not for this one to mend.
        let project = Project::here(&tally_workbench::Quiet)?;
        let dependencies = project.dependencies(&tally_workbench::Quiet)?;
        let is_error = |found: &Vec<Diagnostic>| found.iter().any(Diagnostic::is_error);
        checked.sources.retain(|(source, found)| {
            is_error(found) || !dependencies.hold(Path::new(&source.name))
        });
    }
    Ok(checked)
}

fn summary(files: usize, errors: usize, warnings: usize) -> String {
    let counted = |count: usize, what: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {what}{plural}")
    };
    format!(
        "{}: {}, {}\n",
        counted(files, "file"),
        counted(errors, "error"),
        counted(warnings, "warning")
    )
}

fn missing(one: Absent) -> Missing {
    let Absent {
        what,
        code,
        file,
        line,
        ..
    } = one;
    Missing {
        code,
        what,
        file,
        line,
    }
}

fn range(source: &Source, span: tally_compiler::ast::Span) -> Range {
    let (line, column) = line_column(&source.text, span.start);
    let (end_line, end_column) = line_column(&source.text, span.end);
    Range {
        line,
        column,
        end_line,
        end_column,
    }
}

fn finding(source: &Source, diagnostic: &Diagnostic) -> Finding {
    let others = diagnostic.secondary.iter().map(|other| Other {
        range: range(source, other.span),
        label: other.label.clone(),
    });
    Finding {
        code: diagnostic.code,
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        file: source.name.clone(),
        range: range(source, diagnostic.span),
        message: diagnostic.message.clone(),
        label: diagnostic.label.clone(),
        others: others.collect(),
        notes: diagnostic.notes.clone(),
        help: diagnostic.help.clone(),
    }
}
