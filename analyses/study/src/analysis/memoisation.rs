//! §3.4: the savings of memoisation, in sends and in time.

use super::measured::{Measured, Program};
use crate::data::{NORMAL, Role};
use crate::results::MemoRow;
use crate::statistics::finite;

/// A row for each variant that remembers nothing and whose time is known, as is that of the application. Times are medians
/// over rounds.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<MemoRow> {
    let variants = measured.programs(Role::Variant);
    let rows = variants.iter().filter_map(|variant| row(measured, variant));
    rows.collect()
}

fn row(measured: &Measured<'_>, variant: &Program<'_>) -> Option<MemoRow> {
    let name = variant.application.variant_of.as_deref()?;
    let applications = measured.data.applications();
    let original = applications.into_iter().find(|one| one.name == name)?;
    let original = measured.program(original, NORMAL)?;
    Some(MemoRow {
        application: name.to_owned(),
        variant: variant.application.name.clone(),
        about: variant.application.about.clone(),
        sends_without: variant.sends,
        sends_with: original.sends,
        sends_saved: saved(variant.sends, original.sends),
        milliseconds_without: variant.median,
        milliseconds_with: original.median,
        time_saved: saved(variant.median, original.median)?,
    })
}

/// The saving, in per cent of the cost without memoisation.
fn saved(without: f64, with: f64) -> Option<f64> {
    finite(100.0 * (without - with) / without)
}
