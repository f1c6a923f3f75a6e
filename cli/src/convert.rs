//! `tally convert`: a saved profile, or one of another tool, in other formats. Reading it checks that its counts add up.

use crate::formats::{self, ProfileFormat};
use clap::Args;
use std::path::PathBuf;
use tally_profiler::{Measure, Order, ranking_report};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::formats::Outputs;
use crate::saved::EventArguments;
use crate::{saved, view};

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "A profile is read only if its counts add up: own sends to the totals, calls in to calls out."
)]
pub(crate) struct ConvertArguments {
    /// The profile: a recording (.tally), JSON, or a file of callgrind, pprof, speedscope or folded stacks
    #[arg(value_name = "PROFILE")]
    pub(crate) input: String,
    /// Write the profile to these files
    #[arg(value_name = "FILE", required_unless_present = "format", help = formats::help_of_outputs())]
    pub(crate) outputs: Vec<PathBuf>,
    /// The format, if the end of the file's name does not decide it; without FILE, on standard output
    #[arg(long, value_parser = ProfileFormat::parser(), value_name = "FORMAT")]
    pub(crate) format: Option<ProfileFormat>,
    #[command(flatten)]
    pub(crate) event: EventArguments,
}

pub(crate) fn convert(arguments: &ConvertArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let profile = saved::read(&arguments.input, &arguments.event, Exit::Io, Exit::Io)?;
    outputs.write(&profile, Measure::Sends, |profile, page| {
        ranking_report(profile, Order::Total, None, page).map_err(view::missing)
    })?;
    Ok(Exit::Success)
}
