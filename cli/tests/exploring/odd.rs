//! Odd input, each with its exit code.

use std::process::Command;
use std::time::Duration;

use crate::support::Sandbox;
use crate::{explored, json, modulo, sandbox};

/// Programs that cannot be explored, or not to their end, the exit code and what is said.
const UNEXPLORED: &[(&str, i32, &str)] = &[
    ("3 printNl.", 4, "made no actor"),
    ("3 printNl.", 4, "`Account separate new`"),
    ("Actor subclass: A [ ] A spawn.", 4, "sends no message"),
    (
        "Actor subclass: A [ go [ Random new next ] ] A spawn tell go.",
        7,
        "random numbers",
    ),
    (
        "Actor subclass: A [ go [ self output: Time now ] ] A spawn tell go.",
        7,
        "the time",
    ),
    (
        "Actor subclass: A [ go [ A allInstances ] ] A spawn tell go.",
        7,
        "all instances",
    ),
    (
        "Actor subclass: A [ | s | go [ s := Semaphore new ] ] A spawn tell go.",
        1,
        "an instance of Semaphore",
    ),
    (
        "Actor subclass: A [ | b | go [ b := [^3] ] ] A spawn tell go.",
        1,
        "a block with `^`",
    ),
    (
        "Actor subclass: A [ go [ [true] whileTrue ] ] A spawn tell go.",
        6,
        "more ticks than it may",
    ),
    (
        "Actor subclass: A [ go [ self address tell go. self address tell go ] ] A spawn tell go.",
        6,
        "Unknown",
    ),
    (
        "Actor subclass: A [ go [ A spawn tell go ] ] A spawn tell go.",
        6,
        "Unknown",
    ),
    (
        "Actor subclass: A [ go [ ] ] A spawn tell go. [ 3 ] fork.",
        1,
        "processes",
    ),
    (
        "Actor subclass: A [ go [ ] ] A spawn tell isNil.",
        8,
        "E0218",
    ),
    (
        "Actor subclass: A [ go [ ] ] Smalltalk at: #S put: A spawn. (Smalltalk at: #S) tell go.",
        1,
        "the variable S",
    ),
];

#[test]
fn programs_that_cannot_be_explored() {
    for (program, code, told) in UNEXPLORED {
        let sandbox = sandbox(program);
        let limits = ["--max-ticks-per-turn", "100000", "--max-states", "1000"];
        let ran = sandbox.tally(&[&["explore", "p.st"], &limits[..]].concat());
        let all = format!("{}{}", ran.exits(*code).output(), ran.error());
        assert!(all.contains(told), "{told}: {ran}");
    }
}

#[test]
fn turns_that_fail() {
    for (body, told) in [
        ("nil foo", "does not understand #foo"),
        ("Semaphore new wait", "may not wait"),
        ("[3] fork", "may not fork"),
        ("Smalltalk at: #X put: 3", "others see"),
        ("#(1 2) at: 1 put: 3. #(1 2) copy", "others see"),
        ("A comment: 'x'", "others see"),
        ("A compile: 'foo [ ^3 ]'", "others see"),
        ("Smalltalk exit: 3", "may not end the program"),
        ("self address tell: #go with: 3", "takes 0 arguments"),
        ("self address tell foo: self; yourself", "foo:"),
        ("self go", "too deep"),
    ] {
        let sandbox = sandbox(&format!(
            "Actor subclass: A [ go [ {body} ] ] A spawn tell go."
        ));
        let ran = sandbox.tally(&["explore", "p.st"]);
        ran.exits(1).mentions(told);
    }
}

/// Messages to disposed actors are lost, and counted.
#[test]
fn dead_letters() {
    let program = "\
Actor subclass: A [ go [ self dispose ] ]
| a |
a := A spawn.
a tell go. a tell go. a tell go.
";
    let sandbox = sandbox(program);
    let found = json(explored(&sandbox, &[]).exits(0));
    assert_eq!(found["lossyTransitions"], 1);
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    sandbox
        .tally(&["run", "p.st"])
        .exits(0)
        .says("2 messages went to actors");
    let ran = sandbox.tally(&["explore", "p.st", "--dead-letters", "fail"]);
    ran.exits(1).says("was disposed");
}

