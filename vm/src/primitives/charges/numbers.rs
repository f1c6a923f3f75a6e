//! The charges of arithmetic, and of reading and printing numbers.

use super::{Bill, Charge, Simple};
use crate::base::{Known, Value};
use crate::counting::{Work, digits, gcds, products, quotients, roots, words};
use crate::machine::Vm;
use crate::run::Args;

/// Bytes that the model charges for a Float.
pub(crate) const FLOAT_BYTES: u64 = 16;

/// The size of an integer in the model, w, and whether it is a LargeInteger.
#[derive(Clone, Copy)]
struct Size {
    words: u64,
    is_large: bool,
}

fn is_large(vm: &Vm, value: Value) -> bool {
    value.is_object()
        && (vm.is_a(value, Known::LargePositiveInteger)
            || vm.is_a(value, Known::LargeNegativeInteger))
}

/// The size, if it is an integer.
fn size(vm: &Vm, value: Value) -> Option<Size> {
    let is_large = is_large(vm, value);
    let words = match is_large {
        true => words(vm.heap.limbs(value).len()),
        false if value.is_int() => 1,
        false => return None,
    };
    Some(Size { words, is_large })
}

/// The sizes of receiver and argument, if they are integers and one of them is large.
fn large_sizes(vm: &Vm, args: Args) -> Option<[Size; 2]> {
    let sizes = [size(vm, args.receiver(vm))?, size(vm, args.at(vm, 0))?];
    sizes.iter().any(|size| size.is_large).then_some(sizes)
}

/// The bytes of a number that was made.
fn with_number(vm: &Vm, bill: Bill, answer: Value) -> Bill {
    match size(vm, answer) {
        Some(size) if size.is_large => bill.and(Work::NumberBytes, 8 + 8 * size.words),
        None if vm.is_a(answer, Known::Float) => bill.and(Work::NumberBytes, FLOAT_BYTES),
        _ => bill,
    }
}

/// Limbs of the operands that are integers and of the answer, if one of them is large, and the answer's bytes.
fn limbs(vm: &Vm, args: Args, answer: Value) -> Option<Bill> {
    let arguments = (0..args.count).map(|index| args.at(vm, index));
    let values = [args.receiver(vm), answer].into_iter().chain(arguments);
    let mut sum = Size {
        words: 0,
        is_large: false,
    };
    for size in values.filter_map(|value| size(vm, value)) {
        sum.words += size.words;
        sum.is_large |= size.is_large;
    }
    let limbs = match sum.is_large {
        true => Bill::of(Work::Limbs, sum.words),
        false => Bill::default(),
    };
    Some(with_number(vm, limbs, answer))
}

const SUM_OF: &str = "`limbs` w(a) + w(b) + w(result) if one of them is large; `numberBytes` of a large result or a Float";

/// Sums, differences, bits.
pub(crate) const SUM: Charge = Charge {
    simple: Simple::Numbers,
    ..Charge::after(SUM_OF, limbs)
};

/// The same of one operand.
pub(crate) const LIMBS: Charge = Charge::after(SUM_OF, limbs);

/// Comparisons of integers.
pub(crate) const COMPARISON: Charge = Charge {
    simple: Simple::Numbers,
    ..Charge::before("`limbs` w(a) + w(b) if one of them is large", |vm, args| {
        let [a, b] = large_sizes(vm, args)?;
        Some(Bill::of(Work::Limbs, a.words + b.words))
    })
};

/// Products.
pub(crate) const PRODUCT: Charge = Charge {
    formula: "as a sum, and `products` ⌈m/n⌉·k(n)",
    simple: Simple::Numbers,
    before: |vm, args| {
        let [a, b] = large_sizes(vm, args)?;
        Some(Bill::of(Work::Products, products(a.words, b.words)))
    },
    after: |vm, args, answer| {
        let bill = limbs(vm, args, answer)?;
        let overflows = is_large(vm, answer) && large_sizes(vm, args).is_none();
        Some(match overflows {
            true => bill.and(Work::Products, 1),
            false => bill,
        })
    },
    ..Charge::NONE
};

/// Quotients and remainders.
pub(crate) const QUOTIENT: Charge = Charge {
    formula: "as a sum, and `quotients` max(1, m−n+1)·(n + 16), n the divisor's",
    simple: Simple::Numbers,
    before: |vm, args| {
        let [dividend, divisor] = large_sizes(vm, args)?;
        let is_zero = args.at(vm, 0) == Value::int(0);
        let bill = Bill::of(Work::Quotients, quotients(dividend.words, divisor.words));
        (!is_zero).then_some(bill)
    },
    after: limbs,
    // A division that leaves a remainder has been made.
    is_kept: true,
};

/// Greatest common divisors.
pub(crate) const GCD: Charge = Charge {
    formula: "as a sum, and `gcds` n·(m + 64)",
    simple: Simple::Never,
    before: |vm, args| {
        let [a, b] = large_sizes(vm, args)?;
        Some(Bill::of(Work::Gcds, gcds(a.words, b.words)))
    },
    after: limbs,
    ..Charge::NONE
};

