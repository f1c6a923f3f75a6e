//! Explanations of imported measurements. Their programs are not known, so no method counts as edited. The calls between
//! functions are known. A function's own count differs by its calls, and by its count in each call. The function itself
//! causes the second part. The first part follows the calls to the callers: a caller causes it as far as the caller calls
//! more often in each of its own calls. Otherwise the causes of the caller's calls are its causes.
//!
//! Where functions call each other in a cycle, each causes its calls in the cycle. Where calls are not known, each function
//! causes the difference of its own count.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use tally_profiler::cycles::cycles;

use super::attribute::{How, Origin, OriginId, Parts, Sums, Trail, add, add_all, merge, scaled};
use super::causes::{Cause, CauseId, CauseKind};
use super::ratio::{Ratio, beyond};
use super::tree::Side;
use super::{Explained, ExplainedMethod, ExplainedPart, Explanation, Names, Way};
use crate::difference::Runs;
use crate::matching::Matched;
use crate::measurement::MeasuredRun;

/// The most origins of a function's calls that are followed one by one, and the most bits of their fractions. Beyond, the
/// origins become one joint origin, whose part is a whole number again.
const MOST_ORIGINS: usize = 64;
const MOST_BITS: u64 = 512;

/// Functions of a trail.
const LONGEST_TRAIL: usize = 32;

/// A call in the order of its caller and its callee, by pairs.
type Between = (u32, u32);

/// Calls on both sides, and the counts below them.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    calls: [u64; 2],
    total: [u64; 2],
}

/// Explains the runs that both measurements have.
pub(super) fn explain(matched: &Matched<'_>) -> Explanation {
    let runs = Runs::of(matched.old, matched.new);
    let has_calls = matched.old.unit.calls && matched.new.unit.calls;
    let mut explanation = Explanation::default();
    // An imported measurement has one run.
    for (old, new) in &runs.both {
        let graph = Graph::of(matched, old, new);
        let mut found = Found::of(matched);
        match has_calls {
            true => found.follow(&graph),
            false => found.own_alone(&graph),
        }
        let difference = i128::from(new.cost.sends) - i128::from(old.cost.sends);
        let names = Names {
            causes: &found.causes,
            origins: &found.origins,
            trails: &found.trails(matched, &graph),
        };
        let sums = sum(&found.own);
        explanation.whole = names.explained("", difference, sums.clone(), []);
        if difference != 0 || !sums.is_empty() {
            let of_run = names.explained(&old.name, difference, sums, []);
            explanation.runs.push(of_run);
        }
        explanation.methods = methods(matched, &graph, &found, &names);
    }
    explanation
}

fn sum(parts: &[Parts]) -> Sums {
    let mut sums = Sums::new();
    parts.iter().for_each(|parts| add_all(&mut sums, parts));
    sums
}

/// The functions of both sides, by pairs, and their calls.
struct Graph {
    nodes: Vec<[Side; 2]>,
    totals: Vec<[u64; 2]>,
    edges: BTreeMap<Between, Edge>,
    /// The callers of each function.
    callers: Vec<Vec<u32>>,
    /// The part of each function; callers have greater numbers than callees outside their cycle.
    cycles: Vec<u32>,
}

impl Graph {
    fn of(matched: &Matched<'_>, old: &MeasuredRun, new: &MeasuredRun) -> Graph {
        let count = matched.pairs.len();
        let mut graph = Graph {
            nodes: vec![[Side::default(); 2]; count],
            totals: vec![[0; 2]; count],
            edges: BTreeMap::new(),
            callers: vec![Vec::new(); count],
            cycles: Vec::new(),
        };
        for (side, run, pairs) in [(0, old, &matched.of_old), (1, new, &matched.of_new)] {
            for counts in &run.methods {
                let at = pairs[counts.method as usize] as usize;
                let node = &mut graph.nodes[at][side];
                node.is_there = true;
                node.calls = node.calls.saturating_add(counts.calls);
                node.own = node.own.saturating_add(counts.own);
                let total = &mut graph.totals[at][side];
                *total = total.saturating_add(counts.total);
            }
            for call in &run.calls {
                let Some(caller) = call.caller else { continue };
                let between = (pairs[caller as usize], pairs[call.callee as usize]);
                let edge = graph.edges.entry(between).or_default();
                edge.calls[side] = edge.calls[side].saturating_add(call.calls);
                edge.total[side] = edge.total[side].saturating_add(call.total);
            }
        }
        for (caller, callee) in graph.edges.keys() {
            graph.callers[*callee as usize].push(*caller);
        }
        graph.cycles = cycles(count, graph.edges.keys().copied());
        graph
    }

