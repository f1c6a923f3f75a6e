//! A calibration and its prediction for a run, as sentences.

use std::fmt::Write as _;

use tally_profiler::Profile;

use crate::analysis::calibration::Calibration;
use crate::data::Cost;
use crate::results::Model;

/// The calibration for people.
pub fn calibration_text(calibration: &Calibration) -> String {
    let Calibration {
        context,
        vector,
        sends,
        seen,
        ..
    } = calibration;
    let mut text = format!(
        "Calibrated on {}, {}, with {} programs of {} to {} ms.\n",
        context.processor,
        context.build,
        sends.programs,
        milliseconds(seen.low),
        milliseconds(seen.high),
    );
    if let Some(vector) = vector {
        push_model(
            &mut text,
            "by the cost vector",
            vector,
            calibration.vector_error,
        );
    }
    push_model(&mut text, "by sends alone", sends, calibration.sends_error);
    text
}

fn push_model(text: &mut String, name: &str, model: &Model, error: Option<f64>) {
    let parts = model.nanoseconds.iter();
    let parts = parts.filter(|(_, nanoseconds)| *nanoseconds > 0.0);
    let parts: Vec<String> = parts
        .map(|(regressor, nanoseconds)| {
            format!(
                "{} × {nanoseconds:.2} ns",
                format!("{regressor:?}").to_lowercase()
            )
        })
        .collect();
    let _ = write!(text, "{name}: {}", parts.join(" + "));
    if let Some(error) = error {
        let _ = write!(
            text,
            "; half of the programs that had no share in it are off by {error:.0} % or less"
        );
    }
    text.push('\n');
}

/// How long a run would take here, as a sentence; by the whole cost vector if the profile has it, else by sends alone.
pub fn estimate_text(profile: &Profile, calibration: &Calibration) -> String {
    let cost = Cost {
        sends: profile.cost.sends,
        loops: profile.cost.loops,
        activations: profile.cost.activations,
        blocks: profile.cost.blocks,
        objects: profile.cost.allocations.objects,
        bytes: profile.cost.allocations.bytes,
        instructions: profile.cost.steps,
        primitives: profile.cost.primitive_count(),
    };
    let is_whole = profile.cost.steps > 0 || profile.cost.sends == 0;
    let estimate = calibration.estimate(&cost, is_whole);
    let (by, error) = match is_whole && calibration.vector.is_some() {
        true => ("the cost vector", calibration.vector_error),
        false => ("sends alone", calibration.sends_error),
    };
    let mut text = format!(
        "estimated time: {} ms, with 95 % confidence {} to {} ms, by {by}; how much a primitive has to do is not seen\n",
        milliseconds(estimate.milliseconds),
        milliseconds(estimate.interval.low),
        milliseconds(estimate.interval.high),
    );
    if let Some(error) = error {
        let _ = writeln!(
            text,
            "half of the programs that had no share in the calibration were off by {error:.0} % or less"
        );
    }
    if !calibration.has_seen(estimate.milliseconds) {
        let _ = writeln!(
            text,
            "no program that the calibration is of took so long or so short: {} to {} ms",
            milliseconds(calibration.seen.low),
            milliseconds(calibration.seen.high),
        );
    }
    text
}

/// With three digits that matter.
fn milliseconds(number: f64) -> String {
    let whole_digits = number.abs().max(1e-6).log10().floor() as i32 + 1;
    let decimals = usize::try_from(3 - whole_digits).unwrap_or(0).min(6);
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn times_have_three_digits_that_matter() {
        let shown: Vec<String> = [0.01234, 1.2345, 12.345, 123.45, 12345.6]
            .map(milliseconds)
            .into();
        assert_eq!(shown, ["0.0123", "1.23", "12.3", "123", "12346"]);
        assert_eq!(milliseconds(0.0), "0.000000");
    }
}
