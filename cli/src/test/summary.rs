//! How many tests ended in which way, and the exit code that follows.

use std::fmt::Write as _;

use serde::Serialize;

use super::ended::{TestReport, Verdict};
use crate::exit::Exit;

/// How many tests ended in which way. The first four fields come first in every report.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) errors: usize,
    pub(super) skipped: usize,
    pub(super) tests: usize,
    pub(super) counted: usize,
    /// Among those that failed by counts.
    pub(super) lazy: usize,
    pub(super) vacuous: usize,
    /// Among those that passed.
    pub(super) expected_failures: usize,
    /// Among the errors.
    pub(super) limits: usize,
    pub(super) not_run: usize,
}

/// What became of tests that were run.
pub(super) fn summary(reports: &[&TestReport]) -> Summary {
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
    }
}

/// It in a line.
pub(super) fn summary_line(summary: &Summary) -> String {
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
    text
}

/// A limit leaves open how a test would have ended; else a functional failure wins over a counted one.
pub(super) fn exit(summary: &Summary) -> Exit {
    if summary.limits > 0 {
        Exit::Limit
    } else if summary.failed + summary.errors > 0 {
        Exit::Failed
    } else if summary.counted > 0 {
        Exit::Counted
    } else if summary.passed == 0 {
        // Skipping everything is no way to pass.
        Exit::Nothing
    } else {
        Exit::Success
    }
}
