//! Two traces of `tally timeline`: the difference of the makespans, by shares of the critical path.

use std::path::Path;

use serde::Serialize;
use tally_comparison::{RuleViolation, TimelineCount};
use tally_presentation::Page;
use tally_timeline::{
    Change, Circumstances, Comparison, Critical, Extent, Figures, Findings, Overview, Side,
};

use super::arguments::{CompareArguments, ReportFormat, Showing, TestsFrom};
use super::verdict;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::timeline::source::{Source, is_trace};
use crate::{console, output};

/// The endings of names of files that a comparison of traces is written to.
const ENDINGS: [&str; 4] = ["md", "json", "csv", "txt"];

/// The comparison as a document of its own; docs/TIMELINE.md describes it.
#[derive(Serialize)]
struct Document<'d> {
    #[serde(flatten)]
    comparison: &'d Comparison,
    violations: &'d [RuleViolation],
}

/// The two traces that are compared; nothing if there is none.
pub(super) fn traces(arguments: &CompareArguments) -> Result<Option<[&str; 2]>, Failure> {
    let old = arguments.old.as_str();
    let new = arguments.new.as_deref();
    match (is_trace(old), new.is_some_and(is_trace)) {
        (false, false) => Ok(None),
        (true, true) => Ok(new.map(|new| [old, new])),
        (old_is, _) => {
            let trace = if old_is { Some(old) } else { new };
            let why = format!(
                "{} is a trace, and is compared with another trace",
                trace.unwrap_or(old)
            );
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// Compares two traces.
pub(super) fn compare(arguments: &CompareArguments, traces: [&str; 2]) -> Result<Exit, Failure> {
    refuse(arguments)?;
    let mut sources = [
        open(traces[0], Exit::Incomparable)?,
        open(traces[1], Exit::Io)?,
    ];
    if let Some(why) = Comparison::refusal(sources[0].head(), sources[1].head()) {
        return Err(Failure::new(Exit::Incomparable, why));
    }
    let figures = [figures(&mut sources[0])?, figures(&mut sources[1])?];
    let side = |at: usize| Side {
        name: traces[at],
        head: sources[at].head(),
        ending: sources[at].ending(),
        figures: &figures[at],
    };
    let comparison = Comparison::new(side(0), side(1));
    for warning in comparison.warnings() {
        console::warning(warning);
    }
    let violations = violations(arguments, &comparison);
    write(arguments, &comparison, &violations)?;
    verdict::verdict(&violations)
}

/// Nothing is run, and traces have no methods.
fn refuse(arguments: &CompareArguments) -> Result<(), Failure> {
    let subject = arguments.subject.subject();
    let runs = !subject.is_tests() || !subject.tests.is_empty() || !subject.filters.is_empty();
    let options = [
        (runs, "what runs"),
        (arguments.tests_from != TestsFrom::Each, "--tests-from"),
        (arguments.explain.is_some(), "--explain"),
        (arguments.estimate_time, "--estimate-time"),
        (arguments.force, "--force"),
        (arguments.event.event.is_some(), "--event"),
    ];
    if let Some((_, option)) = options.iter().find(|(is_given, _)| *is_given) {
        let why = format!("two traces are compared, so there is no place for {option}");
        return Err(Failure::new(Exit::Usage, why));
    }
    let mut files = arguments.outputs.iter();
    files.try_for_each(|path| output::ending(path, &ENDINGS).map(drop))
}

/// Opens a trace; `missing` is the exit code for a file that does not exist.
fn open(file: &str, missing: Exit) -> Result<Source, Failure> {
    if !Path::new(file).exists() {
        let why = format!("cannot read {file}: no such file");
        return Err(Failure::new(missing, why));
    }
    let source = Source::open(file)?;
    source.warn_of_cut();
    Ok(source)
}

/// The figures of a whole run, with its critical path.
fn figures(source: &mut Source) -> Result<Figures, Failure> {
    let (end, circumstances) = (source.end(), Circumstances::of(source.head()));
    let extent = Extent::whole(end);
    let mut overview = Overview::new(extent, None, false).under(circumstances);
    source.replay(&mut overview)?;
    let mut figures = overview.finish();
    let mut critical = Critical::new(extent.window, circumstances);
    source.replay(&mut critical)?;
    let (path, names) = critical.finish(end);
    figures.findings = Some(Findings::new(path, names));
    Ok(figures)
}

/// The violations of the rules. A rule that concerns nothing gets a warning.
fn violations(arguments: &CompareArguments, comparison: &Comparison) -> Vec<RuleViolation> {
    let counts = [
        (TimelineCount::Makespan, comparison.makespan()),
        (TimelineCount::Ticks, comparison.ticks()),
        (TimelineCount::Requests, comparison.requests()),
        (TimelineCount::Waiting, comparison.waiting()),
    ];
    let counts = counts.map(|(count, Change { before, after })| (count, before, after));
    let mut violations = Vec::new();
    for rule in &arguments.fail_on {
        let mut outcome = rule.check_timelines(comparison.is_same(), &counts);
        if outcome.is_idle {
            console::warning(&format!(
                "the rule {rule} is about nothing that traces have"
            ));
        }
        violations.append(&mut outcome.violations);
    }
    violations
}

fn write(
    arguments: &CompareArguments,
    comparison: &Comparison,
    violations: &[RuleViolation],
) -> Result<(), Failure> {
    let limit = (arguments.limit > 0).then_some(arguments.limit);
    let is_wanted = |difference: i128| match arguments.show {
        Showing::Changed => difference != 0,
        Showing::Worse => difference > 0,
        Showing::Better => difference < 0,
        Showing::All => true,
    };
    let text = |page: Page| comparison.text(is_wanted, limit, page);
    let json = || {
        output::json(&Document {
            comparison,
            violations,
        })
    };
    let markdown = || comparison.markdown(is_wanted, limit);
    let csv = || comparison.table(|_| true, None).csv();
    let shown = match arguments.format {
        ReportFormat::Human => text(console::results_page()),
        ReportFormat::Json => json()?,
        ReportFormat::Md => markdown(),
        ReportFormat::Csv => csv(),
    };
    output::write(&shown, None)?;
    for path in &arguments.outputs {
        let shown = match output::ending(path, &ENDINGS)? {
            // It is there already.
            None => continue,
            Some("json") => json()?,
            Some("md") => markdown(),
            Some("csv") => csv(),
            Some(_) => text(Page::default()),
        };
        output::write(&shown, Some(path))?;
    }
    Ok(())
}
