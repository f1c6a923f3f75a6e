//! Work inside primitives (counting model, 2.2): what a count of sends does not see, in integers that depend on the
//! operands alone. A primitive charges by the formulas of the model, whatever its implementation does.

/// Defines the counters. A line holds the name, the weight in hundredths of a nanosecond, and the charge.
macro_rules! counters {
    ($( $name:ident $text:literal $weight:literal, $doc:literal; )*) => {
        /// A counter of work inside primitives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Work { $( #[doc = $doc] $name, )* }

        impl Work {
            /// All counters, in the order of the model.
            pub const ALL: &'static [Work] = &[ $( Work::$name, )* ];

            /// Names, weights and charges, in the same order.
            const ROWS: &'static [(&'static str, u64, &'static str)] = &[ $( ($text, $weight, $doc), )* ];
        }
    };
}

counters! {
    Limbs "limbs" 24, "w(a) + w(b) + w(result), for each operation with a LargeInteger operand or result";
    Products "products" 34, "multiplication: ⌈m/n⌉·k(n), k(n) = n² for n ≤ 32, else 3·k(⌈n/2⌉) + 8n";
    Quotients "quotients" 60, "division: max(1, m−n+1)·(n + 16)";
    Roots "roots" 100, "square roots: 2n·(n + 16)";
    Radix "radix" 94, "digits of LargeIntegers: n·(n + 16)";
    Gcds "gcds" 286, "greatest common divisors: n·(m + 64)";
    Hashed "hashed" 21, "characters of a String whose hash is computed";
    Compared "compared" 1, "common prefix + 1 where sizes agree, 1 where they differ; characters searched for one character";
    Scanned "scanned" 68, "characters or elements looked at one by one";
    Searched "searched" 3, "distance to the hit or the end, and the length of the needle";
    Converted "converted" 60, "characters between encodings, numbers and text";
    Moved "moved" 3, "bytes copied or cleared; 8 a slot; 8 times that in new objects of 32,768 bytes and more";
    NumberBytes "numberBytes" 6, "16 for a Float result, 8 + 8·w for a LargeInteger result";
    FloatsPrinted "floatsPrinted" 22700, "Floats printed";
    FloatsRead "floatsRead" 8010, "Floats read";
    Elements "elements" 1740, "elements touched in primitives over collections; 1 a search by hash and a delivered message; 8 a character that is compiled";
    Frames "frames" 590, "frames that unwinding, handler search and contexts walk over";
    Switches "switches" 6670, "changes of the running process";
    RegexSteps "regexSteps" 66, "characters that decide on each match × nodes of the expression; of one that looks around, the steps of the matcher";
    FileBytes "fileBytes" 58, "bytes read and written";
}

/// Weights of the other components of the cost vector, in hundredths of a nanosecond.
pub(crate) mod weight {
    pub(crate) const STEP: u64 = 97;
    pub(crate) const SEND: u64 = 0;
    /// A send with its step.
    pub(crate) const SENT: u64 = SEND + STEP;
    pub(crate) const LOOP: u64 = 223;
    pub(crate) const ACTIVATION: u64 = 1010;
    pub(crate) const BLOCK: u64 = 1330;
    pub(crate) const CALLED: u64 = 963;
    pub(crate) const OBJECT: u64 = 1390;
}

/// The work of the components in [`Work::OTHERS`], in that order.
pub(crate) fn others_work(counts: [u64; Work::OTHERS.len()]) -> u64 {
    let weighted = counts.into_iter().zip(Work::OTHERS);
    weighted.fold(0, |sum: u64, (count, (_, weight))| {
        sum.saturating_add(count.saturating_mul(*weight))
    })
}

/// How many counters there are.
const WORK_COUNTERS: usize = Work::ALL.len();

impl Work {
    /// The other components of the cost vector that have a weight, and their weights.
    pub const OTHERS: &'static [(&'static str, u64)] = &[
        ("steps", weight::STEP),
        ("sends", weight::SEND),
        ("loop repetitions", weight::LOOP),
        ("activations", weight::ACTIVATION),
        ("blocks", weight::BLOCK),
        ("called primitives", weight::CALLED),
        ("objects", weight::OBJECT),
    ];

    /// The counter's name in the cost vector.
    pub fn name(self) -> &'static str {
        Work::ROWS[self as usize].0
    }

    /// What a unit costs, in hundredths of a nanosecond on the machine where the weights were set.
    pub fn weight(self) -> u64 {
        Work::ROWS[self as usize].1
    }

    /// The charge, as the model has it.
    pub fn doc(self) -> &'static str {
        Work::ROWS[self as usize].2
    }
}

/// The counters of work, and their weighted sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts {
    counts: [u64; WORK_COUNTERS],
    priced: u64,
}

