//! Versions of a program, compared. A [`Measurement`] holds the counts of all runs of one version. Two measurements give
//! differences, rules about them, and explanations in exact parts. A snapshot, budgets and a baseline hold the costs of a
//! project's tests. Coverage lists the code that tests executed; changes list the tests that a change affects.

mod baseline;
mod budget;
pub mod changes;
pub mod coverage;
mod difference;
#[cfg(test)]
#[path = "../../../profiler/src/examples/words.rs"]
mod examples;
pub mod explanation;
mod html;
mod markdown;
mod matching;
mod measurement;
mod snapshot;

pub use baseline::{Baseline, BaselineError};
pub use budget::{
    Budget, BudgetCost, BudgetLimit, BudgetReport, BudgetRow, BudgetScope, BudgetVerdict,
    FunctionScope, Functions, Measurements, MethodCosts, Tightening, check_budgets,
};
pub use difference::{
    ClassDifference, Difference, EarlyRun, Incomparable, LoneRun, MethodDifference, MethodSide,
    Outcomes, Rule, RuleError, RuleOutcome, RuleViolation, RunDifference, Show, TimelineCount,
    WorkPart, costs_of_both, difference, difference_report, work_parts, work_report,
};
pub use explanation::{Body, MethodCount, MethodPart, explain_methods, methods_report};
pub use html::difference_html;
pub use markdown::difference_markdown;
pub use matching::Fate;
pub use measurement::{
    LineCounts, MeasuredMethod, MeasuredRun, Measurement, MeasurementBuilder, MeasurementError,
    MethodCounts, RunContext,
};
pub use snapshot::{
    Cause, ChangedTest, Code, Comparability, LoneTest, SNAPSHOT_FILE, Snapshot, SnapshotDifference,
    SnapshotError, TestRecord, TestRun, UpdateError, difference as snapshot_difference,
    fixture_name, is_fixture, section_name, test_of_section,
};
