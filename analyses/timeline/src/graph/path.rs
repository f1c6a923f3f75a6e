//! The critical path: how virtual time passed on the way to the last event, back to the begin of the run. Its parts add up to the makespan.
//! And blame: how it passed on the ways to the ends of waits.
//!
//! The ways to all events that later ones may wait for form a tree. Ways that lead nowhere are taken out, and what all ways have in common
//! is added up, so memory is that of the ways that differ.

use std::collections::BTreeMap;

use super::{Passes, Stretch, Weigher};
use crate::measured::Window;
use crate::names::FeatureId;

/// The most stretches of the path that are listed.
const MOST_LISTED: usize = 100_000;

/// The tree is tidied when it has this number of nodes, or twice those that it kept.
const MANY: usize = 1 << 20;

const ROOT: u32 = 0;

/// How time passes, and in which feature.
pub type Passing = (Passes, Option<FeatureId>);

/// A part of the critical path, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// Its begin.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// How time passes in it, and in which feature.
    pub passing: Passing,
    /// The number of the processor.
    pub processor: u32,
}

/// A stretch, and the way to its begin.
#[derive(Clone, Copy, Debug)]
struct Node {
    part: PathPart,
    parent: u32,
    /// A node further back, so that a moment is found in few steps.
    jump: u32,
    depth: u32,
    /// Waits whose blame ends here, without those whose blame begins behind it.
    waits: i64,
}

/// The ways to the moments that are still needed.
#[derive(Debug)]
pub(crate) struct Trails {
    window: Window,
    /// Each node stands behind its parent. The first is the end of what all have in common.
    nodes: Vec<Node>,
    room: usize,
    many: usize,
    /// Ticks of the path that all ways have in common.
    shares: BTreeMap<Passing, u64>,
    blame: BTreeMap<Passing, i128>,
    /// Ticks of waits that have not ended.
    never_ended: u64,
    parts: Vec<PathPart>,
    left_out: u64,
}

/// The critical path, and who made others wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Ticks of the path. Their sum is the length of the extent.
    pub shares: BTreeMap<Passing, u64>,
    /// Ticks that processors waited while that happened at the end of the chain of their waits.
    pub blame: BTreeMap<Passing, u64>,
    /// Ticks of waits that have not ended.
    pub never_ended: u64,
    /// The parts in their order, at most 100,000.
    pub parts: Vec<PathPart>,
    /// Parts that did not fit.
    pub left_out: u64,
    /// Events of the run for which the events before them do not say why they did not happen earlier.
    pub unexplained: u64,
}

impl Trails {
    /// Of the part of virtual time.
    pub(crate) fn new(window: Window) -> Trails {
        let root = Node {
            part: PathPart {
                from: 0,
                to: 0,
                passing: (Passes::Unknown, None),
                processor: 0,
            },
            parent: ROOT,
            jump: ROOT,
            depth: 0,
            waits: 0,
        };
        Trails {
            window,
            nodes: vec![root],
            room: MANY,
            many: MANY,
            shares: BTreeMap::new(),
            blame: BTreeMap::new(),
            never_ended: 0,
            parts: Vec::new(),
            left_out: 0,
        }
    }

    /// Tidies the tree whenever it has this number of nodes, or twice those that it kept.
    pub(crate) fn limit(&mut self, many: usize) {
        (self.room, self.many) = (many, many);
    }

    /// The path to the moment with this value.
    pub(crate) fn finish(mut self, end: u32) -> CriticalPath {
        let mut way = Vec::new();
        let mut at = end;
        while at != ROOT {
            way.push(self.nodes[at as usize].part);
            at = self.nodes[at as usize].parent;
        }
        for part in way.into_iter().rev() {
            self.share(part);
        }
        for at in (1..self.nodes.len()).rev() {
            self.settle(at);
        }
        let blame = self.blame.into_iter();
        let blame = blame.map(|(passing, ticks)| (passing, u64::try_from(ticks).unwrap_or(0)));
        CriticalPath {
            shares: self.shares,
            blame: blame.filter(|(_, ticks)| *ticks > 0).collect(),
            never_ended: self.never_ended,
            parts: self.parts,
            left_out: self.left_out,
            unexplained: 0,
        }
    }

    /// A part of the path, behind those that came before.
    fn share(&mut self, part: PathPart) {
        let ticks = self.window.overlap(part.from, part.to);
        if ticks == 0 {
            return;
        }
        let share = self.shares.entry(part.passing).or_default();
        *share = share.saturating_add(ticks);
        let part = PathPart {
            from: part.from.max(self.window.from),
            to: part.to.min(self.window.to),
            ..part
        };
        let last = self.parts.last_mut().filter(|_| self.left_out == 0);
        if let Some(last) = last
            && (last.passing, last.processor, last.to) == (part.passing, part.processor, part.from)
        {
            last.to = part.to;
        } else if self.parts.len() < MOST_LISTED {
            self.parts.push(part);
        } else {
            self.left_out += 1;
        }
    }

    /// The node leads nowhere else: its waits are those of the node before.
    fn settle(&mut self, at: usize) {
        let Node {
            part,
            parent,
            waits,
            ..
        } = self.nodes[at];
        if waits == 0 {
            return;
        }
        self.add_blame(
            part.passing,
            i128::from(waits) * i128::from(part.to - part.from),
        );
        self.nodes[parent as usize].waits += waits;
    }

    fn add_blame(&mut self, passing: Passing, ticks: i128) {
        if ticks != 0 {
            *self.blame.entry(passing).or_default() += ticks;
        }
    }

