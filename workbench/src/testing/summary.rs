//! How many tests ended in which way, and the exit code that follows.

use std::fmt::Write as _;

use serde::Serialize;

use super::outcome::{TestReport, Verdict};
use crate::error::ErrorKind;

/// How many tests ended in which way. The first four fields come first in every report.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Tests that passed.
    pub passed: usize,
    /// Tests with a failed assertion.
    pub failed: usize,
    /// Tests that an error or a limit ended.
    pub errors: usize,
    /// Tests that were left out.
    pub skipped: usize,
    /// All tests that were run.
    pub tests: usize,
    /// Tests with a failed assertion about counts.
    pub counted: usize,
    /// Among those that failed by counts.
    pub lazy: usize,
    /// Tests that assert nothing.
    pub vacuous: usize,
    /// Among those that passed.
    pub expected_failures: usize,
    /// Among the errors.
    pub limits: usize,
    /// Tests that were not reached.
    pub not_run: usize,
    /// Definitions that were left out of the packages, and classes whose `initialize` failed.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The outcomes of tests that were run.
pub fn summary(reports: &[&TestReport]) -> Summary {
    let count = |verdict| {
        reports
            .iter()
            .filter(|report| report.verdict == verdict)
            .count()
    };
    let (expected_failures, limits) = (count(Verdict::ExpectedFailure), count(Verdict::Limit));
    let lazy = count(Verdict::Lazy);
    Summary {
        passed: count(Verdict::Pass) + expected_failures,
        failed: count(Verdict::Fail),
        errors: count(Verdict::Error) + limits,
        skipped: count(Verdict::Skip),
        tests: reports.len(),
        counted: count(Verdict::Counted) + lazy,
        lazy,
        vacuous: count(Verdict::Vacuous),
        expected_failures,
        limits,
        not_run: 0,
        left_out: 0,
    }
}

impl Summary {
    /// The kind of the error that the ends of the tests are together, if they are one. A limit leaves open how a test would have
    /// ended; else a functional failure wins over a counted one.
    pub fn kind(&self) -> Option<ErrorKind> {
        if self.limits > 0 {
            Some(ErrorKind::Limit)
        } else if self.failed + self.errors > 0 {
            Some(ErrorKind::Failed)
        } else if self.counted > 0 {
            Some(ErrorKind::Counted)
        } else if self.passed == 0 {
            // Skipping everything is no way to pass.
            Some(ErrorKind::Nothing)
        } else {
            None
        }
    }
}

/// It in a line.
pub fn summary_line(summary: &Summary) -> String {
    let noun = if summary.tests == 1 { "test" } else { "tests" };
    let mut text = format!(
        "{} {noun}: {} passed, {} failed, {} failed by counts, {} in error, {} skipped",
        summary.tests,
        summary.passed,
        summary.failed,
        summary.counted,
        summary.errors,
        summary.skipped
    );
    for (count, what) in [
        (summary.lazy, "with a lazy block"),
        (summary.vacuous, "without an assertion"),
        (summary.expected_failures, "failed as expected"),
        (summary.not_run, "not run"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    if summary.left_out > 0 {
        let noun = match summary.left_out {
            1 => "definition",
            _ => "definitions",
        };
        let _ = write!(text, "; {} {noun} left out", summary.left_out);
    }
    text
}
