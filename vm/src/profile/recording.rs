//! Computes the results of a recording, independent of the machine's tables.

use std::collections::BTreeMap;

use crate::base::{ClassId, MethodId};
use crate::bytecode::{Instruction, Op};
use crate::counting::weight;
use crate::heap::Allocations;
use crate::machine::Vm;
use crate::observers::{
    Context, ContextKind, ContextRow, Counts, Edge, EdgeCounts, Made, Recorded, Recorder, SendSite,
    Spent, Tally, tree,
};

impl Counts {
    pub(super) fn of(recorder: &Recorder) -> Counts {
        let edge = |edge: &tree::Edge| EdgeCounts {
            calls: edge.calls,
            total: edge.total,
            work: edge.work,
            charged: edge.charged,
        };
        Counts {
            edges: recorder.tree.edges.iter().map(edge).collect(),
            sites: by_instruction(&recorder.sites),
            charges: by_instruction(&recorder.charges),
            made: recorder.allocations.rows().collect(),
        }
    }

    /// How often each site's message was sent.
    pub(super) fn sends_by_site(&self, vm: &Vm) -> Vec<(SendSite, u64)> {
        sites(vm, &self.sites).into_iter().collect()
    }

    /// The allocations by edge, instruction and class.
    pub(super) fn allocations(&self) -> &BTreeMap<(u32, usize, u32), Allocations> {
        &self.made
    }

    /// The counts of an edge.
    pub(super) fn of_edge(&self, edge: usize) -> EdgeCounts {
        self.edges.get(edge).copied().unwrap_or_default()
    }

    /// A frame that was entered by the edge is taken for left at this reading of the counters.
    pub(super) fn leave(&mut self, edge: u32, spent: Spent) {
        let counts = &mut self.edges[edge as usize];
        counts.total = counts.total.wrapping_add(spent.sends);
        counts.work = counts.work.wrapping_add(spent.work);
    }

    /// Adds counts of another time of the same recording.
    pub(crate) fn add(&mut self, other: &Counts) {
        if self.edges.len() < other.edges.len() {
            self.edges.resize(other.edges.len(), EdgeCounts::default());
        }
        for (sum, more) in self.edges.iter_mut().zip(&other.edges) {
            *sum = sum.plus(*more);
        }
        for (sums, more) in [
            (&mut self.sites, &other.sites),
            (&mut self.charges, &other.charges),
        ] {
            for (key, more) in more {
                let sum = sums.entry(*key).or_default();
                *sum = sum.wrapping_add(*more);
            }
        }
        for (key, more) in &other.made {
            let sum = self.made.entry(*key).or_default();
            sum.objects = sum.objects.wrapping_add(more.objects);
            sum.bytes = sum.bytes.wrapping_add(more.bytes);
        }
    }

    /// The counts since an earlier reading.
    pub(crate) fn since(mut self, earlier: Option<&Counts>) -> Counts {
        let Some(earlier) = earlier else {
            return self;
        };
        for (now, before) in self.edges.iter_mut().zip(&earlier.edges) {
            *now = now.minus(*before);
        }
        for (counts, earlier) in [
            (&mut self.sites, &earlier.sites),
            (&mut self.charges, &earlier.charges),
        ] {
            for (key, before) in earlier {
                if let Some(now) = counts.get_mut(key) {
                    *now = now.wrapping_sub(*before);
                }
            }
            counts.retain(|_, count| *count > 0);
        }
        for (key, before) in &earlier.made {
            if let Some(now) = self.made.get_mut(key) {
                now.objects = now.objects.wrapping_sub(before.objects);
                now.bytes = now.bytes.wrapping_sub(before.bytes);
            }
        }
        self.made.retain(|_, row| row.objects > 0);
        self
    }
}

impl Recorded {
    pub(super) fn new(vm: &Vm, recorder: &Recorder, counts: &Counts) -> Recorded {
        Recorded::with_places(vm, recorder, counts).0
    }

