//! Folded stacks, which most flame graph tools read. There is a line for each context with sends of its own, or for each
//! stack with zero where nothing was sent. The line
//! holds the names from the run down to the context, joined by semicolons, then the own sends.

use std::fmt::Write as _;

use super::ExportError;
use super::tree::{Step, Tree};
use crate::profile::Profile;

/// The longest text that is written, in bytes. Each line repeats the names above it, so a deep tree could fill any
/// memory.
const LONGEST: usize = 1 << 30;

/// The digits of a count, the space before them and the end of the line.
const TAIL: usize = 22;

/// Writes the stacks in the order of the tree.
pub(super) fn folded(profile: &Profile) -> Result<String, ExportError> {
    let tree = Tree::of(profile)?;
    let names: Vec<String> = tree
        .functions
        .iter()
        .map(|function| function.name.replace(';', ","))
        .collect();
    let length = length(&tree, &names);
    if length > LONGEST {
        return Err(ExportError::TooLarge(
            "its stacks would fill more than 1 GiB".to_string(),
        ));
    }
    let mut text = String::with_capacity(length);
    let mut stack = String::new();
    for step in tree.walk() {
        match step {
            Step::Enter(at) => {
                stack.push_str(&names[tree.function_of(at)]);
                let own = tree.contexts()[at].own;
                if is_written(&tree, at) {
                    let _ = writeln!(text, "{stack} {own}");
                }
                stack.push(';');
            }
            Step::Leave(at) => stack.truncate(stack.len() - names[tree.function_of(at)].len() - 1),
        }
    }
    Ok(text)
}

/// Whether a context has a line. Where nothing was counted, the ends of the stacks have one: a file without stacks is
/// refused on reading.
fn is_written(tree: &Tree<'_>, at: usize) -> bool {
    let is_empty = tree.contexts()[0].total == 0;
    tree.contexts()[at].own > 0 || (is_empty && tree.is_leaf(at))
}

/// At most how long the text is.
fn length(tree: &Tree<'_>, names: &[String]) -> usize {
    let mut stack = 0;
    let mut length: usize = 0;
    for step in tree.walk() {
        match step {
            Step::Enter(at) => {
                stack += names[tree.function_of(at)].len() + 1;
                if is_written(tree, at) {
                    length = length.saturating_add(stack + TAIL);
                }
            }
            Step::Leave(at) => stack -= names[tree.function_of(at)].len() + 1,
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::small as testing;

    #[test]
    fn stacks_carry_the_own_sends() {
        let text = folded(&testing::example()).unwrap();
        assert_eq!(
            text,
            "run;a.st 3\n\
             run;a.st;A>>each: 2\n\
             run;a.st;A>>each:;[] in a.st 5\n\
             run;a.st;A>>each:;[] in a.st;A>>leaf 4\n\
             run;a.st;A>>leaf 1\n"
        );
    }

    #[test]
    fn semicolons_in_names_do_not_split_stacks() {
        let mut profile = testing::example();
        profile.methods[2].name = "a;b\nc".to_string();
        let text = folded(&profile).unwrap();
        assert!(text.contains("run;a.st;a,b c 1\n"), "{text}");
    }

    #[test]
    fn a_deep_tree_is_refused_before_it_fills_memory() {
        let deep = testing::chain(100_000);
        assert!(matches!(folded(&deep), Err(ExportError::TooLarge(_))));
        assert_eq!(folded(&testing::chain(500)).unwrap().lines().count(), 500);
    }
}
