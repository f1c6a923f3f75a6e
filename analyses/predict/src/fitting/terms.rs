//! The terms of formulas: functions of whole parameters.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::pmf::Rational;

/// A function of the parameters, which are whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A product of powers, of which this lists the exponents. All 0 is the number 1.
    Powers(Vec<u32>),
    /// 1 if the parameter leaves this rest when it is divided by the period, times a power of it.
    Rest {
        /// The period.
        period: u32,
        /// The rest.
        rest: u32,
        /// The exponent.
        power: u32,
    },
    /// ⌊log₂(n + c)⌋, which is 0 where there is no logarithm.
    Log(i32),
    /// n·⌊log₂(n + c)⌋.
    TimesLog(i32),
    /// 2^⌊log₂(n + c)⌋, the largest power of two that is at most n + c, or 0.
    PowerBelow(i32),
    /// The ones in the binary digits of n.
    Ones,
    /// ⌊(n + c)/k⌋, with k and c.
    Part(u32, u32),
    /// ⌊√n⌋.
    Root,
    /// How many thresholds are at most n. Each is a multiple of the one before, and a number.
    Jumps {
        /// The first threshold.
        first: BigInt,
        /// By what each is multiplied.
        factor: BigInt,
        /// What is added then.
        more: BigInt,
        /// Whether the thresholds themselves are summed.
        sums: bool,
    },
}

fn log(n: &BigInt) -> BigInt {
    match n.is_positive() {
        true => BigInt::from(n.bits() - 1),
        false => BigInt::zero(),
    }
}

/// How many thresholds are at most n, or their sum.
fn thresholds(
    n: &BigInt,
    first: &BigInt,
    (factor, more): (&BigInt, &BigInt),
    sums: bool,
) -> BigInt {
    if first > n {
        return BigInt::zero();
    }
    if factor.is_one() && more.is_positive() {
        // They are equally far apart.
        let count = (n - first) / more + 1;
        let last = first + more * (&count - 1);
        return if sums {
            (first + last) * count / 2
        } else {
            count
        };
    }
    let (mut sum, mut threshold) = (BigInt::zero(), first.clone());
    while threshold <= *n {
        sum += if sums {
            threshold.clone()
        } else {
            BigInt::one()
        };
        let next = &threshold * factor + more;
        if next <= threshold {
            break;
        }
        threshold = next;
    }
    sum
}

impl Term {
    /// Its value.
    pub fn value(&self, parameters: &[BigInt]) -> Rational {
        let zero = BigInt::zero();
        let n = parameters.first().unwrap_or(&zero);
        Rational::from_integer(match self {
            Term::Powers(powers) => {
                let factors = parameters.iter().zip(powers);
                factors.map(|(one, power)| one.pow(*power)).product()
            }
            Term::Rest {
                period,
                rest,
                power,
            } => {
                let period = BigInt::from(*period);
                let found = ((n % &period) + &period) % &period;
                match found == BigInt::from(*rest) {
                    true => n.pow(*power),
                    false => zero,
                }
            }
            Term::Log(more) => log(&(n + more)),
            Term::TimesLog(more) => n * log(&(n + more)),
            Term::PowerBelow(more) => {
                let n = n + more;
                match n.is_positive() {
                    true => BigInt::one() << (n.bits() - 1),
                    false => zero,
                }
            }
            Term::Ones => {
                let (_, digits) = n.to_u64_digits();
                let ones = digits.iter().map(|digit| digit.count_ones());
                BigInt::from(ones.sum::<u32>())
            }
            Term::Part(divisor, more) => {
                num_integer::Integer::div_floor(&(n + more), &BigInt::from(*divisor))
            }
            Term::Root => match n.is_negative() {
                true => zero,
                false => n.sqrt(),
            },
            Term::Jumps {
                first,
                factor,
                more,
                sums,
            } => thresholds(n, first, (factor, more), *sums),
        })
    }

    /// The place of the term in sums: large terms come first, and jumps behind the number.
    fn rank(&self) -> (u32, std::cmp::Reverse<Vec<u32>>) {
        let (class, powers) = match self {
            Term::TimesLog(_) => (0, vec![]),
            Term::Powers(powers) if powers.iter().sum::<u32>() > 0 => {
                (1, [vec![powers.iter().sum()], powers.clone()].concat())
            }
            Term::Rest { power, .. } => (2, vec![*power]),
            Term::PowerBelow(_) => (3, vec![]),
            Term::Part(..) => (4, vec![]),
            Term::Root => (5, vec![]),
            Term::Log(_) => (6, vec![]),
            Term::Ones => (7, vec![]),
            Term::Powers(_) => (8, vec![]),
            Term::Jumps { sums, .. } => (9, vec![u32::from(*sums)]),
        };
        (class, std::cmp::Reverse(powers))
    }