    /// The results, and the places of the tree's contexts in them.
    pub(super) fn with_places(vm: &Vm, recorder: &Recorder, counts: &Counts) -> (Recorded, Kept) {
        let tree = &recorder.tree;
        let kept = Kept::new(tree, counts);
        let counts_work = recorder.counts_work();
        let mut contexts = kept.contexts(vm, tree);
        let mut edges = Vec::new();
        for (number, edge) in tree.edges.iter().enumerate().skip(1) {
            let counts = counts.of_edge(number);
            let (calls, total) = (counts.calls, counts.total);
            let from = kept.places[tree.from[number] as usize];
            let (Some(from), Some(to)) = (from, kept.places[edge.context as usize]) else {
                continue;
            };
            let work = match counts_work {
                true => counts
                    .work
                    .wrapping_add(entries(tree.row(edge.context), calls)),
                false => 0,
            };
            let context = &mut contexts[to as usize];
            context.calls = context.calls.wrapping_add(calls);
            context.own = context.own.wrapping_add(total);
            context.work = context.work.wrapping_add(work);
            if counts_work {
                context.charged = context.charged.wrapping_add(counts.charged);
            }
            let context = &mut contexts[from as usize];
            context.own = context.own.wrapping_sub(total);
            context.work = context.work.wrapping_sub(work);
            if calls > 0 || total > 0 {
                edges.push(Edge {
                    from,
                    to,
                    site: vm.send_site(tree.row(tree.from[number]).target, edge.site),
                    calls,
                    cumulative: total,
                    cumulative_work: work,
                });
            }
        }
        // Sends outside of all processes are not the run's own either.
        contexts[0].own = 0;
        contexts[0].work = 0;
        add_totals(&mut contexts);
        let recorded = Recorded {
            contexts,
            edges,
            sites: sites(vm, &counts.sites).into_iter().collect(),
            charges: sites(vm, &counts.charges),
            made: made(vm, tree, &kept, counts),
            is_complete: !tree.is_full,
        };
        (recorded, kept)
    }

    /// The work of a site with that many sends: of these, and of the primitives that they called. Zero if work was not
    /// counted.
    pub fn work_of_site(&self, site: SendSite, sends: u64) -> u64 {
        if self.contexts.first().is_none_or(|run| run.total_work == 0) {
            return 0;
        }
        let charges = self.charges.get(&site).copied().unwrap_or(0);
        sends.saturating_mul(weight::SENT).saturating_add(charges)
    }

    /// The methods that were activated, or blocks in them, with their tallies, by their numbers.
    pub fn tallies(&self) -> BTreeMap<MethodId, Tally> {
        let mut tallies: BTreeMap<MethodId, Tally> = BTreeMap::new();
        for context in &self.contexts {
            let Some((method, is_block)) = context.kind.code() else {
                continue;
            };
            let tally = tallies.entry(method).or_default();
            let calls = match is_block {
                true => &mut tally.block_calls,
                false => &mut tally.calls,
            };
            *calls = calls.wrapping_add(context.calls);
            tally.own = tally.own.wrapping_add(context.own);
            tally.own_work = tally.own_work.saturating_add(context.work);
            if context.is_outermost {
                tally.total = tally.total.wrapping_add(context.total);
                tally.total_work = tally.total_work.saturating_add(context.total_work);
            }
        }
        for edge in &self.edges {
            if let ContextKind::Method(method) = self.contexts[edge.to as usize].kind {
                let tally = tallies.entry(method).or_default();
                tally.cumulative = tally.cumulative.wrapping_add(edge.cumulative);
            }
        }
        tallies
    }
}

impl ContextKind {
    /// The method, and whether it is about a block in it.
    pub fn code(self) -> Option<(MethodId, bool)> {
        match self {
            ContextKind::Method(method) => Some((method, false)),
            ContextKind::Block(method, _) => Some((method, true)),
            ContextKind::Run | ContextKind::Other => None,
        }
    }
}

/// Adds the contexts' own sends and work up to totals, from the last to the first. A charge may be as great as numbers go,
/// so sums of work stay at the greatest number.
pub(super) fn add_totals(contexts: &mut [Context]) {
    for context in contexts.iter_mut() {
        (context.total, context.total_work) = (context.own, context.work);
    }
    for index in (1..contexts.len()).rev() {
        let (total, work) = (contexts[index].total, contexts[index].total_work);
        let parent = contexts[index].parent as usize;
        let above = &mut contexts[parent];
        above.total = above.total.wrapping_add(total);
        above.total_work = above.total_work.saturating_add(work);
    }
}

/// What entering a context that often costs. The loop counts an entry before it reads the counters.
fn entries(row: &ContextRow, calls: u64) -> u64 {
    calls.wrapping_mul(match row.is_block {
        true => weight::BLOCK,
        false => weight::ACTIVATION,
    })
}

/// Counts that are not zero, by code and instruction.
fn by_instruction(rows: &[Box<[u64]>]) -> BTreeMap<(usize, usize), u64> {
    let mut found = BTreeMap::new();
    for (code, row) in rows.iter().enumerate() {
        let counted = row.iter().enumerate().filter(|(_, count)| **count > 0);
        found.extend(counted.map(|(pc, &count)| ((code, pc), count)));
    }
    found
}

/// The contexts of a tree that are shown, and their positions: contexts with counts, and the contexts above them.
pub(super) struct Kept {
    /// By context.
    places: Vec<Option<u32>>,
    shown: Vec<u32>,
}

