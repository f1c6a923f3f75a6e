//! Reads the timelines of trials: of blocks that tests evaluate in copies of the machine, so as to assert what they take.

use std::collections::BTreeMap;

use tally_vm::{
    Event, EventKind, Simulation, Timeline, TimelineFigures, TimelineReader, TimelineReading,
};

use crate::critical::Critical;
use crate::endings::Circumstances;
use crate::findings::Findings;
use crate::measured::{Extent, Window};
use crate::overview::{Figures, Overview};
use crate::sink::{Accepted, Feed};
use crate::waits::longest_in_words;

/// The most waits that a failed assertion shows.
const MOST_WAITS: usize = 5;

/// The most shares of the critical path that it shows.
const MOST_SHARES: usize = 6;

/// Stretches of ways to be kept before what all ways have in common is added up.
const ROOM: usize = 1 << 16;

/// Reads timelines for assertions.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrialReader;

impl TimelineReader for TrialReader {
    fn begin(&self, from: u64, simulation: &Simulation) -> Box<dyn TimelineReading> {
        let mut reading = Reading::new(Extent::since(from, from), None, simulation);
        let circumstances = Circumstances::of_simulation(simulation);
        let critical = Critical::new(Window { from, to: u64::MAX }, circumstances);
        reading.critical = Some((Feed::default(), critical.with_room(ROOM)));
        Box::new(reading)
    }
}

impl TrialReader {
    /// Reads a whole run on this machine, without its critical path.
    pub fn whole(simulation: &Simulation) -> Box<dyn TimelineReading> {
        Box::new(Reading::new(Extent::whole(0), None, simulation))
    }

    /// Reads what happens between two moments of a run on this machine, without its critical path. At the second one all is quiet.
    pub fn between(from: u64, to: u64, simulation: &Simulation) -> Box<dyn TimelineReading> {
        let extent = Extent {
            window: Window { from, to },
            is_segment: false,
            end: to,
        };
        Box::new(Reading::new(extent, Some(to), simulation))
    }
}

struct Reading {
    feed: Feed,
    overview: Overview,
    /// The critical path, if it is looked for.
    critical: Option<(Feed, Critical)>,
    /// The last moment of interest, if it is known.
    to: Option<u64>,
    /// Why a part was not accepted.
    refusal: Option<String>,
}

impl Reading {
    fn new(extent: Extent, to: Option<u64>, simulation: &Simulation) -> Reading {
        let circumstances = Circumstances::of_simulation(simulation);
        Reading {
            feed: Feed::default(),
            overview: Overview::new(extent, None, false).under(circumstances),
            critical: None,
            to,
            refusal: None,
        }
    }

    /// Takes in what is of interest of a part. Without its path, a trial still has figures.
    fn accept(&mut self, part: &Timeline) -> Accepted {
        let followed = self.critical.as_mut();
        if followed.is_some_and(|(feed, critical)| feed.add(part, critical).is_err()) {
            self.critical = None;
        }
        self.feed.add(part, &mut self.overview)
    }
}

impl TimelineReading for Reading {
    fn add(&mut self, part: &Timeline) {
        let kept;
        let part = match self.to {
            None => part,
            Some(to) => {
                // Ticks are stated at the end of a stretch, which may have begun before.
                let is_of_interest =
                    |event: &&Event| event.time <= to || matches!(event.kind, EventKind::Ran(_));
                let events = part.events.iter().filter(is_of_interest);
                kept = Timeline {
                    events: events.copied().collect(),
                    ..part.clone()
                };
                &kept
            }
        };
        if self.refusal.is_none() {
            let accepted = self.accept(part);
            self.refusal = accepted.err().map(|error| error.to_string());
        }
    }

    fn finish(self: Box<Self>, end: u64) -> Result<TimelineFigures, String> {
        if let Some(why) = self.refusal {
            return Err(why);
        }
        let end = self.to.unwrap_or(end);
        let mut figures = self.overview.ending(end).finish();
        figures.findings = self.critical.map(|(_, critical)| {
            let (path, names) = critical.finish(end);
            Findings::new(path, names)
        });
        Ok(figures_of(&figures))
    }
}

fn figures_of(figures: &Figures) -> TimelineFigures {
    let evaluations = figures.features.iter().map(|row| row.evaluations.sum);
    TimelineFigures {
        makespan: figures.extent.makespan(),
        ticks: figures.ticks,
        waiting: figures.waiting,
        evaluations: evaluations.sum(),
        waited_for: waited_for(figures),
        explanation: explanation(figures),
    }
}

/// What took the time: the shares of the critical path if it was looked for, and the longest waits with what ended them.
fn explanation(figures: &Figures) -> String {
    let findings = figures.findings.as_ref();
    let path = findings.map(|found| found.shares_in_words(MOST_SHARES));
    let parts = [
        ("the critical path", path.unwrap_or_default()),
        ("the longest waits", longest_in_words(figures, MOST_WAITS)),
    ];
    let filled = parts.iter().filter(|(_, lines)| !lines.is_empty());
    filled
        .map(|(heading, lines)| format!("{heading}:\n{lines}"))
        .collect()
}

/// The ticks that clients and scopes waited for each class: that of the processor, and that of the feature.
fn waited_for(figures: &Figures) -> Vec<(String, u64)> {
    let mut ticks: BTreeMap<&str, u64> = BTreeMap::new();
    for ((class, feature), waited) in &figures.waited_for {
        let processor = class.map(|class| figures.names.named(class));
        let feature = feature.map(|feature| figures.names.parts(feature).0);
        for class in processor
            .into_iter()
            .chain(feature.filter(|_| feature != processor))
        {
            let sum = ticks.entry(class).or_default();
            *sum = sum.saturating_add(*waited);
        }
    }
    let named = ticks.into_iter();
    named
        .map(|(class, ticks)| (class.to_string(), ticks))
        .collect()
}
