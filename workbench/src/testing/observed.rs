//! What was recorded of a test: its methods, and its own part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tally_comparison::{Code, MethodCosts, MethodCount};
use tally_profiler::{ContextKind, Profile, TestCounts, fnv1a};

use super::discovery::Test;
use super::outcome::TestCost;
use super::worker::Ended;

/// What is wanted of a test's profile.
#[derive(Serialize, Deserialize)]
pub struct Observed {
    /// What each method did, in setUp and tearDown too.
    pub methods: Vec<(String, MethodCosts)>,
    /// The test's own part, if it came to its end.
    pub own: Option<OwnPart>,
}

/// What is wanted of a test's own part.
#[derive(Serialize, Deserialize)]
pub struct OwnPart {
    /// A digest of the methods that it entered.
    pub code: Code,
    /// The counts of each method, if they add up to the cost of the test.
    pub methods: Option<Vec<MethodCount>>,
}

impl Observed {
    /// From the profile of a test that cost so much, if it came to its end.
    pub fn of(profile: &Profile, test: &Test, cost: Option<TestCost>) -> Observed {
        let methods = profile.methods.iter().map(|method| {
            let costs = MethodCosts {
                calls: method.calls,
                own: method.own,
                total: method.total,
            };
            (method.name.clone(), costs)
        });
        Observed {
            methods: methods.collect(),
            own: cost.map(|cost| OwnPart {
                code: code(profile),
                methods: methods_of(profile, test, cost),
            }),
        }
    }
}

/// What a test cost, if that is the same in every run.
pub fn counts_of(ended: &Ended) -> Option<TestCounts> {
    let cost = ended.report.cost.filter(|_| ended.is_reproducible)?;
    Some(cost.counts)
}

/// A digest of the program's own methods that a test entered.
fn code(profile: &Profile) -> Code {
    let own = profile.methods.iter().filter(|method| {
        !method.is_library && !method.class.is_empty() && (method.calls > 0 || method.own > 0)
    });
    let mut own: Vec<(&str, &str)> = own
        .map(|method| (method.name.as_str(), method.digest.as_str()))
        .collect();
    own.sort_unstable();
    let texts = own.iter().flat_map(|(name, digest)| [*name, *digest]);
    Code::of(fnv1a(texts))
}

/// What methods did in the test's own method and below it, and in processes; not in setUp, tearDown and the runner. Parts
/// that no method accounts for stand in a row of their own, so that all add up to the sends of the test.
fn methods_of(profile: &Profile, test: &Test, cost: TestCost) -> Option<Vec<MethodCount>> {
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    // Contexts stand behind those above them.
    let mut is_in_test = vec![false; profile.contexts.len()];
    for (index, context) in profile.contexts.iter().enumerate() {
        let above = context
            .parent
            .is_some_and(|parent| is_in_test[parent as usize]);
        let Some(method) = context.method else {
            continue;
        };
        is_in_test[index] = above || is_start(profile, context.parent, method, test);
        if is_in_test[index] {
            let (calls, own) = counts.entry(method).or_default();
            let is_method = context.kind == ContextKind::Method;
            *calls += if is_method { context.calls } else { 0 };
            *own += context.own;
        }
    }
    let sum: u64 = counts.values().map(|(_, own)| own).sum();
    let rest = cost.counts.sends.checked_sub(sum)?;
    let rows = counts.iter().map(|(&index, &(calls, own))| {
        let method = &profile.methods[index as usize];
        MethodCount {
            name: method.name.clone(),
            digest: u64::from_str_radix(&method.digest, 16)
                .unwrap_or_else(|_| fnv1a([method.digest.as_str()])),
            calls,
            own,
            file: method.file.clone(),
            line: method.line,
        }
    });
    let mut rows: Vec<MethodCount> = rows.collect();
    if rest > 0 {
        rows.push(MethodCount {
            name: "(what starts the test)".to_string(),
            calls: 1,
            own: rest,
            ..MethodCount::default()
        });
    }
    Some(rows)
}

/// Whether the test begins in a context of this method: it is the test's own.
fn is_start(profile: &Profile, parent: Option<u32>, method: u32, test: &Test) -> bool {
    let name_of = |index: u32| profile.methods.get(index as usize);
    let is_test = name_of(method).is_some_and(|method| method.selector == test.selector);
    let above = parent.and_then(|parent| profile.contexts[parent as usize].method);
    is_test
        && above
            .and_then(name_of)
            .is_some_and(|method| method.selector == "performTest")
}
