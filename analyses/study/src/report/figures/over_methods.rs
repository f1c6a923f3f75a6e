//! Figures about methods: Figure 2, and the stability of rankings.

use tally_presentation::figure::{measure, variation};
use tally_presentation::plot::{
    Axis, Dot, Figure, Points, RowKind, RowOf, Rows, Scatter, Shape, Straight,
};

use super::over_applications::dot;
use crate::results::Study;

/// Names of methods that a plot holds at most.
const NAMES: usize = 14;

/// Figure 2, of the application that is shown first.
pub(super) fn sends_and_time(study: &Study, is_logarithmic: bool) -> Option<Figure> {
    let methods = study.over_methods.first()?;
    if methods.points.is_empty() {
        return None;
    }
    let axis = if is_logarithmic {
        Axis::logarithmic
    } else {
        Axis::linear
    };
    let mut points: Vec<_> = methods.points.iter().collect();
    points.sort_by(|a, b| {
        b.milliseconds
            .total_cmp(&a.milliseconds)
            .then_with(|| a.name.cmp(&b.name))
    });
    let dots: Vec<Dot> = points.iter().map(|point| dot(point)).collect();
    let line = methods.line.as_ref().map(|line| Straight {
        name: "through the origin".to_string(),
        class: "second line",
        intercept: line.intercept,
        slope: line.slope,
    });
    let kind = if is_logarithmic { ", logarithmic" } else { "" };
    let scatter = Scatter {
        title: format!("Figure 2: the methods of {}{kind}", methods.application),
        across: (
            "total time, ms",
            axis(dots.iter().map(|dot| dot.x).collect()),
        ),
        upwards: ("total sends", axis(dots.iter().map(|dot| dot.y).collect())),
        series: vec![Points {
            name: "method".to_string(),
            class: "first",
            shape: Shape::Circle,
            dots,
        }],
        lines: line.into_iter().collect(),
        curves: Vec::new(),
        names: NAMES,
    };
    let (stem, caption) = match is_logarithmic {
        true => (
            "figure-2-logarithmic",
            "The same with both axes logarithmic.",
        ),
        false => (
            "figure-2",
            "Each point is a method: its time by samples against its sends, with all that it causes. The slowest are named.",
        ),
    };
    Some(Figure::of_scatter(stem, caption, &scatter))
}

/// ψ¹⁰ of counts, samples and random rankings.
pub(super) fn stability(study: &Study) -> Option<Figure> {
    if study.stability.is_empty() {
        return None;
    }
    let kind = |name, class| RowKind {
        name,
        class,
        shape: Shape::Circle,
    };
    let value = |psi: Option<f64>| {
        psi.filter(|psi| psi.is_finite()).map(|psi| {
            (
                psi,
                if psi == 0.0 {
                    variation(psi)
                } else {
                    measure(psi)
                },
            )
        })
    };
    let rows: Vec<RowOf> = study
        .stability
        .iter()
        .map(|row| RowOf {
            name: row.application.clone(),
            values: vec![
                value(row.counted_total),
                value(row.sampled_total),
                value(Some(row.random)),
            ],
        })
        .collect();
    let values = rows.iter().flat_map(|row| row.values.iter().flatten());
    let rows = Rows {
        across: (
            "ψ¹⁰; 0 is perfectly stable",
            Axis::linear(values.map(|(psi, _)| *psi).collect()),
        ),
        title: "Stability of rankings by total".to_string(),
        kinds: vec![
            kind("counts", "first"),
            kind("samples", "second"),
            kind("random", "third"),
        ],
        rows,
        down: Vec::new(),
        is_bars: true,
    };
    Some(Figure::of_rows(
        "stability",
        "Rankings of methods by total over repeated profiles. The shorter the bar, the more alike they are.",
        &rows,
    ))
}
