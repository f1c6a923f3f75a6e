//! Folding: a profile in which some methods, for example the library's, are part of their callers. Folding moves own
//! sends and allocations up the calling-context tree; totals do not change.

use std::collections::{BTreeMap, HashMap};

use crate::profile::{Allocated, Call, Context, ContextKind, MethodProfile, Profile};
use crate::tree::{Measure, Step, Tree};

/// The profile with the kept methods only. The counts of other methods belong to the nearest kept caller, or to the run
/// if there is none. Locations in source text are dropped. A profile without a tree is returned unchanged.
pub fn folded(profile: &Profile, is_kept: impl Fn(&MethodProfile) -> bool) -> Profile {
    if profile.contexts.is_empty() {
        return profile.clone();
    }
    let numbers = numbers(profile, is_kept);
    let mut folded = Profile {
        contexts: contexts(profile, &numbers),
        methods: kept(profile, &numbers),
        calls: Vec::new(),
        sites: Vec::new(),
        allocations: Vec::new(),
        ..head(profile)
    };
    folded.calls = recount(&mut folded);
    folded
}

/// The profile without its tables, which are large.
fn head(profile: &Profile) -> Profile {
    Profile {
        schema: profile.schema.clone(),
        model: profile.model,
        library: profile.library.clone(),
        program: profile.program.clone(),
        unit: profile.unit.clone(),
        files: profile.files.clone(),
        arguments: profile.arguments.clone(),
        seed: profile.seed,
        limits: profile.limits.clone(),
        ending: profile.ending,
        reproducible: profile.reproducible,
        cost: profile.cost.clone(),
        inlined: profile.inlined.clone(),
        definitions: profile.definitions.clone(),
        inputs: profile.inputs.clone(),
        revision: profile.revision.clone(),
        methods: Vec::new(),
        contexts: Vec::new(),
        is_tree_complete: profile.is_tree_complete,
        calls: Vec::new(),
        sites: Vec::new(),
        allocations: Vec::new(),
    }
}

/// By method its number among those that are kept, if it is one of them.
fn numbers(profile: &Profile, is_kept: impl Fn(&MethodProfile) -> bool) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut number = |method: &MethodProfile| {
        let number = is_kept(method).then_some(next);
        next += u32::from(number.is_some());
        number
    };
    profile.methods.iter().map(&mut number).collect()
}

/// The methods that are kept, with nothing counted but calls.
fn kept(profile: &Profile, numbers: &[Option<u32>]) -> Vec<MethodProfile> {
    let pairs = profile.methods.iter().zip(numbers);
    let kept = pairs.filter(|(_, number)| number.is_some());
    let bare = |(method, _): (&MethodProfile, _)| MethodProfile {
        own: 0,
        total: 0,
        own_work: 0,
        total_work: 0,
        allocations: Allocated::default(),
        ..method.clone()
    };
    kept.map(bare).collect()
}

/// The tree of the methods that are kept.
fn contexts(profile: &Profile, numbers: &[Option<u32>]) -> Vec<Context> {
    let mut contexts: Vec<Context> = Vec::new();
    let mut known: HashMap<(u32, ContextKind, Option<u32>, u32), u32> = HashMap::new();
    // By context of the whole tree the one that it has become, or is a part of.
    let mut places: Vec<u32> = Vec::with_capacity(profile.contexts.len());
    for (index, context) in profile.contexts.iter().enumerate() {
        let above = context.parent.map_or(0, |parent| parent as usize);
        let above = places.get(above).copied().unwrap_or(0);
        let method = context
            .method
            .and_then(|m| numbers.get(m as usize).copied());
        let method = method.flatten();
        let is_kept = method.is_some() || context.kind == ContextKind::Other;
        let place = if index == 0 {
            contexts.push(bare(context, None, None));
            0
        } else if is_kept {
            let key = (above, context.kind, method, context.block);
            *known.entry(key).or_insert_with(|| {
                contexts.push(bare(context, Some(above), method));
                contexts.len() as u32 - 1
            })
        } else {
            above
        };
        places.push(place);
        let row = &mut contexts[place as usize];
        if is_kept {
            row.calls = row.calls.saturating_add(context.calls);
        }
        row.own = row.own.saturating_add(context.own);
        row.work = row.work.saturating_add(context.work);
        row.primitive_work = row.primitive_work.saturating_add(context.primitive_work);
        let allocated = context.allocations;
        row.allocations.add(allocated.objects, allocated.bytes);
    }
    contexts
}

fn bare(context: &Context, parent: Option<u32>, method: Option<u32>) -> Context {
    Context {
        parent,
        kind: context.kind,
        method,
        block: context.block,
        calls: 0,
        own: 0,
        total: 0,
        allocations: Allocated::default(),
        ..Context::default()
    }
}

