//! No primitive lets a turn of an actor change what other actors see without an exploration refusing it. Everything else about
//! explorations rests on that.

use libtest_mimic::Trial;
use tally_tests::hostile::isolation::{Isolation, Turned};

use crate::checks::{Checked, none, trials_of};

/// Receivers and arguments for each primitive.
const NUMBERS: usize = 50;

pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[("isolation/primitives", primitives)])
}

fn primitives() -> Checked {
    let mut isolation = Isolation::new()?;
    let (mut missed, mut refused) = (Vec::new(), 0);
    for selector in isolation.selectors.clone() {
        for number in 0..NUMBERS {
            match isolation.send(&selector, number)? {
                Turned::Nothing => {}
                Turned::Refused => refused += 1,
                Turned::Missed => missed.push(format!("{selector}, number {number}")),
            }
        }
    }
    none(&missed)?;
    match refused > 50 {
        true => Ok(()),
        false => Err(format!(
            "{refused} changes were refused, which is too few for a test"
        )),
    }
}
