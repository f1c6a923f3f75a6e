//! Exact fractions, which parts of differences are: what a method sends in one call need not be a whole number. And sums of many of
//! them, which are put over one denominator only when they are asked for.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, Zero as _};
use serde::{Serialize, Serializer};

/// Digits that are shown of a denominator; longer fractions are rounded for people.
const SHOWN_DENOMINATOR: u32 = 999;

/// A fraction in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: BigInt,
    /// Positive.
    denominator: BigInt,
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio::from(0)
    }
}

impl From<i128> for Ratio {
    fn from(number: i128) -> Ratio {
        Ratio {
            numerator: BigInt::from(number),
            denominator: BigInt::one(),
        }
    }
}

impl Ratio {
    /// A fraction of two numbers; nothing if the lower one is zero.
    pub(crate) fn new(numerator: BigInt, denominator: BigInt) -> Ratio {
        if denominator.is_zero() {
            return Ratio::default();
        }
        let divisor = match denominator.is_one() {
            true => BigInt::one(),
            false => numerator.gcd(&denominator),
        };
        let divisor = match denominator.sign() {
            Sign::Minus => -divisor,
            _ => divisor,
        };
        match divisor.is_one() {
            true => Ratio {
                numerator,
                denominator,
            },
            false => Ratio {
                numerator: numerator / &divisor,
                denominator: denominator / divisor,
            },
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    /// Numerator and denominator in decimal digits, in lowest terms.
    pub fn digits(&self) -> (String, String) {
        (self.numerator.to_string(), self.denominator.to_string())
    }

    /// The sum.
    pub fn plus(&self, other: &Ratio) -> Ratio {
        if self.denominator == other.denominator {
            let sum = &self.numerator + &other.numerator;
            return Ratio::new(sum, self.denominator.clone());
        }
        Ratio::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }

    /// So many times a part of it.
    pub(crate) fn times(&self, factor: u64, divisor: u64) -> Ratio {
        if factor == divisor {
            return self.clone();
        }
        Ratio::new(&self.numerator * factor, &self.denominator * divisor)
    }

    /// Its size, whatever its sign.
    pub fn size(&self) -> Ratio {
        Ratio {
            numerator: self.numerator.abs(),
            denominator: self.denominator.clone(),
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        let (mine, others) = (
            &self.numerator * &other.denominator,
            &other.numerator * &self.denominator,
        );
        mine.cmp(&others)
    }
}

impl fmt::Display for Ratio {
    /// `=` for nothing, `+1,234`, `-7/3`; with a large denominator rounded to hundredths, after `≈`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("=");
        }
        let sign = if self.is_negative() { '-' } else { '+' };
        let numerator = self.numerator.abs();
        if self.denominator.is_one() {
            return write!(f, "{sign}{}", in_groups(&numerator));
        }
        if self.denominator <= BigInt::from(SHOWN_DENOMINATOR) {
            return write!(f, "{sign}{}/{}", in_groups(&numerator), self.denominator);
        }
        let twice = &self.denominator * 2;
        let hundredths: BigInt = (numerator * 200 + &self.denominator) / twice;
        let (whole, rest) = hundredths.div_rem(&BigInt::from(100));
        write!(f, "≈{sign}{}.{rest:0>2}", in_groups(&whole))
    }
}

fn in_groups(number: &BigInt) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Serialize for Ratio {
    /// `"7"`, `"-7/3"`: a text, for no other has room for all of it.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.denominator.is_one() {
            true => to.collect_str(&self.numerator),
            false => to.collect_str(&format_args!("{}/{}", self.numerator, self.denominator)),
        }
    }
}

/// A sum of fractions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    /// Numerators by denominators.
    parts: BTreeMap<BigInt, BigInt>,
}

impl Sum {
    pub(crate) fn add(&mut self, ratio: &Ratio) {
        match self.parts.get_mut(&ratio.denominator) {
            Some(sum) => *sum += &ratio.numerator,
            None => {
                let (numerator, denominator) = (&ratio.numerator, &ratio.denominator);
                self.parts.insert(denominator.clone(), numerator.clone());
            }
        }
    }

    /// The sum in lowest terms. Halves are added up first, so that large numbers meet as seldom as can be.
    pub(crate) fn finish(self) -> Ratio {
        let parts = self.parts.into_iter();
        let mut row: Vec<Ratio> = parts.map(|(of, count)| Ratio::new(count, of)).collect();
        while row.len() > 1 {
            let pairs = row.chunks(2).map(|pair| match pair {
                [one, other] => one.plus(other),
                rest => rest.first().cloned().unwrap_or_default(),
            });
            row = pairs.collect();
        }
        row.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Ratio {
        Ratio::new(numerator.into(), denominator.into())
    }

    #[test]
    fn fractions_are_in_lowest_terms_and_shown_with_signs() {
        let shown = [
            (0, 5),
            (6, 3),
            (-6, 4),
            (1234567, 1),
            (-22000, 7),
            (1, -2),
            (1, 0),
        ]
        .map(|(a, b)| ratio(a, b).to_string());
        assert_eq!(
            shown,
            ["=", "+2", "-3/2", "+1,234,567", "-22,000/7", "-1/2", "="]
        );
        assert_eq!(ratio(1, 1001).to_string(), "≈+0.00");
        assert_eq!(ratio(-1_234_567, 1001).to_string(), "≈-1,233.33");
        assert_eq!(
            ratio(5995, 1000).plus(&ratio(1, 1_000_000)).to_string(),
            "≈+6.00"
        );
        assert_eq!(serde_json::to_string(&ratio(-6, 4)).unwrap(), "\"-3/2\"");
        assert_eq!(ratio(6, -4).digits(), ("-3".to_string(), "2".to_string()));
        assert!(ratio(-1, 2) < ratio(1, 3) && ratio(-1, 2).size() > ratio(1, 3));
    }

    /// A multiple of every number below 30.
    const MULTIPLE: i64 = 2_329_089_562_800;

    proptest::proptest! {
        #[test]
        fn sums_are_exact_in_any_order(parts in proptest::collection::vec((-50i64..50, 1i64..30), 0..20)) {
            let mut sum = Sum::default();
            let mut one_by_one = Ratio::default();
            let mut expected = 0i128;
            for &(a, b) in &parts {
                sum.add(&ratio(a, b));
                one_by_one = one_by_one.plus(&ratio(a, b));
                expected += i128::from(a) * i128::from(MULTIPLE / b);
            }
            let sum = sum.finish();
            proptest::prop_assert_eq!(&sum, &one_by_one);
            let expected = Ratio::new(expected.into(), MULTIPLE.into());
            proptest::prop_assert_eq!(sum, expected);
        }
    }
}
