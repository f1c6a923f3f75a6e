//! Chooses which process runs next. The machine consults a [`Scheduler`] at each choice. So a choice can be varied,
//! recorded and replayed.

use crate::base::ProcessId;

/// Chooses among processes that can run.
pub trait Scheduler: Send {
    /// Position in `ready` of the process to run next. `ready` is not empty; it holds processes of the
    /// highest priority only, longest waiting first.
    fn choose(&mut self, ready: &[ProcessId]) -> usize;

    /// Whether it always chooses the first. Then the machine skips the call.
    fn takes_first(&self) -> bool {
        false
    }

    /// Ticks of the chosen process until the next choice among its priority; `None` for no bound.
    fn slice(&mut self) -> Option<u64>;

    /// A copy for a forked machine.
    fn clone_box(&self) -> Box<dyn Scheduler>;
}

/// First come, first served, without time slices: Smalltalk-80's rule.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    /// Ticks of a slice.
    pub slice: Option<u64>,
}

impl Scheduler for RoundRobin {
    fn choose(&mut self, _ready: &[ProcessId]) -> usize {
        0
    }

    fn takes_first(&self) -> bool {
        true
    }

    fn slice(&mut self) -> Option<u64> {
        self.slice
    }

    fn clone_box(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

/// Chooses at random from a seed, with slices of random length, and keeps a log.
#[derive(Clone, Debug)]
pub struct Shuffle {
    state: u64,
    longest_slice: u64,
    /// Every choice and slice so far.
    pub log: std::sync::Arc<std::sync::Mutex<Vec<u64>>>,
}

impl Shuffle {
    /// A scheduler with this seed and slices of 1 to `longest_slice` ticks.
    pub fn new(seed: u64, longest_slice: u64) -> Shuffle {
        Shuffle {
            state: seed | 1,
            longest_slice: longest_slice.max(1),
            log: Default::default(),
        }
    }

    fn next(&mut self, bound: u64) -> u64 {
        // Marsaglia's xorshift64.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let answer = self.state % bound;
        if let Ok(mut log) = self.log.lock() {
            log.push(answer);
        }
        answer
    }
}

impl Scheduler for Shuffle {
    fn choose(&mut self, ready: &[ProcessId]) -> usize {
        self.next(ready.len() as u64) as usize
    }

    fn slice(&mut self) -> Option<u64> {
        Some(1 + self.next(self.longest_slice))
    }

    fn clone_box(&self) -> Box<dyn Scheduler> {
        Box::new(Shuffle {
            log: Default::default(),
            ..self.clone()
        })
    }
}

/// Repeats the choices of a log.
#[derive(Clone, Debug)]
pub struct Replay {
    log: Vec<u64>,
    at: usize,
}

impl Replay {
    /// A scheduler that answers the choices of the log, then always the first process.
    pub fn new(log: Vec<u64>) -> Replay {
        Replay { log, at: 0 }
    }

    fn next(&mut self) -> Option<u64> {
        let answer = self.log.get(self.at).copied();
        self.at += 1;
        answer
    }
}

impl Scheduler for Replay {
    fn choose(&mut self, ready: &[ProcessId]) -> usize {
        self.next().map_or(0, |n| n as usize % ready.len())
    }

    fn slice(&mut self) -> Option<u64> {
        self.next().map(|n| n + 1)
    }

    fn clone_box(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}
