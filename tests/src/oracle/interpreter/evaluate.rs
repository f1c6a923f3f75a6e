//! Evaluation of the tree, node by node.

use std::rc::Rc;

use tally_compiler::ast::{self, Literal};

use crate::oracle::code::{Method, N, Node};
use crate::oracle::machine::Machine;
use crate::oracle::machine::frame::{After, Task};
use crate::oracle::object::{Closure, Data, Scope};
use crate::oracle::value::Value;

impl Machine {
    pub(super) fn evaluate(&mut self, node: &N) {
        match &**node {
            Node::Constant(value) => self.push(*value),
            Node::Literal(number, literal) => {
                let value = self.literal_object(*number, literal);
                self.push(value);
            }
            Node::Receiver => {
                let receiver = self.top().receiver;
                self.push(receiver);
            }
            Node::Context => self.unsupported("thisContext"),
            Node::Local(place) => {
                let scope = self.scope_at(place.up);
                let value = scope.variables.borrow()[place.slot];
                self.push(value);
            }
            Node::Field(slot) => {
                let receiver = self.top().receiver;
                let value = self.slot(receiver, *slot);
                self.push(value);
            }
            Node::Global(name) => {
                let value = self.world.globals.get(name).copied().unwrap_or(Value::Nil);
                self.push(value);
            }
            Node::ClassVariable(class, name) => {
                let found = self.world.class_variables.get(&(*class, *name)).copied();
                self.push(found.unwrap_or(Value::Nil));
            }
            Node::SetLocal(_, value)
            | Node::SetField(_, value)
            | Node::SetGlobal(_, value)
            | Node::SetClassVariable(_, _, value) => {
                self.task(Task::Store(node.clone()));
                self.evaluate(value);
            }
            Node::Send(receiver, message) => {
                self.task(Task::Send(message.clone()));
                for argument in message.arguments.iter().rev() {
                    self.task(Task::Evaluate(argument.clone()));
                }
                self.evaluate(receiver);
            }
            Node::Cascade(receiver, _) => {
                self.task(Task::Cascade(node.clone(), 0));
                self.evaluate(receiver);
            }
            Node::Block(code) => {
                let frame = self.top();
                let closure = Closure {
                    code: code.clone(),
                    scope: frame.scope.clone(),
                    receiver: frame.receiver,
                    home: frame.home,
                    method: frame.method.clone(),
                };
                let class = self.known.block;
                self.count_allocation(32);
                self.count_steps(1);
                let block = self.new_object(class, 0, Data::Block(Rc::new(closure)));
                self.push(block);
            }
            // The array is made before its elements are evaluated.
            Node::Brace(elements) => {
                let array = self.make_array(&vec![Value::Nil; elements.len()]);
                self.count_steps(1);
                self.next_element(node.clone(), 0, array);
            }
            Node::Statements(_) => self.next_statement(node.clone(), 0),
            Node::Return(value) => {
                self.task(Task::Return);
                self.evaluate(value);
            }
            Node::If(condition, ..) | Node::Logic(condition, ..) => {
                self.task(Task::Branch(node.clone(), false));
                self.evaluate(condition);
            }
            Node::IfNil(receiver, ..) => {
                self.task(Task::NilTest(node.clone()));
                self.evaluate(receiver);
            }
            Node::While(..) => self.while_begin(node.clone()),
            Node::Repeat(_) => self.repeat(node.clone()),
            Node::Count(count) => {
                self.task(Task::CountBegin(node.clone()));
                self.task(Task::Evaluate(count.step.clone()));
                self.task(Task::Evaluate(count.limit.clone()));
                match &count.start {
                    Some(start) => self.evaluate(start),
                    None => self.push(Value::Small(1)),
                }
            }
            Node::Define(item) => self.define(item),
            Node::Evaluate(piece, into) => {
                if let Some((class, variable)) = into {
                    self.task(Task::Push(Value::Nil));
                    self.task(Task::StoreClassVariable(*class, *variable));
                }
                let receiver = match into {
                    Some((class, _)) => Value::Object(self.world.class(*class).object),
                    None => Value::Nil,
                };
                self.activate(&piece.clone(), receiver, Vec::new(), After::Push);
            }
        }
    }

