//! Reports of explorations: text, JSON, CSV, and the paper's notation.

mod csv;
mod document;
mod notation;
mod text;

use crate::computations::Computations;
use crate::findings::Findings;
use crate::prices::Prices;
use crate::space::Space;

/// What reports are made of.
#[derive(Debug, Clone, Copy)]
pub struct Exploration<'e> {
    /// The states.
    pub space: &'e Space,
    /// What was found out.
    pub findings: &'e Findings,
    /// All computations, if they were counted.
    pub computations: Option<&'e Computations>,
    /// What they cost, if it was computed.
    pub prices: Option<&'e Prices>,
}
