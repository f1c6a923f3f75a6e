//! The calling-context tree of a profile, weighed by one kind of cost, and prepared for walks downwards. The profile
//! itself holds parents only. No function here recurses, because a tree may be as deep as it is large.

use crate::profile::{Context, ContextKind, Profile};
use crate::report::Missing;

/// The weight of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Sends.
    #[default]
    Sends,
    /// Objects allocated.
    Objects,
    /// Their bytes.
    Bytes,
    /// Work (counting model, 2.2).
    Work,
}

impl Measure {
    /// The name of the weight, in the plural.
    pub fn noun(self) -> &'static str {
        match self {
            Measure::Sends => "sends",
            Measure::Objects => "objects",
            Measure::Bytes => "bytes",
            Measure::Work => "work",
        }
    }

    /// The name of the weight in a profile, whose unit may be another than sends.
    pub(crate) fn noun_in(self, profile: &Profile) -> &str {
        match self {
            Measure::Sends => &profile.unit.name,
            Measure::Objects | Measure::Bytes | Measure::Work => self.noun(),
        }
    }

    /// Fails if the profile's tree, which weighs that much, lacks the weight.
    pub(crate) fn check(self, profile: &Profile, whole: u64) -> Result<(), Missing> {
        let allocations = profile.unit.is_tally() && whole >= profile.cost.allocations.objects;
        match self {
            Measure::Objects | Measure::Bytes if !allocations => Err(Missing::Allocations),
            Measure::Work if !profile.has_work() => Err(Missing::Work),
            _ => Ok(()),
        }
    }

    fn of(self, context: &Context) -> u64 {
        match self {
            Measure::Sends => context.own,
            Measure::Objects => context.allocations.objects,
            Measure::Bytes => context.allocations.bytes,
            Measure::Work => context.work,
        }
    }
}

/// Where a walk is at a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Before the children.
    Into,
    /// After the children.
    OutOf,
}

/// A profile's tree under a measure. Contexts are known by their indices in the profile.
pub(crate) struct Tree<'p> {
    profile: &'p Profile,
    measure: Measure,
    /// By context: weight of its own.
    own: Vec<u64>,
    /// By context: its own weight and that of all below it.
    total: Vec<u64>,
    /// Children of all contexts: siblings are adjacent, the heaviest first.
    children: Vec<usize>,
    /// By context: where its children begin.
    first: Vec<usize>,
}

impl<'p> Tree<'p> {
    /// The tree, or `None` if the profile has none.
    pub(crate) fn new(profile: &'p Profile, measure: Measure) -> Option<Tree<'p>> {
        let contexts = &profile.contexts;
        if contexts.is_empty() {
            return None;
        }
        let own: Vec<u64> = contexts.iter().map(|c| measure.of(c)).collect();
        let mut total = own.clone();
        for index in (1..contexts.len()).rev() {
            let above = parent(contexts, index);
            total[above] = total[above].saturating_add(total[index]);
        }
        let (first, mut children) = children(contexts);
        for index in 0..contexts.len() {
            let range = first[index]..first[index + 1];
            children[range].sort_by_key(|&child| (std::cmp::Reverse(total[child]), child));
        }
        Some(Tree {
            profile,
            measure,
            own,
            total,
            children,
            first,
        })
    }

    /// The weight of everything.
    pub(crate) fn whole(&self) -> u64 {
        self.total[0]
    }

    /// The part of a context's own weight that is inside primitives, where the weight is work.
    pub(crate) fn in_primitives(&self, context: usize) -> u64 {
        match self.measure {
            Measure::Work => self.context(context).primitive_work,
            _ => 0,
        }
    }

    /// Weight of a context's own.
    pub(crate) fn own(&self, context: usize) -> u64 {
        self.own[context]
    }

    /// A context's own weight and that of all below it.
    pub(crate) fn total(&self, context: usize) -> u64 {
        self.total[context]
    }

    /// The contexts below, the heaviest first.
    pub(crate) fn children(&self, context: usize) -> &[usize] {
        &self.children[self.first[context]..self.first[context + 1]]
    }

    /// Goes into each context and, when all below it was visited, out of it.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, Step)) {
        let mut pending = vec![(0, Step::Into)];
        while let Some((context, step)) = pending.pop() {
            visit(context, step);
            if step == Step::Into {
                pending.push((context, Step::OutOf));
                let children = self.children(context).iter().rev();
                pending.extend(children.map(|&child| (child, Step::Into)));
            }
        }
    }

