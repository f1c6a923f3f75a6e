//! The calling-context tree for exporters: contexts under unique function names, and a walk without recursion, because
//! trees may be deep.

use std::collections::HashMap;

use super::ExportError;
use crate::profile::{Context, ContextKind, Profile};

/// A function for other tools: a method, one block of a method, the run, or the contexts that did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// The kind of its contexts.
    pub(super) kind: ContextKind,
    /// Index of the method, or of the block's home.
    pub(super) method: Option<usize>,
    /// A name that no other function has, on one line.
    pub(super) name: String,
    /// The file, empty if there is none; on one line.
    pub(super) file: String,
    /// The method's first line; 0 if there is none.
    pub(super) line: usize,
}

/// The contexts of a profile and how they hang together.
pub(super) struct Tree<'p> {
    pub(super) profile: &'p Profile,
    /// The functions of the contexts, in the order of their first occurrence.
    pub(super) functions: Vec<Function>,
    function_of: Vec<usize>,
    /// The first child of each context, and the sibling after it; 0, the root, stands for none.
    first_child: Vec<usize>,
    next_sibling: Vec<usize>,
}

/// A step of a walk through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into this context.
    Enter(usize),
    /// Out of this context.
    Leave(usize),
}

impl<'p> Tree<'p> {
    /// The tree of a profile.
    pub(super) fn of(profile: &'p Profile) -> Result<Tree<'p>, ExportError> {
        if profile.contexts.is_empty() {
            return Err(ExportError::NoTree);
        }
        let (first_child, next_sibling) = link(&profile.contexts)?;
        let (functions, function_of) = functions(profile)?;
        Ok(Tree {
            profile,
            functions,
            function_of,
            first_child,
            next_sibling,
        })
    }

    /// The contexts, parents before children.
    pub(super) fn contexts(&self) -> &'p [Context] {
        &self.profile.contexts
    }

    /// Index of a context's function.
    pub(super) fn function_of(&self, context: usize) -> usize {
        self.function_of[context]
    }

    /// Whether no context stands below a context.
    pub(super) fn is_leaf(&self, context: usize) -> bool {
        self.first_child[context] == 0
    }

    /// For each context the sum of its own count and all counts below it.
    pub(super) fn totals(&self, own: impl Fn(&Context) -> u64) -> Vec<u64> {
        let mut totals: Vec<u64> = self.contexts().iter().map(own).collect();
        for (index, context) in self.contexts().iter().enumerate().rev() {
            if let Some(parent) = context.parent {
                let sum = totals[parent as usize].saturating_add(totals[index]);
                totals[parent as usize] = sum;
            }
        }
        totals
    }

    /// Enters and leaves every context once, children inside their parents.
    pub(super) fn walk(&self) -> impl Iterator<Item = Step> + '_ {
        let mut next = Some(Step::Enter(0));
        std::iter::from_fn(move || {
            let step = next?;
            next = match step {
                Step::Enter(at) if self.first_child[at] > 0 => {
                    Some(Step::Enter(self.first_child[at]))
                }
                Step::Enter(at) => Some(Step::Leave(at)),
                Step::Leave(0) => None,
                Step::Leave(at) if self.next_sibling[at] > 0 => {
                    Some(Step::Enter(self.next_sibling[at]))
                }
                Step::Leave(at) => self.contexts()[at]
                    .parent
                    .map(|parent| Step::Leave(parent as usize)),
            };
            Some(step)
        })
    }
}

/// First children and next siblings. Every parent stands before its children, so there are no cycles.
fn link(contexts: &[Context]) -> Result<(Vec<usize>, Vec<usize>), ExportError> {
    let mut first_child = vec![0; contexts.len()];
    let mut last_child = vec![0; contexts.len()];
    let mut next_sibling = vec![0; contexts.len()];
    for (index, context) in contexts.iter().enumerate() {
        let parent = match (index, context.parent) {
            (0, None) => continue,
            (_, Some(parent)) if (parent as usize) < index => parent as usize,
            _ => {
                return Err(malformed(format!(
                    "context {index} has no place in the tree"
                )));
            }
        };
        match last_child[parent] {
            0 => first_child[parent] = index,
            last => next_sibling[last] = index,
        }
        last_child[parent] = index;
    }
    Ok((first_child, next_sibling))
}

