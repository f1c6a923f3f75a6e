//! The differences between the machine's counts and this interpreter's.

use std::collections::BTreeMap;

use tally_profiler::{MethodProfile, Profile};
use tally_vm::{Outcome, Tally, Work};

use super::{EdgeCounts, Ending, MethodCounts, MethodName, Seen, SiteCounts};
use crate::observe::Observed;

/// Everything in which a run of the machine that recorded all of its costs differs from what this interpreter saw.
pub fn differences(seen: &Seen, observed: &Observed) -> Vec<String> {
    let mut found = Vec::new();
    differ(&mut found, "output", &seen.out, &observed.out);
    differ(
        &mut found,
        "ending",
        &seen.ending,
        &ending(&observed.outcome),
    );
    let (counts, cost) = (&seen.counts, &observed.cost);
    let numbers = [
        ("sends", counts.sends, cost.sends),
        ("loops", counts.loops, cost.loops),
        ("activations", counts.activations, cost.activations),
        ("blocks", counts.blocks, cost.blocks),
        ("objects", counts.objects, cost.allocations.objects),
        ("bytes", counts.bytes, cost.allocations.bytes),
        ("steps", counts.sends + counts.steps, cost.steps),
        ("called", counts.called, cost.called),
    ];
    for (what, wanted, given) in numbers {
        differ(&mut found, what, &wanted, &given);
    }
    let primitives: BTreeMap<&str, u64> = cost
        .primitives
        .iter()
        .copied()
        .filter(|(_, count)| *count > 0)
        .collect();
    each(&mut found, "primitive ", &counts.primitives, &primitives);
    let counters = Work::ALL.iter();
    let counters = counters.map(|&one| (one.name(), cost.counters.get(one)));
    let work = counters.filter(|(_, units)| *units > 0).collect();
    each(&mut found, "work ", &counts.work, &work);
    differ(&mut found, "work", &counts.weighted(), &cost.work());
    let tallies = tallies(seen);
    let given: BTreeMap<&str, Tally> = observed
        .tallies
        .iter()
        .map(|(name, tally)| (name.as_str(), *tally))
        .collect();
    each(&mut found, "", &tallies, &given);
    found
}

/// The counts of methods, added up over methods of one name.
fn tallies(seen: &Seen) -> BTreeMap<&str, Tally> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (method, counts) in &seen.attribution.methods {
        // Pieces of a file that are no methods have its name there.
        let name = match method.text.is_empty() {
            true => &method.file,
            false => &method.name,
        };
        let sum = tallies.entry(name).or_default();
        sum.calls += counts.calls;
        sum.block_calls += counts.block_calls;
        sum.own += counts.own;
        sum.total += counts.total;
        sum.cumulative += counts.cumulative;
    }
    tallies
}

/// All differences between a profile with sites and this interpreter's counts: numbers of methods, of pairs of caller and
/// callee, and of sites. Methods of one name differ by their texts.
pub fn profile_differences(seen: &Seen, profile: &Profile) -> Vec<String> {
    let mut found = Vec::new();
    let names: Vec<Key> = profile.methods.iter().map(key_of_profile).collect();
    let attribution = &seen.attribution;
    let methods = attribution.methods.iter();
    let methods = methods.map(|(method, counts)| (key(method), *counts));
    let given = methods_of(profile, &names);
    each_of(&mut found, "method", &methods.collect(), &given);
    let calls = attribution.edges.iter();
    let calls = calls.map(|((caller, callee), counts)| {
        let caller = caller.as_ref().map(key);
        ((caller, key(callee)), *counts)
    });
    let given = calls_of(profile, &names);
    each_of(&mut found, "call", &calls.collect(), &given);
    let mut sites: BTreeMap<SiteKey, SiteCounts> = BTreeMap::new();
    for (site, counts) in &attribution.sites {
        let (line, column) = (site.line, site.column);
        let selector = site.selector.clone();
        let place = (key(&site.method), line, column, selector, site.is_super);
        let sum = sites.entry(place).or_default();
        sum.add(counts);
    }
    each_of(&mut found, "site", &sites, &sites_of(profile, &names));
    found
}

