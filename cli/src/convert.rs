//! `tally convert`: a saved profile in other formats. Reading it checks that its counts add up.

use tally_profiler::{Order, ranking_report};

use crate::arguments::ConvertArguments;
use crate::exit::{Exit, Failure};
use crate::formats::Outputs;
use crate::{saved, view};

pub(crate) fn convert(arguments: &ConvertArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let profile = saved::read(&arguments.input, Exit::Io, Exit::Io)?;
    outputs.write(&profile, |profile, page| {
        ranking_report(profile, Order::Total, None, page).map_err(view::missing)
    })?;
    Ok(Exit::Success)
}