    /// Counts of a side. What ran without being called was called once, by the run.
    fn side(&self, node: u32, side: usize) -> Side {
        let mut counts = self.nodes[node as usize][side];
        if counts.is_there {
            counts.calls = counts.calls.max(1);
        }
        counts
    }

    fn is_cycle(&self, (caller, callee): Between) -> bool {
        self.cycles[caller as usize] == self.cycles[callee as usize]
    }
}

/// The parts of each function, and their origins.
struct Found {
    /// The causes: one for each pair, in the same order.
    causes: Vec<Cause>,
    origins: Vec<Origin>,
    numbers: HashMap<Origin, OriginId>,
    /// The origins of the difference of each function's calls, and of its own count.
    calls: Vec<Parts>,
    own: Vec<Parts>,
    /// The caller by which most of a part came to a function.
    from: HashMap<(u32, OriginId), (Ratio, u32)>,
}

impl Found {
    fn of(matched: &Matched<'_>) -> Found {
        let cause = |(number, pair): (u32, &crate::matching::Pair)| {
            let method = matched.method(number);
            Cause {
                kind: CauseKind::Method,
                name: method.name.clone(),
                old_name: None,
                file: method.file.clone(),
                line: method.line,
                is_library: false,
                fate: pair.fate,
            }
        };
        let count = matched.pairs.len();
        Found {
            causes: (0..).zip(&matched.pairs).map(cause).collect(),
            origins: Vec::new(),
            numbers: HashMap::new(),
            calls: vec![Parts::new(); count],
            own: vec![Parts::new(); count],
            from: HashMap::new(),
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

    /// Each function causes the difference of its own count.
    fn own_alone(&mut self, graph: &Graph) {
        for node in 0..graph.nodes.len() as u32 {
            let [before, after] = [0, 1].map(|side| graph.side(node, side).own);
            let difference = Ratio::from(i128::from(after) - i128::from(before));
            let origin = self.origin(vec![node as CauseId], How::Itself);
            add(&mut self.own[node as usize], origin, &difference);
        }
    }

    /// Follows the calls, callers first.
    fn follow(&mut self, graph: &Graph) {
        let mut order: Vec<u32> = (0..graph.nodes.len() as u32).collect();
        order.sort_by_key(|node| Reverse(graph.cycles[*node as usize]));
        for &node in &order {
            let parts = self.calls_of(graph, node);
            self.calls[node as usize] = self.manageable(parts);
        }
        for node in order {
            self.own[node as usize] = self.own_of(graph, node);
        }
    }

    fn calls_of(&mut self, graph: &Graph, node: u32) -> Parts {
        let mut parts = Parts::new();
        let mut by_callers = [0_u64; 2];
        for &caller in &graph.callers[node as usize] {
            let between = (caller, node);
            let [before, after] = graph.edges[&between].calls;
            for (sum, calls) in by_callers.iter_mut().zip([before, after]) {
                *sum = sum.saturating_add(calls);
            }
            let share = self.share(graph, between, [before, after]);
            for (origin, part) in &share {
                let known = self.from.entry((node, *origin)).or_default();
                if part.size() > known.0 {
                    *known = (part.size(), caller);
                }
            }
            merge(&mut parts, &share);
        }
        // The call by the run, on the side where no function calls it.
        let by_run = [0, 1].map(|side| {
            let calls = graph.side(node, side).calls;
            i128::from(calls) - i128::from(by_callers[side])
        });
        let origin = self.origin(vec![node as CauseId], How::Itself);
        add(&mut parts, origin, &Ratio::from(by_run[1] - by_run[0]));
        parts
    }

    /// The part of the difference of a function's calls that comes by one caller.
    fn share(&mut self, graph: &Graph, between: Between, [before, after]: [u64; 2]) -> Parts {
        let caller = between.0;
        let mut parts = Parts::new();
        if graph.is_cycle(between) {
            let origin = self.origin(vec![caller as CauseId], How::Calls);
            let difference = i128::from(after) - i128::from(before);
            add(&mut parts, origin, &Ratio::from(difference));
            return parts;
        }
        let [old, new] = [0, 1].map(|side| graph.side(caller, side));
        let of_caller = &self.calls[caller as usize];
        if !old.is_there {
            return scaled(of_caller, after, new.calls);
        }
        parts = scaled(of_caller, before, old.calls);
        let rest = beyond([after, new.calls], [before, old.calls]);
        let origin = self.origin(vec![caller as CauseId], How::Calls);
        add(&mut parts, origin, &rest);
        parts
    }

    fn own_of(&mut self, graph: &Graph, node: u32) -> Parts {
        let [before, after] = [0, 1].map(|side| graph.side(node, side));
        let calls = &self.calls[node as usize];
        if !before.is_there {
            return scaled(calls, after.own, after.calls);
        }
        let mut parts = scaled(calls, before.own, before.calls);
        let rest = beyond([after.own, after.calls], [before.own, before.calls]);
        let origin = self.origin(vec![node as CauseId], How::Itself);
        add(&mut parts, origin, &rest);
        parts
    }

    /// The parts as they are, or as one joint part if they are too many or too fine.
    fn manageable(&mut self, parts: Parts) -> Parts {
        let is_fine = |(_, part): &(OriginId, Ratio)| part.bits() > MOST_BITS;
        if parts.len() <= MOST_ORIGINS && !parts.iter().any(is_fine) {
            return parts;
        }
        let origins = parts
            .iter()
            .map(|(origin, _)| &self.origins[*origin as usize]);
        let mut causes: Vec<CauseId> = origins.flat_map(|(causes, _)| causes.clone()).collect();
        causes.sort_unstable();
        causes.dedup();
        let mut sums = Sums::new();
        let joint = self.origin(causes, How::Calls);
        for (_, part) in &parts {
            sums.entry(joint).or_default().add(part);
        }
        let whole = sums.into_iter().map(|(origin, sum)| (origin, sum.finish()));
        whole.filter(|(_, part)| !part.is_zero()).collect()
    }

    /// For each origin the names from its cause to the function with most of its part.
    fn trails(&self, matched: &Matched<'_>, graph: &Graph) -> HashMap<OriginId, Trail> {
        let mut trails: HashMap<OriginId, (Ratio, u32)> = HashMap::new();
        for (node, parts) in (0_u32..).zip(&self.own) {
            for (origin, part) in parts {
                let best = trails.entry(*origin).or_default();
                if part.size() > best.0 {
                    *best = (part.size(), node);
                }
            }
        }
        let trail = |(origin, (size, node)): (OriginId, (Ratio, u32))| {
            let mut nodes = vec![node];
            let mut at = node;
            while nodes.len() < LONGEST_TRAIL
                && let Some((_, caller)) = self.from.get(&(at, origin))
            {
                nodes.push(*caller);
                // In a cycle the caller is the cause; beyond it the trail would not end.
                if graph.is_cycle((*caller, at)) {
                    break;
                }
                at = *caller;
            }
            nodes.reverse();
            nodes.dedup();
            let names = nodes.iter().map(|node| matched.method(*node).name.clone());
            let names = names.collect();
            (origin, Trail { size, names })
        };
        trails.into_iter().map(trail).collect()
    }
}

/// The causes of the functions' differences. The difference of a total has the function's own count and the calls that
/// leave it for causes.
fn methods(
    matched: &Matched<'_>,
    graph: &Graph,
    found: &Found,
    names: &Names<'_>,
) -> Vec<ExplainedMethod> {
    let mut below: HashMap<u32, Vec<(u32, i128)>> = HashMap::new();
    for (between, edge) in &graph.edges {
        let difference = i128::from(edge.total[1]) - i128::from(edge.total[0]);
        if difference != 0 && !graph.is_cycle(*between) {
            below
                .entry(between.0)
                .or_default()
                .push((between.1, difference));
        }
    }
    let mut rows = Vec::new();
    for (node, [before, after]) in (0_u32..).zip(&graph.nodes) {
        let at = node as usize;
        let own = i128::from(after.own) - i128::from(before.own);
        let [total_before, total_after] = graph.totals[at];
        let total = i128::from(total_after) - i128::from(total_before);
        if found.own[at].is_empty() && own == 0 && total == 0 {
            continue;
        }
        let name = &matched.method(node).name;
        let mut parts = Vec::new();
        let mut rest = total - own;
        parts.extend(part(found, node, How::Itself, own));
        for (callee, difference) in below.remove(&node).unwrap_or_default() {
            rest -= difference;
            parts.extend(part(found, callee, How::Below, difference));
        }
        // What a cycle adds to the totals of its functions.
        parts.extend(part(found, node, How::Below, rest));
        parts.sort_by(|a, b| {
            (Reverse(a.part.size()), &a.causes).cmp(&(Reverse(b.part.size()), &b.causes))
        });
        rows.push(ExplainedMethod {
            name: name.clone(),
            own: names.explained(name, own, sum(&found.own[at..=at]), []),
            total: Explained {
                name: name.clone(),
                difference: total,
                parts,
            },
        });
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

/// A part with one cause; nothing if it is zero.
fn part(found: &Found, node: u32, how: How, difference: i128) -> Option<ExplainedPart> {
    let cause = found.causes[node as usize].clone();
    let part = Ratio::from(difference);
    let way = Way {
        how,
        part: part.clone(),
        trail: vec![cause.name.clone()],
    };
    (difference != 0).then(|| ExplainedPart {
        causes: vec![cause],
        part,
        ways: vec![way],
    })
}
