//! Options for the order in which messages to actors arrive.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tally_vm::{GuideProblem, MessageDelivery, MessageOrder, Outcome, Vm};
use tally_workbench::exploring::Schedule;
use tally_workbench::loading::Program;
use tally_workbench::schedules::ProcessorSchedule;

use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;

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
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| Failure::io("read", &name, &error))?;
        let digest = program.description(&Outcome::Finished).program;
        let warn = |is_of_program: bool| {
            if !is_of_program {
                console::warning(&format!("{name} was made for other source texts"));
            }
        };
        if ProcessorSchedule::is_one(&text) {
            let schedule = ProcessorSchedule::read(&text, &name)?;
            warn(schedule.is_of(digest));
            schedule.guide(&mut program.vm);
            return Ok(());
        }
        let schedule = Schedule::read(&text, &name)?;
        warn(schedule.program == digest);
        let messages = schedule.messages().into();
        program.vm.set_message_order(MessageOrder::Named(messages));
        Ok(())
    }
}

/// Fails if the schedule wanted a message that was not there.
pub(crate) fn refused_schedule(vm: &Vm) -> Result<(), Failure> {
    match vm.guide_problem() {
        None => {}
        Some(GuideProblem::Unused(_)) => console::warning("the run ended before the schedule did"),
        Some(GuideProblem::Impossible(name)) => {
            let why = format!("the schedule cannot be followed: {name} cannot go on");
            return Err(Failure::new(Exit::Incomparable, why));
        }
    }
    match vm.impossible_message() {
        None => {
            if vm.messages_left_in_schedule() > 0 {
                console::warning("the run ended before the schedule did");
            }
            Ok(())
        }
        Some(message) => {
            let why = format!("the schedule cannot be followed: {message} is not pending");
            Err(Failure::new(Exit::Incomparable, why))
        }
    }
}
