//! Laws of the critical path, of blame and of what a run would gain: they follow from why each event happened when it did.

use std::convert::Infallible;

use tally_timeline::{
    Circumstances as Known, Critical, CriticalPath, Extent, FeatureId, Overview, Passes, State,
    Window, feed, zeroing,
};
use tally_vm::Timeline;

use super::observe::Run;
use super::record::Circumstances;

/// The laws of paths that a run breaks.
pub(super) fn broken(run: &Run, circumstances: Circumstances) -> Vec<String> {
    let known = Known::of_simulation(&circumstances);
    let end = run.timeline.end;
    let mut critical = Critical::new(Window::WHOLE, known);
    if let Err(error) = feed(&run.timeline, &mut critical) {
        return vec![error.to_string()];
    }
    let (path, _) = critical.finish(end);
    let mut broken = Vec::new();
    broken.extend(adds_up(&path, end));
    broken.extend(blame(&path, &run.timeline, known));
    // The events of a central scheduler do not say all that it waited for.
    if path.unexplained > u64::from(known.is_central) {
        broken.push(format!("{} events have no cause", path.unexplained));
    }
    broken.extend(gains(&path, &run.timeline, known));
    broken.extend(folding(&path, &run.timeline, known));
    broken
}

/// What is added up early changes nothing. A wait that does not end is then divided where it was added up.
fn folding(path: &CriticalPath, timeline: &Timeline, known: Known) -> Option<String> {
    const FEW: usize = 8;
    let mut critical = Critical::new(Window::WHOLE, known).with_room(FEW);
    feed(timeline, &mut critical).expect("the path was found");
    let (folded, _) = critical.finish(timeline.end);
    let all = |path: &CriticalPath| path.blame.values().sum::<u64>() + path.never_ended;
    let has_ends = path.never_ended == 0;
    let is_equal = folded.shares == path.shares
        && folded.parts == path.parts
        && all(&folded) == all(path)
        && (!has_ends || folded.blame == path.blame);
    (!is_equal).then(|| format!("in parts: {folded:?}\nat once: {path:?}"))
}

/// The parts follow each other from the begin of the run to its end, and the shares are their sums.
fn adds_up(path: &CriticalPath, end: u64) -> Option<String> {
    let mut at = 0;
    for part in &path.parts {
        if part.from != at || part.to <= at {
            return Some(format!("the path has a gap at {at}: {part:?}"));
        }
        at = part.to;
    }
    let sum: u64 = path.shares.values().sum();
    (at != end || sum != end).then(|| format!("a path of {sum} to {at} in a run of {end}"))
}

/// A feature is to blame for each tick of waiting.
fn blame(path: &CriticalPath, timeline: &Timeline, known: Known) -> Option<String> {
    let overview = Overview::new(Extent::whole(timeline.end), None, false);
    let mut overview = overview.under(known);
    if let Err(error) = feed(timeline, &mut overview) {
        return Some(error.to_string());
    }
    let figures = overview.finish();
    let waits = [State::Answer, State::Lock, State::Condition, State::Blocked];
    let of = |one: &tally_timeline::ProcessorTotals| -> u64 {
        waits.iter().map(|state| one.in_state(*state)).sum()
    };
    let waited: u64 = figures.processors.iter().map(of).sum();
    let blamed: u64 = path.blame.values().sum();
    let all = blamed + path.never_ended;
    (all != waited).then(|| format!("{waited} ticks of waiting, and {all} of blame"))
}

/// No feature gains more than its ticks on the path. Its slack is no greater than its gain.
fn gains(path: &CriticalPath, timeline: &Timeline, known: Known) -> Vec<String> {
    let shares: Vec<(FeatureId, u64)> = path
        .shares
        .iter()
        .filter_map(|((passes, feature), ticks)| match (passes, feature) {
            (Passes::Running, Some(feature)) => Some((*feature, *ticks)),
            _ => None,
        })
        .collect();
    let found = zeroing(&shares, (Window::WHOLE, timeline.end), known, |pass| {
        feed(timeline, pass).expect("the path was found");
        Ok::<(), Infallible>(())
    });
    let Ok(found) = found;
    let mut broken = Vec::new();
    for (one, (_, share)) in found.iter().zip(&shares) {
        let is_wrong = match one.slack {
            None => one.gained != *share,
            Some(slack) => slack > one.gained || one.gained >= *share,
        };
        if is_wrong {
            broken.push(format!("{one:?} of {share}"));
        }
    }
    broken
}
