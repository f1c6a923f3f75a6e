//! Checks that counts are the same in every context, run and form, as the counting model says.

use super::measured::Measured;
use crate::data::{Application, Context, Cost, Form, NORMAL};
use crate::results::InvarianceRow;

/// The forms whose counts are to be the same: all that count and that run the program alone.
const FORMS: [Form; 6] = [
    Form::Counted,
    Form::Recorded,
    Form::Wrapped,
    Form::WrappedPackage,
    Form::Sampled,
    Form::Vector,
];

/// A row for each context with runs that can be looked at, the normal one first: that compares its own runs and forms.
/// Applications of all roles are looked at.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<InvarianceRow> {
    let contexts = measured.data.contexts().into_iter();
    let rows = contexts.map(|context| row(measured, context));
    rows.filter(|row| row.runs > 0).collect()
}

fn row(measured: &Measured<'_>, context: &Context) -> InvarianceRow {
    let mut row = InvarianceRow {
        context: context.name.clone(),
        about: context.about.clone(),
        ..InvarianceRow::default()
    };
    for application in measured.data.applications() {
        let Some(normal) = normal_counts(measured, application) else {
            continue;
        };
        let counts = counts_in(measured, application, &context.name);
        row.applications += u64::from(!counts.is_empty());
        row.runs += counts.len() as u64;
        if counts.iter().any(|counts| *counts != normal) {
            row.differing.push(application.name.clone());
        }
    }
    row
}

/// Sends, loops, objects and bytes of the normal context's first counted run.
fn normal_counts(measured: &Measured<'_>, application: &Application) -> Option<[u64; 4]> {
    let runs = measured.data.samples(application, NORMAL, Form::Counted);
    runs.first().map(|run| counts(&run.cost))
}

fn counts_in(measured: &Measured<'_>, application: &Application, context: &str) -> Vec<[u64; 4]> {
    let runs = FORMS
        .iter()
        .flat_map(|form| measured.data.samples(application, context, *form));
    runs.map(|run| counts(&run.cost)).collect()
}

/// The costs that every form counts.
fn counts(cost: &Cost) -> [u64; 4] {
    [cost.sends, cost.loops, cost.objects, cost.bytes]
}
