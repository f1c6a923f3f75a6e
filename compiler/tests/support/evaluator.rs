//! Evaluates a method's tree directly by the definition of the language: the reference for compiled code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tally_compiler::ast::{Block, Body, Expr, ExprKind, Literal, Message, Method, Name, Statement};

use super::values::{Effects, Exit, Outcome, Value, goes_on};

struct Scope {
    variables: HashMap<String, RefCell<Value>>,
    outer: Option<Rc<Scope>>,
}

struct Closure {
    block: Block,
    scope: Rc<Scope>,
    home: u64,
}

/// Evaluates a method; `self` is the value 777.
pub(crate) fn evaluate(method: &Method, arguments: &[Value], effects: &mut Effects) -> Outcome {
    let home = effects.enter_home();
    let mut evaluator = Evaluator { effects, home };
    let scope = open(None, &method.parameters, arguments, &method.body);
    let outcome = evaluator.statements(&method.body, &scope);
    effects.homes.retain(|other| *other != home);
    match outcome {
        Ok(_) => Ok(Value::Other(777)),
        Err(Exit::Return(target, value)) if target == home => Ok(value),
        other => other,
    }
}

fn open(
    outer: Option<Rc<Scope>>,
    parameters: &[Name],
    arguments: &[Value],
    body: &Body,
) -> Rc<Scope> {
    let mut variables = HashMap::new();
    for name in &body.temporaries {
        variables.insert(name.text.clone(), RefCell::new(Value::Nil));
    }
    for (name, value) in parameters.iter().zip(arguments) {
        variables.insert(name.text.clone(), RefCell::new(value.clone()));
    }
    Rc::new(Scope { variables, outer })
}

struct Evaluator<'a> {
    effects: &'a mut Effects,
    home: u64,
}

