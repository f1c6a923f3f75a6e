//! Runs the units of a program one after the other. A class whose `initialize` fails, or that the machine refuses, does not
//! end the load of its package.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tally_vm::bytecode::Unit;
use tally_vm::{Outcome, Vm};

use super::compiling::initialiser;

/// The units of packages, by index.
#[derive(Clone, Debug, Default)]
pub struct PackageUnits {
    /// The units that make definitions.
    defining: BTreeSet<usize>,
    /// The units that send `initialize` to classes: a class on each line of the text.
    initialising: BTreeMap<usize, Vec<String>>,
    /// Whether a class whose `initialize` fails ends the run.
    pub(super) strict: bool,
}

impl PackageUnits {
    pub(super) fn add_defining(&mut self, unit: usize) {
        self.defining.insert(unit);
    }

    pub(super) fn add_initialising(&mut self, unit: usize, classes: Vec<String>) {
        self.initialising.insert(unit, classes);
    }

    /// Runs the units of a program as long as they come to their ends. Reports each definition that the machine refused and
    /// each class whose `initialize` failed, and goes on behind it.
    pub fn run(&self, vm: &mut Vm, units: &[Arc<Unit>], tell: &mut dyn FnMut(String)) -> Outcome {
        for (index, unit) in units.iter().enumerate() {
            let unit = Arc::clone(unit);
            let outcome = match self.initialising.get(&index) {
                _ if self.strict => vm.run_unit(unit),
                Some(classes) => initialise(vm, &unit, classes, tell),
                None if self.defining.contains(&index) => {
                    let (outcome, refused) = vm.run_forgiving(unit);
                    refused.into_iter().for_each(&mut *tell);
                    outcome
                }
                None => vm.run_unit(unit),
            };
            if outcome != Outcome::Finished {
                return outcome;
            }
        }
        Outcome::Finished
    }
}

/// Initialises the classes of a package. Behind one that fails, it goes on with the next.
fn initialise(
    vm: &mut Vm,
    unit: &Arc<Unit>,
    classes: &[String],
    tell: &mut dyn FnMut(String),
) -> Outcome {
    let mut outcome = vm.run_unit(Arc::clone(unit));
    let mut waiting = classes;
    while outcome == Outcome::Failed {
        // Another process may have failed. Then all classes had their turn.
        let Some(index) = vm.failed_line().map(|line| line - 1) else {
            return Outcome::Finished;
        };
        let Some((class, rest)) = waiting.get(index..).and_then(<[String]>::split_first) else {
            return outcome;
        };
        tell(format!("{class} class>>initialize failed"));
        waiting = rest;
        // A run without classes takes the failed process from the machine.
        let Ok((_, next)) = initialiser(&unit.name, waiting) else {
            return outcome;
        };
        outcome = vm.run_unit(next);
    }
    outcome
}
