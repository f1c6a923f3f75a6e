//! The figures of the report.

mod over_applications;
mod over_methods;
mod overheads;

use tally_presentation::plot::Figure;

use crate::results::Study;

/// The figures that there are points for, in the order of the report.
pub fn figures(study: &Study) -> Vec<Figure> {
    let figures = [
        over_applications::sends_and_time(study, false),
        over_applications::sends_and_time(study, true),
        over_applications::rates(study),
        over_methods::sends_and_time(study, false),
        over_methods::sends_and_time(study, true),
        overheads::overheads(study, false),
        overheads::overheads(study, true),
        over_methods::stability(study),
        over_applications::predictions(study),
        over_applications::counterexamples(study),
    ];
    figures.into_iter().flatten().collect()
}
