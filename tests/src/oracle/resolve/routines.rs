//! The routines of methods, of code outside of classes, and of scripts.

use std::rc::Rc;

use tally_compiler::ast::{self, Body, ExprKind, Item, Literal, Statement};

use super::Resolver;
use crate::oracle::code::{Code, FrameKind, Method, N, Node, Quick, Routine, SourceFile};
use crate::oracle::names::{Name, name, unscoped};
use crate::oracle::value::{ClassId, Value};
use crate::oracle::world::World;

impl World {
    /// The method's code, resolved at the first use.
    pub(crate) fn routine(&self, method: &Method) -> Rc<Routine> {
        let make = || Rc::new(self.resolve_method(method));
        method.routine.get_or_init(make).clone()
    }

    fn resolve_method(&self, method: &Method) -> Routine {
        let Code::Method(tree) = &method.code else {
            return Routine {
                parameters: 0,
                slots: 0,
                body: Rc::new(Node::Constant(Value::Nil)),
                quick: None,
            };
        };
        let mut resolver = Resolver::new(self, Some(method.holder), false, &[]);
        resolver.open(tree.parameters.iter());
        let body = resolver.body(&tree.body);
        let slots = resolver.close();
        let is_special = method.primitive.is_some() || method.frame != FrameKind::Ordinary;
        let quick = if is_special {
            None
        } else {
            quick(&body, tree.parameters.len())
        };
        Routine {
            parameters: tree.parameters.len(),
            slots,
            body,
            quick,
        }
    }

    /// Code outside of classes, or the initial value of a class variable.
    pub(crate) fn resolve_body(
        &self,
        class: Option<ClassId>,
        body: &Body,
        foreseen: &[Name],
    ) -> Routine {
        let mut resolver = Resolver::new(self, class, true, foreseen);
        resolver.open(std::iter::empty());
        let body = resolver.body(body);
        Routine {
            parameters: 0,
            slots: resolver.close(),
            body,
            quick: None,
        }
    }

    /// A file's script: its statements and definitions in the order of the text.
    pub(crate) fn resolve_script(
        &self,
        tree: &ast::File,
        file: &Rc<SourceFile>,
        holder: ClassId,
    ) -> Routine {
        let foreseen = foreseen(tree);
        let mut resolver = Resolver::new(self, None, true, &foreseen);
        resolver.open(std::iter::empty());
        let mut steps: Vec<N> = Vec::new();
        for item in &tree.items {
            match item {
                Item::Temporaries(names) => resolver.declare(names),
                Item::Statement(statement) => steps.push(resolver.statement(statement)),
                Item::Eval { body, span } => {
                    let routine = self.resolve_body(None, body, &foreseen);
                    let piece = Method::piece(holder, *span, file, routine);
                    steps.push(Rc::new(Node::Evaluate(piece, None)));
                }
                _ => steps.push(Rc::new(Node::Define(Rc::new(item.clone())))),
            }
        }
        Routine {
            parameters: 0,
            slots: resolver.close(),
            body: Rc::new(Node::Statements(steps)),
            quick: None,
        }
    }
}

/// Names of the classes that a file defines, by syntax or by message, and of globals that it puts.
fn foreseen(tree: &ast::File) -> Vec<Name> {
    let mut found = Vec::new();
    for item in &tree.items {
        match item {
            Item::Class(class) => found.push(name(unscoped(&class.name.text))),
            Item::Statement(Statement::Expression(expr)) => {
                if let ExprKind::Send { message, .. } = &expr.kind
                    && let Some(ExprKind::Literal(Literal::Symbol(text))) =
                        message.arguments.first().map(|one| &one.kind)
                    && (message.selector == "at:put:" || message.selector.starts_with("subclass:"))
                {
                    found.push(name(text));
                }
            }
            _ => {}
        }
    }
    found
}

/// A method is quick when its body is `^self`, `^literal`, `^ivar` or `ivar := arg`.
fn quick(body: &N, parameters: usize) -> Option<Quick> {
    let Node::Statements(statements) = &**body else {
        return None;
    };
    match statements.as_slice() {
        [] => Some(Quick::Receiver),
        [only] => match &**only {
            Node::Return(value) => match &**value {
                Node::Receiver => Some(Quick::Receiver),
                Node::Constant(_) | Node::Literal(..) => Some(Quick::Value(value.clone())),
                Node::Field(slot) => Some(Quick::Load(*slot)),
                _ => None,
            },
            Node::SetField(slot, value) if parameters == 1 => match &**value {
                Node::Local(place) if place.slot == 0 => Some(Quick::Store(*slot)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
