//! Futures: what stands for an answer that has not come yet (R5).

use super::Vm;
use crate::base::{ClassId, Value};
use crate::heap::Contents;
use crate::separate::RequestId;

/// Slots of a Future: the answer, what to signal if there is none, and row and number of the request.
const VALUE_SLOT: usize = 0;
const FAILURE_SLOT: usize = 1;
const ROW_SLOT: usize = 2;
const NUMBER_SLOT: usize = 3;

impl Vm {
    fn future_class(&self) -> Option<ClassId> {
        let class = self.find_class("Future")?;
        (self.class(class).ivars.len() > NUMBER_SLOT).then_some(class)
    }

    fn is_future(&self, value: Value) -> bool {
        let class = self.future_class();
        class.is_some_and(|class| value.is_object() && self.inherits(self.class_of(value), class))
            && self.heap.slots(value).len() > NUMBER_SLOT
    }

    /// A Future that the model does not count; nil if the library has none.
    pub(crate) fn new_future(&mut self) -> Value {
        let Some(class) = self.future_class() else {
            return Value::NIL;
        };
        let before = self.allocations_now();
        let slots = self.class(class).ivars.len();
        let future = self.make(class, Contents::Slots(slots));
        self.forget_allocations_since(before);
        future
    }

    /// The Future stands for the answer of the request.
    pub(crate) fn await_future(&mut self, future: Value, request: RequestId, number: u32) {
        let row = Value::int(i64::from(request.0));
        self.heap.set_slot(future, ROW_SLOT, row);
        let number = Value::int(i64::from(number));
        self.heap.set_slot(future, NUMBER_SLOT, number);
    }

    /// The request of the running processor for whose answer the object is a Future, if that has not been taken.
    pub(crate) fn request_of_future(&self, future: Value) -> Option<RequestId> {
        if !self.is_future(future) {
            return None;
        }
        let slots = self.heap.slots(future);
        let number = |slot: usize| u32::try_from(slots.get(slot)?.as_int()?).ok();
        let engine = self.separate.engine.as_ref()?;
        engine.find_future(
            self.separate.running,
            number(ROW_SLOT)?,
            number(NUMBER_SLOT)?,
        )
    }

    /// The answer has come: a value, or what to signal, which is nil for none.
    pub(crate) fn resolve_future(&mut self, future: Value, answer: Value, failure: Value) {
        // It may have become another object in the meantime.
        if !self.is_future(future) {
            return;
        }
        for (slot, value) in [
            (VALUE_SLOT, answer),
            (FAILURE_SLOT, failure),
            (ROW_SLOT, Value::NIL),
            (NUMBER_SLOT, Value::NIL),
        ] {
            self.heap.set_slot(future, slot, value);
        }
    }
}
