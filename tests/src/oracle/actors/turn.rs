//! One message processed: a direct interpreter of methods.

use std::fmt;
use std::sync::Arc;

use super::language::{Expression, Made, Operator, Place, Program, Statement, Test};

/// An actor, named by its creations: the script's n-th actor, then the n-th actor made by that, and so on. The script
/// itself has the empty name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub Arc<[u32]>);

impl Name {
    /// The n-th actor that this one makes, counted from 1.
    pub(super) fn child(&self, ordinal: u32) -> Name {
        let path = self.0.iter().copied();
        Name(path.chain([ordinal]).collect())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.0.iter().any(|n| *n > 9) {
            "."
        } else {
            ""
        };
        let path: Vec<String> = self.0.iter().map(u32::to_string).collect();
        match path.is_empty() {
            true => f.write_str("script"),
            false => write!(f, "a{}", path.join(separator)),
        }
    }
}

impl Name {
    /// The name as the paper has it, where the only actor of a script is the root `r`.
    pub(super) fn of_paper(&self, has_root: bool) -> String {
        let path = if has_root && !self.0.is_empty() {
            &self.0[1..]
        } else {
            &self.0
        };
        if path.is_empty() {
            return "r".to_string();
        }
        // A number above 9, and all behind it, follow a dot.
        let dotted = path.iter().position(|n| *n > 9).unwrap_or(path.len());
        let digits = path[..dotted].iter().map(u32::to_string);
        let rest = path[dotted..].iter().map(|n| format!(".{n}"));
        format!("a{}", digits.chain(rest).collect::<String>())
    }
}

/// A behaviour, without its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Behaviour {
    /// Its class.
    pub class: usize,
    /// Its variables of integers.
    pub integers: Vec<i64>,
    /// Its variables of addresses.
    pub addresses: Vec<Name>,
}

/// A message, without target and sender.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// Its selector.
    pub selector: usize,
    /// Its integers.
    pub integers: Vec<i64>,
    /// Its addresses.
    pub addresses: Vec<Name>,
}

/// Why a turn fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// `self error: 'no'`.
    Error,
    /// Division by zero.
    Zero,
    /// The class does not understand the message.
    NotUnderstood,
    /// A temporary is read before it is spawned.
    Nil,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// What a turn does.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    /// The messages, in their order.
    pub(super) sends: Vec<(Name, Message)>,
    /// The new actors, in their order.
    pub(super) spawns: Vec<(Name, Behaviour)>,
    pub(super) outputs: Vec<i64>,
    /// The behaviour for the next message; none is left after `dispose`.
    pub(super) next: Option<Behaviour>,
    /// Whether `behaveAs:` was sent or a variable has another value.
    pub(super) is_replaced: bool,
    pub(super) local: u64,
    /// Why the turn ends early. What it did before stays, except that the behaviour is the old one.
    pub(super) fault: Option<Fault>,
}

/// The actor that takes a message.
pub(super) struct Taker<'a> {
    pub(super) name: &'a Name,
    /// How many actors it has made before.
    pub(super) created: u32,
    pub(super) behaviour: &'a Behaviour,
}

/// The effect of a message.
pub(super) fn turn(program: &Program, taker: &Taker<'_>, message: &Message) -> Effect {
    let class = &program.classes[taker.behaviour.class];
    let method = class.methods[message.selector].as_ref();
    let mut turn = Turn {
        taker,
        message,
        own: taker.behaviour.clone(),
        replacement: None,
        is_disposed: false,
        temporaries: Vec::new(),
        sends: Vec::new(),
        spawns: Vec::new(),
        outputs: Vec::new(),
    };
    let executed = match method {
        Some(method) => turn.all(&method.body),
        None => Err(Fault::NotUnderstood),
    };
    if executed.is_err() {
        (turn.own, turn.replacement) = (taker.behaviour.clone(), None);
        turn.is_disposed = false;
    }
    let is_replaced = turn.replacement.is_some() || turn.own != *taker.behaviour;
    let next = turn.replacement.unwrap_or(turn.own);
    Effect {
        sends: turn.sends,
        spawns: turn.spawns,
        outputs: turn.outputs,
        next: (!turn.is_disposed).then_some(next),
        is_replaced: is_replaced && !turn.is_disposed,
        local: method.map_or(0, |method| method.cost),
        fault: executed.err(),
    }
}

