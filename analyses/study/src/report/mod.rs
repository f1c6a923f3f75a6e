//! A study for people and for programs: a text, JSON, CSV, Markdown, plots and a page. All formats show the same tables
//! and sentences; `tables` and `findings` make these from the figures.

mod analysis;
mod answers;
mod beside;
mod calibration;
mod csv;
mod figures;
mod findings;
mod html;
mod markdown;
mod sections;
mod tables;
mod targets;
mod text;
mod trust;

pub use calibration::{
    estimate_text, estimated_change, estimated_methods, operations_table, prices_table,
};
pub use csv::csv;
pub use figures::figures;
pub use html::html;
pub use markdown::markdown;
pub use tally_presentation::plot::Figure;
pub use text::text;

use crate::results::Study;

/// A study as JSON, `tally.study/1`.
pub fn json(study: &Study) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(study).map(|text| text + "\n")
}
