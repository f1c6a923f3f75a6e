//! Running many tests: several at once, each worker one after the other. How a test is run is in `worker`; workers that are
//! threads are in `threads`. Results are reported in the order of the tests.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use tally_vm::Vm;

use super::discovery::Test;
use super::running::Running;
use super::threads;
use super::worker::{Ended, Reset};
use crate::error::Error;
use crate::outside::kept::Kept;

/// The tests to run, and how.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    /// All tests.
    pub tests: &'w [Test],
    /// Indices of the tests, in the order in which they are to begin.
    pub order: &'w [usize],
    /// How they run.
    pub running: &'w Running,
    /// Whether the resources of the tests are to be reset in the end.
    pub resets: bool,
}

/// The result of a test, to be reported.
pub struct Arrived {
    /// The test.
    pub ended: Ended,
    /// What was printed while its resources were made, if it was not reported before.
    pub made: Option<Kept>,
}

impl Work<'_> {
    /// How many workers there are to be.
    pub fn workers(&self) -> usize {
        self.running.jobs.min(self.order.len()).max(1)
    }

    /// Runs the tests, and passes the outcome of each to `tell`, in the order of the tests, until `tell` answers false.
    ///
    /// # Errors
    /// If no thread can be started, or the machine fails; and what `tell` fails with.
    pub fn run<E: From<Error>>(
        &self,
        base: &mut Vm,
        tell: impl FnMut(Arrived) -> Result<bool, E>,
    ) -> Result<Vec<Reset>, E> {
        threads::run(base, self, tell)
    }
}

/// Outcomes that wait for the outcomes of earlier tests.
pub struct InOrder {
    expected: Peekable<IntoIter<usize>>,
    waiting: BTreeMap<usize, Ended>,
}

impl InOrder {
    /// Nothing has arrived yet of the tests in this order.
    pub fn of(order: &[usize]) -> InOrder {
        let mut expected = order.to_vec();
        expected.sort_unstable();
        InOrder {
            expected: expected.into_iter().peekable(),
            waiting: BTreeMap::new(),
        }
    }

    /// Adds a test that has ended.
    pub fn add(&mut self, index: usize, ended: Ended) {
        self.waiting.insert(index, ended);
    }

    /// The next test in the order in which they stand, if it has ended.
    pub fn take_next(&mut self) -> Option<(usize, Ended)> {
        let ended = self.waiting.remove(self.expected.peek()?)?;
        Some((self.expected.next()?, ended))
    }
}
