//! Services in files: `tally.service/1`. Numbers are texts, because JSON has no fractions and no large integers.

use num_bigint::BigInt;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

use super::function::{Function, Part};
use super::report::{Values, Within};
use super::{COUNTERS, Service};
use crate::error::PredictError;
use crate::fitting::{
    Approximation, Class, Fit, Formula, Predicted, Recurrence, Regular, Table, Term,
};
use crate::pmf::Rational;

/// The schema of the files.
const SCHEMA: &str = "tally.service/1";
/// The longest number.
const MOST_DIGITS: usize = 10_000;
/// The largest exponents, periods and other small numbers.
const MOST_SMALL: u32 = 64;
/// The longest list of numbers of a recurrence or a sequence.
const MOST_NUMBERS: usize = 200;

/// A service in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceDocument {
    schema: String,
    service: String,
    expression: String,
    model: u32,
    library: String,
    parameters: Vec<String>,
    functions: Vec<FunctionDocument>,
    /// Where the program failed or took too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<Vec<String>>,
    /// What was predicted, if anything was wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<ValueDocument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    within: Vec<WithinDocument>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ValueDocument {
    at: Vec<String>,
    of: String,
    /// A number or a fraction; absent if nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The relative error of an approximate value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct WithinDocument {
    of: String,
    most: String,
    /// The largest input; absent if none was found that breaks the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    largest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FunctionDocument {
    /// What is counted.
    of: String,
    /// `exact`, `approximate` or `table`.
    class: String,
    /// The function in a short form, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    parts: Vec<PartDocument>,
    /// Parameters, and behind them what was counted.
    points: Vec<Vec<String>>,
    #[serde(default)]
    checked: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refuted: Option<Vec<String>>,
    /// The function holds up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PartDocument {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contexts: Vec<String>,
    /// How many numbers the function has.
    numbers: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The part counts from here on only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begins: Option<String>,
    function: ClassDocument,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ClassDocument {
    Sum {
        kind: String,
        terms: Vec<(String, TermDocument)>,
    },
    Recurrence {
        stride: usize,
        factors: Vec<String>,
        begins: String,
        first: Vec<String>,
    },
    Regular {
        even: Vec<Vec<String>>,
        odd: Vec<Vec<String>>,
        begins: usize,
        first: Vec<Vec<String>>,
    },
    Approximate {
        constant: f64,
        /// A factor, the exponent of the parameter in twelfths, and that of its logarithm.
        terms: Vec<(f64, u32, u32)>,
        error: f64,
    },
    Table,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum TermDocument {
    Powers(Vec<u32>),
    Rest(u32, u32, u32),
    Log(i32),
    TimesLog(i32),
    PowerBelow(i32),
    Ones,
    Part(u32, u32),
    Root,
    Jumps(String, String, String),
    Thresholds(String, String, String),
}

/// The kinds of sums that are known.
const KINDS: &[&str] = &[
    "a polynomial",
    "a form with logarithms, roots or parts",
    "a quasi-polynomial",
    "a line with jumps",
];

fn texts<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(T::to_string).collect()
}

impl Service {
    /// The service as it is written to a file.
    pub fn document(&self) -> ServiceDocument {
        ServiceDocument {
            schema: SCHEMA.to_string(),
            service: self.name.clone(),
            expression: self.expression.clone(),
            model: self.model,
            library: self.library.clone(),
            parameters: self.parameters.clone(),
            functions: self.functions.iter().map(function_document).collect(),
            ended: self.ended.as_ref().map(|at| texts(at)),
            values: Vec::new(),
            within: Vec::new(),
        }
    }
}

impl ServiceDocument {
    /// The document with what was predicted.
    #[must_use]
    pub fn with(mut self, values: &Values, within: &[Within]) -> ServiceDocument {
        let names: Vec<String> = self.functions.iter().map(|one| one.of.clone()).collect();
        let rows = values.iter().flat_map(|(at, all)| {
            all.iter().zip(&names).map(|(value, of)| ValueDocument {
                at: texts(at),
                of: of.clone(),
                value: value.as_ref().map(|value| match value {
                    Predicted::Exact(value) => value.to_string(),
                    Predicted::Approximate(value, _) => value.to_string(),
                }),
                error: match value {
                    Some(Predicted::Approximate(_, error)) => Some(*error),
                    _ => None,
                },
            })
        });
        self.values = rows.collect();
        let within = within.iter().map(|(bound, found)| WithinDocument {
            of: bound.of.clone(),
            most: bound.most.to_string(),
            largest: found.as_ref().map(|(n, _)| n.to_string()),
        });
        self.within = within.collect();
        self
    }
}

