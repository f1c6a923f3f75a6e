//! From the parser's tree to the tree that is executed: resolves each name. The inlined control messages are in `inline`,
//! whole methods and scripts in `routines`.

mod inline;
mod routines;

use std::cell::Cell;
use std::rc::Rc;

use tally_compiler::ast::{self, Body, Expr, ExprKind, Literal, Statement};

use super::code::{BlockCode, MessageNode, N, Node, Place};
use super::names::{Name, name, unscoped};
use super::value::{ClassId, Value, simple_literal};
use super::world::World;

thread_local! {
    static LITERALS: Cell<u64> = const { Cell::new(0) };
}

/// Resolves the code of one method, `Eval` or script.
struct Resolver<'w> {
    world: &'w World,
    /// The class whose variables the code sees.
    class: Option<ClassId>,
    /// Names of the open scopes, the innermost last.
    scopes: Vec<Vec<Name>>,
    /// Whether undeclared names become variables of the outermost scope.
    makes_variables: bool,
    /// Globals that the program will define.
    foreseen: &'w [Name],
    /// Literals that are objects, by their numbers: equal ones of the same code are one object.
    objects: Vec<(Literal, u64)>,
}

/// What a name means.
enum Meaning {
    Local(Place),
    Field(usize),
    ClassVariable(ClassId),
    Global,
}

impl<'w> Resolver<'w> {
    /// For code of a class, or, without one, of a script.
    fn new(
        world: &'w World,
        class: Option<ClassId>,
        makes_variables: bool,
        foreseen: &'w [Name],
    ) -> Resolver<'w> {
        Resolver {
            world,
            class,
            scopes: Vec::new(),
            makes_variables,
            foreseen,
            objects: Vec::new(),
        }
    }

    /// A literal: a value if it is one, else an object that is made once.
    fn literal_node(&mut self, literal: &Literal) -> Node {
        if let Some(value) = simple_literal(literal) {
            return Node::Constant(value);
        }
        let known = self.objects.iter().find(|(other, _)| other == literal);
        let number = known.map_or_else(|| LITERALS.get(), |(_, number)| *number);
        if known.is_none() {
            LITERALS.set(number + 1);
            self.objects.push((literal.clone(), number));
        }
        Node::Literal(number, literal.clone())
    }

    /// Opens a scope with these names.
    fn open<'n>(&mut self, names: impl Iterator<Item = &'n ast::Name>) {
        self.scopes.push(names.map(|one| name(&one.text)).collect());
    }

    /// Closes the innermost scope and answers how many variables it has.
    fn close(&mut self) -> usize {
        self.scopes.pop().map_or(0, |names| names.len())
    }

    /// Adds a variable to the innermost scope.
    fn declare(&mut self, names: &[ast::Name]) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names.iter().map(|one| name(&one.text)));
        }
    }

    fn meaning(&mut self, of: Name, is_assigned: bool) -> Meaning {
        for (up, names) in self.scopes.iter().rev().enumerate() {
            if let Some(slot) = names.iter().rposition(|one| *one == of) {
                return Meaning::Local(Place { up, slot });
            }
        }
        if let Some(class) = self.class {
            if let Some(slot) = self.world.field(class, of) {
                return Meaning::Field(slot);
            }
            if let Some(owner) = self.world.class_variable_owner(class, of) {
                return Meaning::ClassVariable(owner);
            }
        }
        let is_global = self.world.globals.contains_key(&of) || self.foreseen.contains(&of);
        let is_class_like = of.text().starts_with(char::is_uppercase);
        if self.makes_variables && !is_global && (is_assigned || !is_class_like) {
            self.scopes[0].push(of);
            return Meaning::Local(Place {
                up: self.scopes.len() - 1,
                slot: self.scopes[0].len() - 1,
            });
        }
        Meaning::Global
    }

    /// Statements, in the scope that is open.
    fn body(&mut self, body: &Body) -> N {
        self.declare(&body.temporaries);
        let statements = body.statements.iter().map(|one| self.statement(one));
        Rc::new(Node::Statements(statements.collect()))
    }

    fn statement(&mut self, statement: &Statement) -> N {
        match statement {
            Statement::Expression(expr) => self.expr(expr),
            Statement::Return { value, .. } => Rc::new(Node::Return(self.expr(value))),
        }
    }

    fn expr(&mut self, expr: &Expr) -> N {
        let node = match &expr.kind {
            ExprKind::Literal(literal) => self.literal_node(literal),
            ExprKind::Variable(text) => self.variable(text),
            ExprKind::Assign { target, value } => self.assign(&target.text, value),
            ExprKind::Send { receiver, message } => match self.inlined(receiver, message) {
                Some(node) => node,
                None => {
                    let to_super = is_super(receiver);
                    let receiver = self.expr(receiver);
                    Node::Send(receiver, self.message(message, to_super))
                }
            },
            ExprKind::Cascade { receiver, messages } => {
                let to_super = is_super(receiver);
                let receiver = self.expr(receiver);
                let messages = messages.iter().map(|one| self.message(one, to_super));
                Node::Cascade(receiver, messages.collect())
            }
            ExprKind::Block(block) => Node::Block(self.block(block, expr.span.start)),
            ExprKind::Brace(elements) => {
                Node::Brace(elements.iter().map(|one| self.expr(one)).collect())
            }
            ExprKind::Error => Node::Constant(Value::Nil),
        };
        Rc::new(node)
    }

    fn message(&mut self, message: &ast::Message, to_super: bool) -> Rc<MessageNode> {
        Rc::new(MessageNode {
            selector: name(&message.selector),
            arguments: message.arguments.iter().map(|one| self.expr(one)).collect(),
            to_super,
            offset: message.selector_span.start,
        })
    }

    fn block(&mut self, block: &ast::Block, offset: u32) -> Rc<BlockCode> {
        self.open(block.parameters.iter());
        let body = self.body(&block.body);
        Rc::new(BlockCode {
            parameters: block.parameters.len(),
            slots: self.close(),
            body,
            offset,
        })
    }

    fn variable(&mut self, text: &str) -> Node {
        match text {
            "self" | "super" => return Node::Receiver,
            "thisContext" => return Node::Context,
            _ => {}
        }
        let name = name(unscoped(text));
        match self.meaning(name, false) {
            Meaning::Local(place) => Node::Local(place),
            Meaning::Field(slot) => Node::Field(slot),
            Meaning::ClassVariable(owner) => Node::ClassVariable(owner, name),
            Meaning::Global => Node::Global(name),
        }
    }

    fn assign(&mut self, text: &str, value: &Expr) -> Node {
        let name = name(unscoped(text));
        // A block may call itself by the name that it is assigned to.
        if matches!(value.kind, ExprKind::Block(_)) {
            self.meaning(name, true);
        }
        let value = self.expr(value);
        match self.meaning(name, true) {
            Meaning::Local(place) => Node::SetLocal(place, value),
            Meaning::Field(slot) => Node::SetField(slot, value),
            Meaning::ClassVariable(owner) => Node::SetClassVariable(owner, name, value),
            Meaning::Global => Node::SetGlobal(name, value),
        }
    }
}

fn is_super(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "super")
}
