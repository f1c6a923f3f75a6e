//! Findings about the cost of counting, and about programs whose counts mislead.

use tally_presentation::counted;
use tally_presentation::figure::{signed, times};

use super::{FAILS, listed, off};
use crate::data::Form;
use crate::report::tables;
use crate::results::{CostTable, CounterexampleRow, Study};

pub(super) fn cost_of_counting(study: &Study) -> Option<String> {
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

pub(super) fn cost_by_methods(study: &Study) -> Option<String> {
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

pub(super) fn failures(study: &Study) -> Option<String> {
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

fn factor(factor: Option<f64>) -> String {
    format!("{} times", times(factor))
}
