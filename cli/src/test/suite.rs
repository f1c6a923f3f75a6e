//! All tests of a program, each recorded, for somebody who compares versions.

use tally_profiler::{Ending, Input, Profile};
use tally_vm::{Detail, Outcome};

use super::budgets;
use super::found::{Test, discover};
use super::own_part::own_part;
use super::select::Selection;
use super::worker::{Ended, Recording, Resources, Running, run_all};
use crate::arguments::MachineArguments;
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::project::Project;

/// A test that was recorded.
pub(crate) struct Recorded {
    pub(crate) name: String,
    /// Its own part; of one that did not pass everything, or nothing if it was not run.
    pub(crate) profile: Option<Profile>,
    /// What it read from outside.
    pub(crate) inputs: Vec<Input>,
}

/// Runs the tests of a program whose scripts have run that the filters mean; answers what their resources read from outside.
pub(crate) fn record_tests(
    program: &mut Program,
    project: &Project,
    machine: &MachineArguments,
    filters: &[String],
    mut take: impl FnMut(Recorded),
) -> Result<Vec<Input>, Failure> {
    budgets::make_known(project, &mut program.vm)?;
    let found = discover(&mut program.vm)?;
    let has_tests = !found.is_empty();
    let selection = Selection {
        filters,
        only: None,
        shard: None,
    };
    let tests = selection.of(found);
    if tests.is_empty() {
        return Err(Failure::new(Exit::Nothing, super::why_none(has_tests)));
    }
    let running = Running {
        recording: Some(Recording {
            detail: Detail {
                sites: true,
                ..Detail::default()
            },
            about: program.description(&Outcome::Finished),
        }),
        ..Running::of(project, machine, None)
    };
    let order: Vec<usize> = (0..tests.len()).collect();
    let resources = Resources::default();
    run_all(
        &mut program.vm,
        &tests,
        &order,
        &running,
        &resources,
        |index, ended| {
            if let Some(recorded) = recorded(&tests[index], ended) {
                take(recorded);
            }
            Ok(true)
        },
    )?;
    let inputs = resources.inputs();
    resources.finish(&running.permissions, ProgramOutput::Nowhere)?;
    Ok(inputs)
}

/// A test with what was recorded of it, unless it was left out.
fn recorded(test: &Test, ended: Ended) -> Option<Recorded> {
    let report = ended.report;
    let (ending, profile) = match (report.verdict.is_bad(), report.cost) {
        (true, _) => (Ending::Failed, ended.profile),
        (false, Some(cost)) => {
            let profile = ended.profile?;
            (Ending::Finished, Some(own_part(profile, test, cost)?))
        }
        (false, None) => return None,
    };
    Some(Recorded {
        name: report.name,
        profile: profile.map(|profile| Profile {
            ending,
            reproducible: ended.is_reproducible,
            ..profile
        }),
        inputs: ended.inputs,
    })
}
