//! The targets of the study, the figures reached, and the verdicts.

use tally_presentation::figure::{Style, fixed, signed};
use tally_presentation::table::{Table, Value};

use super::findings::{greatest, sends_model, vector_model};
use crate::analysis::WORK;
use crate::data::{Form, Role};
use crate::results::{CostTable, Interval, Study};

/// Limits, each a figure of the design.
const METHOD_CORRELATION: f64 = 0.97;
/// By work, the median errors in per cent of the basket and of programs that are held out, and the spread of the rate.
const BASKET_ERROR: f64 = 12.0;
const HELD_OUT_ERROR: f64 = 10.0;
const SPREAD: f64 = 0.25;
/// The same, most of any application of the basket in per cent, and of any counter-example as a factor.
const WORST_ERROR: f64 = 40.0;
const WORST_FACTOR: f64 = 2.0;
const COUNTING: f64 = 1.0;
const RECORDER_MEDIAN: f64 = 15.0;

/// A target: its name, its limit, the measured figure, the verdict.
struct Target {
    what: &'static str,
    limit: String,
    measured: Option<(String, Verdict)>,
}

/// Whether a target is met.
#[derive(Clone, Copy)]
enum Verdict {
    Met,
    Missed,
    /// The limit is inside the figure's interval.
    Undetermined,
}

impl Verdict {
    /// By a figure that is known exactly.
    fn of(is_met: bool) -> Verdict {
        match is_met {
            true => Verdict::Met,
            false => Verdict::Missed,
        }
    }

    /// By a figure of which the interval is known, which is to be at most `most`.
    fn at_most(most: f64, interval: Interval) -> Verdict {
        match (interval.low <= most, interval.high <= most) {
            (_, true) => Verdict::Met,
            (false, _) => Verdict::Missed,
            (true, false) => Verdict::Undetermined,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
            Verdict::Undetermined => "undetermined",
        }
    }
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
            Some((measured, verdict)) => (Value::from(measured), verdict.name()),
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
    let zero =
        |number: Option<f64>, style: Style| number.map(|n| (style.show(n), Verdict::of(n == 0.0)));
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
                .then(|| (differing.to_string(), Verdict::of(differing == 0))),
        },
        Target {
            what: "ψ¹⁰ of rankings by counts, the most of any application",
            limit: "0".to_string(),
            measured: zero(unstable, Style::Variation),
        },
    ]
}

fn times(study: &Study) -> Vec<Target> {
    let mut targets = Vec::from(of_work(study));
    targets.push(of_methods(study));
    targets.extend(of_the_vector(study));
    targets
}

/// How well work stands for time.
fn of_work(study: &Study) -> [Target; 6] {
    let row = |role: Role| {
        let mut rows = study.proxies.iter();
        rows.find(|row| row.group == role.group() && row.number == WORK)
    };
    let median = |role: Role, most: f64| {
        let row = row(role)?;
        judged(row.leave_one_out.median, row.median_interval, 1, " %", most)
    };
    let basket = row(Role::Basket);
    let spread = basket.and_then(|row| judged(row.spread, row.spread_interval, 2, "", SPREAD));
    let worst = basket.and_then(|row| row.leave_one_out.worst.as_ref());
    let errors = row(Role::Counterexample).map(|row| &row.leave_one_out.errors);
    let factors = errors
        .into_iter()
        .flatten()
        .map(|error| (factor(error.error), &error.name));
    let factor = factors.max_by(|(one, _), (other, _)| one.total_cmp(other));
    [
        Target {
            what: "median error of work, each application of the basket left out",
            limit: format!("≤ {BASKET_ERROR:.0} %"),
            measured: median(Role::Basket, BASKET_ERROR),
        },
        Target {
            what: "the same over programs that are held out",
            limit: format!("≤ {HELD_OUT_ERROR:.0} %"),
            measured: median(Role::HeldOut, HELD_OUT_ERROR),
        },
        Target {
            what: "the same over programs that were written when the weights stood",
            limit: format!("≤ {HELD_OUT_ERROR:.0} %"),
            measured: median(Role::Blind, HELD_OUT_ERROR),
        },
        Target {
            what: "spread of time to work over the basket",
            limit: format!("≤ {SPREAD:.2}"),
            measured: spread,
        },
        Target {
            what: "error of work for any application of the basket",
            limit: format!("≤ {WORST_ERROR:.0} %"),
            measured: worst.map(|worst| {
                let text = format!("{} % ({})", signed(worst.error), worst.name);
                (text, Verdict::of(worst.error.abs() <= WORST_ERROR))
            }),
        },
        Target {
            what: "factor by which work is off for any counter-example",
            limit: format!("≤ {WORST_FACTOR:.0}"),
            measured: factor.map(|(factor, name)| {
                let text = format!("{} ({name})", fixed(factor, 2));
                (text, Verdict::of(factor <= WORST_FACTOR))
            }),
        },
    ]
}

/// A figure with its interval, which is to be at most `most`.
fn judged(
    figure: Option<f64>,
    interval: Option<Interval>,
    decimals: usize,
    unit: &str,
    most: f64,
) -> Option<(String, Verdict)> {
    let (figure, interval) = (figure?, interval?);
    let [low, figure, high] = [interval.low, figure, interval.high].map(|n| fixed(n, decimals));
    let text = format!("{figure}{unit} ({low} to {high})");
    Some((text, Verdict::at_most(most, interval)))
}

/// An error in per cent as a factor of at least 1.
fn factor(error: f64) -> f64 {
    let factor = 1.0 + error / 100.0;
    factor.max(factor.recip())
}

/// How well the count of sends stands for the time of methods.
fn of_methods(study: &Study) -> Target {
    let of_methods = study
        .over_methods
        .first()
        .and_then(|row| row.correlation.as_ref())
        .and_then(|r| r.pearson);
    Target {
        what: "correlation over the methods of the application that is shown",
        limit: format!("≥ {METHOD_CORRELATION:.2}"),
        measured: of_methods.map(|r| (fixed(r, 4), Verdict::of(r >= METHOD_CORRELATION))),
    }
}

/// How much better the cost vector does.
fn of_the_vector(study: &Study) -> [Target; 3] {
    let (sends, vector) = (sends_model(study), vector_model(study));
    let higher = |of: fn(&crate::results::ModelRow) -> Option<f64>,
                  is_better: fn(f64, f64) -> bool,
                  decimals| {
        let (sends, vector) = (of(sends?)?, of(vector?)?);
        let text = format!("{} and {}", fixed(vector, decimals), fixed(sends, decimals));
        Some((text, Verdict::of(is_better(vector, sends))))
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
                Some((text, Verdict::of(vector > sends)))
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
        Some((format!("{} %", signed(cost)), Verdict::of(cost <= most)))
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
