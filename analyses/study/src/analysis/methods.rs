//! Figure 2: sends against time over the methods of an application, as totals. The times are from the sampling profiler.

use std::collections::BTreeMap;

use super::measured::Measured;
use super::regression::coordinates;
use crate::data::{Application, Form, Methods, NORMAL};
use crate::results::{MethodRegression, Point};
use crate::statistics::{correlation, through_origin};

/// Samples over all rounds that a method has to be met in. The number of samples varies as counts of rare things do, by its
/// root: by 22 % of twenty.
pub(super) const LEAST_SAMPLES: u64 = 20;

/// Fewest points that a line says anything about.
const FEWEST_POINTS: usize = 3;

/// The regressions of the programs of the basket whose methods were sampled and counted, the one with the most points first,
/// then in the order of Table 2.
pub(super) fn regressions(measured: &Measured<'_>) -> Vec<MethodRegression> {
    let programs = measured.basket.iter();
    let mut regressions: Vec<MethodRegression> = programs
        .filter_map(|program| regression(measured, program.application))
        .collect();
    let most = regressions
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, regression)| regression.points.len());
    if let Some((index, _)) = most {
        regressions[..=index].rotate_right(1);
    }
    regressions
}

fn regression(measured: &Measured<'_>, application: &Application) -> Option<MethodRegression> {
    let times = sampled_times(measured, application)?;
    let counts = counted_methods(measured, application)?;
    let sends: BTreeMap<&str, u64> = counts
        .listed
        .iter()
        .rev()
        .map(|row| (row.name.as_str(), row.total))
        .collect();
    let known = times
        .into_iter()
        .filter(|(_, time)| time.total.samples >= LEAST_SAMPLES);
    let mut points: Vec<Point> = known
        .filter_map(|(name, time)| {
            Some(Point {
                name: name.to_owned(),
                milliseconds: time.total.milliseconds,
                sends: *sends.get(name)? as f64,
            })
        })
        .collect();
    points.sort_by(|one, other| other.milliseconds.total_cmp(&one.milliseconds));
    let coordinates = coordinates(&points);
    let suffices = points.len() >= FEWEST_POINTS;
    Some(MethodRegression {
        application: application.name.clone(),
        points,
        least_samples: LEAST_SAMPLES,
        line: through_origin(&coordinates).filter(|_| suffices),
        correlation: suffices.then(|| correlation(&coordinates)),
    })
}

/// The methods of the first run that counted by methods, with the whole cost vector if there is one.
pub(super) fn counted_methods<'d>(
    measured: &Measured<'d>,
    application: &Application,
) -> Option<&'d Methods> {
    let forms = [Form::Vector, Form::Recorded].into_iter();
    let mut samples = forms.flat_map(|form| measured.data.samples(application, NORMAL, form));
    samples.find_map(|sample| sample.methods.as_ref())
}

/// The sampled numbers of a method.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SampledTime {
    /// In itself and its blocks.
    pub(super) own: Met,
    /// With what it calls.
    pub(super) total: Met,
}

/// How often something was met, and the time that stands for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    /// Samples that it was met in, over all rounds.
    pub(super) samples: u64,
    /// Its time in a round, in milliseconds: its share of the samples of the run's time, mean over all rounds. A round that
    /// does not list it adds nothing.
    pub(super) milliseconds: f64,
}

impl Met {
    fn add(&mut self, samples: u64, milliseconds: f64) {
        self.samples = self.samples.saturating_add(samples);
        self.milliseconds += milliseconds;
    }
}

/// The methods that sampling met, by name; absent if there is no sampled run.
pub(super) fn sampled_times<'d>(
    measured: &Measured<'d>,
    application: &Application,
) -> Option<BTreeMap<&'d str, SampledTime>> {
    let runs = measured.timed(application, NORMAL, Form::Sampled);
    let known = runs.into_iter().filter_map(|run| {
        let methods = run.methods.as_ref().filter(|methods| methods.samples > 0)?;
        Some((1e3 * run.seconds / methods.samples as f64, &methods.listed))
    });
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return None;
    }
    let mut times: BTreeMap<&str, SampledTime> = BTreeMap::new();
    for (each, listed) in &known {
        let each = each / known.len() as f64;
        for row in *listed {
            let time = times.entry(row.name.as_str()).or_default();
            time.own.add(row.own, row.own as f64 * each);
            time.total.add(row.total, row.total as f64 * each);
        }
    }
    Some(times)
}
