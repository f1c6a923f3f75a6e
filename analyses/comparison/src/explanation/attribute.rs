//! The walk over the trees of a run. Each context's share of the difference is split into parts, and each part is
//! followed to its origin.
//!
//! A context's own sends differ by Δcalls · own-per-call before, and by calls after · Δ(own per call). The method itself
//! causes the second part. The first part follows the calls. As far as a context is entered in proportion to its parent,
//! the origins of the parent's calls are the origins of its calls. The parent causes the remainder.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tally_profiler::ContextKind;

use super::causes::{CauseId, Causes};
use super::ratio::{Ratio, Sum, beyond};
use super::tree::{Merged, Node};
use crate::matching::{Fate, Matched};
use crate::measurement::MeasuredRun;

/// In which way something is the cause of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum How {
    /// It sends more or fewer messages itself, each time.
    Itself,
    /// It calls others more or less often, each time.
    Calls,
    /// It is found where another was, or another where it was.
    Found,
    /// The values that it returns or leaves behind make other methods send more or fewer messages.
    Values,
    /// It costs more or less with all that it calls. Only totals of imported functions have such parts.
    Below,
}

/// Causes, alone or together, and how. None at all: nothing explains it.
pub(crate) type Origin = (Vec<CauseId>, How);

/// An origin by its number.
pub(crate) type OriginId = u32;

/// Parts by origin, in the order of their numbers; none of them zero.
pub(crate) type Parts = Vec<(OriginId, Ratio)>;

pub(super) fn add(parts: &mut Parts, origin: OriginId, part: &Ratio) {
    if part.is_zero() {
        return;
    }
    match parts.binary_search_by_key(&origin, |(origin, _)| *origin) {
        Ok(place) => {
            let sum = parts[place].1.plus(part);
            match sum.is_zero() {
                true => drop(parts.remove(place)),
                false => parts[place].1 = sum,
            }
        }
        Err(place) => parts.insert(place, (origin, part.clone())),
    }
}

/// Adds parts to parts.
pub(super) fn merge(parts: &mut Parts, more: &Parts) {
    more.iter()
        .for_each(|(origin, part)| add(parts, *origin, part));
}

/// The product of a number and a fraction of all parts.
pub(super) fn scaled(parts: &Parts, factor: u64, divisor: u64) -> Parts {
    if factor == 0 || divisor == 0 {
        return Parts::new();
    }
    let scaled = parts
        .iter()
        .map(|(origin, part)| (*origin, part.times(factor, divisor)));
    scaled.collect()
}

/// Sums of parts by origin.
pub(crate) type Sums = BTreeMap<OriginId, Sum>;

pub(super) fn add_all(sums: &mut Sums, parts: &Parts) {
    for (origin, part) in parts {
        sums.entry(*origin).or_default().add(part);
    }
}

/// The heaviest way of a part: its size, and the names from the origin down to the place with most of the part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    pub(crate) size: Ratio,
    pub(crate) names: Vec<String>,
}

/// The result of walking over runs.
pub(crate) struct Attribution<'m> {
    matched: &'m Matched<'m>,
    pub(crate) causes: Causes<'m>,
    pub(crate) origins: Vec<Origin>,
    numbers: HashMap<Origin, OriginId>,
    pub(crate) whole: Sums,
    /// Of own and of total sends, by pair.
    pub(crate) own: BTreeMap<u32, Sums>,
    pub(crate) total: BTreeMap<u32, Sums>,
    pub(crate) trails: HashMap<OriginId, Trail>,
}

