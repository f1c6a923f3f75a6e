//! Which processor had which CPU. Short times that do not fit are joined; a joined one has the ticks in which its CPU was busy.

use std::collections::HashMap;

use tally_vm::{Event, EventKind};

use super::packed::Packed;
use crate::measured::Window;

/// The most CPUs that have lanes.
const MOST_CPUS: usize = 64;
/// The most times of all CPUs together.
const MOST_TURNS: usize = 400_000;

/// A time in which a CPU had a processor, or a joined one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    from: u64,
    to: u64,
    /// Ticks in which the CPU was busy.
    busy: u64,
    /// Nothing if there were several.
    processor: Option<u32>,
}

/// The CPUs of a run that has a number of them.
#[derive(Clone, Debug)]
pub(super) struct Cpus {
    window: Window,
    /// The script begins on the first CPU, if the whole run is followed. No event says so.
    has_begin: bool,
    /// Whether the run has a number of CPUs.
    is_limited: bool,
    /// The CPU that each processor had last.
    last: HashMap<u32, u32>,
    turns: Vec<Vec<Turn>>,
    count: usize,
    most: usize,
    width: u64,
    /// Ticks on CPUs without lanes.
    others: u64,
}

impl Cpus {
    /// Those of a part of a run, which is followed from its begin or not.
    pub(super) fn new(window: Window, has_begin: bool) -> Cpus {
        Cpus {
            window,
            has_begin,
            is_limited: false,
            last: HashMap::new(),
            turns: Vec::new(),
            count: 0,
            most: MOST_TURNS,
            width: 0,
            others: 0,
        }
    }

    pub(super) fn event(&mut self, event: &Event) {
        if let EventKind::Dispatched { cpu } = event.kind {
            self.is_limited = true;
            self.last.insert(event.processor, cpu);
        }
    }

    /// The processor executed or was charged between these moments, on the CPU that it had.
    pub(super) fn busy(&mut self, processor: u32, from: u64, to: u64) {
        let (from, to) = (from.max(self.window.from), to.min(self.window.to));
        let begins_here = processor == 0 && self.has_begin;
        let last = self.last.get(&processor).copied();
        let Some(cpu) = last.or(begins_here.then_some(0)).filter(|_| from < to) else {
            return;
        };
        let cpu = cpu as usize;
        if cpu >= MOST_CPUS {
            self.others = self.others.saturating_add(to - from);
            return;
        }
        if self.turns.len() <= cpu {
            self.turns.resize(cpu + 1, Vec::new());
        }
        let turns = &mut self.turns[cpu];
        // Only in a damaged trace has a CPU two processors at once.
        let from = from.max(turns.last().map_or(0, |last| last.to));
        if from >= to {
            return;
        }
        match turns.last_mut() {
            Some(last) if last.to == from && last.processor == Some(processor) => {
                last.to = to;
                last.busy += to - from;
            }
            _ => {
                turns.push(Turn {
                    from,
                    to,
                    busy: to - from,
                    processor: Some(processor),
                });
                self.count += 1;
            }
        }
        if self.count > self.most {
            self.join();
            while self.count > self.most / 2 && self.widen() {}
        }
    }

    /// The width of what is joined; 0 if nothing is.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// Ticks on CPUs without lanes.
    pub(super) fn others(&self) -> u64 {
        self.others
    }

    /// Makes the parts within which times are joined twice as wide. Answers whether that can help.
    pub(super) fn widen(&mut self) -> bool {
        let length = self.window.to - self.window.from;
        if self.width > length {
            return false;
        }
        self.width = match self.width {
            0 => (length / (self.most as u64 / 2)).max(2).next_power_of_two(),
            width => width.saturating_mul(2),
        };
        self.join();
        true
    }

    /// Joins the times that lie within the same part.
    fn join(&mut self) {
        if self.width == 0 {
            return;
        }
        let (begin, width) = (self.window.from, self.width);
        let part = |moment: u64| (moment - begin) / width;
        for turns in &mut self.turns {
            let mut joined: Vec<Turn> = Vec::new();
            for turn in turns.drain(..) {
                match joined.last_mut() {
                    Some(last) if part(last.from) == part(turn.to - 1) => {
                        last.to = turn.to;
                        last.busy += turn.busy;
                        last.processor =
                            last.processor.filter(|_| last.processor == turn.processor);
                    }
                    _ => joined.push(turn),
                }
            }
            *turns = joined;
        }
        self.count = self.turns.iter().map(Vec::len).sum();
    }

    /// Adds the number of CPUs, and for each the number of its times and these: the ticks since the one before, its length, the ticks of
    /// it in which the CPU had no processor, and the processor.
    pub(super) fn pack(&self) -> Packed {
        let mut packed = Packed::default();
        let turns = match self.is_limited {
            true => &self.turns[..],
            false => &[],
        };
        packed.number(turns.len() as u64);
        for turns in turns {
            packed.number(turns.len() as u64);
            let mut before = self.window.from;
            for turn in turns {
                packed.number(turn.from - before);
                packed.number(turn.to - turn.from);
                packed.number(turn.to - turn.from - turn.busy);
                packed.optional(turn.processor);
                before = turn.to;
            }
        }
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispatched(cpus: &mut Cpus, processor: u32, cpu: u32) {
        cpus.event(&Event {
            time: 0,
            processor,
            kind: EventKind::Dispatched { cpu },
            request: 0,
        });
    }

    #[test]
    fn a_cpu_has_the_processors_that_were_given_it() {
        let mut cpus = Cpus::new(Window { from: 0, to: 40 }, true);
        // The script begins on the first CPU; the other one has none yet.
        cpus.busy(0, 0, 2);
        cpus.busy(2, 0, 4);
        dispatched(&mut cpus, 0, 1);
        cpus.busy(0, 3, 5);
        cpus.busy(0, 5, 9);
        dispatched(&mut cpus, 2, 1);
        cpus.busy(2, 12, 80);
        dispatched(&mut cpus, 3, 64);
        cpus.busy(3, 1, 4);
        let turn = |processor, from, to| Turn {
            from,
            to,
            busy: to - from,
            processor: Some(processor),
        };
        assert_eq!(
            cpus.turns,
            [vec![turn(0, 0, 2)], vec![turn(0, 3, 9), turn(2, 12, 40)]]
        );
        assert_eq!(cpus.others(), 3);
    }

    #[test]
    fn joined_times_keep_their_ticks() {
        let mut cpus = Cpus::new(Window { from: 0, to: 4000 }, false);
        cpus.most = 100;
        // Without a turn before it, it is not known where the script is.
        cpus.busy(0, 0, 1);
        for step in 0..1000_u32 {
            dispatched(&mut cpus, step % 3, 0);
            let from = u64::from(step) * 4;
            cpus.busy(step % 3, from, from + 1 + u64::from(step % 3));
        }
        assert!(cpus.count <= 100, "{}", cpus.count);
        // 50 parts or more take 4,000 ticks in all.
        assert!((2..=256).contains(&cpus.width()), "{}", cpus.width());
        let busy: u64 = cpus.turns[0].iter().map(|turn| turn.busy).sum();
        // 333 times 1 + 2 + 3, and 1.
        assert_eq!(busy, 333 * 6 + 1);
        assert!(
            cpus.turns[0]
                .iter()
                .all(|turn| turn.busy <= turn.to - turn.from)
        );
    }
}
