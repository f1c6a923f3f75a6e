//! The counters of a machine beside the ticks and loop repetitions of the running process, which are registers.

mod cost;
mod entries;
mod families;
mod work;

use hashbrown::HashMap;

use cost::OpcodeCounts;

pub use cost::Cost;
pub(crate) use cost::FullCounters;
pub(crate) use families::{Families, Family};
pub use work::{Work, WorkCounts};
pub(crate) use work::{digits, gcds, others_work, products, quotients, roots, weight, words};

/// The cost vector, in the order of the library's Cost.
pub(crate) type CostCounts = [u64; 10];

/// What a measured block answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The sends of its process.
    Sends,
    /// The cost vector of its process.
    Costs,
    /// The cost vector of its process and of those that are forked meanwhile.
    WithForks,
    /// The same of a section of a test, and the value of its block behind it.
    Section,
    /// The same of a test, which is recorded as a part of its own.
    Test,
    /// The same of what runs a test, which is no part of the test.
    Harness,
}

impl Measure {
    /// Whether the loop has to count everything.
    pub(crate) fn needs_everything(self) -> bool {
        self != Measure::Sends
    }

    /// Whether processes that are forked meanwhile belong to it.
    pub(crate) fn has_forks(self) -> bool {
        matches!(
            self,
            Measure::WithForks | Measure::Section | Measure::Test | Measure::Harness
        )
    }
}

/// The counters, and the switches for optional ones.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) full: FullCounters,
    /// Nesting of measurements that need the full loop.
    pub(crate) full_wanted: u32,
    /// Nesting of what allocates without being counted.
    pub(crate) uncounted_sections: u32,
    /// Nothing is counted any more.
    pub(crate) uncounted: bool,
    /// Ticks of all processes when the running one was switched in, less its own.
    pub(crate) other_ticks: u64,
    pub(crate) other_loops: u64,
    /// The shared work when the running process was switched in, less its own.
    pub(crate) other_work: u64,
    /// Ticks at which the counter of the first process starts.
    pub(crate) preset_ticks: u64,
    pub(crate) counter_offset: u64,
    /// The work when the limit on it began to count.
    pub(crate) granted_at: u64,
    pub(crate) overhead: u64,
    /// The part of the overhead in which the program has a part.
    pub(crate) programs_overhead: u64,
    /// Counters at the start of measured blocks, by the serial of the block's mark.
    pub(crate) measurements: HashMap<u64, CostCounts>,
    pub(crate) families: Families,
    pub(crate) opcode_counts: Option<Box<OpcodeCounts>>,
}

impl Counters {
    /// The counters of a copy of the machine.
    pub(crate) fn fork(&self) -> Counters {
        let Counters {
            full,
            full_wanted,
            uncounted_sections,
            uncounted,
            other_ticks,
            other_loops,
            other_work,
            preset_ticks,
            counter_offset,
            granted_at,
            overhead,
            programs_overhead,
            measurements,
            families,
            opcode_counts,
        } = self;
        Counters {
            full: full.clone(),
            full_wanted: *full_wanted,
            uncounted_sections: *uncounted_sections,
            uncounted: *uncounted,
            other_ticks: *other_ticks,
            other_loops: *other_loops,
            other_work: *other_work,
            preset_ticks: *preset_ticks,
            counter_offset: *counter_offset,
            granted_at: *granted_at,
            overhead: *overhead,
            programs_overhead: *programs_overhead,
            measurements: measurements.clone(),
            families: families.clone(),
            opcode_counts: opcode_counts.clone(),
        }
    }
}