impl<'m> Attribution<'m> {
    pub(crate) fn new(matched: &'m Matched<'m>) -> Attribution<'m> {
        Attribution {
            matched,
            causes: Causes::new(matched),
            origins: Vec::new(),
            numbers: HashMap::new(),
            whole: Sums::new(),
            own: BTreeMap::new(),
            total: BTreeMap::new(),
            trails: HashMap::new(),
        }
    }

    fn origin(&mut self, causes: Vec<CauseId>, how: How) -> OriginId {
        let next = self.origins.len() as OriginId;
        let origin = (causes, how);
        let number = *self.numbers.entry(origin.clone()).or_insert(next);
        if number == next {
            self.origins.push(origin);
        }
        number
    }

    /// Walks over a run; answers its parts.
    pub(crate) fn add_run(&mut self, old: &MeasuredRun, new: &MeasuredRun) -> Sums {
        let Some(tree) = Merged::of(self.matched, old, new) else {
            return Sums::new();
        };
        let mut walk = Walk::new(self, &tree, old, new);
        walk.split();
        let (calls, own) = (
            std::mem::take(&mut walk.calls),
            std::mem::take(&mut walk.own),
        );
        self.note_trails(&tree.nodes, &calls, &own);
        self.add_up(&tree.nodes, &own)
    }

    /// Adds own parts up to methods' own, totals and the whole.
    fn add_up(&mut self, nodes: &[Node], own: &[Parts]) -> Sums {
        let mut run = Sums::new();
        let mut totals: Vec<Parts> = vec![Parts::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            merge(&mut totals[index], &own[index]);
            add_all(&mut run, &own[index]);
            if let (Some(pair), false) = (node.pair, own[index].is_empty()) {
                add_all(self.own.entry(pair).or_default(), &own[index]);
            }
            let below = std::mem::take(&mut totals[index]);
            if below.is_empty() {
                continue;
            }
            if let (Some(pair), true) = (node.pair, is_outermost(nodes, index)) {
                add_all(self.total.entry(pair).or_default(), &below);
            }
            if index > 0 {
                merge(&mut totals[node.parent], &below);
            }
        }
        for (origin, sum) in &run {
            let part = sum.clone().finish();
            self.whole.entry(*origin).or_default().add(&part);
        }
        run
    }

    fn note_trails(&mut self, nodes: &[Node], calls: &[Parts], own: &[Parts]) {
        let mut greatest: HashMap<OriginId, (Ratio, usize)> = HashMap::new();
        for (index, parts) in own.iter().enumerate() {
            for (origin, part) in parts {
                let size = part.size();
                let best = greatest.entry(*origin).or_default();
                if size > best.0 {
                    *best = (size, index);
                }
            }
        }
        for (origin, (size, index)) in greatest {
            let known = self.trails.entry(origin).or_default();
            if size > known.size {
                let names = trail(self.matched, nodes, calls, origin, index);
                *known = Trail { size, names };
            }
        }
    }
}

/// The way to a context from the one whose doing its calls follow.
fn trail(
    matched: &Matched<'_>,
    nodes: &[Node],
    calls: &[Parts],
    origin: OriginId,
    mut index: usize,
) -> Vec<String> {
    let follows = |index: usize| calls[index].iter().any(|(of, _)| *of == origin);
    let name = |index: usize| {
        let node = &nodes[index];
        let method = node.pair.map(|pair| matched.method(pair).name.as_str())?;
        Some(match node.kind {
            ContextKind::Block => format!("[] in {method}"),
            _ => method.to_string(),
        })
    };
    let mut names: Vec<String> = Vec::from_iter(name(index));
    while index > 0 && follows(index) {
        index = nodes[index].parent;
        names.extend(name(index));
    }
    names.reverse();
    names.dedup();
    names
}

/// Whether no context above is of the same method.
fn is_outermost(nodes: &[Node], index: usize) -> bool {
    let pair = nodes[index].pair;
    let mut above = index;
    while above > 0 {
        above = nodes[above].parent;
        if nodes[above].pair == pair {
            return false;
        }
    }
    true
}

/// The walk over one run.
struct Walk<'w, 'm> {
    attribution: &'w mut Attribution<'m>,
    nodes: &'w [Node],
    old: &'w MeasuredRun,
    new: &'w MeasuredRun,
    /// The origins of the difference of each context's calls.
    calls: Vec<Parts>,
    /// The origins of the difference of each context's own sends.
    own: Vec<Parts>,
    /// The origin of changed values; computed on first use, because few runs need it.
    values: Option<OriginId>,
    /// Contexts below each, of methods that were added, removed, renamed or moved: who may take another's place.
    others: HashMap<usize, Vec<(String, CauseId)>>,
}

