//! The calling-context tree prepared for display: the children of each context, the totals below it, and the most
//! expensive contexts. The contexts that are cut off are summed up. No function here recurses, and none relies on a
//! well-formed tree: the tree may have been read from a file.

use crate::profile::{ContextKind, Profile};
use crate::tree::Measure;

/// Nothing: no child, no further sibling.
const NONE: u32 = u32::MAX;

/// A tree's shape and sums, by index of context.
#[derive(Debug)]
pub(crate) struct ContextTree {
    parents: Vec<u32>,
    last_child: Vec<u32>,
    previous_sibling: Vec<u32>,
    /// Sends in a context and below it.
    pub(crate) total: Vec<u64>,
    /// Objects allocated in a context and below it.
    pub(crate) objects: Vec<u64>,
    bytes: Vec<u64>,
    /// Work in a context and below it.
    pub(crate) work: Vec<u64>,
}

/// A step of a walk through a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To a context, before its children.
    Enter(usize),
    /// From a context, after its children.
    Leave(usize),
}

impl ContextTree {
    /// The tree of a profile; empty if the profile has none.
    pub(crate) fn of(profile: &Profile) -> ContextTree {
        let contexts = &profile.contexts;
        let count = contexts.len();
        let mut tree = ContextTree {
            parents: vec![NONE; count],
            last_child: vec![NONE; count],
            previous_sibling: vec![NONE; count],
            total: contexts.iter().map(|c| c.own).collect(),
            objects: contexts.iter().map(|c| c.allocations.objects).collect(),
            bytes: contexts.iter().map(|c| c.allocations.bytes).collect(),
            work: contexts.iter().map(|c| c.work).collect(),
        };
        for (index, context) in contexts.iter().enumerate().skip(1) {
            // A context without a parent before it stands below the root.
            let parent = match context.parent {
                Some(parent) if (parent as usize) < index => parent as usize,
                _ => 0,
            };
            tree.parents[index] = parent as u32;
            tree.previous_sibling[index] = tree.last_child[parent];
            tree.last_child[parent] = index as u32;
        }
        tree.sum_up();
        tree
    }

    fn sum_up(&mut self) {
        for index in (1..self.parents.len()).rev() {
            let parent = self.parents[index] as usize;
            let columns = [
                &mut self.total,
                &mut self.objects,
                &mut self.bytes,
                &mut self.work,
            ];
            for column in columns {
                column[parent] = column[parent].saturating_add(column[index]);
            }
        }
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    /// The children of a context, the last one first.
    fn children_backwards(&self, index: usize) -> impl Iterator<Item = usize> {
        let present = |index: u32| (index != NONE).then_some(index);
        let last = present(self.last_child[index]);
        let siblings = std::iter::successors(last, move |child| {
            present(self.previous_sibling[*child as usize])
        });
        siblings.map(|child| child as usize)
    }

    /// All steps of a walk from the root through the whole tree.
    pub(crate) fn walk(&self) -> impl Iterator<Item = Step> {
        let mut pending = Vec::new();
        if self.len() > 0 {
            pending.push(Step::Enter(0));
        }
        std::iter::from_fn(move || {
            let step = pending.pop()?;
            if let Step::Enter(index) = step {
                pending.push(Step::Leave(index));
                pending.extend(self.children_backwards(index).map(Step::Enter));
            }
            Some(step)
        })
    }
}

/// The subject of a frame of a cut tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The run.
    Run,
    /// A method, by index.
    Method(u32),
    /// A block by its number, in a method.
    Block(u32, u32),
    /// The part of the own work of the frame above that is inside primitives.
    Primitives,
    /// Contexts for which the recorder had no room.
    Other,
    /// This many contexts that were cut off below the frame above.
    Smaller(u64),
}

