//! `tally verify` with the real binary: programs that are planted to depend on something, each of which has to be named, and
//! programs that depend on nothing.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use serde_json::Value;
use support::Sandbox;

/// A set of objects that have no hash of their own is walked in the order of their identity hashes.
const HASH: &str = "Object subclass: Node [
    | name |
    name [ ^name ]
    name: aString [ name := aString ]
]
Object subclass: Graph [
    | nodes |
    nodes [ nodes isNil ifTrue: [ nodes := Set new ]. ^nodes ]
    add: aName [ self nodes add: (Node new name: aName) ]
    find: aName [ ^self nodes detect: [ :each | each name = aName ] ]
]
| graph |
graph := Graph new.
1 to: 20 do: [ :i | graph add: i printString ].
(graph find: '7') name.
";

const SEED: &str = "Object subclass: Dice [
    throw [ ^Random new between: 1 and: 1000000 ]
    sum [ | n | n := 0. self throw timesRepeat: [ n := n + 1 yourself ]. ^n ]
]
Dice new sum.
";

const CLOCK: &str = "Object subclass: Watch [
    seconds [ ^Time millisecondClock // 1000 ]
    isLate [ ^self seconds > 10 ]
    ring [ ^'ring' reversed ]
]
Watch new isLate ifTrue: [ Watch new ring ].
";

/// A table that takes where an object lies for its hash.
const ADDRESS: &str = "Object subclass: Box [
    place [ <primitive: objectAddress> ^0 ]
]
Object subclass: Table [
    | box place moved |
    put: aBox [ box := aBox. place := aBox place. moved := 0 ]
    check [ box place = place ifFalse: [ self rehash ] ]
    rehash [ place := box place. moved := moved + 1 ]
]
| table |
table := Table new.
table put: Box new.
1 to: 3000 do: [ :i | (Array new: 10) at: 1 put: i. table check ].
";

fn verified(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Value {
    let mut all = vec!["verify", "--format", "json"];
    all.extend(arguments);
    let ran = sandbox.tally(&all);
    ran.exits(code);
    serde_json::from_str(ran.output()).expect("a JSON document")
}

/// The modes of the first run that differ.
fn differing(report: &Value) -> Vec<&Value> {
    modes_that_differ(&report["runs"][0])
}

fn modes_that_differ(run: &Value) -> Vec<&Value> {
    let modes = run["modes"].as_array().expect("modes");
    modes
        .iter()
        .filter(|mode| mode["isEqual"] == false)
        .collect()
}

fn planted(name: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("planted.st", text);
    sandbox
}

#[track_caller]
fn is_found(text: &str, meaning: &str, on: &str, own_method: &str, first_in: [&str; 2]) {
    let sandbox = planted(meaning, text);
    let report = verified(&sandbox, &["planted.st"], 0);
    assert_eq!(report["schema"], "tally.verify/1");
    assert_eq!(report["failures"], 0, "{report}");
    assert_eq!(report["findings"], 1, "{report}");
    let found = differing(&report);
    assert!(!found.is_empty());
    for mode in found {
        assert_eq!(mode["meaning"], meaning);
        let first = &mode["first"];
        assert_eq!(first["dependsOn"]["on"], on);
        assert_eq!(first["dependsOn"]["ownMethod"], own_method);
        for (side, method) in ["usual", "other"].into_iter().zip(first_in) {
            let stack = first[side]["stack"].as_array();
            let methods: Vec<&str> = stack
                .into_iter()
                .flatten()
                .filter_map(|frame| frame["method"].as_str())
                .collect();
            match method {
                "" => assert!(methods.is_empty(), "{methods:?}"),
                method => assert!(methods.contains(&method), "{methods:?}"),
            }
        }
    }
    let denied = ["verify", "planted.st", "--deny", "findings"];
    sandbox
        .tally(&denied)
        .exits(7)
        .mentions(meaning)
        .mentions(own_method);
}

#[test]
fn dependence_on_identity_hashes_is_found_and_its_cause_is_named() {
    let both = ["Graph>>find:", "Graph>>find:"];
    is_found(
        HASH,
        "hash-sensitive",
        "the identity hash",
        "Graph>>add:",
        both,
    );
}

#[test]
fn keys_with_equal_hashes_are_reported() {
    let program = |hash: &str| {
        format!(
            "Object subclass: Pair [ | a b | a [ ^a ] b [ ^b ] a: x b: y [ a := x. b := y ]
                = other [ ^other class == Pair and: [a = other a and: [b = other b]] ]
                hash [ ^{hash} ] ]
            | s | s := Set new.
            1 to: 30 do: [:i | 1 to: 30 do: [:j | s add: (Pair new a: i b: j; yourself)]]"
        )
    };
    let sandbox = planted("equal", &program("a"));
    let report = verified(&sandbox, &["planted.st"], 0);
    assert_eq!(report["findings"], 1);
    let found = &report["runs"][0]["equalHashes"];
    assert_eq!(found["class"], "Pair");
    // Each of the first coordinates has thirty pairs; the last growth comes at 512.
    assert_eq!(found["keys"], 30);
    assert_eq!(found["of"], 512);
    let denied = ["verify", "planted.st", "--deny", "findings"];
    sandbox.tally(&denied).exits(7).mentions("Pair>>hash");
    let sandbox = planted("mixed", &program("a hash mixHash: b hash"));
    let report = verified(&sandbox, &["planted.st"], 0);
    assert_eq!(report["findings"], 0, "{report}");
}

