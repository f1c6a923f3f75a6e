//! All tests of a program, measured, for somebody who compares versions.

use std::sync::Mutex;

use tally_profiler::{Input, MeasurementBuilder};
use tally_vm::{Detail, Outcome};

use super::budgets;
use super::found::discover;
use super::pool::{Arrived, Work};
use super::select::Selection;
use super::worker::{self, MeasuringTests, Running};
use crate::arguments::MachineArguments;
use crate::exit::{Exit, Failure};
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;
use tally_workbench::project::Project;

/// Runs the tests of a program whose scripts have run that the filters mean, and adds each to a measurement. Answers what they and
/// their resources read from outside.
pub(crate) fn measure_tests(
    program: &mut Program,
    project: &Project,
    machine: &MachineArguments,
    filters: &[String],
    builder: MeasurementBuilder,
) -> Result<(MeasurementBuilder, Vec<Vec<Input>>), Failure> {
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
    let mut running = Running::of(project, machine, None);
    running.measuring = Some(MeasuringTests {
        detail: Detail {
            sites: true,
            ..Detail::default()
        },
        about: program.description(&Outcome::Finished),
        builder: Mutex::new(builder),
    });
    let order: Vec<usize> = (0..tests.len()).collect();
    let work = Work {
        tests: &tests,
        order: &order,
        running: &running,
        resets: true,
    };
    let mut inputs = Vec::new();
    let mut not_run = Vec::new();
    let tell = |Arrived { ended, .. }| {
        inputs.push(ended.inputs);
        if ended.is_internal {
            return Err(Failure::silent(Exit::Internal));
        }
        if !ended.was_run && ended.report.verdict.is_bad() {
            not_run.push(ended.report.name);
        }
        Ok(true)
    };
    for reset in work.run(&mut program.vm, tell)? {
        reset.tell(ProgramOutput::Nowhere)?;
        inputs.push(reset.inputs);
    }
    let builder = running.measuring.map(|measuring| measuring.builder);
    let mut builder = builder.map(worker::unlocked).unwrap_or_default();
    for name in &not_run {
        builder.add_failure(name);
    }
    Ok((builder, inputs))
}
