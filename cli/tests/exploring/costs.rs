//! Costs: the check numbers of document 002, machines, variations, processors, two programs.

use crate::{explored, json, modulo, sandbox};

const PRIMES: &str = "\
[machine.primes]
send = { sending = 3, receiving = 2 }
new = { sending = 5, receiving = 7 }
replace = 11
dispose = 13
latency = 100
";

#[test]
fn the_check_numbers_of_the_paper() {
    let sandbox = sandbox(&modulo(4));
    sandbox.write("tally.toml", PRIMES);
    let unit = json(explored(&sandbox, &["--machine", "unit", "--local", "0"]).exits(0));
    assert_eq!(unit["costs"]["bounds"]["least"]["cost"], 26);
    assert_eq!(unit["costs"]["bounds"]["largest"]["cost"], 26);
    assert_eq!(unit["costs"]["bounds"]["largest"]["depth"], 26);
    let primes = json(explored(&sandbox, &["--machine", "primes"]).exits(0));
    assert_eq!(primes["costs"]["machine"]["send.sending"], 3);
    assert_eq!(primes["costs"]["bounds"]["largest"]["cost"], 332);
    assert_eq!(primes["costs"]["bounds"]["largest"]["depth"], 684);
    let work = "7·or(send) + 6·os(send) + 3·os(new) + 3·or(new) + 3·o(beh) + 4·o(dispose) + 179";
    assert_eq!(primes["costs"]["costForms"][0], work);
    let depth =
        "6·or(send) + 5·os(send) + 3·os(new) + 2·or(new) + 3·o(beh) + 3·o(dispose) + 4·L + 156";
    assert_eq!(primes["costs"]["depthForms"][0], depth);
}

/// Range 1..2^k at unit costs: Work 8·2^k − 6, Depth 26 + 14(k − 2).
#[test]
fn closed_forms_of_the_paper() {
    for (k, to) in [(1, 2), (2, 4), (3, 8)] {
        let sandbox = sandbox(&modulo(to));
        let found = json(explored(&sandbox, &["--machine", "unit", "--local", "0"]).exits(0));
        let largest = &found["costs"]["bounds"]["largest"];
        assert_eq!(largest["cost"], 8 * to - 6);
        assert_eq!(largest["depth"], 26 + 14 * k - 28, "{to}");
    }
}

#[test]
fn costs_of_options() {
    let sandbox = sandbox(&modulo(4));
    let set = [
        "--local",
        "0",
        "--set",
        "latency=5",
        "--set",
        "new.sending=1",
    ];
    let found = json(explored(&sandbox, &set).exits(0));
    assert_eq!(found["costs"]["bounds"]["largest"]["depth"], 4 * 5 + 3);
    let ran = sandbox.tally(&[
        "explore",
        "p.st",
        "--vary",
        "latency=0..10",
        "--processors",
        "2",
    ]);
    ran.exits(0);
    ran.mentions("Depth by latency")
        .mentions("156 + 4 · latency");
    ran.mentions("Time on processors");
    for (option, value) in [
        ("--set", "speed=3"),
        ("--set", "latency=-1"),
        ("--set", "latency=1.5"),
        ("--set", "latency=99999999999999999999"),
        ("--set", "departure=zork"),
        ("--vary", "latency=5..3"),
        ("--vary", "gap=0..3"),
        ("--local", "99999999999999"),
        ("--machine", "nobodys"),
        ("--processors", "0"),
    ] {
        explored(&sandbox, &[option, value]).exits(2);
    }
}

#[test]
fn machines_of_the_settings_are_checked() {
    let sandbox = sandbox(&modulo(4));
    for (settings, told) in [
        ("[machine.x]\nlatency = -1\n", "latency"),
        ("[machine.x]\nlatency = 1.5\n", "latency"),
        ("[machine.x]\nspeed = 3\n", "speed"),
        ("[machine.x]\nsend = 3\n", "sending"),
        ("[machine.x]\nsend = { to = 3 }\n", "to"),
        ("[machine.x]\ndeparture = \"late\"\n", "departure"),
        ("[machine.x]\nlatency = 9000000000000000\n", "too large"),
        ("[machine.unit]\nlatency = 2\n", "always there"),
    ] {
        sandbox.write("tally.toml", settings);
        explored(&sandbox, &["--machine", "x"]).exits(2).says(told);
    }
}

/// Two programs beside each other: what the paper made its costs for.
#[test]
fn two_programs_are_compared() {
    let sandbox = sandbox(&modulo(4));
    sandbox.write("q.st", modulo(8));
    let ran = sandbox.tally(&[
        "explore",
        "p.st",
        "--with",
        "q.st",
        "--machine",
        "unit",
        "--local",
        "0",
    ]);
    ran.exits(0);
    for row in [
        "states 14 175",
        "computations 2 8",
        "Work 26 58",
        "Depth 26 40",
    ] {
        let lines = ran.output().lines();
        let mut lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(lines.any(|line| line == row), "{row}: {ran}");
    }
}
