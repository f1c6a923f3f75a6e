//! What was found, in sentences that are worked out from the figures: nothing is said that the data does not say.

use tally_profiler::grouped;

use super::number::{Style, counted, fixed, signed, times, variation};
use super::table::range;
use super::tables;
use crate::data::{Form, NORMAL};
use crate::results::{
    ApplicationRow, CostTable, CounterexampleRow, HeldOut, LeaveOneOut, ModelRow, Study,
};
use crate::statistics::median;

/// Names that a sentence holds; of more it says how many.
const NAMED: usize = 6;
/// From here on a model's prediction of a counterexample counts as one that fails, as a factor.
pub(super) const FAILS: f64 = 2.0;

/// The findings, the most important first.
pub(super) fn findings(study: &Study) -> Vec<String> {
    let parts: [fn(&Study) -> Option<String>; 12] = [
        what_was_measured,
        variation_of_counts,
        elsewhere,
        correlation,
        spread,
        prediction,
        held_out,
        over_methods,
        stability,
        cost_of_counting,
        cost_by_methods,
        failures,
    ];
    parts.iter().filter_map(|part| part(study)).collect()
}

/// `a, b and c`; of many the first, and how many more there are.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        all if all.len() > NAMED => {
            let more = all.len() - NAMED;
            format!("{} and {more} more", all[..NAMED].join(", "))
        }
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn what_was_measured(study: &Study) -> Option<String> {
    let rows = &study.applications;
    let (least, most) = (
        rows.iter().map(|row| row.runs).min()?,
        rows.iter().map(|row| row.runs).max()?,
    );
    let runs = match least == most {
        true => counted(least, "time", "times"),
        false => format!("{} to {} times", grouped(least), grouped(most)),
    };
    let tests = rows
        .iter()
        .fold(0, |sum: u64, row| sum.saturating_add(row.tests));
    let context = study.contexts.iter().find(|context| context.name == NORMAL);
    let place = context.map_or(String::new(), |context| {
        format!(
            " on {}, {} (tally {}, {})",
            known(&context.processor, "an unknown processor"),
            known(&context.system, "an unknown system"),
            context.tally,
            known(&context.build, "an unknown build"),
        )
    });
    let others = study.invariance.len().saturating_sub(1);
    let elsewhere = match others {
        0 => String::new(),
        others => format!(
            " and in {}",
            counted(others as u64, "other context", "other contexts")
        ),
    };
    Some(format!(
        "{} with {} ran {runs} each, in a process of its own every time,{place}{elsewhere}.",
        counted(rows.len() as u64, "application", "applications"),
        counted(tests, "test", "tests"),
    ))
}

fn known<'t>(text: &'t str, otherwise: &'t str) -> &'t str {
    if text.is_empty() { otherwise } else { text }
}

fn variation_of_counts(study: &Study) -> Option<String> {
    let rows = &study.applications;
    if rows.is_empty() || rows.iter().all(|row| row.runs < 2) {
        return None;
    }
    let summary = study.summary.as_ref()?;
    let time = format!(
        "time varied by {} % in the mean{}",
        variation(summary.time_variation),
        extremes(rows, |row| row.time_variation)
    );
    let varying: Vec<&ApplicationRow> = rows
        .iter()
        .filter(|row| row.sends_variation > Some(0.0))
        .collect();
    if varying.is_empty() {
        let all = counted(rows.len() as u64, "application", "applications");
        return Some(format!(
            "Every run of all {all} sent the same number of messages: the variation of counts is exactly 0, while {time}."
        ));
    }
    let names: Vec<String> = varying
        .iter()
        .map(|row| format!("{} ({} %)", row.name, variation(row.sends_variation)))
        .collect();
    let ratio = summary.ratio.map_or(String::new(), |ratio| {
        format!(" Sends are {} times as stable as time.", times(ratio))
    });
    Some(format!(
        "The sends of {} of {} applications differ from run to run: {}; {time}.{ratio}",
        varying.len(),
        rows.len(),
        listed(&names)
    ))
}

