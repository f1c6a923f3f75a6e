//! Tests for a caller that runs the same test in several machines.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use tally_vm::Vm;
use tally_vm::bytecode::Span;

use super::NAME;
use super::discovery::{Test, discover};
use super::outcome::{Bounds, TestReport, part};
use super::running::MOST_SENDS;
use super::selection::fits;
use crate::embedder::Embedder;
use crate::error::Error;
use crate::loading::compile_text;

/// The caller waits for their ends.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The tests of a program.
pub struct TestsAgain(Vec<Test>);

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedAgain {
    /// The verdict, and what there is to say.
    pub text: String,
    /// Whether it should have ended otherwise.
    pub is_bad: bool,
}

impl TestsAgain {
    /// Finds the tests whose names fit one of the filters, if there are any, but for those of some classes.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn find(
        vm: &mut Vm,
        filters: &[String],
        without: &BTreeSet<String>,
        front: &dyn Embedder,
    ) -> Result<TestsAgain, Error> {
        let mut tests = discover(vm, front)?;
        let is_meant = |name: &str| filters.iter().any(|filter| fits(filter, name));
        tests.retain(|test| !without.contains(&test.class));
        tests.retain(|test| filters.is_empty() || is_meant(&test.name()));
        Ok(TestsAgain(tests))
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(Test::name).collect()
    }

    /// Makes a test's resources available. Answers how it has ended if it cannot be run.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn prepare(&self, index: usize, vm: &mut Vm) -> Result<Option<EndedAgain>, Error> {
        let test = &self.0[index];
        vm.keep_failures();
        if let Some(why) = &test.broken {
            return Ok(Some(EndedAgain {
                text: why.clone(),
                is_bad: true,
            }));
        }
        if test.resources.is_empty() {
            return Ok(None);
        }
        let report = part(vm, test, &test.sending("prepare:"), &bounds(None))?;
        Ok(report.map(|report| ended(&report)))
    }

    /// The text that runs a test.
    fn text(&self, index: usize) -> String {
        self.0[index].sending("run:")
    }

    /// Where the script that runs it stands in its text.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn script(&self, index: usize, vm: &Vm) -> Result<(&'static str, Span), Error> {
        Ok((NAME, compile_text(vm, NAME, &self.text(index))?.script.span))
    }

    /// Runs a test.
    ///
    /// # Errors
    /// If the machine fails.
    pub fn run(
        &self,
        index: usize,
        vm: &mut Vm,
        max_sends: Option<u64>,
    ) -> Result<EndedAgain, Error> {
        let test = &self.0[index];
        let report = part(vm, test, &self.text(index), &bounds(max_sends))?;
        let report = report.unwrap_or_else(|| TestReport::unusable(test));
        Ok(ended(&report))
    }
}

fn bounds(max_sends: Option<u64>) -> Bounds<'static> {
    Bounds {
        max_sends: Some(max_sends.unwrap_or(MOST_SENDS)),
        is_over: &NEVER,
    }
}

fn ended(report: &TestReport) -> EndedAgain {
    let word = report.verdict.word();
    EndedAgain {
        text: match &report.message {
            Some(message) => format!("{word}: {message}"),
            None => word.to_string(),
        },
        is_bad: report.verdict.is_bad(),
    }
}
