//! The declarations of the files that are compiled together, on top of the environment: classes, globals and selectors.
//! They are gathered from all trees before the first tree is resolved, so that a method may mention a class of a later
//! file. The bodies of methods are not read here.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::nearest::nearest;
use crate::environment::{ClassShape, Environment, extend};
use crate::syntax::ast::{
    self, Body, ClassDefinition, Expr, ExprKind, Item, Literal, Member, Message, Statement,
    TraitChange, TraitUse,
};
use crate::syntax::traits;

/// Where a declaration stands: the file's number, the byte.
pub(crate) type Position = (usize, u32);

/// A class as the files declare it.
#[derive(Debug, Default)]
struct Declared {
    /// The location of its definition; `None` if the files only extend it.
    defined_at: Option<Position>,
    shape: ClassShape,
}

/// The names that a method of one side of a class sees, apart from its own and the globals.
#[derive(Debug, Default)]
pub(crate) struct ClassScope {
    /// Instance variables, inherited ones included; the class's own ones on the class side.
    pub(crate) instance_variables: HashSet<String>,
    /// Class variables with the classes that declare them.
    pub(crate) class_variables: HashMap<String, String>,
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

    /// Adds the declarations of a file.
    pub(crate) fn declare(&mut self, file: usize, name: &str, tree: &ast::File) {
        self.files.push(name.to_owned());
        for item in &tree.items {
            match item {
                Item::Temporaries(_) => {}
                Item::Statement(statement) => self.declare_by_statement(file, statement),
                Item::Class(class) => self.declare_class(file, class),
                Item::Extend(extension) => {
                    let class = &extension.class.text;
                    self.declare_members(class, extension.class_side, &extension.members);
                }
                Item::Method(placed) => self.declare_selector(&placed.method.selector.text),
                Item::Eval { body, .. } => self.declare_by_body(file, body),
            }
        }
    }

    fn declare_class(&mut self, file: usize, class: &ClassDefinition) {
        let name = unscoped(&class.name.text);
        let superclass = unscoped(&class.superclass.text);
        let superclass = (superclass != "nil").then(|| superclass.to_owned());
        let declared = self.define(name, superclass, (file, class.name.span.start));
        let pairs = |uses: &[ast::TraitUse]| -> Vec<(String, bool)> {
            let pairs = uses
                .iter()
                .map(|one| (one.name.text.clone(), one.class_side));
            pairs.collect()
        };
        declared.shape.is_trait = class.is_trait;
        declared.shape.traits = pairs(&class.traits);
        declared.shape.class_traits = match &class.class_traits {
            Some(uses) => pairs(uses),
            None => class
                .traits
                .iter()
                .map(|one| (one.name.text.clone(), true))
                .collect(),
        };
        declared.shape.pools = texts(&class.pools);
        self.declare_aliases(
            class
                .traits
                .iter()
                .chain(class.class_traits.iter().flatten()),
        );
        self.declare_members(name, false, &class.members);
    }

    fn define(
        &mut self,
        name: &str,
        superclass: Option<String>,
        position: Position,
    ) -> &mut Declared {
        let declared = self.classes.entry(name.to_owned()).or_default();
        if declared.defined_at.is_none_or(|earlier| position < earlier) {
            declared.defined_at = Some(position);
        }
        declared.shape.superclass = superclass;
        declared
    }

    fn declare_members(&mut self, class: &str, class_side: bool, members: &[Member]) {
        let name = unscoped(class).to_owned();
        for member in members {
            match member {
                Member::Method(method) => self.declare_selector(&method.selector.text),
                Member::Placed(placed) => self.declare_selector(&placed.method.selector.text),
                Member::Pragma(pragma) => self.declare_uses(&name, pragma),
                Member::InstanceVariables(names) => {
                    let shape = &mut self.classes.entry(name.clone()).or_default().shape;
                    let variables = if class_side {
                        &mut shape.class_instance_variables
                    } else {
                        &mut shape.instance_variables
                    };
                    extend(variables, &texts(names));
                }
                Member::ClassInstanceVariables(names) => {
                    let shape = &mut self.classes.entry(name.clone()).or_default().shape;
                    extend(&mut shape.class_instance_variables, &texts(names));
                }
                Member::ClassVariable { name: variable, .. } => {
                    let shape = &mut self.classes.entry(name.clone()).or_default().shape;
                    extend(
                        &mut shape.class_variables,
                        std::slice::from_ref(&variable.text),
                    );
                }
            }
        }
    }

