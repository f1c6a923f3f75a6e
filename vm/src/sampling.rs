//! A sampling profiler, for contrast with counting: a thread says when time has passed, and the machine looks at the stack
//! at the next poll point. It counts nothing that the counting model knows, and when it is off nothing of it runs: the limit on ticks
//! at which a poll point asks is a little nearer while it is on, that is all.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::class::MethodId;
use crate::machine::Vm;

/// Ticks between two looks at whether time has passed.
pub(crate) const LOOK_EVERY: u64 = 512;
/// Frames of a stack that a sample looks at.
const MOST_FRAMES: usize = 1 << 14;

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
    /// Samples: intervals that ended while the program ran. What passed without a poll point is in the next one.
    pub samples: u64,
    /// How often the stack was looked at.
    pub looks: u64,
    /// How often it was too deep to be looked at as a whole.
    pub cut: u64,
    /// Time between start and stop.
    pub elapsed: Duration,
}

/// Samples that are being taken.
pub(crate) struct Sampler {
    timer: Timer,
    start: Instant,
    counts: Vec<SampleCount>,
    /// By method: the look that met it last.
    last_look: Vec<u64>,
    samples: u64,
    looks: u64,
    cut: u64,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler with {} samples", self.samples)
    }
}

impl Sampler {
    /// Notes that a method is on the stack that is being looked at.
    fn meet(&mut self, method: MethodId, is_top: bool, weight: u64) {
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

    fn samples(self) -> Samples {
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
struct Timer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// Intervals that have ended since the machine looked.
    ended: AtomicU64,
    is_over: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Timer {
    fn start(interval: Duration) -> std::io::Result<Timer> {
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

impl Vm {
    /// Looks at the stack as often as an interval ends, from now on.
    pub fn start_sampling(&mut self, interval: Duration) -> std::io::Result<()> {
        self.observers.sampler = Some(Box::new(Sampler {
            timer: Timer::start(interval)?,
            start: Instant::now(),
            counts: Vec::new(),
            last_look: Vec::new(),
            samples: 0,
            looks: 0,
            cut: 0,
        }));
        self.set_tick_limit();
        Ok(())
    }

    /// Ends that, and answers what was seen.
    pub fn finish_sampling(&mut self) -> Samples {
        match self.observers.sampler.take() {
            Some(sampler) => sampler.samples(),
            None => Samples::default(),
        }
    }

    /// Looks at the stack, if an interval has ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_sample(&mut self) {
        let Some(mut sampler) = self.observers.sampler.take() else {
            return;
        };
        let weight = sampler.timer.shared.ended.swap(0, Ordering::Relaxed);
        if weight > 0 {
            sampler.samples += weight;
            sampler.looks += 1;
            let mut walk = self.walk_frames();
            let mut frames = 0;
            while let Some(view) = walk.next(self) {
                if frames == MOST_FRAMES {
                    sampler.cut += 1;
                    break;
                }
                sampler.meet(self.code_of(&view).method, frames == 0, weight);
                frames += 1;
            }
        }
        self.observers.sampler = Some(sampler);
    }
}
