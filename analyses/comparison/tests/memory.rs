//! The memory that readers of snapshots and measurements take for bytes with false claims. There is one test, because the
//! counter of memory is the process's.

#![expect(
    clippy::print_stdout,
    reason = "what was measured is shown when the test fails"
)]

use std::alloc::System;

use tally_comparison::{Measurement, Snapshot};
use tally_vm::budget::{self, Counted};

#[global_allocator]
static ALLOCATOR: Counted<System> = Counted(System);

/// The tolerance of counting, and the memory of unpacking.
const SLACK: usize = 1 << 20;
/// Bytes of memory for each byte of a text, at most (docs/SAFETY.md).
const MOST_FACTOR: usize = 64;

/// What something takes at most while it is done.
fn taken(doing: impl FnOnce()) -> usize {
    let before = budget::held();
    budget::forget_peak();
    doing();
    budget::peak().saturating_sub(before)
}

#[test]
fn readers_keep_to_their_bounds() {
    let length = 1 << 18;
    let costs = " sends=1 loops=1 activations=1 blocks=1 primitives=1 allocations=1 bytes=8";
    let tests = |count: usize| {
        let test = |number| format!("{number:05}{costs} code=0badcafe\n");
        (0..count).map(test).collect::<String>()
    };
    for (what, lines) in [
        ("lines", "\n".repeat(length)),
        ("words", "a ".repeat(length / 2)),
        ("tests", tests(2000)),
    ] {
        let head = "# tally.counts 1\n# model 1\n# library 0000000000000000\n";
        let text = format!("{head}{lines}");
        let bytes = taken(|| assert!(Snapshot::parse(&text).is_err(), "{what}"));
        println!("snapshot, {what}: {} bytes for a byte", bytes / text.len());
        assert!(
            bytes <= MOST_FACTOR * text.len() + SLACK,
            "{what}: {bytes} bytes"
        );
    }
    assert!(taken(|| assert!(Measurement::from_bytes(&[0; 100]).is_err())) <= SLACK);
}
