//! Options that several commands have. The options of one command stand with the command; the grammar joins them.

mod format;
mod machine;
mod messages;
mod simulation;
mod size;

pub(crate) use format::Format;
pub(crate) use machine::MachineArguments;
pub(crate) use messages::{Delivery, MessageArguments, read_schedule, refused_schedule};
pub(crate) use simulation::{
    SimulationArguments, costs_over, cpus_list, recheck, scheduler, settings, ties,
};
pub(crate) use size::size;
