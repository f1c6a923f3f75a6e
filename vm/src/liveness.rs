//! Which registers hold something that will still be read: what the collector may look at in a frame.
//! Everything else in a frame may be left over from earlier frames. Computed backwards over a
//! method's code when the collector first meets it.

use crate::bytecode::{Immediate, Op, Operand, Shape, Word};

/// The live registers before each instruction of a piece of code.
pub(crate) struct Liveness {
    /// 64-bit groups of registers per instruction.
    groups: usize,
    bits: Vec<u64>,
}

impl Liveness {
    /// Analyses code whose jumps are relative to themselves (linked code).
    pub(crate) fn of(words: &[u64], register_count: usize) -> Liveness {
        let groups = register_count.div_ceil(64).max(1);
        let mut result = Liveness {
            groups,
            bits: vec![0; words.len() * groups],
        };
        let starts = instruction_starts(words);
        let mut changed = true;
        let mut live = vec![0u64; groups];
        while changed {
            changed = false;
            for &pc in starts.iter().rev() {
                result.live_out(words, pc, &mut live);
                effect(words, pc, |register, access| {
                    let (group, bit) = (register / 64, 1u64 << (register % 64));
                    if let Some(word) = live.get_mut(group) {
                        match access {
                            Access::Write => *word &= !bit,
                            Access::Read => *word |= bit,
                        }
                    }
                });
                let slot = &mut result.bits[pc * groups..(pc + 1) * groups];
                if slot != live.as_slice() {
                    slot.copy_from_slice(&live);
                    changed = true;
                }
            }
        }
        result
    }

    fn live_out(&self, words: &[u64], pc: usize, live: &mut [u64]) {
        live.fill(0);
        for next in successors(words, pc).into_iter().flatten() {
            if let Some(from) = self.bits.get(next * self.groups..(next + 1) * self.groups) {
                live.iter_mut()
                    .zip(from)
                    .for_each(|(into, from)| *into |= from);
            }
        }
    }

    /// Calls `visit` with every register that is live before the instruction at `pc`.
    pub(crate) fn live_before(&self, pc: usize, mut visit: impl FnMut(usize)) {
        let Some(slot) = self.bits.get(pc * self.groups..(pc + 1) * self.groups) else {
            return;
        };
        for (group, &word) in slot.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                visit(group * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }
}

/// How an instruction uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// Where the instructions of verified code begin.
pub(crate) fn instruction_starts(words: &[u64]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut pc = 0;
    while pc < words.len() {
        starts.push(pc);
        pc += Word(words[pc]).op().map_or(1, Op::width);
    }
    starts
}

/// Where execution may go on after the instruction at `pc` of linked code.
pub(crate) fn successors(words: &[u64], pc: usize) -> [Option<usize>; 2] {
    let word = Word(words[pc]);
    let Some(op) = word.op() else {
        return [None, None];
    };
    let next = Some(pc + op.width());
    let target = || pc.checked_add_signed(word.imm() as i32 as isize);
    match op {
        Op::Return | Op::NonLocalReturn => [None, None],
        Op::Jump | Op::Loop => [target(), None],
        _ if op.info().imm == Immediate::Jump => [target(), next],
        _ => [next, None],
    }
}

/// Tells every register that the instruction at `pc` uses: writes first, then reads, so that walking
/// backwards comes out right.
pub(crate) fn effect(words: &[u64], pc: usize, mut tell: impl FnMut(usize, Access)) {
    let word = Word(words[pc]);
    let Some(op) = word.op() else { return };
    let info = op.info();
    let cache = words.get(pc + 1).copied().unwrap_or(0);
    let operands = [(info.a, word.a()), (info.b, word.b()), (info.c, word.c())];
    for (operand, byte) in operands {
        if operand == Operand::Write {
            tell(usize::from(byte), Access::Write);
        }
    }
    if info.shape == Shape::Send {
        tell((cache >> 48) as usize, Access::Write);
    }
    if info.imm == Immediate::WidePair {
        tell((word.imm() & 0xFFFF) as usize, Access::Write);
        tell((word.imm() >> 16) as usize, Access::Read);
    }
    for (operand, byte) in operands {
        match operand {
            Operand::Read => tell(usize::from(byte), Access::Read),
            Operand::First => {
                for register in usize::from(byte)..usize::from(byte) + usize::from(word.c()) {
                    tell(register, Access::Read);
                }
            }
            _ => {}
        }
    }
    if op == Op::MakeBlock {
        // A block made in a block has the same home, which the running block in register 0 knows.
        tell(0, Access::Read);
    }
    let base = (cache >> 32) as usize & 0xFFFF;
    for offset in op.in_window(word.c()) {
        tell(base + offset, Access::Read);
    }
}
