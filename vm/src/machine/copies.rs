//! Copies that cross the border between processors (R3).

use hashbrown::HashMap;

use super::Vm;
use super::membrane::Crossing;
use crate::base::{Known, Value};
use crate::heap::Contents;
use crate::separate::ProcessorId;

/// What a copy consists of: the objects that are copied, the root first, and what else their fields refer to.
struct Parts {
    copied: Vec<Value>,
    others: Vec<Value>,
}

impl Vm {
    /// A copy of the object for another processor. In a shallow one the fields cross one by one. In a deep one all is copied
    /// that can be.
    pub(super) fn copy_for(
        &mut self,
        root: Value,
        is_deep: bool,
        (from, to): (ProcessorId, ProcessorId),
    ) -> Value {
        let Parts { copied, others } = self.parts_of(root, is_deep);
        let (first, copies) = (self.run.handles.len(), copied.len());
        // Originals, then what stands for each of them over there.
        self.run.handles.extend(copied.into_iter().chain(others));
        let end = self.run.handles.len();
        for index in first..first + copies {
            let copy = self.empty_copy(self.run.handles[index]);
            self.run.handles.push(copy);
        }
        for index in first + copies..end {
            let carried = self.carry(self.run.handles[index], from, to);
            self.run.handles.push(carried);
        }
        let all: Vec<Value> = self.run.handles.drain(first..).collect();
        let (originals, carried) = all.split_at(end - first);
        let pairs = originals.iter().map(|one| one.bits());
        let carried_of: HashMap<u64, Value> = pairs.zip(carried.iter().copied()).collect();
        let copied = originals.iter().copied().zip(carried.iter().copied());
        self.fill_copies(copied.take(copies), &carried_of);
        carried.first().copied().unwrap_or(Value::NIL)
    }

    /// Fills copies, each beside its original. A slot whose value has a stand-in, by its bits, gets that.
    pub(super) fn fill_copies(
        &mut self,
        copies: impl Iterator<Item = (Value, Value)>,
        stand_ins: &HashMap<u64, Value>,
    ) {
        for (original, copy) in copies {
            // Hashed collections find their elements by these.
            self.heap.copy_hash(original, copy);
            let Contents::Slots(length) = self.heap.contents(original) else {
                continue;
            };
            for slot in 0..length {
                let value = self.heap.slot(original, slot);
                let marked = self.marked_object(value);
                let stand_in = stand_ins.get(&marked.bits()).copied();
                self.heap.set_slot(copy, slot, stand_in.unwrap_or(value));
            }
        }
    }

    /// Notes what the value gives access to when it is passed (R11): own objects, or objects of these processors.
    pub(crate) fn note_passed(&mut self, value: Value, passed: &mut (bool, Vec<ProcessorId>)) {
        match self.crossing(value) {
            Crossing::Itself | Crossing::DeepCopy(_) | Crossing::Instead(_) => {}
            Crossing::Reference => passed.0 = true,
            Crossing::Home(owner, _) => passed.1.push(owner),
            Crossing::Copy => {
                for other in self.parts_of(value, false).others {
                    self.note_passed(other, passed);
                }
            }
        }
    }

    /// The parts of a copy. Nothing is made, so objects stay where they are.
    fn parts_of(&mut self, root: Value, is_deep: bool) -> Parts {
        let mut parts = Parts {
            copied: vec![root],
            others: Vec::new(),
        };
        let mut known: HashMap<u64, ()> = HashMap::new();
        known.insert(root.bits(), ());
        let mut next = 0;
        while let Some(&object) = parts.copied.get(next) {
            next += 1;
            let fields = match self.heap.contents(object) {
                Contents::Slots(_) => self.heap.slots(object).to_vec(),
                Contents::Bytes(_) => continue,
            };
            for field in fields {
                let (value, is_copied) = match self.crossing(field) {
                    Crossing::Itself => continue,
                    Crossing::Copy => (field, true),
                    Crossing::DeepCopy(object) => (object, true),
                    Crossing::Instead(_) => (field, false),
                    Crossing::Reference => (field, is_deep && self.can_be_copied(field)),
                    Crossing::Home(..) => (field, false),
                };
                if known.insert(value.bits(), ()).is_some() {
                    continue;
                }
                match is_copied {
                    true => parts.copied.push(value),
                    false => parts.others.push(value),
                }
            }
        }
        parts
    }

    /// The object that a mark says is to be copied, else the value itself.
    fn marked_object(&mut self, value: Value) -> Value {
        match self.crossing(value) {
            Crossing::DeepCopy(object) => object,
            _ => value,
        }
    }

    /// Whether an object can be copied: it is no part of the machine.
    pub(super) fn can_be_copied(&self, object: Value) -> bool {
        const PARTS: [Known; 5] = [
            Known::Process,
            Known::Semaphore,
            Known::CompiledMethod,
            Known::Cell,
            Known::FrameToken,
        ];
        let class = self.class_of(object);
        !self.is_block(object) && !PARTS.iter().any(|&part| self.inherits(class, part.into()))
    }

    /// An object of the same class and size; bytes and characters are copied.
    pub(super) fn empty_copy(&mut self, original: Value) -> Value {
        if let Some(text) = self.codes_of(original) {
            return self.make_string_of_codes(&text);
        }
        let class = self.class_of(original);
        match self.heap.contents(original) {
            Contents::Slots(length) => self.make(class, Contents::Slots(length)),
            Contents::Bytes(_) => {
                let bytes = self.heap.bytes(original).to_vec();
                self.make_bytes(class, &bytes)
            }
        }
    }
}
