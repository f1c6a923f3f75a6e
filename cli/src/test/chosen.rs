//! What is printed of tests that were run by themselves, and how the command is to end.

use super::{exit, human};
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use tally_workbench::loading::Program;
use tally_workbench::testing::chosen::Ran;
use tally_workbench::testing::outcome::Verdict;
use tally_workbench::testing::summary::summary_line;

/// Reports the tests that did not pass. Answers the exit code of the command.
pub(crate) fn report_chosen(ran: &Ran, program: &mut Program) -> Result<Exit, Failure> {
    let is_clean = ran.finish(program, &*front())?;
    let summary = ran.summary();
    for test in &ran.reports {
        if test.verdict.is_bad() || test.verdict == Verdict::Skip {
            console::write(&human::details(test));
        }
    }
    let passed = summary.passed + summary.vacuous;
    if passed < summary.tests {
        console::write(&format!("\n{}\n", summary_line(&summary)));
    }
    Ok(match exit(&summary) {
        // What asserts nothing can be measured all the same.
        Exit::Nothing if passed > 0 => Exit::Success,
        Exit::Success if !is_clean => Exit::Failed,
        exit => exit,
    })
}
