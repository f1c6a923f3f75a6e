//! Every computation of a program of actors, and the costs of each, after document 002 (Di Santo, Frattolillo: Time Costs in Actor
//! Computations). The crate has no machine: a [`Program`] says what turns do.
//!
//! [`Space::explore`] finds all states, [`Space::computations`] all computations up to a bound, and [`Space::findings`] what follows from
//! them. [`Space::prices`] has the costs on a [`Machine`], [`Computations::diagram`] the diagram of one computation, and [`Space::tree`] the
//! tree of all. An [`Exploration`] joins these for reports.

mod causal;
mod coding;
mod computations;
mod costs;
mod counting;
mod cycles;
mod depth;
mod diagram;
mod disk;
mod drawing;
mod expansion;
mod findings;
mod fingerprint;
mod machine;
mod matching;
mod names;
mod pages;
mod policy;
mod prices;
mod program;
mod report;
mod schedules;
mod seen;
mod space;
mod spilling;
mod state;
mod tables;
mod tree;
mod unfolding;
mod variation;
mod walk;
mod ways;

pub use computations::{Computation, Computations};
pub use costs::{Cost, CostForms};
pub use counting::{CountedComputations, CountedResult, CountingLimit, count_computations};
pub use depth::Bounds;
pub use diagram::{Diagram, Edge, EdgeKind, Node};
pub use disk::{Spill, StorageError};
pub use findings::{Cycles, Determinacy, Failure, Findings, Livelock, Outcome, Waiting, Written};
pub use machine::{COSTS, Departure, Form, Forms, MOST_TICKS, Machine, PARAMETERS};
pub use policy::{MOST_RULES, Policy};
pub use prices::{FRONTIER, Prices};
pub use program::{
    Becomes, Effect, Place, Program, Start, StartActor, StartMessage, Step, TurnEnding,
};
pub use report::Exploration;
pub use schedules::{Footprint, Moment, OpenOrder, Schedules, Thread};
pub use space::{Limit, Options, Progress, Space};
pub use state::Delivery;
pub use tree::{MOST_NODES, Tree, TreeNode};
pub use variation::{Piece, parameter};
pub use walk::ScheduleStep;
