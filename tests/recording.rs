//! The recorder apart from programs' results: how it folds recursion, what it does when there is no more room,
//! and readings in the middle of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use tally_profiler::{ContextKind, Profile, check_identities};
use tally_tests::host::TestHost;
use tally_tests::modes;
use tally_tests::observe::{Options, compile, machine, profile_of};
use tally_vm::{Detail, Outcome};

/// Three methods that call each other in every way, to a depth of fourteen.
const TANGLE: &str = "
Object subclass: Tangle [
    a: n [ n = 0 ifTrue: [^0]. ^(self b: n - 1) + (self c: n - 1) ]
    b: n [ n = 0 ifTrue: [^1]. ^(self c: n - 1) + (#(1 2) inject: 0 into: [:sum :x | sum + (self a: n - 2 max: 0)]) ]
    c: n [ n = 0 ifTrue: [^2]. ^(self a: n - 1) + (self b: n - 1) ]
    a: n max: m [ ^self a: (n max: m) ] ]
(Tangle new a: 11) printNl.";

/// Two methods that call each other, very deep.
const DEEP: &str = "
Object subclass: Deep [
    even: n [ ^n = 0 ifTrue: [true] ifFalse: [self odd: n - 1] ]
    odd: n [ ^n = 0 ifTrue: [false] ifFalse: [self even: n - 1] ] ]
(Deep new even: 9000) printNl.";

pub(crate) fn trials() -> Vec<Trial> {
    type Test = fn() -> Result<(), String>;
    let tests: [(&str, Test); 4] = [
        ("recursion_folds", recursion_folds),
        ("what_does_not_fit_is_other", what_does_not_fit_is_other),
        ("folding_changes_no_total", folding_changes_no_total),
        ("without_sites_there_are_none", without_sites_there_are_none),
    ];
    let trial = |(name, test): (&str, Test)| {
        Trial::test(format!("recording/{name}"), move || {
            test().map_err(Failed::from)
        })
    };
    tests.into_iter().map(trial).collect()
}

fn profile(source: &str, detail: Detail) -> Result<Profile, String> {
    let compiled = compile("recording.st", source)?;
    let unit = compiled.unit.ok_or(format!("{:?}", compiled.diagnostics))?;
    let mut vm = machine(&Options::default(), &modes::PLAIN, &TestHost::new())?;
    vm.count_everything();
    vm.start_profile(detail);
    let outcome = vm.run_unit(Arc::new(unit));
    let cost = vm.cost();
    let recorded = vm.finish_profile();
    match outcome {
        Outcome::Finished => Ok(profile_of(&vm, &recorded, &cost)),
        other => Err(format!("{other:?}")),
    }
}

fn detail(most_contexts: Option<usize>) -> Detail {
    Detail {
        sites: true,
        most_contexts,
    }
}

fn sound(profile: &Profile) -> Result<(), String> {
    match check_identities(profile).first() {
        None => Ok(()),
        Some(violation) => Err(violation.to_string()),
    }
}

fn recursion_folds() -> Result<(), String> {
    let profile = profile(DEEP, detail(None))?;
    sound(&profile)?;
    let of = |name: &str| {
        let is_it = |c: &&tally_profiler::Context| {
            c.method
                .is_some_and(|m| profile.methods[m as usize].name == name)
        };
        let found: Vec<_> = profile.contexts.iter().filter(is_it).collect();
        (found.len(), found.iter().map(|c| c.calls).sum::<u64>())
    };
    // even: below the script; even: below odd:, which brings a new pair, and in which the rest folds.
    let expected = [("Deep>>even:", (2, 4501)), ("Deep>>odd:", (2, 4500))];
    for (name, counts) in expected {
        if of(name) != counts {
            return Err(format!("{name}: {:?}, expected {counts:?}", of(name)));
        }
    }
    Ok(())
}

fn what_does_not_fit_is_other() -> Result<(), String> {
    let whole = profile(TANGLE, detail(None))?;
    for room in [4, 10, 30] {
        let part = profile(TANGLE, detail(Some(room)))?;
        sound(&part)?;
        if part.is_tree_complete || part.contexts.len() > room + part.methods.len() * 2 + 2 {
            return Err(format!(
                "{} contexts in room for {room}",
                part.contexts.len()
            ));
        }
        if !part.contexts.iter().any(|c| c.kind == ContextKind::Other) {
            return Err(format!("nothing is other in room for {room}"));
        }
        // What does not depend on contexts is the same.
        let flat = |profile: &Profile| -> BTreeMap<String, [u64; 3]> {
            let methods = profile.methods.iter();
            methods
                .map(|m| (m.name.clone(), [m.calls, m.block_calls, m.own]))
                .collect()
        };
        if flat(&whole) != flat(&part) || whole.cost != part.cost {
            return Err(format!("counts of methods differ in room for {room}"));
        }
    }
    Ok(())
}

/// What a wrapper of the paper's kind, which knows no tree, adds up: totals of outermost activations.
fn folding_changes_no_total() -> Result<(), String> {
    let profile = profile(TANGLE, detail(None))?;
    sound(&profile)?;
    let total = |name: &str| {
        profile
            .methods
            .iter()
            .find(|m| m.name == name)
            .map(|m| m.total)
    };
    // Everything but the sends of the script and of printing happens below the outermost a:.
    let script = profile.contexts.iter().position(|c| c.parent == Some(0));
    let below = |name: &str| {
        let is_it = |c: &&tally_profiler::Context| {
            c.parent == script.map(|s| s as u32)
                && c.method
                    .is_some_and(|m| profile.methods[m as usize].name == name)
        };
        profile.contexts.iter().find(is_it).map(|c| c.total)
    };
    match (total("Tangle>>a:"), below("Tangle>>a:")) {
        (Some(total), Some(below)) if total == below => Ok(()),
        other => Err(format!(
            "total and sends below the script's call: {other:?}"
        )),
    }
}

fn without_sites_there_are_none() -> Result<(), String> {
    let profile = profile(TANGLE, Detail::default())?;
    sound(&profile)?;
    let is_bare = profile.sites.is_empty() && profile.allocations.is_empty();
    match is_bare && !profile.contexts.is_empty() && !profile.calls.is_empty() {
        true => Ok(()),
        false => Err("there are sites, or no tree".to_string()),
    }
}
