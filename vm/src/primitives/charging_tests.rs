//! Formulas against small implementations that count each step, on random operands.

use num_bigint::BigInt;

use super::testing::{charged, machine};
use crate::base::Value;
use crate::counting::Work;

/// Random numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }

    /// A text of few letters, so that parts of it occur again.
    fn text(&mut self, most: u64) -> String {
        (0..self.below(most + 1))
            .map(|_| if self.below(4) == 0 { 'b' } else { 'a' })
            .collect()
    }

    fn integer(&mut self, words: u64) -> BigInt {
        let digits = (0..words)
            .map(|_| self.below(1 << 31) as u32 | 1 << 30)
            .collect();
        BigInt::new(num_bigint::Sign::Plus, digits)
    }
}

const ROUNDS: usize = if cfg!(miri) { 5 } else { 500 };

/// Characters compared until two texts differ, the differing one included.
fn compared(a: &str, b: &str) -> u64 {
    let mut steps = 0;
    for (x, y) in a.chars().zip(b.chars()) {
        steps += 1;
        if x != y {
            return steps;
        }
    }
    steps + 1
}

#[test]
fn comparisons_look_at_as_many_characters() {
    let (mut vm, mut numbers) = (machine(), Numbers(1));
    for _ in 0..ROUNDS {
        let (a, b) = (numbers.text(200), numbers.text(200));
        let values = [vm.make_string(&a), vm.make_string(&b)];
        let equal = if a.len() == b.len() {
            compared(&a, &b)
        } else {
            1
        };
        assert_eq!(
            charged(&mut vm, "stringEqual", &values, Work::Compared),
            equal
        );
        let order = compared(&a, &b);
        assert_eq!(
            charged(&mut vm, "stringCompare", &values, Work::Compared),
            order
        );
        let common = format!("{a}{b}");
        let values = [vm.make_string(&common), vm.make_string(&common)];
        let equal = compared(&common, &common);
        assert_eq!(
            charged(&mut vm, "stringEqual", &values, Work::Compared),
            equal
        );
    }
}

#[test]
fn searches_go_from_the_start_to_the_hit_or_the_end() {
    let (mut vm, mut numbers) = (machine(), Numbers(2));
    for _ in 0..ROUNDS {
        let (whole, needle) = (numbers.text(30), numbers.text(4));
        let start = numbers.below(whole.len() as u64 + 1);
        let values = [
            vm.make_string(&whole),
            vm.make_string(&needle),
            Value::int(start as i64 + 1),
        ];
        let mut steps = needle.len() as u64;
        for at in start as usize..whole.len() {
            steps += 1;
            if !needle.is_empty() && whole[at..].starts_with(&needle) {
                break;
            }
        }
        assert_eq!(
            charged(&mut vm, "stringFindString", &values, Work::Searched),
            steps
        );
        let values = [values[0], Value::character(u32::from('b')), values[2]];
        let looked = whole[start as usize..]
            .find('b')
            .map(|distance| distance + 1);
        let looked = looked.unwrap_or(whole.len() - start as usize) as u64;
        assert_eq!(
            charged(&mut vm, "stringIndexOf", &values, Work::Compared),
            looked
        );
    }
}

#[test]
fn products_and_quotients_count_those_of_pairs_of_words() {
    let (mut vm, mut numbers) = (machine(), Numbers(3));
    for _ in 0..ROUNDS {
        // Words of 64 bits, two digits each. The larger number has a multiple of the smaller one's words.
        let n = 1 + numbers.below(8);
        let m = n * (1 + numbers.below(4));
        let (a, b) = (numbers.integer(2 * m), numbers.integer(2 * n));
        let values = [vm.make_integer(&a), vm.make_integer(&b)];
        let (mut products, mut quotients) = (0, 0);
        for _ in 0..m {
            for _ in 0..n {
                products += 1;
            }
        }
        for _ in n..=m {
            for _ in 0..n + 16 {
                quotients += 1;
            }
        }
        assert_eq!(
            charged(&mut vm, "integerMultiply", &values, Work::Products),
            products
        );
        assert_eq!(
            charged(&mut vm, "integerQuotient", &values, Work::Quotients),
            quotients
        );
        let sum = (&a + &b).iter_u64_digits().count() as u64;
        assert_eq!(
            charged(&mut vm, "integerAdd", &values, Work::Limbs),
            m + n + sum
        );
    }
}

#[test]
fn powers_that_leave_remainders_count_the_bits_of_the_exponent() {
    let mut vm = machine();
    for (exponent, bits) in [(0, 0), (1, 1), (5, 3), (255, 8), (1 << 40, 41)] {
        let values = [3, exponent, 7].map(Value::int);
        let products = charged(&mut vm, "integerRaisedToModulo", &values, Work::Products);
        assert_eq!(products, 2 * bits, "{exponent}");
        let quotients = charged(&mut vm, "integerRaisedToModulo", &values, Work::Quotients);
        assert_eq!(quotients, 2 * bits * 2 * 17, "{exponent}");
    }
}
