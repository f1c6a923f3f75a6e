//! Learning the functions of a program.

use std::path::Path;

use clap::Args;
use tally_predict::{Service, Sizes};
use tally_workbench::ProgramOutput;
use tally_workbench::learning::{Learner, Subject};

use super::reading::{failure, is_service};
use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::program;

/// The memory of a run in bytes, unless another limit is set.
const MOST_MEMORY: usize = 1 << 30;

#[derive(Clone, Debug, Args)]
pub(super) struct LearningArguments {
    /// Learn what these statements cost, which use the variable n
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        conflicts_with_all = ["cpus", "scheduling", "quantiles", "resolution"]
    )]
    evaluate: Option<String>,
    /// Evaluate these statements before, uncounted; the variable it has their value
    #[arg(
        long,
        value_name = "EXPR",
        requires = "evaluate",
        allow_hyphen_values = true
    )]
    given: Option<String>,
    /// Learn what calls of this method cost, with all below: 'Class>>selector'
    #[arg(long, value_name = "METHOD")]
    service: Option<String>,
    /// Let a subclass of ServiceInput say what is called, at which sizes
    #[arg(long, value_name = "CLASS", conflicts_with_all = ["evaluate", "sizes"])]
    input: Option<String>,
    /// The sizes to run: n=1..64,100 (repeatable, for up to three variables)
    #[arg(long, value_name = "SIZES", requires = "evaluate")]
    sizes: Vec<String>,
    /// Show what each context contributes
    #[arg(long)]
    pub(super) contexts: bool,
}

impl LearningArguments {
    /// Whether a program is to be run.
    pub(super) fn is_wanted(&self) -> bool {
        self.evaluate.is_some() || self.input.is_some() || self.service.is_some()
    }
}

/// The service of a program.
pub(super) fn learnt(
    arguments: &LearningArguments,
    files: &[String],
    machine: &MachineArguments,
) -> Result<Service, Failure> {
    let mut sizes = Sizes::read(&arguments.sizes).map_err(failure)?;
    if let Some(service) = files.iter().find(|file| is_service(Path::new(file))) {
        let why =
            format!("{service} was learnt already: it takes --at and --within, and no expression");
        return Err(Failure::new(Exit::Usage, why));
    }
    let mut settings = machine.settings();
    // Sizes grow, so a program may want all memory.
    settings.max_memory.get_or_insert(MOST_MEMORY);
    let output = ProgramOutput::Error;
    let mut program = program::load(files, None, &[], &settings, output)?;
    let outcome = program.run();
    program.ended(&outcome)?;
    let mut service = arguments.service.clone();
    let expression = match (&arguments.evaluate, &arguments.input) {
        (Some(expression), _) => expression.clone(),
        (None, Some(class)) => {
            service.get_or_insert_with(|| format!("{class}>>call:"));
            format!("{class} new callAt: n")
        }
        (None, None) => {
            let why = "--service needs an expression that calls it, with -e or --input";
            return Err(Failure::new(Exit::Usage, why));
        }
    };
    let subject = Subject {
        given: arguments.given.clone(),
        expression,
        service,
    };
    let mut learner = Learner::new(program, settings.permissions(), subject, machine.max_sends);
    if let Some(class) = &arguments.input {
        let given = learner.list(&format!("{class} new sizes"))?;
        if let Some(points) = given {
            sizes.points = points.into_iter().map(|n| vec![n]).collect();
            sizes.may_grow = false;
        }
    }
    Ok(learner.learn(&sizes)?)
}
