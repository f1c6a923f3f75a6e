//! The border between processors: what crosses it becomes a reference, and what comes home is the object again (R2).
//! Values cross as themselves or as copies (R3).

use super::Vm;
use crate::base::{Known, Stop, TargetId, Value};
use crate::bytecode::{Literal, Quick};
use crate::code::BLOCK_HEAD_SLOTS;
use crate::heap::Contents;
use crate::separate::{Made, ProcessorId};

/// Slots of a reference: the number of the owner, the object, the number of its export there, and what it is for.
const OWNER_SLOT: usize = 0;
const TARGET_SLOT: usize = 1;
pub(super) const EXPORT_SLOT: usize = 2;
const PURPOSE_SLOT: usize = 3;
const SLOTS: usize = 4;

/// What a reference is for that is not the one that stands for its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// What is sent to it is waited for.
    Await = 1,
    /// What is sent to it answers a Future.
    Future = 2,
    /// A deep copy of its object crosses in its place.
    Copy = 3,
}

/// How a value crosses the border of its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    Itself,
    /// It is a reference: at home with this owner it is this object again.
    Home(ProcessorId, Value),
    /// A copy crosses, whose fields cross one by one.
    Copy,
    /// A deep copy of this object crosses.
    DeepCopy(Value),
    /// This value crosses in its place as itself.
    Instead(Value),
    /// A reference to it crosses.
    Reference,
}

impl Vm {
    /// Owner and object of a reference.
    pub(crate) fn referred(&self, value: Value) -> Option<(ProcessorId, Value)> {
        if !value.is_object() || !self.is_a(value, Known::Separate) {
            return None;
        }
        let &[owner, target] = self.heap.slots(value).first_chunk::<2>()?;
        let owner = u32::try_from(owner.as_int()?).ok()?;
        let count = self.separate.engine.as_ref()?.processor_count();
        ((owner as usize) < count).then_some((ProcessorId(owner), target))
    }

    /// What a reference is for, if it does not stand for its object.
    pub(crate) fn purpose(&self, reference: Value) -> Option<Purpose> {
        let slot = self.heap.slots(reference).get(PURPOSE_SLOT)?.as_int()?;
        let all = [Purpose::Await, Purpose::Future, Purpose::Copy];
        all.into_iter().find(|one| *one as i64 == slot)
    }

    /// A reference to the same object for this purpose. The model does not count it.
    pub(crate) fn reference_for(&mut self, purpose: Purpose, reference: Value) -> Value {
        let before = self.allocations_now();
        self.run.handles.push(reference);
        let made = self.make(Known::Separate.into(), Contents::Slots(SLOTS));
        let reference = self.run.handles.pop().unwrap_or(Value::NIL);
        self.forget_allocations_since(before);
        self.heap.copy_slots(reference, 0, made, 0, PURPOSE_SLOT);
        let purpose = Value::int(purpose as i64);
        self.heap.set_slot(made, PURPOSE_SLOT, purpose);
        made
    }

    /// A reference to the processor's own object, by which a deep copy of it crosses.
    pub(crate) fn marked_for_copy(&mut self, object: Value) -> Value {
        let owner = self.separate.running;
        let reference = self.new_reference(object, owner);
        self.heap
            .set_slot(reference, PURPOSE_SLOT, Value::int(Purpose::Copy as i64));
        reference
    }

    /// The value as the processor `to` sees it, if the processor `from` passes it.
    pub(crate) fn carry(&mut self, value: Value, from: ProcessorId, to: ProcessorId) -> Value {
        if from == to {
            return value;
        }
        match self.crossing(value) {
            Crossing::Itself => value,
            Crossing::Home(owner, target) if owner == to => target,
            Crossing::Home(owner, target) => match self.purpose(value) {
                Some(_) => self.reference_to(target, owner),
                None => value,
            },
            Crossing::Copy => self.copy_for(value, false, (from, to)),
            Crossing::DeepCopy(object) => self.copy_for(object, true, (from, to)),
            Crossing::Instead(other) => other,
            Crossing::Reference => self.reference_to(value, from),
        }
    }

    /// The same, with what was made for it. A deep copy of an own object crosses if the run assumes that.
    pub(crate) fn carry_counted(
        &mut self,
        value: Value,
        is_assumed_copy: bool,
        (from, to): (ProcessorId, ProcessorId),
    ) -> (Value, Made) {
        let before = self.allocations_now();
        let carried = match is_assumed_copy {
            true => self.copy_for(value, true, (from, to)),
            false => self.carry(value, from, to),
        };
        let now = self.heap.allocations;
        self.forget_allocations_since(before);
        let made = Made {
            objects: now.objects.wrapping_sub(before.objects),
            bytes: now.bytes.wrapping_sub(before.bytes),
            class: Some(self.class_of(carried)),
        };
        (carried, made)
    }

    /// Copies are allocations of the processor that gets them. They are made when they are sent, so that the sender can change
    /// its own in the meantime, and counted here.
    pub(crate) fn count_made(&mut self, made: Made) {
        let all = &mut self.heap.allocations;
        all.objects = all.objects.wrapping_add(made.objects);
        all.bytes = all.bytes.wrapping_add(made.bytes);
        if let Some(class) = made.class {
            self.note_allocations_of(class);
        }
    }