fn malformed(why: String) -> ExportError {
    ExportError::Malformed(why)
}

/// The functions that contexts stand for, and which of them each context stands for.
fn functions(profile: &Profile) -> Result<(Vec<Function>, Vec<usize>), ExportError> {
    let names = method_names(profile);
    let mut known: HashMap<(ContextKind, Option<u32>, u32), usize> = HashMap::new();
    let mut functions: Vec<Function> = Vec::new();
    let mut function_of = Vec::with_capacity(profile.contexts.len());
    for context in &profile.contexts {
        let key = (context.kind, context.method, context.block);
        let index = match known.get(&key) {
            Some(index) => *index,
            None => {
                functions.push(function(profile, &names, context)?);
                known.insert(key, functions.len() - 1);
                functions.len() - 1
            }
        };
        function_of.push(index);
    }
    Ok((functions, function_of))
}

fn function(
    profile: &Profile,
    names: &[String],
    context: &Context,
) -> Result<Function, ExportError> {
    let method = context.method.map(|index| index as usize);
    let place = match method.map(|index| profile.methods.get(index)) {
        None => None,
        Some(Some(method)) => Some(method),
        Some(None) => return Err(malformed("a context's method is missing".to_string())),
    };
    let name = match (context.kind, method) {
        (ContextKind::Run, None) => "run".to_string(),
        (ContextKind::Other, None) => "other".to_string(),
        (ContextKind::Other, Some(index)) => format!("other: {}", names[index]),
        (ContextKind::Method, Some(index)) => names[index].clone(),
        (ContextKind::Block, Some(index)) if context.block <= 1 => {
            format!("[] in {}", names[index])
        }
        (ContextKind::Block, Some(index)) => format!("[] in {} #{}", names[index], context.block),
        _ => return Err(malformed("a context stands for no method".to_string())),
    };
    Ok(Function {
        kind: context.kind,
        method,
        name,
        file: place
            .map(|method| one_line(&method.file))
            .unwrap_or_default(),
        line: place.map_or(0, |method| method.line),
    })
}

/// The methods' names, on one line each. Methods of one name, such as a method and its replacement, get their digests as
/// suffixes.
fn method_names(profile: &Profile) -> Vec<String> {
    let mut bearers: HashMap<&str, usize> = HashMap::new();
    for method in &profile.methods {
        *bearers.entry(&method.name).or_default() += 1;
    }
    let name = |method: &crate::MethodProfile| match bearers[method.name.as_str()] {
        1 => one_line(&method.name),
        _ => one_line(&format!("{} @{}", method.name, method.digest)),
    };
    profile.methods.iter().map(name).collect()
}

/// A text without ends of lines.
pub(super) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::small as testing;

    #[test]
    fn a_walk_enters_and_leaves_everything_once_in_order() {
        let profile = testing::example();
        let tree = Tree::of(&profile).unwrap();
        let mut open = Vec::new();
        let mut entered = Vec::new();
        for step in tree.walk() {
            match step {
                Step::Enter(at) => {
                    assert_eq!(
                        profile.contexts[at].parent.map(|p| p as usize),
                        open.last().copied()
                    );
                    open.push(at);
                    entered.push(at);
                }
                Step::Leave(at) => assert_eq!(open.pop(), Some(at)),
            }
        }
        assert!(open.is_empty());
        assert_eq!(entered, (0..profile.contexts.len()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let broken: [fn(&mut Profile); 5] = [
            |p| p.contexts[1].parent = None,
            |p| p.contexts[1].parent = Some(1),
            |p| p.contexts[0].parent = Some(1),
            |p| p.contexts[1].method = Some(1000),
            |p| p.contexts[1].method = None,
        ];
        for damage in broken {
            let mut profile = testing::example();
            damage(&mut profile);
            assert!(matches!(Tree::of(&profile), Err(ExportError::Malformed(_))));
        }
        let mut flat = testing::example();
        flat.contexts.clear();
        assert!(matches!(Tree::of(&flat), Err(ExportError::NoTree)));
    }

    #[test]
    fn methods_of_one_name_are_told_apart() {
        let mut profile = testing::example();
        profile.methods[1].name = profile.methods[2].name.clone();
        profile.methods[1].digest = "00000000000000ff".to_string();
        let tree = Tree::of(&profile).unwrap();
        let mut names: Vec<&str> = tree.functions.iter().map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
