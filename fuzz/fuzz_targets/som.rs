//! Feeds arbitrary text to the front end of the SOM dialect, with an empty world. The front end may report errors but
//! must not panic. Nothing is run here.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tally_compiler::environment::EmptyEnvironment;
use tally_compiler::{render, som};

fuzz_target!(|text: &str| {
    let _ = som::header(text);
    let compiled = som::compile("fuzz.som", text, &EmptyEnvironment);
    let rendered = render::render(&compiled.diagnostics, "fuzz.som", text, false);
    assert_eq!(compiled.diagnostics.is_empty(), rendered.is_empty());
    assert_eq!(
        compiled.unit.is_none(),
        !compiled.diagnostics.is_empty(),
        "a unit exactly when nothing is an error"
    );
});
