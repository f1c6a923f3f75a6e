//! What two runs of one program differ in: the counts, and the first send that differs.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use tally_profiler::{CostVector, Profile};
use tally_vm::{Asked, Followed, FollowedSend, Point, Question};

use super::modes::{Meaning, Mode, USUAL};
use super::runner::{Observed, Ran, Runner, Subject, Watching};
use crate::failure::Failure;

/// The greatest number of differences that are reported.
const MOST_TOLD: usize = 100;
/// Runs that are made to find the first send that differs, for programs that differ elsewhere each time.
const MOST_TRIES: usize = 8;
/// Sends that are looked at closely at once.
const CLOSE_RANGE: u64 = 1 << 10;

/// A number or a text that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Difference {
    pub(super) what: String,
    pub(super) usual: String,
    pub(super) other: String,
}

/// The first send that differs, if any does, and the likely cause.
pub(super) struct FirstSend {
    /// As the usual run has it; `None` if it was over.
    pub(super) usual: Option<FollowedSend>,
    /// As the other run has it.
    pub(super) other: Option<FollowedSend>,
    /// The last request before it of a kind that the mode changes, or that makes runs irreproducible.
    pub(super) asked: Option<Asked>,
}

/// In what two runs differ, the most telling first; nothing if they are equal.
pub(super) fn differences(usual: &Observed, other: &Observed, mode: &Mode) -> Vec<Difference> {
    let mut found = Found::default();
    found.add("how it ended", &usual.ending, &other.ending);
    found.cheap_costs(&usual.cost, &other.cost);
    if let (Some(usual), Some(other)) = (&usual.profile, &other.profile) {
        found.methods(usual, other);
    }
    if mode.is_recorded {
        found.costs(&usual.cost, &other.cost);
    }
    if let (Some(usual), Some(other)) = (&usual.profile, &other.profile) {
        found.rest(usual, other);
    }
    if usual.output != other.output {
        found.output(&usual.output, &other.output);
    }
    found.0.truncate(MOST_TOLD);
    found.0
}

/// In what two runs differ whose processors ran in different orders. Their counts may differ: who waits for a condition sends more.
pub(super) fn differences_of_orders(usual: &Observed, other: &Observed) -> Vec<Difference> {
    let mut found = Found::default();
    found.add("how it ended", &usual.ending, &other.ending);
    if usual.printed != other.printed {
        found.output(&usual.printed, &other.printed);
    }
    found.0
}

#[derive(Default)]
struct Found(Vec<Difference>);

impl Found {
    fn add<T: PartialEq + ToString + ?Sized>(&mut self, what: &str, usual: &T, other: &T) {
        if usual != other {
            self.0.push(Difference {
                what: what.to_string(),
                usual: usual.to_string(),
                other: other.to_string(),
            });
        }
    }

    /// What every run counts.
    fn cheap_costs(&mut self, a: &CostVector, b: &CostVector) {
        self.add("sends", &a.sends, &b.sends);
        self.add("loops", &a.loops, &b.loops);
        let (made, others) = (a.allocations, b.allocations);
        self.add("objects", &made.objects, &others.objects);
        self.add("bytes of objects", &made.bytes, &others.bytes);
    }

    /// What only a run counts that counts everything.
    fn costs(&mut self, a: &CostVector, b: &CostVector) {
        self.add("activations", &a.activations, &b.activations);
        self.add("blocks", &a.blocks, &b.blocks);
        self.add("steps", &a.steps, &b.steps);
        self.counts("primitive ", &a.primitives, &b.primitives);
        self.add("called primitives", &a.called, &b.called);
        self.counts("counter ", &a.counters, &b.counters);
        self.add("work", &a.work, &b.work);
    }

    /// Counts by name, where there is nothing for 0.
    fn counts(&mut self, before: &str, a: &BTreeMap<String, u64>, b: &BTreeMap<String, u64>) {
        let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for name in names {
            let of = |counts: &BTreeMap<String, u64>| counts.get(name).copied().unwrap_or(0);
            self.add(&format!("{before}{name}"), &of(a), &of(b));
        }
    }

    fn methods(&mut self, a: &Profile, b: &Profile) {
        let counts = |profile: &Profile| {
            let mut counts = BTreeMap::new();
            for method in &profile.methods {
                let numbers = [
                    ("calls", method.calls),
                    ("evaluations of blocks", method.block_calls),
                    ("own sends", method.own),
                    ("total sends", method.total),
                    ("objects", method.allocations.objects),
                    ("bytes of objects", method.allocations.bytes),
                ];
                for (what, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
                    *counts
                        .entry(format!("{what} of {}", method.name))
                        .or_insert(0) += number;
                }
            }
            counts
        };
        self.counts("", &counts(a), &counts(b));
    }

