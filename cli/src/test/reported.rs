//! A test as reports for other programs see it.

use tally_workbench::testing::outcome::TestReport;

/// A test as reports know it.
pub(super) struct Reported<'r> {
    pub(super) report: &'r TestReport,
    /// What it printed.
    pub(super) output: &'r str,
    /// Its time, if it is shown.
    pub(super) time: Option<std::time::Duration>,
}
