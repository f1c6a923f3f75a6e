//! Programs of actors for an exploration: the machine that has run their scripts executes turns, each once.

mod assertions;
mod schedule;
mod texts;
mod turns;

pub use assertions::StateExplorer;
pub use schedule::Schedule;
pub(crate) use schedule::{broken_schedule, check_schedule};
pub(crate) use turns::kind;
pub use turns::{ActorProgram, TurnError, TurnOptions};
