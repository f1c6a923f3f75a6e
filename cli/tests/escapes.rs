//! That nothing which comes from files or arguments reaches a terminal as a command to it. What a program prints itself does.

#![cfg(unix)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

/// Names and texts with what a terminal obeys: colours, a title, a control character of the second set, a change of direction.
const NAME: &str = "a\u{1b}[31m\u{9b}31m\u{202e}.st";
const BAD: &str = "\u{1b}]0;title\u{7}\u{9b}2J\u{202e}";

/// What a text has of that.
fn obeyed(text: &str) -> Vec<char> {
    let is_obeyed = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202A}'..='\u{202E}')
    };
    text.chars().filter(|&c| is_obeyed(c)).collect()
}

#[test]
fn no_message_lets_an_escape_through() {
    let sandbox = Sandbox::new("escapes");
    let text = |text: &str| text.replace("BAD", BAD);
    sandbox.write(
        NAME,
        text("'BAD' foo. \"BAD\" #'BAD' bar. Error signal: 'BAD'"),
    );
    sandbox.write("compile.st", text("x := 'BAD' ] 'BAD'. y BAD z"));
    sandbox.write(
        "class.st",
        text(
            "\"BAD\" Object subclass: Shown [ \"BAD\" <comment: 'BAD'> shown [ \"BAD\" ^'BAD' ] ]",
        ),
    );
    sandbox.write(
        "test.st",
        text(
            "TestCase subclass: BadTest [\n\
             testFail [ self assert: 'BAD' equals: 'x' ]\n\
             testError [ Error signal: 'BAD'. ^'BAD' ]\n\
             testSkip [ self skip: 'BAD' ]\n\
             testDeny [ self deny: true description: 'BAD' ]\n]\n",
        ),
    );
    let option = format!("--filter={BAD}");
    let mut passed = Vec::new();
    for (command, code) in [
        (&["run", NAME][..], 1),
        (&["run", "compile.st"], 8),
        (&["check", "compile.st", NAME], 8),
        (&["run", BAD], 74),
        (&["run", "-e", BAD], 8),
        (&["run", "-e", "3", "--counts", "-o", "no\u{1b}/such"], 74),
        (&["disassemble", NAME, "class.st"], 0),
        (&["disassemble", "class.st", "--method", BAD], 4),
        (&["doc", "Shown", "class.st"], 0),
        (&["doc", BAD, "class.st"], 4),
        (&["test", "test.st"], 1),
        (&["test", "test.st", "--report", "github"], 1),
        (&["test", "test.st", "--report", "md"], 1),
        (&["test", "test.st", &option], 4),
        (&["profile", "test.st", "--test", BAD], 4),
        (&["annotate", NAME], 1),
        (&["profile", NAME], 1),
        (&["explain", BAD], 2),
        (&["convert", BAD, "x.csv"], 74),
        (&["verify", NAME], 1),
    ] {
        let ran = sandbox.tally(command);
        for text in [ran.output(), ran.error()] {
            let found = obeyed(text);
            if !found.is_empty() {
                passed.push(format!("{command:?} lets {found:?} through: {text}"));
            }
        }
        ran.exits(code);
    }
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn what_a_program_prints_is_its_own() {
    let sandbox = Sandbox::new("raw");
    sandbox.write("p.st", format!("'{BAD}' displayNl"));
    sandbox
        .tally(&["run", "p.st"])
        .exits(0)
        .prints(&format!("{BAD}\n"));
}

#[test]
fn what_is_much_too_long_is_shortened() {
    let sandbox = Sandbox::new("long");
    let operator = "+".repeat(100_000);
    let name = "x".repeat(100_000);
    for (text, code) in [
        (format!("3 {operator} 4"), 1),
        (format!("3 {name}"), 1),
        (format!("{name} foo"), 8),
        (format!("3 foo: #{name} bar: 4"), 1),
        (format!("^ '{name}' foo. '{name}' bar"), 1),
        (format!("Error signal: '{name}'"), 1),
    ] {
        sandbox.write("long.st", &text);
        for command in [&["run", "long.st"][..], &["check", "long.st"]] {
            let ran = sandbox.tally(command);
            let said = ran.error().len() + ran.output().len();
            assert!(said < 20_000, "{command:?} says {said} bytes");
            if command[0] == "run" {
                ran.exits(code);
            }
        }
    }
}
