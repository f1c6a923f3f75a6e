//! A count as a function of the inputs: the sum of the functions of the contexts in which it was counted.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::error::PredictError;
use crate::fitting::{
    Approximation, Class, Fit, Formula, Predicted, Table, Term, between_neighbours, jumps_of,
};
use crate::pmf::{Rational, float};

/// What is counted, as a sum of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What was counted.
    pub table: Table,
    /// The parts.
    pub parts: Vec<Part>,
    /// Sizes that were run to check the function, and which it has.
    pub checked: Vec<Vec<BigInt>>,
    /// The first size that was run to check a function, and which it did not have.
    pub refuted: Option<Vec<BigInt>>,
    /// Up to this parameter it holds, if larger sizes have refuted it; none if nothing has.
    pub until: Option<BigInt>,
}

/// The function of contexts whose counts are multiples of each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The contexts; none if this is the function of all.
    pub contexts: Vec<String>,
    /// It counts from this parameter on; none if it always does.
    pub begins: Option<BigInt>,
    /// Their function.
    pub fit: Fit,
}

impl Function {
    /// A function that was not checked.
    pub(super) fn of(table: Table, parts: Vec<Part>) -> Function {
        Function {
            table,
            parts,
            checked: Vec::new(),
            refuted: None,
            until: None,
        }
    }

    /// Whether it is exact, as far as it goes on as it began.
    pub fn is_exact(&self) -> bool {
        let exact = |part: &Part| !matches!(part.fit.class, Class::Approximate(_) | Class::Table);
        self.parts.iter().all(exact)
    }

    /// Whether values at other sizes are known at all.
    pub fn is_known(&self) -> bool {
        self.parts.iter().all(|part| part.fit.class != Class::Table)
    }

    /// In a word: exact, approximate or table.
    pub fn class(&self) -> &'static str {
        match (self.is_exact(), self.is_known()) {
            (true, _) => "exact",
            (false, true) => "approximate",
            (false, false) => "table",
        }
    }

    /// The value at these inputs.
    ///
    /// # Errors
    ///
    /// No function is known, or these inputs are outside of its range; or a recurrence is followed too far.
    pub fn value(&self, at: &[BigInt]) -> Result<Predicted, PredictError> {
        if let Some(known) = self.table.points.get(at) {
            return Ok(Predicted::Exact(known.clone()));
        }
        Ok(between_neighbours(&self.table, at, self.elsewhere(at)?))
    }

    /// The value by the functions, whether it was counted or not.
    pub(super) fn elsewhere(&self, at: &[BigInt]) -> Result<Predicted, PredictError> {
        let sizes = self.table.points.keys().map(|at| &at[0]);
        let (least, largest) = (sizes.clone().min(), sizes.max());
        if let Some(least) = least.filter(|least| at.len() == 1 && at[0] < **least) {
            let why = format!("nothing is known below {least}, the smallest size that was run");
            return Err(PredictError::incomparable(why));
        }
        let largest = largest.and_then(BigInt::to_f64).unwrap_or(1.0);
        if let Some(until) = self.until.as_ref().filter(|until| at[0] > **until) {
            return Err(PredictError::incomparable(format!(
                "the function holds up to {until}, and nothing is known at {}",
                at[0]
            )));
        }
        let (mut exact, mut nearly) = (Rational::zero(), None);
        let counting = |part: &&Part| part.begins.as_ref().is_none_or(|begins| at[0] >= *begins);
        for part in self.parts.iter().filter(counting) {
            match part.fit.elsewhere(at, largest)? {
                Predicted::Exact(value) => exact += value,
                Predicted::Approximate(value, error) => {
                    let (sum, errors) = nearly.unwrap_or((0.0, 0.0));
                    nearly = Some((sum + value, errors + error * value.abs()));
                }
            }
        }
        Ok(match nearly {
            None => Predicted::Exact(exact),
            Some((sum, errors)) => {
                let value = sum + float(&exact);
                Predicted::Approximate(value, errors / value.abs().max(1.0))
            }
        })
    }

    /// Lets thresholds that follow a rule become one part, which goes on.
    pub(super) fn join_thresholds(&mut self) {
        let steps = self
            .parts
            .iter()
            .map(|part| match (&part.begins, &part.fit.class) {
                (Some(begins), Class::Exact { formula, .. }) => {
                    formula.constant().map(|size| (begins.clone(), size))
                }
                _ => None,
            });
        let steps: Vec<_> = steps.collect();
        let alone = steps.iter().rev().take_while(|step| step.is_some()).count();
        for first in steps.len() - alone..steps.len() {
            let last: Vec<_> = steps[first..].iter().flatten().cloned().collect();
            if let Some(formula) = jumps_of(&self.table.names, &last) {
                self.parts.truncate(first);
                self.parts.push(Part {
                    contexts: Vec::new(),
                    begins: None,
                    fit: Fit {
                        class: Class::Exact {
                            kind: "a line with jumps",
                            formula,
                        },
                        unknowns: 5,
                        from: None,
                    },
                });
                return;
            }
        }
    }

    /// How many thresholds there are that follow no rule.
    pub(super) fn thresholds(&self) -> usize {
        self.parts
            .iter()
            .filter(|part| part.begins.is_some())
            .count()
    }

    /// From this value of the parameter on it holds, if not from the first on.
    pub fn from(&self) -> Option<&BigInt> {
        self.parts
            .iter()
            .filter_map(|part| part.fit.from.as_ref())
            .max()
    }

    /// The function as a formula; none if there is no function.
    pub fn text(&self) -> Option<String> {
        let name = self.table.names.first().map_or("n", String::as_str);
        let mut sum = Formula::zero(&self.table.names);
        let (mut nearly, mut others): (Option<Approximation>, Vec<String>) = (None, Vec::new());
        for part in &self.parts {
            let text = match (&part.fit.class, &part.begins) {
                (Class::Exact { formula, .. }, None) => {
                    sum.add(formula);
                    continue;
                }
                (Class::Exact { formula, .. }, Some(begins)) => {
                    from_there(&format!("[{name} >= {begins}]"), formula)
                }
                (Class::Recurrence(found), _) => found.text("f", name),
                (Class::Regular(found), _) => found.text(name),
                (Class::Approximate(found), _) => {
                    nearly = Some(match nearly {
                        None => found.clone(),
                        Some(other) => other.plus(found),
                    });
                    continue;
                }
                (Class::Table, _) => return None,
            };
            others.push(text);
        }
        let mut all = Vec::new();
        if !sum.terms.is_empty() || (others.is_empty() && nearly.is_none()) {
            all.push(sum.to_string());
        }
        all.extend(nearly.map(|found| found.text(name)));
        all.extend(others);
        Some(all.join(" + "))
    }
}

/// A formula that counts where a test holds.
fn from_there(test: &str, formula: &Formula) -> String {
    match formula.terms.as_slice() {
        [(_, Term::Powers(powers))] if powers.iter().all(Zero::is_zero) => {
            format!("{formula}*{test}")
        }
        _ => format!("{test}*({formula})"),
    }
}
