//! What the rest of the crate relies on in a profile that was read: every index leads somewhere, the contexts are a
//! tree, and what JSON's reader asks for holds too.

use super::RecordingError;
use super::bytes::damaged;
use crate::profile::{ContextKind, Profile};

pub(super) fn check(profile: &Profile) -> Result<(), RecordingError> {
    let is_method = |index: u32| (index as usize) < profile.methods.len();
    let is_optional_method = |index: Option<u32>| index.is_none_or(is_method);
    let is_site =
        |index: Option<u32>| index.is_none_or(|site| (site as usize) < profile.sites.len());
    let is_context = |index: u32| (index as usize) < profile.contexts.len();
    let rules = [
        ("a context has no place in the tree", is_tree(profile)),
        (
            "a context's method is missing",
            profile
                .contexts
                .iter()
                .all(|c| is_optional_method(c.method)),
        ),
        (
            "a call's method is missing",
            profile
                .calls
                .iter()
                .all(|c| is_optional_method(c.caller) && is_method(c.callee)),
        ),
        (
            "a site's method is missing",
            profile.sites.iter().all(|s| is_method(s.method)),
        ),
        (
            "an allocation's context or site is missing",
            profile
                .allocations
                .iter()
                .all(|a| is_context(a.context) && is_site(a.site)),
        ),
    ];
    match rules.iter().find(|(_, holds)| !holds) {
        Some((why, _)) => Err(damaged(why)),
        None => crate::json::validate(profile).map_err(RecordingError::Invalid),
    }
}

/// Whether the first context is the run and every other one stands below one before it.
fn is_tree(profile: &Profile) -> bool {
    profile.contexts.iter().enumerate().all(|(index, context)| {
        let is_placed = match context.parent {
            None => index == 0 && context.kind == ContextKind::Run,
            Some(parent) => index > 0 && (parent as usize) < index,
        };
        let is_of_method = matches!(context.kind, ContextKind::Method | ContextKind::Block);
        is_placed && is_of_method == context.method.is_some()
    })
}
