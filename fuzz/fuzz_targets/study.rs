//! Feeds arbitrary text to the reader of a study's measurements. The reader may refuse it but must not panic. A study is
//! computed from accepted text and shown in every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tally_presentation::Page;
use tally_study::{Data, calibrate, report, study};

fuzz_target!(|text: &str| {
    let Ok(data) = Data::read(text) else { return };
    let study = study(&data);
    let _ = calibrate(&data);
    let _ = report::json(&study).expect("a study can be written");
    let _ = report::text(&study, Page::default());
    let _ = report::markdown(&study, str::to_string);
    let _ = report::html(&study);
    let _ = report::csv(&study);
});