/// ` (0.21 % for a to 4.00 % for b)`.
fn extremes(rows: &[ApplicationRow], of: fn(&ApplicationRow) -> Option<f64>) -> String {
    let known = || rows.iter().filter_map(|row| Some((row, of(row)?)));
    let least = known().min_by(|(_, a), (_, b)| a.total_cmp(b));
    let most = known().max_by(|(_, a), (_, b)| a.total_cmp(b));
    match (least, most) {
        (Some((first, least)), Some((last, most))) if rows.len() > 1 => format!(
            " ({} % for {} to {} % for {})",
            variation(least),
            first.name,
            variation(most),
            last.name
        ),
        _ => String::new(),
    }
}

fn elsewhere(study: &Study) -> Option<String> {
    if study.invariance.is_empty() {
        return None;
    }
    let runs = study
        .invariance
        .iter()
        .fold(0, |sum: u64, row| sum.saturating_add(row.runs));
    let differing: Vec<String> = study
        .invariance
        .iter()
        .filter(|row| !row.differing.is_empty())
        .map(|row| format!("{} ({})", row.context, listed(&row.differing)))
        .collect();
    let contexts: Vec<&str> = study
        .invariance
        .iter()
        .map(|row| row.context.as_str())
        .collect();
    Some(match differing.is_empty() {
        true => format!(
            "Sends, loop repetitions, objects and bytes were the same in all {}, however the applications were run, in {}: {}.",
            counted(runs, "run", "runs"),
            counted(contexts.len() as u64, "context", "contexts"),
            contexts.join(", ")
        ),
        false => format!(
            "Counts differ from those of the first run in {} of {}: {}.",
            differing.len(),
            counted(contexts.len() as u64, "context", "contexts"),
            listed(&differing)
        ),
    })
}

fn correlation(study: &Study) -> Option<String> {
    let regression = study.over_applications.as_ref()?;
    let r = &regression.correlation;
    Some(format!(
        "Over {} sends and time go together with r = {} (ranks {}, logarithms {}); the line through the origin is {} sends a millisecond, 95 % interval {}.",
        counted(
            regression.points.len() as u64,
            "application",
            "applications"
        ),
        fixed(r.pearson, 4),
        fixed(r.rank, 4),
        fixed(r.logarithms, 4),
        fixed(regression.through_origin.slope, 0),
        range(regression.through_origin.slope_interval, Style::Whole),
    ))
}

fn spread(study: &Study) -> Option<String> {
    let (lowest, highest) = rate_extremes(study)?;
    if study.applications.len() < 2 {
        return None;
    }
    let apart = match lowest.rate > 0.0 {
        true => format!(
            ", so that a send of the one takes {} times as long as a send of the other",
            times(highest.rate / lowest.rate)
        ),
        false => String::new(),
    };
    Some(format!(
        "The rate is no constant: from {} sends a millisecond ({}) to {} ({}){apart}; its coefficient of variation over the applications is {} %.",
        fixed(lowest.rate, 0),
        lowest.name,
        fixed(highest.rate, 0),
        highest.name,
        fixed(
            study
                .summary
                .as_ref()
                .and_then(|summary| summary.rate_variation),
            1
        ),
    ))
}

/// The applications with the lowest and with the highest rate.
pub(super) fn rate_extremes(study: &Study) -> Option<(&ApplicationRow, &ApplicationRow)> {
    let rows = study.applications.iter();
    let lowest = rows.clone().min_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let highest = rows.max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    Some((lowest, highest))
}

fn prediction(study: &Study) -> Option<String> {
    let (sends, vector) = (sends_model(study), vector_model(study));
    if let Some(sends) = sends {
        let vector = vector.map_or(String::new(), |vector| {
            format!(
                " {} is off by {} % in the median{}.",
                capitalised(&vector.name),
                fixed(vector.leave_one_out.median, 1),
                worst(&vector.leave_one_out)
            )
        });
        return Some(format!(
            "Predicted from all others by {}, an application's time is off by {} % in the median{}.{vector}",
            sends.name,
            fixed(sends.leave_one_out.median, 1),
            worst(&sends.leave_one_out),
        ));
    }
    let out = &study.over_applications.as_ref()?.leave_one_out;
    (!out.errors.is_empty()).then(|| {
        format!(
            "Predicted from all others by their sends alone, an application's time is off by {} % in the median{}.",
            fixed(out.median, 1),
            worst(out)
        )
    })
}