    /// `<uses: TFoo>` in the body of a class.
    fn declare_uses(&mut self, class: &str, pragma: &ast::Pragma) {
        let side = match pragma.selector.as_str() {
            "uses:" => false,
            "classUses:" => true,
            _ => return,
        };
        let Some(Literal::Symbol(text) | Literal::String(text)) = pragma.arguments.first() else {
            return;
        };
        let Ok(uses) = traits::read(text, pragma.span) else {
            return;
        };
        self.declare_aliases(uses.iter());
        let shape = &mut self.classes.entry(class.to_owned()).or_default().shape;
        let named = uses.into_iter().map(|one| (one.name.text, one.class_side));
        if side {
            shape.class_traits = named.collect();
        } else {
            shape.traits = named.collect();
            shape.class_traits = shape
                .traits
                .iter()
                .map(|(name, _)| (name.clone(), true))
                .collect();
        }
    }

    /// The second names that compositions give.
    fn declare_aliases<'u>(&mut self, uses: impl Iterator<Item = &'u TraitUse>) {
        self.selectors.extend(uses.flat_map(aliases));
    }

    fn declare_selector(&mut self, selector: &str) {
        if !self.selectors.contains(selector) {
            self.selectors.insert(selector.to_owned());
        }
    }

    fn declare_by_body(&mut self, file: usize, body: &Body) {
        for statement in &body.statements {
            self.declare_by_statement(file, statement);
        }
    }

    fn declare_by_statement(&mut self, file: usize, statement: &Statement) {
        self.declare_by_expression(file, statement.expression());
    }

    /// Messages can define classes and globals too. Their names can only be read from literal arguments.
    fn declare_by_expression(&mut self, file: usize, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign { value, .. } => self.declare_by_expression(file, value),
            ExprKind::Send { receiver, message } => {
                self.declare_by_expression(file, receiver);
                self.declare_by_message(file, receiver, message);
            }
            ExprKind::Cascade { receiver, messages } => {
                self.declare_by_expression(file, receiver);
                for message in messages {
                    self.declare_by_message(file, receiver, message);
                }
            }
            ExprKind::Block(block) => self.declare_by_body(file, &block.body),
            ExprKind::Brace(elements) => {
                for element in elements {
                    self.declare_by_expression(file, element);
                }
            }
            ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Error => {}
        }
    }

    fn declare_by_message(&mut self, file: usize, receiver: &Expr, message: &Message) {
        for argument in &message.arguments {
            self.declare_by_expression(file, argument);
        }
        let position = (file, message.selector_span.start);
        let Some(named) = message.arguments.first().and_then(symbol_of) else {
            return;
        };
        let parts: Vec<&str> = message.selector.split_inclusive(':').collect();
        let is_trait = parts[0] == "named:" && variable_of(receiver) == Some("Trait");
        match parts[0] {
            "at:" if variable_of(receiver) == Some("Smalltalk") && parts.len() == 2 => {
                self.globals.entry(named.to_owned()).or_insert(position);
            }
            "<<" => {
                let superclass = variable_of(receiver).map(|name| unscoped(name).to_owned());
                self.define(named, superclass, position);
            }
            "instanceVariableNames:" => {
                if let Some(class) = class_of(receiver) {
                    let shape = &mut self.classes.entry(class.to_owned()).or_default().shape;
                    extend(&mut shape.class_instance_variables, &words(named));
                }
            }
            "addInstVarName:" | "addInstVarNamed:" | "addClassVarName:" | "addClassVarNamed:" => {
                if let Some(class) = variable_of(receiver) {
                    let shape = &mut self
                        .classes
                        .entry(unscoped(class).to_owned())
                        .or_default()
                        .shape;
                    let is_class_variable = parts[0].starts_with("addClass");
                    let variables = if is_class_variable {
                        &mut shape.class_variables
                    } else {
                        &mut shape.instance_variables
                    };
                    extend(variables, &words(named));
                }
            }
            part if part == "subclass:" || part.ends_with("Subclass:") || is_trait => {
                let superclass = variable_of(receiver).map(|name| unscoped(name).to_owned());
                let superclass = superclass.filter(|_| !is_trait);
                let declared = self.define(named, superclass, position);
                declared.shape.is_trait = is_trait;
                let mut named_anew = Vec::new();
                for (keyword, argument) in parts.iter().zip(&message.arguments).skip(1) {
                    let names = names_of(argument);
                    match *keyword {
                        "instanceVariableNames:" | "slots:" => {
                            extend(&mut declared.shape.instance_variables, &names);
                        }
                        "classVariableNames:" | "classVariables:" | "sharedVariables:" => {
                            extend(&mut declared.shape.class_variables, &names);
                        }
                        "uses:" => {
                            let uses = traits::composition(argument).unwrap_or_default();
                            named_anew.extend(uses.iter().flat_map(aliases));
                            let named = |one: TraitUse| (one.name.text, one.class_side);
                            declared.shape.traits = uses.into_iter().map(named).collect();
                            let class_side = declared.shape.traits.iter();
                            declared.shape.class_traits =
                                class_side.map(|(name, _)| (name.clone(), true)).collect();
                        }
                        _ => {}
                    }
                }
                self.selectors.extend(named_anew);
            }
            _ => {}
        }
    }

    /// Whether there is a global of this name, or will be.
    pub(crate) fn is_global(&self, name: &str) -> bool {
        self.globals.contains_key(name) || self.is_class(name) || self.environment.is_global(name)
    }

    /// Whether there is a class of this name, or will be.
    pub(crate) fn is_class(&self, name: &str) -> bool {
        self.classes
            .get(name)
            .is_some_and(|declared| declared.defined_at.is_some())
            || self.environment.class(name).is_some()
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
            .keys()
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
        });
        if class_side {
            // A metaclass without a superclass inherits from Class, and so do all below it.
            self.walk_up("Class", |_, shape| {
                scope.instance_variables.extend(shape.instance_variables);
            });
        }
        Rc::new(scope)
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

