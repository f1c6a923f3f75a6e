//! What happened in virtual time: the metrics of document 000 over processors, requests and features. All figures are in ticks,
//! and exact.

mod features;
mod report;
mod requests;

pub use features::{Feature, Spread, features};
pub use report::{FeatureOrder, features_table, summary};
pub use requests::{Measured, from_call, measure};
