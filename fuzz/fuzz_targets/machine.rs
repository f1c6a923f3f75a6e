//! Programs made of arbitrary bytes, by a grammar that knows all selectors of the library: frames, exceptions, processes,
//! reflection, `become:`, compilation while they run, redefinition. They run as usual, in the reference mode, and with a
//! collection at every allocation. No run may panic or reach an impossible state, and all runs must show the same.
#![no_main]

use std::sync::{Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use tally_tests::hostile::Programs;
use tally_tests::modes;

static PROGRAMS: Mutex<Option<Programs>> = Mutex::new(None);

fuzz_target!(|bytes: &[u8]| {
    let mut kept = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = kept.get_or_insert_with(|| {
        Programs::new(&[modes::PLAIN, modes::REFERENCE, modes::GC_STRESS])
            .expect("the library loads")
    });
    // Collecting at every allocation is slow; the bytes decide, so that a finding can be run again.
    let is_spared = bytes.first().is_none_or(|byte| byte % 4 != 0);
    let is_run = programs.run(bytes, |mode| mode.gc_stress && is_spared);
    assert_eq!(is_run.err(), None);
});
