//! What instructions make: cells, arrays, blocks.

#![allow(unsafe_code)]

use super::BLOCK_MODEL_BYTES;
use crate::base::{Dialect, Known, Value};
use crate::bytecode::{Op, Word};
use crate::code::BLOCK_HEAD_SLOTS;
use crate::heap::Contents;
use crate::machine::Vm;

impl Vm {
    /// A cell for a captured variable.
    #[inline(never)]
    pub(super) fn make_cell(&mut self) -> Value {
        self.make_unwatched(Known::Cell.into(), Contents::Slots(1))
    }

    /// A new object with that many slots, counted.
    #[inline(never)]
    pub(super) fn make_slots(&mut self, class: Known, slots: usize) -> Value {
        self.make(class.into(), Contents::Slots(slots))
    }

    #[inline(never)]
    pub(super) fn make_block(&mut self, word: Word) -> Value {
        debug_assert!(matches!(word.op(), Some(Op::MakeBlock | Op::AssignBlock)));
        let count = usize::from(word.c());
        self.heap.allocations.objects += 1;
        self.heap.allocations.bytes += BLOCK_MODEL_BYTES;
        let (class, returns_home) = {
            let body = &self.code.targets[word.imm() as usize];
            (body.block_class, body.returns_home)
        };
        let receiver = usize::from(returns_home && self.config.dialect == Dialect::Som);
        let contents = Contents::Slots(BLOCK_HEAD_SLOTS + count + receiver);
        let block = self.make_uncounted(class, contents);
        self.heap
            .set_slot(block, 0, Value::int(i64::from(word.imm())));
        if returns_home {
            let (mark, serial) = self.home_of_running_code();
            self.heap.set_slot(block, 1, mark);
            self.heap.set_slot(block, 2, serial);
        }
        if receiver == 1 {
            let receiver = self.receiver_of_running_home();
            self.heap
                .set_slot(block, BLOCK_HEAD_SLOTS + count, receiver);
        }
        for index in 0..count {
            // SAFETY: the group of registers was verified.
            let value = unsafe { *self.registers.fp.add(usize::from(word.b()) + index) };
            self.heap.set_slot(block, BLOCK_HEAD_SLOTS + index, value);
        }
        block
    }

    /// Mark index and serial of the home that blocks made here return from.
    fn home_of_running_code(&mut self) -> (Value, Value) {
        let frame = self.frame_index();
        if self.running_code(frame).is_block {
            let block = self.running.stack_value(frame);
            return (self.heap.slot(block, 1), self.heap.slot(block, 2));
        }
        let mark = self.running.frame_mark(frame);
        match self.running.marks.get(mark.wrapping_sub(1)) {
            Some(found) => (Value::int(mark as i64 - 1), Value::int(found.serial as i64)),
            None => (Value::NIL, Value::NIL),
        }
    }

    /// The receiver of the home that blocks made here return from: a block of SOM keeps it in its last slot.
    fn receiver_of_running_home(&mut self) -> Value {
        let frame = self.frame_index();
        let receiver = self.running.stack_value(frame);
        if self.running_code(frame).is_block {
            self.heap
                .slots(receiver)
                .last()
                .copied()
                .unwrap_or(Value::NIL)
        } else {
            receiver
        }
    }
}
