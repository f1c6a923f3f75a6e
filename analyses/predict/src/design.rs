//! Designs: expressions with names. Document 003 calls them stochastic regular expressions.

use std::collections::HashMap;

use crate::error::PredictError;
use crate::notation::{self, Raw};
use crate::pmf::{Exact, Rational};

/// How deep the expression of a definition can be nested.
const MOST_DEPTH: usize = 2_000;
/// The most definitions.
const MOST_DEFINITIONS: usize = 100_000;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Sre {
    /// An action that takes this time.
    Time(Exact),
    /// What the definition with this number says.
    Name(usize),
    /// One after the other.
    Sequence(Vec<Sre>),
    /// One of these, each with its probability.
    Alternatives(Vec<(Rational, Sre)>),
    /// A number of repetitions.
    Loop(Box<Sre>, Exact),
    /// Tasks that begin at the same time, in this order. It ends with the last of them.
    Parallel(Vec<Sre>),
}

impl Sre {
    /// Its parts, and those of its parts. A name is one.
    pub(crate) fn parts(&self) -> usize {
        1 + match self {
            Sre::Time(_) | Sre::Name(_) => 0,
            Sre::Sequence(parts) | Sre::Parallel(parts) => parts.iter().map(Sre::parts).sum(),
            Sre::Alternatives(parts) => parts.iter().map(|(_, part)| part.parts()).sum(),
            Sre::Loop(body, _) => body.parts(),
        }
    }
}

/// An expression with definitions of the names in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    definitions: Vec<(String, Sre)>,
    /// The numbers of those that are used, each behind those that it uses.
    order: Vec<usize>,
}

impl Design {
    /// A design in the notation of `*.sre` files. The first definition is the one that is predicted.
    ///
    /// # Errors
    ///
    /// The text is not in the notation, a name has no definition or several, one is defined by itself, or probabilities do not sum to 1. The message begins with line
    /// and column.
    pub fn read(text: &str) -> Result<Design, PredictError> {
        let raw = notation::read(text)?;
        if raw.len() > MOST_DEFINITIONS {
            let why = format!("a design has at most {MOST_DEFINITIONS} definitions");
            return Err(PredictError::limit(
                notation::at(text, raw[MOST_DEFINITIONS].1, &why).message,
            ));
        }
        let mut numbers = HashMap::new();
        for (number, (name, place, _)) in raw.iter().enumerate() {
            if numbers.insert(*name, number).is_some() {
                let why = format!("{name} is defined twice");
                return Err(notation::at(text, *place, &why));
            }
        }
        let resolver = Resolver {
            text,
            raw: &raw,
            numbers,
        };
        let definitions = raw.iter().map(|(name, place, expression)| {
            let expression = resolver.resolved(expression, *place, 0)?;
            Ok((name.to_string(), expression))
        });
        let definitions: Vec<(String, Sre)> = definitions.collect::<Result<_, PredictError>>()?;
        let order =
            order(&definitions).map_err(|(number, why)| notation::at(text, raw[number].1, &why))?;
        Ok(Design { definitions, order })
    }

    /// The name of what is predicted.
    pub fn name(&self) -> &str {
        &self.definitions[0].0
    }

    /// How many definitions it has.
    pub(crate) fn len(&self) -> usize {
        self.definitions.len()
    }

    /// The expression of the definition with this number. The first definition, number 0, is predicted.
    pub fn expression(&self, number: usize) -> &Sre {
        &self.definitions[number].1
    }

    /// The numbers of the definitions that are used, each behind those that it uses.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }
}

struct Resolver<'t> {
    text: &'t str,
    raw: &'t [(&'t str, usize, Raw<'t>)],
    numbers: HashMap<&'t str, usize>,
}

