//! The identities that a profile must satisfy (counting model, 3). They hold exactly, so a violation is an error of the
//! machine or a damaged file. Parts that a profile lacks (a tree, sites) are not checked.

use std::collections::HashMap;
use std::fmt;

use crate::profile::{Allocated, Context, ContextKind, Profile};

/// An identity that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A sum is wrong.
    Sum {
        /// The name of the sum.
        what: String,
        /// The sum found.
        sum: u128,
        /// The expected sum.
        expected: u64,
        /// The name of the expected sum.
        of: String,
    },
    /// A method's total is below its own sends or above the run's sends.
    Total {
        /// The method.
        name: String,
        /// Its own sends.
        own: u64,
        /// Its total.
        total: u64,
        /// The run's sends.
        sends: u64,
    },
    /// The parts do not fit together at all.
    Structure(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Sum {
                what,
                sum,
                expected,
                of,
            } => write!(f, "{what} add up to {sum}, {of} {expected}"),
            Violation::Total {
                name,
                own,
                total,
                sends,
            } => write!(
                f,
                "{name} has a total of {total} sends, which is not between its own {own} and the run's {sends}"
            ),
            Violation::Structure(what) => f.write_str(what),
        }
    }
}

/// Checks the identities and answers those that do not hold. Takes time in proportion to the size of the profile.
pub fn check_identities(profile: &Profile) -> Vec<Violation> {
    let mut found = Checks::default();
    found.methods(profile);
    match structure(profile) {
        Err(what) => found.violations.push(Violation::Structure(what)),
        Ok(()) if profile.contexts.is_empty() => {}
        Ok(()) => {
            found.tree(profile);
            found.calls(profile);
            found.sites(profile);
            found.allocations(profile);
        }
    }
    found.violations
}

/// Whether the tables refer to each other as they should: a tree in preorder under one run, indices that exist.
fn structure(profile: &Profile) -> Result<(), String> {
    let methods = profile.methods.len();
    let is_method = |index: u32| (index as usize) < methods;
    let mut path: Vec<u32> = Vec::new();
    for (number, context) in (0u32..).zip(&profile.contexts) {
        while path.last().is_some_and(|top| Some(*top) != context.parent) {
            path.pop();
        }
        let fits = match context.kind {
            ContextKind::Run => number == 0 && context.parent.is_none(),
            _ => number > 0 && !path.is_empty(),
        };
        let needs_method = matches!(context.kind, ContextKind::Method | ContextKind::Block);
        if !fits
            || context.method.is_some() != needs_method
            || !context.method.is_none_or(is_method)
        {
            return Err(format!("context {number} does not belong where it stands"));
        }
        path.push(number);
    }
    let calls = profile.calls.iter();
    let mut called = calls.flat_map(|call| call.caller.into_iter().chain([call.callee]));
    if !called.all(is_method) {
        return Err("a call mentions a method that is not there".to_string());
    }
    if !profile.sites.iter().all(|site| is_method(site.method)) {
        return Err("a site mentions a method that is not there".to_string());
    }
    let stands = |row: &crate::Allocation| {
        let has_site = |site: u32| (site as usize) < profile.sites.len();
        (row.context as usize) < profile.contexts.len() && row.site.is_none_or(has_site)
    };
    match profile.allocations.iter().all(stands) {
        true => Ok(()),
        false => Err("an allocation mentions a context or a site that is not there".to_string()),
    }
}

/// The totals of calls, of sends and of work, by caller and callee, as the tree shows them.
pub(crate) fn totals_of_calls(profile: &Profile) -> HashMap<(Option<u32>, u32), [u128; 2]> {
    Path::walk(profile).of_calls
}

#[derive(Default)]
struct Checks {
    violations: Vec<Violation>,
}

impl Checks {
    fn sum(
        &mut self,
        what: impl FnOnce() -> String,
        sum: u128,
        expected: u64,
        of: impl FnOnce() -> String,
    ) {
        if sum != u128::from(expected) {
            self.violations.push(Violation::Sum {
                what: what(),
                sum,
                expected,
                of: of(),
            });
        }
    }

