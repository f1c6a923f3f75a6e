//! The lookups of a run, by name, so that they can be stored and compared with another version of the program.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tally_vm::{Lookup, Vm};

/// The lookups of a run: of a test with its resources, or of the loading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLookups {
    /// Whether the run may depend on more than these lookups: it reflects, or reads files and other outside data.
    pub is_in_doubt: bool,
    /// Classes whose methods' pragmas it read: `Foo`.
    #[serde(default)]
    pub pragmas: BTreeSet<String>,
    /// Each class and selector once.
    pub lookups: BTreeSet<LookedUp>,
}

/// A message that was looked up, whether something was found or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LookedUp {
    /// The class in which the search began: `Foo` or `Foo class`.
    pub class: String,
    /// The selector.
    pub selector: String,
}

impl RunLookups {
    /// The lookups that a machine recorded; see [`Vm::record_lookups`].
    pub fn of(vm: &Vm, lookups: &[Lookup]) -> RunLookups {
        let named = |lookup: &Lookup| LookedUp {
            class: vm.class(lookup.class).display_name(),
            selector: vm.symbol_text(lookup.selector).to_string(),
        };
        let asked = lookups.iter().filter(|lookup| vm.asks_for_pragmas(lookup));
        RunLookups {
            pragmas: asked
                .map(|lookup| vm.class(lookup.class).name.clone())
                .collect(),
            is_in_doubt: lookups.iter().any(|lookup| vm.is_telltale(lookup)),
            lookups: lookups.iter().map(named).collect(),
        }
    }

    /// Adds what another run looked up, such as that of a resource.
    pub fn add(&mut self, other: &RunLookups) {
        self.is_in_doubt |= other.is_in_doubt;
        self.pragmas.extend(other.pragmas.iter().cloned());
        self.lookups.extend(other.lookups.iter().cloned());
    }
}
