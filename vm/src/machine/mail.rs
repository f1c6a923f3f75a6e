//! Copies of what travels to an actor: objects keep their sharing, and what cannot be copied is refused.

use hashbrown::{HashMap, HashSet};

use super::Vm;
use super::membrane::Crossing;
use crate::base::Value;
use crate::heap::Contents;
use crate::separate::Made;

/// The objects that are copied, each once.
#[derive(Default)]
struct Parts {
    copied: Vec<Value>,
    known: HashSet<u64>,
}

impl Parts {
    fn add(&mut self, object: Value) {
        if self.known.insert(object.bits()) {
            self.copied.push(object);
        }
    }
}

impl Vm {
    /// Copies of these values for another actor, and what was made for them. The model counts that where the receiver gets them.
    ///
    /// # Errors
    /// A sentence about the value that cannot be sent.
    pub(super) fn copy_for_actor(
        &mut self,
        values: Vec<Value>,
    ) -> Result<(Vec<Value>, Made), String> {
        let mut parts = Parts::default();
        for &value in &values {
            self.add_part(&mut parts, value)?;
        }
        self.copy_parts(values, parts)
    }

    /// A copy of a behaviour, with which an actor begins.
    ///
    /// # Errors
    /// As for [`Vm::copy_for_actor`].
    pub(crate) fn copy_of_behaviour(&mut self, behaviour: Value) -> Result<Value, String> {
        let mut parts = Parts::default();
        parts.add(behaviour);
        let (copies, _) = self.copy_parts(vec![behaviour], parts)?;
        Ok(copies.first().copied().unwrap_or(Value::NIL))
    }

    fn copy_parts(
        &mut self,
        values: Vec<Value>,
        mut parts: Parts,
    ) -> Result<(Vec<Value>, Made), String> {
        let mut next = 0;
        while let Some(&object) = parts.copied.get(next) {
            next += 1;
            if let Contents::Slots(_) = self.heap.contents(object) {
                for field in self.heap.slots(object).to_vec() {
                    self.add_part(&mut parts, field)?;
                }
            }
        }
        if parts.copied.is_empty() {
            return Ok((values, Made::default()));
        }
        let before = self.allocations_now();
        let last = values
            .iter()
            .rposition(|one| parts.known.contains(&one.bits()));
        let copies = self.make_copies(values, parts.copied);
        let now = self.heap.allocations;
        self.forget_allocations_since(before);
        let made = Made {
            objects: now.objects.wrapping_sub(before.objects),
            bytes: now.bytes.wrapping_sub(before.bytes),
            class: last.and_then(|last| Some(self.class_of(*copies.get(last)?))),
        };
        Ok((copies, made))
    }

    /// The values, with copies in the places of the originals.
    fn make_copies(&mut self, values: Vec<Value>, originals: Vec<Value>) -> Vec<Value> {
        let (first, count, length) = (self.run.handles.len(), originals.len(), values.len());
        self.run.handles.extend(originals.into_iter().chain(values));
        for index in first..first + count {
            let copy = self.empty_copy(self.run.handles[index]);
            self.run.handles.push(copy);
        }
        let all: Vec<Value> = self.run.handles.drain(first..).collect();
        let (originals, rest) = all.split_at(count);
        let (values, copies) = rest.split_at(length);
        let bits = originals.iter().map(|original| original.bits());
        let copy_of: HashMap<u64, Value> = bits.zip(copies.iter().copied()).collect();
        let copied = originals.iter().copied().zip(copies.iter().copied());
        self.fill_copies(copied, &copy_of);
        let travels = |value: &Value| copy_of.get(&value.bits()).copied().unwrap_or(*value);
        values.iter().map(travels).collect()
    }

    /// Notes a value that travels, if a copy of it does.
    fn add_part(&mut self, parts: &mut Parts, value: Value) -> Result<(), String> {
        if !value.is_object() || parts.known.contains(&value.bits()) {
            return Ok(());
        }
        match self.crossing(value) {
            Crossing::Itself => return Ok(()),
            Crossing::Copy => {}
            _ if self.actor_of(value).is_some() => return Ok(()),
            _ => self.check_can_be_sent(value)?,
        }
        parts.add(value);
        Ok(())
    }

    fn check_can_be_sent(&mut self, value: Value) -> Result<(), String> {
        if self.is_block(value) {
            return Err(
                "a block cannot be sent that refers to variables around it, to self or to ^"
                    .to_string(),
            );
        }
        let class = self.class_of(value);
        let name = self.class(class).name.to_string();
        if self.is_behaviour(value) {
            return Err(format!(
                "an instance of {name} is a behaviour and cannot be sent, but an address can"
            ));
        }
        let library = self.actors.library;
        let stays = library.is_some_and(|library| {
            let mut staying = library.staying.into_iter();
            staying.any(|one| self.inherits(class, one))
        });
        match stays || !self.can_be_copied(value) {
            true => Err(format!("an instance of {name} cannot be sent")),
            false => Ok(()),
        }
    }
}