fn methods_of(profile: &Profile, names: &[Key]) -> BTreeMap<Key, MethodCounts> {
    let mut given: BTreeMap<Key, MethodCounts> = BTreeMap::new();
    for (name, method) in names.iter().zip(&profile.methods) {
        let sum = given.entry(name.clone()).or_default();
        sum.calls += method.calls;
        sum.block_calls += method.block_calls;
        sum.own += method.own;
        sum.total += method.total;
        sum.cumulative += method.cumulative;
        sum.objects += method.allocations.objects;
        sum.bytes += method.allocations.bytes;
        sum.own_work += method.own_work;
        sum.total_work += method.total_work;
    }
    given
}

fn calls_of(profile: &Profile, names: &[Key]) -> BTreeMap<(Option<Key>, Key), EdgeCounts> {
    let mut given: BTreeMap<(Option<Key>, Key), EdgeCounts> = BTreeMap::new();
    for call in &profile.calls {
        let caller = call.caller.map(|index| names[index as usize].clone());
        let callee = names[call.callee as usize].clone();
        let sum = given.entry((caller, callee)).or_default();
        sum.calls += call.calls;
        sum.block_calls += call.block_calls;
        sum.total += call.total;
        sum.total_work += call.total_work;
    }
    given
}

/// The sites that counted something.
fn sites_of(profile: &Profile, names: &[Key]) -> BTreeMap<SiteKey, SiteCounts> {
    let mut given: BTreeMap<SiteKey, SiteCounts> = BTreeMap::new();
    for site in &profile.sites {
        let method = names[site.method as usize].clone();
        let selector = site.selector.clone();
        let place = (method, site.line, site.column, selector, site.is_super);
        let sum = given.entry(place).or_default();
        sum.add(&SiteCounts {
            sends: site.sends,
            calls: site.calls,
            total: site.total,
            work: site.work,
            total_work: site.total_work,
        });
    }
    given.retain(|_, counts| *counts != SiteCounts::default());
    given
}

/// Name and text of a method.
type Key = (String, String);

/// Method, line, column and selector of a site, and whether it sends to `super`.
type SiteKey = (Key, usize, usize, String, bool);

fn key(method: &MethodName) -> Key {
    (method.name.clone(), method.text.clone())
}

fn key_of_profile(method: &MethodProfile) -> Key {
    let text = if method.class.is_empty() {
        String::new()
    } else {
        method.source.clone()
    };
    (method.name.clone(), text)
}

fn each_of<K, V>(
    found: &mut Vec<String>,
    what: &str,
    wanted: &BTreeMap<K, V>,
    given: &BTreeMap<K, V>,
) where
    K: Ord + std::fmt::Debug,
    V: PartialEq + std::fmt::Debug,
{
    let mut keys: Vec<&K> = wanted.keys().chain(given.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        differ(
            found,
            &format!("{what} {key:?}"),
            &wanted.get(key),
            &given.get(key),
        );
    }
}

fn each<K, V>(found: &mut Vec<String>, what: &str, wanted: &BTreeMap<K, V>, given: &BTreeMap<K, V>)
where
    K: Ord + std::fmt::Display + Copy,
    V: PartialEq + std::fmt::Debug,
{
    let mut names: Vec<K> = wanted.keys().chain(given.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        differ(
            found,
            &format!("{what}{name}"),
            &wanted.get(&name),
            &given.get(&name),
        );
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(
    found: &mut Vec<String>,
    what: &str,
    wanted: &T,
    given: &T,
) {
    if wanted != given {
        found.push(format!(
            "{what}: by the model {wanted:?}, by the machine {given:?}"
        ));
    }
}

fn ending(outcome: &Outcome) -> Ending {
    match outcome {
        Outcome::Finished => Ending::Finished,
        Outcome::Failed => Ending::Failed,
        Outcome::Limit(_) => Ending::Limit,
        Outcome::Deadlock => Ending::Deadlock,
        Outcome::Exited(_) => Ending::Exited,
        Outcome::NotCompiled => Ending::Unsupported("not compiled".to_string()),
        Outcome::Internal(why) => Ending::Unsupported(format!("internal error: {why:?}")),
    }
}