#[test]
fn dependence_on_the_seed_is_found_and_its_cause_is_named() {
    let sandbox = planted("seed", SEED);
    let report = verified(&sandbox, &["planted.st"], 0);
    let found = differing(&report);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["meaning"], "seed-sensitive");
    let cause = &found[0]["first"]["dependsOn"];
    assert_eq!(cause["on"], "the seed of a new Random");
    assert_eq!(cause["ownMethod"], "Dice>>throw");
    assert_eq!(cause["method"], "Random class>>new");
}

#[test]
fn dependence_on_the_clock_is_found_and_its_cause_is_named() {
    let main = ["", "planted.st"];
    is_found(
        CLOCK,
        "clock-sensitive",
        "the clock",
        "Watch>>seconds",
        main,
    );
    // The option for virtual time already says what the clock is.
    let sandbox = planted("virtual", CLOCK);
    let report = verified(&sandbox, &["planted.st", "--virtual-clock"], 0);
    assert_eq!(report["findings"], 0);
}

#[test]
fn dependence_on_addresses_is_a_failure_with_both_stacks() {
    let sandbox = planted("address", ADDRESS);
    let report = verified(&sandbox, &["planted.st", "--tell-addresses"], 7);
    let found = differing(&report);
    let names: Vec<&str> = found
        .iter()
        .filter_map(|mode| mode["mode"].as_str())
        .collect();
    assert_eq!(names, ["small heap", "gc stress"]);
    for mode in found {
        assert_eq!(mode["meaning"], "failure");
        let first = &mode["first"];
        assert_eq!(first["usual"]["number"], first["other"]["number"]);
        assert_eq!(first["dependsOn"]["on"], "the address");
        assert_eq!(first["dependsOn"]["about"], "Box");
        assert_eq!(first["dependsOn"]["ownMethod"], "Table>>check");
        assert_eq!(first["usual"]["selector"], "new:");
        assert_eq!(first["other"]["selector"], "rehash");
        let top = &first["other"]["stack"][0];
        assert_eq!(top["method"], "Table>>check");
        assert_eq!(
            (&top["file"], &top["line"]),
            (&"planted.st".into(), &7.into())
        );
        assert_eq!(first["other"]["stack"][1]["method"], "planted.st");
        assert_eq!(first["usual"]["stack"][0]["line"], 13);
    }
    let arguments = [
        "verify",
        "planted.st",
        "--tell-addresses",
        "--mode",
        "gc-stress",
    ];
    sandbox
        .tally(&arguments)
        .exits(7)
        .mentions(
            "the first send that differs, usual: number 14, #new: to an instance of Array class",
        )
        .mentions(
            "the first send that differs, gc stress: number 14, #rehash to an instance of Table",
        )
        .mentions("Table>>check (planted.st:7:47)")
        .mentions("1 run differs but must not, 0 findings");
}

#[test]
fn nobody_can_ask_for_addresses_otherwise() {
    let sandbox = planted("no-address", ADDRESS);
    let report = verified(&sandbox, &["planted.st"], 0);
    assert_eq!(report["failures"], 0);
    sandbox.write("ask.st", "Object subclass: A [ where [ <primitive: objectAddress> ^'nowhere' ] ]\nA new where displayNl.");
    for arguments in [&["run", "ask.st"][..], &["run", "--reference", "ask.st"]] {
        sandbox.tally(arguments).exits(0).prints("nowhere\n");
    }
    sandbox
        .tally(&["run", "--tell-addresses", "ask.st"])
        .exits(2);
}

#[test]
fn what_depends_on_nothing_is_the_same_in_all_modes() {
    let sandbox = planted("plain", "3 + 4.");
    sandbox
        .tally(&["verify", "planted.st"])
        .exits(0)
        .prints("the script  1 send, finished: the same in 14 runs\n")
        .is_silent();
    sandbox
        .tally(&[
            "verify",
            "-e",
            "(1 to: 10) inject: 0 into: [ :a :b | a + b ]",
        ])
        .exits(0)
        .mentions("the same in 14 runs");
}

