//! Totals of classes and packages. As in a method's total, the sends below the outermost activation of any of their
//! methods count.

use std::collections::BTreeMap;

use serde::Serialize;
use tally_presentation::html::{Budget, Count, clipped, number_size, text_size};

use crate::context_tree::{ContextTree, Step};
use crate::profile::{MethodProfile, Profile};

/// Names and totals.
#[derive(Debug, Default, Serialize)]
pub(super) struct Groups {
    name: Vec<String>,
    total: Vec<Count>,
}

/// The groups into which `name_of` divides the methods, the most expensive first; none if the profile has no tree.
pub(super) fn groups(
    profile: &Profile,
    tree: &ContextTree,
    name_of: fn(&MethodProfile) -> &str,
    budget: &mut Budget,
) -> Groups {
    let mut groups = Groups::default();
    if profile.contexts.is_empty() {
        return groups;
    }
    let mut totals: Vec<(&str, u64)> = totals(profile, tree, name_of).into_iter().collect();
    totals.sort_by_key(|(name, total)| (std::cmp::Reverse(*total), *name));
    for (name, total) in totals {
        let name = clipped(name);
        if !budget.take(text_size(&name) + number_size(total)) {
            break;
        }
        groups.name.push(name);
        groups.total.push(Count(total));
    }
    groups
}

fn totals<'p>(
    profile: &'p Profile,
    tree: &ContextTree,
    name_of: fn(&MethodProfile) -> &str,
) -> BTreeMap<&'p str, u64> {
    let mut totals = BTreeMap::new();
    let mut active: BTreeMap<&str, u64> = BTreeMap::new();
    let group = |index: usize| {
        let method = profile.contexts[index].method?;
        profile.methods.get(method as usize).map(name_of)
    };
    for step in tree.walk() {
        match step {
            Step::Enter(index) => {
                let Some(name) = group(index) else { continue };
                let activations = active.entry(name).or_default();
                *activations += 1;
                if *activations == 1 {
                    let total: &mut u64 = totals.entry(name).or_default();
                    *total = total.saturating_add(tree.total[index]);
                }
            }
            Step::Leave(index) => {
                if let Some(activations) = group(index).and_then(|name| active.get_mut(name)) {
                    *activations -= 1;
                }
            }
        }
    }
    totals
}