impl Kept {
    /// The place of a context of the tree.
    pub(super) fn place(&self, context: u32) -> Option<u32> {
        self.places.get(context as usize).copied().flatten()
    }

    /// The context of the tree at a place.
    pub(super) fn number(&self, place: u32) -> Option<u32> {
        self.shown.get(place as usize).copied()
    }

    fn new(tree: &tree::Tree, counts: &Counts) -> Kept {
        let mut is_shown = vec![false; tree.contexts.len()];
        is_shown[tree::RUN as usize] = true;
        for ((edge, from), counts) in tree.edges.iter().zip(&tree.from).zip(&counts.edges) {
            let is_counted = counts.calls > 0 || counts.total > 0;
            is_shown[edge.context as usize] |= is_counted;
            is_shown[*from as usize] |= is_counted;
        }
        is_shown[tree::SILENT as usize] = false;
        // Contexts come after their parents.
        for context in (tree::OTHER as usize..tree.contexts.len()).rev() {
            let row = &tree.contexts[context];
            is_shown[context] &= !row.is_quick;
            is_shown[row.parent as usize] |= is_shown[context];
        }
        let numbered = 0..tree.contexts.len() as u32;
        let shown: Vec<u32> = numbered.filter(|&c| is_shown[c as usize]).collect();
        let mut places = vec![None; tree.contexts.len()];
        for (place, &context) in (0..).zip(&shown) {
            places[context as usize] = Some(place);
        }
        Kept { places, shown }
    }

    fn contexts(&self, vm: &Vm, tree: &tree::Tree) -> Vec<Context> {
        let context = |&number: &u32| {
            let row = tree.row(number);
            Context {
                parent: self.places[row.parent as usize].unwrap_or(0),
                kind: kind(vm, number, row),
                calls: 0,
                own: 0,
                total: 0,
                work: 0,
                total_work: 0,
                charged: 0,
                is_outermost: row.news.method,
                is_outermost_code: row.news.code,
                is_outermost_call: row.news.call,
            }
        };
        self.shown.iter().map(context).collect()
    }
}

fn kind(vm: &Vm, number: u32, row: &ContextRow) -> ContextKind {
    let method = MethodId(row.method);
    match number {
        tree::RUN => ContextKind::Run,
        tree::OTHER => ContextKind::Other,
        _ if row.is_block => {
            let first = vm.code.linked(method).map_or(row.target, |id| id.0);
            ContextKind::Block(method, row.target.saturating_sub(first))
        }
        _ => ContextKind::Method(method),
    }
}

/// Counts of instructions, added up by sites.
fn sites(vm: &Vm, counts: &BTreeMap<(usize, usize), u64>) -> BTreeMap<SendSite, u64> {
    let mut sums: BTreeMap<SendSite, u64> = BTreeMap::new();
    for (&(code, pc), &count) in counts {
        let site = vm.send_site_at(code, pc);
        if let Some(site) = site {
            let sum = sums.entry(site).or_default();
            *sum = sum.wrapping_add(count);
        }
    }
    sums
}

fn made(vm: &Vm, tree: &tree::Tree, kept: &Kept, counts: &Counts) -> Vec<Made> {
    let mut sums: BTreeMap<(u32, u32, Option<SendSite>), Allocations> = BTreeMap::new();
    for (&(edge, at, class), row) in &counts.made {
        let edge = &tree.edges[edge as usize];
        if let Some(place) = kept.places[edge.context as usize] {
            let site = vm.send_site(edge.target, at);
            let sum = sums.entry((place, class, site)).or_default();
            sum.objects = sum.objects.wrapping_add(row.objects);
            sum.bytes = sum.bytes.wrapping_add(row.bytes);
        }
    }
    let row = |((context, class, site), allocations)| Made {
        context,
        class: ClassId(class),
        site,
        allocations,
    };
    sums.into_iter().map(row).collect()
}

impl Vm {
    /// The send in a piece of code whose instruction stands at an address; `None` for other instructions.
    pub(crate) fn send_site(&self, code: u32, address: usize) -> Option<SendSite> {
        let target = self.code.targets.get(code as usize)?;
        self.send_site_at(code as usize, target.index_of(address as *const u64)?)
    }

    fn send_site_at(&self, code: usize, pc: usize) -> Option<SendSite> {
        let found = Instruction::at(&self.code.targets.get(code)?.words, pc)?;
        let site = self.code.sites.get(found.site()? as usize)?;
        Some(SendSite {
            method: site.method,
            index: site.index,
            is_super: found.op == Op::SuperSend,
        })
    }
}
