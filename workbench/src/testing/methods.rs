//! What the calls of the program's methods send in tests: for each method the number of calls, and the sends of a call at least,
//! on average and at most. Methods of the library and of the tests themselves are left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tally_vm::{ClassId, Extent, Vm};

/// The classes whose subclasses make up tests.
const TESTING: [&str; 2] = ["TestCase", "TestResource"];

/// The calls of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodCalls {
    /// `Class>>selector`.
    pub method: String,
    /// How often it was called.
    pub calls: u64,
    /// The sends of the call with the fewest, with all that they cause.
    pub min: u64,
    /// The sends of the call with the most.
    pub max: u64,
    /// The sends of all calls, added up; nested calls are in several.
    pub sum: u64,
}

impl MethodCalls {
    /// The sends of a call on average.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the mean is shown, not computed with"
    )]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.calls.max(1) as f64
    }

    fn add(&mut self, other: &MethodCalls) {
        self.calls = self.calls.saturating_add(other.calls);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
    }
}

/// Ends measuring in a machine, and answers the calls of the methods that the program itself has.
pub(super) fn take(vm: &mut Vm) -> Vec<MethodCalls> {
    let extents: BTreeMap<u32, Extent> = vm
        .take_extents()
        .into_iter()
        .map(|(method, extent)| (method.0, extent))
        .collect();
    let own = vm.program_methods().filter_map(|method| {
        let extent = extents.get(&method.0)?;
        let name = vm.method_name(method);
        // The statements of a file, or of a script, are no method of a class.
        let is_method = name.contains(">>") && !is_of_tests(vm, vm.method(method).holder);
        is_method.then_some(MethodCalls {
            method: name,
            calls: extent.calls,
            min: extent.least,
            max: extent.most,
            sum: u64::try_from(extent.sum).unwrap_or(u64::MAX),
        })
    });
    own.collect()
}

/// Whether a class, or the class of a metaclass, stands below those that make up tests.
fn is_of_tests(vm: &Vm, class: ClassId) -> bool {
    let above = |id: &ClassId| vm.class(*id).superclass;
    let mut chain = std::iter::successors(Some(class), above);
    chain.any(|id| {
        let name = vm.class(id).display_name();
        TESTING.contains(&name.strip_suffix(" class").unwrap_or(&name))
    })
}

/// The calls of all methods in several tests.
#[derive(Clone, Debug, Default)]
pub struct AllCalls(BTreeMap<String, MethodCalls>);

impl AllCalls {
    /// Adds those of a test.
    pub fn add(&mut self, calls: &[MethodCalls]) {
        for one in calls {
            match self.0.get_mut(&one.method) {
                Some(known) => known.add(one),
                None => {
                    self.0.insert(one.method.clone(), one.clone());
                }
            }
        }
    }

    /// The methods, those first whose calls send the most together.
    pub fn rows(&self) -> Vec<&MethodCalls> {
        let mut rows: Vec<&MethodCalls> = self.0.values().collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.sum), &row.method));
        rows
    }
}