    /// The term as a part of a formula, with the names of the parameters.
    pub fn text(&self, names: &[String]) -> String {
        let name = names.first().map_or("n", String::as_str);
        let power = |name: &str, power: u32| match power {
            1 => name.to_string(),
            _ => format!("{name}^{power}"),
        };
        match self {
            Term::Powers(powers) => {
                let factors = names.iter().zip(powers);
                let factors = factors.filter(|(_, exponent)| **exponent > 0);
                let factors = factors.map(|(name, exponent)| power(name, *exponent));
                factors.collect::<Vec<_>>().join("*")
            }
            Term::Rest {
                period,
                rest,
                power: exponent,
            } => {
                let test = format!("[{name} mod {period} = {rest}]");
                match exponent {
                    0 => test,
                    _ => format!("{test}*{}", power(name, *exponent)),
                }
            }
            Term::Log(more) => log_text(name, *more),
            Term::TimesLog(more) => format!("{name}*{}", log_text(name, *more)),
            Term::PowerBelow(more) => format!("2^{}", log_text(name, *more)),
            Term::Ones => format!("popcount({name})"),
            Term::Part(divisor, 0) => format!("floor({name}/{divisor})"),
            Term::Part(divisor, more) => format!("floor(({name} + {more})/{divisor})"),
            Term::Root => format!("floor(sqrt({name}))"),
            Term::Jumps {
                first,
                factor,
                more,
                sums,
            } => {
                let what = if *sums { "thresholds" } else { "jumps" };
                format!("{what}({first}, {factor}, {more})")
            }
        }
    }
}

fn log_text(name: &str, more: i32) -> String {
    let sign = if more < 0 { '-' } else { '+' };
    match more {
        0 => format!("floor(log2({name}))"),
        _ => format!("floor(log2({name} {sign} {}))", more.abs()),
    }
}

/// A sum of terms with factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The names of the parameters.
    pub names: Vec<String>,
    /// The terms with their factors, none of which is 0.
    pub terms: Vec<(Rational, Term)>,
}

impl Formula {
    /// The formula of these terms, without those whose factor is 0.
    pub(super) fn of(
        names: &[String],
        terms: impl IntoIterator<Item = (Rational, Term)>,
    ) -> Formula {
        let terms = terms.into_iter().filter(|(factor, _)| !factor.is_zero());
        Formula {
            names: names.to_vec(),
            terms: terms.collect(),
        }
    }

    /// The sum of no terms.
    pub(crate) fn zero(names: &[String]) -> Formula {
        Formula::of(names, [])
    }

    /// Its value, if it has no parameter.
    pub(crate) fn constant(&self) -> Option<Rational> {
        match self.terms.as_slice() {
            [] => Some(Rational::zero()),
            [(factor, Term::Powers(powers))] if powers.iter().all(Zero::is_zero) => {
                Some(factor.clone())
            }
            _ => None,
        }
    }

    /// Adds another formula of the same parameters. Equal terms become one.
    pub(crate) fn add(&mut self, other: &Formula) {
        for (factor, term) in &other.terms {
            match self.terms.iter_mut().find(|(_, known)| known == term) {
                Some((sum, _)) => *sum += factor,
                None => self.terms.push((factor.clone(), term.clone())),
            }
        }
        self.terms.retain(|(factor, _)| !factor.is_zero());
        self.terms.sort_by_key(|(_, term)| term.rank());
    }

    /// Its value.
    pub fn value(&self, parameters: &[BigInt]) -> Rational {
        let terms = self.terms.iter();
        terms
            .map(|(factor, term)| factor * term.value(parameters))
            .sum()
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.terms.iter();
        let terms = terms.map(|(factor, term)| (factor, term.text(&self.names)));
        f.write_str(&sum_text(terms))
    }
}

/// A sum of terms with factors. A term without a text is the number 1.
pub(super) fn sum_text<'t>(terms: impl Iterator<Item = (&'t Rational, String)>) -> String {
    let mut text = String::new();
    for (factor, term) in terms {
        text.push_str(match (text.is_empty(), factor.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let factor = factor.abs();
        text.push_str(&match (factor.is_one(), term.is_empty()) {
            (_, true) => factor.to_string(),
            (true, false) => term,
            (false, false) => format!("{factor}*{term}"),
        });
    }
    if text.is_empty() {
        "0".to_string()
    } else {
        text
    }
}
