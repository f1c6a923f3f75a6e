//! `tally predict`: the time of a design as a distribution, and the function of a table of numbers.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tally_predict::{
    Design, ErrorKind, Options, PredictError, Rational, Row, Table, document, fit, parameters,
    report, share_of_per_cent,
};
use tally_presentation::{counted, printable};

use crate::arguments::Format;
use crate::bounded::text;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// The longest design that is read, in bytes.
const LONGEST: u64 = 16 << 20;
/// The most CPUs.
const MOST_CPUS: u32 = 1_000;

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "A design says which actions follow each other (a; b), which are alternatives (0.6: a | 0.4: b), which are repeated (a^3), and which are parallel (a || b). \
Each name has a time, or a distribution: b = [(3; 0.5) (5; 0.5)]. The first definition is predicted."
)]
pub(crate) struct PredictArguments {
    /// A design, *.sre
    #[arg(value_name = "FILE", required_unless_present = "fit", conflicts_with_all = ["fit", "at"])]
    file: Option<PathBuf>,
    /// Find the function of a table of numbers, *.csv: parameters, and in the last column the values
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["cpus", "scheduling", "quantiles", "resolution"])]
    fit: Option<PathBuf>,
    /// Predict the value at other parameters: n=1000 or rows=8,columns=9 (repeatable)
    #[arg(long, value_name = "PARAMETERS", requires = "fit")]
    at: Vec<String>,
    /// Numbers of equal CPUs: 1,2,4
    #[arg(long, value_name = "LIST", default_value = "1", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CPUS)))]
    cpus: Vec<u32>,
    /// Who executes parallel tasks
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    scheduling: Scheduling,
    /// The quantiles to show, in per cent
    #[arg(long, value_name = "LIST", default_value = "50,95,99", value_delimiter = ',', value_parser = quantile)]
    quantiles: Vec<Rational>,
    /// Solve on a grid, the widest distribution of which has N steps, instead of exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    resolution: Option<u32>,
    /// The format of the prediction
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write to a file
    #[arg(short, long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
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

pub(crate) fn predict(arguments: &PredictArguments) -> Result<Exit, Failure> {
    let text = match (&arguments.fit, &arguments.file) {
        (Some(table), _) => fitted(arguments, table)?,
        (None, Some(design)) => predicted(arguments, design)?,
        (None, None) => return Err(Failure::new(Exit::Usage, "there is no design")),
    };
    output::write(&text, arguments.output.as_deref())?;
    Ok(Exit::Success)
}

/// The times of a design.
fn predicted(arguments: &PredictArguments, file: &Path) -> Result<String, Failure> {
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
    match arguments.format {
        Format::Json => output::json(&document(&design, &rows, quantiles, scheduling)),
        Format::Human => {
            let page = console::results_page();
            Ok(report(&design, &rows, quantiles, scheduling, page))
        }
    }
}

/// The function of a table.
fn fitted(arguments: &PredictArguments, file: &Path) -> Result<String, Failure> {
    let table = read(file, ": ", Table::read)?;
    let at = arguments.at.iter();
    let at = at.map(|text| parameters(&table, text).map_err(failure));
    let at: Vec<_> = at.collect::<Result<_, Failure>>()?;
    let found = fit(&table);
    let values = found.values(&table, &at).map_err(failure)?;
    match arguments.format {
        Format::Json => output::json(&found.document(&table, &values)),
        Format::Human => Ok(found.report(&table, &values, console::results_page())),
    }
}

/// What a file holds. Messages begin with its name.
fn read<T>(
    file: &Path,
    between: &str,
    reader: fn(&str) -> Result<T, PredictError>,
) -> Result<T, Failure> {
    let name = file.display().to_string();
    let text = text(file, LONGEST).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            Failure::new(Exit::Usage, format!("{name} is no text in UTF-8"))
        }
        _ => Failure::io("read", &name, &error),
    })?;
    reader(&text).map_err(|error| {
        let message = format!("{name}{between}{error}");
        failure(PredictError { message, ..error })
    })
}

fn failure(error: PredictError) -> Failure {
    let exit = match error.kind {
        ErrorKind::Usage => Exit::Usage,
        ErrorKind::Limit => Exit::Limit,
        ErrorKind::Incomparable => Exit::Incomparable,
    };
    Failure::new(exit, printable(&error.message).into_owned())
}
