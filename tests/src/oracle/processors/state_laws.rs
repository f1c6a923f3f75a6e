//! Laws of the figures that `tally timeline` shows: states fill lifetimes, and times add up.

use tally_timeline::{Extent, Figures, Overview, State, feed};

use super::observe::Run;
use super::record::Circumstances;

/// The laws of figures that a run breaks.
pub(super) fn broken(run: &Run, circumstances: Circumstances) -> Vec<String> {
    let end = run.timeline.end;
    let mut overview = Overview::new(Extent::whole(end), None, true);
    if let Err(error) = feed(&run.timeline, &mut overview) {
        return vec![error.to_string()];
    }
    let figures = overview.finish();
    let mut broken = Vec::new();
    broken.extend(lifetimes(&figures, end));
    broken.extend(cpus(&figures, circumstances, end));
    broken.extend(executions(&figures));
    if figures.ticks != run.record.ticks {
        broken.push(format!("{} ticks are shown", figures.ticks));
    }
    broken
}

/// The states of each processor fill the time from its creation to the end.
fn lifetimes(figures: &Figures, end: u64) -> Vec<String> {
    let processors = figures.processors.iter().enumerate();
    let wrong =
        processors.filter(|(_, one)| one.states.iter().sum::<u64>() != end - one.origin.time);
    wrong
        .map(|(number, one)| format!("the states of processor {number} are {:?}", one.states))
        .collect()
}

/// CPUs × makespan = ticks + charges + the time in which CPUs are idle.
fn cpus(figures: &Figures, circumstances: Circumstances, end: u64) -> Option<String> {
    let cpus = circumstances.cpus?;
    let sum = |state| -> u64 {
        let processors = figures.processors.iter();
        processors.map(|one| one.in_state(state)).sum()
    };
    let (ran, charged) = (sum(State::Running), sum(State::Overhead));
    let is_wrong = ran != figures.ticks || ran + charged > cpus * end;
    is_wrong.then(|| format!("{ran} ticks and {charged} charged on {cpus} CPUs in {end}"))
}

/// A request executes for as long as it waits and is useful.
fn executions(figures: &Figures) -> Vec<String> {
    let requests = figures.listed.iter().filter_map(|(number, one)| {
        let execution = one.returns?.checked_sub(one.executes?);
        let useful = execution.and_then(|execution| execution.checked_sub(one.waiting));
        useful
            .is_none()
            .then(|| format!("request {number} waits {} of {execution:?}", one.waiting))
    });
    requests.collect()
}