    /// As [`Checks::sum`]; sums of work stay at the greatest number.
    fn work(
        &mut self,
        what: impl FnOnce() -> String,
        sum: u128,
        expected: u64,
        of: impl FnOnce() -> String,
    ) {
        self.sum(what, sum.min(u128::from(u64::MAX)), expected, of);
    }

    fn methods(&mut self, profile: &Profile) {
        let cost = &profile.cost;
        let sum = |count: fn(&crate::MethodProfile) -> u64| -> u128 {
            profile.methods.iter().map(|m| u128::from(count(m))).sum()
        };
        let sums = [
            ("own sends", sum(|m| m.own), cost.sends, "sends"),
            ("calls", sum(|m| m.calls), cost.activations, "activations"),
            ("block calls", sum(|m| m.block_calls), cost.blocks, "blocks"),
        ];
        for (what, sum, expected, of) in sums {
            let of = || format!("the run's {of} are");
            self.sum(|| format!("the methods' {what}"), sum, expected, of);
        }
        let out_of_range = |m: &&crate::MethodProfile| m.total < m.own || m.total > cost.sends;
        let wrong = profile.methods.iter().filter(out_of_range);
        self.violations.extend(wrong.map(|m| Violation::Total {
            name: m.name.clone(),
            own: m.own,
            total: m.total,
            sends: cost.sends,
        }));
    }

    /// Checks the totals of contexts, and the sums over the contexts of each method.
    fn tree(&mut self, profile: &Profile) {
        let contexts = &profile.contexts;
        let mut sums: Vec<u128> = contexts.iter().map(|c| u128::from(c.own)).collect();
        for context in contexts.iter().skip(1) {
            if let Some(parent) = context.parent {
                sums[parent as usize] += u128::from(context.total);
            }
        }
        for (number, (context, sum)) in contexts.iter().zip(sums).enumerate() {
            let what = || format!("own sends and children's totals of context {number}");
            self.sum(what, sum, context.total, || "its total is".to_string());
        }
        self.works(contexts);
        let run = u128::from(contexts[0].total);
        let what = || "the sends in the tree".to_string();
        self.sum(what, run, profile.cost.sends, || {
            "the run's sends are".to_string()
        });
        self.methods_in_tree(profile);
    }

    /// Checks the total work of contexts.
    fn works(&mut self, contexts: &[Context]) {
        let mut sums: Vec<u128> = contexts.iter().map(|c| u128::from(c.work)).collect();
        for context in contexts.iter().skip(1) {
            if let Some(parent) = context.parent {
                sums[parent as usize] += u128::from(context.total_work);
            }
        }
        for (number, (context, sum)) in contexts.iter().zip(sums).enumerate() {
            let what = || format!("own work and children's total work of context {number}");
            self.work(what, sum, context.total_work, || {
                "its total work is".to_string()
            });
        }
    }

    fn methods_in_tree(&mut self, profile: &Profile) {
        let path = Path::walk(profile);
        for (number, method) in profile.methods.iter().enumerate() {
            let [own, calls, block_calls, total, work, total_work] = path.of_methods[number];
            let has = || "the method has".to_string();
            let what = || format!("the work of the contexts of {}", method.name);
            self.work(what, work, method.own_work, has);
            if profile.is_tree_complete {
                let what = || format!("the total work of the contexts of {}", method.name);
                self.work(what, total_work, method.total_work, has);
            }
            let mut sums = vec![
                ("own sends", own, method.own),
                ("calls", calls, method.calls),
                ("block calls", block_calls, method.block_calls),
            ];
            if profile.is_tree_complete {
                sums.push(("totals", total, method.total));
            }
            for (what, sum, expected) in sums {
                let what = || format!("the {what} of the contexts of {}", method.name);
                self.sum(what, sum, expected, has);
            }
        }
        if profile.is_tree_complete {
            for call in &profile.calls {
                let sums = path.of_calls.get(&(call.caller, call.callee)).copied();
                let [total, work] = sums.unwrap_or_default();
                let what = || {
                    let name = &profile.methods[call.callee as usize].name;
                    format!("the totals of the contexts of a call of {name}")
                };
                let has = || "the call has".to_string();
                self.sum(what, total, call.total, has);
                self.work(|| what() + " in work", work, call.total_work, has);
            }
        }
    }

