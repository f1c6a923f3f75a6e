//! What is particular to one dialect.

mod som;

pub use som::{SOM_KERNEL, SOM_SHORT_CUT};
