//! The times of a design.

use std::path::Path;

use clap::{Args, ValueEnum};
use tally_predict::{
    Design, Options, PredictError, Rational, Row, document, report, share_of_per_cent,
};
use tally_presentation::counted;

use super::reading::{failure, read};
use crate::arguments::Format;
use crate::console;
use crate::failure::Failure;
use crate::output;

/// The most CPUs.
const MOST_CPUS: u32 = 1_000;
/// The heading of the options.
const DESIGNS: &str = "Designs";

#[derive(Clone, Debug, Args)]
pub(super) struct DesignArguments {
    /// Numbers of equal CPUs: 1,2,4
    #[arg(long, value_name = "LIST", default_value = "1", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CPUS)), help_heading = DESIGNS)]
    cpus: Vec<u32>,
    /// Who executes parallel tasks
    #[arg(long, value_enum, default_value_t, value_name = "HOW", help_heading = DESIGNS)]
    scheduling: Scheduling,
    /// The quantiles to show, in per cent
    #[arg(long, value_name = "LIST", default_value = "50,95,99", value_delimiter = ',', value_parser = quantile, help_heading = DESIGNS)]
    quantiles: Vec<Rational>,
    /// Solve on a grid, the widest distribution of which has N steps, instead of exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20), help_heading = DESIGNS)]
    resolution: Option<u32>,
}

/// Who executes parallel tasks.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Scheduling {
    /// CPUs take the tasks in their order
    #[default]
    List,
    /// The operator of the paper in docs/PREDICT.md, to compare with
    Paper,
}

fn quantile(text: &str) -> Result<Rational, String> {
    let share = share_of_per_cent(text);
    share.ok_or_else(|| "a number above 0 and up to 100 is expected".to_string())
}

pub(super) fn predicted(
    file: &Path,
    arguments: &DesignArguments,
    format: Format,
) -> Result<String, Failure> {
    let design = read(file, ":", Design::read)?;
    let scheduling = match arguments.scheduling {
        Scheduling::List => tally_predict::Scheduling::List,
        Scheduling::Paper => tally_predict::Scheduling::Paper,
    };
    let rows = arguments.cpus.iter().map(|cpus| {
        let options = Options {
            cpus: *cpus as usize,
            scheduling,
            quantiles: arguments.quantiles.clone(),
            steps: arguments.resolution,
        };
        let time = tally_predict::predict(&design, &options).map_err(|error| {
            let message = format!("on {}: {error}", counted(u64::from(*cpus), "CPU", "CPUs"));
            failure(PredictError { message, ..error })
        })?;
        let cpus = options.cpus;
        Ok(Row { cpus, time })
    });
    let rows: Vec<Row> = rows.collect::<Result<_, Failure>>()?;
    let quantiles = &arguments.quantiles;
    match format {
        Format::Json => output::json(&document(&design, &rows, quantiles, scheduling)),
        Format::Human => {
            let page = console::results_page();
            Ok(report(&design, &rows, quantiles, scheduling, page))
        }
    }
}
