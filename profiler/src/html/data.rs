//! A profile as data for the page's script: columns instead of rows, each text once, within a limit of size. Every list
//! starts with the most expensive entry. The entries that are left out are counted.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tally_presentation::html::{Budget, Count, clipped, column, number_size, text_size};

use super::groups::{Groups, groups};
use super::tree::{Contexts, contexts};
use crate::context_tree::ContextTree;
use crate::profile::{Ending, Limits, MethodProfile, Profile, Site};
use crate::rank::{Order, ranked};
use crate::unit::Unit;

/// Bytes of all data; with the page's own text a report stays below 5 MB. Each part has a limit, and unused bytes go to
/// the sources.
const ALL: usize = 4_600_000;
/// Bytes of the run's description: files, arguments, primitives.
const ABOUT: usize = 200_000;
/// Bytes of the methods' columns.
const METHODS: usize = 1_000_000;
/// Bytes of the tree.
const CONTEXTS: usize = 1_300_000;
/// Bytes of classes, and of packages.
const GROUPS: usize = 150_000;
/// Bytes of calls.
const CALLS: usize = 600_000;
/// Bytes of sites.
const SITES: usize = 700_000;
/// Bytes of allocations.
const ALLOCATIONS: usize = 200_000;

/// A method that is not in the page.
pub(super) const LEFT_OUT: i32 = -4;
/// No method called: the bottom of a process.
const RUN: i32 = -1;

/// Everything that the page shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Data {
    schema: &'static str,
    /// What is counted; absent for sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    about: About,
    strings: Vec<String>,
    methods: Methods,
    classes: Groups,
    packages: Groups,
    contexts: Contexts,
    /// Who calls whom. Not `calls`, which is the name of a number that a profile may not know.
    edges: Calls,
    sites: Sites,
    allocations: Allocations,
    /// Sources by the method's number in the page.
    sources: BTreeMap<u32, String>,
    left_out: LeftOut,
}

/// How much is not in the page.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct LeftOut {
    methods: usize,
    edges: usize,
    #[serde(skip_serializing_if = "is_zero")]
    sites_of_methods: usize,
    sources: usize,
    allocations: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct About {
    files: Vec<String>,
    more_files: usize,
    arguments: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    more_arguments: usize,
    seed: String,
    limits: LimitCounts,
    ending: Ending,
    reproducible: bool,
    model: u32,
    library: String,
    program: String,
    is_tree_complete: bool,
    cost: Cost,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Serialize)]
struct LimitCounts {
    sends: Option<Count>,
    memory: Option<Count>,
    depth: Count,
}

#[derive(Debug, Serialize)]
struct Cost {
    sends: Count,
    /// Of a profile of another tool that knows calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Count>,
    loops: Count,
    activations: Count,
    blocks: Count,
    objects: Count,
    bytes: Count,
    /// Absent if it was not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<Count>,
    instructions: Count,
    primitives: Vec<(String, Count)>,
    inlined: Option<Vec<(String, Count)>>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Methods {
    name: Vec<String>,
    class: Vec<u32>,
    package: Vec<u32>,
    category: Vec<u32>,
    file: Vec<u32>,
    line: Vec<usize>,
    digest: Vec<String>,
    /// A digit a method: 1 if it belongs to the library.
    is_library: String,
    calls: Vec<Count>,
    block_calls: Vec<Count>,
    own: Vec<Count>,
    total: Vec<Count>,
    cumulative: Vec<Count>,
    objects: Vec<Count>,
    bytes: Vec<Count>,
    own_work: Vec<Count>,
    total_work: Vec<Count>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    caller: Vec<i32>,
    callee: Vec<i32>,
    calls: Vec<Count>,
    block_calls: Vec<Count>,
    total: Vec<Count>,
    total_work: Vec<Count>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sites {
    method: Vec<u32>,
    line: Vec<usize>,
    column: Vec<usize>,
    selector: Vec<u32>,
    /// A digit a site: 1 for a send to `super`.
    is_super: String,
    sends: Vec<Count>,
    calls: Vec<Count>,
    total: Vec<Count>,
    work: Vec<Count>,
}

#[derive(Debug, Default, Serialize)]
struct Allocations {
    method: Vec<u32>,
    class: Vec<u32>,
    line: Vec<usize>,
    objects: Vec<Count>,
    bytes: Vec<Count>,
}

/// Texts, each once.
#[derive(Debug, Default)]
struct Strings {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Strings {
    fn number(&mut self, text: &str) -> u32 {
        let text = clipped(text);
        let next = self.texts.len() as u32;
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        self.numbers.insert(text.clone(), next);
        self.texts.push(text);
        next
    }

    /// Bytes that a mention of this text costs at most.
    fn size(&self, text: &str) -> usize {
        let text = clipped(text);
        match self.numbers.contains_key(&text) {
            true => 6,
            false => 6 + text_size(&text),
        }
    }
}

/// The methods that are in the page, in its order, and where each of a profile's methods went.
struct Shown<'p> {
    methods: Vec<&'p MethodProfile>,
    /// By index in the page: the index in the profile.
    original: Vec<usize>,
    /// By index in the profile: the index in the page.
    number: Vec<Option<u32>>,
}

impl Shown<'_> {
    fn number(&self, original: u32) -> Option<u32> {
        self.number.get(original as usize).copied().flatten()
    }
}

impl Data {
    /// The data as text; what the profile's unit does not know is absent.
    pub(super) fn json(&self) -> String {
        // Numbers, texts and lists of them are always representable.
        let Some(unit) = &self.unit else {
            return serde_json::to_string(self).unwrap_or_else(|_| "null".to_string());
        };
        let mut document = serde_json::to_value(self).unwrap_or_default();
        unit.omit_unknown(&mut document);
        document.to_string()
    }

