//! The findings: sentences that are computed from the figures, so that each has support in the data.

mod costs;
mod counts;
mod times;

use tally_presentation::{counted, grouped};

use crate::data::NORMAL;
use crate::results::Study;

pub(super) use times::{rate_extremes, sends_model, vector_model};

/// Names that a sentence holds; of more it says how many.
const NAMED: usize = 6;
/// From this factor on, a model's prediction of a counterexample counts as a failure.
pub(super) const FAILS: f64 = 2.0;

/// The findings, the most important first.
pub(super) fn findings(study: &Study) -> Vec<String> {
    let parts: [fn(&Study) -> Option<String>; 14] = [
        what_was_measured,
        counts::variation_of_counts,
        counts::elsewhere,
        times::correlation,
        times::closest,
        times::spread,
        times::prediction,
        times::work,
        times::held_out,
        times::over_methods,
        counts::stability,
        costs::cost_of_counting,
        costs::cost_by_methods,
        costs::failures,
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

/// The greatest of the numbers that there are.
pub(super) fn greatest(numbers: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    numbers.into_iter().flatten().max_by(f64::total_cmp)
}

/// How far off a factor is, whichever way: 2 for both 2 and ½.
pub(super) fn off(factor: Option<f64>) -> f64 {
    match factor {
        Some(factor) if factor > 0.0 && factor.is_finite() => factor.max(1.0 / factor),
        _ => 0.0,
    }
}