    fn scope_at(&mut self, up: usize) -> Scope {
        let mut scope = self.top().scope.clone();
        for _ in 0..up {
            if let Some(outer) = scope.outer.clone() {
                scope = outer;
            }
        }
        scope
    }

    pub(super) fn next_statement(&mut self, node: N, index: usize) {
        let Node::Statements(statements) = &*node else {
            return;
        };
        let Some(statement) = statements.get(index) else {
            return self.push(Value::Nil);
        };
        let statement = statement.clone();
        if index + 1 < statements.len() {
            self.task(Task::Statements(node, index + 1));
            self.task(Task::Drop);
        }
        self.evaluate(&statement);
    }

    pub(super) fn next_element(&mut self, node: N, index: usize, array: Value) {
        let Node::Brace(elements) = &*node else {
            return;
        };
        match elements.get(index) {
            Some(element) => {
                let element = element.clone();
                self.task(Task::Brace(node, index, array));
                self.evaluate(&element);
            }
            None => self.push(array),
        }
    }

    /// Assigns the value on top, and leaves it there.
    pub(super) fn store(&mut self, node: &N) {
        let value = self.pop();
        self.push(value);
        self.count_steps(1);
        match &**node {
            Node::SetLocal(place, _) => {
                let scope = self.scope_at(place.up);
                scope.variables.borrow_mut()[place.slot] = value;
            }
            Node::SetField(slot, _) => {
                let receiver = self.top().receiver;
                self.set_slot(receiver, *slot, value);
            }
            Node::SetGlobal(name, _) => {
                self.world.globals.insert(*name, value);
            }
            Node::SetClassVariable(class, name, _) => {
                self.world.class_variables.insert((*class, *name), value);
            }
            _ => {}
        }
    }

    pub(super) fn next_of_cascade(&mut self, node: N, index: usize) {
        let Node::Cascade(_, messages) = &*node else {
            return;
        };
        let Some(message) = messages.get(index).cloned() else {
            return;
        };
        let receiver = self.pop();
        if index + 1 < messages.len() {
            // The receiver stays for the messages to come, below the answer that is dropped.
            self.push(receiver);
            self.task(Task::Cascade(node.clone(), index + 1));
            self.task(Task::Drop);
        }
        self.push(receiver);
        self.task(Task::Send(message.clone()));
        for argument in message.arguments.iter().rev() {
            self.task(Task::Evaluate(argument.clone()));
        }
    }

    fn define(&mut self, item: &ast::Item) {
        let method = self.top().method.clone();
        match self.world.define(item, &method.file) {
            Ok(values) => {
                self.push(Value::Nil);
                for (class, variable, value) in values.into_iter().rev() {
                    let span = value.span;
                    let meta = self.world.class(class).other_side;
                    let body = ast::Body {
                        temporaries: Vec::new(),
                        statements: vec![ast::Statement::Return { value, span }],
                    };
                    let routine = self.world.resolve_body(Some(meta), &body, &[]);
                    let piece = Method::piece(meta, span, &method.file, routine);
                    let node = Rc::new(Node::Evaluate(piece, Some((class, variable))));
                    self.task(Task::Drop);
                    self.task(Task::Evaluate(node));
                }
            }
            Err(why) => self.unsupported(&why),
        }
    }

    /// The object of a literal, made at its first use; not counted.
    fn literal_object(&mut self, number: u64, literal: &Literal) -> Value {
        if let Some(value) = self.literals.get(&number) {
            return *value;
        }
        let value = self.make_literal(literal);
        self.literals.insert(number, value);
        value
    }
}