impl<'w, 'm> Walk<'w, 'm> {
    fn new(
        attribution: &'w mut Attribution<'m>,
        tree: &'w Merged,
        old: &'w MeasuredRun,
        new: &'w MeasuredRun,
    ) -> Walk<'w, 'm> {
        let nodes = &tree.nodes;
        let mut others: HashMap<usize, Vec<(String, CauseId)>> = HashMap::new();
        for node in nodes {
            let cause = attribution.causes.of_pair(node.pair);
            let (Some(pair), Some(cause), ContextKind::Method) = (node.pair, cause, node.kind)
            else {
                continue;
            };
            let pair_of = &attribution.matched.pairs[pair as usize];
            if pair_of.fate == Fate::Edited {
                continue;
            }
            let of_parent = others.entry(node.parent).or_default();
            let selector = &attribution.matched.method(pair).selector;
            of_parent.push((selector.clone(), cause));
            if let Some((_, old)) = pair_of.old_name.as_ref().and_then(|n| n.split_once(">>")) {
                of_parent.push((old.to_string(), cause));
            }
        }
        Walk {
            attribution,
            nodes,
            old,
            new,
            calls: vec![Parts::new(); nodes.len()],
            own: vec![Parts::new(); nodes.len()],
            values: None,
            others,
        }
    }

    fn split(&mut self) {
        for index in 0..self.nodes.len() {
            if index > 0 {
                self.calls[index] = self.calls_of(index);
            }
            self.own[index] = self.own_of(index);
        }
    }

    /// The origins of the difference of a context's calls.
    fn calls_of(&mut self, index: usize) -> Parts {
        let node = &self.nodes[index];
        let above = &self.nodes[node.parent];
        let (before, after) = (node.before.calls, node.after.calls);
        let of_above = &self.calls[node.parent];
        if !above.before.is_there {
            return scaled(of_above, after, above.after.calls);
        }
        let mut parts = scaled(of_above, before, above.before.calls);
        let rest = beyond([after, above.after.calls], [before, above.before.calls]);
        if !rest.is_zero() {
            let origin = self.caller_of(index);
            add(&mut parts, origin, &rest);
        }
        parts
    }

    /// The origins of the difference of a context's own sends.
    fn own_of(&mut self, index: usize) -> Parts {
        let Node {
            before,
            after,
            pair,
            ..
        } = self.nodes[index];
        let calls = &self.calls[index];
        if !before.is_there {
            return scaled(calls, after.own, after.calls);
        }
        let mut parts = scaled(calls, before.own, before.calls);
        // What each call sends more than before, over all calls.
        let rest = beyond([after.own, after.calls], [before.own, before.calls]);
        if !rest.is_zero() {
            let origin = match self.attribution.causes.of_pair(pair) {
                Some(cause) if self.is_edited(pair) => {
                    self.attribution.origin(vec![cause], How::Itself)
                }
                _ => self.values(),
            };
            add(&mut parts, origin, &rest);
        }
        parts
    }

    /// Whether a method's body is another one.
    fn is_edited(&self, pair: Option<u32>) -> bool {
        let pairs = &self.attribution.matched.pairs;
        pair.is_some_and(|pair| pairs[pair as usize].fate == Fate::Edited)
    }

    /// Why a context is entered more or less often than in proportion to the one above.
    fn caller_of(&mut self, index: usize) -> OriginId {
        let node = &self.nodes[index];
        let above = &self.nodes[node.parent];
        let cause = |pair| self.attribution.causes.of_pair(pair);
        if let (true, Some(cause)) = (self.is_edited(above.pair), cause(above.pair)) {
            return self.attribution.origin(vec![cause], How::Calls);
        }
        if node.kind == ContextKind::Method
            && let Some(pair) = node.pair
        {
            if let (false, Some(cause)) = (self.is_edited(node.pair), cause(node.pair)) {
                return self.attribution.origin(vec![cause], How::Found);
            }
            let selector = self.attribution.matched.method(pair).selector.as_str();
            let others = self.others.get(&node.parent).into_iter().flatten();
            let found = others.filter(|(other, _)| other == selector);
            let mut found: Vec<CauseId> = found.map(|(_, cause)| *cause).collect();
            found.extend(self.attribution.causes.silent_for(selector));
            found.sort_unstable();
            found.dedup();
            if !found.is_empty() && !selector.is_empty() {
                return self.attribution.origin(found, How::Found);
            }
        }
        if let (ContextKind::Block, true, Some(cause)) =
            (node.kind, self.is_edited(node.pair), cause(node.pair))
        {
            return self.attribution.origin(vec![cause], How::Calls);
        }
        self.values()
    }

    /// What may have made a method that is the same do something else.
    fn values(&mut self) -> OriginId {
        if let Some(origin) = self.values {
            return origin;
        }
        let causes = self.attribution.causes.of_values(self.old, self.new);
        let origin = self.attribution.origin(causes, How::Values);
        *self.values.insert(origin)
    }
}
