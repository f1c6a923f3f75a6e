//! Programs of actors whose states, computations and costs are known.

mod costs;
mod counting;
mod random;
mod reports;
mod schedules;
mod spilling;
mod states;
mod support;
