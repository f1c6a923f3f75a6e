//! From measurements to results: a file for each section of the report. Tables of the paper are of means over rounds,
//! like the paper's own. Models and comparisons of two times are of medians, because one disturbed run does not move a
//! median. A time that no clock could have shown (below a nanosecond, above thirty years) is ignored.

mod applications;
mod costs;
mod counterexamples;
mod fitting;
mod held_out;
mod inlining;
mod invariance;
mod measured;
mod memoisation;
mod method_models;
mod methods;
mod models;
mod proxies;
mod rates;
mod regression;
mod stability;
#[cfg(test)]
mod tests;

pub(crate) use measured::Measured;
pub(crate) use models::{by_sends, by_vector, rows as models};
pub(crate) use proxies::WORK;
pub use proxies::{ALL, Judged, judge};

use crate::data::Data;
use crate::results::{STUDY_SCHEMA, Study};

/// The results of the data.
pub fn study(data: &Data) -> Study {
    let measured = Measured::of(data);
    let models = models(&measured);
    let over_applications = regression::over_applications(&measured, &models);
    let line = over_applications
        .as_ref()
        .and_then(|found| found.with_intercept.as_ref());
    let applications = applications::rows(&measured, line);
    Study {
        schema: STUDY_SCHEMA.to_owned(),
        contexts: data.contexts().into_iter().cloned().collect(),
        missing: measured.missing(),
        summary: applications::summary(&applications),
        held_out: held_out::rows(&measured, line, &models),
        over_methods: methods::regressions(&measured),
        rates: rates::rows(&measured),
        invariance: invariance::rows(&measured),
        counting: costs::of_counting(&measured),
        profiling: costs::of_profiling(&measured),
        stability: stability::rows(&measured),
        inlining: inlining::shares(&measured),
        memoisation: memoisation::rows(&measured),
        method_models: method_models::rows(&measured),
        counterexamples: counterexamples::rows(&measured, &models),
        proxies: proxies::rows(&measured),
        applications,
        over_applications,
        models,
    }
}
