//! The base of all parts of the machine: values, numbers of classes and methods, configuration, shared tables.

pub mod budget;
mod config;
mod dialect;
mod hashing;
mod ids;
mod known;
mod outcome;
mod printable;
mod shared;
mod value;

pub use config::{Config, Optimisations};
pub use dialect::Dialect;
pub(crate) use dialect::{SOM_HIDDEN, block_class};
pub(crate) use hashing::{Mixer, hash_bytes, hash_codes, mix, mix_two, split_mix};
pub(crate) use ids::ActorId;
pub(crate) use ids::TargetId;
pub use ids::{ClassId, MethodId, ProcessId};
pub(crate) use known::Known;
pub(crate) use outcome::Stop;
pub use outcome::{Limit, Outcome};
pub use printable::{is_obeyed, printable, printable_lines};
pub(crate) use shared::{Grown, Shared};
pub use value::{SymbolId, Value};
