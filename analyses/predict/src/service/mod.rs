//! Services: what a piece of a program costs as functions of its inputs, learnt from runs. The runs come from outside.

mod bounds;
mod contexts;
mod document;
mod function;
mod learning;
mod report;
mod sizes;

pub use bounds::{Bound, Crossing, crossings, largest_within};
pub use document::ServiceDocument;
pub use function::{Function, Part};
pub use learning::{Learnt, Observation, Run, Wanted, learn};
pub use report::{Values, Within, crossing_report, service_report, within_report};
pub use sizes::Sizes;

/// The names of what is counted, in the order of reports. Work has the unit of the counting model.
pub const COUNTERS: &[&str] = &["sends", "repetitions", "steps", "objects", "bytes", "work"];

/// A piece of a program, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name: a method, or the expression that was evaluated.
    pub name: String,
    /// The expression that was evaluated at each size.
    pub expression: String,
    /// The version of the counting model.
    pub model: u32,
    /// The digest of the library.
    pub library: String,
    /// The names of the parameters.
    pub parameters: Vec<String>,
    /// A function for each counter.
    pub functions: Vec<Function>,
    /// The smallest size at which the program failed or took too long, if that was seen.
    pub ended: Option<Vec<num_bigint::BigInt>>,
}

impl Service {
    /// The function of this counter.
    pub fn function(&self, of: &str) -> Option<&Function> {
        self.functions.iter().find(|one| one.table.of == of)
    }
}
