//! Callgrind's format, for KCachegrind and `callgrind_annotate`. Blocks are functions of their own. Otherwise a method
//! that hands a block to a loop would look recursive. A call's inclusive cost is the cost of its outermost activations.
//! So the inclusive cost of a function that does not recurse is its total in the tree, added up over calls or over
//! callers.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::ops::AddAssign;

use super::ExportError;
use super::tree::{Function, Step, Tree, one_line};
use crate::profile::{Call, Context, ContextKind, Profile};

/// The events, in the order of their columns.
const EVENTS: &str = "Sends Activations Blocks Objects Bytes";

/// The costs of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Costs([u64; 5]);

impl AddAssign for Costs {
    fn add_assign(&mut self, other: Costs) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(more);
        }
    }
}

/// Writes the costs that a profile knows: all of them, or the one of an import.
struct Known<'p>(&'p Profile);

impl Known<'_> {
    fn text(&self, costs: &Costs) -> String {
        let [sends, activations, blocks, objects, bytes] = costs.0;
        match self.0.unit.is_tally() {
            true => format!("{sends} {activations} {blocks} {objects} {bytes}"),
            false => sends.to_string(),
        }
    }
}

impl Costs {
    fn sends(sends: u64) -> Costs {
        Costs([sends, 0, 0, 0, 0])
    }

    /// The own costs of a context, without the sends, which belong to lines.
    fn own(context: &Context) -> Costs {
        let is = |kind| u64::from(context.kind == kind);
        Costs([
            context.own,
            context.calls * is(ContextKind::Method),
            context.calls * is(ContextKind::Block),
            context.allocations.objects,
            context.allocations.bytes,
        ])
    }
}

/// Calls from one function to another.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    calls: u64,
    inclusive: Costs,
}

/// The costs of a function by line, and its callees.
#[derive(Default)]
struct Body {
    lines: BTreeMap<usize, Costs>,
    calls: BTreeMap<usize, Edge>,
}

/// Writes the profile; without a calling-context tree the methods' own costs alone.
pub(super) fn callgrind(profile: &Profile) -> Result<String, ExportError> {
    let mut text = head(profile);
    match Tree::of(profile) {
        Ok(tree) => write_tree(&mut text, &tree)?,
        Err(ExportError::NoTree) => write_methods(&mut text, profile),
        Err(error) => return Err(error),
    }
    Ok(text)
}

fn head(profile: &Profile) -> String {
    let mut text = String::from("# callgrind format\nversion: 1\n");
    let _ = writeln!(text, "creator: tally {}", env!("CARGO_PKG_VERSION"));
    let words = profile.files.iter().chain(&profile.arguments);
    let words: Vec<String> = words.map(|word| one_line(word)).collect();
    let _ = writeln!(text, "cmd: {}", words.join(" "));
    if profile.unit.is_tally() {
        let _ = writeln!(text, "desc: Counting model: {}", profile.model);
    }
    text.push_str("positions: line\n");
    if !profile.unit.is_tally() {
        if !profile.unit.calls {
            // The format demands a number for each call.
            text.push_str(crate::unit::NO_CALLS);
        }
        let event = profile.unit.name.replace(char::is_whitespace, "_");
        let sum = profile.cost.sends;
        let _ = writeln!(text, "events: {event}\nsummary: {sum}\n");
        return text;
    }
    text.push_str("event: Sends : Message sends\nevent: Activations : Methods entered\n");
    text.push_str("event: Blocks : Blocks evaluated\nevent: Objects : Objects allocated\n");
    text.push_str("event: Bytes : Bytes allocated\n");
    let _ = writeln!(text, "events: {EVENTS}");
    let cost = &profile.cost;
    let known = Known(profile);
    let _ = writeln!(text, "summary: {}\n", known.text(&total_of(cost)));
    text
}

fn total_of(cost: &crate::CostVector) -> Costs {
    Costs([
        cost.sends,
        cost.activations,
        cost.blocks,
        cost.allocations.objects,
        cost.allocations.bytes,
    ])
}

