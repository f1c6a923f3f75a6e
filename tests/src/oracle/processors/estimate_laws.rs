//! Laws of estimates. They follow the events of a run in their order, so what waits for less is never later.

use tally_timeline::{
    Circumstances as Known, Inventory, LastRequests, Preludes, Sink, Variation, Varying, feed,
};
use tally_vm::Timeline;

use super::observe::Run;
use super::record::Circumstances;

/// The most names of a kind that are tried.
const MOST: usize = 3;

/// The laws of estimates that a run breaks.
pub(super) fn broken(run: &Run, circumstances: Circumstances) -> Vec<String> {
    let timeline = &run.timeline;
    let known = Known::of_simulation(&circumstances);
    let mut names = Inventory::default();
    follow(timeline, &mut names);
    let mut broken = Vec::new();
    let nothing = estimate(timeline, known, servers("no class", 1));
    // The events of a central scheduler do not say all that it waited for.
    let is_less = nothing < timeline.end && !known.is_central;
    if is_less || nothing > timeline.end {
        broken.push(format!(
            "nothing is otherwise: {nothing} of {}",
            timeline.end
        ));
    }
    for variation in variations(timeline, &names) {
        // What a narrow scope executes before it has its locks keeps its place on the CPU.
        let is_narrow = matches!(variation, Variation::Narrow { .. });
        if is_narrow && known.has_few_cpus {
            continue;
        }
        let least = estimate(timeline, known, variation.clone());
        let is_one = matches!(variation, Variation::Servers { number: 1, .. });
        let is_less = is_one && least < timeline.end && !known.is_central;
        if is_less || least > timeline.end {
            broken.push(format!("{variation:?}: {least} of {}", timeline.end));
        }
    }
    broken
}

fn variations(timeline: &Timeline, names: &Inventory) -> Vec<Variation> {
    let mut all = vec![Variation::Queues];
    for class in names.processors.iter().take(MOST) {
        all.extend([1, 2].map(|number| servers(class, number)));
    }
    for site in names.sites.keys().take(MOST) {
        let mut last = LastRequests::of(site.clone());
        follow(timeline, &mut last);
        all.push(last.late());
    }
    for feature in names.features.iter().take(MOST) {
        let mut preludes = Preludes::of(feature.clone());
        follow(timeline, &mut preludes);
        all.push(preludes.narrow());
        let feature = feature.clone();
        all.push(Variation::Holds { feature });
    }
    all
}

fn servers(class: &str, number: usize) -> Variation {
    let class = class.to_string();
    Variation::Servers { class, number }
}

fn estimate(timeline: &Timeline, known: Known, variation: Variation) -> u64 {
    let mut varying = Varying::new(variation, 0, known);
    follow(timeline, &mut varying);
    varying.finish(timeline.end).0
}

fn follow(timeline: &Timeline, sink: &mut impl Sink) {
    feed(timeline, sink).expect("the timeline was followed before");
}
