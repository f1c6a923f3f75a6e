//! The order in which the compiled files of packages are loaded, and the classes that are initialised afterwards.
//!
//! The counting model fixes the order. Packages come in the order of the command line. Within a package superclasses
//! come first, then names decide. A definition that needs one of a later package waits for it. Nothing is read or run
//! here.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};
use tally_vm::bytecode::{ClassDefinition, Code, Definition, GlobalRef, MethodDefinition, Unit};

/// A package whose files are to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Index of the command line argument that it came with. One argument may be a folder of packages. Packages of one
    /// argument are ordered by their dependencies.
    pub argument: usize,
}

/// A compiled file of a package.
#[derive(Clone, Copy, Debug)]
pub struct PackageUnit<'u> {
    /// The package's index.
    pub package: usize,
    /// The file.
    pub unit: &'u Unit,
}

/// The answer: what to do in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOrder {
    /// Indices of the files.
    pub units: Vec<usize>,
    /// The packages in their order. Each has the classes that get `initialize`, in the order of the sends.
    pub initialised: Vec<(usize, Vec<String>)>,
}

/// The definitions of a file and the definitions that it needs.
#[derive(Default)]
struct Contents<'u> {
    classes: Vec<&'u str>,
    needs: HashSet<&'u str>,
}

impl<'u> Contents<'u> {
    fn of(unit: &'u Unit) -> Contents<'u> {
        let mut contents = Contents::default();
        for definition in &unit.definitions {
            match definition {
                Definition::Class(class) => {
                    contents.classes.push(&class.name);
                    contents.needs.extend(class.superclass.as_deref());
                    let uses = class
                        .traits
                        .iter()
                        .chain(class.class_traits.iter().flatten());
                    contents.needs.extend(uses.map(|one| one.name.as_str()));
                    contents
                        .needs
                        .extend(class.pools.iter().map(String::as_str));
                }
                Definition::Extension { class, .. } => {
                    contents.needs.insert(class);
                }
                Definition::Evaluation { .. } => {}
            }
        }
        contents
    }
}

/// The order in which the files of packages are to be loaded.
pub fn load_order(packages: &[Package], units: &[PackageUnit<'_>]) -> LoadOrder {
    let contents: Vec<Contents<'_>> = units.iter().map(|one| Contents::of(one.unit)).collect();
    let mut brought_by: HashMap<&str, usize> = HashMap::new();
    for (index, one) in contents.iter().enumerate() {
        for class in &one.classes {
            brought_by.entry(class).or_insert(index);
        }
    }
    let needed = |index: usize| {
        let files = contents[index]
            .needs
            .iter()
            .filter_map(|class| brought_by.get(class));
        files.copied().filter(move |&other| other != index)
    };
    let ranks = package_ranks(packages, |see| {
        for (index, unit) in units.iter().enumerate() {
            needed(index).for_each(|other| see(unit.package, units[other].package));
        }
    });
    let keys: Vec<_> = (0..units.len())
        .map(|index| {
            let unit = units[index];
            let first = contents[index].classes.first().copied();
            let name = first.unwrap_or(unit.unit.name.as_str());
            (ranks[unit.package], first.is_none(), name, index)
        })
        .collect();
    let order = sorted(&keys, |see| {
        for index in 0..units.len() {
            needed(index).for_each(|other| see(index, other));
        }
    });
    let mut packages_in_order: Vec<usize> = (0..packages.len()).collect();
    packages_in_order.sort_by_key(|&package| ranks[package]);
    let initialised = packages_in_order
        .into_iter()
        .map(|package| (package, initialised(package, units, &order)))
        .collect();
    LoadOrder {
        units: order,
        initialised,
    }
}

/// The place of each package among all.
fn package_ranks(packages: &[Package], edges: impl Fn(&mut dyn FnMut(usize, usize))) -> Vec<usize> {
    let keys: Vec<_> = packages
        .iter()
        .map(|package| (package.argument, package.name.as_str()))
        .collect();
    let order = sorted(&keys, |see| {
        edges(&mut |package, other| {
            // The order of the command line is kept, because the user chose it.
            if package != other && packages[package].argument == packages[other].argument {
                see(package, other);
            }
        });
    });
    let mut ranks = vec![0; packages.len()];
    for (rank, package) in order.into_iter().enumerate() {
        ranks[package] = rank;
    }
    ranks
}

/// The indices by key, but each behind the indices that it needs. `edges` shows pairs of an index and one that it
/// needs. In a circle the smallest key comes first.
fn sorted<K: Ord + Clone>(keys: &[K], edges: impl Fn(&mut dyn FnMut(usize, usize))) -> Vec<usize> {
    let mut waiting_for: Vec<HashSet<usize>> = vec![HashSet::new(); keys.len()];
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); keys.len()];
    edges(&mut |index, needed| {
        if waiting_for[index].insert(needed) {
            needed_by[needed].push(index);
        }
    });
    let mut ready: BinaryHeap<Reverse<(K, usize)>> = (0..keys.len())
        .filter(|&index| waiting_for[index].is_empty())
        .map(|index| Reverse((keys[index].clone(), index)))
        .collect();
    let mut by_key: Vec<usize> = (0..keys.len()).collect();
    by_key.sort_by_key(|&index| (&keys[index], index));
    let mut in_circles = by_key.into_iter();
    let mut done = vec![false; keys.len()];
    let mut order = Vec::with_capacity(keys.len());
    while order.len() < keys.len() {
        let next = match ready.pop() {
            Some(Reverse((_, next))) => next,
            None => match in_circles.find(|&index| !done[index]) {
                Some(next) => next,
                None => break,
            },
        };
        if std::mem::replace(&mut done[next], true) {
            continue;
        }
        order.push(next);
        for &waiting in &needed_by[next] {
            waiting_for[waiting].remove(&next);
            if waiting_for[waiting].is_empty() && !done[waiting] {
                ready.push(Reverse((keys[waiting].clone(), waiting)));
            }
        }
    }
    order
}

