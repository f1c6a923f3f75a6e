//! The calling-context trees of a run before and after, merged into one. Two contexts are merged if the same path leads
//! to both; a renamed method counts as the same.

use std::collections::HashMap;

use tally_profiler::ContextKind;

use crate::matching::Matched;
use crate::measurement::{MeasuredRun, RunContext};

/// A context on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    /// Whether it is there.
    pub(crate) is_there: bool,
    /// Activations; at least one where the context exists, because a context entered before the recording began is active
    /// too.
    pub(crate) calls: u64,
    /// Sends executed in it.
    pub(crate) own: u64,
}

impl Side {
    fn add(&mut self, calls: u64, own: u64) {
        self.is_there = true;
        self.calls = self.calls.saturating_add(calls);
        self.own = self.own.saturating_add(own);
    }
}

/// The key of a context among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    parent: u32,
    kind: ContextKind,
    pair: Option<u32>,
    block: u32,
}

/// A context of either side.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: usize,
    pub(crate) kind: ContextKind,
    /// The pair of its method, or of its block's home method.
    pub(crate) pair: Option<u32>,
    pub(crate) before: Side,
    pub(crate) after: Side,
}

/// The contexts of a run; the first is the run, every other comes after the one above it.
pub(crate) struct Merged {
    pub(crate) nodes: Vec<Node>,
}

impl Merged {
    /// The trees of both sides; nothing if they are equal.
    pub(crate) fn of(
        matched: &Matched<'_>,
        old: &MeasuredRun,
        new: &MeasuredRun,
    ) -> Option<Merged> {
        if is_equal(matched, old, new) {
            return None;
        }
        let mut merging = Merging::default();
        merging.add(old, &matched.of_old, false);
        merging.add(new, &matched.of_new, true);
        let mut nodes = merging.nodes;
        for node in &mut nodes {
            for side in [&mut node.before, &mut node.after] {
                if side.is_there {
                    side.calls = side.calls.max(1);
                }
            }
        }
        Some(Merged { nodes })
    }
}

/// Whether both trees are the same, context by context.
fn is_equal(matched: &Matched<'_>, old: &MeasuredRun, new: &MeasuredRun) -> bool {
    let is_same = |(a, b): (&RunContext, &RunContext)| {
        let pair = |method: Option<u32>, of: &[u32]| method.map(|method| of[method as usize]);
        (a.parent, a.kind, a.block, a.calls, a.own) == (b.parent, b.kind, b.block, b.calls, b.own)
            && pair(a.method, &matched.of_old) == pair(b.method, &matched.of_new)
    };
    !old.contexts.is_empty()
        && old.contexts.len() == new.contexts.len()
        && old.contexts.iter().zip(&new.contexts).all(is_same)
}

#[derive(Default)]
struct Merging {
    nodes: Vec<Node>,
    places: HashMap<Key, usize>,
}

impl Merging {
    fn add(&mut self, run: &MeasuredRun, pairs: &[u32], is_new: bool) {
        self.place(0, ContextKind::Run, None, 0);
        self.count(0, is_new, 1, 0);
        if run.contexts.is_empty() {
            self.add_flat(run, pairs, is_new);
        }
        let mut places: Vec<usize> = Vec::with_capacity(run.contexts.len());
        for context in &run.contexts {
            let parent = places.get(context.parent as usize).copied().unwrap_or(0);
            if context.kind == ContextKind::Run {
                places.push(0);
                self.count(0, is_new, 0, context.own);
                continue;
            }
            let pair = context.method.map(|method| pairs[method as usize]);
            let place = self.place(parent, context.kind, pair, context.block);
            places.push(place);
            self.count(place, is_new, context.calls, context.own);
        }
    }

    /// Where there is no tree, every method stands below the run.
    fn add_flat(&mut self, run: &MeasuredRun, pairs: &[u32], is_new: bool) {
        for counts in &run.methods {
            let pair = pairs[counts.method as usize];
            let place = self.place(0, ContextKind::Method, Some(pair), 0);
            self.count(place, is_new, counts.calls, counts.own);
        }
    }

    fn count(&mut self, place: usize, is_new: bool, calls: u64, own: u64) {
        let node = &mut self.nodes[place];
        match is_new {
            true => node.after.add(calls, own),
            false => node.before.add(calls, own),
        }
    }

    fn place(&mut self, parent: usize, kind: ContextKind, pair: Option<u32>, block: u32) -> usize {
        let key = Key {
            parent: parent as u32,
            kind,
            pair,
            block,
        };
        let next = self.nodes.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.nodes.push(Node {
                parent,
                kind,
                pair,
                before: Side::default(),
                after: Side::default(),
            });
        }
        place
    }
}