fn worst(out: &LeaveOneOut) -> String {
    out.worst.as_ref().map_or(String::new(), |worst| {
        format!(", the worst, {}, by {} %", worst.name, signed(worst.error))
    })
}

/// The model that goes by sends alone, which stands first.
pub(super) fn sends_model(study: &Study) -> Option<&ModelRow> {
    let row = study.models.first()?;
    (!row.leave_one_out.errors.is_empty()).then_some(row)
}

/// The model that may use most of the cost vector, if there is another one beside sends alone.
pub(super) fn vector_model(study: &Study) -> Option<&ModelRow> {
    let others = study.models.get(1..)?;
    let row = others.iter().max_by_key(|row| row.regressors.len())?;
    (!row.leave_one_out.errors.is_empty()).then_some(row)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next();
    first.map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn held_out(study: &Study) -> Option<String> {
    let rows = &study.held_out;
    let inside = rows
        .iter()
        .filter(|row| row.is_inside == Some(true))
        .count();
    let error = |row: &HeldOut, predicted: Option<f64>| {
        let predicted = predicted.filter(|_| row.milliseconds > 0.0)?;
        Some((predicted / row.milliseconds - 1.0).abs() * 100.0)
    };
    let by = |of: fn(&HeldOut) -> Option<f64>| {
        let errors = rows.iter().filter_map(|row| error(row, of(row)));
        median(&errors.collect::<Vec<f64>>())
    };
    let errors = [
        ("that line", by(|row| row.predicted)),
        (
            "sends alone",
            by(|row| row.by_sends.map(|estimate| estimate.milliseconds)),
        ),
        (
            "the cost vector",
            by(|row| row.by_vector.map(|estimate| estimate.milliseconds)),
        ),
    ];
    let errors: Vec<String> = errors
        .iter()
        .filter_map(|(name, error)| Some(format!("{} % by {name}", fixed(Some((*error)?), 1))))
        .collect();
    let errors = match errors.is_empty() {
        true => String::new(),
        false => format!("; in the median the error is {}", listed(&errors)),
    };
    (!rows.is_empty()).then(|| {
        format!(
            "Of {} that had no share in the line, the time of {} falls inside the interval that the line with intercept gives{errors}.",
            counted(rows.len() as u64, "application", "applications"),
            if inside == 0 {
                "none".to_string()
            } else {
                inside.to_string()
            },
        )
    })
}

fn over_methods(study: &Study) -> Option<String> {
    let shown = study.over_methods.first()?;
    let r = shown.correlation.as_ref()?;
    let others: Vec<f64> = study
        .over_methods
        .iter()
        .skip(1)
        .filter_map(|row| row.correlation.as_ref().and_then(|r| r.pearson))
        .collect();
    let least = others.iter().copied().min_by(f64::total_cmp);
    let most = others.iter().copied().max_by(f64::total_cmp);
    let others = match (least, most) {
        (Some(only), Some(_)) if others.len() == 1 => format!(
            "; in the only other application with enough methods to tell r is {}",
            fixed(only, 4)
        ),
        (Some(least), Some(most)) => format!(
            "; in the {} with enough methods to tell r is between {} and {}",
            counted(
                others.len() as u64,
                "other application",
                "other applications"
            ),
            fixed(least, 4),
            fixed(most, 4)
        ),
        _ => String::new(),
    };
    Some(format!(
        "Over the {} of {} that are known well enough, total sends and total time go together with r = {}{others}.",
        counted(shown.points.len() as u64, "method", "methods"),
        shown.application,
        fixed(r.pearson, 4),
    ))
}

fn stability(study: &Study) -> Option<String> {
    let rows = &study.stability;
    let counted_most = greatest(
        rows.iter()
            .flat_map(|row| [row.counted_total, row.counted_own]),
    );
    let sampled: Vec<f64> = rows
        .iter()
        .flat_map(|row| [row.sampled_total, row.sampled_own])
        .flatten()
        .collect();
    let counts = match counted_most? {
        0.0 => "Rankings of methods by counts are the same in every profile of every application (ψ¹⁰ = 0)".to_string(),
        most => {
            let moving: Vec<&str> = rows
                .iter()
                .filter(|row| greatest([row.counted_total, row.counted_own]) > Some(0.0))
                .map(|row| row.application.as_str())
                .collect();
            format!(
                "Rankings of methods by counts differ between profiles of {} (ψ¹⁰ up to {})",
                listed(&moving),
                variation(most)
            )
        }
    };
    let least = sampled.iter().copied().min_by(f64::total_cmp);
    let most = sampled.iter().copied().max_by(f64::total_cmp);
    let random = greatest(rows.iter().map(|row| Some(row.random)));
    let samples = match (least, most) {
        (Some(least), Some(most)) => format!(
            "; by samples ψ¹⁰ is between {} and {}",
            variation(least),
            variation(most)
        ),
        _ => String::new(),
    };
    let random = random.map_or(String::new(), |random| {
        format!(", random rankings reach {}", fixed(random, 1))
    });
    Some(format!("{counts}{samples}{random}."))
}

/// The greatest of the numbers that there are.
pub(super) fn greatest(numbers: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    numbers.into_iter().flatten().max_by(f64::total_cmp)
}

fn cost_of_counting(study: &Study) -> Option<String> {
    let costs = &study.counting;
    let intervals = costs.rows.iter().filter_map(|row| row.interval);
    let unclear = intervals
        .clone()
        .filter(|ends| ends.low <= 0.0 && ends.high >= 0.0);
    let clear = match intervals.clone().count() {
        0 => String::new(),
        all => format!(
            "; for {} of {} the 95 % interval includes 0",
            unclear.count(),
            counted(all as u64, "application", "applications")
        ),
    };
    (!costs.rows.is_empty()).then(|| {
        format!(
            "Counting sends costs {} % of the time in the mean ({} % to {} %){clear}.",
            signed(costs.mean),
            signed(costs.lowest),
            signed(costs.highest)
        )
    })
}

fn cost_by_methods(study: &Study) -> Option<String> {
    let tables = study
        .profiling
        .iter()
        .filter(|costs| !costs.rows.is_empty());
    let each: Vec<String> = tables.map(one_cost).collect();
    (!each.is_empty()).then(|| {
        format!(
            "Counting by methods costs, in the median: {}.",
            each.join("; ")
        )
    })
}

fn one_cost(costs: &CostTable) -> String {
    let with = match costs.form {
        Form::Recorded => "the recorder",
        other => tables::form(other),
    };
    format!(
        "{with} {} % ({} % to {} %)",
        signed(costs.median),
        signed(costs.lowest),
        signed(costs.highest)
    )
}

fn failures(study: &Study) -> Option<String> {
    let mut failing: Vec<&CounterexampleRow> = study
        .counterexamples
        .iter()
        .filter(|row| off(row.factor_by_sends) >= FAILS)
        .collect();
    if study.counterexamples.is_empty() {
        return None;
    }
    failing.sort_by(|a, b| off(b.factor_by_sends).total_cmp(&off(a.factor_by_sends)));
    let each: Vec<String> = failing
        .iter()
        .map(|row| {
            format!(
                "{} {} (by the vector {})",
                row.name,
                factor(row.factor_by_sends),
                times(row.factor_by_vector)
            )
        })
        .collect();
    let vector = study
        .counterexamples
        .iter()
        .filter(|row| off(row.factor_by_vector) >= FAILS)
        .count();
    Some(match failing.is_empty() {
        true => format!(
            "None of {} built to break the proxy is off by a factor of {} or more.",
            counted(study.counterexamples.len() as u64, "program", "programs"),
            times(FAILS)
        ),
        false => format!(
            "Where the proxy fails: of {} built to break it, {} {} off by a factor of 2 or more by sends alone, {vector} by the cost vector. Measured to predicted: {}.",
            counted(study.counterexamples.len() as u64, "program", "programs"),
            failing.len(),
            if failing.len() == 1 { "is" } else { "are" },
            listed(&each)
        ),
    })
}

/// How far off a factor is, whichever way: 2 for both 2 and ½.
pub(super) fn off(factor: Option<f64>) -> f64 {
    match factor {
        Some(factor) if factor > 0.0 && factor.is_finite() => factor.max(1.0 / factor),
        _ => 0.0,
    }
}

fn factor(factor: Option<f64>) -> String {
    format!("{} times", times(factor))
}
