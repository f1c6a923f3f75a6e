//! `tally gate`: a project's check for continuous integration, and the proof that it can fail. It is `tally test` with a
//! snapshot or budgets that must be there, so that it cannot pass because nothing was checked. Budgets of functions are
//! compared with the profiles of other tools that they name.

mod functions;
mod self_test;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::test::TestArguments;
use crate::test::{self, CountsMode};
use clap::Args;
use tally_workbench::project::Project;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally gate [OPTIONS] [FILE]... [FILTER]... [-- <ARGS>...]\n       \
tally gate --self-test -- <CMD>..."
)]
pub(crate) struct GateArguments {
    /// Run the command after -- in copies of the project with one more send; pass only if it fails there
    #[arg(long)]
    pub(crate) self_test: bool,
    #[command(flatten)]
    pub(crate) tests: TestArguments,
}

pub(crate) fn gate(arguments: GateArguments) -> Result<Exit, Failure> {
    let mut tests = arguments.tests;
    if arguments.self_test {
        return self_test::self_test(&tests.arguments);
    }
    if tests.watch {
        let why = "a gate runs once; tally test --watch waits for changes";
        return Err(Failure::new(Exit::Usage, why));
    }
    if tests.counts == Some(CountsMode::Update) {
        let why =
            "a gate checks what was measured before; tally test --counts update measures anew";
        return Err(Failure::new(Exit::Usage, why));
    }
    let project = Project::here(&*front())?;
    let functions = functions::check(&project, tests.format)?;
    let others = project.settings.budgets.iter();
    let has_others = others
        .clone()
        .any(|budget| !functions::is_of_function(budget));
    let counts = project.root.join(tally_comparison::SNAPSHOT_FILE);
    // A snapshot that cannot be read is not missing: a gate does not pass because nothing was checked.
    let has_counts = counts.try_exists().unwrap_or(true);
    let is_of_tests = has_counts || has_others || tests.counts.is_some();
    if functions.is_some() && !is_of_tests && tests.files.is_empty() {
        return functions::verdict(functions);
    }
    if has_counts || !has_others {
        // Without a snapshot, the check fails with a message.
        tests.counts = tests.counts.or(Some(CountsMode::Check));
    }
    if tests.counts == Some(CountsMode::Ignore) && !has_others {
        let why = "there are no counts and no budgets to check the tests against";
        return Err(Failure::new(Exit::Nothing, why));
    }
    match test::test(tests)? {
        Exit::Success => functions::verdict(functions),
        exit => Ok(exit),
    }
}
