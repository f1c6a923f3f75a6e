//! Blocks, with the values that they capture, and brace arrays.

use tally_vm::bytecode::Op;

use super::assembler::Register;
use super::function::{FunctionEmitter, Mode};
use crate::resolve::tree::{Expr, FunctionId};

impl FunctionEmitter<'_> {
    /// Emits a block. The block is made in mode `Effect` too, because its allocation counts.
    pub(super) fn block(&mut self, id: FunctionId, mode: Mode) {
        let to = mode.register().map_or(self.asm.free(), |(to, _)| to);
        let op = match mode {
            Mode::Assign(_) => Op::AssignBlock,
            _ => Op::MakeBlock,
        };
        self.make_block(op, id, to);
        self.asm.next = self.asm.next.max(to + 1);
        self.deliver_written(to, mode);
    }

    /// Captured values have to stand in a row; if they do not, they are copied to one.
    #[inline(never)]
    fn make_block(&mut self, op: Op, id: FunctionId, to: Register) {
        let routine = self.routine;
        let captures = &routine.functions[id.0 as usize].captures;
        let places: Vec<Option<Register>> = captures
            .iter()
            .map(|captured| self.place_of(*captured))
            .collect();
        let first = match self.row(&places) {
            Some(first) => first,
            None => {
                let first = self.asm.group(captures.len());
                for (position, (captured, place)) in captures.iter().zip(&places).enumerate() {
                    let slot = first + position as u32;
                    match place {
                        Some(register) => self.asm.copy(slot, *register),
                        None => self.load_captured(*captured, slot, 0),
                    }
                }
                first
            }
        };
        let count = self.asm.byte(captures.len(), "variables captured");
        let first = self.asm.read(first, 1);
        let index = id.0 - 1;
        self.asm.load(op, to, first, count, index);
    }

    /// The first of registers that stand in a row, within reach of a byte.
    fn row(&self, places: &[Option<Register>]) -> Option<Register> {
        let Some(first) = places.first() else {
            return Some(0);
        };
        let first = (*first)?;
        let last = first + places.len() as u32 - 1;
        let in_row = places
            .iter()
            .zip(first..)
            .all(|(place, wanted)| *place == Some(wanted));
        (in_row && last < 256 && !self.asm.is_scratch(last)).then_some(first)
    }

    #[inline(never)]
    pub(super) fn brace(&mut self, elements: &[Expr], mode: Mode) {
        let array = self.asm.allocate();
        let size = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        self.asm.load(Op::NewArray, array, 0, 1, size);
        for (position, element) in (0..).zip(elements) {
            let inside = self.asm.next;
            let value = self.operand(element, &[]);
            let (a, b) = (self.asm.read(value, 0), self.asm.read(array, 1));
            self.asm.plain(Op::StoreElement, a, b, 0, position);
            self.asm.next = inside;
        }
        self.deliver(array, mode);
    }
}
