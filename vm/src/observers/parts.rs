//! The parts of a recorded run that are tests: what is executed while a test is measured, by its process and those forked
//! meanwhile.

use super::recorded::Counts;
use crate::counting::{Cost, Family, Measure};

/// The parts of a run that have ended, and the one under way.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) open: Option<OpenPart>,
    /// What all tests did.
    pub(crate) tests: Option<Reading>,
    /// What runs a test, once for each test.
    pub(crate) harness: Option<Reading>,
    /// The contexts of the measured blocks.
    pub(crate) roots: Vec<u32>,
}

/// A reading of the recorder, and of the cost vector of all processes.
pub(crate) struct Reading {
    pub(crate) counts: Counts,
    pub(crate) cost: Cost,
}

/// A part of a run under way.
pub(crate) struct OpenPart {
    /// The serial of the mark of the measured block.
    pub(crate) serial: u64,
    pub(crate) family: Family,
    pub(crate) measure: Measure,
    /// The reading when a process of the part was entered; absent while another process runs.
    pub(crate) since: Option<Reading>,
}

impl Parts {
    /// Adds to what the tests did, or to what runs them.
    pub(crate) fn add(&mut self, measure: Measure, more: Reading) {
        let sum = match measure {
            Measure::Harness => &mut self.harness,
            _ => &mut self.tests,
        };
        match sum {
            Some(sum) => {
                sum.counts.add(&more.counts);
                sum.cost = sum.cost.plus(&more.cost);
            }
            None => *sum = Some(more),
        }
    }
}
