//! Decides how one handler of the interpreter reaches the next (see `src/interpreter/dispatch.rs`). Where the optimiser
//! turns tail calls into jumps, handlers end in tail calls. Elsewhere a loop around a match dispatches.
//!
//! `TALLY_DISPATCH=match` selects the loop, so that the two can be compared. `TALLY_PROFILING=none` leaves the recorder
//! out, to measure that it costs nothing while it is off.

use std::env;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(tail_dispatch)");
    println!("cargo::rerun-if-env-changed=TALLY_DISPATCH");
    println!("cargo::rustc-check-cfg=cfg(no_profiling)");
    println!("cargo::rerun-if-env-changed=TALLY_PROFILING");
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &[&str]| {
        env::var(name).is_ok_and(|value| wanted.contains(&value.as_str()))
    };
    if is("TALLY_PROFILING", &["none"]) {
        println!("cargo::rustc-cfg=no_profiling");
    }
    let optimised = is("OPT_LEVEL", &["2", "3"]);
    let known = is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]);
    let instrumented = [
        "CARGO_CFG_DEBUG_ASSERTIONS",
        "CARGO_CFG_FUZZING",
        "CARGO_CFG_MIRI",
    ]
    .iter()
    .any(|name| env::var_os(name).is_some());
    if optimised && known && !instrumented && !is("TALLY_DISPATCH", &["match"]) {
        println!("cargo::rustc-cfg=tail_dispatch");
    }
}
