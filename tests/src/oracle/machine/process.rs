//! A process, while it runs and while it waits.

use super::frame::Frame;
use crate::oracle::count::Counts;
use crate::oracle::value::{ObjectId, Value};

/// Whether a process can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Runnable,
    Waiting,
    Ended,
}

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) frames: Vec<Frame>,
    pub(crate) counts: Counts,
    pub(crate) priority: i64,
    pub(crate) status: Status,
    /// Its Process object; made on first use.
    pub(crate) object: Option<ObjectId>,
    /// The block that it is to evaluate, as long as it has not begun.
    pub(crate) block: Option<ObjectId>,
    /// The semaphore in whose list it is.
    pub(crate) waits_on: Option<Value>,
    /// A block to be evaluated before it goes on.
    pub(crate) interruption: Option<Value>,
    pub(crate) is_to_end: bool,
    /// The frame whose doings are silent.
    pub(crate) silence: Option<u64>,
    pub(crate) depth_exceeded: bool,
}

impl Process {
    pub(crate) fn new(priority: i64) -> Process {
        Process {
            frames: Vec::new(),
            counts: Counts::default(),
            priority,
            status: Status::Runnable,
            object: None,
            block: None,
            waits_on: None,
            interruption: None,
            is_to_end: false,
            silence: None,
            depth_exceeded: false,
        }
    }

    pub(crate) fn ticks(&self) -> u64 {
        self.counts.sends + self.counts.loops
    }
}