#[test]
fn outputs_are_checked_before_anything_runs() {
    let sandbox = sandbox(&modulo(4));
    for (files, code) in [
        (&["-o", "p.st"][..], 2),
        (&["-o", "x.png"], 2),
        (&["-o", "nowhere/x.json"], 74),
        (&["-o", "x.json", "-o", "x.json"], 2),
        (&["-o", "x.json", "--format", "json"], 2),
        (&["--computation", "3"], 2),
        (&["--computation", "0"], 2),
        (&["-j", "0"], 2),
        (&["--max-states", "0"], 2),
    ] {
        let ran = sandbox.tally(&[&["explore", "p.st"], files].concat());
        ran.exits(code);
    }
    assert_eq!(sandbox.read("p.st"), modulo(4));
    // A file that cannot be made does not keep the others from being written.
    let ran = sandbox.tally(&[
        "explore",
        "p.st",
        "--max-computations",
        "1",
        "-o",
        "x.tdd.svg",
        "-o",
        "y.json",
    ]);
    ran.exits(6)
        .says("x.tdd.svg: computations were not counted");
    assert!(sandbox.read("y.json").contains("tally.exploration/1"));
    let ran = sandbox.tally(&["explore", "p.st", "--max-states", "3", "-o", "z.json"]);
    ran.exits(6);
    assert!(sandbox.read("z.json").contains("notLookedFor"));
}

/// Ctrl-C ends an exploration with what is known, and an endless script or turn at once.
#[cfg(unix)]
#[test]
fn interrupts() {
    let many = "\
Actor subclass: Counter [ | n | up [ n := (n ifNil: [0]) + 1 ] ]
| all |
all := (1 to: 14) collect: [:i | Counter spawn].
all do: [:each | 1 to: 3 do: [:i | each tell up]].
";
    let endless = "Actor subclass: A [ go [ [true] whileTrue ] ] A spawn tell go.";
    let script = "Actor subclass: A [ go [ ] ] A spawn tell go. [true] whileTrue.";
    let computations = "\
Actor subclass: Adder [ | sum | add: n [ sum := (sum ifNil: [0]) + n ] ]
Actor subclass: Sender [ send: n to: adder [ adder tell add: n ] ]
| adder |
adder := Adder spawn.
1 to: 10 do: [:n | Sender spawn tell send: (2 raisedTo: n) to: adder].
";
    // The last one has few states, which are usually known before the signal, and ten million beginnings of computations.
    for (program, partial, milliseconds) in [
        (many, Some(true), 1_500),
        (endless, Some(false), 1_500),
        (script, Some(false), 1_500),
        (computations, None, 4_000),
    ] {
        let sandbox = sandbox(program);
        let child = Command::new(env!("CARGO_BIN_EXE_tally"))
            .args([
                "explore",
                "p.st",
                "--max-states",
                "400000000",
                "--max-ticks-per-turn",
                "100000000000000",
                "--max-computations",
                "100000000000000",
            ])
            .current_dir(sandbox.path(""))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        let id = nix::unistd::Pid::from_raw(child.id() as i32);
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_interrupted = output.status.code() == Some(130)
            || std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(2);
        assert!(is_interrupted, "{:?}: {text}", output.status);
        let is_partial = text.contains("interrupt");
        assert!(
            partial.is_none_or(|partial| partial == is_partial),
            "{text}"
        );
    }
}

/// A file that cannot be written is said, also if the program fails.
#[cfg(target_os = "linux")]
#[test]
fn full_disks() {
    let program = "Actor subclass: A [ go [ self error: 'no' ] ] A spawn tell go.";
    for file in ["x.schedule", "x.json", "x.svg"] {
        let sandbox = sandbox(program);
        std::os::unix::fs::symlink("/dev/full", sandbox.path(file)).unwrap();
        let ran = sandbox.tally(&["explore", "p.st", "-o", file]);
        ran.exits(74).says(file);
    }
}

/// In an empty folder, and with files that are not there.
#[test]
fn nothing_to_explore() {
    let sandbox = Sandbox::new("exploring");
    sandbox.tally(&["explore"]).exits(2);
    sandbox.tally(&["explore", "p.st"]).exits(74);
    let program = modulo(4);
    let ran = sandbox.tally(&["explore", "-e", &program]);
    ran.exits(0).mentions("14 states and 16 transitions");
    sandbox.write("a.st", modulo(4));
    sandbox.write("b.st", "Root spawn tell read: 1 to: 4.");
    let ran = sandbox.tally(&["explore", "a.st", "b.st"]);
    ran.exits(2).says("earlier script");
}