fn function_document(function: &Function) -> FunctionDocument {
    let points = function.table.points.iter().map(|(at, value)| {
        let mut all = texts(at);
        all.push(value.to_string());
        all
    });
    FunctionDocument {
        of: function.table.of.clone(),
        class: function.class().to_string(),
        formula: function.text(),
        parts: function.parts.iter().map(part_document).collect(),
        points: points.collect(),
        checked: function.checked.iter().map(|at| texts(at)).collect(),
        refuted: function.refuted.as_ref().map(|at| texts(at)),
        until: function.until.as_ref().map(BigInt::to_string),
    }
}

fn part_document(part: &Part) -> PartDocument {
    let function = match &part.fit.class {
        Class::Exact { kind, formula } => ClassDocument::Sum {
            kind: (*kind).to_string(),
            terms: formula
                .terms
                .iter()
                .map(|(factor, term)| (factor.to_string(), term_document(term)))
                .collect(),
        },
        Class::Recurrence(found) => ClassDocument::Recurrence {
            stride: found.stride,
            factors: texts(&found.factors),
            begins: found.first.0.to_string(),
            first: texts(&found.first.1),
        },
        Class::Regular(found) => {
            let rows = |all: &[Vec<Rational>]| all.iter().map(|row| texts(row)).collect();
            ClassDocument::Regular {
                even: rows(&found.steps[0]),
                odd: rows(&found.steps[1]),
                begins: found.beginning,
                first: rows(&found.first),
            }
        }
        Class::Approximate(found) => ClassDocument::Approximate {
            constant: found.constant,
            terms: found.terms.clone(),
            error: found.error,
        },
        Class::Table => ClassDocument::Table,
    };
    PartDocument {
        contexts: part.contexts.clone(),
        numbers: part.fit.unknowns,
        from: part.fit.from.as_ref().map(BigInt::to_string),
        begins: part.begins.as_ref().map(BigInt::to_string),
        function,
    }
}

fn term_document(term: &Term) -> TermDocument {
    match term {
        Term::Powers(powers) => TermDocument::Powers(powers.clone()),
        Term::Rest {
            period,
            rest,
            power,
        } => TermDocument::Rest(*period, *rest, *power),
        Term::Log(more) => TermDocument::Log(*more),
        Term::TimesLog(more) => TermDocument::TimesLog(*more),
        Term::PowerBelow(more) => TermDocument::PowerBelow(*more),
        Term::Ones => TermDocument::Ones,
        Term::Part(divisor, more) => TermDocument::Part(*divisor, *more),
        Term::Root => TermDocument::Root,
        Term::Jumps {
            first,
            factor,
            more,
            sums,
        } => {
            let [first, factor, more] = [first, factor, more].map(BigInt::to_string);
            match sums {
                false => TermDocument::Jumps(first, factor, more),
                true => TermDocument::Thresholds(first, factor, more),
            }
        }
    }
}

fn broken(what: impl std::fmt::Display) -> PredictError {
    PredictError::usage(format!("it is no service: {what}"))
}

fn whole(text: &str) -> Result<BigInt, PredictError> {
    let number = Some(text).filter(|text| text.len() <= MOST_DIGITS);
    let number = number.and_then(|text| text.parse().ok());
    number.ok_or_else(|| broken(format_args!("{text:.40?} is no whole number")))
}

fn rational(text: &str) -> Result<Rational, PredictError> {
    let number = Some(text).filter(|text| text.len() <= MOST_DIGITS);
    let number = number.and_then(|text| text.parse().ok());
    number.ok_or_else(|| broken(format_args!("{text:.40?} is no number")))
}

