//! Testing: which tests a program has, running each in a copy of the machine that has loaded it, and how each ends. A worker is
//! a value: here it works in a thread; who embeds the workbench may let it work in a process.

pub mod again;
pub mod budgets;
pub mod changed;
pub mod chosen;
pub mod discovery;
pub mod methods;
pub mod observed;
pub mod outcome;
pub mod pool;
mod processors;
pub mod revision;
pub mod running;
pub mod schedules;
pub mod selection;
pub mod suite;
pub mod summary;
pub mod threads;
pub mod worker;

/// The name of the scripts that start tests.
pub const NAME: &str = "<test runner>";
