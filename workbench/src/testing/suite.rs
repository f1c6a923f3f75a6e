//! All tests of a program, measured, to compare versions.

use std::sync::Mutex;

use tally_comparison::MeasurementBuilder;
use tally_profiler::Input;
use tally_vm::{Detail, Outcome};

use super::budgets;
use super::discovery::{Test, discover_own};
use super::pool::{Arrived, Work};
use super::running::{MeasuringTests, Running};
use super::selection::{Selection, why_none};
use super::worker;
use crate::embedder::Front;
use crate::error::{Error, ErrorKind};
use crate::loading::MachineSettings;
use crate::loading::Program;
use crate::project::Project;

/// Runs the tests of a program whose scripts have run that the filters mean, and adds each to a measurement. Answers what they and
/// their resources read from outside.
pub fn measure_tests(
    program: &mut Program,
    project: &Project,
    machine: &MachineSettings,
    filters: &[String],
    front: &Front,
    builder: MeasurementBuilder,
) -> Result<(MeasurementBuilder, Vec<Vec<Input>>), Error> {
    budgets::make_known(project, &mut program.vm)?;
    let found = discover_own(program, project, &**front)?;
    let names: Vec<String> = found.iter().map(Test::name).collect();
    let selection = Selection {
        filters,
        only: None,
        shard: None,
    };
    let tests = selection.of(found);
    if tests.is_empty() {
        return Err(Error::new(ErrorKind::Nothing, why_none(&names, filters)));
    }
    let mut running = Running::of(project, machine, None);
    running.in_color = front.in_color();
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
            return Err(Error::told(ErrorKind::Internal, "the machine failed"));
        }
        if !ended.was_run && ended.report.verdict.is_bad() {
            not_run.push(ended.report.name);
        }
        Ok(true)
    };
    for reset in work.run(&mut program.vm, tell)? {
        reset.show(&**front);
        inputs.push(reset.inputs);
    }
    let builder = running.measuring.map(|measuring| measuring.builder);
    let mut builder = builder.map(worker::unlocked).unwrap_or_default();
    for name in &not_run {
        builder.add_failure(name);
    }
    Ok((builder, inputs))
}
