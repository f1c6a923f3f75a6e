//! Findings about counts alone: their variation, their equality in all contexts, the stability of rankings by them.

use tally_presentation::counted;
use tally_presentation::figure::{fixed, times, variation};

use super::{greatest, listed};
use crate::results::{ApplicationRow, Study};

pub(super) fn variation_of_counts(study: &Study) -> Option<String> {
    let rows = &study.applications;
    if rows.is_empty() || rows.iter().all(|row| row.runs < 2) {
        return None;
    }
    let summary = study.summary.as_ref()?;
    let time = format!(
        "time varied by {} % in the mean{}",
        variation(summary.time_variation),
        extremes(rows, |row| row.time_variation)
    );
    let varying: Vec<&ApplicationRow> = rows
        .iter()
        .filter(|row| row.sends_variation > Some(0.0))
        .collect();
    if varying.is_empty() {
        let all = counted(rows.len() as u64, "application", "applications");
        return Some(format!(
            "Every run of all {all} sent the same number of messages: the variation of counts is exactly 0, while {time}."
        ));
    }
    let names: Vec<String> = varying
        .iter()
        .map(|row| format!("{} ({} %)", row.name, variation(row.sends_variation)))
        .collect();
    let ratio = summary.ratio.map_or(String::new(), |ratio| {
        format!(" Sends are {} times as stable as time.", times(ratio))
    });
    Some(format!(
        "The sends of {} of {} applications differ from run to run: {}; {time}.{ratio}",
        varying.len(),
        rows.len(),
        listed(&names)
    ))
}

/// ` (0.21 % for a to 4.00 % for b)`.
fn extremes(rows: &[ApplicationRow], of: fn(&ApplicationRow) -> Option<f64>) -> String {
    let known = || rows.iter().filter_map(|row| Some((row, of(row)?)));
    let least = known().min_by(|(_, a), (_, b)| a.total_cmp(b));
    let most = known().max_by(|(_, a), (_, b)| a.total_cmp(b));
    match (least, most) {
        (Some((first, least)), Some((last, most))) if rows.len() > 1 => format!(
            " ({} % for {} to {} % for {})",
            variation(least),
            first.name,
            variation(most),
            last.name
        ),
        _ => String::new(),
    }
}

pub(super) fn elsewhere(study: &Study) -> Option<String> {
    if study.invariance.is_empty() {
        return None;
    }
    let runs = study
        .invariance
        .iter()
        .fold(0, |sum: u64, row| sum.saturating_add(row.runs));
    let differing: Vec<String> = study
        .invariance
        .iter()
        .filter(|row| !row.differing.is_empty())
        .map(|row| format!("{} ({})", row.context, listed(&row.differing)))
        .collect();
    let contexts: Vec<&str> = study
        .invariance
        .iter()
        .map(|row| row.context.as_str())
        .collect();
    Some(match differing.is_empty() {
        true => format!(
            "Sends, loop repetitions, objects and bytes were the same in all {}, however the applications were run, in {}: {}.",
            counted(runs, "run", "runs"),
            counted(contexts.len() as u64, "context", "contexts"),
            contexts.join(", ")
        ),
        false => format!(
            "Counts differ from those of the first run in {} of {}: {}.",
            differing.len(),
            counted(contexts.len() as u64, "context", "contexts"),
            listed(&differing)
        ),
    })
}

pub(super) fn stability(study: &Study) -> Option<String> {
    let rows = &study.stability;
    let counted_most = greatest(
        rows.iter()
            .flat_map(|row| [row.counted_total, row.counted_own]),
    );
    let sampled: Vec<f64> = rows
        .iter()
        .flat_map(|row| [row.sampled_total, row.sampled_own])
        .flatten()
        .collect();
    let counts = match counted_most? {
        0.0 => "Rankings of methods by counts are the same in every profile of every application (ψ¹⁰ = 0)".to_string(),
        most => {
            let moving: Vec<&str> = rows
                .iter()
                .filter(|row| greatest([row.counted_total, row.counted_own]) > Some(0.0))
                .map(|row| row.application.as_str())
                .collect();
            format!(
                "Rankings of methods by counts differ between profiles of {} (ψ¹⁰ up to {})",
                listed(&moving),
                variation(most)
            )
        }
    };
    let least = sampled.iter().copied().min_by(f64::total_cmp);
    let most = sampled.iter().copied().max_by(f64::total_cmp);
    let random = greatest(rows.iter().map(|row| Some(row.random)));
    let samples = match (least, most) {
        (Some(least), Some(most)) => format!(
            "; by samples ψ¹⁰ is between {} and {}",
            variation(least),
            variation(most)
        ),
        _ => String::new(),
    };
    let random = random.map_or(String::new(), |random| {
        format!(", random rankings reach {}", fixed(random, 1))
    });
    Some(format!("{counts}{samples}{random}."))
}
