//! The declarations of the files that are compiled together, on top of the environment: classes, globals and selectors.
//! They are gathered from all trees before the first tree is resolved, so that a method may mention a class of a later
//! file. The bodies of methods are not read here.

mod declare;

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::left_out::Reason;
use super::nearest::nearest;
use crate::environment::{ClassShape, Environment, extend};

/// Where a declaration stands: the file's number, the byte.
pub(crate) type Position = (usize, u32);

/// A class as the files declare it.
#[derive(Debug, Default)]
struct Declared {
    /// The location of its definition; `None` if the files only extend it.
    defined_at: Option<Position>,
    shape: ClassShape,
    /// The selectors of the methods in the files: of the instances, of the class.
    methods: [HashSet<String>; 2],
}

/// The names that a method of one side of a class sees, apart from its own and the globals.
#[derive(Debug, Default)]
pub(crate) struct ClassScope {
    /// Instance variables, inherited ones included; the class's own ones on the class side.
    pub(crate) instance_variables: HashSet<String>,
    /// Class variables with the classes that declare them.
    pub(crate) class_variables: HashMap<String, String>,
    /// The selectors of the methods in the files, with the classes that implement them.
    pub(crate) methods: HashMap<String, String>,
}

/// The environment and the declarations of the files.
pub(crate) struct World<'e> {
    environment: &'e dyn Environment,
    /// Whether a run may add classes and globals that the compiler does not know yet. Then no name is unknown, no
    /// selector is misspelled, and the resolver warns of nothing.
    pub(crate) is_open: bool,
    classes: HashMap<String, Declared>,
    globals: HashMap<String, Position>,
    selectors: HashSet<String>,
    files: Vec<String>,
    /// The classes that are left out, with the reasons.
    left_out: HashMap<String, Reason>,
    hints: RefCell<Hints>,
}

/// The results of searches for hints.
#[derive(Default)]
struct Hints {
    /// The environment's selectors.
    library: Option<Vec<String>>,
    globals: Option<Vec<String>>,
    /// The selectors nearest to others.
    found: HashMap<String, Option<String>>,
}

impl<'e> World<'e> {
    /// Whether evaluations of inlined control messages are to be counted.
    pub(crate) fn counts_inlined(&self) -> bool {
        self.environment.counts_inlined()
    }

    /// Whether methods may bind every primitive that they name, and mark frames. Methods of the library may. A method
    /// of SOM names no primitive; its class and selector select one.
    pub(crate) fn binds_freely(&self) -> bool {
        self.is_open || self.environment.is_library()
    }

