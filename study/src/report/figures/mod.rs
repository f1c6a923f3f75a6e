//! The figures of the report as SVG that needs nothing else and runs nothing, for light and dark pages.

mod axis;
mod canvas;
mod labels;
mod over_applications;
mod over_methods;
mod overheads;
mod rows;
mod scatter;

use std::fmt::Write as _;

use tally_profiler::escaped;

use crate::results::Study;
use rows::{ROWS_WIDTH, Rows};
use scatter::{HEIGHT, Scatter, WIDTH};

const STYLE: &str = include_str!("plot.css");

/// What figures look like, for a page that holds several.
pub(super) fn style() -> &'static str {
    STYLE
}

/// A figure of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What a file of it is called, without extension.
    pub stem: &'static str,
    /// What it shows.
    pub title: String,
    /// How to read it, in a sentence or two.
    pub caption: String,
    /// Its size in points.
    size: (f64, f64),
    /// Its elements.
    body: String,
}

impl Figure {
    /// As a file of its own.
    pub fn svg(&self) -> String {
        self.element(
            " xmlns=\"http://www.w3.org/2000/svg\"",
            &format!("<style>\n{STYLE}</style>\n"),
        )
    }

    /// As a part of a page that has the style already.
    pub(super) fn inline(&self) -> String {
        self.element("", "")
    }

    fn element(&self, attributes: &str, style: &str) -> String {
        let (width, height) = self.size;
        let mut svg = String::new();
        let _ = write!(
            svg,
            "<svg{attributes} class=\"plot\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">\n\
             {style}<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}</svg>\n",
            escaped(&self.title),
            self.body
        );
        svg
    }

    fn of_scatter(stem: &'static str, caption: &str, scatter: &Scatter) -> Figure {
        Figure {
            stem,
            title: scatter.title.clone(),
            caption: caption.to_string(),
            size: (WIDTH, HEIGHT),
            body: scatter.draw(),
        }
    }

    fn of_rows(stem: &'static str, caption: &str, rows: &Rows) -> Figure {
        Figure {
            stem,
            title: rows.title.clone(),
            caption: format!("{caption}{}", rows.left_out()),
            size: (ROWS_WIDTH, rows.height()),
            body: rows.draw(),
        }
    }
}

/// The figures that there are points for, in the order of the report.
pub fn figures(study: &Study) -> Vec<Figure> {
    let figures = [
        over_applications::sends_and_time(study, false),
        over_applications::sends_and_time(study, true),
        over_applications::rates(study),
        over_methods::sends_and_time(study, false),
        over_methods::sends_and_time(study, true),
        overheads::overheads(study, false),
        overheads::overheads(study, true),
        over_methods::stability(study),
        over_applications::predictions(study),
        over_applications::counterexamples(study),
    ];
    figures.into_iter().flatten().collect()
}
