//! `tally predict`: what a program costs as a function of its inputs, the time of a design as a distribution, and the function of a table of numbers.

mod design;
mod learning;
mod reading;
mod services;
mod table;

use std::path::{Path, PathBuf};

use clap::Args;

use self::design::DesignArguments;
use self::learning::LearningArguments;
use self::reading::is_service;
use self::services::View;
use crate::arguments::{Format, MachineArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally predict [OPTIONS] [FILE]... -e <EXPR> [--service <METHOD>] [--at n=1000]\n       \
tally predict [OPTIONS] <FILE>... --input <CLASS>\n       \
tally predict [OPTIONS] <SERVICE>... [--at n=1000] [--within '10^9 sends']\n       \
tally predict [OPTIONS] <DESIGN.sre>\n       \
tally predict [OPTIONS] --fit <TABLE.csv>",
    after_help = "The expression is evaluated at n = 1, 2, 3 and so on, and the functions of n that have all counts are found. -o NAME.service keeps them.\n\n\
A design says which actions follow each other (a; b), which are alternatives (0.6: a | 0.4: b), which are repeated (a^3), and which are parallel (a || b). \
Each name has a time, or a distribution: b = [(3; 0.5) (5; 0.5)]."
)]
pub(crate) struct PredictArguments {
    /// Source files, services that were learnt, or a design (*.sre)
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    learning: LearningArguments,
    /// Find the function of a table of numbers: parameters, and in the last column the values
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["files", "evaluate", "input", "cpus", "scheduling", "quantiles", "resolution"])]
    fit: Option<PathBuf>,
    /// Predict at other inputs: n=1000 or rows=8,columns=9 (repeatable)
    #[arg(long, value_name = "INPUTS")]
    at: Vec<String>,
    /// Find the largest n that keeps a bound: '10^9 sends' (repeatable)
    #[arg(long, value_name = "BOUND")]
    within: Vec<String>,
    #[command(flatten)]
    design: DesignArguments,
    /// The format of the prediction
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write to a file; a *.service keeps what was learnt
    #[arg(short, long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArguments,
}

pub(crate) fn predict(arguments: &PredictArguments) -> Result<Exit, Failure> {
    let files = &arguments.files;
    let text = if let Some(table) = &arguments.fit {
        arguments.refuse_bounds("a table")?;
        table::fitted(table, &arguments.at, arguments.format)?
    } else if arguments.learning.is_wanted() {
        let service = learning::learnt(&arguments.learning, files, &arguments.machine)?;
        if let Some(file) = arguments.service_file() {
            output::write(&output::json(&service.document())?, Some(file))?;
        }
        services::shown(std::slice::from_ref(&service), &arguments.view())?
    } else if !files.is_empty() && files.iter().all(|file| is_service(Path::new(file))) {
        let all = files
            .iter()
            .map(|file| services::read_file(Path::new(file)));
        if arguments.service_file().is_some() {
            let why =
                "what was learnt already is not written again: -o takes a file for the report";
            return Err(Failure::new(Exit::Usage, why));
        }
        services::shown(&all.collect::<Result<Vec<_>, _>>()?, &arguments.view())?
    } else {
        arguments.refuse_bounds("a design")?;
        if !arguments.at.is_empty() {
            return Err(Failure::new(
                Exit::Usage,
                "a design has no inputs: --at is for services and tables",
            ));
        }
        design::predicted(design_file(files)?, &arguments.design, arguments.format)?
    };
    match arguments.service_file() {
        // Services have been kept there.
        Some(_) if arguments.learning.is_wanted() => output::write(&text, None)?,
        _ => output::write(&text, arguments.output.as_deref())?,
    }
    Ok(Exit::Success)
}

impl PredictArguments {
    /// The file of services that is to be written.
    fn service_file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|file| is_service(file))
    }

    /// What is to be shown of services.
    fn view(&self) -> View<'_> {
        View {
            at: &self.at,
            within: &self.within,
            contexts: self.learning.contexts,
            format: self.format,
        }
    }

    fn refuse_bounds(&self, what: &str) -> Result<(), Failure> {
        match self.within.is_empty() {
            true => Ok(()),
            false => {
                let why = format!("{what} has no bounds: --within is for services");
                Err(Failure::new(Exit::Usage, why))
            }
        }
    }
}

/// The one design.
fn design_file(files: &[String]) -> Result<&Path, Failure> {
    let why = match files {
        [] => "nothing to predict: name a design, a service, or an expression with -e".to_string(),
        [file] if Path::new(file).extension().is_none_or(|end| end != "st") => {
            return Ok(Path::new(file));
        }
        [file, ..] => format!(
            "{file}: an expression is needed that uses the program at size n, as in -e '(Shop of: n) search: 3'"
        ),
    };
    Err(Failure::new(Exit::Usage, why))
}
