//! A study of message counts as a stand-in for time, after Alexandre Bergel, "Counting Messages as a Proxy for Average
//! Execution Time in Pharo" (ECOOP 2011): the measurements ([`Data`]), the results ([`Study`]), and reports. This crate
//! runs no program and reads no clock; the command line measures.

pub mod analysis;
pub mod data;
#[cfg(test)]
mod made;
mod model;
pub mod paper;
pub mod prices;
pub mod ranking;
pub mod report;
pub mod results;
pub mod statistics;

pub use analysis::{ALL, Judged, judge, study};
pub use data::{Data, Entry};
pub use prices::Calibration;
pub use results::Study;