/// Recounts totals of contexts and methods and own counts of methods; answers the calls between methods.
fn recount(profile: &mut Profile) -> Vec<Call> {
    let Some(tree) = Tree::new(profile, Measure::Sends) else {
        return Vec::new();
    };
    let works = Tree::new(profile, Measure::Work);
    let work = |index: usize| works.as_ref().map_or(0, |tree| tree.total(index));
    let totals: Vec<(u64, u64)> = (0..profile.contexts.len())
        .map(|index| (tree.total(index), work(index)))
        .collect();
    let mut sums: Vec<MethodProfile> = profile.methods.clone();
    // How many contexts of each method, and of each pair, are on the path from the run to where the walk is.
    let mut open = vec![0u32; sums.len()];
    let mut pairs: BTreeMap<(Option<u32>, u32), (Call, u32)> = BTreeMap::new();
    tree.walk(|index, step| {
        let context = tree.context(index);
        let Some(callee) = context.method else {
            return;
        };
        let caller = tree.context(tree.parent(index)).method;
        let (call, pair_open) = pairs
            .entry((caller, callee))
            .or_insert_with(|| (no_call(caller, callee), 0));
        let method = &mut sums[callee as usize];
        let method_open = &mut open[callee as usize];
        if step == Step::OutOf {
            *method_open -= 1;
            *pair_open -= 1;
            return;
        }
        if *method_open == 0 {
            method.total = method.total.saturating_add(totals[index].0);
            method.total_work = method.total_work.saturating_add(totals[index].1);
        }
        if *pair_open == 0 {
            call.total = call.total.saturating_add(totals[index].0);
            call.total_work = call.total_work.saturating_add(totals[index].1);
        }
        *method_open += 1;
        *pair_open += 1;
        method.own = method.own.saturating_add(context.own);
        method.own_work = method.own_work.saturating_add(context.work);
        method
            .allocations
            .add(context.allocations.objects, context.allocations.bytes);
        let calls = match context.kind {
            ContextKind::Block => &mut call.block_calls,
            _ => &mut call.calls,
        };
        *calls = calls.saturating_add(context.calls);
    });
    profile.methods = sums;
    for (context, total) in profile.contexts.iter_mut().zip(totals) {
        (context.total, context.total_work) = total;
    }
    pairs.into_values().map(|(call, _)| call).collect()
}

fn no_call(caller: Option<u32>, callee: u32) -> Call {
    Call {
        caller,
        callee,
        calls: 0,
        block_calls: 0,
        total: 0,
        ..Call::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{flat, random, words};

    fn method<'p>(profile: &'p Profile, name: &str) -> &'p MethodProfile {
        profile
            .methods
            .iter()
            .find(|method| method.name == name)
            .unwrap()
    }

    #[test]
    fn what_the_library_does_for_a_method_is_its_own() {
        let whole = words();
        let own = folded(&whole, |method| !method.is_library);
        let names: Vec<&str> = own.methods.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "report.st",
                "WordCounter>>occurrencesOf:",
                "WordCounter>>add:"
            ]
        );
        let counter = method(&own, "WordCounter>>occurrencesOf:");
        // Its own, inject:into: and its block in that.
        assert_eq!((counter.own, counter.total), (16 + 400 + 250, 666));
        assert_eq!(
            counter.total,
            method(&whole, "WordCounter>>occurrencesOf:").total
        );
        assert_eq!(own.calls.len(), 6, "{:?}", own.calls);
    }

    #[test]
    fn work_is_moved_and_never_lost() {
        let own = folded(&crate::json::tests::example(), |m| m.name == "a.st");
        let work = |context: &Context| (context.work, context.total_work, context.primitive_work);
        let works: Vec<_> = own.contexts.iter().map(work).collect();
        assert_eq!(works, [(0, 1700, 0), (1700, 1700, 50)]);
        let script = method(&own, "a.st");
        assert_eq!((script.own_work, script.total_work), (1700, 1700));
        let totals: Vec<u64> = own.calls.iter().map(|call| call.total_work).collect();
        assert_eq!(totals, [1700]);
    }

    #[test]
    fn nothing_is_folded_where_there_is_no_tree() {
        assert_eq!(folded(&flat(), |_| false), flat());
    }

    proptest::proptest! {
        #[test]
        fn sends_are_moved_and_never_lost(rows in proptest::collection::vec((0u8..4, 0u8..8, 0u16..300), 1..80)) {
            let whole = random(&rows);
            let own = folded(&whole, |method| !method.is_library);
            let sum: u64 = own.contexts.iter().map(|context| context.own).sum();
            proptest::prop_assert_eq!(sum, whole.cost.sends);
            proptest::prop_assert_eq!(own.contexts[0].total, whole.cost.sends);
            let in_methods: u64 = own.methods.iter().map(|method| method.own).sum();
            proptest::prop_assert_eq!(in_methods + own.contexts[0].own, whole.cost.sends);
            for row in &own.methods {
                let before = method(&whole, &row.name);
                proptest::prop_assert_eq!(row.total, before.total, "{}", row.name);
                proptest::prop_assert_eq!(row.calls, before.calls);
            }
            // All methods kept, everything stays.
            let same = folded(&whole, |_| true);
            for (a, b) in same.methods.iter().zip(&whole.methods) {
                proptest::prop_assert_eq!((a.own, a.total, a.calls), (b.own, b.total, b.calls));
            }
        }
    }
}
