//! Schedules: a run, and a profile, follow them to the same end.

use crate::{explored, json, modulo, results, sandbox};

#[test]
fn a_failing_schedule_is_followed() {
    let sandbox = sandbox(&modulo(6));
    sandbox
        .tally(&["explore", "p.st", "-o", "f.schedule"])
        .exits(1);
    for command in ["run", "profile"] {
        let ran = sandbox.tally(&[command, "p.st", "--schedule", "f.schedule"]);
        ran.exits(1)
            .says("ZeroDivide")
            .says("a1 was processing #join:");
    }
}

/// Each computation has a schedule that leads a run to its result.
#[test]
fn each_result_is_reached() {
    let sandbox = sandbox(&modulo(8));
    let all = json(explored(&sandbox, &[]).exits(0));
    let mut seen = Vec::new();
    for number in 1..=all["computations"].as_u64().unwrap() {
        let number = number.to_string();
        let options = ["-o", "c.schedule", "--computation", &number];
        sandbox
            .tally(&[&["explore", "p.st"], &options[..]].concat())
            .exits(0);
        let ran = sandbox.tally(&["run", "p.st", "--schedule", "c.schedule"]);
        ran.exits(0);
        seen.push(ran.output().trim().to_string());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen, results(&all));
}

/// Random orders are among those of the same delivery.
#[test]
fn random_runs_are_explored() {
    let program = "\
Actor subclass: Keeper [ | seen | keep: n [ seen := (seen ifNil: ['']) , n printString. seen size = 4 ifTrue: [self output: seen] ] ]
Actor subclass: Sender [ send: n to: keeper [ keeper tell keep: n. keeper tell keep: n + 1 ] ]
| k |
k := Keeper spawn.
Sender spawn tell send: 1 to: k.
Sender spawn tell send: 3 to: k.
";
    let sandbox = sandbox(program);
    for (delivery, count) in [("any", 24), ("fifo", 6), ("causal", 6)] {
        let found = json(explored(&sandbox, &["--delivery", delivery]).exits(0));
        let all = results(&found);
        assert_eq!(all.len(), count, "{delivery}");
        let mut seen = Vec::new();
        for seed in 0..20 {
            let seed = seed.to_string();
            let ran = sandbox.tally(&["run", "p.st", "--delivery", delivery, "--seed", &seed]);
            let result = ran.exits(0).output().trim().to_string();
            assert!(all.contains(&result), "{delivery}, {seed}: {result}");
            seen.push(result);
        }
        seen.dedup();
        assert!(seen.len() > 3, "{delivery}: {seen:?}");
    }
}

#[test]
fn odd_schedules() {
    let sandbox = sandbox(&modulo(4));
    sandbox
        .tally(&["explore", "p.st", "-o", "s.schedule"])
        .exits(0);
    let text = sandbox.read("s.schedule");
    for (from, to, code, told) in [
        ("tally.schedule/1", "tally.schedule/9", 2, "schema"),
        ("\"fifo\"", "\"zork\"", 2, "delivery"),
        ("\"model\": 2", "\"model\": 1", 5, "model"),
        ("\"a12\"", "\"a99\"", 5, "not pending"),
        ("{", "", 2, "no schedule"),
        ("\"choices\"", "\"choice\"", 2, "choice"),
    ] {
        sandbox.write("t.schedule", text.replacen(from, to, 1));
        let ran = sandbox.tally(&["run", "p.st", "--schedule", "t.schedule"]);
        ran.exits(code).says(told);
    }
    sandbox.write("t.schedule", "");
    sandbox
        .tally(&["run", "p.st", "--schedule", "t.schedule"])
        .exits(2);
    sandbox
        .tally(&["run", "p.st", "--schedule", "nowhere.schedule"])
        .exits(74);
    sandbox
        .tally(&[
            "run",
            "p.st",
            "--schedule",
            "s.schedule",
            "--delivery",
            "any",
        ])
        .exits(2);
    // Another program: a warning, then what its messages allow.
    sandbox.write("q.st", modulo(6));
    let ran = sandbox.tally(&["run", "q.st", "--schedule", "s.schedule"]);
    ran.says("other source texts");
}

/// Rules of the user leave orders out.
#[test]
fn policies() {
    let program = "\
Actor subclass: Shop [
    | paid |
    paid: amount [ paid := amount ]
    order: price [ paid isNil ifTrue: [self error: 'not paid']. self output: price ]
]
Actor subclass: Sender [ pay: shop [ shop tell paid: 3 ] order: shop [ shop tell order: 3 ] ]
| shop |
shop := Shop spawn.
Sender spawn tell pay: shop.
Sender spawn tell order: shop.
";
    let sandbox = sandbox(program);
    explored(&sandbox, &[]).exits(1);
    // The payment may not have been sent when the order arrives.
    explored(&sandbox, &["--policy", "paid: * < order: *"]).exits(1);
    let rules = [
        "--policy",
        "paid: * < order: *",
        "--policy",
        "pay: * < a3 ← order: *",
    ];
    let found = json(explored(&sandbox, &rules).exits(0));
    assert_eq!(results(&found), ["3"]);
    assert_eq!(found["policy"].as_array().unwrap().len(), 2);
    assert_eq!(found["computations"], 1);
    for delivery in ["any", "causal"] {
        let found =
            json(explored(&sandbox, &[&rules[..], &["--delivery", delivery]].concat()).exits(0));
        assert_eq!(results(&found), ["3"], "{delivery}");
    }
    for rule in ["paid", "<", "paid: * <"] {
        explored(&sandbox, &["--policy", rule]).exits(2);
    }
}
