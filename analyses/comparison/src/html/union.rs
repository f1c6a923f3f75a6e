//! The calling-context trees of all runs before and after, merged into one. Two contexts are merged if the same path
//! leads to both. Removed contexts stay in the tree. In a large tree, the contexts with the smallest differences are
//! summed up.

use std::cmp::Reverse;
use std::collections::HashMap;

use tally_profiler::ContextKind;

use crate::difference::Runs;
use crate::matching::Matched;
use crate::measurement::MeasuredRun;

/// Counts before and after.
pub(super) type Sides = [u64; 2];

/// What a frame stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// All runs.
    Run,
    /// What did not fit into a run's tree.
    Other,
    /// A method, by its pair.
    Method(u32),
    /// A block, by the pair of its home method and its number there.
    Block(u32, u32),
    /// A number of contexts in which little happens.
    Smaller(u64),
}

/// A context of the picture, with those below it behind it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) depth: u32,
    pub(super) what: What,
    pub(super) calls: Sides,
    pub(super) own: Sides,
}

/// A context of either side.
struct Node {
    parent: usize,
    what: What,
    calls: Sides,
    own: Sides,
    /// Sends in it and below it that were executed before or are now, those that are gone included.
    size: u128,
    /// By how many sends contexts in it and below it differ.
    change: u128,
}

/// The contexts of all runs; the first is the root, every other comes after the one above it.
struct Union {
    nodes: Vec<Node>,
    places: HashMap<(usize, What), usize>,
}

/// The frames of a picture with about this many.
pub(super) fn frames(matched: &Matched<'_>, runs: &Runs<'_>, most: usize) -> Vec<Frame> {
    let mut union = Union::new();
    for (old, new) in &runs.both {
        union.add(old, &matched.of_old, 0);
        union.add(new, &matched.of_new, 1);
    }
    union.sum();
    union.frames(matched, most)
}

impl Union {
    fn new() -> Union {
        Union {
            nodes: vec![Node::blank()],
            places: HashMap::new(),
        }
    }

    fn add(&mut self, run: &MeasuredRun, pairs: &[u32], side: usize) {
        self.count(0, side, 1, 0);
        if run.contexts.is_empty() {
            return self.add_flat(run, pairs, side);
        }
        let mut places: Vec<usize> = Vec::with_capacity(run.contexts.len());
        for context in &run.contexts {
            let parent = places.get(context.parent as usize).copied().unwrap_or(0);
            let pair = context.method.map(|method| pairs[method as usize]);
            let what = match (context.kind, pair) {
                (ContextKind::Run, _) => What::Run,
                (ContextKind::Method, Some(pair)) => What::Method(pair),
                (ContextKind::Block, Some(pair)) => What::Block(pair, context.block),
                _ => What::Other,
            };
            let (place, calls) = match what {
                What::Run => (0, 0),
                what => (self.place(parent, what), context.calls),
            };
            places.push(place);
            self.count(place, side, calls, context.own);
        }
    }

    /// Where there is no tree, every method stands below the root.
    fn add_flat(&mut self, run: &MeasuredRun, pairs: &[u32], side: usize) {
        for counts in &run.methods {
            let place = self.place(0, What::Method(pairs[counts.method as usize]));
            self.count(place, side, counts.calls, counts.own);
        }
    }

    fn place(&mut self, parent: usize, what: What) -> usize {
        let next = self.nodes.len();
        let place = *self.places.entry((parent, what)).or_insert(next);
        if place == next {
            self.nodes.push(Node {
                parent,
                what,
                ..Node::blank()
            });
        }
        place
    }

    fn count(&mut self, place: usize, side: usize, calls: u64, own: u64) {
        let node = &mut self.nodes[place];
        node.calls[side] = node.calls[side].saturating_add(calls);
        node.own[side] = node.own[side].saturating_add(own);
    }

    fn sum(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            let [before, after] = node.own;
            node.size += u128::from(before.max(after));
            node.change += u128::from(before.abs_diff(after));
            let (parent, size, change) = (node.parent, node.size, node.change);
            if index > 0 {
                self.nodes[parent].size += size;
                self.nodes[parent].change += change;
            }
        }
    }

    /// The contexts that are shown one by one: the contexts with the most sends, or with the most new sends, and their
    /// ancestors.
    fn shown(&self, most: usize) -> Vec<bool> {
        let whole = &self.nodes[0];
        let part = |part: u128, whole: u128| (part << 40) / whole.max(1);
        let weight = |index: usize| {
            let node = &self.nodes[index];
            part(node.size, whole.size) + part(node.change, whole.change)
        };
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|index| (Reverse(weight(*index)), *index));
        let mut shown = vec![false; self.nodes.len()];
        for index in order.into_iter().take(most.max(1)) {
            shown[index] = true;
        }
        shown
    }

    fn frames(&self, matched: &Matched<'_>, most: usize) -> Vec<Frame> {
        let shown = self.shown(most);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        // A hidden context is added up at its nearest shown ancestor.
        let mut rest: HashMap<usize, Frame> = HashMap::new();
        let mut above: Vec<usize> = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            above[index] = match shown[node.parent] {
                true => node.parent,
                false => above[node.parent],
            };
            if shown[index] {
                children[node.parent].push(index);
                continue;
            }
            let sum = rest.entry(above[index]).or_insert_with(|| Frame {
                depth: 0,
                what: What::Smaller(0),
                calls: [0, 0],
                own: [0, 0],
            });
            if let What::Smaller(count) = &mut sum.what {
                *count += 1;
            }
            for side in 0..2 {
                sum.own[side] = sum.own[side].saturating_add(node.own[side]);
            }
        }
        let mut frames = Vec::new();
        let mut waiting = vec![(0, 0)];
        while let Some((index, depth)) = waiting.pop() {
            let node = &self.nodes[index];
            frames.push(Frame {
                depth,
                what: node.what,
                calls: node.calls,
                own: node.own,
            });
            if let Some(sum) = rest.remove(&index) {
                frames.push(Frame {
                    depth: depth + 1,
                    ..sum
                });
            }
            let mut below = std::mem::take(&mut children[index]);
            below.sort_by_key(|child| {
                let child = &self.nodes[*child];
                (Reverse(child.size), name_of(matched, child.what))
            });
            waiting.extend(below.into_iter().rev().map(|child| (child, depth + 1)));
        }
        frames
    }
}

fn name_of<'m>(matched: &Matched<'m>, what: What) -> (&'m str, u32) {
    match what {
        What::Method(pair) => (&matched.method(pair).name, 0),
        What::Block(pair, block) => (&matched.method(pair).name, block),
        _ => ("", 0),
    }
}

impl Node {
    fn blank() -> Node {
        Node {
            parent: 0,
            what: What::Run,
            calls: [0, 0],
            own: [0, 0],
            size: 0,
            change: 0,
        }
    }
}
