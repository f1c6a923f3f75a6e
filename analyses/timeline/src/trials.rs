//! Reads the timelines of trials: of blocks that tests evaluate in copies of the machine, so as to assert what they take.

use std::collections::BTreeMap;

use tally_vm::{
    Event, EventKind, Simulation, Timeline, TimelineFigures, TimelineReader, TimelineReading,
};

use crate::endings::Circumstances;
use crate::measured::{Extent, Window};
use crate::overview::{Figures, Overview};
use crate::sink::Feed;
use crate::waits::longest_in_words;

/// The most waits that a failed assertion shows.
const MOST_SHOWN: usize = 5;

/// Reads timelines for assertions.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrialReader;

impl TimelineReader for TrialReader {
    fn begin(&self, from: u64, simulation: &Simulation) -> Box<dyn TimelineReading> {
        Box::new(Reading::new(Extent::since(from, from), None, simulation))
    }
}

impl TrialReader {
    /// Reads what happens between two moments of a run on this machine. At the second one all is quiet.
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
            to,
            refusal: None,
        }
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
            let accepted = self.feed.add(part, &mut self.overview);
            self.refusal = accepted.err().map(|error| error.to_string());
        }
    }

    fn finish(self: Box<Self>, end: u64) -> Result<TimelineFigures, String> {
        match self.refusal {
            Some(why) => Err(why),
            None => Ok(figures_of(&self.overview.ending(end).finish())),
        }
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
        longest_waits: longest_in_words(figures, MOST_SHOWN),
    }
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
