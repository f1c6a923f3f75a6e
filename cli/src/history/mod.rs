//! `tally history`: what the commits of a range cost, each measured once. What is known is not run again.

mod html;
mod report;

use std::path::{Path, PathBuf};

use clap::Args;

use self::report::{Point, Report};
use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::hidden;
use crate::progress::Progress;
use crate::quantity::QuantityArguments;
use crate::subject::SubjectArguments;
use crate::{console, output};
use tally_workbench::ErrorKind;
use tally_workbench::measuring::{Measuring, Quantity};
use tally_workbench::revisions::git::{self, Revision};
use tally_workbench::revisions::{Repository, Version};

/// The endings of names of files that a history is written to.
const ENDINGS: [&str; 5] = ["html", "svg", "json", "txt", "htm"];
/// Commits that are looked at if no range says which.
const MOST: usize = 30;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally history [OPTIONS] [RANGE] [--test <TEST> | --method <METHOD>] [-- <ARGS>...]",
    after_help = "Commits are those of the range along first parents: v1..HEAD, or the last ones up to a revision. A commit whose \
sources do not load has no count; the report says so, and it is no failure. Tests that do not come to their end are in no sum. A difference is over the tests of both commits."
)]
pub(crate) struct HistoryArguments {
    /// From one revision to another (v1..HEAD), or up to one
    #[arg(value_name = "RANGE", default_value = "HEAD")]
    range: String,
    /// Look at the last N commits of the range
    #[arg(short = 'n', long, value_name = "N", help = format!("Look at the last N commits of the range; {MOST} if it is no range"))]
    last: Option<usize>,
    #[command(flatten)]
    quantity: QuantityArguments,
    /// How the history is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write it to a file too, as its name ends: .html is a page with a line per test, .svg a plot, .json for programs, .txt for people (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
    #[command(flatten)]
    subject: SubjectArguments,
}

pub(crate) fn history(arguments: &HistoryArguments) -> Result<Exit, Failure> {
    let repository = Repository::here()?;
    let most = arguments
        .last
        .unwrap_or(match arguments.range.contains("..") {
            true => usize::MAX,
            false => MOST,
        });
    for path in &arguments.outputs {
        output::ending(path, &ENDINGS)?;
    }
    let commits = git::commits_of_range(&repository.root, &arguments.range, most)?;
    if commits.is_empty() {
        let why = format!("{} holds no commits", arguments.range);
        return Err(Failure::new(Exit::Nothing, why));
    }
    let subject = arguments.subject.subject();
    let quantity = arguments.quantity.quantity();
    let worker = hidden::measuring()?;
    let measuring = Measuring::new(
        &subject,
        Some(&repository),
        Path::new(""),
        &worker,
        &front(),
    )?;
    let mut points = Vec::new();
    let progress = Progress::new(commits.len());
    for revision in commits {
        progress.step(format!("{} {}", revision.short, revision.subject));
        points.push(point(&measuring, &quantity, revision)?);
        progress.done();
    }
    drop(progress);
    if points.iter().all(|point| !point.has_quantity) && points.iter().any(Point::was_measured) {
        return Err(quantity.unknown().into());
    }
    let report = Report::new(&quantity, &subject, points);
    let text = match arguments.format {
        Format::Human => report.text(console::results_page()),
        Format::Json => output::json(&report)?,
    };
    output::write(&text, None)?;
    for path in &arguments.outputs {
        let text = match output::ending(path, &ENDINGS)? {
            // It is there already.
            None => continue,
            Some("svg") => report.svg(),
            Some("html" | "htm") => report.html(),
            Some("json") => output::json(&report)?,
            Some(_) => report.text(tally_presentation::Page::default()),
        };
        output::write(&text, Some(path))?;
    }
    Ok(report.exit())
}

/// What a commit costs.
fn point(
    measuring: &Measuring<'_>,
    quantity: &Quantity,
    revision: Revision,
) -> Result<Point, Failure> {
    match measuring.measure(&Version::Revision(revision.clone())) {
        Ok(measured) => {
            let measurement = &measured.measurement;
            let counts = quantity.by_run(measurement);
            let mut point = Point::new(revision, counts, measured.ran, measurement);
            point.has_quantity = quantity.is_in(measurement);
            Ok(point)
        }
        Err(error) => {
            // What does not compile, or is not there, was not run.
            let ran = matches!(
                error.kind(),
                ErrorKind::Failed | ErrorKind::Limit | ErrorKind::Memory | ErrorKind::Exited(_)
            );
            Ok(Point::broken(revision, error.of_version()?, ran))
        }
    }
}