struct Turn<'a> {
    taker: &'a Taker<'a>,
    message: &'a Message,
    own: Behaviour,
    replacement: Option<Behaviour>,
    is_disposed: bool,
    temporaries: Vec<Option<Name>>,
    sends: Vec<(Name, Message)>,
    spawns: Vec<(Name, Behaviour)>,
    outputs: Vec<i64>,
}

impl Turn<'_> {
    fn all(&mut self, body: &[Statement]) -> Result<(), Fault> {
        body.iter().try_for_each(|statement| self.one(statement))
    }

    fn one(&mut self, statement: &Statement) -> Result<(), Fault> {
        match statement {
            Statement::Send {
                target,
                selector,
                integers,
                addresses,
            } => {
                let message = Message {
                    selector: *selector,
                    integers: self.integers(integers)?,
                    addresses: self.addresses(addresses)?,
                };
                self.sends.push((self.address(*target)?, message));
            }
            Statement::Spawn(temporary, made) => {
                let behaviour = self.made(made)?;
                let ordinal = self.taker.created + self.spawns.len() as u32 + 1;
                let name = self.taker.name.child(ordinal);
                let length = self.temporaries.len().max(temporary + 1);
                self.temporaries.resize(length, None);
                self.temporaries[*temporary] = Some(name.clone());
                self.spawns.push((name, behaviour));
            }
            Statement::BehaveAs(made) => self.replacement = Some(self.made(made)?),
            Statement::SetInteger(variable, value) => {
                self.own.integers[*variable] = self.integer(value)?;
            }
            Statement::SetAddress(variable, place) => {
                self.own.addresses[*variable] = self.address(*place)?;
            }
            Statement::If(test, then, otherwise) => {
                let branch = if self.holds(test)? { then } else { otherwise };
                self.all(branch)?;
            }
            Statement::Output(value) => {
                let value = self.integer(value)?;
                self.outputs.push(value);
            }
            Statement::Dispose => self.is_disposed = true,
            Statement::Fail => return Err(Fault::Error),
        }
        Ok(())
    }

    fn made(&self, made: &Made) -> Result<Behaviour, Fault> {
        Ok(Behaviour {
            class: made.class,
            integers: self.integers(&made.integers)?,
            addresses: self.addresses(&made.addresses)?,
        })
    }

    fn integers(&self, expressions: &[Expression]) -> Result<Vec<i64>, Fault> {
        expressions.iter().map(|e| self.integer(e)).collect()
    }

    fn addresses(&self, places: &[Place]) -> Result<Vec<Name>, Fault> {
        places.iter().map(|place| self.address(*place)).collect()
    }

    fn address(&self, place: Place) -> Result<Name, Fault> {
        match place {
            Place::Me => Ok(self.taker.name.clone()),
            Place::Variable(number) => Ok(self.own.addresses[number].clone()),
            Place::Parameter(number) => Ok(self.message.addresses[number].clone()),
            Place::Temporary(number) => {
                let known = self.temporaries.get(number).cloned().flatten();
                known.ok_or(Fault::Nil)
            }
        }
    }

    fn integer(&self, expression: &Expression) -> Result<i64, Fault> {
        let (left, operator, right) = match expression {
            Expression::Constant(value) => return Ok(*value),
            Expression::Variable(number) => return Ok(self.own.integers[*number]),
            Expression::Parameter(number) => return Ok(self.message.integers[*number]),
            Expression::Binary(left, operator, right) => (left, operator, right),
        };
        let (left, right) = (self.integer(left)?, self.integer(right)?);
        let rounds_up = right != 0 && left % right != 0 && (left < 0) != (right < 0);
        match operator {
            Operator::Add => Ok(left + right),
            Operator::Subtract => Ok(left - right),
            Operator::Multiply => Ok(left * right),
            _ if right == 0 => Err(Fault::Zero),
            Operator::Divide => Ok(left / right - i64::from(rounds_up)),
            Operator::Remainder => Ok(left % right + if rounds_up { right } else { 0 }),
        }
    }

    fn holds(&self, test: &Test) -> Result<bool, Fault> {
        let (left, right) = (self.integer(&test.left)?, self.integer(&test.right)?);
        Ok(left.cmp(&right) == test.comparison)
    }
}