    /// Chooses the parts of a profile for the page.
    pub(super) fn of(profile: &Profile) -> Data {
        let mut whole = Budget::new(ALL);
        let mut strings = Strings::default();
        let about = whole.part(ABOUT, |budget| about(profile, budget));
        let (shown, methods) = whole.part(METHODS, |b| methods(profile, &mut strings, b));
        let tree = ContextTree::of(profile);
        let classes = whole.part(GROUPS, |b| groups(profile, &tree, |m| &m.class, b));
        let packages = whole.part(GROUPS, |b| groups(profile, &tree, |m| &m.package, b));
        let number = |method| shown.number(method).map_or(LEFT_OUT, |n| n as i32);
        let contexts = whole.part(CONTEXTS, |b| contexts(profile, &tree, &number, b));
        let edges = whole.part(CALLS, |b| calls(profile, &shown, b));
        let (sites, sites_of_methods) =
            whole.part(SITES, |b| sites(profile, &shown, &mut strings, b));
        let (allocations, allocations_left_out) = whole.part(ALLOCATIONS, |b| {
            allocations(profile, &shown, &mut strings, b)
        });
        let (sources, sources_left_out) = sources(&shown, &mut whole);
        let left_out = LeftOut {
            methods: profile.methods.len() - shown.methods.len(),
            edges: profile.calls.len() - edges.caller.len(),
            sites_of_methods,
            sources: sources_left_out,
            allocations: allocations_left_out,
        };
        Data {
            schema: "tally.report/1",
            unit: (!profile.unit.is_tally()).then(|| profile.unit.clone()),
            about,
            strings: strings.texts,
            methods,
            classes,
            packages,
            contexts,
            edges,
            sites,
            allocations,
            sources,
            left_out,
        }
    }
}

fn about(profile: &Profile, budget: &mut Budget) -> About {
    let (files, more_files) = texts(&profile.files, budget);
    let (arguments, more_arguments) = texts(&profile.arguments, budget);
    About {
        files,
        more_files,
        arguments,
        more_arguments,
        seed: profile.seed.to_string(),
        limits: limits(&profile.limits),
        ending: profile.ending,
        reproducible: profile.reproducible,
        model: profile.model,
        library: clipped(&profile.library),
        program: clipped(&profile.program),
        is_tree_complete: profile.is_tree_complete,
        cost: cost(profile, budget),
    }
}

/// As many texts as there is room for, and how many more there are.
fn texts(texts: &[String], budget: &mut Budget) -> (Vec<String>, usize) {
    let clipped = texts.iter().map(|text| clipped(text));
    let kept: Vec<String> = clipped
        .take_while(|text| budget.take(text_size(text)))
        .collect();
    let more = texts.len() - kept.len();
    (kept, more)
}

fn limits(limits: &Limits) -> LimitCounts {
    LimitCounts {
        sends: limits.sends.map(Count),
        memory: limits.memory.map(Count),
        depth: Count(limits.depth),
    }
}

fn cost(profile: &Profile, budget: &mut Budget) -> Cost {
    let (cost, unit) = (&profile.cost, &profile.unit);
    let has_calls = !unit.is_tally() && unit.calls;
    Cost {
        sends: Count(cost.sends),
        calls: has_calls.then_some(Count(cost.activations)),
        loops: Count(cost.loops),
        activations: Count(cost.activations),
        blocks: Count(cost.blocks),
        objects: Count(cost.allocations.objects),
        bytes: Count(cost.allocations.bytes),
        work: profile.has_work().then(|| Count(profile.work())),
        instructions: Count(cost.instructions),
        primitives: by_count(&cost.primitives, budget),
        inlined: profile
            .inlined
            .as_ref()
            .map(|inlined| by_count(inlined, budget)),
    }
}

fn by_count(counts: &BTreeMap<String, u64>, budget: &mut Budget) -> Vec<(String, Count)> {
    let mut rows: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let rows = rows.into_iter().map(|(name, count)| (clipped(name), count));
    let fitting =
        rows.take_while(|(name, count)| budget.take(text_size(name) + number_size(*count) + 3));
    fitting.map(|(name, count)| (name, Count(count))).collect()
}

fn methods<'p>(
    profile: &'p Profile,
    strings: &mut Strings,
    budget: &mut Budget,
) -> (Shown<'p>, Methods) {
    let index_of: HashMap<*const MethodProfile, usize> = profile
        .methods
        .iter()
        .enumerate()
        .map(|(index, method)| (std::ptr::from_ref(method), index))
        .collect();
    let mut shown = Shown {
        methods: Vec::new(),
        original: Vec::new(),
        number: vec![None; profile.methods.len()],
    };
    let mut columns = Methods::default();
    for method in ranked(profile, Order::Total) {
        if !budget.take(method_size(method, strings)) {
            break;
        }
        let original = index_of[&std::ptr::from_ref(method)];
        shown.number[original] = Some(shown.methods.len() as u32);
        shown.original.push(original);
        shown.methods.push(method);
        columns.name.push(clipped(&method.name));
        columns.class.push(strings.number(&method.class));
        columns.package.push(strings.number(&method.package));
        columns.category.push(strings.number(&method.category));
        columns.file.push(strings.number(&method.file));
        columns.line.push(method.line);
        columns.digest.push(clipped(&method.digest));
        columns.is_library.push(digit(method.is_library));
    }
    let counts = |count: fn(&MethodProfile) -> u64| column(shown.methods.iter().map(|m| count(m)));
    columns.calls = counts(|m| m.calls);
    columns.block_calls = counts(|m| m.block_calls);
    columns.own = counts(|m| m.own);
    columns.total = counts(|m| m.total);
    columns.cumulative = counts(|m| m.cumulative);
    columns.objects = counts(|m| m.allocations.objects);
    columns.bytes = counts(|m| m.allocations.bytes);
    columns.own_work = counts(|m| m.own_work);
    columns.total_work = counts(|m| m.total_work);
    (shown, columns)
}

