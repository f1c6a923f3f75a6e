//! Every computation of a program of actors, and the costs of each, after document 002 (Di Santo, Frattolillo: Time Costs in Actor
//! Computations). The crate has no machine: a [`Program`] says what turns do.

mod program;

pub use program::{Becomes, Effect, Place, Program, Start, StartActor, StartMessage, Step, TurnEnding};
