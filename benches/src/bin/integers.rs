//! The time of the machine's arithmetic on limbs beside num-bigint's on the same operands, from 2 to 100,000 limbs. The
//! target is 1.5 for multiplication, division, conversion to and from digits, and greatest common divisors. It is
//! printed, not asserted.

use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use clap::Parser;
use num_bigint::BigUint;
use num_integer::Integer as _;
use tally_vm::limbs;

/// Ratios of times, ours to num-bigint's.
#[derive(Parser)]
struct Options {
    /// The most limbs.
    #[arg(long, default_value_t = 100_000)]
    most: usize,
    /// The most limbs for greatest common divisors, which num-bigint takes the square of them for.
    #[arg(long, default_value_t = 10_000)]
    most_for_gcd: usize,
    /// Rounds, of which the fastest of each side counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only operations whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Operands: `a` and `b` of the same size, `long` of twice that, and `a` in decimal.
struct Operands {
    a: Vec<u64>,
    b: Vec<u64>,
    long: Vec<u64>,
    digits: Vec<u8>,
}

/// An operation of both sides; each does it once.
struct Operation {
    name: &'static str,
    ours: fn(&Operands, &mut [Vec<u64>; 3]),
    theirs: fn(&[BigUint; 3], &[u8]),
}

const OPERATIONS: &[Operation] = &[
    Operation {
        name: "add",
        ours: |o, [out, ..]| limbs::add(&o.a, &o.b, out),
        theirs: |[a, b, _], _| drop(black_box(a + b)),
    },
    Operation {
        name: "multiply",
        ours: |o, [out, ..]| limbs::multiply(&o.a, &o.b, out),
        theirs: |[a, b, _], _| drop(black_box(a * b)),
    },
    Operation {
        name: "multiply with twice the size",
        ours: |o, [out, ..]| limbs::multiply(&o.long, &o.b, out),
        theirs: |[_, b, long], _| drop(black_box(long * b)),
    },
    Operation {
        name: "divide twice the size",
        ours: |o, [out, rest, work]| limbs::divide(&o.long, &o.b, out, rest, work),
        theirs: |[_, b, long], _| drop(black_box(long.div_rem(b))),
    },
    Operation {
        name: "gcd",
        ours: |o, [out, ..]| limbs::gcd(&o.a, &o.b, out),
        theirs: |[a, b, _], _| drop(black_box(a.gcd(b))),
    },
    Operation {
        name: "to digits",
        ours: |o, _| drop(black_box(limbs::digits(&o.a, 10))),
        theirs: |[a, ..], _| drop(black_box(a.to_str_radix(10))),
    },
    Operation {
        name: "from digits",
        ours: |o, [out, ..]| limbs::from_digits(&o.digits, 10, out),
        theirs: |_, digits| drop(black_box(BigUint::parse_bytes(digits, 10))),
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let sizes = [
        2, 3, 5, 10, 20, 32, 40, 50, 64, 80, 100, 200, 500, 1000, 3000, 10_000, 30_000, 100_000,
    ];
    for operation in OPERATIONS.iter().filter(|o| o.name.contains(&options.only)) {
        let most = match operation.name {
            "gcd" => options.most.min(options.most_for_gcd),
            _ => options.most,
        };
        let mut line = format!("{:<32}", operation.name);
        for &size in sizes.iter().filter(|&&size| size <= most) {
            let (ours, theirs) = measure(operation, &operands(size), options.rounds);
            write!(line, " {size}:{:.2}", ours / theirs)?;
        }
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

/// Operands of a size, the same in every run.
fn operands(size: usize) -> Operands {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut numbers = |count: usize| -> Vec<u64> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count).map(|_| next() | 1).collect()
    };
    let a = numbers(size);
    Operands {
        b: numbers(size),
        long: numbers(2 * size),
        digits: limbs::digits(&a, 10),
        a,
    }
}

/// Seconds that both sides take for one operation, the fastest of all rounds.
fn measure(operation: &Operation, operands: &Operands, rounds: usize) -> (f64, f64) {
    let big = [&operands.a, &operands.b, &operands.long].map(|limbs| limbs::to_biguint(limbs));
    let mut room = [Vec::new(), Vec::new(), Vec::new()];
    let mut ours = || (operation.ours)(black_box(operands), &mut room);
    let theirs = || (operation.theirs)(black_box(&big), &operands.digits);
    let times = calibrated(&mut ours);
    let (mut least_ours, mut least_theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        least_ours = least_ours.min(seconds(times, &mut ours));
        least_theirs = least_theirs.min(seconds(times, &mut { theirs }));
    }
    (least_ours, least_theirs)
}

/// How many times something can be done in about ten milliseconds.
fn calibrated(work: &mut impl FnMut()) -> u32 {
    let mut times = 1;
    loop {
        let taken = seconds(times, work) * f64::from(times);
        if taken > Duration::from_millis(10).as_secs_f64() || times > 1 << 24 {
            return times;
        }
        times *= 2;
    }
}

/// Seconds that each of `times` repetitions takes.
fn seconds(times: u32, work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        work();
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}