/// A context of a cut tree, or the sum of contexts that were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Frames above it.
    pub(crate) depth: u32,
    /// What it stands for.
    pub(crate) what: What,
    /// Activations; zero for contexts that were cut off.
    pub(crate) calls: u64,
    /// Sends in it; for contexts that were cut off, all of their sends.
    pub(crate) own: u64,
    /// Sends in it and below.
    pub(crate) total: u64,
    /// Objects allocated in it; for contexts that were cut off, all of their objects.
    pub(crate) objects: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Work in it; for contexts that were cut off, all of their work.
    pub(crate) work: u64,
    /// Objects, bytes and work in it and below.
    pub(crate) totals: [u64; 3],
}

impl Frame {
    /// Its own weight and that of everything below, and its own weight alone.
    pub(crate) fn weights(&self, measure: Measure) -> [u64; 2] {
        let [objects, bytes, work] = self.totals;
        match measure {
            Measure::Sends => [self.total, self.own],
            Measure::Objects => [objects, self.objects],
            Measure::Bytes => [bytes, self.bytes],
            Measure::Work => [work, self.work],
        }
    }
}

/// The sum of the contexts that were cut off below a context.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    contexts: u64,
    sends: u64,
    objects: u64,
    bytes: u64,
    work: u64,
}

/// The `limit` most expensive contexts of a profile, by sends, objects or work, whichever share is the greatest, in preorder. If
/// contexts below one are cut off, a frame that stands for them follows. Sums are those of the whole tree.
pub(crate) fn cut(profile: &Profile, tree: &ContextTree, limit: usize) -> Vec<Frame> {
    if tree.len() == 0 {
        return Vec::new();
    }
    let is_kept = most_expensive(tree, limit.max(1));
    let rests = rests(tree, &is_kept);
    let mut frames = Vec::new();
    let mut depth: u32 = 0;
    for step in tree.walk() {
        match step {
            Step::Enter(index) => {
                if is_kept[index] {
                    frames.push(frame(profile, tree, index, depth));
                    frames.extend(primitives(profile, index, depth + 1));
                }
                depth += 1;
            }
            Step::Leave(index) => {
                if is_kept[index] && rests[index].contexts > 0 {
                    frames.push(rest_frame(rests[index], depth));
                }
                depth -= 1;
            }
        }
    }
    frames
}

/// Marks the contexts that stay. A context is never more expensive than its parent, and the parent has the smaller index.
/// So the marked contexts are connected.
fn most_expensive(tree: &ContextTree, limit: usize) -> Vec<bool> {
    let part = |weights: &[u64], index: usize| {
        (u128::from(weights[index]) << 60) / u128::from(weights[0].max(1))
    };
    let price = |index: usize| {
        let columns = [&tree.total, &tree.objects, &tree.work];
        columns
            .map(|weights| part(weights, index))
            .into_iter()
            .max()
    };
    let mut order: Vec<usize> = (0..tree.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(price(*index)), *index));
    let mut is_kept = vec![false; tree.len()];
    for index in order.into_iter().take(limit) {
        is_kept[index] = true;
    }
    is_kept
}

fn rests(tree: &ContextTree, is_kept: &[bool]) -> Vec<Rest> {
    let mut rests = vec![Rest::default(); tree.len()];
    for index in (1..tree.len()).rev() {
        let parent = tree.parents[index] as usize;
        if is_kept[index] {
            continue;
        }
        rests[parent].contexts += rests[index].contexts + 1;
        if is_kept[parent] {
            let rest = &mut rests[parent];
            rest.sends = rest.sends.saturating_add(tree.total[index]);
            rest.objects = rest.objects.saturating_add(tree.objects[index]);
            rest.bytes = rest.bytes.saturating_add(tree.bytes[index]);
            rest.work = rest.work.saturating_add(tree.work[index]);
        }
    }
    rests
}

fn frame(profile: &Profile, tree: &ContextTree, index: usize, depth: u32) -> Frame {
    let context = &profile.contexts[index];
    let what = match (context.kind, context.method) {
        (ContextKind::Run, _) => What::Run,
        (ContextKind::Block, Some(method)) => What::Block(method, context.block),
        (_, Some(method)) => What::Method(method),
        (_, None) => What::Other,
    };
    Frame {
        depth,
        what,
        calls: context.calls,
        own: context.own,
        total: tree.total[index],
        objects: context.allocations.objects,
        bytes: context.allocations.bytes,
        work: context.work,
        totals: [tree.objects[index], tree.bytes[index], tree.work[index]],
    }
}

