//! The targets of the study, the figures reached, and the verdicts.

use tally_presentation::figure::{Style, fixed, signed};
use tally_presentation::table::{Table, Value};

use super::findings::{greatest, sends_model, vector_model};
use crate::data::Form;
use crate::results::{CostTable, Study};

/// Limits, each a figure of the design.
const CORRELATION: f64 = 0.99;
const METHOD_CORRELATION: f64 = 0.97;
const MEDIAN_ERROR: f64 = 15.0;
const COUNTING: f64 = 1.0;
const RECORDER_MEDIAN: f64 = 15.0;

/// A target: its name, its limit, the measured figure, the verdict.
struct Target {
    what: &'static str,
    limit: String,
    measured: Option<(String, bool)>,
}

pub(super) fn targets(study: &Study) -> Table {
    let mut table = Table::new(
        "targets",
        "Targets",
        "Figures that were set before anything was measured. What is missed is reported as it is.",
    )
    .words("target")
    .words("limit")
    .words("measured")
    .words("");
    if study.applications.is_empty() {
        return table;
    }
    for target in all(study) {
        let (measured, verdict) = match target.measured {
            Some((measured, true)) => (Value::from(measured), "met"),
            Some((measured, false)) => (Value::from(measured), "missed"),
            None => (Value::Absent, "not measured"),
        };
        table.row([
            Value::from(target.what),
            Value::from(target.limit),
            measured,
            Value::from(verdict),
        ]);
    }
    table
}

fn all(study: &Study) -> Vec<Target> {
    let mut targets = Vec::from(counts(study));
    targets.extend(times(study));
    targets.extend(costs(study));
    targets
}

fn counts(study: &Study) -> [Target; 3] {
    let repeated = study.applications.iter().filter(|row| row.runs > 1);
    let varying = greatest(repeated.map(|row| row.sends_variation));
    let differing: usize = study.invariance.iter().map(|row| row.differing.len()).sum();
    let rows = study.stability.iter();
    let unstable = greatest(rows.flat_map(|row| [row.counted_total, row.counted_own]));
    let zero = |number: Option<f64>, style: Style| number.map(|n| (style.show(n), n == 0.0));
    [
        Target {
            what: "variation of sends from run to run, the most of any application",
            limit: "0 %".to_string(),
            measured: zero(varying, Style::Variation).map(|(text, met)| (format!("{text} %"), met)),
        },
        Target {
            what: "applications whose counts differ between contexts or ways of running",
            limit: "0".to_string(),
            measured: (!study.invariance.is_empty())
                .then(|| (differing.to_string(), differing == 0)),
        },
        Target {
            what: "ψ¹⁰ of rankings by counts, the most of any application",
            limit: "0".to_string(),
            measured: zero(unstable, Style::Variation),
        },
    ]
}

fn times(study: &Study) -> Vec<Target> {
    let mut targets = Vec::from(of_sends(study));
    targets.extend(of_the_vector(study));
    targets
}

/// How well the count of sends stands for time.
fn of_sends(study: &Study) -> [Target; 3] {
    let r = study
        .over_applications
        .as_ref()
        .and_then(|r| r.correlation.pearson);
    let of_methods = study
        .over_methods
        .first()
        .and_then(|row| row.correlation.as_ref())
        .and_then(|r| r.pearson);
    let error = sends_model(study).and_then(|row| row.leave_one_out.median);
    let at_least = |number: Option<f64>, least| number.map(|n| (fixed(n, 4), n >= least));
    [
        Target {
            what: "correlation of sends and time over applications",
            limit: format!("≥ {CORRELATION:.2}"),
            measured: at_least(r, CORRELATION),
        },
        Target {
            what: "correlation over the methods of the application that is shown",
            limit: format!("≥ {METHOD_CORRELATION:.2}"),
            measured: at_least(of_methods, METHOD_CORRELATION),
        },
        Target {
            what: "median error of sends alone, each application left out",
            limit: format!("≤ {MEDIAN_ERROR:.0} %"),
            measured: error.map(|e| (format!("{} %", fixed(e, 1)), e <= MEDIAN_ERROR)),
        },
    ]
}

/// How much better the cost vector does.
fn of_the_vector(study: &Study) -> [Target; 3] {
    let (sends, vector) = (sends_model(study), vector_model(study));
    let higher = |of: fn(&crate::results::ModelRow) -> Option<f64>,
                  is_better: fn(f64, f64) -> bool,
                  decimals| {
        let (sends, vector) = (of(sends?)?, of(vector?)?);
        let text = format!("{} and {}", fixed(vector, decimals), fixed(sends, decimals));
        Some((text, is_better(vector, sends)))
    };
    let shown = study.over_methods.first();
    let own = study
        .method_models
        .iter()
        .find(|row| shown.is_some_and(|shown| shown.application == row.application));
    [
        Target {
            what: "correlation of the vector's times beside that of sends alone, over applications",
            limit: "higher".to_string(),
            measured: higher(|row| row.correlation, |vector, sends| vector > sends, 4),
        },
        Target {
            what: "median error of the vector beside that of sends alone, in per cent",
            limit: "lower".to_string(),
            measured: higher(
                |row| row.leave_one_out.median,
                |vector, sends| vector < sends,
                1,
            ),
        },
        Target {
            what: "correlation of own times predicted by the vector beside those by sends alone, over the methods of that application",
            limit: "higher".to_string(),
            measured: own.and_then(|row| {
                let (sends, vector) = (row.by_sends?, row.by_vector?);
                let text = format!("{} and {}", fixed(vector, 4), fixed(sends, 4));
                Some((text, vector > sends))
            }),
        },
    ]
}

fn costs(study: &Study) -> [Target; 2] {
    let tables = study.profiling.iter();
    let recorder = tables
        .filter(|costs| costs.form == Form::Recorded)
        .find(|costs| !costs.rows.is_empty());
    let counting = Some(&study.counting).filter(|costs| !costs.rows.is_empty());
    let at_most = |costs: Option<&CostTable>, of: fn(&CostTable) -> Option<f64>, most: f64| {
        let cost = of(costs?)?;
        Some((format!("{} %", signed(cost)), cost <= most))
    };
    [
        Target {
            what: "time that counting adds, geometric mean",
            limit: format!("≤ {COUNTING:.0} %"),
            measured: at_most(counting, |costs| costs.mean, COUNTING),
        },
        Target {
            what: "time that the recorder adds (built-in wrappers), median",
            limit: format!("≤ {RECORDER_MEDIAN:.0} %"),
            measured: at_most(recorder, |costs| costs.median, RECORDER_MEDIAN),
        },
    ]
}