    /// The node on the way to this one that has the moment behind its begin, or the last.
    fn before(&self, value: u32, moment: u64) -> u32 {
        let mut at = value;
        loop {
            let node = &self.nodes[at as usize];
            if node.part.from <= moment || at == ROOT {
                return at;
            }
            at = match self.nodes[node.jump as usize].part.from > moment {
                true => node.jump,
                false => node.parent,
            };
        }
    }

    /// Adds or takes away the way to the value, as far as it is before the moment.
    fn count(&mut self, value: u32, moment: u64, waits: i64) {
        let at = self.before(value, moment);
        let Node { part, parent, .. } = self.nodes[at as usize];
        if at != ROOT {
            let ticks = moment.min(part.to).saturating_sub(part.from);
            self.add_blame(part.passing, i128::from(waits) * i128::from(ticks));
            self.nodes[parent as usize].waits += waits;
        }
    }

    /// Marks what leads to values or is one, and takes the rest out. Answers the new places.
    fn compact(&mut self, values: &mut [&mut u32]) {
        let mut is_needed = vec![false; self.nodes.len()];
        is_needed[ROOT as usize] = true;
        for value in &*values {
            is_needed[**value as usize] = true;
        }
        for at in (1..self.nodes.len()).rev() {
            match is_needed[at] {
                true => is_needed[self.nodes[at].parent as usize] = true,
                false => self.settle(at),
            }
        }
        let mut places = vec![ROOT; self.nodes.len()];
        let mut kept = 0;
        for at in 0..self.nodes.len() {
            if is_needed[at] {
                places[at] = kept as u32;
                let node = self.nodes[at];
                self.nodes[kept] = Node {
                    parent: places[node.parent as usize],
                    jump: places[node.jump as usize],
                    ..node
                };
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        for value in values {
            **value = places[**value as usize];
        }
    }

    /// The nodes that all ways have in common, in their order.
    fn common(&self, values: &[&mut u32]) -> usize {
        let mut branches = vec![0_u32; self.nodes.len()];
        for node in &self.nodes[1..] {
            branches[node.parent as usize] += 1;
        }
        let mut is_value = vec![false; self.nodes.len()];
        for value in values {
            is_value[**value as usize] = true;
        }
        // Behind a node with one branch, which is no value, stands its only child.
        let has_one_way = |at: usize| branches[at] == 1 && !is_value[at];
        (0..self.nodes.len())
            .take_while(|at| has_one_way(*at))
            .count()
    }

    /// Adds up the first nodes behind the root, which all ways have in common. Waits that began there go on at their end.
    fn fold(&mut self, common: usize, values: &mut [&mut u32], waits: &mut [&mut u64]) {
        let end = self.nodes[common].part.to;
        waits.sort_unstable();
        // Waits that have ended on any of the ways.
        let mut ended: i64 = self.nodes.iter().map(|node| node.waits).sum();
        ended -= self.nodes[ROOT as usize].waits;
        for at in 1..=common {
            let part = self.nodes[at].part;
            self.share(part);
            let inside = self.window;
            let ticks: i128 = waits
                .iter()
                .take_while(|since| ***since < part.to)
                .map(|since| i128::from(inside.overlap(part.from.max(**since), part.to)))
                .sum();
            let whole = i128::from(ended) * i128::from(part.to - part.from);
            self.add_blame(part.passing, ticks + whole);
            ended -= self.nodes[at].waits;
        }
        for since in waits.iter_mut() {
            **since = end.max(**since);
        }
        let less = common as u32;
        for value in values.iter_mut() {
            **value -= less.min(**value);
        }
        self.nodes.drain(1..=common);
        self.nodes[ROOT as usize].part.to = end;
        for node in &mut self.nodes[1..] {
            node.parent -= less.min(node.parent);
            node.jump -= less.min(node.jump);
        }
    }
}

impl Weigher for Trails {
    /// The number of a node.
    type Value = u32;

    fn begin(&mut self) -> u32 {
        ROOT
    }

    fn after(&mut self, value: &u32, stretch: Stretch) -> u32 {
        let parent = self.nodes[*value as usize];
        let jump = self.nodes[parent.jump as usize];
        let is_double =
            parent.depth - jump.depth == jump.depth - self.nodes[jump.jump as usize].depth;
        let from = parent.part.to;
        self.nodes.push(Node {
            part: PathPart {
                from,
                to: from.saturating_add(stretch.ticks),
                passing: (stretch.passes, stretch.feature),
                processor: stretch.processor,
            },
            parent: *value,
            jump: if is_double { parent.jump } else { *value },
            depth: parent.depth + 1,
            waits: 0,
        });
        (self.nodes.len() - 1) as u32
    }

    fn both(&mut self, one: &u32, other: &u32, is_other: bool) -> u32 {
        if is_other { *other } else { *one }
    }

    fn waited(&mut self, from: u64, to: u64, value: &u32) {
        let (from, to) = (from.max(self.window.from), to.min(self.window.to));
        if from < to {
            self.count(*value, to, 1);
            self.count(*value, from, -1);
        }
    }

    fn never_ended(&mut self, from: u64, to: u64) {
        let ticks = self.window.overlap(from, to);
        self.never_ended = self.never_ended.saturating_add(ticks);
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= self.room
    }

    fn tidy(&mut self, mut values: Vec<&mut u32>, mut waits: Vec<&mut u64>) {
        self.compact(&mut values);
        let common = self.common(&values);
        if common > 0 {
            self.fold(common, &mut values, &mut waits);
        }
        self.room = (2 * self.nodes.len()).max(self.many);
    }
}
