//! §4.4: how stable rankings of methods are over repeated profiles.
//!
//! A profile lists the methods that cost most. A method that only another profile lists takes the first place after the
//! listed ones. It stands there or further down. So for rankings that lose methods from their lists the instability is a
//! lower bound.

use std::collections::{BTreeMap, BTreeSet};

use super::measured::Measured;
use crate::data::{Application, Form, MethodRow, Methods, NORMAL};
use crate::results::StabilityRow;
use crate::statistics::{instability, random_instability};

/// Methods that the instability is summed over.
const FIRST: usize = 10;

/// A place of a method in a profile.
type Place = fn(&MethodRow) -> u32;

/// A row for each program of the basket with two profiles of a kind.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<StabilityRow> {
    let programs = measured.basket.iter();
    programs
        .filter_map(|program| row(measured, program.application))
        .collect()
}

fn row(measured: &Measured<'_>, application: &Application) -> Option<StabilityRow> {
    let mut counted = profiles(measured, application, Form::Recorded);
    let mut sampled = profiles(measured, application, Form::Sampled);
    let kinds = [counted.len(), sampled.len()];
    let profiles = kinds.into_iter().filter(|known| *known > 1).min()?;
    counted.truncate(profiles);
    sampled.truncate(profiles);
    let methods = counted
        .iter()
        .chain(&sampled)
        .map(|profile| profile.known.max(profile.listed.len() as u64))
        .max()?;
    Some(StabilityRow {
        application: application.name.clone(),
        profiles: profiles as u64,
        methods,
        counted_total: of_rankings(&counted, |row| row.by_total),
        counted_own: of_rankings(&counted, |row| row.by_own),
        sampled_total: of_rankings(&sampled, |row| row.by_total),
        sampled_own: of_rankings(&sampled, |row| row.by_own),
        random: random_instability(
            usize::try_from(methods).unwrap_or(usize::MAX),
            profiles,
            FIRST,
        )?,
    })
}

/// The profiles of a form that list methods, by rounds.
fn profiles<'d>(
    measured: &Measured<'d>,
    application: &Application,
    form: Form,
) -> Vec<&'d Methods> {
    let samples = measured.data.samples(application, NORMAL, form);
    let profiles = samples
        .into_iter()
        .filter_map(|sample| sample.methods.as_ref());
    profiles
        .filter(|methods| !methods.listed.is_empty())
        .collect()
}

fn of_rankings(profiles: &[&Methods], place: Place) -> Option<f64> {
    let rankings: Vec<(BTreeMap<&str, u32>, u32)> = profiles
        .iter()
        .map(|profile| (listed(profile, place), first_free(profile, place)))
        .collect();
    let names: BTreeSet<&str> = rankings
        .iter()
        .flat_map(|(listed, _)| listed.keys().copied())
        .collect();
    let places: Vec<Vec<f64>> = names
        .iter()
        .map(|name| {
            let places = rankings.iter();
            let places = places.map(|(listed, free)| *listed.get(name).unwrap_or(free));
            places.map(f64::from).collect()
        })
        .collect();
    instability(&places, FIRST)
}

fn listed(profile: &Methods, place: Place) -> BTreeMap<&str, u32> {
    let rows = profile.listed.iter().rev();
    rows.map(|row| (row.name.as_str(), place(row))).collect()
}

/// The first place that no listed method has.
fn first_free(profile: &Methods, place: Place) -> u32 {
    let taken: BTreeSet<u32> = profile.listed.iter().map(place).collect();
    let mut places = 1..=u32::MAX;
    places
        .find(|place| !taken.contains(place))
        .unwrap_or(u32::MAX)
}
