//! What happened in virtual time: the metrics of document 000 over processors, requests and features, and traces, which hold the events
//! of a run. All figures are in ticks, and exact.

mod curve;
mod document;
mod endings;
mod features;
mod following;
mod hotspots;
mod interleavings;
mod lane;
mod lanes;
mod matrix;
mod measured;
mod names;
mod obstacles;
mod overtakings;
mod overview;
mod report;
mod sink;
mod states;
mod stuck;
pub mod trace;
mod trials;
mod waits;

pub use curve::{Curve, CurvePoint};
pub use document::{Document, document};
pub use endings::{Circumstances, Ender};
pub use features::{Feature, Spread};
pub use following::{Lane, Open};
pub use lanes::Lanes;
pub use matrix::{Link, Matrix};
pub use measured::{Measured, Window};
pub use names::{FeatureId, Names};
pub use obstacles::Obstacle;
pub use overview::{
    EndedKey, Extent, Figures, FirstCall, Overview, ProcessorTotals, WaitKey, WaitTotals,
};
pub use report::{View, summary, table, text};
pub use sink::{Accepted, Described, Feed, Origin, Resumed, Sink, SinkError, feed};
pub use states::{CAUSES, Cause, STATES, State};
pub use trials::TrialReader;
