//! The cost vector (counting model, 2).

use super::WorkCounts;
use super::work::{others_work, weight};
use crate::bytecode::{INLINED, Op};
use crate::heap::Allocations;

/// The cost of a run or of a piece of one.
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
    /// Assignments, sends, decisions of inlined conditionals and loops, blocks and brace arrays made, returns.
    pub steps: u64,
    /// Primitives that succeeded and are not simple.
    pub called: u64,
    /// Work inside primitives.
    pub counters: WorkCounts,
    /// Primitives that succeeded, by name, in the order of names.
    pub primitives: Vec<(&'static str, u64)>,
}

impl Cost {
    /// Σ weight × counter, in hundredths of a nanosecond on the machine where the weights were set (counting model, 2.2).
    pub fn work(&self) -> u64 {
        let others = others_work([
            self.steps,
            self.sends,
            self.loops,
            self.activations,
            self.blocks,
            self.called,
            self.allocations.objects,
        ]);
        others.saturating_add(self.counters.priced())
    }

    /// Whether everything was counted, of which work is the sum. Each send is a step.
    pub fn is_full(&self) -> bool {
        self.steps >= self.sends
    }

    /// The cost since the earlier reading.
    pub fn since(&self, earlier: &Cost) -> Cost {
        let before = |name: &str| {
            let row = earlier.primitives.iter().find(|(known, _)| *known == name);
            row.map_or(0, |(_, count)| *count)
        };
        let spent = self
            .primitives
            .iter()
            .map(|&(name, count)| (name, count.wrapping_sub(before(name))));
        Cost {
            sends: self.sends.wrapping_sub(earlier.sends),
            loops: self.loops.wrapping_sub(earlier.loops),
            activations: self.activations.wrapping_sub(earlier.activations),
            blocks: self.blocks.wrapping_sub(earlier.blocks),
            allocations: Allocations {
                objects: self
                    .allocations
                    .objects
                    .wrapping_sub(earlier.allocations.objects),
                bytes: self
                    .allocations
                    .bytes
                    .wrapping_sub(earlier.allocations.bytes),
            },
            steps: self.steps.wrapping_sub(earlier.steps),
            called: self.called.wrapping_sub(earlier.called),
            counters: self.counters.since(&earlier.counters),
            primitives: spent.filter(|(_, count)| *count > 0).collect(),
        }
    }

    /// This and the other together.
    pub fn plus(&self, other: &Cost) -> Cost {
        let mut primitives = self.primitives.clone();
        for &(name, count) in &other.primitives {
            match primitives.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum = sum.wrapping_add(count),
                None => primitives.push((name, count)),
            }
        }
        primitives.sort_unstable();
        Cost {
            sends: self.sends.wrapping_add(other.sends),
            loops: self.loops.wrapping_add(other.loops),
            activations: self.activations.wrapping_add(other.activations),
            blocks: self.blocks.wrapping_add(other.blocks),
            allocations: Allocations {
                objects: self
                    .allocations
                    .objects
                    .wrapping_add(other.allocations.objects),
                bytes: self.allocations.bytes.wrapping_add(other.allocations.bytes),
            },
            steps: self.steps.wrapping_add(other.steps),
            called: self.called.wrapping_add(other.called),
            counters: self.counters.plus(&other.counters),
            primitives,
        }
    }
}

/// Executions by opcode, and by pairs of successive opcodes. New instructions are designed from them.
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
    pub(crate) fn count(&mut self, op: u8) {
        self.single[usize::from(op)] += 1;
        self.pairs[usize::from(self.last) << 8 | usize::from(op)] += 1;
        self.last = op;
    }

    /// Takes back the last execution, which was of this opcode. What follows it is noted as following it all the same.
    pub(crate) fn uncount(&mut self, op: u8) {
        self.single[usize::from(op)] -= 1;
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
    /// The steps that are no sends.
    pub(crate) steps: u64,
    /// Evaluations of inlined control messages, where they are counted; see [`INLINED`].
    pub(crate) inlined: [u64; INLINED.len()],
    /// Indexed by primitive number.
    pub(crate) primitives: Vec<u64>,
    /// Primitives that succeeded and are not simple.
    pub(crate) called: u64,
    pub(crate) work: WorkCounts,
}

impl FullCounters {
    /// The work that primitives were charged so far.
    #[inline(always)]
    pub(crate) fn charged(&self) -> u64 {
        let called = self.called.wrapping_mul(weight::CALLED);
        called.wrapping_add(self.work.priced())
    }

    /// The work of all processes but for their sends and loop repetitions. Only differences mean something.
    #[inline(always)]
    pub(crate) fn shared_work(&self, objects: u64) -> u64 {
        self.charged()
            .wrapping_add(self.steps.wrapping_mul(weight::STEP))
            .wrapping_add(self.activations.wrapping_mul(weight::ACTIVATION))
            .wrapping_add(self.blocks.wrapping_mul(weight::BLOCK))
            .wrapping_add(objects.wrapping_mul(weight::OBJECT))
    }
}