    /// How the value crosses a border (R3). Numbers, symbols, classes and blocks that know nothing around them cross as
    /// themselves: none of them can be changed by a message, or all share them. Strings and instances of classes that say
    /// `isExpanded` cross as copies.
    pub(super) fn crossing(&mut self, value: Value) -> Crossing {
        const THEMSELVES: [Known; 6] = [
            Known::LargePositiveInteger,
            Known::LargeNegativeInteger,
            Known::Float,
            Known::Fraction,
            Known::ScaledDecimal,
            Known::Symbol,
        ];
        if let Some((owner, target)) = self.referred(value) {
            // Programs can make references of any kind to anything.
            return match self.purpose(value) {
                Some(Purpose::Copy) if self.referred(target).is_none() => {
                    match self.crossing(target) {
                        Crossing::Itself => Crossing::Instead(target),
                        _ if self.can_be_copied(target) => Crossing::DeepCopy(target),
                        _ => Crossing::Home(owner, target),
                    }
                }
                _ => Crossing::Home(owner, target),
            };
        }
        if !value.is_object()
            || THEMSELVES.iter().any(|&known| self.is_a(value, known))
            || self.class_of_class_object(value).is_some()
            || self.is_clean_block(value)
            || self.is_global_of_library(value)
        {
            return Crossing::Itself;
        }
        let is_text = self.narrow_bytes(value).is_some() || self.wide_bytes(value).is_some();
        match is_text || self.is_expanded(value) {
            true => Crossing::Copy,
            false => Crossing::Reference,
        }
    }

    /// Whether the value is that of a global of the library, such as Transcript: all processors know it.
    fn is_global_of_library(&self, value: Value) -> bool {
        let mut globals = self.separate.library_globals.iter();
        globals.any(|&id| {
            let global = self.image.globals.get(id as usize);
            global.is_some_and(|global| global.value == value)
        })
    }

    /// Whether the value is a block without captured variables, `self` and `^`.
    fn is_clean_block(&self, value: Value) -> bool {
        let slots = self.heap.slots(value);
        let number = slots.first().and_then(|slot| slot.as_int());
        self.is_block(value)
            && slots.len() == BLOCK_HEAD_SLOTS
            && number.is_some_and(|number| {
                let code = self.code.target(TargetId(number as u32));
                !code.returns_home && code.receiver.is_none()
            })
    }

    /// Whether the object's class says that its instances cross as copies.
    fn is_expanded(&mut self, value: Value) -> bool {
        let Some(library) = self.separate.library else {
            return false;
        };
        let found = self.lookup(self.class_of(value), library.is_expanded);
        found.is_some_and(|method| {
            let code = self.method(method).code.get();
            let literal = match code.quick {
                Some(Quick::ReturnLiteral(index)) => code.literals.get(index as usize),
                _ => None,
            };
            literal == Some(&Literal::True)
        })
    }

    /// The reference to an object of the processor.
    pub(crate) fn reference_to(&mut self, object: Value, owner: ProcessorId) -> Value {
        if let Some(reference) = self.known_reference(object) {
            if let Some((first, _)) = self.referred(reference)
                && first != owner
            {
                self.refuse_second_owner(object, [first, owner]);
            }
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

    /// Whether the value is a reference to an object of another processor, or an object to which a reference was made.
    pub(crate) fn is_known_elsewhere(&mut self, value: Value) -> bool {
        value.is_object()
            && self.separate.engine.is_some()
            && (self.is_a(value, Known::Separate) || self.known_reference(value).is_some())
    }

    /// One object is passed on by two processors: they know it by a variable that only the `initialize` of a class has stored, or by
    /// reflection. The run ends.
    fn refuse_second_owner(&mut self, object: Value, owners: [ProcessorId; 2]) {
        let Some(engine) = &self.separate.engine else {
            return;
        };
        let mut owners = owners;
        owners.sort_by(|one, other| engine.path(*one).cmp(engine.path(*other)));
        let [first, second] = owners.map(|owner| self.processor_name(owner));
        let class = self.class(self.class_of(object)).name.to_string();
        self.report_failure(&format!(
            "an instance of {class} belongs to {first} and to {second}: both pass it on to other processors. Keep one for each \
             processor by `SeparateProcessor local:ifAbsentPut:`, or store the variable outside of the initialize of a class"
        ));
        self.stop_at_next_poll(Stop::Failed);
    }

    /// The reference to the object, if one was made.
    pub(super) fn known_reference(&mut self, object: Value) -> Option<Value> {
        let statistics = &self.heap.statistics;
        let collections = statistics.full.count() + statistics.minor.count();
        // Programs can let another object take a reference's place.
        let mut references = std::mem::take(&mut self.separate.references);
        let target = |reference| self.referred(reference).map(|(_, target)| target);
        let found = references.find(object, collections, target);
        self.separate.references = references;
        found
    }
}
