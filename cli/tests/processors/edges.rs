//! More odd input: traits, blocks that leave their method, queues that fill the memory, costs that overflow.

use crate::support::Sandbox;

const CLASSES: &str = "Object subclass: O [ | n |
    one [ ^1 ]
    foo [ ]
    do: aBlock [ ^aBlock value ]
    try: aBlock [ ^[ aBlock value ] on: Error do: [ :e | e class name ] ]
    busy: k [ k timesRepeat: [] ]
]
Trait named: #T [ ten [ ^10 ] ]
Object subclass: Leaver [ | kept |
    go: o [ o await do: [ ^7 ]. ^8 ]
    guarded: o [ ^[ o await do: [ ^7 ]. 8 ] on: Error do: [ :e | e class name ] ]
    keep [ kept := [ ^7 ] ]
    kept [ ^kept ]
]
";

/// A program, the exit code, its output, and a part of standard error.
type Row<'a> = (&'a str, i32, &'a str, &'a str);

fn check(options: &[&str], rows: &[Row<'_>]) {
    let sandbox = Sandbox::new("edges");
    for (text, exit, output, error) in rows {
        sandbox.write("p.st", [CLASSES, text].concat());
        let ran = sandbox.tally(&[&["run", "p.st"], options].concat());
        ran.exits(*exit).prints(output);
        match error.is_empty() {
            true => ran.is_silent(),
            false => ran.says(error),
        };
    }
}

/// A trait has no instances, so there is nothing that a processor could handle but the trait.
#[test]
fn a_trait_on_a_processor() {
    let why = "error: Instances of T class do not understand #ten";
    check(
        &[],
        &[
            ("T separate printNl.", 0, "separate T #1/1\n", ""),
            ("(T separate ten) printNl.", 1, "", why),
        ],
    );
}

/// R13: a block that is evaluated for another processor cannot leave the method at home, which waits.
#[test]
fn blocks_that_leave_their_method() {
    const MADE: &str = "| o l | o := O separate new. l := Leaver separate new. l yourself.";
    let rows = [
        (
            "(Leaver new go: o) printNl.",
            1,
            "",
            "error: BlockCannotReturn: ",
        ),
        (
            "(Leaver new guarded: o) printNl.",
            0,
            "#BlockCannotReturn\n",
            "",
        ),
        (
            "(o try: [ ^7 ]) printNl. o one printNl.",
            0,
            "#BlockCannotReturn\n1\n",
            "",
        ),
        (
            "l await keep. ([ l kept value ] on: Error do: [ :e | e class name ]) printNl. o one printNl.",
            0,
            "#BlockCannotReturn\n1\n",
            "",
        ),
    ];
    for (text, exit, output, error) in rows {
        check(&[], &[(&format!("{MADE} {text}"), exit, output, error)]);
    }
}

/// Requests that wait take memory, and the limit on it ends the run.
#[test]
fn a_million_requests_in_a_queue() {
    const TEXT: &str = "| o | o := O separate new. o busy: 100000000. 1000000 timesRepeat: [ o foo ]. o one printNl.";
    let why = "error: the limit on memory was reached (--max-memory)";
    check(&["--max-memory", "60M"], &[(TEXT, 6, "", why)]);
}

/// Costs add up to the end of virtual time at most.
#[test]
fn costs_that_overflow() {
    const TEXT: &str = "| o | o := O separate new. o foo. [ :x | x one printNl ] separate: o.";
    for name in ["create", "call", "word", "receive", "lock", "latency"] {
        let costs = format!("{name}=18446744073709551615");
        check(
            &["--costs", &costs],
            &[(TEXT, 6, "", "error: virtual time came to its end")],
        );
    }
    let costs = "gap=18446744073709551615,switch=18446744073709551615";
    let why = "error: virtual time came to its end";
    check(&["--costs", costs, "--cpus", "1"], &[(TEXT, 6, "", why)]);
}
