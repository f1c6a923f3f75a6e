//! What happened in virtual time: the metrics of document 000 over processors, requests and features, and traces, which hold the events
//! of a run. All figures are in ticks, and exact.

mod blocked;
mod document;
mod features;
mod following;
mod hotspots;
mod lanes;
mod measured;
mod names;
mod obstacles;
mod overview;
mod report;
mod sink;
mod states;
pub mod trace;

pub use document::{Document, document};
pub use features::{Feature, Spread};
pub use following::{Lane, Open};
pub use lanes::Lanes;
pub use measured::{Measured, Window};
pub use names::{FeatureId, Names};
pub use obstacles::Obstacle;
pub use overview::{
    BlockedKey, Extent, Figures, FirstCall, Overview, ProcessorTotals, WaitKey, WaitTotals,
};
pub use report::{View, summary, table, text};
pub use sink::{Accepted, Described, Origin, Resumed, Sink, SinkError, feed};
pub use states::{CAUSES, Cause, STATES, State};
