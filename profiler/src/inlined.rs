//! Inlined control messages: how often they were evaluated, and how many a source text has. The number of evaluations is
//! separate from the sends and counted only on request (counting model, 1).

use std::collections::BTreeMap;

use tally_presentation::{Align, Layout, grouped};
use tally_vm::Vm;
use tally_vm::bytecode::{Code, Counts, Definition, INLINED, Op, Unit, Word};

/// Evaluations of inlined control messages by selector, if the machine counts them.
pub fn inlined(vm: &Vm) -> Option<BTreeMap<String, u64>> {
    let counted = vm.inlined().into_iter();
    let named = counted.map(|(selector, count)| (selector.to_string(), count));
    vm.counts_inlined().then(|| named.collect())
}

/// One selector a line below the sum; nothing if they were not counted.
pub fn inlined_report(inlined: Option<&BTreeMap<String, u64>>) -> String {
    let Some(inlined) = inlined else {
        return String::new();
    };
    let sum = inlined.values();
    let sum = sum.fold(0u64, |sum, count| sum.saturating_add(*count));
    let mut layout = Layout::new(&[Align::Left, Align::Right]);
    layout.row(["inlined, no sends".to_string(), grouped(sum)]);
    for (selector, count) in inlined {
        layout.row([format!("  {selector}"), grouped(*count)]);
    }
    layout.render()
}

/// Messages that stand in source texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenMessages {
    /// Messages that are sent: each is a send instruction.
    pub sent: u64,
    /// Messages that are inlined, by selector.
    pub inlined: BTreeMap<String, u64>,
}

impl WrittenMessages {
    /// The messages of a unit whose code counts evaluations of inlined messages, so that each has an instruction; scripts
    /// included.
    pub fn add(&mut self, unit: &Unit) {
        self.add_code(&unit.script);
        for definition in &unit.definitions {
            match definition {
                Definition::Class(class) => {
                    class.methods.iter().for_each(|m| self.add_code(&m.code));
                }
                Definition::Extension { methods, .. } => {
                    methods.iter().for_each(|m| self.add_code(&m.code));
                }
                Definition::Evaluation { code, .. } => self.add_code(code),
            }
        }
    }

    fn add_code(&mut self, code: &Code) {
        self.add_words(&code.words);
        code.blocks.iter().for_each(|b| self.add_words(&b.words));
    }

    fn add_words(&mut self, words: &[u64]) {
        let mut at = 0;
        while let Some(&word) = words.get(at) {
            let op = Word(word).op();
            match op {
                Some(Op::CountInlined) => {
                    let number = Word(word).imm() as usize;
                    if let Some(selector) = INLINED.get(number) {
                        *self.inlined.entry((*selector).to_string()).or_default() += 1;
                    }
                }
                Some(op) if op.info().counts == Counts::Send => self.sent += 1,
                _ => {}
            }
            at += op.map_or(1, Op::width);
        }
    }
}
