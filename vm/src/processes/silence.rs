//! Silence: code below a frame of the kind `Silent` adds nothing to any count (counting model, 4). The counters go on
//! in the meantime and are reset when the frame goes, by any way. The difference is the overhead. A frame of the kind
//! `Counted` interrupts the silence around it: a wrapper runs the original in such a frame. Then everything counts
//! until that frame goes.

use crate::base::MethodId;
use crate::bytecode::INLINED;
use crate::counting::FullCounters;
use crate::heap::Allocations;

/// The values to restore at the end of a silence.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) ticks: u64,
    pub(crate) loops: u64,
    pub(crate) allocations: Allocations,
    /// Identity hashes that only silent code takes leave the sequence of hashes as it is.
    pub(crate) hashes: u32,
    pub(crate) inlined: [u64; INLINED.len()],
    /// `None` where they are not maintained.
    pub(crate) full: Option<FullCounters>,
    /// The work by these counters.
    pub(crate) work: u64,
}

/// A process's silence: the counters as they were when its outermost silent frame was marked.
#[derive(Clone, Debug)]
pub(crate) struct Silence {
    /// Base of the silent frame.
    pub(crate) frame: usize,
    /// The method of the wrapper that the frame runs.
    pub(crate) wrapper: Option<MethodId>,
    /// Whether the program takes part in the silent code.
    pub(crate) is_programs: bool,
    /// Base of the frame below that one.
    pub(crate) caller: usize,
    /// Base of the frame that interrupts it.
    pub(crate) interrupted_by: usize,
    /// Whether what that frame ran was an activation of the wrapped method.
    pub(crate) was_activated: bool,
    pub(crate) counters: Reading,
    /// Ticks that it had taken when it was last interrupted.
    pub(crate) taken: u64,
    /// The same of work.
    pub(crate) work_taken: u64,
}

/// The code that begins a silence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SilentCode {
    /// The wrapper's method, if it is one.
    pub(crate) wrapper: Option<MethodId>,
    /// Whether program code takes part in it; then its sends are reported. The library's own machinery is not reported.
    pub(crate) is_programs: bool,
}

impl SilentCode {
    /// A wrapper's method with all that it sends.
    pub(crate) fn of_wrapper(method: MethodId) -> SilentCode {
        SilentCode {
            wrapper: Some(method),
            is_programs: true,
        }
    }
}

impl Silence {
    /// Sends of the process when the silence began.
    pub(crate) fn sends(&self) -> u64 {
        self.counters.ticks.wrapping_sub(self.counters.loops)
    }

    /// Ticks that it has taken when its process's counter reads so.
    pub(crate) fn ticks_taken(&self, now: u64) -> u64 {
        self.taken
            .saturating_add(now.wrapping_sub(self.counters.ticks))
    }

    /// Where its process's counter stands when it has taken that many ticks.
    pub(crate) fn end_after(&self, most: u64) -> u64 {
        let left = most.saturating_sub(self.taken);
        self.counters.ticks.saturating_add(left)
    }

    /// Work that it has taken when its process's counters amount to so much.
    pub(crate) fn work_taken(&self, now: u64) -> u64 {
        self.work_taken
            .saturating_add(now.wrapping_sub(self.counters.work))
    }
}

/// Finds the silent frames of a stack, in a walk from the top down.
pub(crate) struct SilentFrames<'a> {
    down_to: Option<&'a Silence>,
    interrupted: &'a [Box<Silence>],
}

impl<'a> SilentFrames<'a> {
    pub(crate) fn new(
        silence: Option<&'a Silence>,
        interrupted: &'a [Box<Silence>],
    ) -> SilentFrames<'a> {
        SilentFrames {
            down_to: silence,
            interrupted,
        }
    }

    /// Whether the next frame down, this one, is silent. A frame that begins a silence was entered counted.
    pub(crate) fn has(&mut self, frame: usize) -> bool {
        if self.down_to.is_none()
            && let Some((inner, outer)) = self.interrupted.split_last()
            && inner.interrupted_by == frame
        {
            self.down_to = Some(inner);
            self.interrupted = outer;
        }
        match self.down_to {
            Some(silence) if silence.frame == frame => {
                self.down_to = None;
                silence.wrapper.is_some()
            }
            found => found.is_some(),
        }
    }
}
