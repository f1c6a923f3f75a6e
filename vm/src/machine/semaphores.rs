//! What a Semaphore holds. The processes that wait for it are in `primitives::control`.

use super::Vm;
use crate::base::{Known, Value};

const SIGNALS_SLOT: usize = 0;

impl Vm {
    pub(crate) fn is_semaphore(&self, value: Value) -> bool {
        value.is_object() && self.inherits(self.class_of(value), Known::Semaphore.into())
    }

    /// Its signals. Programs can put anything there.
    pub(crate) fn signals_of(&self, semaphore: Value) -> i64 {
        self.heap
            .slot(semaphore, SIGNALS_SLOT)
            .as_int()
            .unwrap_or(0)
    }

    /// Changes them, up to the greatest SmallInteger.
    pub(crate) fn set_signals(&mut self, semaphore: Value, signals: i64) {
        let signals = Value::int(signals.min(Value::MAX_INT));
        self.heap.set_slot(semaphore, SIGNALS_SLOT, signals);
    }
}
