//! Silence: what runs below a frame of the kind `Silent` adds nothing to any count (counting model, 4). The
//! counters go on meanwhile and are put back when the frame goes, however it goes; what they had
//! gained is the overhead.

use crate::cost::FullCounters;
use crate::heap::Allocations;
use crate::vm::Vm;

/// The counters of a process as they were when its outermost silent frame was marked.
#[derive(Clone, Debug)]
pub(crate) struct Silence {
    /// Base of the silent frame.
    pub(crate) frame: usize,
    pub(crate) ticks: u64,
    loops: u64,
    allocations: Allocations,
    full: FullCounters,
}

impl Vm {
    /// The frame's doings are silent from here on, unless some frame's below already are.
    pub(crate) fn begin_silence(&mut self, frame: usize) {
        if self.silence.is_none() {
            self.silence = Some(Box::new(Silence {
                frame,
                ticks: self.ticks,
                loops: self.loops,
                allocations: self.heap.allocations,
                full: self.full.clone(),
            }));
        }
    }

    /// Called when a frame goes: ends the silence if it was this frame's.
    pub(crate) fn end_silence(&mut self, frame: usize) {
        if self
            .silence
            .as_ref()
            .is_none_or(|silence| silence.frame != frame)
        {
            return;
        }
        if let Some(silence) = self.silence.take() {
            let sends = self.process_sends();
            self.ticks = silence.ticks;
            self.loops = silence.loops;
            self.heap.allocations = silence.allocations;
            self.full = silence.full;
            self.overhead += sends.wrapping_sub(self.process_sends());
            self.set_tick_limit();
            self.watch_allocations();
        }
    }

    /// Sends of silent frames so far; no part of [`Vm::sends`].
    pub fn overhead(&self) -> u64 {
        self.overhead
    }
}
