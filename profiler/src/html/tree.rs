//! The calling-context tree as columns. A context's level is stored as the difference from the deepest level that it
//! could have after the context before it. The difference is 0 nearly always, so the columns need no indices.

use serde::Serialize;
use tally_presentation::html::{Budget, Count, column, number_size};

use crate::context_tree::{ContextTree, Frame, What, cut};
use crate::profile::Profile;

/// The most contexts of a page, without the frames for contexts that were cut off.
const MOST: usize = 60_000;

/// Codes for contexts that are no methods.
const RUN: i32 = -1;
const OTHER: i32 = -2;
const SMALLER: i32 = -3;
const PRIMITIVES: i32 = -5;

/// The columns.
#[derive(Debug, Default, Serialize)]
pub(super) struct Contexts {
    up: Vec<u32>,
    method: Vec<i32>,
    /// The block's number, or how many contexts were cut off.
    number: Vec<Count>,
    calls: Vec<Count>,
    own: Vec<Count>,
    objects: Vec<Count>,
    bytes: Vec<Count>,
    work: Vec<Count>,
}

/// As much of the tree as there is room for.
pub(super) fn contexts(
    profile: &Profile,
    tree: &ContextTree,
    number: &impl Fn(u32) -> i32,
    budget: &mut Budget,
) -> Contexts {
    let mut limit = MOST;
    loop {
        let frames = cut(profile, tree, limit);
        let size = frames.iter().map(frame_size).sum();
        if limit == 1 || budget.take(size) {
            return columns(&frames, number);
        }
        limit = (limit * 3 / 4).max(1);
    }
}

fn frame_size(frame: &Frame) -> usize {
    let counts = [
        code(frame.what, &|method| method as i32)
            .unsigned_abs()
            .into(),
        number_of(frame.what),
        frame.calls,
        frame.own,
        frame.objects,
        frame.bytes,
        frame.work,
    ];
    counts.map(number_size).iter().sum::<usize>() + 3
}

fn columns(frames: &[Frame], number: &impl Fn(u32) -> i32) -> Contexts {
    let mut up = Vec::with_capacity(frames.len());
    let mut below_the_last = 0;
    for frame in frames {
        up.push(below_the_last - frame.depth);
        below_the_last = frame.depth + 1;
    }
    let counts = |count: fn(&Frame) -> u64| column(frames.iter().map(count));
    Contexts {
        up,
        method: frames.iter().map(|f| code(f.what, number)).collect(),
        number: counts(|f| number_of(f.what)),
        calls: counts(|f| f.calls),
        own: counts(|f| f.own),
        objects: counts(|f| f.objects),
        bytes: counts(|f| f.bytes),
        work: counts(|f| f.work),
    }
}

fn code(what: What, number: &impl Fn(u32) -> i32) -> i32 {
    match what {
        What::Run => RUN,
        What::Other => OTHER,
        What::Smaller(_) => SMALLER,
        What::Primitives => PRIMITIVES,
        What::Method(method) | What::Block(method, _) => number(method),
    }
}

fn number_of(what: What) -> u64 {
    match what {
        What::Block(_, block) => block.max(1).into(),
        What::Smaller(contexts) => contexts,
        _ => 0,
    }
}
