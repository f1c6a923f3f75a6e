//! What happened in virtual time: the metrics of document 000 over processors, requests and features, and traces, which hold the events
//! of a run. All figures are in ticks, and exact.

mod advice;
mod answers;
mod assumptions;
mod candidates;
mod comparison;
mod critical;
mod curve;
mod document;
mod endings;
pub mod exports;
mod features;
mod findings;
mod following;
mod graph;
mod hotspots;
mod interleavings;
mod inventory;
mod lane;
mod lanes;
mod listing;
mod matrix;
mod measured;
mod names;
mod obstacles;
mod origins;
mod overtakings;
mod overview;
mod page;
mod report;
mod sink;
mod states;
mod stuck;
pub mod trace;
mod trials;
mod waits;

pub use advice::{Advice, Setting as AdviceSetting};
pub use answers::{Lacking, first_difference};
pub use assumptions::{Label, Sums, Trial, Trials};
pub use candidates::{Candidate, Candidates};
pub use comparison::{Change, Comparison, Side};
pub use critical::{Critical, Shortened, Zeroing, zeroing};
pub use curve::{Curve, CurvePoint};
pub use document::{Document, document};
pub use endings::{Circumstances, Ender};
pub use features::{Feature, Spread};
pub use findings::{Findings, running_shares};
pub use following::{Lane, Open};
pub use graph::Passes;
pub use graph::path::{CriticalPath, Passing, PathPart};
pub use inventory::Inventory;
pub use lanes::Lanes;
pub use listing::{Listed, Listing};
pub use matrix::{Link, Matrix};
pub use measured::{Measured, Window};
pub use names::{FeatureId, Names};
pub use obstacles::Obstacle;
pub use overview::{
    EndedKey, Extent, Figures, FirstCall, Overview, ProcessorTotals, WaitKey, WaitTotals,
};
pub use page::{Drawn, html_page};
pub use report::{View, summary, table, text};
pub use sink::{Accepted, Described, Feed, Origin, Resumed, Sink, SinkError, feed};
pub use states::{CAUSES, Cause, STATES, State};
pub use trials::TrialReader;