    fn calls(&mut self, profile: &Profile) {
        let mut sums = vec![[0u128; 2]; profile.methods.len()];
        for call in &profile.calls {
            let [calls, block_calls] = &mut sums[call.callee as usize];
            *calls += u128::from(call.calls);
            *block_calls += u128::from(call.block_calls);
        }
        for (method, [calls, block_calls]) in profile.methods.iter().zip(sums) {
            let name = || format!("the calls from all callers of {}", method.name);
            self.sum(name, calls, method.calls, || "it has".to_string());
            let name = || format!("the calls from all callers of blocks in {}", method.name);
            self.sum(name, block_calls, method.block_calls, || {
                "it has".to_string()
            });
        }
    }

    fn sites(&mut self, profile: &Profile) {
        if profile.sites.is_empty() {
            return;
        }
        let mut sums = vec![0u128; profile.methods.len()];
        for site in &profile.sites {
            sums[site.method as usize] += u128::from(site.sends);
        }
        for (method, sum) in profile.methods.iter().zip(sums) {
            let name = || format!("the sends of the sites in {}", method.name);
            self.sum(name, sum, method.own, || "its own sends are".to_string());
        }
    }

    fn allocations(&mut self, profile: &Profile) {
        if profile.allocations.is_empty() {
            return;
        }
        let mut sums = vec![[0u128; 2]; profile.contexts.len()];
        for row in &profile.allocations {
            let [objects, bytes] = &mut sums[row.context as usize];
            *objects += u128::from(row.objects);
            *bytes += u128::from(row.bytes);
        }
        let mut of_methods = vec![[0u128; 2]; profile.methods.len()];
        let mut of_run = [0u128; 2];
        for (context, sum) in profile.contexts.iter().zip(&sums) {
            let method = context
                .method
                .map(|method| &mut of_methods[method as usize]);
            for total in method.into_iter().chain([&mut of_run]) {
                total[0] += sum[0];
                total[1] += sum[1];
            }
        }
        let expected = profile.contexts.iter().map(|c: &Context| c.allocations);
        let expected = expected.chain(profile.methods.iter().map(|m| m.allocations));
        let expected = expected.chain([profile.cost.allocations]);
        let found = sums.into_iter().chain(of_methods).chain([of_run]);
        for (
            [objects, bytes],
            Allocated {
                objects: o,
                bytes: b,
            },
        ) in found.zip(expected)
        {
            let what = || {
                "the objects allocated at the sites of a context, a method or the run".to_string()
            };
            self.sum(what, objects, o, || "it has".to_string());
            let what =
                || "the bytes allocated at the sites of a context, a method or the run".to_string();
            self.sum(what, bytes, b, || "it has".to_string());
        }
    }
}

/// A walk over the tree that knows which methods and calls are on the path from the root.
struct Path {
    /// Own, calls, block calls, total, work and total work by method.
    of_methods: Vec<[u128; 6]>,
    /// Totals and total work by caller and callee.
    of_calls: HashMap<(Option<u32>, u32), [u128; 2]>,
}