fn write_tree(text: &mut String, tree: &Tree<'_>) -> Result<(), ExportError> {
    let mut bodies: Vec<Body> = tree.functions.iter().map(|_| Body::default()).collect();
    add_own_costs(tree, &mut bodies)?;
    add_calls(tree, &mut bodies);
    let places = CallPlaces::of(tree);
    let mut names = Names::default();
    let known = Known(tree.profile);
    let sum = sum(&bodies);
    // Zeros are left out, unless there is nothing else: a file without counts is refused on reading.
    let is_written = |costs: &Costs| *costs != Costs::default() || sum == Costs::default();
    for (index, body) in bodies.iter().enumerate() {
        let function = &tree.functions[index];
        write_function(text, &mut names, function);
        let own = body.lines.iter();
        for (line, costs) in own.filter(|(_, costs)| is_written(costs)) {
            let _ = writeln!(text, "{line} {}", known.text(costs));
        }
        for (callee, edge) in &body.calls {
            let callee = &tree.functions[*callee];
            names.write(text, "cfi", file_name(callee));
            names.write(text, "cfn", &callee.name);
            // A call without a count would be read as a cost of the function itself.
            let _ = writeln!(text, "calls={} {}", edge.calls.max(1), callee.line);
            let line = places.line(tree, function, callee);
            let _ = writeln!(text, "{line} {}", known.text(&edge.inclusive));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "totals: {}", known.text(&sum));
    Ok(())
}

fn sum(bodies: &[Body]) -> Costs {
    let mut sum = Costs::default();
    for costs in bodies.iter().flat_map(|body| body.lines.values()) {
        sum += *costs;
    }
    sum
}

fn write_methods(text: &mut String, profile: &Profile) {
    let mut names = Names::default();
    let mut sum = Costs::default();
    let known = Known(profile);
    let mut calls: BTreeMap<u32, Vec<&Call>> = BTreeMap::new();
    // Blocks have no calls without a tree, so the calls of a profile with blocks would not add up.
    let is_import = !profile.unit.is_tally();
    for call in profile.calls.iter().filter(|_| is_import) {
        let of_caller = call.caller.map(|caller| calls.entry(caller).or_default());
        of_caller.into_iter().for_each(|list| list.push(call));
    }
    let function = |method: &crate::MethodProfile| Function {
        kind: ContextKind::Method,
        method: None,
        name: one_line(&method.name),
        file: one_line(&method.file),
        line: method.line,
    };
    for (number, method) in (0_u32..).zip(&profile.methods) {
        write_function(text, &mut names, &function(method));
        let costs = Costs([
            method.own,
            method.calls,
            method.block_calls,
            method.allocations.objects,
            method.allocations.bytes,
        ]);
        sum += costs;
        let _ = writeln!(text, "{} {}", method.line, known.text(&costs));
        for call in calls.remove(&number).unwrap_or_default() {
            let Some(callee) = profile.methods.get(call.callee as usize).map(function) else {
                continue;
            };
            names.write(text, "cfi", file_name(&callee));
            names.write(text, "cfn", &callee.name);
            let _ = writeln!(text, "calls={} {}", call.calls, callee.line);
            let inclusive = known.text(&Costs::sends(call.total));
            let _ = writeln!(text, "{} {inclusive}", method.line);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "totals: {}", known.text(&sum));
}

fn write_function(text: &mut String, names: &mut Names, function: &Function) {
    names.write(text, "fl", file_name(function));
    names.write(text, "fn", &function.name);
}

/// The name that callgrind itself gives to what it does not know.
const UNKNOWN: &str = "???";

fn file_name(function: &Function) -> &str {
    match function.file.as_str() {
        "" => UNKNOWN,
        file => file,
    }
}

/// Names that were written before; the second time their number is enough.
#[derive(Default)]
struct Names {
    files: HashMap<String, usize>,
    functions: HashMap<String, usize>,
}

impl Names {
    fn write(&mut self, text: &mut String, key: &str, name: &str) {
        // A number without a name would refer to one that was never defined.
        let name = match name.trim() {
            "" => UNKNOWN,
            _ => name,
        };
        let known = match key {
            "fn" | "cfn" => &mut self.functions,
            _ => &mut self.files,
        };
        let number = known.len() + 1;
        let _ = match known.get(name) {
            Some(number) => writeln!(text, "{key}=({number})"),
            None => {
                known.insert(name.to_string(), number);
                writeln!(text, "{key}=({number}) {name}")
            }
        };
    }
}

/// Own costs at the lines where they arise. A site knows its method but not its block. So sends have lines only where one
/// function holds all sends of the method. Otherwise their line is the method's first, as for activations.
fn add_own_costs(tree: &Tree<'_>, bodies: &mut [Body]) -> Result<(), ExportError> {
    for (index, context) in tree.contexts().iter().enumerate() {
        let function = tree.function_of(index);
        let line = tree.functions[function].line;
        *bodies[function].lines.entry(line).or_default() += Costs::own(context);
    }
    for allocation in &tree.profile.allocations {
        move_allocation(tree, bodies, allocation)?;
    }
    let senders = sole_senders(tree);
    for site in &tree.profile.sites {
        if let Some(Some(function)) = senders.get(&(site.method as usize)) {
            let line = tree.functions[*function].line;
            bodies[*function].shift(line, site.line, Costs::sends(site.sends));
        }
    }
    Ok(())
}

fn move_allocation(
    tree: &Tree<'_>,
    bodies: &mut [Body],
    allocation: &crate::Allocation,
) -> Result<(), ExportError> {
    let Some(site) = allocation.site else {
        return Ok(());
    };
    let missing = || ExportError::Malformed("an allocation's place is missing".to_string());
    let site = tree.profile.sites.get(site as usize).ok_or_else(missing)?;
    let context = allocation.context as usize;
    if context >= tree.contexts().len() {
        return Err(missing());
    }
    let function = tree.function_of(context);
    let costs = Costs([0, 0, 0, allocation.objects, allocation.bytes]);
    bodies[function].shift(tree.functions[function].line, site.line, costs);
    Ok(())
}

impl Body {
    /// Moves costs from one line to another, if they are there.
    fn shift(&mut self, from: usize, to: usize, costs: Costs) {
        let Some(there) = self.lines.get_mut(&from) else {
            return;
        };
        let mut rest = *there;
        for (rest, less) in rest.0.iter_mut().zip(costs.0) {
            match rest.checked_sub(less) {
                Some(less) => *rest = less,
                None => return,
            }
        }
        *there = rest;
        *self.lines.entry(to).or_default() += costs;
    }
}

/// For each method the function that sent everything that the method sent, if there is one.
fn sole_senders(tree: &Tree<'_>) -> HashMap<usize, Option<usize>> {
    let mut senders: HashMap<usize, Option<usize>> = HashMap::new();
    for (index, context) in tree.contexts().iter().enumerate() {
        let function = tree.function_of(index);
        let Some(method) = tree.functions[function].method else {
            continue;
        };
        if context.own > 0 {
            let sender = senders.entry(method).or_insert(Some(function));
            if *sender != Some(function) {
                *sender = None;
            }
        }
    }
    senders
}

/// Calls between functions. An edge's cost is added where it is the outermost of its kind on the path.
fn add_calls(tree: &Tree<'_>, bodies: &mut [Body]) {
    let below = Below::of(tree);
    let mut open: HashMap<(usize, usize), u32> = HashMap::new();
    for step in tree.walk() {
        let (Step::Enter(index) | Step::Leave(index)) = step;
        let Some(parent) = tree.contexts()[index].parent else {
            continue;
        };
        let (caller, callee) = (tree.function_of(parent as usize), tree.function_of(index));
        let depth = open.entry((caller, callee)).or_default();
        match step {
            Step::Leave(_) => *depth -= 1,
            Step::Enter(_) => {
                *depth += 1;
                let edge = bodies[caller].calls.entry(callee).or_default();
                edge.calls = edge.calls.saturating_add(tree.contexts()[index].calls);
                if *depth == 1 {
                    edge.inclusive += below.costs(index);
                }
            }
        }
    }
}

/// Costs of contexts and all that is below them, a column for each event.
struct Below([Vec<u64>; 5]);

impl Below {
    fn of(tree: &Tree<'_>) -> Below {
        Below([0, 1, 2, 3, 4].map(|event| tree.totals(|context| Costs::own(context).0[event])))
    }

    fn costs(&self, context: usize) -> Costs {
        Costs([0, 1, 2, 3, 4].map(|event: usize| self.0[event][context]))
    }
}

/// The lines from which methods send each selector, if there is one line only.
struct CallPlaces<'p>(HashMap<(usize, &'p str), Option<usize>>);

