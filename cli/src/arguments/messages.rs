//! Options for the order in which messages to actors arrive.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tally_vm::{GuideProblem, MessageDelivery, MessageOrder, Outcome, Simulation, Vm};
use tally_workbench::loading::Program;
use tally_workbench::schedules::ScheduleFile;

use crate::bounded::text;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

/// The longest schedule that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// In which order messages to actors arrive: the oldest first, unless an option is given.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MessageArguments {
    /// Let messages to actors arrive in a random order that this delivery allows; --seed chooses it
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        conflicts_with = "schedule",
        hide_short_help = true
    )]
    pub(crate) delivery: Option<Delivery>,
    /// Follow an order in a file of tally explore
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule: Option<PathBuf>,
}

/// The order in which messages may arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Delivery {
    /// Any order
    Any,
    /// Messages of one sender to one actor in the order in which they were sent
    #[default]
    Fifo,
    /// A message behind those to the same actor whose sends caused it
    Causal,
}

impl MessageArguments {
    /// Lets the machine of a program follow the order.
    pub(crate) fn set(&self, program: &mut Program) -> Result<(), Failure> {
        if let Some(delivery) = self.delivery {
            let delivery = match delivery {
                Delivery::Any => MessageDelivery::Any,
                Delivery::Fifo => MessageDelivery::Fifo,
                Delivery::Causal => MessageDelivery::Causal,
            };
            let seed = program.seed() as u64;
            let order = MessageOrder::Random(delivery, seed);
            program.vm.set_message_order(order);
        }
        let Some(file) = &self.schedule else {
            return Ok(());
        };
        match read_schedule(file, program)? {
            ScheduleFile::Actors(schedule) => {
                let messages = schedule.messages().into();
                program.vm.set_message_order(MessageOrder::Named(messages));
            }
            ScheduleFile::Processors(_) if program.vm.simulation() != Simulation::default() => {
                let why = format!(
                    "{} is a schedule of the usual machine: --cpus, --costs and their like would make it another one",
                    file.display()
                );
                return Err(Failure::new(Exit::Usage, why));
            }
            ScheduleFile::Processors(schedule) => schedule.guide(&mut program.vm),
        }
        Ok(())
    }
}

/// Reads a schedule. A warning says if the program is not the one for which it was made.
pub(crate) fn read_schedule(file: &Path, program: &Program) -> Result<ScheduleFile, Failure> {
    let name = file.display().to_string();
    let text = text(file, LONGEST).map_err(|error| Failure::io("read", &name, &error))?;
    let schedule = ScheduleFile::read(&text, &name)?;
    let made_for = match &schedule {
        ScheduleFile::Actors(schedule) => schedule.program,
        ScheduleFile::Processors(schedule) => schedule.program,
    };
    if made_for != program.description(&Outcome::Finished).program {
        console::warning(&format!("{name} was made for other source texts"));
    }
    Ok(schedule)
}

/// Fails if the schedule wanted what was not possible.
pub(crate) fn refused_schedule(vm: &Vm) -> Result<(), Failure> {
    let problem = vm.guide_problem();
    let are_left = vm.messages_left_in_schedule() > 0;
    let has_steps = vm.has_processors() || vm.has_watched_processes();
    let impossible = match &problem {
        Some(GuideProblem::Impossible(name)) => Some(format!("{name} cannot go on")),
        Some(GuideProblem::Unused) if !has_steps => Some(
            "it is of processors or processes, and the program made none that it is of".to_string(),
        ),
        _ if are_left && !vm.has_actors() => {
            Some("it is of messages to actors, and the program made no actor".to_string())
        }
        _ => vm
            .impossible_message()
            .map(|one| format!("{one} is not pending")),
    };
    if let Some(what) = impossible {
        let why = format!("the schedule cannot be followed: {what}");
        return Err(Failure::new(Exit::Incomparable, why));
    }
    if problem.is_some() || are_left {
        console::warning("the run ended before the schedule did");
    }
    Ok(())
}