fn rationals(all: &[String]) -> Result<Vec<Rational>, PredictError> {
    all.iter().map(|text| rational(text)).collect()
}

fn inputs(all: &[String]) -> Result<Vec<BigInt>, PredictError> {
    all.iter().map(|text| whole(text)).collect()
}

fn check(holds: bool, what: &str) -> Result<(), PredictError> {
    if holds { Ok(()) } else { Err(broken(what)) }
}

impl ServiceDocument {
    /// The service in a file.
    ///
    /// # Errors
    ///
    /// The document has another schema, or what it says cannot be.
    pub fn service(&self) -> Result<Service, PredictError> {
        check(
            self.schema == SCHEMA,
            &format!("its schema is {:?}, not {SCHEMA:?}", self.schema),
        )?;
        check(
            (1..=3).contains(&self.parameters.len()),
            "it has one to three parameters",
        )?;
        let functions = self.functions.iter().map(|one| self.function(one));
        Ok(Service {
            name: self.service.clone(),
            expression: self.expression.clone(),
            model: self.model,
            library: self.library.clone(),
            parameters: self.parameters.clone(),
            functions: functions.collect::<Result<_, _>>()?,
            ended: self.ended.as_ref().map(|at| inputs(at)).transpose()?,
        })
    }

    fn function(&self, document: &FunctionDocument) -> Result<Function, PredictError> {
        check(
            COUNTERS.contains(&document.of.as_str()),
            &format!("{:.40?} is no counter", document.of),
        )?;
        check(
            !document.points.is_empty() && !document.parts.is_empty(),
            "a function has points and parts",
        )?;
        let mut points = std::collections::BTreeMap::new();
        for point in &document.points {
            check(
                point.len() == self.parameters.len() + 1,
                "a point has a number for each parameter, and a value",
            )?;
            let (value, at) = point
                .split_last()
                .ok_or_else(|| broken("a point is empty"))?;
            points.insert(inputs(at)?, rational(value)?);
        }
        let parts = document.parts.iter().map(|one| self.part(one));
        let checked = document.checked.iter().map(|at| inputs(at));
        Ok(Function {
            table: Table {
                names: self.parameters.clone(),
                of: document.of.clone(),
                points,
            },
            parts: parts.collect::<Result<_, _>>()?,
            checked: checked.collect::<Result<_, _>>()?,
            refuted: document.refuted.as_ref().map(|at| inputs(at)).transpose()?,
            until: document.until.as_deref().map(whole).transpose()?,
        })
    }

    fn part(&self, document: &PartDocument) -> Result<Part, PredictError> {
        let class = match &document.function {
            ClassDocument::Sum { kind, terms } => self.sum(kind, terms)?,
            ClassDocument::Recurrence {
                stride,
                factors,
                begins,
                first,
            } => recurrence(*stride, factors, begins, first)?,
            ClassDocument::Regular {
                even,
                odd,
                begins,
                first,
            } => regular([even, odd], *begins, first)?,
            ClassDocument::Approximate {
                constant,
                terms,
                error,
            } => approximation(*constant, terms, *error)?,
            ClassDocument::Table => Class::Table,
        };
        let is_of_one = matches!(class, Class::Exact { .. } | Class::Table);
        check(
            is_of_one || self.parameters.len() == 1,
            "only sums have several parameters",
        )?;
        Ok(Part {
            contexts: document.contexts.clone(),
            begins: document.begins.as_deref().map(whole).transpose()?,
            fit: Fit {
                class,
                unknowns: document.numbers,
                from: document.from.as_deref().map(whole).transpose()?,
            },
        })
    }

    fn sum(&self, kind: &str, terms: &[(String, TermDocument)]) -> Result<Class, PredictError> {
        let known = KINDS.iter().find(|one| **one == kind);
        let kind = known.ok_or_else(|| broken(format_args!("{kind:.40?} is no kind of sum")))?;
        let terms = terms
            .iter()
            .map(|(factor, term)| Ok((rational(factor)?, self.term(term)?)));
        Ok(Class::Exact {
            kind,
            formula: Formula {
                names: self.parameters.clone(),
                terms: terms.collect::<Result<_, _>>()?,
            },
        })
    }

