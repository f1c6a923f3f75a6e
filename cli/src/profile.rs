//! `tally profile`: runs something with the recorder on and shows what each method cost.

use tally_profiler::Profile;

use crate::arguments::ProfileArguments;
use crate::exit::{Exit, Failure};
use crate::formats::Outputs;
use crate::host::ProgramOutput;
use crate::measured::{Wanted, measure};
use crate::{collector, sampled, saved, view};

pub(crate) fn profile(arguments: ProfileArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let files = &arguments.what.files;
    if let Some(file) = files.iter().find(|file| saved::is_profile(file)) {
        return show_saved(file, &arguments, &outputs);
    }
    let where_to = match outputs.is_standard_output() {
        false => ProgramOutput::Standard,
        true => ProgramOutput::Error,
    };
    if let Some(rate) = arguments.sample {
        return sampled::sample(&arguments, rate, &outputs, where_to);
    }
    // What people read needs no more than the recorder; what programs read gets the whole cost vector.
    let for_programs = outputs.is_for_programs();
    let wanted = Wanted {
        sites: for_programs || arguments.view.needs_sites(),
        everything: for_programs,
    };
    let measured = measure(&arguments.what, &arguments.machine, where_to, wanted)?;
    if arguments.gc_stats {
        collector::report(&measured.program.vm.heap.statistics);
    }
    write(&measured.profile, &arguments, &outputs)?;
    measured.exit()
}

/// A saved profile is shown as one is that was just taken.
fn show_saved(
    file: &str,
    arguments: &ProfileArguments,
    outputs: &Outputs,
) -> Result<Exit, Failure> {
    let what = &arguments.what;
    if what.files.len() > 1
        || what.evaluate.is_some()
        || !what.tests.is_empty()
        || arguments.sample.is_some()
    {
        let why = format!("{file} is a saved profile: it is shown alone, and nothing is run");
        return Err(Failure::new(Exit::Usage, why));
    }
    let profile = saved::read(file, Exit::Io, Exit::Io)?;
    write(&profile, arguments, outputs)?;
    Ok(Exit::Success)
}

fn write(
    profile: &Profile,
    arguments: &ProfileArguments,
    outputs: &Outputs,
) -> Result<(), Failure> {
    outputs.write(profile, |profile, page| {
        view::report(profile, &arguments.view, page)
    })
}