impl WorkCounts {
    /// Adds to a counter.
    #[inline(always)]
    pub(crate) fn charge(&mut self, work: Work, amount: u64) {
        let count = &mut self.counts[work as usize];
        *count = count.saturating_add(amount);
        let price = amount.saturating_mul(work.weight());
        self.priced = self.priced.saturating_add(price);
    }

    /// Takes back a charge.
    pub(crate) fn take_back(&mut self, work: Work, amount: u64) {
        let count = &mut self.counts[work as usize];
        *count = count.saturating_sub(amount);
        let price = amount.saturating_mul(work.weight());
        self.priced = self.priced.saturating_sub(price);
    }

    /// The counter's value.
    pub fn get(&self, work: Work) -> u64 {
        self.counts[work as usize]
    }

    /// Σ weight × counter over these counters.
    pub fn priced(&self) -> u64 {
        self.priced
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, earlier: &WorkCounts) -> WorkCounts {
        let difference = |place: usize| self.counts[place].wrapping_sub(earlier.counts[place]);
        WorkCounts {
            counts: std::array::from_fn(difference),
            priced: self.priced.wrapping_sub(earlier.priced),
        }
    }

    /// This and the other together.
    pub fn plus(&self, other: &WorkCounts) -> WorkCounts {
        let sum = |place: usize| self.counts[place].wrapping_add(other.counts[place]);
        WorkCounts {
            counts: std::array::from_fn(sum),
            priced: self.priced.wrapping_add(other.priced),
        }
    }
}

/// The size of an integer in the model: max(1, ⌈bits / 64⌉).
pub(crate) fn words(limbs: usize) -> u64 {
    limbs.max(1) as u64
}

/// Sizes from which a multiplication is charged as three of half the size.
const LARGEST_SCHOOLBOOK: u64 = 32;

/// k(n), the charge of a multiplication of two integers of n words.
fn square(n: u64) -> u64 {
    if n <= LARGEST_SCHOOLBOOK {
        return n.saturating_mul(n);
    }
    let half = square(n.div_ceil(2));
    half.saturating_mul(3).saturating_add(n.saturating_mul(8))
}

/// The charge of a multiplication of integers of these sizes, in words.
pub(crate) fn products(a: u64, b: u64) -> u64 {
    let (n, m) = (a.min(b), a.max(b));
    m.div_ceil(n.max(1)).saturating_mul(square(n))
}

/// What finding a word of a quotient, of a root or of digits costs, whatever the size, in words.
const STEP: u64 = 16;

/// The same for a word by which Lehmer's algorithm shortens two integers.
const GCD_STEP: u64 = 64;

/// The charge of a division of integers of these sizes, in words; `n` is the divisor's.
pub(crate) fn quotients(m: u64, n: u64) -> u64 {
    let found = (m + 1).saturating_sub(n).max(1);
    found.saturating_mul(n.saturating_add(STEP))
}

/// The charge of a conversion between an integer of n words and its digits.
pub(crate) fn digits(n: u64) -> u64 {
    n.saturating_mul(n.saturating_add(STEP))
}

/// The charge of a square root of an integer of n words.
pub(crate) fn roots(n: u64) -> u64 {
    digits(n).saturating_mul(2)
}

/// The charge of a greatest common divisor of integers of these sizes, in words.
pub(crate) fn gcds(a: u64, b: u64) -> u64 {
    a.min(b).saturating_mul(a.max(b).saturating_add(GCD_STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_follow_the_formulas() {
        assert_eq!(products(1, 1), 1);
        assert_eq!(products(32, 32), 1024);
        // 3·k(17) + 8·33
        assert_eq!(products(33, 33), 3 * 289 + 264);
        assert_eq!(products(3, 7), 3 * 9);
        assert_eq!(products(7, 3), 3 * 9);
        assert_eq!(quotients(5, 2), 4 * 18);
        assert_eq!(quotients(2, 5), 21);
        assert_eq!(quotients(1, 1), 17);
        assert_eq!(digits(4), 80);
        assert_eq!(roots(4), 160);
        assert_eq!(gcds(2, 9), 2 * 73);
        assert_eq!(gcds(9, 2), 2 * 73);
    }

    #[test]
    fn the_sum_is_that_of_the_weighted_counters() {
        let mut counts = WorkCounts::default();
        for (amount, &work) in (1..).zip(Work::ALL) {
            counts.charge(work, amount);
        }
        let sum: u64 = Work::ALL
            .iter()
            .map(|&work| work.weight() * counts.get(work))
            .sum();
        assert_eq!(counts.priced(), sum);
        let twice = counts.plus(&counts);
        assert_eq!(twice.since(&counts), counts);
    }
}
