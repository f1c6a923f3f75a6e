//! Sends against time: the lines over applications and over methods, and their predictions.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::report::beside::{self, points_of_table_2};
use crate::results::{Correlation, HeldOut, LeaveOneOut, Line, MethodRegression, Study};
use crate::{paper, statistics};

/// The lines over the applications.
pub(crate) fn regression(study: &Study) -> Table {
    let mut table = Table::new(
        "regression",
        "Figure 1: sends against time over the applications",
        "x is time in milliseconds, y sends; intervals are of 95 % confidence by Student's t. Long programs dominate Pearson's r: ranks, logarithms and leaving one out do not forgive the short ones.",
    )
    .name("figure")
    .number("here, through the origin", "", Style::Measure)
    .number("here, with intercept", "", Style::Measure)
    .number("paper, published", "", Style::Measure)
    .number("its Table 2, through the origin", "", Style::Measure)
    .number("its Table 2, with intercept", "", Style::Measure);
    let Some(regression) = &study.over_applications else {
        return table;
    };
    let points = points_of_table_2();
    let lines = [
        Some(regression.through_origin.clone()),
        regression.with_intercept.clone(),
        Some(published()),
        statistics::through_origin(&points),
        statistics::with_intercept(&points),
    ];
    push_lines(&mut table, &lines);
    push_correlations(
        &mut table,
        &regression.correlation,
        &statistics::correlation(&points),
    );
    push_errors(&mut table, &regression.leave_one_out);
    table.note(beside::regression())
}

/// The published line, with the published statistics only.
fn published() -> Line {
    Line {
        intercept: paper::LINE.intercept,
        slope: paper::LINE.slope,
        through_origin: false,
        error: paper::LINE.error,
        slope_error: paper::LINE.slope_error,
        slope_interval: paper::LINE.slope_interval,
        degrees: paper::ROWS.len() as f64 - 2.0,
    }
}

/// Adds the properties of lines, side by side.
fn push_lines(table: &mut Table, lines: &[Option<Line>]) {
    let mut row = |name: &str, of: &dyn Fn(&Line) -> Value| {
        let figures = lines
            .iter()
            .map(|line| line.as_ref().map_or(Value::Absent, of));
        table.row(std::iter::once(Value::from(name)).chain(figures));
    };
    row("slope, sends/ms", &|line| {
        Value::styled(line.slope, Style::Fixed(2))
    });
    row("its 95 % interval", &|line| {
        Value::StyledRange(line.slope_interval, Style::Whole)
    });
    row("intercept, sends", &|line| match line.through_origin {
        true => Value::Blank,
        false => Value::styled(line.intercept, Style::Whole),
    });
    row("s_e, sends", &|line| {
        Value::styled(line.error, Style::Whole)
    });
    row("s_b, sends/ms", &|line| {
        Value::styled(line.slope_error, Style::Fixed(3))
    });
    row("degrees of freedom", &|line| {
        Value::styled(line.degrees, Style::Whole)
    });
}

fn push_correlations(table: &mut Table, here: &Correlation, there: &Correlation) {
    let mut row = |name: &str, [here, published, there]: [Option<f64>; 3]| {
        let [here, there] = [here, there].map(|r| Value::styled(r, Style::Fixed(4)));
        let published = published.map_or(Value::Blank, |r| Value::styled(r, Style::Fixed(2)));
        table.row([Value::from(name), here, Value::Blank, published, there]);
    };
    let published = Some(paper::LINE.correlation);
    row("Pearson's r", [here.pearson, published, there.pearson]);
    row("rank correlation", [here.rank, None, there.rank]);
    row(
        "r of the logarithms",
        [here.logarithms, None, there.logarithms],
    );
}

fn push_errors(table: &mut Table, out: &LeaveOneOut) {
    if let Some(median) = out.median {
        table.row([
            Value::from("median error, one left out, %"),
            Value::styled(median, Style::Fixed(1)),
        ]);
    }
    if let Some(worst) = &out.worst {
        table.row([
            Value::from(format!("worst error, one left out, %: {}", worst.name)),
            Value::styled(worst.error, Style::Signed),
        ]);
    }
}

/// The applications that had no share in the line.
pub(crate) fn held_out(study: &Study) -> Table {
    let mut table = Table::new(
        "held-out",
        "Held-out applications, predicted",
        "By the line with intercept, read backwards with the slope and with both ends of its interval, as the paper does; and by the models of sends alone and of the cost vector, which have no intercept.",
    )
    .name("application")
    .number("sends", "", Style::Whole)
    .number("measured", "ms", Style::Measure)
    .number("s", "ms", Style::Measure)
    .number("predicted", "ms", Style::Measure)
    .number("error", "%", Style::Signed)
    .range("interval", "ms", Style::Measure)
    .words("inside")
    .number("by sends alone", "ms", Style::Measure)
    .range("its interval", "ms", Style::Measure)
    .number("by the vector", "ms", Style::Measure)
    .range("the vector's interval", "ms", Style::Measure);
    for row in &study.held_out {
        table.row([
            Value::from(row.name.as_str()),
            Value::from(row.sends),
            Value::from(row.milliseconds),
            Value::from(row.deviation),
            Value::from(row.predicted),
            error(row),
            Value::from(row.interval),
            Value::yes(row.is_inside),
            Value::from(row.by_sends.map(|estimate| estimate.milliseconds)),
            Value::from(row.by_sends.map(|estimate| estimate.interval)),
            Value::from(row.by_vector.map(|estimate| estimate.milliseconds)),
            Value::from(row.by_vector.map(|estimate| estimate.interval)),
        ]);
    }
    table.note(beside::held_out())
}

/// Predicted to measured, less 1, in per cent.
fn error(row: &HeldOut) -> Value {
    let predicted = row.predicted.filter(|_| row.milliseconds > 0.0);
    Value::from(predicted.map(|predicted| (predicted / row.milliseconds - 1.0) * 100.0))
}

/// The lines over the methods of each application.
pub(crate) fn methods(study: &Study) -> Table {
    let mut table = Table::new(
        "methods",
        "Figure 2: sends against time over methods",
        "A method's total sends against its total time, which comes from samples: the methods that were met often enough, with all that they cause. Totals contain each other, so that points are not independent and the intervals are narrower than they should be.",
    )
    .name("application")
    .number("methods", "", Style::Whole)
    .number("samples at least", "", Style::Whole)
    .number("slope", "sends/ms", Style::Whole)
    .range("its 95 % interval", "", Style::Whole)
    .number("r", "", Style::Fixed(4))
    .number("ranks", "", Style::Fixed(4))
    .number("logarithms", "", Style::Fixed(4));
    for row in &study.over_methods {
        table.row(method_row(row));
    }
    table.note(beside::methods())
}

fn method_row(row: &MethodRegression) -> [Value; 8] {
    let line = row.line.as_ref();
    let correlation = row.correlation.as_ref();
    [
        Value::from(row.application.as_str()),
        Value::from(row.points.len() as u64),
        Value::from(row.least_samples),
        Value::from(line.map(|line| line.slope)),
        Value::from(line.map(|line| line.slope_interval)),
        Value::from(correlation.map(|r| r.pearson)),
        Value::from(correlation.map(|r| r.rank)),
        Value::from(correlation.map(|r| r.logarithms)),
    ]
}
