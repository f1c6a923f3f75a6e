//! Findings about counts and time: their correlation, and the errors of predictions.

use tally_presentation::counted;
use tally_presentation::figure::{Style, fixed, signed, times};
use tally_presentation::table::range;

use super::listed;
use crate::analysis::WORK;
use crate::data::Role;
use crate::results::{ApplicationRow, HeldOut, LeaveOneOut, ModelRow, RateRow, Study};
use crate::statistics::median;

/// Correlations that are so far apart are clearly different.
const CLEARLY: f64 = 0.02;

pub(super) fn correlation(study: &Study) -> Option<String> {
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

/// In which context sends and time go together most closely, if that is clearly another than the normal one.
pub(super) fn closest(study: &Study) -> Option<String> {
    let [normal, others @ ..] = study.rates.as_slice() else {
        return None;
    };
    let known = others.iter().filter(|row| row.correlation.is_some());
    let r = |row: &RateRow| row.correlation.unwrap_or(-1.0);
    let closest = known.max_by(|a, b| r(a).total_cmp(&r(b)))?;
    let normally = normal.correlation?;
    (r(closest) > normally + CLEARLY).then(|| {
        format!(
            "In the context {} r is {}, at {} sends a millisecond, and {} at {} in the normal one: how well sends tell the time depends on what the machine makes of them as much as on the programs.",
            closest.context,
            fixed(closest.correlation, 4),
            fixed(closest.rate, 0),
            fixed(normal.correlation, 4),
            fixed(normal.rate, 0),
        )
    })
}

pub(super) fn spread(study: &Study) -> Option<String> {
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
pub(crate) fn rate_extremes(study: &Study) -> Option<(&ApplicationRow, &ApplicationRow)> {
    let rows = study.applications.iter();
    let lowest = rows.clone().min_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let highest = rows.max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    Some((lowest, highest))
}

pub(super) fn prediction(study: &Study) -> Option<String> {
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

/// How well work alone stands for time, beside sends alone.
pub(super) fn work(study: &Study) -> Option<String> {
    let row = |number: &str| {
        let mut rows = study.proxies.iter();
        rows.find(|row| row.group == Role::Basket.group() && row.number == number)
    };
    let (work, sends) = (row(WORK)?, row("sends")?);
    Some(format!(
        "By work alone, with one factor from the others, an application's time is off by {} % in the median{}; by sends in the same way by {} %. The rate of time to work spreads by {}, that to sends by {}.",
        fixed(work.leave_one_out.median, 1),
        worst(&work.leave_one_out),
        fixed(sends.leave_one_out.median, 1),
        fixed(work.spread, 2),
        fixed(sends.spread, 2),
    ))
}

fn worst(out: &LeaveOneOut) -> String {
    out.worst.as_ref().map_or(String::new(), |worst| {
        format!(", the worst, {}, by {} %", worst.name, signed(worst.error))
    })
}

/// The model with sends alone, which stands first.
pub(crate) fn sends_model(study: &Study) -> Option<&ModelRow> {
    let row = study.models.first()?;
    (!row.leave_one_out.errors.is_empty()).then_some(row)
}

/// The model that may use most of the cost vector, if there is another one beside sends alone.
pub(crate) fn vector_model(study: &Study) -> Option<&ModelRow> {
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

pub(super) fn held_out(study: &Study) -> Option<String> {
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

pub(super) fn over_methods(study: &Study) -> Option<String> {
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