#[test]
fn each_test_is_verified_by_itself() {
    let sandbox = Sandbox::new("tests");
    let tests = "TestCase subclass: OneTest [
    testSame [ self assert: 3 + 4 equals: 7 ]
    testOrder [
        | set first |
        set := Set new.
        first := set add: Object new.
        1 to: 8 do: [ :i | set add: Object new ].
        self assert: (set detect: [ :each | each == first ]) equals: first ]
]
";
    sandbox.write("t.st", tests);
    let report = verified(&sandbox, &["--tests", "t.st"], 0);
    let names: Vec<&str> = (0..2)
        .filter_map(|at| report["runs"][at]["name"].as_str())
        .collect();
    assert_eq!(names, ["OneTest>>testSame", "OneTest>>testOrder"]);
    assert_eq!(
        (&report["failures"], &report["findings"]),
        (&0.into(), &1.into())
    );
    let found = modes_that_differ(&report["runs"][1]);
    assert_eq!(
        found[0]["first"]["dependsOn"]["ownMethod"],
        "OneTest>>testOrder"
    );
    let filtered = verified(&sandbox, &["--tests", "t.st", "-k", "Same"], 0);
    assert_eq!(filtered["runs"].as_array().map(Vec::len), Some(1));
    sandbox
        .tally(&["verify", "--tests", "t.st", "-k", "nothing"])
        .exits(4);
    sandbox.write(
        "bad.st",
        "TestCase subclass: BadTest [ testBad [ self assert: false ] ]",
    );
    sandbox
        .tally(&["verify", "--tests", "bad.st", "--mode", "reference"])
        .exits(1)
        .mentions("FAILED")
        .mentions("the same in 2 runs");
}

#[test]
fn a_failing_program_fails_in_the_same_way_and_says_how() {
    let sandbox = planted("failing", "3 foo.");
    sandbox
        .tally(&["verify", "planted.st"])
        .exits(1)
        .says("do not understand #foo")
        .mentions("failed by an unhandled error: the same in 14 runs");
    let endless = [
        "verify",
        "-e",
        "[ true ] whileTrue: [ 3 foo: 4; yourself ]",
        "--max-sends",
        "1000",
    ];
    sandbox.tally(&endless).exits(1);
    let endless = [
        "verify",
        "-e",
        "[ true ] whileTrue: [ 3 yourself ]",
        "--max-sends",
        "1000",
    ];
    sandbox
        .tally(&endless)
        .exits(6)
        .mentions("(--max-sends): the same in 14 runs");
}

#[test]
fn every_run_reads_the_same_input() {
    let echo = "[ stdin nextLine notNil ] whileTrue: [ 3 yourself ].";
    let sandbox = planted("input", echo);
    // Four lines requested and tested for nil, three answered by another send.
    let ran = sandbox.tally_reading("one\ntwo\r\nthree", &["verify", "planted.st"]);
    ran.exits(0).mentions("the same in 14 runs");
    let rest = planted("rest", "stdin upToEnd lines do: [ :line | line size ].");
    let ran = rest.tally_reading("one\ntwo\r\nthree", &["verify", "planted.st"]);
    ran.exits(0).mentions("the same in 14 runs");
}

#[test]
fn what_cannot_be_verified_is_refused() {
    let sandbox = planted("refused", "3 + 4.");
    sandbox.tally(&["verify"]).exits(2);
    sandbox
        .tally(&["verify", "planted.st", "--allow-write"])
        .exits(2)
        .says("may not write files");
    sandbox
        .tally(&["verify", "planted.st", "--mode", "fast"])
        .exits(2);
    sandbox.tally(&["verify", "missing.st"]).exits(74);
    sandbox.write("broken.st", "3 + ");
    sandbox.tally(&["verify", "broken.st"]).exits(8);
    sandbox.tally(&["verify", "A.som"]).exits(2);
    let hungry =
        "| all | all := OrderedCollection new. [ true ] whileTrue: [ all add: (Array new: 1000) ]";
    sandbox
        .tally(&["verify", "-e", hungry, "--max-memory", "30M"])
        .exits(6)
        .says("depends on the collector");
}

/// Each example, in the modes that differ most from the usual one and take little time.
#[test]
fn examples_depend_on_nothing_but_what_they_are_given() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let sandbox = Sandbox::new("examples");
    let mut verified_ones = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if !path.with_extension("expected").is_file() || path.extension().is_none_or(|e| e != "st")
        {
            continue;
        }
        let path = path.to_string_lossy();
        let modes = [
            "--mode",
            "reference",
            "--mode",
            "small-heap",
            "--mode",
            "hashes",
            "--mode",
            "seed",
        ];
        let mut arguments = vec!["verify", &*path, "--allow-read", "--deny", "findings"];
        arguments.extend(modes);
        sandbox
            .tally(&arguments)
            .exits(0)
            .mentions("the same in 6 runs");
        verified_ones += 1;
    }
    assert!(verified_ones > 8, "{verified_ones}");
}
