//! The tables of a `Code` under construction: literals, globals, instance variables, sites. Equal entries are shared.
//! Sites are never shared, because each one counts its own sends.

use hashbrown::HashMap;
use tally_vm::bytecode::{GlobalRef, Literal, Site};

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) literals: Vec<Literal>,
    pub(super) globals: Vec<GlobalRef>,
    pub(super) ivars: Vec<String>,
    pub(super) sites: Vec<Site>,
    /// Whether a `^` answers something other than the receiver.
    pub(super) answers_others: bool,
    known_literals: HashMap<Key, u32>,
    known_globals: HashMap<GlobalRef, u32>,
    known_ivars: HashMap<String, u32>,
}

/// A literal as a key; floats by their bits, so that 0.0 and -0.0 stay apart.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Nil,
    True,
    False,
    Integer(i64),
    LargeInteger(String),
    Float(u64),
    Fraction(String, String),
    ScaledDecimal(String, String, u32),
    Character(u32),
    String(String),
    Symbol(String),
    Binding(String),
}

impl Tables {
    /// The index of a literal. Each literal array is an object of its own, as it can be changed.
    pub(super) fn literal(&mut self, literal: &Literal) -> u32 {
        let next = self.literals.len() as u32;
        let Some(key) = key(literal) else {
            self.literals.push(literal.clone());
            return next;
        };
        let index = *self.known_literals.entry(key).or_insert(next);
        if index == next {
            self.literals.push(literal.clone());
        }
        index
    }

    pub(super) fn global(&mut self, global: &GlobalRef) -> u32 {
        let next = self.globals.len() as u32;
        let index = *self.known_globals.entry(global.clone()).or_insert(next);
        if index == next {
            self.globals.push(global.clone());
        }
        index
    }

    /// The index of an instance variable.
    pub(super) fn ivar(&mut self, name: &str) -> u32 {
        if let Some(index) = self.known_ivars.get(name) {
            return *index;
        }
        let next = self.ivars.len() as u32;
        self.known_ivars.insert(name.to_owned(), next);
        self.ivars.push(name.to_owned());
        next
    }

    /// The index of a new site.
    pub(super) fn site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        (self.sites.len() - 1) as u32
    }
}

fn key(literal: &Literal) -> Option<Key> {
    Some(match literal {
        Literal::Nil => Key::Nil,
        Literal::True => Key::True,
        Literal::False => Key::False,
        Literal::Integer(value) => Key::Integer(*value),
        Literal::LargeInteger(digits) => Key::LargeInteger(digits.clone()),
        Literal::Float(value) => Key::Float(value.to_bits()),
        Literal::Fraction(numerator, denominator) => {
            Key::Fraction(numerator.clone(), denominator.clone())
        }
        Literal::ScaledDecimal(numerator, denominator, scale) => {
            Key::ScaledDecimal(numerator.clone(), denominator.clone(), *scale)
        }
        Literal::Character(code) => Key::Character(*code),
        Literal::String(text) => Key::String(text.clone()),
        Literal::Symbol(text) => Key::Symbol(text.clone()),
        Literal::Binding(name) => Key::Binding(name.clone()),
        Literal::Array(_) | Literal::ByteArray(_) => return None,
    })
}