fn digit(is_so: bool) -> char {
    if is_so { '1' } else { '0' }
}

fn method_size(method: &MethodProfile, strings: &Strings) -> usize {
    let texts = [
        &method.class,
        &method.package,
        &method.category,
        &method.file,
    ];
    let counts = [
        method.line as u64,
        method.calls,
        method.block_calls,
        method.own,
        method.total,
        method.cumulative,
        method.allocations.objects,
        method.allocations.bytes,
        method.own_work,
        method.total_work,
    ];
    let texts = texts.map(|text| strings.size(text)).iter().sum::<usize>();
    let counts = counts.map(number_size).iter().sum::<usize>();
    text_size(&clipped(&method.name)) + text_size(&clipped(&method.digest)) + texts + counts + 1
}

fn calls(profile: &Profile, shown: &Shown<'_>, budget: &mut Budget) -> Calls {
    let number = |method: u32| shown.number(method).map_or(LEFT_OUT, |n| n as i32);
    let mut order: Vec<usize> = (0..profile.calls.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(profile.calls[*index].total), *index));
    let mut columns = Calls::default();
    let mut counts: [Vec<u64>; 4] = Default::default();
    for index in order {
        let call = &profile.calls[index];
        let all = [call.calls, call.block_calls, call.total, call.total_work];
        if !budget.take(all.map(number_size).iter().sum::<usize>() + 14) {
            break;
        }
        columns.caller.push(call.caller.map_or(RUN, number));
        columns.callee.push(number(call.callee));
        for (column, count) in counts.iter_mut().zip(all) {
            column.push(count);
        }
    }
    let counts = counts.map(|counts| column(counts.into_iter()));
    [
        columns.calls,
        columns.block_calls,
        columns.total,
        columns.total_work,
    ] = counts;
    columns
}

