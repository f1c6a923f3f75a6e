//! Activations: entering methods and blocks, and giving their answers.

use std::rc::Rc;

use crate::oracle::code::{Method, N};
use crate::oracle::count::{Counts, ROOT};
use crate::oracle::machine::Machine;
use crate::oracle::machine::frame::{After, Frame, Task, method_tasks};
use crate::oracle::object::{Data, Scope, open_scope};
use crate::oracle::value::{ObjectId, Value};

impl Machine {
    /// Adds an activation of a method whose scope is open. It is counted.
    pub(super) fn enter_method(
        &mut self,
        method: &Rc<Method>,
        body: &N,
        receiver: Value,
        arguments: Vec<Value>,
        scope: Scope,
        after: After,
    ) {
        let number = self.next_frame;
        self.next_frame += 1;
        let node = self.count_entry(method, 0);
        let tasks = method_tasks(body, receiver);
        self.frames.push(Frame {
            number,
            method: method.clone(),
            block: None,
            receiver,
            arguments,
            scope,
            home: number,
            tasks,
            values: Vec::new(),
            node,
            after,
            unwinding: None,
        });
    }

    /// Adds an activation of a block. It is counted.
    pub(super) fn enter_block(&mut self, block: ObjectId, arguments: &[Value], after: After) {
        let Data::Block(closure) = &self.world.objects[block.0 as usize].data else {
            return;
        };
        let closure = closure.clone();
        let number = self.next_frame;
        self.next_frame += 1;
        let node = self.count_entry(&closure.method, closure.code.offset + 1);
        let code = &closure.code;
        let scope = open_scope(Some(closure.scope.clone()), arguments, code.slots);
        self.frames.push(Frame {
            number,
            method: closure.method.clone(),
            block: Some(block),
            receiver: closure.receiver,
            arguments: arguments.to_vec(),
            scope,
            home: closure.home,
            tasks: vec![Task::Evaluate(code.body.clone())],
            values: Vec::new(),
            node,
            after,
            unwinding: None,
        });
    }

    /// Counts an activation and answers its node.
    fn count_entry(&mut self, method: &Rc<Method>, block: u32) -> u32 {
        let parent = self.frames.last().map_or(ROOT, |frame| frame.node);
        if self.is_silent() {
            return parent;
        }
        let site = self.site;
        let counts = self.counts();
        if block > 0 {
            counts.blocks += 1;
        } else {
            counts.activations += 1;
        }
        self.tree.enter(parent, method, block, site)
    }

    /// The topmost activation goes, with this answer.
    pub(super) fn leave(&mut self, value: Value) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.end_silence(frame.number);
        self.left = frame.node;
        self.give(frame.after, value);
    }

    /// Gives an answer where it belongs.
    pub(super) fn give(&mut self, after: After, value: Value) {
        match after {
            After::Push => self.push(value),
            After::Discard => {}
            After::Measure(before, everything) => {
                let answer = self.measured(&before, everything);
                self.push(answer);
            }
            After::Bottom => self.end_process(value),
        }
    }

    /// What a measured block cost: its sends, or an Array of everything; not an allocation.
    pub(super) fn measured(&mut self, before: &Counts, everything: bool) -> Value {
        let now = self.counts().clone();
        let sends = now.sends.wrapping_sub(before.sends);
        if !everything {
            return self.integer_u64(sends);
        }
        let sum = |counts: &Counts| counts.primitives.values().sum::<u64>();
        let numbers = [
            sends,
            now.loops - before.loops,
            now.activations - before.activations,
            now.blocks - before.blocks,
            sum(&now) - sum(before),
            now.objects - before.objects,
            now.bytes - before.bytes,
            sends + now.steps - before.steps,
            now.called - before.called,
            now.weighted() - before.weighted(),
        ];
        let values: Vec<Value> = numbers.iter().map(|n| self.integer_u64(*n)).collect();
        let class = self.known.array;
        let array = self.new_object(class, values.len(), Data::Nothing);
        for (index, value) in values.into_iter().enumerate() {
            self.set_slot(array, index, value);
        }
        array
    }
}
