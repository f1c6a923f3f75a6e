//! What an inline cache refers to when it holds more than one class and its target: records, which live until the
//! caches are emptied. How a send finds its way by them is in `sends`.
#![allow(unsafe_code)]

use super::foreseen::Foreseen;
use crate::code::{Activation, Target};

/// The targets of a send that met receivers of two classes. The first class stands in the instruction.
pub(crate) struct Pair {
    pub(super) second_class: u32,
    pub(super) targets: [*const Target; 2],
}

impl Pair {
    /// Whether both methods answer literals.
    pub(super) fn answers_values(&self) -> bool {
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
    /// Keeps the record; answers what the instruction holds.
    pub(super) fn keep_pair(&mut self, pair: Pair) -> u64 {
        let pair = Box::new(pair);
        let address = &raw const *pair as u64;
        self.pairs.push(pair);
        address
    }

    /// Keeps the record; answers what the instruction holds.
    pub(super) fn keep_foreseen(&mut self, foreseen: Foreseen) -> u64 {
        let foreseen = Box::new(foreseen);
        let address = &raw const *foreseen as u64;
        self.foreseen.push(foreseen);
        address
    }
}
