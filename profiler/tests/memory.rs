//! The memory that readers take for bytes with false claims. There is one test, because the counter of memory is the
//! process's.

#![expect(
    clippy::print_stdout,
    reason = "what was measured is shown when the test fails"
)]

use std::alloc::System;

use tally_profiler::from_json;
use tally_profiler::recording::{Bounds, RecordingError, from_recording_within, seal};
use tally_vm::budget::{self, Counted};

#[global_allocator]
static ALLOCATOR: Counted<System> = Counted(System);

/// Bounds as small as tests need.
const BOUNDS: Bounds = Bounds {
    content: 1 << 20,
    memory: 4 << 20,
};
/// The tolerance of the counter, and the memory of unpacking.
const SLACK: usize = 1 << 20;
/// Bytes of memory for each byte of a text, at most (docs/SAFETY.md).
const MOST_FACTOR: usize = 64;

/// The peak memory of a function.
fn taken(doing: impl FnOnce()) -> usize {
    let before = budget::held();
    budget::forget_peak();
    doing();
    budget::peak().saturating_sub(before)
}

fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn section(kind: usize, members: &[u8]) -> Vec<u8> {
    [&number(kind)[..], &number(members.len()), members].concat()
}

/// A table of rows, all of whose members are 0, of `bytes` bytes in all.
fn table(kind: usize, bytes_each: usize, bytes: usize) -> Vec<u8> {
    let count = bytes / bytes_each;
    section(kind, &[number(count), vec![0; count * bytes_each]].concat())
}

/// Contents that claim much.
fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let run = section(2, &[0; 12]);
    let cost = section(3, &[0; 8]);
    let texts = |text: &str| {
        section(
            1,
            &[&number(1)[..], &number(text.len()), text.as_bytes()].concat(),
        )
    };
    let count = 1_000_000;
    let large = texts(&"x".repeat(100_000));
    let methods = section(5, &number(0));
    let mut bombs = vec![
        ("zeros", vec![0; 1 << 20]),
        ("more than may be", vec![0; (1 << 20) + 1]),
        (
            "empty texts",
            section(1, &[number(count), vec![0; count]].concat()),
        ),
        (
            "a large text",
            [large, run.clone(), cost.clone(), table(5, 17, 200_000)].concat(),
        ),
    ];
    let tables = [
        ("methods", 5, 17),
        ("contexts", 6, 9),
        ("calls", 7, 5),
        ("sites", 8, 8),
        ("allocations", 9, 5),
        ("definitions", 11, 8),
        ("inputs", 12, 3),
    ];
    for (what, kind, each) in tables {
        // As many rows as may be, and more.
        for bytes in [50_000, 200_000, 900_000] {
            let mut content = [texts("0123456789abcdef"), run.clone(), cost.clone()].concat();
            if kind > 5 {
                content.extend(&methods);
            }
            content.extend(table(kind, each, bytes));
            bombs.push((what, content));
        }
    }
    bombs
}

#[test]
fn readers_keep_to_their_bounds() {
    for (what, content) in bombs() {
        let file = seal(1, &content).expect("small");
        let mut read = Err(RecordingError::NoRecording);
        let bytes = taken(|| read = from_recording_within(&file, &BOUNDS));
        println!("{what}: {bytes} bytes, {:?}", read.as_ref().err());
        assert!(read.is_err() || content.len() < 500_000, "{what}");
        let most = BOUNDS.content + 2 * BOUNDS.memory + SLACK;
        assert!(bytes <= most, "{what}: {bytes} bytes");
    }
    let length = 1 << 18;
    let files = "{\"schema\":\"tally.profile/1\",\"files\":[";
    let arguments = "{\"schema\":\"tally.profile/1\",\"arguments\":[";
    let methods = "{\"schema\":\"tally.profile/1\",\"methods\":[";
    for (what, head, piece, end) in [
        ("numbers", "[", "0,", "0]"),
        ("lists", "[", "[],", "0]"),
        ("depth", "", "[", ""),
        ("objects", "[", "{},", "0]"),
        ("names", "{", "\"a\":0,", "\"b\":0}"),
        ("files", files, "\"\",", "\"\"]}"),
        ("arguments", arguments, "\"\",", "\"\"]}"),
        ("methods", methods, "{},", "{}]}"),
        ("schema", "{\"schema\":[", "0,", "0]}"),
    ] {
        let text = format!("{head}{}{end}", piece.repeat(length / piece.len()));
        let bytes = taken(|| assert!(from_json(&text).is_err(), "{what}"));
        println!("JSON, {what}: {} bytes for a byte", bytes / length);
        assert!(
            bytes <= MOST_FACTOR * length + SLACK,
            "{what}: {bytes} bytes"
        );
    }
}
