//! From counters to conclusions: profiles, rankings, identities, JSON, comparisons and assertions
//! about counts. What the numbers mean is the counting model's business, `docs/COUNTING.md`; taking
//! them is the machine's. Nothing is printed here and no source text is compiled: the command and
//! the tests do that, and hand in a [`Compile`] where an assertion needs it.

mod assertions;
mod baseline;
mod budget;
pub mod changes;
mod collect;
mod context_tree;
mod counts;
pub mod coverage;
mod difference;
#[cfg(test)]
mod examples;
pub mod explanation;
mod export;
mod flame;
mod fold;
mod html;
mod identities;
mod inlined;
mod json;
mod measurement;
mod pattern;
mod places;
mod profile;
mod rank;
pub mod recording;
mod report;
mod samples;
mod scope;
mod snapshot;
mod tree;

pub use assertions::{Assertion, AssertionError, Compile, Session, Verdict};
pub use baseline::{
    Baseline, BaselineError, Body, Explained, MethodCount, Part, explain, explanation_report,
};
pub use budget::{
    Budget, BudgetCost, BudgetLimit, BudgetReport, BudgetRow, BudgetScope, BudgetVerdict,
    LimitKind, Measurements, MethodCosts, Tightening, check_budgets,
};
pub use counts::{CostName, TestCounts};
pub use difference::{
    ClassDifference, Costs, Difference, Fate, Incomparable, LoneRun, MethodDifference, MethodSide,
    Rule, RuleError, RuleOutcome, RuleViolation, RunDifference, Show, difference,
    difference_markdown, difference_report,
};
pub use export::{ExportError, ExportFormat, FORMATS};
pub use flame::flame_svg;
pub use fold::folded;
pub use html::{difference_html, html_report};
pub use identities::{Violation, check_identities};
pub use inlined::{WrittenMessages, inlined, inlined_report};
pub use json::{PROFILE_SCHEMA, ReadError, from_json, to_json};
pub use measurement::{
    Definition, DefinitionKind, Input, InputKind, MeasuredMethod, MeasuredRun, Measurement,
    MeasurementBuilder, MeasurementError, MethodCounts, Revision, RunContext, code_digest,
    definitions,
};
pub use pattern::{is_match, methods_named};
pub use profile::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Description, Ending, Limits,
    MethodProfile, Profile, Site, fnv1a,
};
pub use rank::{Order, ranked};
pub use report::{
    Annotated, Direction, Grouping, Missing, PROXY, TreeCut, annotate, cost_report, group_report,
    hot_report, neighbour_report, profile_report, ranking_report, tree_report,
};
pub use samples::{SAMPLES_SCHEMA, SampleProfile, SampledMethod, sample_report};
pub use scope::{OUT_OF_SCOPE, Scope, ScopeError};
pub use snapshot::{
    Cause, ChangedTest, Code, Comparability, LoneTest, SNAPSHOT_FILE, Snapshot, SnapshotDifference,
    SnapshotError, TestRecord, TestRun, UpdateError, difference as snapshot_difference,
};
pub use tree::Measure;