    fn term(&self, document: &TermDocument) -> Result<Term, PredictError> {
        let small = |number: u32| check(number <= MOST_SMALL, "a number of a term is too large");
        let jumps = |numbers: [&String; 3], sums: bool| {
            let [first, factor, more] = numbers;
            let (factor, more) = (whole(factor)?, whole(more)?);
            check(
                factor > BigInt::zero() && more >= BigInt::zero(),
                "thresholds do not grow",
            )?;
            Ok(Term::Jumps {
                first: whole(first)?,
                factor,
                more,
                sums,
            })
        };
        match document {
            TermDocument::Powers(powers) => {
                check(
                    powers.len() == self.parameters.len(),
                    "a power does not fit the parameters",
                )?;
                powers.iter().try_for_each(|power| small(*power))?;
                Ok(Term::Powers(powers.clone()))
            }
            TermDocument::Rest(period, rest, power) => {
                [*period, *rest, *power].into_iter().try_for_each(small)?;
                check(*period > 0, "a period is 0")?;
                Ok(Term::Rest {
                    period: *period,
                    rest: *rest,
                    power: *power,
                })
            }
            TermDocument::Log(more) => {
                small(more.unsigned_abs())?;
                Ok(Term::Log(*more))
            }
            TermDocument::TimesLog(more) => {
                small(more.unsigned_abs())?;
                Ok(Term::TimesLog(*more))
            }
            TermDocument::PowerBelow(more) => {
                small(more.unsigned_abs())?;
                Ok(Term::PowerBelow(*more))
            }
            TermDocument::Ones => Ok(Term::Ones),
            TermDocument::Part(divisor, more) => {
                small((*divisor).max(*more))?;
                check(*divisor > 0, "a divisor is 0")?;
                Ok(Term::Part(*divisor, *more))
            }
            TermDocument::Root => Ok(Term::Root),
            TermDocument::Jumps(first, factor, more) => jumps([first, factor, more], false),
            TermDocument::Thresholds(first, factor, more) => jumps([first, factor, more], true),
        }
    }
}

fn recurrence(
    stride: usize,
    factors: &[String],
    begins: &str,
    first: &[String],
) -> Result<Class, PredictError> {
    let fits = (1..=MOST_SMALL as usize).contains(&stride)
        && !factors.is_empty()
        && factors.len() <= MOST_NUMBERS
        && first.len() == stride * factors.len();
    check(fits, "the numbers of a recurrence do not fit each other")?;
    Ok(Class::Recurrence(Recurrence {
        stride,
        factors: rationals(factors)?,
        first: (whole(begins)?, rationals(first)?),
    }))
}

fn regular(
    steps: [&[Vec<String>]; 2],
    begins: usize,
    first: &[Vec<String>],
) -> Result<Class, PredictError> {
    let count = steps[0].len();
    let is_square =
        |all: &&[Vec<String>]| all.len() == count && all.iter().all(|row| row.len() == count);
    let fits = (1..=MOST_SMALL as usize).contains(&count)
        && steps.iter().all(is_square)
        && (1..=MOST_SMALL as usize).contains(&begins)
        && first.len() == begins
        && first.iter().all(|row| row.len() == count);
    check(
        fits,
        "the numbers of a 2-regular sequence do not fit each other",
    )?;
    let rows = |all: &[Vec<String>]| -> Result<Vec<_>, PredictError> {
        all.iter().map(|row| rationals(row)).collect()
    };
    Ok(Class::Regular(Regular {
        steps: [rows(steps[0])?, rows(steps[1])?],
        beginning: begins,
        first: rows(first)?,
    }))
}

fn approximation(
    constant: f64,
    terms: &[(f64, u32, u32)],
    error: f64,
) -> Result<Class, PredictError> {
    let is_small = |(factor, twelfths, log): &(f64, u32, u32)| {
        factor.is_finite() && *twelfths <= MOST_SMALL && *log <= MOST_SMALL
    };
    let fits = constant.is_finite() && error >= 0.0 && terms.iter().all(is_small);
    check(fits, "the numbers of an approximation are out of range")?;
    Ok(Class::Approximate(Approximation {
        constant,
        terms: terms.to_vec(),
        error,
    }))
}
