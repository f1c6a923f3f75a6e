//! The border between processors: what crosses it becomes a reference, and what comes home is the object again (R2).
//! Values cross as themselves or as copies (R3).

use super::Vm;
use crate::base::{Known, Value};
use crate::heap::Contents;
use crate::separate::ProcessorId;

/// Slots of a reference: the number of the owner, the object, and the number of its export there.
const OWNER_SLOT: usize = 0;
const TARGET_SLOT: usize = 1;
const EXPORT_SLOT: usize = 2;
const SLOTS: usize = 3;

impl Vm {
    /// Owner and object of a reference.
    pub(crate) fn referred(&self, value: Value) -> Option<(ProcessorId, Value)> {
        if !value.is_object() || !self.is_a(value, Known::Separate) {
            return None;
        }
        let &[owner, target, _] = self.heap.slots(value).first_chunk::<SLOTS>()?;
        let owner = u32::try_from(owner.as_int()?).ok()?;
        let count = self.separate.engine.as_ref()?.processor_count();
        ((owner as usize) < count).then_some((ProcessorId(owner), target))
    }

    /// The value as the processor `to` sees it, if the processor `from` passes it.
    pub(crate) fn carry(&mut self, value: Value, from: ProcessorId, to: ProcessorId) -> Value {
        if from == to || !value.is_object() {
            return value;
        }
        if let Some((owner, target)) = self.referred(value) {
            return if owner == to { target } else { value };
        }
        if self.crosses_as_itself(value) {
            return value;
        }
        if self.narrow_bytes(value).is_some() || self.wide_bytes(value).is_some() {
            return self.copy_of_string(value);
        }
        self.reference_to(value, from)
    }

    /// Whether the value is the processor's own object, for which others get a reference.
    pub(crate) fn is_own_object(&self, value: Value) -> bool {
        value.is_object()
            && self.referred(value).is_none()
            && !self.crosses_as_itself(value)
            && self.narrow_bytes(value).is_none()
            && self.wide_bytes(value).is_none()
    }

    /// Numbers, symbols and classes. None of them can be changed by a message, or all share them.
    fn crosses_as_itself(&self, value: Value) -> bool {
        const NUMBERS: [Known; 6] = [
            Known::LargePositiveInteger,
            Known::LargeNegativeInteger,
            Known::Float,
            Known::Fraction,
            Known::ScaledDecimal,
            Known::Symbol,
        ];
        NUMBERS.iter().any(|&known| self.is_a(value, known))
            || self.class_of_class_object(value).is_some()
    }

    fn copy_of_string(&mut self, value: Value) -> Value {
        let before = self.allocations_now();
        let text = self.codes_of(value).unwrap_or_default();
        let copy = self.make_string_of_codes(&text);
        self.forget_allocations_since(before);
        copy
    }

    /// Takes values over that have crossed. Copies count where they arrive, so a string is copied there once more: the sender
    /// may have changed its own in the meantime.
    pub(crate) fn receive(&mut self, values: Vec<Value>) -> Vec<Value> {
        let first = self.run.handles.len();
        self.run.handles.extend(values);
        for index in first..self.run.handles.len() {
            let value = self.run.handles[index];
            if value.is_object()
                && let Some(text) = self.codes_of(value)
            {
                let copy = self.make_string_of_codes(&text);
                self.run.handles[index] = copy;
            }
        }
        self.run.handles.drain(first..).collect()
    }

    /// The reference to an object of the processor.
    pub(crate) fn reference_to(&mut self, object: Value, owner: ProcessorId) -> Value {
        if let Some(reference) = self.known_reference(object) {
            return reference;
        }
        let reference = self.new_reference(object, owner);
        let object = self.heap.slot(reference, TARGET_SLOT);
        // Making the reference may have moved objects.
        let _ = self.known_reference(object);
        self.separate.references.add(object, reference);
        reference
    }

    /// A new reference, which the model does not count.
    pub(crate) fn new_reference(&mut self, object: Value, owner: ProcessorId) -> Value {
        let before = self.allocations_now();
        self.run.handles.push(object);
        let reference = self.make(Known::Separate.into(), Contents::Slots(SLOTS));
        let object = self.run.handles.pop().unwrap_or(Value::NIL);
        self.forget_allocations_since(before);
        let engine = self.separate.engine.as_mut();
        let number = engine.map_or(0, |engine| engine.next_export(owner));
        let slots = [
            (OWNER_SLOT, Value::int(i64::from(owner.0))),
            (TARGET_SLOT, object),
            (EXPORT_SLOT, Value::int(i64::from(number))),
        ];
        for (slot, value) in slots {
            self.heap.set_slot(reference, slot, value);
        }
        reference
    }

    /// The reference to the object, if one was made.
    fn known_reference(&mut self, object: Value) -> Option<Value> {
        let statistics = &self.heap.statistics;
        let collections = statistics.full.count() + statistics.minor.count();
        let heap = &self.heap;
        let target = |reference| heap.slots(reference).get(TARGET_SLOT).copied();
        self.separate.references.find(object, collections, target)
    }
}
