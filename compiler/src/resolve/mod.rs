//! From trees to resolved trees: looks names up, settles captures, turns control messages into control flow. Errors
//! about names and all warnings are reported here. Registers are not known here.
//!
//! The steps: [`World`] gathers the declarations of all files. `file` walks the items of one file, and `evaluation` an
//! expression of a running program. `routine` and `inline` walk one routine. `variables` decides which of its variables
//! need cells. `left_out` decides what a package does without when definitions of it do not compile.

mod context;
mod evaluation;
mod file;
mod inline;
pub(crate) mod left_out;
mod nearest;
mod routine;
mod session;
pub(crate) mod tree;
mod variables;
mod world;

pub(crate) use evaluation::resolve_evaluation;
pub(crate) use file::{Parsed, Resolved, Task, leave_out, resolve_file};
pub use nearest::nearest;
pub use session::{MessageUse, Session, variable};
pub(crate) use world::World;
