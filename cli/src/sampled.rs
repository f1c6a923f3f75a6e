//! `tally profile --sample`: the same run under a sampling profiler, to see what that would have said.

use std::time::Duration;

use tally_presentation::Page;
use tally_profiler::{SampleProfile, sample_report};

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::formats::Outputs;
use crate::measured::MeasuredArguments;
use crate::program;
use crate::view::{Sort, ViewArguments};
use crate::{console, output};
use tally_workbench::ProgramOutput;

/// Runs the program and shows the samples, `rate` of them a second.
pub(crate) fn sample(
    what: &MeasuredArguments,
    machine: &MachineArguments,
    view: &ViewArguments,
    rate: u32,
    outputs: &Outputs,
    where_to: ProgramOutput,
) -> Result<Exit, Failure> {
    let Some((is_json, file)) = outputs.report_or_json() else {
        let why = "samples are written as one report (.txt) or as one JSON document (.json)";
        return Err(Failure::new(Exit::Usage, why));
    };
    let by_own = match view.sort() {
        Sort::Total => false,
        Sort::Own => true,
        Sort::Calls | Sort::Objects | Sort::Bytes | Sort::Work | Sort::TotalWork => {
            let why =
                "samples are of total or own time: --sort calls, objects and bytes need counts";
            return Err(Failure::new(Exit::Usage, why));
        }
    };
    let mut program = program::load(
        &what.sources()?,
        what.evaluate.as_deref(),
        &what.arguments,
        &machine.settings(),
        where_to,
    )?;
    let interval = Duration::from_nanos(1_000_000_000 / u64::from(rate));
    let started = program.vm.start_sampling(interval);
    started.map_err(|error| {
        Failure::new(
            Exit::Internal,
            format!("the sampling thread cannot be started: {error}"),
        )
    })?;
    let outcome = program.run();
    let samples = program.vm.finish_sampling();
    let about = program.description(&outcome);
    let profile = SampleProfile::collect(&program.vm, &samples, rate, about.files, about.arguments);
    let page = match file {
        Some(_) => Page::default(),
        None => console::results_page(),
    };
    let text = match is_json {
        false => sample_report(&profile, by_own, view.limit(), page),
        true => output::json(&profile)?,
    };
    output::write(&text, file)?;
    program.ended(&outcome)?;
    Ok(Exit::Success)
}