impl Evaluator<'_> {
    fn statements(&mut self, body: &Body, scope: &Rc<Scope>) -> Outcome {
        let mut last = Value::Nil;
        for statement in &body.statements {
            match statement {
                Statement::Expression(expr) => last = self.expr(expr, scope)?,
                Statement::Return { value, .. } => {
                    let value = self.expr(value, scope)?;
                    let lives = self.effects.homes.contains(&self.home);
                    return Err(if lives {
                        Exit::Return(self.home, value)
                    } else {
                        Exit::NoHome
                    });
                }
            }
        }
        Ok(last)
    }

    /// Evaluates a literal block in place.
    fn inline(&mut self, block: &Expr, arguments: &[Value], scope: &Rc<Scope>) -> Outcome {
        let ExprKind::Block(block) = &block.kind else {
            panic!("a literal block")
        };
        let inner = open(
            Some(scope.clone()),
            &block.parameters,
            arguments,
            &block.body,
        );
        self.statements(&block.body, &inner)
    }

    fn truth(&mut self, block: &Expr, scope: &Rc<Scope>) -> Result<bool, Exit> {
        match self.inline(block, &[], scope)? {
            Value::Bool(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn expr(&mut self, expr: &Expr, scope: &Rc<Scope>) -> Outcome {
        match &expr.kind {
            ExprKind::Literal(Literal::Nil) => Ok(Value::Nil),
            ExprKind::Literal(Literal::True) => Ok(Value::Bool(true)),
            ExprKind::Literal(Literal::False) => Ok(Value::Bool(false)),
            ExprKind::Literal(Literal::Integer(digits)) => {
                Ok(Value::Int(digits.parse().expect("digits")))
            }
            ExprKind::Variable(name) if name == "self" => Ok(Value::Other(777)),
            ExprKind::Variable(name) => Ok(self.variable(name, scope)),
            ExprKind::Assign { target, value } => {
                let value = self.expr(value, scope)?;
                self.assign(&target.text, value.clone(), scope);
                Ok(value)
            }
            ExprKind::Block(block) => {
                let closure = Closure {
                    block: block.clone(),
                    scope: scope.clone(),
                    home: self.home,
                };
                Ok(Value::Block(Rc::new(closure)))
            }
            ExprKind::Brace(elements) => {
                let values: Result<Vec<Value>, Exit> = elements
                    .iter()
                    .map(|element| self.expr(element, scope))
                    .collect();
                Ok(Value::Array(Rc::new(RefCell::new(values?))))
            }
            ExprKind::Cascade { receiver, messages } => {
                let receiver = self.expr(receiver, scope)?;
                let mut last = Value::Nil;
                for message in messages {
                    last = self.message(&receiver, message, scope)?;
                }
                Ok(last)
            }
            ExprKind::Send { receiver, message } => match self.control(receiver, message, scope) {
                Some(outcome) => outcome,
                None => {
                    let receiver = self.expr(receiver, scope)?;
                    self.message(&receiver, message, scope)
                }
            },
            other => panic!("{other:?}"),
        }
    }

    fn message(&mut self, receiver: &Value, message: &Message, scope: &Rc<Scope>) -> Outcome {
        let arguments: Result<Vec<Value>, Exit> = message
            .arguments
            .iter()
            .map(|argument| self.expr(argument, scope))
            .collect();
        let arguments = arguments?;
        let answer = self.effects.send(receiver, &message.selector, &arguments)?;
        let Value::Block(block) = receiver else {
            return Ok(answer);
        };
        let closure = block
            .clone()
            .downcast::<Closure>()
            .expect("a block of this way");
        let block = &closure.block;
        if !message.selector.starts_with("value") || block.parameters.len() != arguments.len() {
            return Ok(answer);
        }
        let inner = open(
            Some(closure.scope.clone()),
            &block.parameters,
            &arguments,
            &block.body,
        );
        let outer_home = std::mem::replace(&mut self.home, closure.home);
        let outcome = self.statements(&block.body, &inner);
        self.home = outer_home;
        outcome
    }

    /// The control messages that random programs use, always in their inlined forms.
    fn control(
        &mut self,
        receiver: &Expr,
        message: &Message,
        scope: &Rc<Scope>,
    ) -> Option<Outcome> {
        let sides = message.arguments.as_slice();
        Some(match message.selector.as_str() {
            "ifTrue:" | "ifFalse:" | "ifTrue:ifFalse:" | "ifFalse:ifTrue:" | "and:" | "or:" => {
                self.conditional(receiver, message, scope)
            }
            "ifNil:" | "ifNotNil:" | "ifNil:ifNotNil:" => self.nil_test(receiver, message, scope),
            "whileTrue:" | "whileFalse:" => {
                self.while_loop(receiver, sides, message.selector == "whileTrue:", scope)
            }
            "timesRepeat:" => self.counting(receiver, None, 1, &sides[0], scope),
            "to:do:" => self.counting(receiver, Some(&sides[0]), 1, &sides[1], scope),
            "to:by:do:" => {
                let Ok(Value::Int(step)) = self.expr(&sides[1], scope) else {
                    panic!("a step")
                };
                self.counting(receiver, Some(&sides[0]), step, &sides[2], scope)
            }
            _ => return None,
        })
    }

    fn conditional(&mut self, receiver: &Expr, message: &Message, scope: &Rc<Scope>) -> Outcome {
        let Value::Bool(condition) = self.expr(receiver, scope)? else {
            panic!("a boolean")
        };
        let sides = message.arguments.as_slice();
        let chosen = match message.selector.as_str() {
            "and:" if !condition => return Ok(Value::Bool(false)),
            "or:" if condition => return Ok(Value::Bool(true)),
            "and:" | "or:" => Some(&sides[0]),
            selector if selector.starts_with("ifTrue:") == condition => Some(&sides[0]),
            _ => sides.get(1),
        };
        chosen.map_or(Ok(Value::Nil), |side| self.inline(side, &[], scope))
    }

    fn nil_test(&mut self, receiver: &Expr, message: &Message, scope: &Rc<Scope>) -> Outcome {
        let value = self.expr(receiver, scope)?;
        let is_nil = matches!(value, Value::Nil);
        let sides = message.arguments.as_slice();
        let chosen = match (message.selector.as_str(), is_nil) {
            ("ifNil:" | "ifNil:ifNotNil:", true) => Some(&sides[0]),
            ("ifNil:", false) | ("ifNotNil:", true) => None,
            ("ifNotNil:", false) => Some(&sides[0]),
            _ => sides.get(1),
        };
        match chosen {
            None => Ok(value),
            Some(side) => self.inline(side, &[value], scope),
        }
    }

    fn while_loop(
        &mut self,
        condition: &Expr,
        body: &[Expr],
        wanted: bool,
        scope: &Rc<Scope>,
    ) -> Outcome {
        while self.truth(condition, scope)? == wanted {
            self.effects.note("loop".into())?;
            for body in body {
                self.inline(body, &[], scope)?;
            }
        }
        Ok(Value::Nil)
    }

    fn counting(
        &mut self,
        receiver: &Expr,
        limit: Option<&Expr>,
        step: i64,
        body: &Expr,
        scope: &Rc<Scope>,
    ) -> Outcome {
        let receiver = self.expr(receiver, scope)?;
        let (mut index, limit) = match limit {
            Some(limit) => (receiver.clone(), self.expr(limit, scope)?),
            None => (Value::Int(1), receiver.clone()),
        };
        while goes_on(&index, &limit, step < 0) {
            self.effects.note("loop".into())?;
            self.inline(body, std::slice::from_ref(&index), scope)?;
            if let Value::Int(value) = &mut index {
                *value += step;
            }
        }
        Ok(receiver)
    }

    fn variable(&self, name: &str, scope: &Rc<Scope>) -> Value {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if let Some(variable) = scope.variables.get(name) {
                return variable.borrow().clone();
            }
            next = scope.outer.as_ref();
        }
        self.effects.ivars.get(name).cloned().unwrap_or(Value::Nil)
    }

    fn assign(&mut self, name: &str, value: Value, scope: &Rc<Scope>) {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if let Some(variable) = scope.variables.get(name) {
                variable.replace(value);
                return;
            }
            next = scope.outer.as_ref();
        }
        self.effects.ivars.insert(name.to_owned(), value);
    }
}
