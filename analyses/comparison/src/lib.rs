//! What versions of a program did, looked at side by side. A [`Measurement`] is what one version did in all its runs. From
//! two of them come differences, rules about them, and explanations in exact parts. A snapshot, budgets and a baseline hold
//! what a project's tests cost; coverage and changes tell what tests executed and which of them a change concerns.

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
    Measurements, MethodCosts, Tightening, check_budgets,
};
pub use difference::{
    ClassDifference, Difference, Incomparable, LoneRun, MethodDifference, MethodSide, Rule,
    RuleError, RuleOutcome, RuleViolation, RunDifference, Show, difference, difference_report,
};
pub use explanation::{Body, MethodCount, MethodPart, explain_methods, methods_report};
pub use html::difference_html;
pub use markdown::difference_markdown;
pub use matching::Fate;
pub use measurement::{
    MeasuredMethod, MeasuredRun, Measurement, MeasurementBuilder, MeasurementError, MethodCounts,
    RunContext,
};
pub use snapshot::{
    Cause, ChangedTest, Code, Comparability, LoneTest, SNAPSHOT_FILE, Snapshot, SnapshotDifference,
    SnapshotError, TestRecord, TestRun, UpdateError, difference as snapshot_difference,
};
