//! A profile's calling-context tree as a flame graph; the width of a frame is its weight, for example the
//! number of sends in it.

use tally_presentation::flame::{FlameGraph, Frame};
use tally_presentation::width::clipped;
use tally_presentation::{grouped, share};

use crate::context_tree::{self, ContextTree, What, cut};
use crate::profile::Profile;
use crate::report::{PRIMITIVES, WORK_PROXY};
use crate::tree::Measure;

/// Contexts that are drawn at most.
const MOST: usize = 6_000;
/// Characters of a name in a title.
const NAME: usize = 120;

/// A profile's calling-context tree as an SVG flame graph.
pub fn flame_svg(profile: &Profile, measure: Measure) -> String {
    let mut contexts = cut(profile, &ContextTree::of(profile), MOST);
    contexts.retain(|context| context.what != What::Primitives || measure == Measure::Work);
    let whole = contexts.first().map_or(0, |run| run.weights(measure)[0]);
    let frames: Vec<Frame> = contexts
        .iter()
        .map(|context| frame(profile, context, measure, whole))
        .collect();
    let title = match profile.files.as_slice() {
        [] => "a run".to_string(),
        [file] => file.clone(),
        [file, rest @ ..] => format!("{file} and {} more", rest.len()),
    };
    let unit = measure.noun_in(profile);
    let width = match measure {
        Measure::Work => "the work".to_string(),
        _ => format!("the number of {unit}"),
    };
    let whole = match measure {
        Measure::Sends => profile.cost.sends,
        _ => whole,
    };
    let note = format!(
        "{} {unit}; the width of a frame is {width} in it and above it",
        grouped(whole)
    );
    let foot = match measure {
        Measure::Work => WORK_PROXY.to_string(),
        _ => profile.unit.proxy(),
    };
    let graph = FlameGraph {
        title: &title,
        note: &note,
        empty: "This profile has no calling-context tree.",
        foot: foot.trim_end(),
        key: [("program", "program"), ("library", "library")],
        frames: &frames,
    };
    graph.svg()
}

fn frame(profile: &Profile, context: &context_tree::Frame, measure: Measure, whole: u64) -> Frame {
    let label = label(profile, context.what);
    let name = clipped(&label, NAME);
    let [total, own] = context.weights(measure);
    let share = share(total, whole);
    let unit = &profile.unit;
    let noun = measure.noun_in(profile);
    let mut title = format!("{name}: {} {noun}, {share}", grouped(total));
    if let What::Method(_) | What::Block(..) = context.what {
        let those = if measure == Measure::Work {
            "it"
        } else {
            "them"
        };
        title.push_str(&format!("; {} of {those} its own", grouped(own)));
        if unit.calls {
            title.push_str(&format!("; {} calls", grouped(context.calls)));
        }
    }
    Frame {
        depth: context.depth,
        weight: total,
        class: class(profile, context.what),
        label,
        title,
    }
}

fn label(profile: &Profile, what: What) -> String {
    let name = |method: u32| {
        let method = profile.methods.get(method as usize);
        method.map_or("?", |method| &method.name)
    };
    match what {
        What::Run => "run".to_string(),
        What::Method(method) => name(method).to_string(),
        What::Block(method, _) => format!("[] in {}", name(method)),
        What::Primitives => PRIMITIVES.to_string(),
        What::Other => "(no room in the tree)".to_string(),
        What::Smaller(contexts) => format!("… ({} smaller)", grouped(contexts)),
    }
}

fn class(profile: &Profile, what: What) -> &'static str {
    match what {
        What::Run | What::Primitives | What::Other | What::Smaller(_) => "rest",
        What::Method(method) | What::Block(method, _) => {
            let method = profile.methods.get(method as usize);
            match method.is_some_and(|method| method.is_library) {
                true => "library",
                false => "program",
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::example;

    #[test]
    fn frames_are_as_wide_as_their_work_if_that_is_wanted() {
        let svg = flame_svg(&example(), Measure::Work);
        assert!(svg.contains("1,700 work; the width of a frame is the work in it and above it"));
        assert!(svg.contains("A&gt;&gt;b: 1,000 work, 58.8%; 900 of it its own; 1 calls"));
        assert!(svg.contains("(primitives): 50 work, 2.9%"));
        assert!(!flame_svg(&example(), Measure::Sends).contains(PRIMITIVES));
    }
}
