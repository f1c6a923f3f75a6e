//! Feeds arbitrary bytes to the reader of recordings, as a file and as the content of a file with a correct checksum. The
//! reader may refuse them but must not panic. Accepted bytes must survive a round trip, and every format must say whether
//! it can hold them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tally_profiler::recording::{from_recording, seal, to_recording};
use tally_profiler::{FORMATS, Measure, Profile, check_identities};

fn check(profile: &Profile) {
    assert_eq!(check_identities(profile), []);
    let written = to_recording(profile).expect("what was read can be written");
    assert_eq!(from_recording(&written).as_ref(), Ok(profile));
    for format in FORMATS {
        let _ = (format.write)(profile, Measure::Sends);
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(profile) = from_recording(bytes) {
        check(&profile);
    }
    let sealed = seal(1, bytes).expect("it is small");
    if let Ok(profile) = from_recording(&sealed) {
        check(&profile);
    }
});
