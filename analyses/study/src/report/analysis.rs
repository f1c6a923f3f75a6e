//! The analysis behind the figures: the applications that cause a missed target, and the counts in which these stand out.

use tally_presentation::counted;
use tally_presentation::figure::{fixed, measure, signed, times};

use super::findings::{listed, rate_extremes, sends_model, vector_model};
use crate::data::Cost;
use crate::results::{ApplicationRow, MethodModelRow, NamedError, Study};
use crate::statistics::pearson;

/// Applications that are looked at.
const WORST: usize = 3;
/// Rates that are less than this factor apart need no reason.
const WIDE_APART: f64 = 1.5;
/// From here on a part of the vector stands out, as a factor of the median application's.
const STANDS_OUT: f64 = 2.0;

/// Who lies far from the line, and why.
pub(super) fn over_applications(study: &Study) -> Vec<String> {
    let sentences = [
        residuals(study),
        floor(study),
        influence(study),
        weight(study),
        rates(study),
    ];
    sentences.into_iter().flatten().collect()
}

/// The largest residuals.
fn residuals(study: &Study) -> Option<String> {
    let mut rows: Vec<(&ApplicationRow, f64)> = study
        .applications
        .iter()
        .filter_map(|row| row.residual.map(|residual| (row, residual)))
        .collect();
    rows.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    rows.truncate(WORST);
    let names: Vec<String> = rows
        .iter()
        .map(|(row, residual)| format!("{} ({} %)", row.name, signed(*residual)))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "The line with intercept leaves most unexplained of the time of {}.",
            listed(&names)
        )
    })
}

/// The effect of the line's intercept on short applications.
fn floor(study: &Study) -> Option<String> {
    let line = study.over_applications.as_ref()?.with_intercept.as_ref()?;
    let nothing = -line.intercept / line.slope;
    if !nothing.is_finite() || line.slope <= 0.0 {
        return None;
    }
    let effect = match nothing > 0.0 {
        true => "nothing is predicted to be shorter",
        false => "short applications are predicted to take less than no time",
    };
    let shorter: Vec<&str> = study
        .applications
        .iter()
        .map(|row| (row.name.as_str(), row.seconds * 1000.0))
        .chain(
            study
                .held_out
                .iter()
                .map(|row| (row.name.as_str(), row.milliseconds)),
        )
        .filter(|(_, milliseconds)| *milliseconds < nothing.abs())
        .map(|(name, _)| name)
        .collect();
    let shorter = match shorter.is_empty() {
        true => String::new(),
        false => format!(
            ". Shorter than its intercept stands for: {}",
            listed(&shorter)
        ),
    };
    Some(format!(
        "Read backwards, that line gives {} ms to a program that sends nothing, so that {effect}{shorter}.",
        measure(nothing)
    ))
}

/// The application without which r would differ most.
fn influence(study: &Study) -> Option<String> {
    let regression = study.over_applications.as_ref()?;
    let r = regression.correlation.pearson?;
    let points: Vec<(f64, f64)> = regression
        .points
        .iter()
        .map(|point| (point.milliseconds, point.sends))
        .collect();
    let without = |out: usize| {
        let others = points.iter().enumerate().filter(|(index, _)| *index != out);
        let others: Vec<(f64, f64)> = others.map(|(_, point)| *point).collect();
        Some((out, pearson(&others)?))
    };
    let (out, other) = (0..points.len())
        .filter_map(without)
        .max_by(|(_, a), (_, b)| (a - r).abs().total_cmp(&(b - r).abs()))?;
    Some(format!(
        "No application has more influence on r than {}: without it r would be {} and not {}. It stays in.",
        regression.points.get(out)?.name,
        fixed(other, 4),
        fixed(r, 4)
    ))
}

/// How much of all time the longest applications have: what Pearson's r is made of.
fn weight(study: &Study) -> Option<String> {
    let seconds = |row: &ApplicationRow| row.seconds.max(0.0);
    let all: f64 = study.applications.iter().map(seconds).sum();
    let mut rows: Vec<&ApplicationRow> = study.applications.iter().collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let (first, last) = (rows.first()?, rows.last()?);
    if rows.len() <= WORST || all <= 0.0 || last.seconds <= 0.0 {
        return None;
    }
    let longest: f64 = rows.iter().take(WORST).map(|row| seconds(row)).sum();
    Some(format!(
        "The {WORST} longest of {} applications have {} % of all the time, and the longest runs {} times as long as the shortest: Pearson's r speaks of these, the errors with one left out of all.",
        rows.len(),
        fixed(longest / all * 100.0, 0),
        times(first.seconds / last.seconds)
    ))
}

/// What the applications with the extreme rates do more of.
fn rates(study: &Study) -> Option<String> {
    let (lowest, highest) = rate_extremes(study)?;
    let is_far = lowest.rate * WIDE_APART < highest.rate;
    if study.applications.len() < 3 || !is_far {
        return None;
    }
    let both = [(lowest, "the lowest"), (highest, "the highest")];
    let each: Vec<String> = both
        .iter()
        .filter_map(|(row, which)| {
            let profile = stands_out(study, row)?;
            Some(format!("{} ({which} rate) {profile}", row.name))
        })
        .collect();
    (!each.is_empty()).then(|| format!("By what they do for each send: {}.", each.join("; ")))
}

