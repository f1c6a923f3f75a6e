//! The function of a table.

use std::path::Path;

use tally_predict::{Table, fit, parameters};

use super::reading::{failure, read};
use crate::arguments::Format;
use crate::console;
use crate::failure::Failure;
use crate::output;

pub(super) fn fitted(file: &Path, at: &[String], format: Format) -> Result<String, Failure> {
    let table = read(file, ": ", Table::read)?;
    let at = at
        .iter()
        .map(|text| parameters(&table, text).map_err(failure));
    let at: Vec<_> = at.collect::<Result<_, Failure>>()?;
    let found = fit(&table);
    let values = found.values(&table, &at).map_err(failure)?;
    match format {
        Format::Json => output::json(&found.document(&table, &values)),
        Format::Human => Ok(found.report(&table, &values, console::results_page())),
    }
}
