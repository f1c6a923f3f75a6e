//! `tally compare`: two saved profiles, method by method, and a verdict when one is asked for.

use serde::Serialize;
use tally_profiler::{Comparison, comparison_report};

use crate::arguments::{CompareArguments, FailOn, Format};
use crate::exit::{Exit, Failure};
use crate::{console, output, saved};

/// A comparison as a document of its own.
#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    #[serde(flatten)]
    comparison: &'c Comparison,
}

pub(crate) fn compare(arguments: CompareArguments) -> Result<Exit, Failure> {
    // A missing baseline means that there is nothing to compare with, which is no error of the file system's.
    let old = saved::read(&arguments.old, Exit::Incomparable, Exit::Incomparable)?;
    let new = saved::read(&arguments.new, Exit::Io, Exit::Incomparable)?;
    let comparison = tally_profiler::compare(&old, &new);
    if !comparison.incomparable.is_empty() && !arguments.force {
        for reason in &comparison.incomparable {
            console::error(&format!("{reason}; --force compares all the same"));
        }
        return Err(Failure::silent(Exit::Incomparable));
    }
    let text = match arguments.format {
        Format::Human => comparison_report(
            &comparison,
            (arguments.limit > 0).then_some(arguments.limit),
        ),
        Format::Json => output::json(&Document {
            schema: "tally.comparison/1",
            comparison: &comparison,
        })?,
    };
    output::write(&text, arguments.output.as_deref())?;
    verdict(&comparison, arguments.fail_on)
}

fn verdict(comparison: &Comparison, fail_on: Option<FailOn>) -> Result<Exit, Failure> {
    let difference = comparison.sends_difference();
    let message = match fail_on {
        Some(FailOn::Increase) if difference > 0 => format!(
            "{} sends before, {} after: {} more",
            comparison.before.sends, comparison.after.sends, difference
        ),
        Some(FailOn::Any) if !comparison.is_same() => "the profiles differ".to_string(),
        _ => return Ok(Exit::Success),
    };
    Err(Failure::new(Exit::Counted, message))
}
