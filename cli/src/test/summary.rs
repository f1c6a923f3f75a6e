//! The exit code that follows from how tests ended.

use tally_workbench::testing::summary::Summary;

use crate::exit::Exit;

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
