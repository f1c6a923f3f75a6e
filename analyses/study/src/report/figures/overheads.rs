//! Figure 3: the cost of counting by methods, against the time of the application.

use tally_presentation::counted;
use tally_presentation::figure::{measure, signed};
use tally_presentation::plot::{Axis, Dot, Figure, Points, Scatter, Shape};

use crate::report::tables;
use crate::results::{CostRow, CostTable, Study};

/// Names that the plot holds at most.
const NAMES: usize = 30;
/// How the series look, one after the other.
const LOOKS: [(&str, Shape); 3] = [
    ("first", Shape::Circle),
    ("second", Shape::Diamond),
    ("third", Shape::Triangle),
];

/// Figure 3.
pub(super) fn overheads(study: &Study, is_logarithmic: bool) -> Option<Figure> {
    let tables = study
        .profiling
        .iter()
        .filter(|costs| !costs.rows.is_empty());
    let mut series: Vec<Points> = tables
        .zip(LOOKS)
        .map(|(costs, look)| one(costs, look))
        .collect();
    name_highest(&mut series);
    let dots = || series.iter().flat_map(|series| &series.dots);
    dots().next()?;
    let axis = if is_logarithmic {
        Axis::logarithmic
    } else {
        Axis::linear
    };
    let (across, upwards) = (
        axis(dots().map(|dot| dot.x).collect()),
        axis(dots().map(|dot| dot.y).collect()),
    );
    let hidden = dots()
        .filter(|dot| across.part(dot.x).is_none() || upwards.part(dot.y).is_none())
        .count();
    let hidden = match hidden {
        0 => String::new(),
        hidden => format!(
            " {} of 0 or less {} no place here.",
            counted(hidden as u64, "overhead", "overheads"),
            if hidden == 1 { "has" } else { "have" }
        ),
    };
    let kind = if is_logarithmic { ", logarithmic" } else { "" };
    let scatter = Scatter {
        title: format!("Figure 3: overhead of counting by methods against time{kind}"),
        across: ("time without, ms", across),
        upwards: ("overhead, %", upwards),
        series,
        lines: Vec::new(),
        curves: Vec::new(),
        names: NAMES,
    };
    let (stem, caption) = match is_logarithmic {
        true => ("figure-3-logarithmic", format!("The same with both axes logarithmic.{hidden}")),
        false => (
            "figure-3",
            "Each point is an application and a way of counting by methods. The fixed part, installing and finishing, weighs less the longer it runs.".to_string(),
        ),
    };
    Some(Figure::of_scatter(stem, &caption, &scatter))
}

/// Leaves names to the series that reaches highest alone: the same names thrice are in each other's way.
fn name_highest(series: &mut [Points]) {
    let most = |series: &Points| {
        let overheads = series.dots.iter().map(|dot| dot.y);
        overheads
            .max_by(f64::total_cmp)
            .unwrap_or(f64::NEG_INFINITY)
    };
    let highest = series.iter().map(most).enumerate();
    let highest = highest
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(index, _)| index);
    for (index, series) in series.iter_mut().enumerate() {
        if Some(index) != highest {
            series.dots.iter_mut().for_each(|dot| dot.name.clear());
        }
    }
}

fn one(costs: &CostTable, (class, shape): (&'static str, Shape)) -> Points {
    let dot = |row: &CostRow| Dot {
        name: row.name.clone(),
        title: format!(
            "{}, {}: {} % of {} ms",
            row.name,
            tables::form(costs.form),
            signed(row.overhead),
            measure(row.without)
        ),
        x: row.without,
        y: row.overhead,
    };
    Points {
        name: tables::form(costs.form).to_string(),
        class,
        shape,
        dots: costs.rows.iter().map(dot).collect(),
    }
}
