//! Programs of actors whose states, computations and costs are known.

mod costs;
mod random;
mod reports;
mod states;
mod support;
