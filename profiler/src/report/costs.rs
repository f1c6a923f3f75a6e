//! The costs of a run, as a list.

use tally_presentation::{Align, Layout, grouped};
use tally_vm::{Cost, Work};

use crate::counts::Costs;
use crate::profile::CostVector;

/// A cost vector, one count a line: the counts, the counters of work that are not 0, and the weighted sum.
pub fn cost_report(cost: &Cost, overhead: Option<u64>) -> String {
    let mut layout = Layout::new(&[Align::Left, Align::Right]);
    let mut row = |name: &str, count| layout.row([name.to_string(), grouped(count)]);
    for (name, count) in Costs::of(&CostVector::from(cost)).named() {
        if name == "work" {
            for counter in Work::ALL {
                let count = cost.counters.get(*counter);
                if count > 0 {
                    row(&format!("  {}", counter.name()), count);
                }
            }
        }
        row(name, count);
    }
    if let Some(sends) = overhead {
        row("overhead", sends);
    }
    layout.render()
}
