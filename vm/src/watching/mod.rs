//! Processes whose order a guide decides, step by step, and what their steps touch.
//!
//! A step ends at the first poll point behind something that other processes can see: an access to a variable that several of them use, a signal,
//! output. It ends before a wait for a semaphore without signals, if nothing of the step can be seen yet. And it ends where the process waits, yields or
//! is over. This room knows no object and no frame: objects have names.

mod steps;
mod threads;
mod uses;

pub(crate) use steps::{Parked, Watching};
pub(crate) use uses::Accessed;
