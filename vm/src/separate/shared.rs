//! Variables that processors share (R14): which ones they are, and which processor stored the value of each.

use hashbrown::HashMap;

use super::engine::{ProcessorId, ROOT};
use crate::base::ClassId;

/// A variable that several processors can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    /// A global or a class variable, by its number.
    Global(u32),
    /// An instance variable of a class object: the class and the slot.
    OfClass(ClassId, u32),
}

/// The variables that the program's code stores outside of the `initialize` of a class, and who stored them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedVariables {
    /// The processors whose values they hold.
    owners: HashMap<Variable, ProcessorId>,
    /// Whether the instance variables of the program's class objects are among them.
    pub(crate) has_class_state: bool,
}

impl SharedVariables {
    /// From now on accesses to the variable are ordered. What it holds belongs to the script's processor.
    pub(crate) fn add(&mut self, variable: Variable) {
        self.owners.entry(variable).or_insert(ROOT);
    }

    /// Whether accesses to the variable are ordered.
    pub(crate) fn has(&self, variable: Variable) -> bool {
        match variable {
            Variable::Global(_) => self.owners.contains_key(&variable),
            Variable::OfClass(..) => self.has_class_state,
        }
    }

    /// Whether there are globals or class variables among them.
    pub(crate) fn has_globals(&self) -> bool {
        self.owners
            .keys()
            .any(|variable| matches!(variable, Variable::Global(_)))
    }

    /// The processor that stored the value of the variable.
    pub(crate) fn owner(&self, variable: Variable) -> ProcessorId {
        self.owners.get(&variable).copied().unwrap_or(ROOT)
    }

    /// The processor has stored the variable.
    pub(crate) fn store(&mut self, variable: Variable, processor: ProcessorId) {
        self.owners.insert(variable, processor);
    }
}