/// The classes that the package defines, with an `initialize` of their class sides in it. A class comes behind its
/// superclasses and the other classes that its `initialize` names, and otherwise in the order of the definitions.
fn initialised(package: usize, units: &[PackageUnit<'_>], order: &[usize]) -> Vec<String> {
    let definitions = || {
        let own = order.iter().map(|&index| &units[index]);
        let own = own.filter(|one| one.package == package);
        own.flat_map(|one| &one.unit.definitions)
    };
    let mut initialising: HashMap<&str, &Code> = HashMap::new();
    let mut above: HashMap<&str, &str> = HashMap::new();
    for definition in definitions() {
        let (Definition::Class(ClassDefinition { methods, .. })
        | Definition::Extension { methods, .. }) = definition
        else {
            continue;
        };
        if let Definition::Class(class) = definition {
            let pair = class
                .superclass
                .as_deref()
                .map(|name| (class.name.as_str(), name));
            above.extend(pair);
        }
        let is_initialize =
            |method: &&MethodDefinition| method.class_side && method.code.selector == "initialize";
        let found = methods.iter().filter(is_initialize);
        initialising.extend(found.map(|method| (method.class.as_str(), &method.code)));
    }
    let classes: Vec<&str> = definitions()
        .filter_map(|definition| match definition {
            Definition::Class(class) if !class.is_trait => Some(class.name.as_str()),
            _ => None,
        })
        .filter(|name| initialising.contains_key(name))
        .collect();
    let places: HashMap<&str, usize> = classes.iter().copied().zip(0..).collect();
    let keys: Vec<usize> = (0..classes.len()).collect();
    let order = sorted(&keys, |see| {
        for (index, &class) in classes.iter().enumerate() {
            let named = initialising[class].globals.iter();
            let named = named.filter_map(|global| match global {
                GlobalRef::Global(name) => Some(name.as_str()),
                GlobalRef::ClassVariable { .. } => None,
            });
            let named = named.filter(|name| !superclasses(&above, name).contains(&class));
            let others = named.chain(superclasses(&above, class));
            let others = others.filter_map(|name| places.get(name).copied());
            others
                .filter(|&other| other != index)
                .for_each(|other| see(index, other));
        }
    });
    let named = order.into_iter().map(|index| classes[index].to_owned());
    named.collect()
}

/// The superclasses of a class, as far as a package defines them.
fn superclasses<'u>(above: &HashMap<&'u str, &'u str>, class: &str) -> Vec<&'u str> {
    let mut found = Vec::new();
    let mut next = above.get(class).copied();
    while let Some(name) = next.filter(|name| !found.contains(name)) {
        found.push(name);
        next = above.get(name).copied();
    }
    found
}
