//! The memory of the compiler: at most a known number of bytes for each byte of the text, for any text. There is one
//! test, because the whole process shares one counter of memory.

#![expect(
    clippy::print_stdout,
    reason = "what was measured is shown when the test fails"
)]

use std::alloc::System;

use tally_compiler::environment::EmptyEnvironment;
use tally_compiler::{compile, som};
use tally_vm::budget::{self, Counted};

#[global_allocator]
static ALLOCATOR: Counted<System> = Counted(System);

/// Bytes of memory for each byte of a text, at most (docs/SAFETY.md).
const MOST_FACTOR: usize = 400;
/// Bytes for findings and tables, for a text of any length.
const FIXED: usize = 8 << 20;
const LENGTH: usize = 1 << 18;

#[test]
fn memory_grows_with_the_text_by_a_known_factor() {
    let texts = [
        ("bytes without meaning", "\0"),
        ("opened parentheses", "("),
        ("opened brackets", "["),
        ("opened arrays", "#("),
        ("closed parentheses", ")"),
        ("pairs of brackets", "[]"),
        ("wrong pairs", "(]"),
        ("statements", "1."),
        ("elements", "{1.1.1.1.1.1.1.1}."),
        ("literals", "#(1 1 1 1 1 1 1 1)."),
        ("bytes", "#[1 1 1 1 1 1 1 1]."),
        ("bars", "|"),
        ("names", "a "),
        ("temporaries", "|a|"),
        ("unknown variables", "a."),
        ("messages", "a b c d e f g h."),
        ("cascades", ";a"),
        ("binary messages", "+1"),
        ("keywords", "a:"),
        ("keyword messages", "1 a:1 b:1 c:1."),
        ("blocks", "[:x|x]."),
        ("quotes", "'"),
        ("strings", "''."),
        ("symbols", "#a."),
        ("characters", "$a."),
        ("assignments", "a:="),
        ("returns", "^"),
        ("dashes", "-"),
        ("separators", "!"),
        ("pragmas", "<a>"),
        ("classes", "Object subclass: A []\n"),
        ("methods", "A >> b []\n"),
        ("unclosed methods", "A >> b [\n"),
        ("large numbers", "16r1"),
        ("foreign letters", "é"),
    ];
    let mut worst = 0;
    for (what, piece) in texts {
        let text = piece.repeat(LENGTH / piece.len());
        for (language, compiles) in [("Tally", tally as fn(&str)), ("SOM", som)] {
            let before = budget::held();
            budget::forget_peak();
            compiles(&text);
            let taken = budget::peak().saturating_sub(before);
            let factor = taken.saturating_sub(FIXED) / LENGTH;
            println!("{language}, {what}: {} bytes for a byte", taken / LENGTH);
            worst = worst.max(factor);
        }
    }
    assert!(worst <= MOST_FACTOR, "{worst} bytes for a byte");
}

fn tally(text: &str) {
    let compiled = compile("text", text, &EmptyEnvironment);
    assert!(compiled.unit.is_some() != compiled.diagnostics.iter().any(|one| one.is_error()));
}

fn som(text: &str) {
    let compiled = som::compile(
        "text",
        &format!("A = ( a = ( {text} ) )"),
        &EmptyEnvironment,
    );
    assert!(compiled.unit.is_some() != compiled.diagnostics.iter().any(|one| one.is_error()));
}
