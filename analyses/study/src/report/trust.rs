//! Advice: when not to trust a send count, and which number to use instead.

use tally_presentation::counted;
use tally_presentation::figure::{fixed, times};

use super::findings::{FAILS, listed, off};
use crate::results::Study;

/// When not to trust a count. What the data has to say about it is in the last sentences.
pub(super) fn advice(study: &Study) -> Vec<String> {
    let mut advice: Vec<String> = ADVICE.iter().map(ToString::to_string).collect();
    let bad = study.counterexamples.iter();
    let bad: Vec<String> = bad
        .filter(|row| off(row.factor_by_vector) >= FAILS)
        .map(|row| format!("{} ({} times)", row.name, times(row.factor_by_vector)))
        .collect();
    let known = study
        .counterexamples
        .iter()
        .filter(|row| row.factor_by_sends.is_some() && row.factor_by_vector.is_some());
    let closer = known
        .clone()
        .filter(|row| off(row.factor_by_vector) < off(row.factor_by_sends));
    if known.clone().next().is_some() {
        advice.push(format!(
            "The cost vector's model comes closer than sends alone for {} of the {} built to break the proxy.",
            closer.count(),
            counted(known.count() as u64, "program", "programs")
        ));
    }
    if !bad.is_empty() {
        advice.push(format!(
            "It is no clock either: it is off by a factor of {} or more for {}. Measured to predicted: {}.",
            fixed(FAILS, 0),
            counted(bad.len() as u64, "of them", "of them"),
            listed(&bad)
        ));
    }
    advice
}

const ADVICE: [&str; 6] = [
    "A send that ends in a primitive is one send, however long the primitive works: big integers, copying and comparing long strings, sorting or hashing done by the machine. Where primitives work on much data, take the clock or the sampling profiler.",
    "Allocation is not in sends. Two programs that send alike can differ in objects and bytes, and the collector's work with them: look at objects and bytes beside sends, and at the time.",
    "Inlined control messages are no sends. A loop over inlined messages alone repeats without sending: look at loop repetitions and steps beside sends.",
    "Sends of different programs are no common currency: compare a program with itself, before and after a change that leaves the kind of its work alone. Between programs, or after a change that moves work into primitives, take the clock.",
    "Waiting, input and output are in no count.",
    "Rankings of methods by sends tell where messages are sent. If the first of them is not where the sampling profiler finds the time, believe the profiler about time, and the count about whether anything changed.",
];