    /// Reported only if nothing else is.
    fn rest(&mut self, a: &Profile, b: &Profile) {
        if !self.0.is_empty() {
            return;
        }
        let parts = [
            ("methods", a.methods == b.methods),
            ("the calling-context tree", a.contexts == b.contexts),
            ("calls between methods", a.calls == b.calls),
            ("sends by site", a.sites == b.sites),
            ("allocations by site", a.allocations == b.allocations),
        ];
        for (what, _) in parts.into_iter().filter(|(_, is_equal)| !is_equal) {
            self.add(what, "one way", "another way");
        }
    }

    fn output(&mut self, a: &str, b: &str) {
        let lines = || a.lines().zip(b.lines());
        let at = lines().position(|(a, b)| a != b);
        let at = at.unwrap_or_else(|| a.lines().count().min(b.lines().count()));
        let line = |text: &str| {
            let line = text.lines().nth(at);
            line.map_or("nothing".to_string(), |line| {
                format!("'{}'", shortened(line))
            })
        };
        self.0.push(Difference {
            what: format!("line {} of the output", at + 1),
            usual: line(a),
            other: line(b),
        });
    }
}

fn shortened(line: &str) -> String {
    const MOST: usize = 60;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

/// Finds the first send that differs between runs in the usual and in another mode. Both are run again and followed: digests at
/// regular points tell between which two of them it lies, then each send there is looked at. `None` if it was not seen again.
pub(super) fn first_send(
    runner: &mut Runner,
    subject: Subject,
    mode: &Mode,
) -> Result<Option<FirstSend>, Failure> {
    let mut first = 0;
    let mut window = 0..0;
    for _ in 0..MOST_TRIES {
        let watching = Watching::Sends {
            first,
            window: window.clone(),
        };
        let usual = runner.run(subject, &USUAL, &watching)?;
        let other = runner.run(subject, mode, &watching)?;
        let both = [&usual.followed, &other.followed];
        if let Some(index) = differing_in_window(both) {
            return Ok(Some(described(&usual, &other, mode, index)));
        }
        let Some(range) = differing_range(both, first) else {
            return match window.is_empty() && first == 0 {
                true => equal_sends(runner, subject, mode, &usual).map(Some),
                false => Ok(None),
            };
        };
        if range.end - range.start <= CLOSE_RANGE {
            first = range.start;
            window = range;
        } else {
            first = range.start;
            window = 0..0;
        }
    }
    Ok(None)
}

/// The place in the window of the first send that differs; of the shorter run, that behind its end.
fn differing_in_window(both: [&Followed; 2]) -> Option<usize> {
    let [a, b] = both.map(|followed| &followed.window);
    let shared = a.iter().zip(b).position(|(a, b)| a != b);
    let is_longer = a.len() != b.len();
    shared.or_else(|| is_longer.then(|| a.len().min(b.len())))
}

/// The sends among which the first is that differs, if one does: those numbered from the start, from 0, to before the end.
fn differing_range(both: [&Followed; 2], first: u64) -> Option<Range<u64>> {
    let maps = both.map(|followed| {
        let points = followed.points.iter();
        points
            .map(|point| (point.sends, point.digest))
            .collect::<BTreeMap<_, _>>()
    });
    let [a, b] = &maps;
    let mut equal = 0;
    for (&sends, digest) in a {
        match b.get(&sends) {
            Some(other) if other == digest => equal = sends,
            // What differs at the first point may have differed long before.
            Some(_) => return Some(equal..sends),
            None => {}
        }
    }
    let last = |followed: &Followed| {
        followed
            .points
            .last()
            .map_or(0, |point: &Point| point.sends)
    };
    let [ends_a, ends_b] = both.map(last);
    let is_before_first = ends_a.min(ends_b) < first;
    let start = if is_before_first { 0 } else { equal };
    (ends_a != ends_b).then(|| start..ends_a.max(ends_b).min(start.saturating_add(CLOSE_RANGE)))
}

/// The report of runs whose sends are all the same: the last request.
fn equal_sends(
    runner: &mut Runner,
    subject: Subject,
    mode: &Mode,
    followed: &Ran,
) -> Result<FirstSend, Failure> {
    let end = followed
        .followed
        .points
        .last()
        .map_or(0, |point| point.sends);
    let watching = Watching::Sends {
        first: 0,
        window: end..end.saturating_add(1),
    };
    let usual = runner.run(subject, &USUAL, &watching)?;
    Ok(FirstSend {
        usual: None,
        other: None,
        asked: last_request(&[&usual], mode, 0),
    })
}

/// The last request before a send of the window, of the kind that the mode changes.
fn last_request(runs: &[&Ran], mode: &Mode, index: usize) -> Option<Asked> {
    let kind = match mode.meaning {
        Meaning::Finding { question, .. } => question,
        Meaning::Failure | Meaning::Schedule { .. } => Question::Address,
    };
    runs.iter().find_map(|run| run.vm.asked_before(kind, index))
}

fn described(usual: &Ran, other: &Ran, mode: &Mode, index: usize) -> FirstSend {
    FirstSend {
        usual: usual.vm.followed_send(index),
        other: other.vm.followed_send(index),
        asked: last_request(&[usual, other], mode, index),
    }
}
