//! The cost vector (counting model, 2).

use crate::bytecode::Op;
use crate::heap::Allocations;

/// What a run, or a piece of one, cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Send instructions executed.
    pub sends: u64,
    /// Repetitions of inlined loops.
    pub loops: u64,
    /// Methods entered, quick ones and succeeding primitives excluded.
    pub activations: u64,
    /// Activations of real blocks.
    pub blocks: u64,
    /// Objects and bytes by the model.
    pub allocations: Allocations,
    /// Bytecode instructions executed.
    pub instructions: u64,
    /// Primitives that succeeded, by name, in the order of names.
    pub primitives: Vec<(&'static str, u64)>,
}

/// Executions by opcode, and by opcode and the one executed before: what instructions are to be made of.
#[derive(Clone, Debug)]
pub(crate) struct OpcodeCounts {
    single: Box<[u64; 256]>,
    /// The opcode before times 256, plus the opcode.
    pairs: Vec<u64>,
    last: u8,
}

impl Default for OpcodeCounts {
    fn default() -> OpcodeCounts {
        OpcodeCounts {
            single: Box::new([0; 256]),
            pairs: vec![0; 1 << 16],
            last: 0,
        }
    }
}

impl OpcodeCounts {
    /// Counts an execution.
    pub(crate) fn count(&mut self, op: u8) {
        self.single[usize::from(op)] += 1;
        self.pairs[usize::from(self.last) << 8 | usize::from(op)] += 1;
        self.last = op;
    }

    fn name(op: usize) -> &'static str {
        Op::INFO.get(op).map_or("", |info| info.name)
    }

    /// Names of opcodes that were executed, and how often.
    pub(crate) fn by_opcode(&self) -> Vec<(&'static str, u64)> {
        let numbered = self.single.iter().enumerate();
        let executed = numbered.filter(|(_, count)| **count > 0);
        executed
            .map(|(op, &count)| (OpcodeCounts::name(op), count))
            .collect()
    }

    /// Names of two opcodes, the second executed directly after the first, and how often.
    pub(crate) fn by_pair(&self) -> Vec<(&'static str, &'static str, u64)> {
        let numbered = self.pairs.iter().enumerate();
        let executed = numbered.filter(|(_, count)| **count > 0);
        let named = |pair: usize| {
            (
                OpcodeCounts::name(pair >> 8),
                OpcodeCounts::name(pair & 0xFF),
            )
        };
        executed
            .map(|(pair, &count)| (named(pair).0, named(pair).1, count))
            .collect()
    }
}

/// The counters of the running process that only the full loop maintains.
#[derive(Clone, Debug, Default)]
pub(crate) struct FullCounters {
    pub(crate) activations: u64,
    pub(crate) blocks: u64,
    pub(crate) instructions: u64,
    /// Indexed by primitive number.
    pub(crate) primitives: Vec<u64>,
}
