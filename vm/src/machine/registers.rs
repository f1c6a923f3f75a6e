//! The machine's registers: the words that the loop reads and writes all the time. They have a fixed order at the
//! machine's start, so that generated code can share them later.

#![allow(unsafe_code)]

use crate::base::Value;
use crate::code::{CodeTable, LookupCache, Target};
use crate::observers::RawEdge;
use crate::processes::FrameView;

/// The state that the handlers of instructions share. It locates the running process; the rest of that process is in
/// [`Running`](crate::processes::Running).
#[repr(C)]
pub(crate) struct Registers {
    /// Sends and loop repetitions of the running process, as they were when the loop last saved its registers.
    pub(crate) ticks: u64,
    /// First tick at which a poll point takes its slow path.
    pub(crate) tick_limit: u64,
    pub(crate) loops: u64,
    pub(crate) ip: *const u64,
    pub(crate) fp: *mut Value,
    /// First word of the stack that a frame may not reach without a check.
    pub(crate) stack_limit: *mut Value,
    /// The meaning of the code numbers in the meta words of frames.
    pub(crate) codes: CodeTable,
    /// The recorder's edges; null if it is off.
    pub(crate) edges: *mut RawEdge,
    /// The target to enter when the recorder needs its slow path.
    pub(crate) callee: *const Target,
    pub(crate) lookup_cache: LookupCache,
}

impl Default for Registers {
    /// The registers of a machine that runs nothing.
    fn default() -> Registers {
        Registers {
            ticks: 0,
            tick_limit: u64::MAX,
            loops: 0,
            ip: std::ptr::null(),
            fp: std::ptr::null_mut(),
            stack_limit: std::ptr::null_mut(),
            codes: CodeTable(std::ptr::null()),
            edges: std::ptr::null_mut(),
            callee: std::ptr::null(),
            lookup_cache: LookupCache::default(),
        }
    }
}

impl Registers {
    /// Sends of the running process so far, by the model.
    pub(crate) fn process_sends(&self) -> u64 {
        self.ticks.wrapping_sub(self.loops)
    }

    /// The code that a frame of this machine runs which a walk came by.
    pub(crate) fn code_of(&self, view: &FrameView) -> &Target {
        // SAFETY: the number is a frame's; targets live as long as the machine.
        unsafe { &*self.codes.get(view.code) }
    }
}

impl Registers {
    /// The registers of a copy of the machine, whose process goes on at `ip`. The copy sets its own limits and pointers
    /// into tables.
    pub(crate) fn fork(&self, ip: *const u64) -> Registers {
        let Registers {
            ticks,
            tick_limit: _,
            loops,
            ip: _,
            fp: _,
            stack_limit: _,
            codes: _,
            edges: _,
            callee: _,
            lookup_cache: _,
        } = self;
        Registers {
            ticks: *ticks,
            loops: *loops,
            ip,
            ..Registers::default()
        }
    }
}
