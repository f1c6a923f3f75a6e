//! Random actor programs. They end: the first integer of every message is smaller than that of the message that caused
//! it, and a method sends only if its own is positive.

use std::cmp::Ordering;

use crate::oracle::processors::generate::Dice;

use super::language::{
    Class, Expression, First, Made, Method, Operator, Place, Program, Selector, Start, Statement,
    Test,
};

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let selectors = (0..2 + dice.below(3)).map(|_| Selector {
        integers: 1 + dice.below(2),
        addresses: dice.pick(&[0, 1, 1, 2]),
    });
    let selectors: Vec<Selector> = selectors.collect();
    let shapes = (0..2 + dice.below(2)).map(|class| Shape {
        integers: dice.below(3),
        // The first actor has no other to know.
        addresses: if class == 0 { 0 } else { dice.below(3) },
    });
    let shapes: Vec<Shape> = shapes.collect();
    let mut generator = Generator {
        dice,
        selectors,
        shapes,
    };
    let classes = (0..generator.shapes.len()).map(|class| generator.class(class));
    let classes = classes.collect();
    let (actors, messages) = generator.beginning();
    Program {
        selectors: generator.selectors,
        classes,
        actors,
        messages,
    }
}

/// The variables of a class.
#[derive(Clone, Copy)]
struct Shape {
    integers: usize,
    addresses: usize,
}

struct Generator {
    dice: Dice,
    selectors: Vec<Selector>,
    shapes: Vec<Shape>,
}

/// What a statement can use.
#[derive(Clone)]
struct Scope {
    shape: Shape,
    selector: Selector,
    /// How many temporaries are spawned.
    temporaries: usize,
    /// How many messages the method may still send.
    sends: usize,
}

impl Generator {
    fn class(&mut self, class: usize) -> Class {
        let methods = (0..self.selectors.len()).map(|selector| {
            let is_understood = !self.dice.percent(1);
            is_understood.then(|| self.method(class, selector))
        });
        let methods = methods.collect();
        let Shape {
            integers,
            addresses,
        } = self.shapes[class];
        Class {
            integers,
            addresses,
            methods,
        }
    }

    fn beginning(&mut self) -> (Vec<Start>, Vec<First>) {
        let count = 1 + self.dice.below(3);
        let mut actors = Vec::new();
        for number in 0..count {
            let class = match number {
                0 => 0,
                _ => self.dice.below(self.shapes.len()),
            };
            let shape = self.shapes[class];
            let integers = (0..shape.integers).map(|_| self.dice.below(3) as i64);
            let integers = integers.collect();
            let addresses = (0..shape.addresses).map(|_| self.dice.below(number));
            actors.push(Start {
                class,
                integers,
                addresses: addresses.collect(),
            });
        }
        let messages = (0..1 + self.dice.below(3)).map(|_| {
            let selector = self.dice.below(self.selectors.len());
            let shape = self.selectors[selector];
            let mut integers = vec![self.dice.pick(&[1, 1, 2, 2, 3])];
            integers.extend((1..shape.integers).map(|_| self.dice.below(4) as i64));
            let addresses = (0..shape.addresses).map(|_| self.dice.below(count));
            let addresses = addresses.collect();
            First {
                target: self.dice.below(count),
                selector,
                integers,
                addresses,
            }
        });
        (actors, messages.collect())
    }

    fn method(&mut self, class: usize, selector: usize) -> Method {
        let mut scope = Scope {
            shape: self.shapes[class],
            selector: self.selectors[selector],
            temporaries: 0,
            sends: self.dice.pick(&[1, 1, 2, 2, 3]),
        };
        let before = self.some(&mut scope, 1, false);
        let then = self.some(&mut scope.clone(), 3, true);
        let otherwise = self.some(&mut scope.clone(), 1, false);
        let after = self.some(&mut scope, 1, false);
        let test = Test {
            left: Expression::Parameter(0),
            comparison: Ordering::Greater,
            right: Expression::Constant(0),
        };
        let mut body = before;
        body.push(Statement::If(test, then, otherwise));
        body.extend(after);
        Method {
            cost: self.dice.below(20) as u64,
            body,
        }
    }

    /// At most a number of statements; at least one if messages may be sent.
    fn some(&mut self, scope: &mut Scope, most: usize, may_send: bool) -> Vec<Statement> {
        let least = usize::from(may_send);
        let count = least + self.dice.below(most + 1 - least);
        (0..count)
            .flat_map(|_| self.statements(scope, may_send))
            .collect()
    }

