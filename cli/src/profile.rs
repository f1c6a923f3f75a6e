//! `tally profile`: runs something with the recorder on and shows what each method cost.

use tally_profiler::{Profile, Scope, check_identities};
use tally_study::{Calibration, report};

use crate::arguments::ProfileArguments;
use crate::exit::{Exit, Failure};
use crate::formats::Outputs;
use crate::measured::{Wanted, measure};
use crate::{collector, console, output, printed, sampled, saved, study, view};
use tally_workbench::ProgramOutput;

pub(crate) fn profile(arguments: ProfileArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let scope = Scope::new(&arguments.only)
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let wants_time = arguments.estimate_time;
    let calibration = wants_time.then(study::own_calibration).transpose()?;
    let shown = Shown {
        arguments: &arguments,
        outputs,
        scope,
        calibration,
    };
    let files = &arguments.what.files;
    if let Some(file) = files.iter().find(|file| saved::is_profile(file)) {
        return shown.saved(file);
    }
    printed::flush_at_signals();
    let where_to = match shown.outputs.is_standard_output() {
        false => ProgramOutput::Standard,
        true => ProgramOutput::Error,
    };
    if let Some(rate) = arguments.sample {
        return sampled::sample(&arguments, rate, &shown.outputs, where_to);
    }
    // What people read needs no more than the recorder; what programs read gets the whole cost vector.
    let for_programs = shown.outputs.is_for_programs() || wants_time;
    let wanted = Wanted {
        sites: for_programs || arguments.view.needs_sites(),
        everything: for_programs,
    };
    let measured = measure(&arguments.what, &arguments.machine, where_to, wanted)?;
    if arguments.gc_stats {
        collector::report(&measured.program.vm.heap.statistics);
    }
    let written = shown.write(&measured.profile);
    let exit = measured.exit()?;
    written.map(|()| exit)
}

/// What is shown of a profile, and where.
struct Shown<'a> {
    arguments: &'a ProfileArguments,
    outputs: Outputs,
    scope: Scope,
    /// What turns the profile into a time, if that is wanted.
    calibration: Option<Calibration>,
}

impl Shown<'_> {
    /// A saved profile is shown as one is that was just taken.
    fn saved(&self, file: &str) -> Result<Exit, Failure> {
        let what = &self.arguments.what;
        if what.files.len() > 1
            || what.evaluate.is_some()
            || !what.tests.is_empty()
            || self.arguments.sample.is_some()
        {
            let why = format!("{file} is a saved profile: it is shown alone, and nothing is run");
            return Err(Failure::new(Exit::Usage, why));
        }
        self.write(&saved::read(file, Exit::Io, Exit::Io)?)?;
        Ok(Exit::Success)
    }

    fn write(&self, profile: &Profile) -> Result<(), Failure> {
        let restricted = self.scope.restrict(profile);
        let profile = restricted.map_err(|error| Failure::new(Exit::Nothing, error.to_string()))?;
        if let Some(violation) = check_identities(&profile).first() {
            return Err(Failure::new(Exit::Internal, violation.to_string()));
        }
        self.outputs.write(&profile, |profile, page| {
            view::report(profile, &self.arguments.view, page)
        })?;
        match &self.calibration {
            Some(calibration) => self.estimate(&profile, calibration),
            None => Ok(()),
        }
    }

    /// Tells behind a report on standard output how long the run would take here; elsewhere as a message.
    fn estimate(&self, profile: &Profile, calibration: &Calibration) -> Result<(), Failure> {
        let text = report::estimate_text(profile, calibration);
        match self.outputs.report_or_json() {
            Some((false, None)) => output::write(&format!("\n{text}"), None),
            _ => {
                console::write(&text);
                Ok(())
            }
        }
    }
}