impl Resolver<'_> {
    fn number(&self, name: &str, place: usize) -> Result<usize, PredictError> {
        self.numbers.get(name).copied().ok_or_else(|| {
            let why =
                format!("{name} has no definition: {name} = 2, or {name} = [(2; 0.5) (4; 0.5)]");
            notation::at(self.text, place, &why)
        })
    }

    /// The expression in the definition at this place.
    fn resolved(&self, raw: &Raw<'_>, place: usize, depth: usize) -> Result<Sre, PredictError> {
        if depth > MOST_DEPTH {
            let why = format!("expressions are nested at most {MOST_DEPTH} deep");
            let placed = notation::at(self.text, place, &why);
            return Err(PredictError::limit(placed.message));
        }
        let all = |parts: &[Raw<'_>]| -> Result<Vec<Sre>, PredictError> {
            let parts = parts
                .iter()
                .map(|part| self.resolved(part, place, depth + 1));
            parts.collect()
        };
        Ok(match raw {
            Raw::Time(exact) => Sre::Time(exact.clone()),
            Raw::Name(name, place) => Sre::Name(self.number(name, *place)?),
            Raw::Sequence(parts) => Sre::Sequence(all(parts)?),
            Raw::Parallel(parts) => Sre::Parallel(all(parts)?),
            Raw::Alternatives(parts) => {
                let parts = parts.iter().map(|(weight, part)| {
                    let part = self.resolved(part, place, depth + 1)?;
                    Ok((weight.clone(), part))
                });
                Sre::Alternatives(parts.collect::<Result<_, PredictError>>()?)
            }
            Raw::Loop(body, counts) => {
                let mut found = self.resolved(body, place, depth + counts.len())?;
                for (count, place) in counts {
                    found = Sre::Loop(Box::new(found), self.count(count, *place)?);
                }
                found
            }
        })
    }

    /// A number of repetitions: a distribution, or the name of one.
    fn count(&self, raw: &Raw<'_>, place: usize) -> Result<Exact, PredictError> {
        let found = match raw {
            Raw::Name(name, place) => &self.raw[self.number(name, *place)?].2,
            other => other,
        };
        match found {
            Raw::Time(exact) => {
                let checked = exact.counts();
                checked.map_err(|error| PredictError {
                    message: notation::at(self.text, place, &error.message).message,
                    ..error
                })?;
                Ok(exact.clone())
            }
            _ => {
                let why = "a number of repetitions is a number or a distribution, as 3 or [(0; 0.5) (1; 0.5)]";
                Err(notation::at(self.text, place, why))
            }
        }
    }
}

/// The definitions that the first one uses, each behind those that it uses.
///
/// # Errors
///
/// The number of a definition that is a part of its own, and a sentence.
fn order(definitions: &[(String, Sre)]) -> Result<Vec<usize>, (usize, String)> {
    let mut order = Vec::new();
    // Of each definition whether it is finished, once it is begun.
    let mut begun: HashMap<usize, bool> = HashMap::new();
    let mut open = vec![0];
    while let Some(&number) = open.last() {
        let (name, expression) = &definitions[number];
        if begun.insert(number, false).is_some() {
            open.pop();
            if begun.insert(number, true) == Some(false) {
                order.push(number);
            }
            continue;
        }
        let mut used = Vec::new();
        names(expression, &mut used);
        for other in used {
            match begun.get(&other) {
                Some(true) => {}
                Some(false) => {
                    let why = format!(
                        "{name} is a part of its own definition, by {}",
                        definitions[other].0
                    );
                    return Err((number, why));
                }
                None => open.push(other),
            }
        }
    }
    Ok(order)
}

fn names(expression: &Sre, found: &mut Vec<usize>) {
    match expression {
        Sre::Time(_) => {}
        Sre::Name(number) => found.push(*number),
        Sre::Sequence(parts) | Sre::Parallel(parts) => {
            parts.iter().for_each(|part| names(part, found));
        }
        Sre::Alternatives(parts) => parts.iter().for_each(|(_, part)| names(part, found)),
        Sre::Loop(body, _) => names(body, found),
    }
}
