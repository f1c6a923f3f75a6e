//! A sampling profiler, for contrast with counting. A thread sets a flag when time has passed, and the machine reads
//! the stack at the next poll point. The sampler changes no count of the counting model. While it is off it costs
//! nothing. While it is on, the limit on ticks is nearer, so that poll points look at the flag in time.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::machine::Vm;
use crate::observers::{Sampler, Samples, Timer};

/// Frames of a stack that a sample reads at most.
const MOST_FRAMES: usize = 1 << 14;

impl Vm {
    /// Takes a sample of the stack after each interval from now on.
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

    /// Ends the sampling and answers the samples.
    pub fn finish_sampling(&mut self) -> Samples {
        match self.observers.sampler.take() {
            Some(sampler) => sampler.samples(),
            None => Samples::default(),
        }
    }

    /// Takes a sample of the stack, if an interval has ended.
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
                sampler.meet(self.registers.code_of(&view).method, frames == 0, weight);
                frames += 1;
            }
        }
        self.observers.sampler = Some(sampler);
    }
}
