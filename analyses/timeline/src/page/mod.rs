//! A timeline as one HTML file that opens without server or network. `drawing` collects what the page draws while a trace streams
//! through, within bounds. `data` chooses the rest. The hand-written style sheets and scripts of `code/` show it; they build every
//! element from data, so that no name is read as markup.

mod cpus;
mod data;
mod drawing;
mod holds;
mod kept;
mod packed;
mod path;
mod rows;
mod strips;
mod tracks;

use tally_presentation::html::{self as html, ScriptedPage, clipped};

pub(crate) use drawing::Drawing;
pub use drawing::Drawn;

use crate::overview::Figures;
use crate::trace::{Ending, Head};
use data::Data;

const STYLES: &[&str] = &[
    html::BASE_STYLE,
    html::TABLE_STYLE,
    html::FLAME_STYLE,
    include_str!("code/timeline.css"),
];

/// In the order in which they are run; they share one scope.
const SCRIPTS: &[&str] = &[
    html::TEXT,
    html::THEME,
    html::ELEMENTS,
    html::TABLE,
    include_str!("code/unpack.js"),
    include_str!("code/model.js"),
    include_str!("code/lanes.js"),
    include_str!("code/paint.js"),
    include_str!("code/path.js"),
    include_str!("code/details.js"),
    include_str!("code/moment.js"),
    include_str!("code/processors.js"),
    include_str!("code/tables.js"),
    include_str!("code/summary.js"),
    html::VIEWS,
    include_str!("code/main.js"),
];

const FOOT: &str = "A tick is a message send or a loop repetition. A tick is no time: primitives, caches and networks weigh nothing unless they are charged. \
All figures are exact and the same on every machine. They describe this model, not a computer.";

/// The figures as one self-contained HTML file of at most 10 MB. They must have a drawing; without one the lanes are empty.
pub fn html_page(head: &Head, ending: Ending, figures: &Figures) -> String {
    let file = head.files.first().map_or("timeline", String::as_str);
    let page = ScriptedPage {
        title: &format!("{} · Tally timeline", clipped(file)),
        foot: FOOT,
        json: &Data::of(head, ending, figures).json(),
        styles: STYLES,
        scripts: SCRIPTS,
    };
    page.html()
}
