//! `become:` changes references at any time. An object that takes another object's place may have fewer slots than its
//! methods know. From then on the loop checks its accesses.

use super::Vm;
use crate::base::{Known, Value};
use crate::heap::Scope;
use crate::processes::{FrameWalk, Mark, Stack};

impl Vm {
    /// Makes every reference to the first of each pair refer to the second.
    pub(crate) fn replace_references(&mut self, pairs: &[(Value, Value)]) {
        let map: hashbrown::HashMap<Value, Value> = pairs.iter().copied().collect();
        let mut replace = |value: &mut Value| {
            if let Some(&other) = map.get(value) {
                *value = other;
            }
        };
        self.with_roots(|heap, roots| {
            roots(Scope::All, &mut replace);
            heap.for_each_slot(&mut replace);
            heap.remember_everything();
        });
        self.unsettle();
    }

    /// Every reference to `from` refers to `to` from now on.
    pub(crate) fn become_forward(&mut self, from: Value, to: Value) {
        self.note_smaller(&[(from, to)]);
        if !to.is_object() || !self.with_roots(|heap, roots| heap.replace_young(roots, from, to)) {
            self.replace_references(&[(from, to)]);
        }
    }

    /// Objects change places, each pair at once; their hashes stay where the references are.
    pub(crate) fn exchange(&mut self, pairs: &[(Value, Value)]) {
        let mut all = Vec::with_capacity(2 * pairs.len());
        for &(a, b) in pairs {
            self.heap.swap_hashes(a, b);
            all.extend([(a, b), (b, a)]);
        }
        self.note_smaller(&all);
        self.replace_references(&all);
    }

    /// Called before references change: code may soon read a slot that does not exist. Then the loop has to check from
    /// now on.
    pub(crate) fn note_smaller(&mut self, pairs: &[(Value, Value)]) {
        self.separate.references.forget_places();
        self.separate.obstacles.forget_places();
        if self.code.checks_slots {
            return;
        }
        let grows_short = |&&(from, to): &&(Value, Value)| {
            let available = match to.is_object() {
                true => self.heap.slots(to).len(),
                false => 0,
            };
            self.known_slots(from) > available
        };
        let short: Vec<Value> = pairs.iter().filter(grows_short).map(|p| p.0).collect();
        if !short.is_empty() && self.is_receiver_of_something(&short) {
            self.code.checks_slots = true;
            self.run.mode_changed = true;
        }
    }

    /// How many slots methods may know of an object.
    fn known_slots(&self, object: Value) -> usize {
        let row = self.class(self.class_of(object));
        match row.kind {
            crate::bytecode::Kind::Bytes => 0,
            crate::bytecode::Kind::Fixed => self.heap.slots(object).len(),
            crate::bytecode::Kind::Pointers => row.ivars.len(),
        }
    }

    /// Whether code that accesses instance variables may run on one of these objects: it runs already, or a block with
    /// the object as receiver exists.
    fn is_receiver_of_something(&mut self, objects: &[Value]) -> bool {
        if self.has_frames() {
            let frame = self.frame_index();
            if self.runs_on(
                objects,
                &self.running.stack,
                &self.running.marks,
                (frame, self.registers.ip),
            ) {
                return true;
            }
        }
        for process in self.processes.table.iter().flatten() {
            let top = (process.fp, process.ip);
            if self.runs_on(objects, &process.stack, &process.marks, top) {
                return true;
            }
        }
        let is_block = |class| Known::is_block_class(crate::base::ClassId(class));
        self.heap.objects_of(is_block).into_iter().any(|block| {
            let slots = self.heap.slots(block);
            let code = slots.first().and_then(|number| number.as_int());
            let target =
                code.and_then(|number| self.code.targets.get(usize::try_from(number).ok()?));
            let accesses = target.is_some_and(|target| self.accesses_variables(target.method));
            accesses && slots.iter().any(|value| objects.contains(value))
        })
    }

    fn accesses_variables(&self, method: crate::base::MethodId) -> bool {
        !self.method(method).code.get().ivars.is_empty()
    }

    fn runs_on(
        &self,
        objects: &[Value],
        stack: &Stack,
        marks: &[Mark],
        (frame, ip): (usize, *const u64),
    ) -> bool {
        let mut walk = FrameWalk::new(frame, ip);
        while let Some(view) = walk.step(stack, marks) {
            let target = self.registers.code_of(&view);
            let end = (view.frame + target.register_count as usize).min(stack.len());
            let mut registers = (view.frame..end).map(|index| stack.value(index));
            let accesses = self.accesses_variables(target.method);
            if accesses && registers.any(|value| objects.contains(&value)) {
                return true;
            }
        }
        false
    }
}
