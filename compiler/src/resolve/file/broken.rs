//! The classes of packages whose definitions do not compile, and those that need one of them.

use hashbrown::{HashMap, HashSet};

use super::{FileResolver, Task};
use crate::diagnostics::Diagnostic;
use crate::resolve::left_out::Reason;
use crate::resolve::world::{World, unscoped};
use crate::syntax::ast::{self, Item};

/// A parsed file as the search for broken classes sees it.
#[derive(Clone, Copy)]
pub(crate) struct Parsed<'p> {
    pub(crate) name: &'p str,
    pub(crate) source: &'p str,
    pub(crate) tree: &'p ast::File,
    pub(crate) errors: &'p [Diagnostic],
    /// Whether its definitions may be left out.
    pub(crate) forgives: bool,
}

/// Leaves classes of the world out: those with a broken definition, and those that need one of them.
pub(crate) fn leave_out(world: &mut World<'_>, files: &[Parsed<'_>]) {
    let forgiving = || files.iter().enumerate().filter(|(_, file)| file.forgives);
    let mut definitions: HashMap<&str, usize> = HashMap::new();
    let mut needed_by: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    let mut waiting = Vec::new();
    for (number, file) in forgiving() {
        for (index, item) in file.tree.items.iter().enumerate() {
            let Item::Class(class) = item else { continue };
            *definitions.entry(unscoped(&class.name.text)).or_default() += 1;
            let traits = class
                .traits
                .iter()
                .chain(class.class_traits.iter().flatten());
            let needed = traits.map(|one| &one.name).chain([&class.superclass]);
            for name in needed {
                let users = needed_by.entry(unscoped(&name.text)).or_default();
                users.push((number, index));
            }
            waiting.push((number, index));
        }
    }
    for (_, file) in forgiving() {
        unreadable(world, file, &definitions);
    }
    let mut broken = HashSet::new();
    while !waiting.is_empty() {
        let mut next = Vec::new();
        for (number, name, index, error) in broken_headers(world, files, &waiting) {
            if !broken.insert((number, index)) || error.code == "E0213" {
                continue;
            }
            // The class exists if one of its definitions can be made.
            let left = definitions.get_mut(name.as_str());
            let is_last = left.is_none_or(|left| {
                *left = left.saturating_sub(1);
                *left == 0
            });
            if is_last {
                world.leave_out(&name, Reason::of(&error));
                let users = needed_by.get(name.as_str()).into_iter().flatten();
                next.extend(users.copied());
            }
        }
        next.retain(|place| !broken.contains(place));
        waiting = next;
    }
}

/// The class of a file whose definition could not be read, if its methods name it.
fn unreadable(world: &mut World<'_>, file: &Parsed<'_>, definitions: &HashMap<&str, usize>) {
    let Some(error) = file.errors.iter().find(|one| one.is_error()) else {
        return;
    };
    for item in &file.tree.items {
        let Item::Method(placed) = item else { continue };
        let name = unscoped(&placed.class.text);
        if file.tree.of_package && !definitions.contains_key(name) && !world.is_class(name) {
            world.leave_out(name, Reason::of(error));
        }
    }
}

/// The classes among the items at these places, by file and index, whose definitions have errors: each with its file,
/// name, index and first error.
fn broken_headers(
    world: &World<'_>,
    files: &[Parsed<'_>],
    places: &[(usize, usize)],
) -> Vec<(usize, String, usize, Diagnostic)> {
    let mut broken = Vec::new();
    for &(number, index) in places {
        let file = &files[number];
        let Item::Class(class) = &file.tree.items[index] else {
            continue;
        };
        let mut resolver = FileResolver::new(Task {
            world,
            number,
            name: file.name,
            source: file.source,
            tree: file.tree,
            session: None,
            forgiven: Some(file.errors),
        });
        let error = resolver.broken_header(class).or_else(|| {
            resolver.header(class);
            let found = resolver.context.diagnostics.iter();
            found
                .filter(|one| one.is_error())
                .min_by_key(|one| one.span.start)
                .cloned()
        });
        let name = unscoped(&class.name.text).to_owned();
        broken.extend(error.map(|error| (number, name, index, error)));
    }
    broken
}
