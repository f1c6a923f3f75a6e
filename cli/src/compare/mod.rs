//! `tally compare`: the counts of two versions, method by method, their causes, and a verdict on request. A side is a revision,
//! the work tree, or a saved profile. Two traces are compared by their critical paths.

mod arguments;
mod report;
mod side;
mod timelines;
mod verdict;

use tally_comparison::explanation::{Explanation, explain};
use tally_comparison::{Difference, Rule, costs_of_both, difference};
use tally_profiler::Ending;
use tally_study::Calibration;
use tally_study::prices::Counts;
use tally_study::report::estimated_change;

pub(crate) use self::arguments::CompareArguments;
use self::report::Report;
use self::side::Sides;
use crate::calibrate::{counts_of, own_calibration};
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use tally_workbench::project::Project;

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    if let Some(traces) = timelines::traces(arguments)? {
        return timelines::compare(arguments, traces);
    }
    report::check_files(arguments.format, &arguments.outputs)?;
    let calibration = arguments.estimate_time.then(own_calibration).transpose()?;
    let sides = Sides::of(arguments)?;
    let found = difference(&sides.old.measurement, &sides.new.measurement);
    if let Some(reason) = found.incomparable.iter().find(|why| why.is_absolute()) {
        return Err(Failure::new(Exit::Incomparable, reason.to_string()));
    }
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
    if let Some(calibration) = calibration {
        estimate(&sides, &calibration);
    }
    if sides.is_of_project {
        worst(&found, &explanation)?;
    }
    verdict::verdict(&violations)
}

/// Prints the estimated times of the runs that both sides have.
fn estimate(sides: &Sides, calibration: &Calibration) {
    let sides = costs_of_both(&sides.old.measurement, &sides.new.measurement);
    if !sides.iter().flatten().all(|cost| cost.is_full()) {
        console::warning("a side has no work, from which times are estimated");
        return;
    }
    let [before, after] = sides.map(|costs| {
        let mut sum = Counts::new();
        for (counter, count) in costs.into_iter().flat_map(counts_of) {
            *sum.entry(counter).or_default() += count;
        }
        sum
    });
    console::write(&estimated_change(&before, &after, calibration));
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
        let why = "counts differ although everything that was loaded and read is the same: tally verify shows the first send that differs";
        return Err(Failure::new(Exit::Nondeterministic, why));
    }
    if difference.runs.is_empty() && difference.early_runs.is_empty() {
        let why =
            "nothing ran on both sides: their tests have other names, or one side is a script";
        return Err(Failure::new(Exit::Incomparable, why));
    }
    let failed = failing_now(difference);
    if failed.is_empty() {
        return Ok(());
    }
    let all_are = |ending: Ending| failed.iter().all(|(_, other)| *other == ending);
    let (exit, ended) = match () {
        () if all_are(Ending::Limit) => (Exit::Limit, "reached a limit"),
        () if all_are(Ending::Counted) => (Exit::Counted, "fails by counts"),
        () => (Exit::Failed, "did not end well"),
    };
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    let why = format!("on the new side {} {ended}", names.join(", "));
    Err(Failure::new(exit, why))
}

/// The runs of the new side that did not end well.
fn failing_now(difference: &Difference) -> Vec<(&str, Ending)> {
    let both = difference
        .runs
        .iter()
        .map(|run| (run.name.as_str(), run.endings.1));
    let added = difference.added_runs.iter();
    let early = difference.early_runs.iter();
    let early = early.map(|run| (run.name.as_str(), run.endings.1));
    let all = both
        .chain(early)
        .chain(added.map(|run| (run.name.as_str(), run.ending)));
    let failed = all.filter(|(_, ending)| *ending != Ending::Finished);
    let named = failed.map(|(name, ending)| match name {
        "" => ("the run", ending),
        name => (name, ending),
    });
    named.collect()
}
