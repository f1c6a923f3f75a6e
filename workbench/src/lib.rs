//! The toolchain as a library: projects and their settings, loading programs, running tests, revisions, the store of measurements. It prints
//! nothing and never ends the process. An [`Embedder`] gets its messages; errors are values with a kind.
//!
//! Rooms, each of which knows only the rooms above it: `error`, `embedder`, `files`, `outside`, `revisions`, `workers`,
//! `exploring`, `loading`, `project`, `exporting`, `store`, `testing`, `measuring`, `learning`.

pub mod embedder;
pub mod error;
pub mod exploring;
pub mod exporting;
pub mod files;
pub mod learning;
pub mod loading;
pub mod measuring;
pub mod outside;
pub mod project;
pub mod revisions;
pub mod schedules;
pub mod searching;
pub mod store;
pub mod testing;
pub mod workers;

pub use embedder::{Embedder, Front, ProgramOutput, Quiet, Tell};
pub use error::{Error, ErrorKind};
