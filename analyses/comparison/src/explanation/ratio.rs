//! Exact fractions for the parts of differences, because the sends per call need not be a whole number. A sum of many
//! fractions is put over one denominator only when its value is needed.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, Zero as _};
use serde::{Serialize, Serializer};
use tally_presentation::number::in_groups;

/// A fraction in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ratio(Terms);

/// Numerator and denominator, which is positive. What fits into the small form is in it, so that equal fractions look alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Terms {
    Small(i128, i128),
    Large(Box<(BigInt, BigInt)>),
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio(Terms::Small(0, 1))
    }
}

impl From<i128> for Ratio {
    fn from(number: i128) -> Ratio {
        Ratio(Terms::Small(number, 1))
    }
}

impl Ratio {
    /// A fraction of two numbers; nothing if the lower one is zero.
    pub(crate) fn new(numerator: BigInt, denominator: BigInt) -> Ratio {
        if denominator.is_zero() {
            return Ratio::default();
        }
        let divisor = numerator.gcd(&denominator);
        let divisor = match denominator.sign() {
            Sign::Minus => -divisor,
            _ => divisor,
        };
        let (numerator, denominator) = (numerator / &divisor, denominator / divisor);
        Ratio(
            match (i128::try_from(&numerator), i128::try_from(&denominator)) {
                (Ok(numerator), Ok(denominator)) => Terms::Small(numerator, denominator),
                _ => Terms::Large(Box::new((numerator, denominator))),
            },
        )
    }

    /// The same of small numbers, the lower one positive.
    pub(crate) fn small(numerator: i128, denominator: i128) -> Ratio {
        if denominator == 1 {
            return Ratio::from(numerator);
        }
        let divisor = numerator.gcd(&denominator).max(1);
        Ratio(Terms::Small(numerator / divisor, denominator / divisor))
    }

    fn numerator(&self) -> BigInt {
        match &self.0 {
            Terms::Small(numerator, _) => BigInt::from(*numerator),
            Terms::Large(terms) => terms.0.clone(),
        }
    }

    fn denominator(&self) -> BigInt {
        match &self.0 {
            Terms::Small(_, denominator) => BigInt::from(*denominator),
            Terms::Large(terms) => terms.1.clone(),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Terms::Small(0, _))
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Terms::Small(numerator, _) => *numerator < 0,
            Terms::Large(terms) => terms.0.is_negative(),
        }
    }

    /// Whether it is a whole number.
    fn is_whole(&self) -> bool {
        matches!(self.0, Terms::Small(_, 1)) || self.denominator().is_one()
    }

    /// Numerator and denominator in decimal digits, in lowest terms.
    pub fn digits(&self) -> (String, String) {
        (self.numerator().to_string(), self.denominator().to_string())
    }

    /// The sum.
    pub fn plus(&self, other: &Ratio) -> Ratio {
        if let (Terms::Small(a, of_a), Terms::Small(b, of_b)) = (&self.0, &other.0) {
            let sum = match of_a == of_b {
                true => a.checked_add(*b).map(|sum| (sum, *of_a)),
                false => small_sum((*a, *of_a), (*b, *of_b)),
            };
            if let Some((numerator, denominator)) = sum {
                return Ratio::small(numerator, denominator);
            }
        }
        let (of_mine, of_others) = (self.denominator(), other.denominator());
        Ratio::new(
            self.numerator() * &of_others + other.numerator() * &of_mine,
            of_mine * of_others,
        )
    }

    /// The product of a number and a part of it.
    pub(crate) fn times(&self, factor: u64, divisor: u64) -> Ratio {
        if factor == divisor {
            return self.clone();
        }
        if let Terms::Small(numerator, denominator) = &self.0 {
            let (factor, divisor) = (i128::from(factor), i128::from(divisor));
            let terms = (
                numerator.checked_mul(factor),
                denominator.checked_mul(divisor),
            );
            if let (Some(numerator), Some(denominator)) = terms {
                return Ratio::small(numerator, denominator);
            }
        }
        Ratio::new(self.numerator() * factor, self.denominator() * divisor)
    }

    /// The bits of its numerator and its denominator.
    pub(super) fn bits(&self) -> u64 {
        match &self.0 {
            Terms::Small(..) => 0,
            Terms::Large(terms) => terms.0.bits() + terms.1.bits(),
        }
    }

    /// Its size, whatever its sign.
    pub fn size(&self) -> Ratio {
        match (&self.0, self.is_negative()) {
            (_, false) => self.clone(),
            (Terms::Small(numerator, denominator), true) if *numerator > i128::MIN => {
                Ratio::small(-numerator, *denominator)
            }
            _ => Ratio::new(-self.numerator(), self.denominator()),
        }
    }
}

/// The sum of two fractions, if it stays small.
fn small_sum((a, of_a): (i128, i128), (b, of_b): (i128, i128)) -> Option<(i128, i128)> {
    let sum = a.checked_mul(of_b)?.checked_add(b.checked_mul(of_a)?)?;
    Some((sum, of_a.checked_mul(of_b)?))
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        if let (Terms::Small(a, of_a), Terms::Small(b, of_b)) = (&self.0, &other.0)
            && let (Some(mine), Some(others)) = (a.checked_mul(*of_b), b.checked_mul(*of_a))
        {
            return mine.cmp(&others);
        }
        let mine = self.numerator() * other.denominator();
        mine.cmp(&(other.numerator() * self.denominator()))
    }
}