    /// The environment alone.
    pub(crate) fn new(environment: &'e dyn Environment) -> World<'e> {
        World {
            environment,
            is_open: false,
            classes: HashMap::new(),
            globals: HashMap::new(),
            selectors: HashSet::new(),
            files: Vec::new(),
            left_out: HashMap::new(),
            hints: RefCell::default(),
        }
    }

    /// The environment alone, with more to come as the program runs.
    pub(crate) fn open(environment: &'e dyn Environment) -> World<'e> {
        World {
            is_open: true,
            ..World::new(environment)
        }
    }

    /// Whether there is a global of this name, or will be.
    pub(crate) fn is_global(&self, name: &str) -> bool {
        self.globals.contains_key(name)
            || self.is_class(name)
            || self.left_out.contains_key(name)
            || self.environment.is_global(name)
    }

    /// Whether there is a class of this name, or will be.
    pub(crate) fn is_class(&self, name: &str) -> bool {
        self.classes
            .get(name)
            .is_some_and(|declared| declared.defined_at.is_some())
            || self.environment.class(name).is_some()
    }

    /// Leaves a class out. A class of the environment with this name stays as it is.
    pub(crate) fn leave_out(&mut self, name: &str, reason: Reason) {
        if self.environment.class(name).is_some() {
            self.classes.remove(name);
        } else if !self.left_out.contains_key(name) {
            self.left_out.insert(name.to_owned(), reason);
        }
    }

    /// Why the class of this name is left out, if it is.
    pub(crate) fn left_out(&self, name: &str) -> Option<&Reason> {
        self.left_out.get(name)
    }

    /// Where a global begins to exist, if the environment does not have it yet.
    pub(crate) fn defined_at(&self, name: &str) -> Option<Position> {
        if self.environment.is_global(name) {
            return None;
        }
        let class = self
            .classes
            .get(name)
            .and_then(|declared| declared.defined_at);
        let global = self.globals.get(name).copied();
        class.into_iter().chain(global).min()
    }

    /// The file that defines a class of the files first, if it is not this file or not at this location.
    pub(crate) fn other_definition(&self, name: &str, position: Position) -> Option<&str> {
        let first = self.classes.get(name)?.defined_at?;
        (first != position).then(|| self.files.get(first.0).map_or("", String::as_str))
    }

    pub(crate) fn is_trait(&self, name: &str) -> bool {
        match self.classes.get(name) {
            Some(declared) if declared.defined_at.is_some() => declared.shape.is_trait,
            _ => self
                .environment
                .class(name)
                .is_some_and(|shape| shape.is_trait),
        }
    }

    /// The way from a class by its superclasses back to itself, if there is one.
    pub(crate) fn circle(&self, name: &str) -> Option<Vec<String>> {
        let mut way = vec![name.to_owned()];
        let mut seen = HashSet::new();
        let mut above = self.classes.get(name)?.shape.superclass.clone();
        while let Some(next) = above {
            way.push(next.clone());
            if next == name {
                return Some(way);
            }
            if !seen.insert(next.clone()) {
                return None;
            }
            above = self.classes.get(&next)?.shape.superclass.clone();
        }
        None
    }

    /// Whether a trait uses itself, directly or through others.
    pub(crate) fn uses_itself(&self, name: &str) -> bool {
        let mut waiting = vec![name];
        let mut seen = HashSet::new();
        while let Some(next) = waiting.pop() {
            let Some(declared) = self.classes.get(next) else {
                continue;
            };
            let shape = &declared.shape;
            for (used, _) in shape.traits.iter().chain(&shape.class_traits) {
                if used == name {
                    return true;
                }
                if seen.insert(used) {
                    waiting.push(used);
                }
            }
        }
        false
    }

    /// Whether some class implements the selector.
    pub(crate) fn understands(&self, selector: &str) -> bool {
        self.selectors.contains(selector) || self.environment.understands(selector)
    }

    /// The implemented selector that is nearest to an unimplemented one and has as many arguments.
    pub(crate) fn nearest_selector(&self, selector: &str) -> Option<String> {
        let mut hints = self.hints.borrow_mut();
        let Hints { library, found, .. } = &mut *hints;
        if let Some(known) = found.get(selector) {
            return known.clone();
        }
        let library = library.get_or_insert_with(|| self.environment.selectors());
        let all = library.iter().chain(&self.selectors).map(String::as_str);
        let arity = arity(selector);
        let near = nearest(
            selector,
            all.filter(|candidate| self::arity(candidate) == arity),
        );
        found.insert(selector.to_owned(), near.clone());
        near
    }

    /// The global nearest to an unknown name, or one of `others`.
    pub(crate) fn nearest_name(&self, name: &str, others: &[&str]) -> Option<String> {
        let mut hints = self.hints.borrow_mut();
        let library = hints
            .globals
            .get_or_insert_with(|| self.environment.globals());
        let declared = self
            .classes
            .iter()
            .filter(|(_, declared)| declared.defined_at.is_some())
            .map(|(name, _)| name)
            .chain(self.globals.keys())
            .chain(library.iter());
        nearest(
            name,
            declared.map(String::as_str).chain(others.iter().copied()),
        )
    }

    /// The shape of a class: its definition in the files, or the environment's with the files'
    /// extensions.
    fn shape(&self, name: &str) -> Option<ClassShape> {
        let Some(declared) = self.classes.get(name) else {
            return self.environment.class(name);
        };
        if declared.defined_at.is_some() {
            return Some(declared.shape.clone());
        }
        let mut shape = self.environment.class(name)?;
        extend(
            &mut shape.instance_variables,
            &declared.shape.instance_variables,
        );
        extend(
            &mut shape.class_instance_variables,
            &declared.shape.class_instance_variables,
        );
        extend(&mut shape.class_variables, &declared.shape.class_variables);
        Some(shape)
    }

    /// The names that one side of a class sees.
    pub(crate) fn class_scope(&self, class: &str, class_side: bool) -> Rc<ClassScope> {
        let mut scope = ClassScope::default();
        self.walk_up(class, |name, shape| {
            let (own, traits) = if class_side {
                (shape.class_instance_variables, shape.class_traits)
            } else {
                (shape.instance_variables, shape.traits)
            };
            scope.instance_variables.extend(own);
            self.add_trait_variables(traits, &mut scope.instance_variables);
            for pool in &shape.pools {
                self.walk_up(unscoped(pool), |name, shape| {
                    for variable in shape.class_variables {
                        let entry = scope.class_variables.entry(variable);
                        entry.or_insert_with(|| name.to_owned());
                    }
                });
            }
            for variable in shape.class_variables {
                scope
                    .class_variables
                    .entry(variable)
                    .or_insert_with(|| name.to_owned());
            }
            for selector in self.methods(name, class_side) {
                let entry = scope.methods.entry(selector.clone());
                entry.or_insert_with(|| name.to_owned());
            }
        });
        if class_side {
            // A metaclass without a superclass inherits from Class, and so do all below it.
            self.walk_up("Class", |_, shape| {
                scope.instance_variables.extend(shape.instance_variables);
            });
        }
        Rc::new(scope)
    }

    /// The selectors of the methods that the files give a class.
    fn methods(&self, class: &str, class_side: bool) -> impl Iterator<Item = &String> {
        let declared = self.classes.get(class).into_iter();
        declared.flat_map(move |declared| &declared.methods[usize::from(class_side)])
    }

    /// Whether the files implement the selector.
    pub(crate) fn declares(&self, selector: &str) -> bool {
        self.selectors.contains(selector)
    }

    /// Adds the variables of traits, and of the traits that they use.
    fn add_trait_variables(&self, traits: Vec<(String, bool)>, variables: &mut HashSet<String>) {
        let mut waiting = traits;
        let mut seen = HashSet::new();
        while let Some((name, class_side)) = waiting.pop() {
            let Some(shape) = self.shape(&name) else {
                continue;
            };
            if !seen.insert((name, class_side)) {
                continue;
            }
            if class_side {
                variables.extend(shape.class_instance_variables);
                waiting.extend(shape.class_traits);
            } else {
                variables.extend(shape.instance_variables);
                waiting.extend(shape.traits);
            }
        }
    }

    /// The instance variables that a class inherits.
    pub(crate) fn inherited_variables(&self, superclass: Option<&str>) -> HashSet<String> {
        let mut inherited = HashSet::new();
        if let Some(superclass) = superclass {
            self.walk_up(superclass, |_, shape| {
                inherited.extend(shape.instance_variables)
            });
        }
        inherited
    }

    /// Shows the class and all above it; a cycle, which the machine will refuse, ends the walk.
    fn walk_up(&self, class: &str, mut see: impl FnMut(&str, ClassShape)) {
        let mut seen = HashSet::new();
        let mut next = Some(class.to_owned());
        while let Some(name) = next {
            let Some(mut shape) = self.shape(&name) else {
                return;
            };
            if !seen.insert(name.clone()) {
                return;
            }
            next = shape.superclass.take();
            see(&name, shape);
        }
    }
}

/// A global's name without the namespaces in front of it: there is one namespace.
pub(crate) fn unscoped(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The number of arguments that a selector takes.
fn arity(selector: &str) -> usize {
    if selector.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        selector.matches(':').count()
    } else {
        1
    }
}
