//! The example runs the tests of a file, and its counts are those of every other run.

use std::path::Path;
use std::process::Command;

#[test]
fn the_example_prints_what_each_test_sends() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("sums.st");
    let text = "TestCase subclass: SumTest [\n\
                testSum [ self assert: ((1 to: 3) inject: 0 into: [:a :b | a + b]) equals: 6 ]\n\
                testWrong [ self assert: 3 + 4 equals: 8 ] ]\n";
    std::fs::write(&file, text).expect("a file");
    let run = || {
        let command = Command::new(env!("CARGO_BIN_EXE_embedding"))
            .arg(&file)
            .output();
        let output = command.expect("it runs");
        let printed = String::from_utf8(output.stdout).expect("a text");
        (output.status.code(), printed)
    };
    let (code, printed) = run();
    assert_eq!(code, Some(1), "{printed}");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[0].starts_with("SumTest>>testSum ok "), "{printed}");
    assert!(!lines[0].ends_with(" 0 sends"), "{printed}");
    assert!(
        lines[1].starts_with("SumTest>>testWrong FAILED "),
        "{printed}"
    );
    assert_eq!(run().1, printed);
}
