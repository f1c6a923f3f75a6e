//! Which scope has the lock of which processor, and since when.

use std::collections::BTreeMap;

use tally_vm::{Event, EventKind};

use super::kept::Kept;
use super::packed::Packed;
use crate::measured::Window;

/// The most times that are listed: those that last to the end, then the longest.
const MOST_HOLDS: usize = 20_000;
/// The most locks that scopes under way want. Those of further scopes are not known.
const MOST_WANTED: usize = 1 << 20;

/// A time in which a scope has the lock of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// The processor whose lock it is.
    supplier: u32,
    /// The processor of the scope.
    client: u32,
    /// The request that is the scope.
    request: u32,
    from: u64,
    to: u64,
    /// Whether it lasts to the end.
    lasts: bool,
}

/// Follows who has which lock.
#[derive(Clone, Debug)]
pub(super) struct Holds {
    window: Window,
    /// What the scopes under way want, by the numbers of their requests.
    wanted: BTreeMap<u32, Vec<u32>>,
    count: usize,
    /// Locks that are held, by processors; their ends are not known yet.
    held: BTreeMap<u32, Hold>,
    kept: Kept<Hold>,
}

impl Holds {
    pub(super) fn new(window: Window) -> Holds {
        Holds {
            window,
            wanted: BTreeMap::new(),
            count: 0,
            held: BTreeMap::new(),
            kept: Kept::new(MOST_HOLDS),
        }
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Locks | EventKind::Returns | EventKind::Cancelled => {
                let wanted = self.wanted.remove(&event.request);
                self.count -= wanted.map_or(0, |wanted| wanted.len());
            }
            EventKind::Wants { supplier } if self.count < MOST_WANTED => {
                self.wanted.entry(event.request).or_default().push(supplier);
                self.count += 1;
            }
            EventKind::Granted => self.granted(event),
            EventKind::Evaluated(false) => {
                for supplier in self.wanted_by(event.request) {
                    self.ends(supplier, event.time);
                }
            }
            EventKind::Unlocked => self.ends(event.processor, event.time),
            _ => {}
        }
    }

    fn wanted_by(&self, request: u32) -> Vec<u32> {
        self.wanted.get(&request).cloned().unwrap_or_default()
    }

    fn granted(&mut self, event: &Event) {
        for supplier in self.wanted_by(event.request) {
            // A scope inside of another one of the same processor goes on with its locks.
            let own = self.held.get(&supplier);
            if own.is_some_and(|hold| hold.client == event.processor) {
                continue;
            }
            self.ends(supplier, event.time);
            let hold = Hold {
                supplier,
                client: event.processor,
                request: event.request,
                from: event.time,
                to: u64::MAX,
                lasts: true,
            };
            self.held.insert(supplier, hold);
        }
    }

    fn ends(&mut self, supplier: u32, time: u64) {
        if let Some(hold) = self.held.remove(&supplier) {
            self.add(Hold {
                to: time,
                lasts: false,
                ..hold
            });
        }
    }

    fn add(&mut self, hold: Hold) {
        let inside = |moment: u64| moment.clamp(self.window.from, self.window.to);
        let hold = Hold {
            from: inside(hold.from),
            to: inside(hold.to),
            ..hold
        };
        if hold.from < hold.to || hold.lasts {
            let ticks = hold.to.saturating_sub(hold.from);
            self.kept.add_lasting(ticks, hold.lasts, hold);
        }
    }

    /// All of them, those that weigh most first, and how many there were.
    pub(super) fn finish(mut self) -> (Vec<Hold>, u64) {
        for hold in std::mem::take(&mut self.held).into_values() {
            self.add(hold);
        }
        let all = self.kept.added();
        (self.kept.finish(), all)
    }
}

/// The times in the order of their begins: columns of begins, lengths, suppliers, clients, requests, and
/// whether they last to the end.
pub(super) fn pack_holds(holds: &[Hold], window: Window) -> Packed {
    let mut holds = holds.to_vec();
    holds.sort_by_key(|hold| (hold.from, hold.supplier));
    let mut packed = Packed::default();
    packed.number(holds.len() as u64);
    let mut before = window.from;
    for hold in &holds {
        packed.number(hold.from - before);
        before = hold.from;
    }
    holds
        .iter()
        .for_each(|hold| packed.number(hold.to - hold.from));
    for column in [
        |hold: &Hold| hold.supplier,
        |hold: &Hold| hold.client,
        |hold: &Hold| hold.request,
    ] {
        holds
            .iter()
            .for_each(|hold| packed.number(column(hold).into()));
    }
    holds.iter().for_each(|hold| packed.byte(hold.lasts.into()));
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: u64, processor: u32, request: u32, kind: EventKind) -> Event {
        Event {
            time,
            processor,
            kind,
            request,
        }
    }

    #[test]
    fn locks_are_held_from_their_grant_to_their_unlock() {
        let mut holds = Holds::new(Window { from: 0, to: 100 });
        let wants = |supplier| EventKind::Wants { supplier };
        for one in [
            event(3, 1, 7, EventKind::Locks),
            event(3, 1, 7, wants(4)),
            event(3, 1, 7, wants(5)),
            event(5, 1, 7, EventKind::Granted),
            // A condition that is false gives both locks back.
            event(8, 1, 7, EventKind::Evaluated(false)),
            event(20, 1, 7, EventKind::Granted),
            // A scope inside of it wants one of them too, and a third.
            event(25, 1, 8, EventKind::Locks),
            event(25, 1, 8, wants(5)),
            event(25, 1, 8, wants(6)),
            event(30, 1, 8, EventKind::Granted),
            event(40, 4, 7, EventKind::Unlocked),
            event(45, 6, 8, EventKind::Unlocked),
            // Another scope has it up to the end, from its last moment on.
            event(99, 2, 9, EventKind::Locks),
            event(99, 2, 9, wants(6)),
            event(100, 2, 9, EventKind::Granted),
        ] {
            holds.event(&one);
        }
        let (mut found, all) = holds.finish();
        assert_eq!(all, 6);
        found.sort_by_key(|hold| (hold.from, hold.supplier));
        let shown: Vec<_> = found
            .iter()
            .map(|hold| (hold.supplier, hold.client, hold.request, hold.from, hold.to))
            .collect();
        assert_eq!(
            shown,
            [
                (4, 1, 7, 5, 8),
                (5, 1, 7, 5, 8),
                (4, 1, 7, 20, 40),
                (5, 1, 7, 20, 100),
                (6, 1, 8, 30, 45),
                (6, 2, 9, 100, 100)
            ]
        );
    }
}
