//! Declarations: what the items of a file say about classes, globals and selectors, by syntax or by message.

use super::{Declared, Position, World, unscoped};
use crate::environment::{ClassShape, extend};
use crate::syntax::ast::{
    self, Body, ClassDefinition, Expr, ExprKind, Item, Literal, Member, Message, Statement,
    TraitChange, TraitUse,
};
use crate::syntax::traits;

impl World<'_> {
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
                Item::Method(placed) => self.declare_placed(placed),
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
                Member::Method(method) => {
                    self.declare_method(&name, class_side, &method.selector.text);
                }
                Member::Placed(placed) => self.declare_placed(placed),
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

    fn declare_placed(&mut self, placed: &ast::PlacedMethod) {
        let class = unscoped(&placed.class.text);
        self.declare_method(class, placed.class_side, &placed.method.selector.text);
    }

    fn declare_method(&mut self, class: &str, class_side: bool, selector: &str) {
        self.declare_selector(selector);
        if !self.is_open {
            let declared = self.classes.entry(class.to_owned()).or_default();
            declared.methods[usize::from(class_side)].insert(selector.to_owned());
        }
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
        let parts: Vec<&str> = message.selector.split_inclusive(':').collect();
        // `Object subclass: Animal.` is reported once, where it stands.
        let first = message.arguments.first();
        let bare = first.and_then(variable_of).filter(|name| {
            let is_class_like = name.starts_with(char::is_uppercase);
            parts[0] == "subclass:" && is_class_like && !self.is_class(name)
        });
        let Some(named) = first.and_then(symbol_of).or(bare) else {
            return;
        };
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
            part if part.to_lowercase().ends_with("subclass:") || is_trait => {
                let superclass = variable_of(receiver).map(|name| unscoped(name).to_owned());
                let superclass = superclass.filter(|_| !is_trait);
                let declared = self.define(named, superclass, position);
                declared.shape.is_trait = is_trait;
                let keywords = parts.iter().copied().zip(&message.arguments).skip(1);
                let uses = keywords.flat_map(|one| declare_part(&mut declared.shape, one));
                let uses: Vec<TraitUse> = uses.collect();
                self.declare_aliases(uses.iter());
            }
            _ => {}
        }
    }
}

/// One keyword of a message that defines a class, with its argument. Answers the traits that it uses.
fn declare_part(shape: &mut ClassShape, (keyword, argument): (&str, &Expr)) -> Vec<TraitUse> {
    match keyword {
        "instanceVariableNames:" | "slots:" => {
            extend(&mut shape.instance_variables, &names_of(argument));
        }
        "classVariableNames:" | "classVariables:" | "sharedVariables:" => {
            extend(&mut shape.class_variables, &names_of(argument));
        }
        "uses:" => {
            let uses = traits::composition(argument).unwrap_or_default();
            let named = |one: &TraitUse| (one.name.text.clone(), one.class_side);
            shape.traits = uses.iter().map(named).collect();
            let class_side = shape.traits.iter();
            shape.class_traits = class_side.map(|(name, _)| (name.clone(), true)).collect();
            return uses;
        }
        _ => {}
    }
    Vec::new()
}

/// The second names that a composition gives to methods of a trait.
fn aliases(used: &TraitUse) -> impl Iterator<Item = String> {
    used.changes.iter().filter_map(|change| match change {
        TraitChange::Alias { alias, .. } => Some(alias.clone()),
        TraitChange::Exclude(_) => None,
    })
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