    fn statements(&mut self, scope: &mut Scope, may_send: bool) -> Vec<Statement> {
        let chance = self.dice.below(100);
        match chance {
            0..50 if may_send && scope.sends > 0 => vec![self.send(scope, None)],
            50..68 if may_send => self.spawn(scope),
            68..76 if may_send => {
                let test = self.test(scope);
                let then = self.some(&mut scope.clone(), 2, true);
                let otherwise = self.some(&mut scope.clone(), 2, true);
                scope.sends = scope.sends.saturating_sub(1);
                vec![Statement::If(test, then, otherwise)]
            }
            76..82 => vec![Statement::BehaveAs(self.made(scope))],
            82..84 => vec![Statement::Dispose],
            84 => vec![Statement::If(
                self.test(scope),
                vec![Statement::Fail],
                Vec::new(),
            )],
            85..90 if scope.shape.addresses > 0 => {
                let variable = self.dice.below(scope.shape.addresses);
                vec![Statement::SetAddress(variable, self.place(scope))]
            }
            0..30 | 90..95 if scope.shape.integers > 0 => {
                let variable = self.dice.below(scope.shape.integers);
                vec![Statement::SetInteger(variable, self.integer(scope))]
            }
            30..50 | 95.. => vec![Statement::Output(self.integer(scope))],
            _ => Vec::new(),
        }
    }

    /// A message with a smaller first integer, to any actor or to a given one.
    fn send(&mut self, scope: &mut Scope, target: Option<Place>) -> Statement {
        scope.sends = scope.sends.saturating_sub(1);
        let selector = self.dice.below(self.selectors.len());
        let shape = self.selectors[selector];
        let mut integers = vec![Expression::Binary(
            Box::new(Expression::Parameter(0)),
            Operator::Subtract,
            Box::new(Expression::Constant(1)),
        )];
        integers.extend((1..shape.integers).map(|_| self.integer(scope)));
        let addresses = (0..shape.addresses).map(|_| self.place(scope)).collect();
        Statement::Send {
            target: target.unwrap_or_else(|| self.place(scope)),
            selector,
            integers,
            addresses,
        }
    }

    /// A new actor, usually with a message.
    fn spawn(&mut self, scope: &mut Scope) -> Vec<Statement> {
        let temporary = scope.temporaries;
        let mut statements = vec![Statement::Spawn(temporary, self.made(scope))];
        scope.temporaries += 1;
        if scope.sends > 0 && self.dice.percent(85) {
            statements.push(self.send(scope, Some(Place::Temporary(temporary))));
        }
        statements
    }

    fn made(&mut self, scope: &Scope) -> Made {
        let class = self.dice.below(self.shapes.len());
        let shape = self.shapes[class];
        Made {
            class,
            integers: (0..shape.integers).map(|_| self.integer(scope)).collect(),
            addresses: (0..shape.addresses).map(|_| self.place(scope)).collect(),
        }
    }

    fn test(&mut self, scope: &Scope) -> Test {
        let comparisons = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        Test {
            left: self.integer(scope),
            comparison: self.dice.pick(&comparisons),
            right: Expression::Constant(self.dice.below(4) as i64),
        }
    }

    fn place(&mut self, scope: &Scope) -> Place {
        let mut places = vec![Place::Me];
        places.extend((0..scope.shape.addresses).map(Place::Variable));
        places.extend((0..scope.selector.addresses).map(Place::Parameter));
        places.extend((0..scope.temporaries).map(Place::Temporary));
        self.dice.pick(&places)
    }

    fn integer(&mut self, scope: &Scope) -> Expression {
        let constant = Expression::Constant(self.dice.below(4) as i64);
        match self.dice.below(10) {
            0..2 => constant,
            2..5 if scope.shape.integers > 0 => {
                Expression::Variable(self.dice.below(scope.shape.integers))
            }
            5..8 => Expression::Parameter(self.dice.below(scope.selector.integers)),
            8 => self.binary(scope, &[Operator::Add, Operator::Subtract]),
            9 => self.binary(
                scope,
                &[Operator::Multiply, Operator::Divide, Operator::Remainder],
            ),
            _ => constant,
        }
    }

    fn binary(&mut self, scope: &Scope, operators: &[Operator]) -> Expression {
        let operator = self.dice.pick(operators);
        let left = self.integer(scope);
        // A product of small numbers stays small. A division by zero is rare.
        let is_simple = match operator {
            Operator::Multiply => true,
            Operator::Divide | Operator::Remainder => self.dice.percent(80),
            _ => false,
        };
        let right = match is_simple {
            true => Expression::Constant(1 + self.dice.below(3) as i64),
            false => self.integer(scope),
        };
        Expression::Binary(Box::new(left), operator, Box::new(right))
    }
}
