//! The plot of growth as an SVG: a panel for each kind of work, with both axes logarithmic. Time is a multiple of the
//! time at the smallest size, and the expected order is a dashed line.

use std::fmt::Write as _;

use tally_presentation::plot::STYLE;

use crate::growth::Growth;

const PANEL_WIDTH: f64 = 330.0;
const PANEL_HEIGHT: f64 = 430.0;
/// Where the axes stand in a panel.
const LEFT: f64 = 52.0;
const TOP: f64 = 40.0;
const SIDE: f64 = 250.0;
/// Panels beside each other.
const IN_A_ROW: usize = 3;
const HEADING: f64 = 62.0;
/// The classes of series in the style of all plots; the third is that of the expected order.
const SERIES: &[&str] = &[
    "first", "second", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
];

/// What the panels are called.
const TITLES: &[(&str, &str)] = &[
    ("dictionary", "Dictionary and Set"),
    ("keys", "elements in a Set"),
    ("absent keys", "elements that are not in a Set"),
    ("sequence", "OrderedCollection"),
    ("sort", "sorting"),
    ("text", "strings"),
    ("integers", "large integers"),
];

/// The whole picture.
pub fn svg(growths: &[Growth]) -> String {
    let mut panels: Vec<&str> = Vec::new();
    for growth in growths {
        if !panels.contains(&growth.work.panel) {
            panels.push(growth.work.panel);
        }
    }
    let rows = panels.len().div_ceil(IN_A_ROW);
    let width = PANEL_WIDTH * IN_A_ROW as f64 + 10.0;
    let height = PANEL_HEIGHT * rows as f64 + HEADING;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" class=\"plot\" role=\"img\" aria-label=\"Cost grows as the work grows\">\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"20\" y=\"28\">Cost grows as the work grows</text>\n\
         <text class=\"note\" x=\"20\" y=\"48\">Processor time at 1, 10 and 100 times the input, \
         as a multiple of that at 1 time. Dashed: the expected order.</text>\n"
    );
    for (number, name) in panels.iter().enumerate() {
        let x = 10.0 + PANEL_WIDTH * (number % IN_A_ROW) as f64;
        let y = HEADING + PANEL_HEIGHT * (number / IN_A_ROW) as f64;
        let series: Vec<&Growth> = growths
            .iter()
            .filter(|growth| growth.work.panel == *name)
            .collect();
        panel(&mut text, x, y, name, &series);
    }
    text.push_str("</svg>\n");
    text
}

/// Decades that a panel shows upwards.
fn decades(series: &[&Growth]) -> f64 {
    let tops = series.iter().flat_map(|growth| {
        let measured = growth.seconds[2] / growth.seconds[0];
        let order = growth.work.time;
        [
            measured,
            order.cost(growth.sizes[2]) / order.cost(growth.sizes[0]),
        ]
    });
    tops.fold(100.0_f64, f64::max).log10().ceil()
}

fn panel(text: &mut String, x: f64, y: f64, name: &str, series: &[&Growth]) {
    let title = TITLES.iter().find(|(panel, _)| *panel == name);
    let title = title.map_or(name, |(_, title)| title);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "<g transform=\"translate({x} {y})\">\n<text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>"
    );
    let decades = decades(series);
    grid(text, decades);
    let place = |factor: f64, multiple: f64| {
        let across = LEFT + SIDE * factor.log10() / 2.0;
        let up = TOP + SIDE - SIDE * multiple.max(0.5).log10() / decades;
        format!("{across:.1},{up:.1}")
    };
    for growth in series {
        let order = growth.work.time;
        let expected = [0, 1, 2].map(|n| {
            let cost = order.cost(growth.sizes[n]) / order.cost(growth.sizes[0]);
            place(growth.sizes[n] / growth.sizes[0], cost)
        });
        let _ = writeln!(
            text,
            "<path class=\"third dashed\" d=\"M{}\"/>",
            expected.join("L")
        );
    }
    for (number, growth) in series.iter().enumerate() {
        line(text, number, growth, &place);
    }
    text.push_str("</g>\n");
}

fn grid(text: &mut String, decades: f64) {
    for decade in 0..=2 {
        let x = LEFT + SIDE * f64::from(decade) / 2.0;
        let (bottom, label) = (TOP + SIDE, 10_u32.pow(decade));
        let _ = writeln!(
            text,
            "<line class=\"grid\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\"/>\
             <text class=\"axis\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}×</text>",
            bottom + 17.0
        );
    }
    for decade in 0..=decades as u32 {
        let y = TOP + SIDE - SIDE * f64::from(decade) / decades;
        let (right, label) = (LEFT + SIDE, 10_u64.pow(decade));
        let _ = writeln!(
            text,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
             <text class=\"axis\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
}

/// The measured line with its points, and its entry in the legend below the axes.
fn line(text: &mut String, number: usize, growth: &Growth, place: &dyn Fn(f64, f64) -> String) {
    let series = SERIES[number % SERIES.len()];
    let points = [0, 1, 2].map(|n| {
        let factor = growth.sizes[n] / growth.sizes[0];
        place(factor, growth.seconds[n] / growth.seconds[0])
    });
    let _ = writeln!(
        text,
        "<path class=\"{series} line\" d=\"M{}\"/>",
        points.join("L")
    );
    for point in &points {
        if let Some((x, y)) = point.split_once(',') {
            let _ = writeln!(
                text,
                "<circle class=\"{series} mark\" cx=\"{x}\" cy=\"{y}\" r=\"4.2\"/>"
            );
        }
    }
    let (column, row) = ((number % 2) as f64, (number / 2) as f64);
    let (x, y) = (LEFT - 20.0 + column * 145.0, TOP + SIDE + 38.0 + row * 18.0);
    let _ = writeln!(
        text,
        "<circle class=\"{series} mark\" cx=\"{x}\" cy=\"{}\" r=\"4.2\"/>\
         <text class=\"note\" x=\"{}\" y=\"{y}\">{} n^{:.2}</text>",
        y - 4.0,
        x + 9.0,
        growth.work.kind,
        growth.time_exponent()
    );
}