impl fmt::Display for Ratio {
    /// `=` for nothing, `+1,234`, `+6.5`; other fractions are rounded for people, after `≈`: to tenths below 100, else to whole
    /// numbers. The exact fraction is in JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("=");
        }
        let sign = if self.is_negative() { '-' } else { '+' };
        let (numerator, denominator) = (self.numerator().abs(), self.denominator());
        let rounded = |scale: u32| -> BigInt {
            let twice = &denominator * 2;
            (&numerator * (2 * scale) + &denominator) / twice
        };
        if denominator.is_one() {
            return write!(f, "{sign}{}", in_groups(&numerator.to_string()));
        }
        if numerator >= &denominator * 100 {
            return write!(f, "≈{sign}{}", in_groups(&rounded(1).to_string()));
        }
        let remainder: BigInt = &numerator * 10 % &denominator;
        let is_exact = remainder.sign() == num_bigint::Sign::NoSign;
        let (whole, tenths) = rounded(10).div_rem(&BigInt::from(10));
        let about = if is_exact { "" } else { "≈" };
        write!(f, "{about}{sign}{whole}.{tenths}")
    }
}

impl Serialize for Ratio {
    /// `"7"`, `"-7/3"`: a text, for no other has room for all of it.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.is_whole() {
            true => to.collect_str(&self.numerator()),
            false => to.collect_str(&format_args!("{}/{}", self.numerator(), self.denominator())),
        }
    }
}

/// The excess over proportional growth: `after - of_after * before / of_before`.
pub(super) fn beyond([after, of_after]: [u64; 2], [before, of_before]: [u64; 2]) -> Ratio {
    let wide = |number: u64| i128::from(number);
    let product = |a: u64, b: u64| wide(a).checked_mul(wide(b));
    let small = product(after, of_before).zip(product(of_after, before));
    if let Some(difference) = small.and_then(|(a, b)| a.checked_sub(b))
        && of_before > 0
    {
        return Ratio::small(difference, wide(of_before));
    }
    let difference = BigInt::from(after) * of_before - BigInt::from(of_after) * before;
    Ratio::new(difference, of_before.into())
}

/// A sum of fractions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    /// The whole part. It is kept apart because it is most of the sum.
    whole: i128,
    /// Sums by denominators.
    parts: BTreeMap<BigInt, Ratio>,
}

impl Sum {
    pub(crate) fn add(&mut self, ratio: &Ratio) {
        if let Terms::Small(numerator, 1) = ratio.0
            && let Some(sum) = self.whole.checked_add(numerator)
        {
            self.whole = sum;
            return;
        }
        let sum = self.parts.entry(ratio.denominator()).or_default();
        *sum = sum.plus(ratio);
    }

    /// The sum in lowest terms. Halves are added up first, so that large numbers meet as seldom as can be.
    pub(crate) fn finish(self) -> Ratio {
        let mut row: Vec<Ratio> = self.parts.into_values().collect();
        row.push(Ratio::from(self.whole));
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
            ["=", "+2", "-1.5", "+1,234,567", "≈-3,143", "-0.5", "="]
        );
        assert_eq!(ratio(1, 1001).to_string(), "≈+0.0");
        assert_eq!(ratio(-1_234_567, 1001).to_string(), "≈-1,233");
        assert_eq!(
            ratio(5995, 1000).plus(&ratio(1, 1_000_000)).to_string(),
            "≈+6.0"
        );
        assert_eq!(serde_json::to_string(&ratio(-6, 4)).unwrap(), "\"-3/2\"");
        assert_eq!(ratio(6, -4).digits(), ("-3".to_string(), "2".to_string()));
        assert!(ratio(-1, 2) < ratio(1, 3) && ratio(-1, 2).size() > ratio(1, 3));
    }

    /// Where the small form ends.
    #[test]
    fn large_fractions_are_as_exact_as_small_ones() {
        let large = Ratio::from(i128::MAX).plus(&Ratio::from(1));
        assert_eq!(large.digits().0, "170141183460469231731687303715884105728");
        assert_eq!(large.plus(&Ratio::from(-1)), Ratio::from(i128::MAX));
        assert!(large > Ratio::from(i128::MAX) && !large.is_zero());
        let least = Ratio::from(i128::MIN);
        assert_eq!(least.size(), large);
        assert_eq!(least.plus(&large), Ratio::default());
        let third = ratio(1, 3).times(u64::MAX, 7).times(u64::MAX, 11);
        assert_eq!(third.times(7, u64::MAX).times(11, u64::MAX), ratio(1, 3));
        let tiny = third
            .times(1, u64::MAX)
            .times(1, u64::MAX)
            .times(1, u64::MAX);
        assert!(tiny > Ratio::default() && tiny < ratio(1, i64::MAX));
        let mut sum = Sum::default();
        for ratio in [&large, &tiny, &least, &third] {
            sum.add(ratio);
        }
        assert_eq!(sum.finish(), tiny.plus(&third));
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
