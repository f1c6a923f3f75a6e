//! `tally compare`: what two versions cost, method by method, and why; and a verdict when one is asked for. A side is a revision,
//! the work tree, or a saved profile.

mod report;
mod side;
mod tests_from;
mod verdict;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tally_comparison::explanation::{Explanation, explain};
use tally_comparison::{Difference, Rule, Show, difference};
use tally_profiler::Ending;

use self::report::Report;
use self::side::Sides;
use self::tests_from::TestsFrom;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::front::front;
use crate::subject::SubjectArguments;
use tally_workbench::project::Project;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally compare [OPTIONS] <A> [B] [-- <ARGS>...]",
    after_help = "A and B are revisions (HEAD~1, v1.2), WORKTREE for the files as they are, merge-base:REV for the commit at which \
HEAD has left the line of REV, or saved profiles (.tally, .json). What is not known is run in folders of its own; the checkout, \
the index and the stash stay as they are.\n\
Rules are a count, a relation and a bound: 'sends>+0', 'total(Json*)>+1%', 'test(*Test>>*)>+0', 'allocations>+100', 'any'. \
Without --fail-on those of tally.toml hold, if revisions are compared."
)]
pub(crate) struct CompareArguments {
    /// What to compare with
    #[arg(value_name = "A")]
    old: String,
    /// What to compare; the work tree if not given
    #[arg(value_name = "B")]
    new: Option<String>,
    /// Whose tests are run, if both sides have some
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "SIDE",
        help_heading = "What runs"
    )]
    tests_from: TestsFrom,
    /// Tell which changes the differences come of, all of them, or those of a test or a method alone
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    explain: Option<String>,
    /// Exit with code 3 if this holds (may be repeated)
    #[arg(long, value_name = "RULE", value_parser = verdict::rule)]
    fail_on: Vec<Rule>,
    /// Which tests, methods and classes are shown
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    show: Showing,
    /// Compare even when counting model or library differ
    #[arg(long)]
    force: bool,
    /// Show N of each; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: ReportFormat,
    /// Write it to a file too, as its name ends: .md, .html, .json or .txt (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
    #[command(flatten)]
    subject: SubjectArguments,
}

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Showing {
    // What differs
    #[default]
    Changed,
    // What sends more
    Worse,
    // What sends fewer
    Better,
    // All
    All,
}

impl From<Showing> for Show {
    fn from(showing: Showing) -> Show {
        match showing {
            Showing::Changed => Show::Changed,
            Showing::Worse => Show::Worse,
            Showing::Better => Show::Better,
            Showing::All => Show::All,
        }
    }
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    // For people
    #[default]
    Human,
    // For programs
    Json,
    // For a pull request
    Md,
}

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    report::check_files(&arguments.outputs)?;
    let sides = Sides::of(arguments)?;
    let found = difference(&sides.old.measurement, &sides.new.measurement);
    if !found.incomparable.is_empty() && !arguments.force {
        for reason in &found.incomparable {
            console::error(&format!("{reason}; --force compares all the same"));
        }
        return Err(Failure::silent(Exit::Incomparable));
    }
    let explanation = explain(&sides.old.measurement, &sides.new.measurement);
    let violations = verdict::violations(&rules(arguments, &sides)?, &found);
    let report = Report {
        arguments,
        sides: &sides,
        difference: &found,
        explanation: &explanation,
        violations: &violations,
    };
    report.write()?;
    if sides.is_of_project {
        worst(&found, &explanation)?;
    }
    verdict::verdict(&violations)
}

/// The rules of the command line, or those of the project where versions of it are compared.
fn rules(arguments: &CompareArguments, sides: &Sides) -> Result<Vec<Rule>, Failure> {
    if !arguments.fail_on.is_empty() || !sides.is_of_project {
        return Ok(arguments.fail_on.clone());
    }
    Ok(Project::here(&*front())?.settings.fail_on)
}

/// Fails if the comparison itself is in doubt: a test that fails on the new side wins over a count, and so does a count that
/// changed although nothing did that it could depend on.
fn worst(difference: &Difference, explanation: &Explanation) -> Result<(), Failure> {
    if explanation.is_unexplained() {
        let why = "counts differ although nothing that was loaded or read does: tally verify tells at which send they part";
        return Err(Failure::new(Exit::Nondeterministic, why));
    }
    if difference.runs.is_empty() {
        let why =
            "nothing ran on both sides: their tests have other names, or one side is a script";
        return Err(Failure::new(Exit::Incomparable, why));
    }
    let failed = failing_now(difference);
    if failed.is_empty() {
        return Ok(());
    }
    let is_limit = failed.iter().all(|(_, ending)| *ending == Ending::Limit);
    let exit = if is_limit { Exit::Limit } else { Exit::Failed };
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    let why = format!("on the new side {} did not end well", names.join(", "));
    Err(Failure::new(exit, why))
}

/// The runs of the new side that did not end well.
fn failing_now(difference: &Difference) -> Vec<(&str, Ending)> {
    let both = difference
        .runs
        .iter()
        .map(|run| (run.name.as_str(), run.endings.1));
    let added = difference.added_runs.iter();
    let all = both.chain(added.map(|run| (run.name.as_str(), run.ending)));
    let failed = all.filter(|(_, ending)| *ending != Ending::Finished);
    let named = failed.map(|(name, ending)| match name {
        "" => ("the run", ending),
        name => (name, ending),
    });
    named.collect()
}
