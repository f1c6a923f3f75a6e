//! What programs execute silently is in no count, so every command that counts reports it.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use serde_json::Value;
use support::Sandbox;

/// A wrapper that sends much and a program that is none the wiser.
const WRAPPED: &str = "\
Object subclass: Work [ done [ ^42 printString ] ]
MethodWrapper subclass: Busy [
    run: selector with: arguments in: receiver [
        1 to: 1000 do: [:i | i printString].
        ^self valueWithReceiver: receiver arguments: arguments ] ]
";

fn sandbox(name: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("a.st", text);
    sandbox
}

fn script(name: &str, statements: &str) -> Sandbox {
    sandbox(name, &format!("{WRAPPED}{statements}\n"))
}

/// Tests that pass, each with these statements.
fn tests(name: &str, statements: &str) -> Sandbox {
    let text = format!(
        "{WRAPPED}TestCase subclass: ATest [ testA [ {statements}. self assert: true ] ]\n"
    );
    sandbox(name, &text)
}

const INSTALLED: &str = "(Busy on: #done in: Work) installDuring: [Work new done]";
const PRIVATE: &str = "Error new silently: [1 to: 1000 do: [:i | i printString]]";
const COUNTED: &str =
    "[3 + 4] countedEvaluation. [3 + 4] profile. ([:x | x] countedEvaluationWith: [3])";

#[test]
fn a_test_with_silent_sends_says_so() {
    for (name, statements) in [("wrapper", INSTALLED), ("private", PRIVATE)] {
        let sandbox = tests(&format!("silent-test-{name}"), statements);
        let ran = sandbox.tally(&["test", "a.st"]);
        ran.exits(0)
            .mentions("    note: ")
            .mentions(" silent sends are in no count");
    }
}

#[test]
fn the_librarys_own_silence_is_of_no_interest() {
    let sandbox = tests("silent-library", COUNTED);
    let ran = sandbox.tally(&["test", "a.st"]);
    ran.exits(0);
    assert!(!ran.output().contains("silent"), "{}", ran.output());
    let sandbox = script("silent-library-script", &format!("{COUNTED}."));
    let ran = sandbox.tally(&["run", "--counts", "--format", "json", "a.st"]);
    ran.exits(0);
    let counts: Value = serde_json::from_str(ran.error()).expect("a JSON document");
    assert_eq!(counts.get("overhead"), None);
}

#[test]
fn silent_sends_are_a_number_of_their_own() {
    for (name, statements) in [("wrapper", INSTALLED), ("private", PRIVATE)] {
        let sandbox = script(&format!("silent-run-{name}"), &format!("{statements}."));
        let ran = sandbox.tally(&["run", "--counts", "--format", "json", "a.st"]);
        ran.exits(0);
        let counts: Value = serde_json::from_str(ran.error()).expect("a JSON document");
        assert!(counts["overhead"].as_u64() >= Some(1000), "{counts}");
        assert!(counts["sends"].as_u64() < Some(1000), "{counts}");
        let ran = sandbox.tally(&["run", "--counts", "a.st"]);
        ran.exits(0).says("overhead");
    }
}

#[test]
fn a_verified_run_with_silent_sends_says_so() {
    let sandbox = script("silent-verify", &format!("{INSTALLED}."));
    let modes = ["verify", "--mode", "reference", "a.st"];
    sandbox
        .tally(&modes)
        .exits(0)
        .mentions(" silent sends are in no count");
    let sandbox = script("loud-verify", "Work new done.");
    let ran = sandbox.tally(&modes);
    ran.exits(0);
    assert!(!ran.output().contains("silent"), "{}", ran.output());
}

#[test]
fn a_hostile_test_ends_alone() {
    let text = "TestCase subclass: ATest [ | x y z |
        testA [ self assert: true ]
        testGo [ | r t | r := z. [:k | k = 77 ifTrue: [ ^1 ] ] value: 1.
            (Smalltalk includesKey: #D) ifTrue: [ ^r ].
            Smalltalk at: #D put: 1.
            t := [ Error signal ] on: Error do: [:e | e instVarAt: 3 ].
            Error new restart: 1000000 at: t - (2 bitShift: 24) - 2 ]
        testZ [ self assert: true ] ]
    ";
    sandbox("hostile-test", text)
        .tally(&["test", "a.st"])
        .exits(1)
        .mentions("Instances of FrameToken do not understand #-")
        .mentions("3 tests: 2 passed, 0 failed, 0 failed by counts, 1 in error, 0 skipped");
}

/// A wrapper that does this before the method that it wraps, which does that.
fn wrapping(before: &str, inside: &str) -> String {
    format!(
        "Object subclass: Work [ done [ {inside} ] ]
MethodWrapper subclass: Busy [
    | a b |
    numbers [ a := (1 bitShift: 67000000) - 1. b := (1 bitShift: 66999999) + 1 ]
    run: selector with: arguments in: receiver [
        {before}.
        ^self valueWithReceiver: receiver arguments: arguments ] ]
(Busy on: #done in: Work) numbers; install.
Work new done. Work new done. Work new done.
'done' displayNl.
"
    )
}

const ALLOWANCE: &str = "silent code took more than its allowance of sends or work";

#[test]
fn silent_code_has_an_allowance() {
    let again = "[true] whileTrue: [1 to: 5000 do: [:i | i yourself]. self valueWithReceiver: receiver arguments: arguments]";
    let scan = "[true] whileTrue: [b hash. a = b. a + b]";
    for (name, before, inside) in [
        ("sends", "[true] whileTrue: [3 yourself]", "^1"),
        ("divisor", "a gcd: b", "^1"),
        ("much-work", scan, "^1"),
        ("interrupted", again, "^1"),
    ] {
        let program = wrapping(before, inside);
        let sandbox = sandbox(&format!("silent-{name}"), &program);
        let ran = sandbox.tally(&["run", "a.st"]);
        ran.exits(6).says(ALLOWANCE);
        assert_eq!(ran.output(), "", "{name}");
    }
}

#[test]
fn the_allowance_is_that_of_an_activation_and_of_silent_code_alone() {
    for (name, before, inside) in [
        (
            "each",
            "1 to: 1000000 do: [:i | i yourself. i yourself]",
            "^1",
        ),
        (
            "counted",
            "3 yourself",
            "1 to: 6000000 do: [:i | i yourself]",
        ),
    ] {
        let program = wrapping(before, inside);
        let sandbox = sandbox(&format!("silent-{name}"), &program);
        let ran = sandbox.tally(&["run", "a.st"]);
        ran.exits(0);
        assert_eq!(ran.output(), "done\n", "{name}");
    }
}

#[test]
fn limits_of_a_run_bound_each_silent_activation() {
    let sends = wrapping("1 to: 20000 do: [:i | i yourself]", "^1");
    let work = wrapping("3 raisedTo: 40000000", "^1");
    for (name, program, option) in [
        ("sends", sends, "--max-sends"),
        ("work", work, "--max-work"),
    ] {
        let sandbox = sandbox(&format!("silent-limit-{name}"), &program);
        let limit = if name == "work" {
            "5000000000"
        } else {
            "30000"
        };
        let ran = sandbox.tally(&["run", option, limit, "a.st"]);
        ran.exits(6).says(option);
        let ran = sandbox.tally(&["run", option, "99999999999999", "a.st"]);
        match name {
            "work" => ran.exits(6).says(ALLOWANCE),
            _ => ran.exits(0),
        };
    }
}
