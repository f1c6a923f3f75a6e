//! Reads the timelines of trials: of blocks that tests evaluate in copies of the machine, so as to assert what they take.

use std::collections::BTreeMap;

use tally_vm::{
    LockScheduler, Simulation, Timeline, TimelineFigures, TimelineReader, TimelineReading,
};

use crate::endings::Circumstances;
use crate::overview::{Extent, Figures, Overview};
use crate::sink::Feed;
use crate::waits::longest_in_words;

/// The most waits that a failed assertion shows.
const MOST_SHOWN: usize = 5;

/// Reads timelines for assertions.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrialReader;

impl TimelineReader for TrialReader {
    fn begin(&self, from: u64, simulation: &Simulation) -> Box<dyn TimelineReading> {
        let circumstances = Circumstances {
            latency: simulation.costs.latency,
            has_few_cpus: simulation.cpus.is_some(),
            is_central: simulation.scheduler == LockScheduler::Central,
        };
        let overview = Overview::new(Extent::since(from, from), None, false);
        Box::new(Reading {
            feed: Feed::default(),
            overview: overview.under(circumstances),
            refusal: None,
        })
    }
}

struct Reading {
    feed: Feed,
    overview: Overview,
    /// Why a part was not accepted.
    refusal: Option<String>,
}

impl TimelineReading for Reading {
    fn add(&mut self, part: &Timeline) {
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
        for class in processor.into_iter().chain(feature.filter(|_| feature != processor)) {
            let sum = ticks.entry(class).or_default();
            *sum = sum.saturating_add(*waited);
        }
    }
    let named = ticks.into_iter();
    named.map(|(class, ticks)| (class.to_string(), ticks)).collect()
}
