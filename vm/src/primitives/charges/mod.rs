//! The charges of primitives for their work (counting model, 2.2): formulas over operands and answers, whatever an
//! implementation does. A charge stands in the row of each primitive whose work grows with its operands. Only the full
//! loop charges, so that other loops pay nothing.

mod numbers;
mod objects;
mod streams;
mod texts;

use crate::base::Value;
use crate::counting::Work;
use crate::machine::Vm;
use crate::run::Args;

pub(super) use numbers::*;
pub(super) use objects::*;
pub(super) use streams::*;
pub(super) use texts::*;

/// Which successes of a primitive are *simple* (counting model, 2: `called`), by the classes of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simple {
    /// None.
    Never,
    /// All.
    Always,
    /// Those with SmallIntegers and Floats only.
    Numbers,
    /// Those of an Array, String, Symbol or ByteArray.
    Elements,
}

/// How a primitive is charged.
pub(crate) struct Charge {
    /// The formula, as the documentation shows it. Empty if there is no charge.
    pub(crate) formula: &'static str,
    pub(crate) simple: Simple,
    /// What is known before execution. `None` if the operands are not accepted.
    before: fn(&Vm, Args) -> Option<Bill>,
    /// What is known once it has succeeded with an answer. A primitive that leaves a request answers nil here.
    after: fn(&Vm, Args, Value) -> Option<Bill>,
    /// Whether a primitive that declines has done what was charged before execution.
    is_kept: bool,
}

impl Charge {
    /// That of a primitive whose work does not depend on its operands.
    pub(crate) const NONE: Charge = Charge::simple_for(Simple::Never);

    const fn simple_for(simple: Simple) -> Charge {
        Charge {
            formula: "",
            simple,
            before: |_, _| None,
            after: |_, _, _| None,
            is_kept: false,
        }
    }

    /// Charges what is known before execution.
    pub(crate) fn charge_before(&self, vm: &mut Vm, args: Args) {
        let bill = (self.before)(vm, args);
        vm.charge(&bill.unwrap_or_default());
    }

    /// Charges what is known once the primitive has succeeded.
    pub(crate) fn charge_after(&self, vm: &mut Vm, args: Args, answer: Value) {
        let bill = (self.after)(vm, args, answer);
        vm.charge(&bill.unwrap_or_default());
    }

    /// Takes back what was charged before execution: the primitive has declined, so it did not accept its operands.
    pub(crate) fn take_back(&self, vm: &mut Vm, args: Args) {
        if self.is_kept {
            return;
        }
        let bill = (self.before)(vm, args).unwrap_or_default();
        for &(work, amount) in bill.items.iter().flatten() {
            vm.counters.full.work.take_back(work, amount);
        }
    }

    const fn before(formula: &'static str, before: fn(&Vm, Args) -> Option<Bill>) -> Charge {
        Charge {
            formula,
            before,
            ..Charge::NONE
        }
    }

    const fn after(formula: &'static str, after: fn(&Vm, Args, Value) -> Option<Bill>) -> Charge {
        Charge {
            formula,
            after,
            ..Charge::NONE
        }
    }
}

/// Evaluations, messages and comparisons that are simple for all operands.
pub(crate) const ALWAYS_SIMPLE: Charge = Charge::simple_for(Simple::Always);

/// Messages that are delivered: their methods are looked up each time.
pub(crate) const DELIVERY: Charge = Charge {
    simple: Simple::Always,
    ..Charge::before("`elements` 1", |_, _| Some(Bill::of(Work::Elements, 1)))
};

/// Access to elements.
pub(crate) const ELEMENT: Charge = Charge::simple_for(Simple::Elements);

/// Units of work by counter.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bill {
    items: [Option<(Work, u64)>; 4],
}

impl Bill {
    fn of(work: Work, amount: u64) -> Bill {
        Bill::default().and(work, amount)
    }

    fn and(mut self, work: Work, amount: u64) -> Bill {
        let free = self.items.iter_mut().find(|item| item.is_none());
        debug_assert!(free.is_some(), "a bill has no more items");
        if let Some(free) = free {
            *free = Some((work, amount));
        }
        self
    }
}

impl Vm {
    pub(super) fn charge(&mut self, bill: &Bill) {
        for &(work, amount) in bill.items.iter().flatten() {
            self.counters.full.work.charge(work, amount);
        }
    }
}