/// A frame for the part of a context's own work that is inside primitives, if there is any.
fn primitives(profile: &Profile, index: usize, depth: u32) -> Option<Frame> {
    let work = profile.contexts[index].primitive_work;
    (work > 0).then_some(Frame {
        depth,
        what: What::Primitives,
        calls: 0,
        own: 0,
        total: 0,
        objects: 0,
        bytes: 0,
        work,
        totals: [0, 0, work],
    })
}

fn rest_frame(rest: Rest, depth: u32) -> Frame {
    Frame {
        depth,
        what: What::Smaller(rest.contexts),
        calls: 0,
        own: rest.sends,
        total: rest.sends,
        objects: rest.objects,
        bytes: rest.bytes,
        work: rest.work,
        totals: [rest.objects, rest.bytes, rest.work],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::example;
    use crate::profile::{Allocated, Context};

    /// A tree whose contexts have these parents and own sends.
    fn profile(contexts: &[(Option<u32>, u64)]) -> Profile {
        let mut profile = example();
        let context = |(parent, own): &(Option<u32>, u64)| Context {
            parent: *parent,
            kind: match parent {
                None => ContextKind::Run,
                Some(_) => ContextKind::Method,
            },
            method: parent.map(|_| 0),
            block: 0,
            calls: 1,
            own: *own,
            total: 0,
            allocations: Allocated::default(),
            ..Context::default()
        };
        profile.contexts = contexts.iter().map(context).collect();
        profile
    }

    fn cut_to(contexts: &[(Option<u32>, u64)], limit: usize) -> Vec<Frame> {
        let profile = profile(contexts);
        cut(&profile, &ContextTree::of(&profile), limit)
    }

    const CONTEXTS: &[(Option<u32>, u64)] = &[
        (None, 0),
        (Some(0), 5),
        (Some(1), 20),
        (Some(1), 1),
        (Some(3), 2),
        (Some(0), 4),
    ];

    #[test]
    fn a_tree_that_fits_stays_whole_and_in_order() {
        let frames = cut_to(CONTEXTS, 10);
        let shape: Vec<(u32, u64)> = frames.iter().map(|f| (f.depth, f.total)).collect();
        assert_eq!(shape, [(0, 32), (1, 28), (2, 20), (2, 3), (3, 2), (1, 4)]);
    }

    #[test]
    fn what_is_cut_off_is_said_in_numbers() {
        let frames = cut_to(CONTEXTS, 3);
        let shape: Vec<(u32, What, u64)> =
            frames.iter().map(|f| (f.depth, f.what, f.total)).collect();
        assert_eq!(
            shape,
            [
                (0, What::Run, 32),
                (1, What::Method(0), 28),
                (2, What::Method(0), 20),
                (2, What::Smaller(2), 3),
                (1, What::Smaller(1), 4),
            ]
        );
    }

    #[test]
    fn however_much_is_cut_off_the_sum_is_the_same() {
        for limit in 1..=CONTEXTS.len() {
            let frames = cut_to(CONTEXTS, limit);
            assert_eq!(frames.iter().map(|frame| frame.own).sum::<u64>(), 32);
            let levels = frames.windows(2).map(|pair| (pair[0].depth, pair[1].depth));
            assert!(levels.into_iter().all(|(above, below)| below <= above + 1));
        }
    }

    #[test]
    fn a_context_whose_parent_comes_later_stands_below_the_run() {
        let frames = cut_to(&[(None, 1), (Some(2), 1), (Some(1), 1), (Some(9), 1)], 9);
        let depths: Vec<u32> = frames.iter().map(|frame| frame.depth).collect();
        assert_eq!(depths, [0, 1, 2, 1]);
    }
}