impl<'p> CallPlaces<'p> {
    fn of(tree: &Tree<'p>) -> CallPlaces<'p> {
        let mut places: HashMap<(usize, &str), Option<usize>> = HashMap::new();
        for site in tree.profile.sites.iter().filter(|site| site.calls > 0) {
            let place = places
                .entry((site.method as usize, &site.selector))
                .or_insert(Some(site.line));
            if *place != Some(site.line) {
                *place = None;
            }
        }
        CallPlaces(places)
    }

    /// The line of the call: that of the one site in the caller which sends the callee's selector, else the caller's
    /// first.
    fn line(&self, tree: &Tree<'_>, caller: &Function, callee: &Function) -> usize {
        let selector = match (callee.kind, callee.method) {
            (ContextKind::Method, Some(method)) => &tree.profile.methods[method].selector,
            _ => return caller.line,
        };
        let place = caller
            .method
            .and_then(|method| self.0.get(&(method, selector.as_str())));
        place.copied().flatten().unwrap_or(caller.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::small as testing;

    #[test]
    fn a_small_profile_looks_like_this() {
        let text = callgrind(&testing::example()).unwrap();
        let body = text.split_once("summary: 15 7 2 3 80\n").unwrap().1;
        assert_eq!(body, include_str!("example.callgrind"));
    }

    #[test]
    fn a_profile_without_a_tree_has_its_own_costs() {
        let mut profile = testing::example();
        profile.contexts.clear();
        profile.allocations.clear();
        let text = callgrind(&profile).unwrap();
        let body = text.split_once("summary: 15 7 2 3 80\n").unwrap().1;
        assert_eq!(
            body,
            "\nfl=(1) a.st\nfn=(1) a.st\n1 8 1 2 1 32\n\nfl=(1)\nfn=(2) A>>each:\n10 2 1 0 0 0\n\n\
             fl=(1)\nfn=(3) A>>leaf\n19 5 5 0 2 48\n\ntotals: 15 7 2 3 80\n"
        );
    }

    #[test]
    fn depth_is_no_matter() {
        let text = callgrind(&testing::chain(100_000)).unwrap();
        assert!(text.ends_with("\ntotals: 100000 100000 0 0 0\n"));
        assert!(text.contains("calls=1 100000\n99999 1 1 0 0 0\n"));
    }
}