/// What of the cost vector an application has much more or much less of for each send than the median application.
fn stands_out(study: &Study, row: &ApplicationRow) -> Option<String> {
    let own = row.cost.as_ref()?;
    let mut parts = Vec::new();
    for (name, of) in PARTS {
        let costs = study
            .applications
            .iter()
            .filter_map(|row| row.cost.as_ref());
        let mut all: Vec<f64> = costs.filter_map(|cost| for_each_send(cost, of)).collect();
        all.sort_by(f64::total_cmp);
        let median = all.get(all.len() / 2).copied()?;
        let here = for_each_send(own, of)?;
        let is_far = here > median * STANDS_OUT || here * STANDS_OUT < median;
        if is_far {
            parts.push(format!(
                "{} {name} (median {})",
                measure(here),
                measure(median)
            ));
        }
    }
    Some(match parts.is_empty() {
        true => "has as much of everything for each send as others within a factor of 2, so that it is what its primitives do, or the kind of its sends, that differs".to_string(),
        false => format!("has {}", parts.join(", ")),
    })
}

type Part = (&'static str, fn(&Cost) -> u64);

const PARTS: [Part; 6] = [
    ("steps", |cost| cost.steps),
    ("loop repetitions", |cost| cost.loops),
    ("blocks", |cost| cost.blocks),
    ("objects", |cost| cost.objects),
    ("bytes", |cost| cost.bytes),
    ("primitives", |cost| cost.primitives),
];

#[expect(clippy::cast_precision_loss, reason = "for a sentence")]
fn for_each_send(cost: &Cost, of: fn(&Cost) -> u64) -> Option<f64> {
    (cost.sends > 0).then(|| of(cost) as f64 / cost.sends as f64)
}

/// How the methods' line stands to the applications'.
pub(super) fn over_methods(study: &Study) -> Vec<String> {
    let slope = |study: &Study| {
        let methods = study.over_methods.first()?.line.as_ref()?.slope;
        let applications = study.over_applications.as_ref()?.through_origin.slope;
        (applications > 0.0).then(|| methods / applications)
    };
    let ratio = slope(study).map(|ratio| {
        format!(
            "The slope over methods is {} times that over applications. A method's total time and its total sends are of the same activations here, so that both slopes are rates of the same machine.",
            times(ratio)
        )
    });
    ratio.into_iter().collect()
}

/// The errors that the cost vector reduces, and the errors that it does not.
pub(super) fn models(study: &Study) -> Vec<String> {
    let (Some(sends), Some(vector)) = (sends_model(study), vector_model(study)) else {
        return Vec::new();
    };
    let sends_worst = worst(&sends.leave_one_out.errors);
    let vector_worst = worst(&vector.leave_one_out.errors);
    let error_by_vector = |name: &str| {
        let errors = vector.leave_one_out.errors.iter();
        errors
            .clone()
            .find(|error| error.name == name)
            .map(|error| error.error)
    };
    let mended: Vec<String> = sends_worst
        .iter()
        .filter_map(|error| {
            let by_vector = error_by_vector(&error.name)?;
            Some(format!(
                "{} {} % ({} % by sends)",
                error.name,
                signed(by_vector),
                signed(error.error)
            ))
        })
        .collect();
    let left: Vec<String> = vector_worst
        .iter()
        .map(|error| format!("{} ({} %)", error.name, signed(error.error)))
        .collect();
    let mut sentences = vec![format!(
        "Where {} is off most, {} is off by: {}. It is itself off most for {}.",
        sends.name,
        vector.name,
        listed(&mended),
        listed(&left)
    )];
    sentences.extend(over_own_methods(study));
    sentences
}

/// In how many applications the vector is better about methods.
fn over_own_methods(study: &Study) -> Option<String> {
    let rows = &study.method_models;
    let count = |is_better: fn(f64, f64) -> bool, of: fn(&MethodModelRow) -> Option<(f64, f64)>| {
        let pairs = rows.iter().filter_map(of);
        let better = pairs
            .clone()
            .filter(|(vector, sends)| is_better(*vector, *sends));
        (better.count(), pairs.count())
    };
    let (higher, known) = count(
        |vector, sends| vector > sends,
        |row| Some((row.by_vector?, row.by_sends?)),
    );
    let (lower, with_errors) = count(
        |vector, sends| vector < sends,
        |row| Some((row.error_by_vector?, row.error_by_sends?)),
    );
    (known > 0).then(|| {
        format!(
            "Over methods the vector's r is higher than that of sends alone in {higher} of {}, its median error lower in {lower} of {with_errors}.",
            counted(known as u64, "application", "applications"),
        )
    })
}

fn worst(errors: &[NamedError]) -> Vec<&NamedError> {
    let mut errors: Vec<&NamedError> = errors.iter().collect();
    errors.sort_by(|a, b| b.error.abs().total_cmp(&a.error.abs()));
    errors.truncate(WORST);
    errors
}
