//! Programs of actors whose states, computations and costs are known.

mod costs;
mod random;
mod reports;
mod schedules;
mod states;
mod support;
