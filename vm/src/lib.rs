//! The Tally machine: bytecode, objects, processes, and the counters that make performance exact.
//!
//! A [`Vm`] holds everything, so several machines can live side by side. It takes [`bytecode::Unit`]s, which the
//! compiler makes, and never sees the grammar of source text. The counting model, `docs/COUNTING.md`, defines its
//! numbers.

mod actors;
mod base;
pub mod bytecode;
mod choices;
mod code;
mod counting;
mod dialects;
mod heap;
mod image;
mod interpreter;
pub mod limbs;
mod loading;
mod machine;
mod observers;
pub mod primitives;
mod processes;
mod profile;
mod regex;
mod run;
mod separate;
mod watching;
mod world;

pub use actors::{
    ActorExplorer, ActorsAtStart, AskedTurn, Canonical, ExplorationRequest, ExplorationTotals,
    ExploredFigures, MessageDelivery, MessageOrder, NamedMessage, TurnDone, TurnFault, TurnMachine,
    TurnStep,
};
pub use base::{
    ClassId, Config, Dialect, Limit, MethodId, Optimisations, Outcome, ProcessId, SymbolId, Value,
    budget, is_obeyed, printable, printable_lines,
};
pub use bytecode::verify;
pub use choices::{Replay, RoundRobin, Scheduler, Shuffle};
pub use counting::{Cost, Work, WorkCounts};
pub use dialects::{SOM_KERNEL, SOM_SHORT_CUT};
pub use heap::{Allocations, CollectorStatistics, Contents, Heap, Pauses};
pub use image::{Class, CodeCell, Method, SymbolTable, pack_library};
pub use machine::{ClassSource, CompileFailure, LoadError, Scope, SourceCompiler, Vm};
pub use observers::{
    Asked, Context, ContextKind, Counts, Crowd, Detail, Edge, Extent, Followed, FollowedSend,
    Lookup, Made, Point, Question, Recorded, SampleCount, Samples, SendSite, Tally,
};
pub use profile::{RecordedTests, is_short_cut};
pub use separate::{
    AnswersOfPair, Assumption, Clock, Costs, Event, EventKind, GivenAnswer, GuideProblem,
    GuidedRun, InnerLocks, Jitter, LockScheduler, ObstacleKind, Pace, Recheck, ScheduleSearch,
    ScheduleSearcher, Simulation, SlotKind, StepCandidate, StepDone, StepGuide, StepKind,
    TestExtent, Ties, Timeline, TimelineFigures, TimelineObstacle, TimelineProcessor,
    TimelineReader, TimelineReading, TimelineRequest, Timing, Touch, Touched, Wish, processor_name,
};
pub use world::{
    Failure, FileFacts, FileKind, Host, MemoryHost, SourcePlace, Trace, TraceFrame, Writing,
};

/// How instructions follow each other in this build of the loop.
pub const DISPATCH: &str = match cfg!(tail_dispatch) {
    true => "calls in the last place",
    false => "a loop",
};

/// The version of the counting model that this machine implements.
pub const MODEL_VERSION: u32 = 2;