    /// The context as the profile has it.
    pub(crate) fn context(&self, context: usize) -> &'p Context {
        &self.profile.contexts[context]
    }

    /// The context above; of the run the run itself.
    pub(crate) fn parent(&self, context: usize) -> usize {
        parent(&self.profile.contexts, context)
    }

    /// A context's name: a method by its name, a block as `[] in` its method, or as `[2] in` it if other blocks of the
    /// method are its siblings.
    pub(crate) fn name(&self, context: usize) -> String {
        let row = self.context(context);
        let method = row.method.map_or("?", |m| method_name(self.profile, m));
        match row.kind {
            ContextKind::Run => "run".to_string(),
            ContextKind::Other if row.method.is_some() => format!("{method} (somewhere)"),
            ContextKind::Other => "(what did not fit into the tree)".to_string(),
            ContextKind::Method => method.to_string(),
            ContextKind::Block if self.has_sibling_block(context) => {
                format!("[{}] in {method}", row.block)
            }
            ContextKind::Block => format!("[] in {method}"),
        }
    }

    fn has_sibling_block(&self, context: usize) -> bool {
        let row = self.context(context);
        let is_other_block = |sibling: &&usize| {
            let other = self.context(**sibling);
            other.kind == ContextKind::Block
                && other.method == row.method
                && other.block != row.block
        };
        // Names are looked up for shown contexts only, because contexts with many siblings are rarely shown.
        let siblings = self.children(self.parent(context));
        siblings
            .iter()
            .take(MOST_SIBLINGS)
            .any(|s| is_other_block(&s))
    }

    /// Whether the context belongs to the library.
    pub(crate) fn is_library(&self, context: usize) -> bool {
        let method = self.context(context).method;
        let method = method.and_then(|m| self.profile.methods.get(m as usize));
        method.is_some_and(|method| method.is_library)
    }
}

/// Siblings among which other blocks of the same method are looked for.
const MOST_SIBLINGS: usize = 64;

/// The name of the method with that index.
pub(crate) fn method_name(profile: &Profile, method: u32) -> &str {
    let method = profile.methods.get(method as usize);
    method.map_or("?", |method| method.name.as_str())
}

/// The parent. A context without a parent before it is taken to stand below the run.
fn parent(contexts: &[Context], index: usize) -> usize {
    let above = contexts[index].parent.map_or(0, |above| above as usize);
    if above < index { above } else { 0 }
}

/// By context where its children begin in a list of all, and the list.
fn children(contexts: &[Context]) -> (Vec<usize>, Vec<usize>) {
    let mut first = vec![0; contexts.len() + 1];
    for index in 1..contexts.len() {
        first[parent(contexts, index) + 1] += 1;
    }
    for index in 0..contexts.len() {
        first[index + 1] += first[index];
    }
    let mut free = first.clone();
    let mut children = vec![0; contexts.len() - 1];
    for index in 1..contexts.len() {
        let above = parent(contexts, index);
        children[free[above]] = index;
        free[above] += 1;
    }
    (first, children)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::words;

    #[test]
    fn totals_are_those_of_the_profile_and_children_come_by_weight() {
        let profile = words();
        let tree = Tree::new(&profile, Measure::Sends).unwrap();
        for (index, context) in profile.contexts.iter().enumerate() {
            assert_eq!(tree.total(index), context.total, "{}", tree.name(index));
            let totals: Vec<u64> = tree
                .children(index)
                .iter()
                .map(|&c| tree.total(c))
                .collect();
            assert!(totals.is_sorted_by(|a, b| a >= b));
        }
        assert_eq!(tree.whole(), profile.cost.sends);
        let objects = Tree::new(&profile, Measure::Objects).unwrap();
        assert_eq!(objects.whole(), profile.cost.allocations.objects);
    }

    #[test]
    fn a_tree_whose_parents_make_no_sense_is_walked_all_the_same() {
        let mut profile = words();
        for (index, context) in profile.contexts.iter_mut().enumerate() {
            context.parent = Some(7 * index as u32);
        }
        let tree = Tree::new(&profile, Measure::Sends).unwrap();
        assert_eq!(tree.children(0).len(), profile.contexts.len() - 1);
        profile.contexts.clear();
        assert!(Tree::new(&profile, Measure::Sends).is_none());
    }
}
