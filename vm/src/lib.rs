//! The Tally machine: bytecode, objects, processes, and the counters that make performance exact.
//!
//! A [`Vm`] holds everything; several live side by side. It takes [`bytecode::Unit`]s, which the
//! compiler makes, and never sees source text grammar. What its numbers mean is the counting model,
//! `docs/COUNTING.md`.

mod becoming;
pub mod budget;
pub mod bytecode;
mod class;
mod clock;
mod code;
mod cost;
mod counting;
mod crowds;
mod dialect;
mod following;
mod fork;
mod frames;
mod gc;
mod hashing;
mod heap;
mod host;
mod image;
mod integers;
mod interpreter;
mod library;
pub mod limbs;
mod link;
mod liveness;
mod loader;
mod lookups;
mod machine;
mod methods;
mod names;
mod objects;
mod observers;
pub mod primitives;
mod printable;
mod process;
mod processes;
mod profile;
mod ready;
mod recompiled;
mod redefinition;
mod reflection;
mod run;
mod sampling;
mod scheduler;
mod scripts;
mod searching;
mod shared;
mod silence;
mod sleep;
mod som;
mod symbol;
mod trace;
mod traits;
mod value;
mod verify;
mod world;
mod wrappers;

pub use class::{Class, ClassId, Method, MethodId};
pub use cost::Cost;
pub use crowds::Crowd;
pub use dialect::Dialect;
pub use following::{Asked, Followed, FollowedSend, Point, Question};
pub use heap::{Allocations, CollectorStatistics, Contents, Heap, Pauses};
pub use host::{FileFacts, FileKind, Host, MemoryHost, Writing};
pub use library::{CodeCell, pack_library};
pub use lookups::{Lookup, is_short_cut};
pub use machine::{Config, Limit, Optimisations, Outcome, Vm};
pub use printable::{is_obeyed, printable, printable_lines};
pub use process::ProcessId;
pub use profile::{Context, ContextKind, Counts, Detail, Edge, Made, Recorded, SendSite, Tally};
pub use reflection::{CompileFailure, Scope, SourceCompiler};
pub use sampling::{SampleCount, Samples};
pub use scheduler::{Replay, RoundRobin, Scheduler, Shuffle};
pub use som::{ClassSource, LoadError, SOM_KERNEL, SOM_SHORT_CUT};
pub use symbol::SymbolTable;
pub use trace::{Failure, SourcePlace, Trace, TraceFrame};
pub use value::{SymbolId, Value};
pub use verify::verify;

/// How instructions follow each other in this build of the loop.
pub const DISPATCH: &str = match cfg!(tail_dispatch) {
    true => "calls in the last place",
    false => "a loop",
};

/// The version of the counting model that this machine implements.
pub const MODEL_VERSION: u32 = 1;
