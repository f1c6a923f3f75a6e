//! The registers of a frame whose values will still be read. The collector visits only these registers, because the
//! others may hold remains of earlier frames. The analysis runs backwards over a method's code when the collector first
//! meets it.

use crate::bytecode::{Access, Instruction, Jumps, instructions};

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
        let instructions: Vec<Instruction> = instructions(words).collect();
        let mut changed = true;
        let mut live = vec![0u64; groups];
        while changed {
            changed = false;
            for instruction in instructions.iter().rev() {
                result.live_out(*instruction, &mut live);
                instruction.registers(|register, access| {
                    let (group, bit) = (register / 64, 1u64 << (register % 64));
                    if let Some(word) = live.get_mut(group) {
                        match access {
                            Access::Write => *word &= !bit,
                            Access::Read => *word |= bit,
                        }
                    }
                });
                let pc = instruction.pc;
                let slot = &mut result.bits[pc * groups..(pc + 1) * groups];
                if slot != live.as_slice() {
                    slot.copy_from_slice(&live);
                    changed = true;
                }
            }
        }
        result
    }

    fn live_out(&self, instruction: Instruction, live: &mut [u64]) {
        live.fill(0);
        for next in instruction.successors(Jumps::Relative) {
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
