//! The paper's figures beside ours: sentences below tables, made from the printed figures.

use tally_presentation::figure::{Style, fixed, signed, variation};
use tally_presentation::table::range;

use crate::paper;
use crate::statistics;

/// Below Table 2.
pub(super) fn time_and_sends() -> String {
    format!(
        "The paper: 16 applications of 19 ms to 33.7 s, ten runs each; c of time {} % in the mean, c of sends {} %.",
        variation(paper::TIME_VARIATION),
        variation(paper::SENDS_VARIATION)
    )
}

/// Below what Table 2 comes to.
pub(super) fn summary() -> String {
    let rates = rates_of_table_2();
    format!(
        "The paper's abstract says that the message rate is within ±{} %. The rates of its own Table 2 vary by {} %, from {} to {} sends a millisecond.",
        fixed(paper::ABSTRACT_RATE_BOUNDS, 0),
        fixed(statistics::variation(&rates), 0),
        fixed(lowest(&rates), 0),
        fixed(highest(&rates), 0)
    )
}

/// Sends a millisecond of the paper's applications.
pub(super) fn rates_of_table_2() -> Vec<f64> {
    let rows = paper::ROWS.iter();
    rows.map(|row| row.sends / row.milliseconds).collect()
}

/// Time in milliseconds and sends of the paper's applications.
pub(super) fn points_of_table_2() -> Vec<(f64, f64)> {
    let rows = paper::ROWS.iter();
    rows.map(|row| (row.milliseconds, row.sends)).collect()
}

pub(super) fn lowest(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().min_by(f64::total_cmp)
}

pub(super) fn highest(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().max_by(f64::total_cmp)
}

/// Below the regression over applications.
pub(super) fn regression() -> String {
    let points = points_of_table_2();
    let (line, origin) = (
        statistics::with_intercept(&points),
        statistics::through_origin(&points),
    );
    let line = line.as_ref();
    format!(
        "The paper's published line (slope {}, s_e {}, s_b {}) does not follow from its printed Table 2: ordinary least squares on the sixteen printed rows gives the slope {}, the intercept {}, r = {}, s_e {} and s_b {}, and {} through the origin. Its interval does follow from its slope, its s_b and t = {}.",
        fixed(paper::LINE.slope, 2),
        fixed(paper::LINE.error, 0),
        fixed(paper::LINE.slope_error, 2),
        fixed(line.map(|line| line.slope), 2),
        fixed(line.map(|line| line.intercept), 0),
        fixed(statistics::pearson(&points), 5),
        fixed(line.map(|line| line.error), 0),
        fixed(line.map(|line| line.slope_error), 3),
        fixed(origin.map(|line| line.slope), 2),
        fixed(paper::LINE.t, 3)
    )
}

/// Below the held-out applications.
pub(super) fn held_out() -> String {
    let held = paper::GIT_FS;
    format!(
        "The paper: {} with {} sends took {} ms, predicted {} in {}: inside.",
        held.name,
        fixed(held.sends, 0),
        fixed(held.milliseconds, 0),
        fixed(held.predicted, 0),
        range(held.interval, Style::Whole)
    )
}

/// Below the regression over methods.
pub(super) fn methods() -> String {
    format!(
        "The paper: r = {} over the methods of Mondrian, slope {} sends a millisecond, {} times that over applications.",
        fixed(paper::METHOD_CORRELATION, 2),
        fixed(paper::METHOD_SLOPE, 2),
        fixed(paper::METHOD_SLOPE / paper::LINE.slope, 1)
    )
}

/// Below the rates of contexts.
pub(super) fn contexts() -> String {
    let each = paper::RATES.map(|rate| {
        format!(
            "{}: {} sends a millisecond in {}, stability {}",
            rate.about,
            fixed(rate.rate, 2),
            range(rate.interval, Style::Whole),
            fixed(rate.ratio, 2)
        )
    });
    format!("The paper: {}.", each.join("; "))
}

/// Below Table 3.
pub(super) fn counting() -> String {
    let overheads = paper::ROWS.map(|row| row.counting_overhead);
    format!(
        "The paper: {} in the median, {} at most, for an application of 37 ms, where a clock of whole milliseconds is no more precise.",
        percent(statistics::median(&overheads)),
        percent(highest(&overheads))
    )
}

/// Below Table 4.
pub(super) fn wrapping() -> String {
    let overheads = paper::ROWS.map(|row| row.wrapping_overhead);
    format!(
        "The paper, by wrappers on the application: {} in the median, {} to {}; all that run for more than 5 s are below 100 %.",
        percent(statistics::median(&overheads)),
        percent(lowest(&overheads)),
        percent(highest(&overheads))
    )
}

fn percent(number: Option<f64>) -> String {
    format!("{} %", signed(number))
}

/// Below the stability of rankings.
pub(super) fn stability() -> String {
    format!(
        "The paper: {} for counts; {} to {} for samples, {} for PetitParser; {} for random rankings, of how many methods it does not say (it belongs to about 91).",
        fixed(paper::COUNTED_INSTABILITY, 0),
        fixed(paper::SAMPLED_INSTABILITY.low, 0),
        fixed(paper::SAMPLED_INSTABILITY.high, 0),
        fixed(paper::WORST_SAMPLED_INSTABILITY, 0),
        fixed(paper::RANDOM_INSTABILITY, 0)
    )
}

/// Below the messages that are written.
pub(super) fn inlined() -> String {
    format!(
        "The paper: {} % of the messages written in Pharo's library are inlined.",
        fixed(paper::INLINED_SHARE, 0)
    )
}

/// Below memoisation.
pub(super) fn memoisation() -> String {
    let each = paper::SAVINGS.map(|saving| {
        format!(
            "{} saved {} % of the sends and {} % of the time",
            saving.method,
            fixed(saving.sends, 0),
            fixed(saving.time, 0)
        )
    });
    format!("The paper: remembering in {}.", each.join(", in "))
}
