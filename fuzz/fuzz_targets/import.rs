//! Files of other tools: no bytes may crash a reader or take more memory than a profile may. What is read adds up, and comes
//! back from our own formats and from the formats of other tools that it is written in. The first byte chooses the format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tally_profiler::{FORMATS, IMPORTS, Measure, check_identities, from_json, import, to_json};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    let format = &IMPORTS[usize::from(*first) % IMPORTS.len()];
    let Ok(profile) = import(format, "fuzzed", bytes, None) else {
        return;
    };
    assert_eq!(check_identities(&profile), []);
    let text = to_json(&profile).expect("a profile is representable");
    assert_eq!(from_json(&text).as_ref(), Ok(&profile));
    for format in FORMATS.iter().filter(|format| format.fits(&profile)) {
        let written = (format.write)(&profile, Measure::Sends).expect("it fits");
        if let Some(reader) = IMPORTS.iter().find(|reader| reader.name == format.name) {
            let again = import(reader, "written", &written, None);
            assert_eq!(again.map(|again| again.cost.sends), Ok(profile.cost.sends));
        }
    }
});
