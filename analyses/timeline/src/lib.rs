//! What happened in virtual time: the metrics of document 000 over processors, requests and features, and traces, which hold the events
//! of a run. All figures are in ticks, and exact.

mod document;
mod features;
mod following;
mod hotspots;
mod lanes;
mod measured;
mod names;
mod overview;
mod report;
mod sink;
pub mod trace;

pub use document::{Document, document};
pub use features::{Feature, Spread};
pub use following::{CAUSES, Cause, Lane, Open, STATES, State};
pub use lanes::Lanes;
pub use measured::{Measured, Window};
pub use names::{FeatureId, Names};
pub use overview::{Extent, Figures, FirstCall, Overview, ProcessorTotals, WaitKey, WaitTotals};
pub use report::{View, summary, table, text};
pub use sink::{Accepted, Described, Feed, Origin, Resumed, Sink, SinkError, feed};
