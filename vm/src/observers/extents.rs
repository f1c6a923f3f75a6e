//! The sends below each single activation of a method: the fewest, the most, their sum. The recorder adds activations up, so it
//! cannot know them. `profile` fills the tables.

use hashbrown::HashMap;

use crate::base::MethodId;

/// The activations of a method and the sends below each of them, nested activations included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Activations that were entered and left.
    pub calls: u64,
    /// The sends below the activation with the fewest.
    pub least: u64,
    /// The sends below the activation with the most.
    pub most: u64,
    /// The sends below all activations, added up.
    pub sum: u128,
}

impl Extent {
    fn of(sends: u64) -> Extent {
        Extent {
            calls: 1,
            least: sends,
            most: sends,
            sum: u128::from(sends),
        }
    }

    /// The extent of both.
    pub fn with(self, other: Extent) -> Extent {
        Extent {
            calls: self.calls.saturating_add(other.calls),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            sum: self.sum.saturating_add(other.sum),
        }
    }
}

/// The extents of a run.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    /// The open frames of each process: the method, if the frame is an activation that counts, and the process's sends at the
    /// entry.
    open: HashMap<u32, Vec<(Option<MethodId>, u64)>>,
    closed: HashMap<u32, Extent>,
}

impl Extents {
    /// A process enters a frame at this reading of its send counter.
    pub(crate) fn begin(&mut self, process: u32, method: Option<MethodId>, sends: u64) {
        self.open.entry(process).or_default().push((method, sends));
    }

    /// A process leaves its innermost frame. A frame that was entered before the observer was turned on is not known.
    pub(crate) fn end(&mut self, process: u32, sends: u64) {
        let frame = self.open.get_mut(&process).and_then(Vec::pop);
        if let Some((Some(method), entry)) = frame {
            let extent = Extent::of(sends.wrapping_sub(entry));
            self.closed
                .entry(method.0)
                .and_modify(|known| *known = known.with(extent))
                .or_insert(extent);
        }
    }

    /// A process leaves all its frames.
    pub(crate) fn end_all(&mut self, process: u32, sends: u64) {
        while self.open.get(&process).is_some_and(|open| !open.is_empty()) {
            self.end(process, sends);
        }
        self.open.remove(&process);
    }

    /// The methods with their extents, by their numbers.
    pub(crate) fn rows(self) -> Vec<(MethodId, Extent)> {
        let mut rows: Vec<(u32, Extent)> = self.closed.into_iter().collect();
        rows.sort_unstable_by_key(|(method, _)| *method);
        rows.into_iter()
            .map(|(method, extent)| (MethodId(method), extent))
            .collect()
    }
}
