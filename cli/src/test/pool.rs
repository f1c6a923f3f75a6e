//! Running many tests: several at once, each worker one after the other. How a test is run is in `worker`; whether workers are
//! threads or processes, in `threads` and `processes`. Results are reported in the order of the tests.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use tally_vm::Vm;

use super::found::Test;
use super::threads;
use super::worker::{Ended, Isolation, Reset, Running};
use crate::exit::Failure;
use tally_workbench::outside::kept::Kept;

/// The tests to run, and how.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub(super) tests: &'w [Test],
    /// Indices of the tests, in the order in which they are to begin.
    pub(super) order: &'w [usize],
    pub(super) running: &'w Running,
    /// Whether the resources of the tests are to be reset in the end.
    pub(super) resets: bool,
}

/// The result of a test, to be reported.
pub(super) struct Arrived {
    pub(super) ended: Ended,
    /// What was printed while its resources were made, if it was not reported before.
    pub(super) made: Option<Kept>,
}

impl Work<'_> {
    /// How many workers there are to be.
    pub(super) fn workers(&self) -> usize {
        self.running.jobs.min(self.order.len()).max(1)
    }

    /// Runs the tests, and tells how each ended in the order in which they stand, until told to stop.
    pub(super) fn run(
        &self,
        base: &mut Vm,
        tell: impl FnMut(Arrived) -> Result<bool, Failure>,
    ) -> Result<Vec<Reset>, Failure> {
        match self.running.isolation {
            #[cfg(unix)]
            Isolation::Processes => super::processes::run(base, self, tell),
            #[cfg(not(unix))]
            Isolation::Processes => threads::run(base, self, tell),
            Isolation::Threads => threads::run(base, self, tell),
        }
    }
}

/// What came of tests that those before them are waited for.
pub(super) struct InOrder {
    expected: Peekable<IntoIter<usize>>,
    waiting: BTreeMap<usize, Ended>,
}

impl InOrder {
    pub(super) fn of(order: &[usize]) -> InOrder {
        let mut expected = order.to_vec();
        expected.sort_unstable();
        InOrder {
            expected: expected.into_iter().peekable(),
            waiting: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, index: usize, ended: Ended) {
        self.waiting.insert(index, ended);
    }

    /// The next test in the order in which they stand, if it has ended.
    pub(super) fn next(&mut self) -> Option<(usize, Ended)> {
        let ended = self.waiting.remove(self.expected.peek()?)?;
        Some((self.expected.next()?, ended))
    }
}
