//! The parts of the machine that belong to one dialect only.

mod som;

pub use som::{SOM_KERNEL, SOM_SHORT_CUT};
