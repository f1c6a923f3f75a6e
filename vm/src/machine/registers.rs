//! The machine's registers: what the loop reads and writes all the time, in a fixed order at the machine's start, so that
//! code which is generated later can share them.

use crate::base::Value;
use crate::code::{CodeTable, LookupCache, Target};
use crate::observers::RawEdge;

/// The state that the handlers of instructions share. It says where the running process stands; everything else about
/// that process is in [`Running`](crate::processes::Running).
#[repr(C)]
pub(crate) struct Registers {
    /// Sends and loop repetitions of the running process, as they were when the loop last saved its registers.
    pub(crate) ticks: u64,
    /// First tick at which a poll point has to ask.
    pub(crate) tick_limit: u64,
    pub(crate) loops: u64,
    pub(crate) ip: *const u64,
    pub(crate) fp: *mut Value,
    /// First word of the stack that a frame may not reach without asking.
    pub(crate) stack_limit: *mut Value,
    /// What the code numbers in the meta words of frames mean.
    pub(crate) codes: CodeTable,
    /// The recorder's edges; null if it is off.
    pub(crate) edges: *mut RawEdge,
    /// What is about to be entered when recording that takes more than a few instructions.
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