/// The second names that a composition gives to methods of a trait.
fn aliases(used: &TraitUse) -> impl Iterator<Item = String> {
    used.changes.iter().filter_map(|change| match change {
        TraitChange::Alias { alias, .. } => Some(alias.clone()),
        TraitChange::Exclude(_) => None,
    })
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

fn texts(names: &[ast::Name]) -> Vec<String> {
    names.iter().map(|name| name.text.clone()).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn symbol_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(Literal::Symbol(text) | Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// The names in `'a b'`, `#(a b)` or `{ #a. #b }`.
fn names_of(expr: &Expr) -> Vec<String> {
    match &expr.kind {
        ExprKind::Literal(Literal::Symbol(text) | Literal::String(text)) => words(text),
        ExprKind::Literal(Literal::Array(elements)) => elements
            .iter()
            .filter_map(|element| match element {
                Literal::Symbol(text) | Literal::String(text) => Some(text.clone()),
                _ => None,
            })
            .collect(),
        ExprKind::Brace(elements) => elements
            .iter()
            .filter_map(|element| symbol_of(element).map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

fn variable_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(name),
        _ => None,
    }
}

/// The class `Foo` of an expression `Foo class`.
fn class_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Send { receiver, message } if message.selector == "class" => {
            variable_of(receiver).map(unscoped)
        }
        _ => None,
    }
}
