//! A sampler: a thread sets a flag when time has passed, and the stack of that moment is counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::base::MethodId;

/// Ticks between two readings of the flag.
pub(crate) const LOOK_EVERY: u64 = 512;

/// How often a method was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCount {
    /// Samples in which it, or a block in it, was on top.
    pub own: u64,
    /// Samples in which it, or a block in it, was on the stack.
    pub total: u64,
}

/// What samples of a run say.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Methods that were met, in the order of their numbers.
    pub methods: Vec<(MethodId, SampleCount)>,
    /// Samples: intervals that ended while the program ran. Time without a poll point counts for the next one.
    pub samples: u64,
    /// The number of samples of the stack.
    pub looks: u64,
    /// The number of samples of a stack that was too deep to be read as a whole.
    pub cut: u64,
    /// Time between start and stop.
    pub elapsed: Duration,
}

/// Samples that are being taken.
pub(crate) struct Sampler {
    pub(crate) timer: Timer,
    pub(crate) start: Instant,
    pub(crate) counts: Vec<SampleCount>,
    /// By method: the look that met it last.
    pub(crate) last_look: Vec<u64>,
    pub(crate) samples: u64,
    pub(crate) looks: u64,
    pub(crate) cut: u64,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler with {} samples", self.samples)
    }
}

impl Sampler {
    /// Notes that a method is on the sampled stack.
    pub(crate) fn meet(&mut self, method: MethodId, is_top: bool, weight: u64) {
        let index = method.0 as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, SampleCount::default());
            self.last_look.resize(index + 1, 0);
        }
        let count = &mut self.counts[index];
        if is_top {
            count.own += weight;
        }
        if self.last_look[index] != self.looks {
            self.last_look[index] = self.looks;
            count.total += weight;
        }
    }

    pub(crate) fn samples(self) -> Samples {
        let numbered = (0u32..).map(MethodId).zip(self.counts);
        Samples {
            methods: numbered.filter(|(_, count)| count.total > 0).collect(),
            samples: self.samples,
            looks: self.looks,
            cut: self.cut,
            elapsed: self.start.elapsed(),
        }
    }
}

/// A thread that counts intervals until it is dropped.
pub(crate) struct Timer {
    pub(crate) shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
pub(crate) struct Shared {
    /// Intervals that have ended since the machine looked.
    pub(crate) ended: AtomicU64,
    is_over: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Timer {
    pub(crate) fn start(interval: Duration) -> std::io::Result<Timer> {
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("sampling".to_string())
            .spawn(move || of_thread.run(interval))?;
        Ok(Timer {
            shared,
            thread: Some(thread),
        })
    }
}

impl Shared {
    fn run(&self, interval: Duration) {
        let start = Instant::now();
        let mut counted = 0u128;
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_over.load(Ordering::Acquire) {
            let waited = self.wake.wait_timeout(guard, interval);
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
            // Of intervals that ended while this thread did not get its turn, each is counted.
            let ended = start.elapsed().as_nanos() / interval.as_nanos().max(1);
            let new = u64::try_from(ended - counted).unwrap_or(u64::MAX);
            counted = ended;
            self.ended.fetch_add(new, Ordering::Relaxed);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let guard = self.shared.lock.lock();
        self.shared.is_over.store(true, Ordering::Release);
        drop(guard);
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
