//! Tables 3 and 4: the cost of counting, and of counting by methods, from paired rounds.

use super::measured::{Measured, Program};
use crate::data::{Application, Form};
use crate::results::{CostRow, CostTable, Interval};
use crate::statistics::{geometric_mean, median, ratio_of_medians};

/// Table 3: counting against the loop that counts nothing.
pub(super) fn of_counting(measured: &Measured<'_>) -> CostTable {
    table(measured, Form::Counted, Form::Uncounted)
}

/// Table 4: each form of counting by methods against counting alone; forms that were not measured are left out.
pub(super) fn of_profiling(measured: &Measured<'_>) -> Vec<CostTable> {
    let forms = [Form::Recorded, Form::Wrapped, Form::WrappedPackage];
    let tables = forms.map(|form| table(measured, form, Form::Counted));
    let tables = tables.into_iter();
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn table(measured: &Measured<'_>, form: Form, against: Form) -> CostTable {
    let programs = measured.basket.iter();
    let rows: Vec<CostRow> = programs
        .filter_map(|program| row(measured, program, form, against))
        .collect();
    let overheads: Vec<f64> = rows.iter().map(|row| row.overhead).collect();
    let ratios: Vec<f64> = rows.iter().map(|row| row.with / row.without).collect();
    CostTable {
        form,
        against,
        median: median(&overheads),
        lowest: overheads.iter().copied().reduce(f64::min),
        highest: overheads.iter().copied().reduce(f64::max),
        mean: geometric_mean(&ratios).map(in_excess),
        rows,
    }
}

fn row(
    measured: &Measured<'_>,
    program: &Program<'_>,
    form: Form,
    against: Form,
) -> Option<CostRow> {
    let application = program.application;
    let with = measured.times_by_round(application, form);
    let without = measured.times_by_round(application, against);
    let pairs: Vec<(f64, f64)> = with
        .iter()
        .filter_map(|(round, time)| Some((*time, *without.get(round)?)))
        .collect();
    let (with, without): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (with, without) = (median(&with)?, median(&without)?);
    Some(CostRow {
        name: application.name.clone(),
        methods: wrapped_methods(application, form),
        without,
        with,
        overhead: in_excess(with / without),
        interval: ratio_of_medians(&pairs).map(|ratio| Interval {
            low: in_excess(ratio.low),
            high: in_excess(ratio.high),
        }),
    })
}

fn wrapped_methods(application: &Application, form: Form) -> Option<u64> {
    match form {
        Form::Wrapped => Some(application.methods),
        Form::WrappedPackage => Some(application.package_methods),
        _ => None,
    }
}

/// The excess of a ratio over 1, in per cent.
fn in_excess(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0)
}
