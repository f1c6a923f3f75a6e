//! The algebra of times: by hand, against an enumeration of all outcomes, and by its laws.

#![allow(clippy::unwrap_used)]

mod bad;
mod by_hand;
mod laws;
mod random;

use tally_predict::{Design, Exact, Options, Pmf, Rational, Scheduling, predict};

fn rational(above: i64, below: i64) -> Rational {
    Rational::new(above.into(), below.into())
}

/// The exact prediction of a design.
fn exactly(text: &str, cpus: usize, scheduling: Scheduling) -> Exact {
    let design = Design::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options {
        cpus,
        scheduling,
        ..Options::default()
    };
    match predict(&design, &options).unwrap() {
        Pmf::Exact(exact) => exact,
        Pmf::Grid(_) => panic!("not exact\n{text}"),
    }
}

/// Times with their probabilities, where all have this denominator.
fn parts_of(exact: &Exact, denominator: i64) -> Vec<(i64, i64)> {
    let points = exact.points().iter();
    let parts = points.map(|(time, p)| {
        let part = p * rational(denominator, 1);
        assert!(time.is_integer() && part.is_integer(), "{time}: {p}");
        let whole = |one: &Rational| one.to_integer().try_into().unwrap();
        (whole(time), whole(&part))
    });
    parts.collect()
}
