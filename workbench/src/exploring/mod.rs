//! Programs of actors for an exploration: the machine runs their scripts, and then turns, each once.

mod schedule;
mod texts;
mod turns;

pub use schedule::Schedule;
pub use turns::{ActorProgram, TurnError, TurnOptions};
