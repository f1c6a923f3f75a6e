//! The costs of a run, as a list.

use tally_presentation::{Align, Layout, grouped};

use crate::counts::Costs;
use crate::profile::CostVector;

/// A cost vector, one count a line.
pub fn cost_report(cost: &CostVector, overhead: Option<u64>) -> String {
    let mut layout = Layout::new(&[Align::Left, Align::Right]);
    for (name, count) in Costs::of(cost).named() {
        layout.row([name.to_string(), grouped(count)]);
    }
    if let Some(sends) = overhead {
        layout.row(["overhead".to_string(), grouped(sends)]);
    }
    layout.render()
}
