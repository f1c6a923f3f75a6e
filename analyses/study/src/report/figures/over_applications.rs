//! Figures whose points are applications: Figure 1, rates, predictions, and failed predictions.

use tally_presentation::figure::{fixed, measure, signed, times};
use tally_presentation::plot::{
    Axis, Dot, Figure, Points, RowKind, RowOf, Rows, Scatter, Shape, Straight,
};

use crate::report::findings::{sends_model, vector_model};
use crate::report::tables::error_of;
use crate::results::{ModelRow, Point, Study};

/// Names that a scatter plot holds at most.
const NAMES: usize = 40;

/// Figure 1.
pub(super) fn sends_and_time(study: &Study, is_logarithmic: bool) -> Option<Figure> {
    let regression = study.over_applications.as_ref()?;
    let axis = if is_logarithmic {
        Axis::logarithmic
    } else {
        Axis::linear
    };
    let points = &regression.points;
    let line = |name: &str, class, line: &crate::results::Line| Straight {
        name: name.to_string(),
        class,
        intercept: line.intercept,
        slope: line.slope,
    };
    let through = line(
        "through the origin",
        "second line",
        &regression.through_origin,
    );
    let with_intercept = regression.with_intercept.as_ref();
    let with_intercept = with_intercept.map(|found| line("with intercept", "third dashed", found));
    let scatter = Scatter {
        title: match is_logarithmic {
            true => "Figure 1: sends against time, logarithmic".to_string(),
            false => "Figure 1: sends against time".to_string(),
        },
        across: (
            "time, ms",
            axis(points.iter().map(|point| point.milliseconds).collect()),
        ),
        upwards: (
            "sends",
            axis(points.iter().map(|point| point.sends).collect()),
        ),
        series: vec![Points {
            name: "application".to_string(),
            class: "first",
            shape: Shape::Circle,
            dots: points.iter().map(dot).collect(),
        }],
        lines: [through].into_iter().chain(with_intercept).collect(),
        curves: Vec::new(),
        names: NAMES,
    };
    let (stem, caption) = match is_logarithmic {
        true => (
            "figure-1-logarithmic",
            "The same with both axes logarithmic: a constant rate is a slope of 1, and short applications are seen as well as long ones. A line with intercept bends here.",
        ),
        false => (
            "figure-1",
            "Each point is an application: mean time of its tests against its sends. A name without room appears when the pointer is on its point, and in the logarithmic figure.",
        ),
    };
    Some(Figure::of_scatter(stem, caption, &scatter))
}

/// A point with what it says.
pub(super) fn dot(point: &Point) -> Dot {
    Dot {
        name: point.name.clone(),
        title: format!(
            "{}: {} ms, {} sends",
            point.name,
            measure(point.milliseconds),
            fixed(point.sends, 0)
        ),
        x: point.milliseconds,
        y: point.sends,
    }
}

/// Sends a millisecond of each application.
pub(super) fn rates(study: &Study) -> Option<Figure> {
    if study.applications.is_empty() {
        return None;
    }
    let mean = study.summary.as_ref().map(|summary| summary.mean_rate);
    let mut applications: Vec<_> = study.applications.iter().collect();
    applications.sort_by(|a, b| b.rate.total_cmp(&a.rate).then_with(|| a.name.cmp(&b.name)));
    let rows = Rows {
        title: "Sends a millisecond".to_string(),
        across: (
            "sends a millisecond",
            Axis::linear(applications.iter().map(|row| row.rate).collect()),
        ),
        kinds: vec![RowKind {
            name: "application",
            class: "first",
            shape: Shape::Circle,
        }],
        rows: applications
            .iter()
            .map(|row| RowOf {
                name: row.name.clone(),
                values: vec![Some((row.rate, format!("{} sends/ms", fixed(row.rate, 0))))],
            })
            .collect(),
        down: mean
            .map(|mean| (mean, format!("mean, {}", fixed(mean, 0))))
            .into_iter()
            .collect(),
        is_bars: false,
    };
    Some(Figure::of_rows(
        "rates",
        "Were a send a constant time, all points would stand on the line.",
        &rows,
    ))
}

/// Predicted against measured times, each application left out of the model that predicts it.
pub(super) fn predictions(study: &Study) -> Option<Figure> {
    let sends = sends_model(study)?;
    let vector = vector_model(study);
    let mut series = vec![predicted(study, sends, "second", Shape::Diamond, true)];
    if let Some(vector) = vector {
        series.push(predicted(study, vector, "first", Shape::Circle, false));
    }
    let dots = || series.iter().flat_map(|series| &series.dots);
    dots().next()?;
    let axis = Axis::logarithmic(dots().flat_map(|dot| [dot.x, dot.y]).collect());
    let scatter = Scatter {
        title: "Predicted against measured time, each left out".to_string(),
        across: ("measured, ms", axis),
        upwards: ("predicted, ms", axis),
        series,
        lines: vec![Straight {
            name: "as measured".to_string(),
            class: "third dashed",
            intercept: 0.0,
            slope: 1.0,
        }],
        curves: Vec::new(),
        names: NAMES * 2,
    };
    Some(Figure::of_scatter(
        "predictions",
        "Each application is predicted from all others. On the dashed line prediction and measurement are the same; above it the model takes the application to be slower than it is.",
        &scatter,
    ))
}

/// The points of a model; one set of names is enough.
fn predicted(
    study: &Study,
    row: &ModelRow,
    class: &'static str,
    shape: Shape,
    is_named: bool,
) -> Points {
    let dots = study.applications.iter().filter_map(|application| {
        let error = error_of(&row.leave_one_out, &application.name)?;
        let measured = application.seconds * 1000.0;
        let predicted = measured * (1.0 + error / 100.0);
        Some(Dot {
            name: if is_named {
                application.name.clone()
            } else {
                String::new()
            },
            title: format!(
                "{}, {}: {} ms measured, {} predicted ({} %)",
                application.name,
                row.name,
                measure(measured),
                measure(predicted),
                signed(error)
            ),
            x: measured,
            y: predicted,
        })
    });
    Points {
        name: row.name.clone(),
        class,
        shape,
        dots: dots.collect(),
    }
}

/// Measured to predicted times of the counterexamples.
pub(super) fn counterexamples(study: &Study) -> Option<Figure> {
    let programs = &study.counterexamples;
    if programs.is_empty() {
        return None;
    }
    let factors = programs
        .iter()
        .flat_map(|row| [row.factor_by_sends, row.factor_by_vector, Some(1.0)]);
    let value = |factor: Option<f64>| {
        let factor = factor.filter(|factor| factor.is_finite() && *factor > 0.0)?;
        Some((factor, format!("{} times", times(factor))))
    };
    let kind = |name, class, shape| RowKind { name, class, shape };
    let rows = Rows {
        title: "Where the proxy fails: measured to predicted time".to_string(),
        across: (
            "measured to predicted time",
            Axis::logarithmic(factors.flatten().collect()),
        ),
        kinds: vec![
            kind("by sends alone", "second", Shape::Diamond),
            kind("by the cost vector", "first", Shape::Circle),
        ],
        rows: programs
            .iter()
            .map(|row| RowOf {
                name: row.name.clone(),
                values: vec![value(row.factor_by_sends), value(row.factor_by_vector)],
            })
            .collect(),
        down: vec![(1.0, "as predicted".to_string())],
        is_bars: false,
    };
    Some(Figure::of_rows(
        "counterexamples",
        "At 1 the time is what the basket's model says; at 10 the program takes ten times as long.",
        &rows,
    ))
}
