//! From trees to resolved trees: names are looked up, captures are settled, control messages become
//! control flow. Errors about names and the warnings come from here; registers are not known here.
//!
//! The steps: [`World`] gathers what all files declare, `file` walks the items of one file, `evaluation` an
//! expression of a running program, `routine`
//! and `inline` walk one routine, and `variables` settles which of its variables need cells.

mod evaluation;
mod file;
mod inline;
mod nearest;
mod routine;
mod session;
pub(crate) mod tree;
mod variables;
mod world;

pub(crate) use evaluation::resolve_evaluation;
pub(crate) use file::resolve_file;
pub use nearest::nearest;
pub use session::{MessageUse, Session, variable};
pub(crate) use world::World;
