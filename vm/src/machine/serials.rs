//! Numbers for frames and pieces of a run.

use super::Vm;
use crate::base::{Limit, Stop, Value};

/// From this serial on a machine stops at the next poll point. The later serials serve until then.
const LAST_SERIAL: u64 = Value::MAX_FRAME_SERIAL - (1 << 32);

/// The number of marks of one process that ends the run, long before an index outgrows a frame's meta word.
const MOST_MARKS: usize = 1 << 30;

impl Vm {
    /// A number for a frame or a piece of the run that no other one gets. A frame token holds 56 bits of it.
    pub(crate) fn fresh_serial(&mut self) -> u64 {
        let serial = self.processes.next_serial;
        self.processes.next_serial = serial.saturating_add(1).min(Value::MAX_FRAME_SERIAL);
        if serial >= LAST_SERIAL || self.running.marks.len() >= MOST_MARKS {
            self.stop_at_next_poll(Stop::Limit(Limit::Serials));
        }
        serial
    }

    /// Lets serials begin with that number.
    pub fn preset_serials(&mut self, first: u64) {
        self.processes.next_serial = first.max(self.processes.next_serial);
    }
}
