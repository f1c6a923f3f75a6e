//! Records of inline caches: an inline cache refers to a record when it holds more than one class and its target.
//! Records live until the caches are emptied. `sends` reads them.

#![allow(unsafe_code)]

use super::target::{Activation, Target};
use crate::base::Value;

/// The targets of a send that met receivers of two classes. The first class stands in the instruction.
pub(crate) struct Pair {
    pub(crate) second_class: u32,
    pub(crate) targets: [*const Target; 2],
}

impl Pair {
    /// Whether both methods answer literals.
    pub(crate) fn answers_values(&self) -> bool {
        self.targets.iter().all(|&target| {
            // SAFETY: targets live as long as the machine.
            let target = unsafe { &*target };
            target.activation == Activation::QuickValue
        })
    }
}

/// The records that inline caches refer to.
#[derive(Default)]
pub(crate) struct CacheRecords {
    #[allow(clippy::vec_box)] // instructions point to them, so they must not move
    pairs: Vec<Box<Pair>>,
    #[allow(clippy::vec_box)] // as above
    foreseen: Vec<Box<Foreseen>>,
}

impl CacheRecords {
    /// Keeps the record and answers its address, for the instruction.
    pub(crate) fn keep_pair(&mut self, pair: Pair) -> u64 {
        let pair = Box::new(pair);
        let address = &raw const *pair as u64;
        self.pairs.push(pair);
        address
    }

    /// Keeps the record and answers its address, for the instruction.
    pub(crate) fn keep_foreseen(&mut self, foreseen: Foreseen) -> u64 {
        let foreseen = Box::new(foreseen);
        let address = &raw const *foreseen as u64;
        self.foreseen.push(foreseen);
        address
    }
}

/// The number of cases that the site of a foreseen method distinguishes.
pub(crate) const CASES: usize = 6;

/// The result of a method in one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The method's answer.
    pub(crate) answer: Value,
    /// The sends that it executes, with the sends of the methods that it activates. An impossibly large number means
    /// that the case is not foreseen.
    pub(crate) sends: u64,
}

pub(crate) const UNFORESEEN: Outcome = Outcome {
    answer: Value::NIL,
    sends: u64::MAX,
};

/// A method of numbers, or the methods of false and true for a message.
#[derive(Debug)]
pub(crate) struct Foreseen {
    /// The method. For booleans, the methods of false and of true.
    pub(crate) targets: [*const Target; 2],
    pub(crate) outcomes: [Outcome; CASES],
    /// Words above the window for the method's frame and for the frames of the methods that it activates.
    pub(crate) words: usize,
}
