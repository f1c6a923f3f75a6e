//! Evaluations of inlined control messages: a number of its own beside the sends, counted only on request (counting
//! model, 1).

use std::collections::BTreeMap;

use tally_vm::Vm;

use crate::text::{Align, Layout, grouped};

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
