//! Strict control: a request outside of a scope is an error of its client.

use crate::support::Sandbox;

const CLASSES: &str = "Object subclass: Account [ | sum |
    initialize [ sum := 0 ]
    add: n [ sum := sum + n ]
    sum [ ^sum ]
    back: aTeller [ ^aTeller name ]
    pass: anAccount [ ^anAccount sum ]
]
Object subclass: Teller [
    name [ ^'teller' ]
    use: anAccount [ <separate> anAccount add: 1. ^anAccount sum ]
    callBack: anAccount [ <separate> ^anAccount back: self ]
    pass: anAccount with: another [ <separate> ^anAccount pass: another ]
    open: anAccount [ ^anAccount sum ]
]
";

/// The text of the error.
const REFUSED: &str =
    "error: UncontrolledRequest: #sum is sent to a processor that no scope has locked";

/// An expression on two accounts, the exit code with strict control, its output, and a part of standard error.
type Row = (&'static str, i32, &'static str, &'static str);

const ROWS: &[Row] = &[
    // Scopes, callbacks, blocks, and what a chain has locked, are controlled.
    ("(Teller new use: a) printNl.", 0, "1\n", ""),
    ("(Teller new callBack: a) printNl.", 0, "'teller'\n", ""),
    ("(Teller new pass: a with: b) printNl.", 0, "0\n", ""),
    ("[ :x | x sum printNl ] separate: a.", 0, "0\n", ""),
    ("Account new sum printNl.", 0, "0\n", ""),
    (
        "a printNl. (a == a) printNl.",
        0,
        "separate Account #1/2\ntrue\n",
        "",
    ),
    // Others are not: queries, commands, futures, and another supplier than that of the scope.
    ("(Teller new open: a) printNl.", 1, "", REFUSED),
    (
        "a add: 1. 'next' displayNl.",
        1,
        "",
        "#add: is sent to a processor",
    ),
    ("a await add: 1.", 1, "", "#add: is sent to a processor"),
    ("a future sum value printNl.", 1, "", REFUSED),
    ("[ :x | b sum printNl ] separate: a.", 1, "", REFUSED),
    // The error can be handled at the client, and nothing was sent.
    (
        "([ a add: 5. 1 ] on: UncontrolledRequest do: [ :e | e return: 2 ]) printNl.
         ([ a sum ] on: Error do: [ :e | e retryUsing: [ Teller new use: a ] ]) printNl.",
        0,
        "2\n1\n",
        "",
    ),
];

#[test]
fn requests_outside_of_scopes() {
    let sandbox = Sandbox::new("control");
    for (text, exit, output, error) in ROWS {
        let script = format!(
            "{CLASSES}| a b | a := Account separate new. b := Account separate new. a yourself. b yourself.\n{text}\n"
        );
        sandbox.write("p.st", script);
        let ran = sandbox.tally(&["run", "p.st", "--strict-control"]);
        ran.exits(*exit);
        assert!(ran.output().starts_with(output), "{text}\n{ran}");
        match error.is_empty() {
            true => ran.is_silent(),
            false => ran.says(error),
        };
        // Without the option all of these requests are sent.
        sandbox.tally(&["run", "p.st"]).exits(0);
        let ran = sandbox.tally(&["timeline", "p.st", "--strict-control"]);
        ran.exits(*exit);
    }
}
