//! The paper's three research questions, answered from the figures here.

use tally_presentation::figure::{fixed, times, variation};

use super::findings::{greatest, sends_model};
use crate::paper;
use crate::results::Study;

/// An answer for each question that something was measured about.
pub(super) fn answers(study: &Study) -> Vec<String> {
    let answers = [related(study), stable(study), useful(study)];
    answers.into_iter().flatten().collect()
}

/// A: is the number of sent messages related to the average execution time?
fn related(study: &Study) -> Option<String> {
    let r = study.over_applications.as_ref()?.correlation.pearson?;
    let there = paper::LINE.correlation;
    let strength = match r {
        r if r >= there => "as closely as the paper says",
        r if r >= 0.9 => "closely, and less so than the paper says",
        r if r >= 0.5 => "far less closely than the paper says",
        _ => "hardly",
    };
    let error = sends_model(study).and_then(|row| row.leave_one_out.median);
    let error = error.map_or(String::new(), |error| {
        format!(
            " A relation is not yet a prediction: its sends alone predict the time of an application with a median error of {} %.",
            fixed(error, 1)
        )
    });
    Some(format!(
        "A. Are sends related to time? Over applications, {strength}: r = {} here, {} there.{error}",
        fixed(r, 4),
        fixed(there, 2)
    ))
}

/// B: is the number of sent messages more stable than the execution time?
fn stable(study: &Study) -> Option<String> {
    let summary = study.summary.as_ref()?;
    let (time, sends) = (summary.time_variation?, summary.sends_variation?);
    let worst = greatest(study.applications.iter().map(|row| row.sends_variation))?;
    let answer = match (worst, time > sends) {
        (0.0, true) => format!(
            "Yes: they do not vary at all, time varies by {} % in the mean",
            variation(time)
        ),
        (0.0, false) => {
            "They do not vary at all, and neither did time as it was measured".to_string()
        }
        (_, true) => format!(
            "Yes, though they vary: by {} % in the mean, time by {} %",
            variation(sends),
            variation(time)
        ),
        (_, false) => format!(
            "No: they vary by {} % in the mean, time by {} %",
            variation(sends),
            variation(time)
        ),
    };
    Some(format!(
        "B. Are sends more stable than time? {answer}. In the paper it is {} % and {} %.",
        variation(paper::SENDS_VARIATION),
        variation(paper::TIME_VARIATION)
    ))
}

/// C: is the number of sent messages as useful to identify an execution bottleneck?
fn useful(study: &Study) -> Option<String> {
    let rs: Vec<(f64, &str)> = study
        .over_methods
        .iter()
        .filter_map(|row| Some((row.correlation?.pearson?, row.application.as_str())))
        .collect();
    let (least, name) = rs.iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let there = paper::METHOD_CORRELATION;
    let as_there = rs.iter().filter(|(r, _)| *r >= there).count();
    let lacking = match rs.len() - as_there {
        0 => String::new(),
        _ => format!(", the least {} ({name})", fixed(*least, 4)),
    };
    let stable = greatest(
        study
            .stability
            .iter()
            .flat_map(|row| [row.counted_total, row.counted_own]),
    );
    let stable = match stable {
        Some(0.0) => {
            " Rankings by counts are always the same, so that any change of them is a change of the program."
        }
        Some(_) => " Rankings by counts are not always the same.",
        None => "",
    };
    let apart = study
        .summary
        .as_ref()
        .filter(|summary| summary.lowest_rate > 0.0);
    let apart = apart.map_or(String::new(), |summary| {
        format!(
            " They say little about which of two different programs takes longer: rates of applications are up to {} times apart.",
            times(summary.highest_rate / summary.lowest_rate)
        )
    });
    Some(format!(
        "C. Are sends as useful to find what takes the time? Total sends and total time of methods go together with r ≥ {} in {as_there} of {} applications{lacking}.{stable}{apart}",
        fixed(there, 2),
        rs.len()
    ))
}
