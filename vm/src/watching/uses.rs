//! Which processes have used which variables.

use super::threads::{Threads, WatchedId};
use crate::separate::SlotKind;

/// A variable of an object, or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Accessed {
    /// The name of the object.
    pub(crate) object: u64,
    pub(crate) slot: u32,
    pub(crate) kind: SlotKind,
}

/// When a process has read and written a variable last: how many processes it had made by then.
#[derive(Clone, Copy, Debug)]
struct Use {
    thread: WatchedId,
    read: Option<u32>,
    written: Option<u32>,
}

/// Who has used a variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses(Vec<Use>);

impl Uses {
    /// Adds an access of the process. Answers whether its order with another one is open and can matter.
    pub(super) fn add(&mut self, threads: &Threads, thread: WatchedId, writes: bool) -> bool {
        let is_open = |moment: Option<u32>, other: WatchedId| {
            moment.is_some_and(|moment| !threads.is_before(other, moment, thread))
        };
        let mut others = self.0.iter().filter(|one| one.thread != thread);
        let competes = others.any(|other| {
            is_open(other.written, other.thread) || writes && is_open(other.read, other.thread)
        });
        let place = self.0.iter().position(|one| one.thread == thread);
        let place = place.unwrap_or_else(|| {
            self.0.push(Use {
                thread,
                read: None,
                written: None,
            });
            self.0.len() - 1
        });
        let now = Some(threads.made_by(thread));
        match writes {
            true => self.0[place].written = now,
            false => self.0[place].read = now,
        }
        competes
    }
}