impl Path {
    fn walk(profile: &Profile) -> Path {
        let contexts = &profile.contexts;
        let mut path = Path {
            of_methods: vec![[0; 6]; profile.methods.len()],
            of_calls: HashMap::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        let mut methods: HashMap<u32, u32> = HashMap::new();
        let mut calls: HashMap<(Option<u32>, u32), u32> = HashMap::new();
        let call_of = |number: usize| -> Option<(Option<u32>, u32)> {
            let parent = contexts[number].parent? as usize;
            Some((contexts[parent].method, contexts[number].method?))
        };
        for (number, context) in contexts.iter().enumerate() {
            while open
                .last()
                .is_some_and(|&top| Some(top as u32) != context.parent)
            {
                let Some(left) = open.pop() else { break };
                if let Some((_, method)) = call_of(left) {
                    methods.entry(method).and_modify(|depth| *depth -= 1);
                }
                if let Some(call) = call_of(left) {
                    calls.entry(call).and_modify(|depth| *depth -= 1);
                }
            }
            open.push(number);
            let Some(call) = call_of(number) else {
                continue;
            };
            let sums = &mut path.of_methods[call.1 as usize];
            sums[0] += u128::from(context.own);
            sums[4] += u128::from(context.work);
            let place = if context.kind == ContextKind::Block {
                2
            } else {
                1
            };
            sums[place] += u128::from(context.calls);
            let depth = methods.entry(call.1).or_default();
            if *depth == 0 {
                sums[3] += u128::from(context.total);
                sums[5] += u128::from(context.total_work);
            }
            *depth += 1;
            let depth = calls.entry(call).or_default();
            if *depth == 0 {
                let sums = path.of_calls.entry(call).or_default();
                sums[0] += u128::from(context.total);
                sums[1] += u128::from(context.total_work);
            }
            *depth += 1;
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::example;

    #[test]
    fn a_sound_profile_has_no_violations() {
        assert_eq!(check_identities(&example()), []);
    }

    #[test]
    fn each_identity_is_checked() {
        let mut profile = example();
        profile.cost.sends += 1;
        profile.cost.activations += 1;
        profile.cost.blocks += 1;
        profile.methods[1].total = 0;
        let texts: Vec<String> = check_identities(&profile)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(
            texts[0].contains("own sends add up to 10, the run's sends are 11"),
            "{texts:?}"
        );
        for what in [
            "calls add",
            "block calls add",
            "A>>b has a total of 0",
            "sends in the tree",
        ] {
            assert!(
                texts.iter().any(|text| text.contains(what)),
                "{what} in {texts:?}"
            );
        }
    }

    /// A way to damage a profile, and the violation that it causes.
    type Damage = (fn(&mut Profile), &'static str);

    #[test]
    fn each_identity_of_the_tree_is_checked() {
        let damages: [Damage; 15] = [
            (|p| p.contexts[1].own -= 1, "children's totals of context 1"),
            (
                |p| p.contexts[2].calls += 1,
                "calls of the contexts of A>>b",
            ),
            (
                |p| p.contexts[3].calls += 1,
                "block calls of the contexts of A>>b",
            ),
            (
                |p| p.methods[1].total += 1,
                "totals of the contexts of A>>b",
            ),
            (|p| p.calls[1].calls += 1, "calls from all callers of A>>b"),
            (|p| p.calls[2].block_calls += 1, "blocks in A>>b"),
            (|p| p.calls[1].total -= 1, "contexts of a call of A>>b"),
            (|p| p.sites[0].sends += 1, "sends of the sites in a.st"),
            (|p| p.allocations[0].objects += 1, "objects allocated"),
            (|p| p.allocations[0].bytes += 1, "bytes allocated"),
            (
                |p| p.contexts[1].work -= 1,
                "children's total work of context 1",
            ),
            (
                |p| p.contexts[0].total_work += 1,
                "children's total work of context 0",
            ),
            (
                |p| p.methods[0].own_work += 1,
                "the work of the contexts of a.st",
            ),
            (
                |p| p.methods[1].total_work += 1,
                "total work of the contexts of A>>b",
            ),
            (
                |p| p.calls[1].total_work -= 1,
                "contexts of a call of A>>b in work",
            ),
        ];
        for (damage, expected) in damages {
            let mut profile = example();
            damage(&mut profile);
            let found = check_identities(&profile);
            let said = found.iter().any(|v| v.to_string().contains(expected));
            assert!(said, "{expected} in {found:?}");
        }
    }

    #[test]
    fn tables_must_fit_together() {
        let damages: [fn(&mut Profile); 8] = [
            |p| p.contexts[2].parent = Some(2),
            |p| p.contexts[3].parent = Some(9),
            |p| p.contexts[1].parent = None,
            |p| p.contexts[1].method = Some(7),
            |p| p.contexts[1].kind = ContextKind::Run,
            |p| p.calls[0].callee = 7,
            |p| p.sites[0].method = 7,
            |p| p.allocations[0].site = Some(7),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            let mut profile = example();
            damage(&mut profile);
            let found = check_identities(&profile);
            assert!(
                matches!(found[..], [Violation::Structure(_)]),
                "{number}: {found:?}"
            );
        }
    }
}