/// The methods of the page, the one with the most sends in itself first.
fn by_own(shown: &Shown<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shown.methods.len()).collect();
    order.sort_by_key(|number| (std::cmp::Reverse(shown.methods[*number].own), *number));
    order
}

/// The sites of methods, of each all or none, and how many methods have theirs left out.
fn sites(
    profile: &Profile,
    shown: &Shown<'_>,
    strings: &mut Strings,
    budget: &mut Budget,
) -> (Sites, usize) {
    let mut of_method: Vec<Vec<&Site>> = vec![Vec::new(); profile.methods.len()];
    for site in &profile.sites {
        if let Some(sites) = of_method.get_mut(site.method as usize) {
            sites.push(site);
        }
    }
    let mut columns = Sites::default();
    let mut counts: [Vec<u64>; 4] = Default::default();
    let mut is_full = false;
    let mut without = 0;
    for number in by_own(shown) {
        let sites = &of_method[shown.original[number]];
        let size = sites.iter().map(|site| site_size(site, strings)).sum();
        is_full = is_full || !budget.take(size);
        if is_full {
            without += usize::from(!sites.is_empty());
            continue;
        }
        for site in sites {
            columns.method.push(number as u32);
            columns.line.push(site.line);
            columns.column.push(site.column);
            columns.selector.push(strings.number(&site.selector));
            columns.is_super.push(digit(site.is_super));
            let all = [site.sends, site.calls, site.total, site.work];
            for (column, count) in counts.iter_mut().zip(all) {
                column.push(count);
            }
        }
    }
    [columns.sends, columns.calls, columns.total, columns.work] =
        counts.map(|counts| column(counts.into_iter()));
    (columns, without)
}

fn site_size(site: &Site, strings: &Strings) -> usize {
    let counts = [
        site.line as u64,
        site.column as u64,
        site.sends,
        site.calls,
        site.total,
        site.work,
    ];
    counts.map(number_size).iter().sum::<usize>() + strings.size(&site.selector) + 7
}

/// The allocations of methods, by class and line, and the number of rows that are left out.
fn allocations(
    profile: &Profile,
    shown: &Shown<'_>,
    strings: &mut Strings,
    budget: &mut Budget,
) -> (Allocations, usize) {
    let mut rows: BTreeMap<(u32, &str, usize), (u64, u64)> = BTreeMap::new();
    for allocation in &profile.allocations {
        let context = profile.contexts.get(allocation.context as usize);
        let method = context.and_then(|context| shown.number(context.method?));
        let site = allocation
            .site
            .and_then(|site| profile.sites.get(site as usize));
        let Some(method) = method else { continue };
        let key = (method, &*allocation.class, site.map_or(0, |site| site.line));
        let (objects, bytes) = rows.entry(key).or_default();
        *objects = objects.saturating_add(allocation.objects);
        *bytes = bytes.saturating_add(allocation.bytes);
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(key, (objects, bytes))| (std::cmp::Reverse((*bytes, *objects)), *key));
    let all = rows.len();
    let mut columns = Allocations::default();
    for ((method, class, line), (objects, bytes)) in rows {
        let counts = [u64::from(method), line as u64, objects, bytes].map(number_size);
        if !budget.take(counts.iter().sum::<usize>() + strings.size(class)) {
            break;
        }
        columns.method.push(method);
        columns.class.push(strings.number(class));
        columns.line.push(line);
        columns.objects.push(Count(objects));
        columns.bytes.push(Count(bytes));
    }
    let missing = all - columns.method.len();
    (columns, missing)
}

/// Sources of as many methods as there is room for, and how many are left out.
fn sources(shown: &Shown<'_>, budget: &mut Budget) -> (BTreeMap<u32, String>, usize) {
    let mut sources = BTreeMap::new();
    let mut missing = 0;
    for number in by_own(shown) {
        let source = &shown.methods[number].source;
        if source.is_empty() {
            continue;
        }
        if budget.take(text_size(source) + 8) {
            sources.insert(number as u32, source.clone());
        } else {
            missing += 1;
        }
    }
    (sources, missing)
}