/// The size of a LargeInteger.
fn large_words(vm: &Vm, value: Value) -> Option<u64> {
    let large = size(vm, value).filter(|size| size.is_large)?;
    Some(large.words)
}

/// Square roots of integers.
pub(crate) const ROOT: Charge = Charge {
    formula: "as a sum, and `roots` 2n·(n + 16)",
    simple: Simple::Never,
    before: |vm, args| {
        let is_positive = vm.is_a(args.receiver(vm), Known::LargePositiveInteger);
        let words = large_words(vm, args.receiver(vm)).filter(|_| is_positive)?;
        Some(Bill::of(Work::Roots, roots(words)))
    },
    after: limbs,
    ..Charge::NONE
};

/// Bits up to which a power of a remainder is computed at once: those of the exponent, and those of the modulus.
pub(crate) const MODULO_BITS: u64 = 1 << 16;

/// How many bits a positive integer has.
fn bits(vm: &Vm, value: Value) -> Option<u64> {
    if let Some(small) = value.as_int() {
        let magnitude = u64::try_from(small).ok()?;
        return Some(u64::from(u64::BITS - magnitude.leading_zeros()));
    }
    let is_positive = vm.is_a(value, Known::LargePositiveInteger);
    let limbs = is_positive.then(|| vm.heap.limbs(value))?;
    let highest = limbs.last()?;
    Some(64 * limbs.len() as u64 - u64::from(highest.leading_zeros()))
}

/// Powers that leave remainders: for each bit of the exponent at most two products and two quotients.
pub(crate) const MODULAR_POWER: Charge = Charge {
    formula: "as a sum, and for each bit of the exponent 2·k(n) `products` and 2·(n + 1)·(n + 16) `quotients`, n the modulus's",
    simple: Simple::Never,
    before: |vm, args| {
        size(vm, args.receiver(vm))?;
        let (bits, n) = (bits(vm, args.at(vm, 0))?, size(vm, args.at(vm, 1))?.words);
        let is_modulus = n <= MODULO_BITS / 64 && args.at(vm, 1) != Value::int(0);
        let is_taken = is_modulus && bits <= MODULO_BITS;
        let rounds = is_taken.then_some(2 * bits)?;
        let bill = Bill::of(Work::Products, rounds.saturating_mul(products(n, n)));
        Some(bill.and(Work::Quotients, rounds.saturating_mul(quotients(2 * n, n))))
    },
    after: limbs,
    ..Charge::NONE
};

/// Digits of an integer.
pub(crate) const DIGITS: Charge = Charge {
    formula: "`radix` n·(n + 16) of a large integer; `converted` the characters of the result",
    simple: Simple::Never,
    before: |vm, args| {
        let is_base = |index| {
            args.at(vm, index)
                .as_int()
                .is_some_and(|base| (2..=36).contains(&base))
        };
        (0..args.count).all(is_base).then_some(())?;
        let words = large_words(vm, args.receiver(vm))?;
        Some(Bill::of(Work::Radix, digits(words)))
    },
    after: |vm, _, answer| {
        let characters = super::texts::length(vm, answer)?;
        Some(Bill::of(Work::Converted, characters))
    },
    ..Charge::NONE
};

/// Arithmetic and comparison of Floats.
pub(crate) const FLOATS: Charge = Charge {
    simple: Simple::Numbers,
    ..Charge::after(FLOAT_OF, number)
};

/// Functions of Floats.
pub(crate) const FUNCTION: Charge = Charge::after(FLOAT_OF, number);

const FLOAT_OF: &str = "`numberBytes` of a Float or LargeInteger that is the result";

fn number(vm: &Vm, _: Args, answer: Value) -> Option<Bill> {
    Some(with_number(vm, Bill::default(), answer))
}

/// Digits of a Float.
pub(crate) const FLOAT_DIGITS: Charge = Charge::after("`floatsPrinted` 1", |_, _, _| {
    Some(Bill::of(Work::FloatsPrinted, 1))
});

/// The size in bits up to which a number may be read. To read a larger one would pass the limit on work. A number of one word
/// is always read.
pub(crate) fn most_bits_read(vm: &Vm) -> u64 {
    let words = vm.affordable(Work::Radix).isqrt();
    64 * words.max(1)
}

/// Numbers from text.
pub(crate) const READ_NUMBER: Charge = Charge::after(
    "`floatsRead` 1 for a Float; for an integer `converted` the characters, and `radix` n·(n + 16) of a large one; `numberBytes`",
    |vm, args, answer| {
        let bill = match vm.is_a(answer, Known::Float) {
            true => Bill::of(Work::FloatsRead, 1),
            false => {
                let characters = super::texts::length(vm, args.receiver(vm))?;
                let radix = large_words(vm, answer).map_or(0, digits);
                Bill::of(Work::Converted, characters).and(Work::Radix, radix)
            }
        };
        Some(with_number(vm, bill, answer))
    },
);
