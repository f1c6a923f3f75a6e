//! A test's own part of what was recorded while it ran: its method and what that caused, without setUp, tearDown and the
//! runner. That is what a test costs, wherever a test's cost is told.

use std::collections::BTreeMap;

use tally_profiler::{
    Allocated, Allocation, Context, ContextKind, CostVector, MethodProfile, Profile,
};

use super::ended::TestCost;
use super::found::Test;

/// The profile of a test's own part, in which methods keep their places. What the test sent beside its method stands in the
/// root, so that all adds up to its cost; `None` if more was recorded than it cost.
pub(super) fn own_part(profile: Profile, test: &Test, cost: TestCost) -> Option<Profile> {
    let places = places(&profile, test);
    let mut part = Profile {
        cost: vector(cost, &profile.cost),
        contexts: contexts(&profile, &places),
        allocations: allocations(&profile, &places),
        calls: Vec::new(),
        ..profile
    };
    add_up(&mut part);
    let own = part.methods.iter().map(|method| method.own);
    let root = part.contexts.first_mut()?;
    root.own = cost.counts.sends.checked_sub(own.sum())?;
    root.total = cost.counts.sends;
    Some(part)
}

/// Where each context comes to stand, if it belongs to the test's own part. Contexts stand behind those above them.
fn places(profile: &Profile, test: &Test) -> Vec<Option<u32>> {
    let mut places: Vec<Option<u32>> = Vec::with_capacity(profile.contexts.len());
    let mut next = 0;
    for context in &profile.contexts {
        let above = context.parent.map(|parent| places[parent as usize]);
        let is_inside = above.flatten().is_some();
        let place = (is_inside || is_start(profile, context, test)).then(|| {
            next += 1;
            next
        });
        places.push(place);
    }
    places
}

/// Whether the test begins in this context: it is one of the test's own method.
fn is_start(profile: &Profile, context: &Context, test: &Test) -> bool {
    let method = |index: Option<u32>| profile.methods.get(index? as usize);
    let above = context
        .parent
        .map(|parent| &profile.contexts[parent as usize]);
    let is_selector = |method: Option<&MethodProfile>, selector: &str| {
        method.is_some_and(|method| method.selector == selector)
    };
    is_selector(method(context.method), &test.selector)
        && is_selector(above.and_then(|above| method(above.method)), "performTest")
}

/// The contexts that have a place, below a root of their own.
fn contexts(profile: &Profile, places: &[Option<u32>]) -> Vec<Context> {
    let root = Context {
        parent: None,
        kind: ContextKind::Run,
        method: None,
        block: 0,
        calls: 0,
        own: 0,
        total: 0,
        allocations: Allocated::default(),
    };
    let mut contexts = vec![root];
    for (context, place) in profile.contexts.iter().zip(places) {
        if place.is_some() {
            let above = context.parent.and_then(|parent| places[parent as usize]);
            contexts.push(Context {
                parent: Some(above.unwrap_or(0)),
                ..context.clone()
            });
        }
    }
    contexts
}

fn allocations(profile: &Profile, places: &[Option<u32>]) -> Vec<Allocation> {
    let rows = profile.allocations.iter().filter_map(|row| {
        let context = places.get(row.context as usize).copied()??;
        Some(Allocation {
            context,
            site: None,
            ..row.clone()
        })
    });
    rows.collect()
}

/// Adds up what the contexts say of methods; a total is that of contexts with no other of the method above them.
fn add_up(part: &mut Profile) {
    let Profile {
        contexts, methods, ..
    } = part;
    for method in methods.iter_mut() {
        method.calls = 0;
        method.block_calls = 0;
        method.own = 0;
        method.total = 0;
        method.cumulative = 0;
        method.allocations = Allocated::default();
    }
    // The contexts from the root to the last one that was looked at, and how many of each method are among them.
    let mut path: Vec<(usize, Option<u32>)> = Vec::new();
    let mut on_path: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, context) in contexts.iter().enumerate() {
        let above = context.parent.map(|parent| parent as usize);
        while path.last().is_some_and(|(last, _)| Some(*last) != above) {
            if let Some((_, Some(method))) = path.pop() {
                on_path.entry(method).and_modify(|count| *count -= 1);
            }
        }
        path.push((index, context.method));
        let Some(number) = context.method else {
            continue;
        };
        let count = on_path.entry(number).or_default();
        *count += 1;
        let Some(method) = methods.get_mut(number as usize) else {
            continue;
        };
        match context.kind {
            ContextKind::Method => method.calls += context.calls,
            _ => method.block_calls += context.calls,
        }
        method.own += context.own;
        method.total += if *count == 1 { context.total } else { 0 };
        let Allocated { objects, bytes } = context.allocations;
        method.allocations.add(objects, bytes);
    }
}

fn vector(cost: TestCost, all: &CostVector) -> CostVector {
    let TestCost {
        counts,
        instructions,
    } = cost;
    CostVector {
        sends: counts.sends,
        loops: counts.loops,
        activations: counts.activations,
        blocks: counts.blocks,
        allocations: Allocated {
            objects: counts.allocations,
            bytes: counts.bytes,
        },
        instructions,
        // By names they are known of the whole run only.
        primitives: match counts.primitives == all.primitive_count() {
            true => all.primitives.clone(),
            false => BTreeMap::from([("all".to_string(), counts.primitives)]),
        },
    }
}
