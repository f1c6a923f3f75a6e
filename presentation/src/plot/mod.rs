//! Plots as self-contained SVG without scripts, for light and dark pages: points between axes, rows of marks or bars, lanes with
//! bars and links, and counts over commits.

mod axis;
mod canvas;
mod history;
mod labels;
mod lanes;
mod rows;
mod scatter;

use std::fmt::Write as _;

use crate::escape::markup;

pub use axis::Axis;
pub use canvas::Shape;
pub use history::{NOT_COMPARABLE, Series, SeriesPoint, history_svg, sparkline};
pub use lanes::{LaneBar, LaneChart, LaneKind, LaneLink, LaneRow};
pub use rows::{RowKind, RowOf, Rows};
pub use scatter::{Curve, Dot, Points, Scatter, Straight};

/// The rules of the dark theme, where they hold.
macro_rules! dark {
    ($before:literal, $after:literal) => {
        concat!($before, include_str!("figure-dark.css"), $after)
    };
}

/// The style of a figure that is a file of its own, of whatever kind: it follows the viewer's theme.
pub const STYLE: &str = concat!(
    include_str!("figure.css"),
    dark!("@media (prefers-color-scheme: dark) {\n", "}\n")
);

/// The style of figures in a page: they follow the page's theme. `:where` leaves the order of the rules as it is in a file.
pub const PAGE_STYLE: &str = concat!(
    include_str!("figure.css"),
    dark!(
        "@media (prefers-color-scheme: dark) { :where(:root:not([data-theme])) {\n",
        "} }\n"
    ),
    dark!(":where(:root[data-theme=dark]) {\n", "}\n")
);

/// A plot with its caption.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of its file, without extension.
    pub stem: &'static str,
    /// The title of the plot.
    pub title: String,
    /// How to read it, in a sentence or two.
    pub caption: String,
    /// In points.
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
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    fn element(&self, attributes: &str, style: &str) -> String {
        let (width, height) = self.size;
        let mut svg = String::new();
        let _ = write!(
            svg,
            "<svg{attributes} class=\"plot\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">\n\
             {style}<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}</svg>\n",
            markup(&self.title),
            self.body
        );
        svg
    }

    /// A figure of points between axes.
    pub fn of_scatter(stem: &'static str, caption: &str, scatter: &Scatter) -> Figure {
        Figure {
            stem,
            title: scatter.title.clone(),
            caption: caption.to_string(),
            size: (scatter::WIDTH, scatter::HEIGHT),
            body: scatter.draw(),
        }
    }

    /// A figure of lanes.
    pub fn of_lanes(stem: &'static str, lanes: &LaneChart) -> Figure {
        Figure {
            stem,
            title: lanes.title.clone(),
            caption: String::new(),
            size: (lanes::WIDTH, lanes.height()),
            body: lanes.draw(),
        }
    }

    /// A figure of rows.
    pub fn of_rows(stem: &'static str, caption: &str, rows: &Rows) -> Figure {
        Figure {
            stem,
            title: rows.title.clone(),
            caption: format!("{caption}{}", rows.left_out()),
            size: (rows::ROWS_WIDTH, rows.height()),
            body: rows.draw(),
        }
    }
}
