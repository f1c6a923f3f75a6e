//! Rules of `--if` that are estimates, delays, and locks that are taken together: closed forms, worked out by hand.

use std::fs;

use crate::assumptions::row;
use crate::folder;
use crate::forms::Program;
use crate::support::Sandbox;

const CLASSES: &str = "Object subclass: Worker [ | isReady |
    initialize [ isReady := false ]
    isReady [ ^isReady ]
    ready [ isReady := true ]
    work: k [ k timesRepeat: [] ]
    take: k [ k timesRepeat: []. ^k ]
]
Object subclass: Client [
    query: aWorker [ <separate> ^aWorker take: 10 ]
    hold: aWorker [ <separate> 20 timesRepeat: []. aWorker work: 1. 30 timesRepeat: [] ]
    post: aWorker [ self send: aWorker. 5 timesRepeat: [] ]
    send: aWorker [ <separate> aWorker work: 10 ]
    wait: aWorker [ self need: aWorker. 100 timesRepeat: [] ]
    need: aWorker [ <separate> self require: [ aWorker isReady ]. aWorker work: 1 ]
    prepare: aWorker [ 50 timesRepeat: []. self make: aWorker ]
    make: aWorker [ <separate> aWorker ready ]
    post: k to: aWorker [ aWorker work: k ]
    late: aWorker [ <separate> self require: [ aWorker isReady ]. 100 timesRepeat: []. aWorker work: 1 ]
    rest [ (Delay forMilliseconds: 10) wait ]
]";

/// Three clients of a worker.
fn clients(go: &str) -> Program {
    let mut program = Program::new(CLASSES);
    program.make("w", "Worker");
    for name in ["a", "b", "c"] {
        program.make(name, "Client");
    }
    program.go = go.to_string();
    program
}

/// Checks label and makespans, before and after, of each rule.
fn check(program: &Program, rules: &[(&str, &str)]) {
    let mut all = vec!["--format", "csv"];
    for (rule, _) in rules {
        all.extend(["--if", rule]);
    }
    let ran = program.run(&all);
    ran.exits(0);
    for (rule, expected) in rules {
        assert_eq!(row(&ran, rule)[..3].join(","), *expected, "{rule}\n{ran}");
    }
}

/// The scopes begin at 1, 2 and 3, and a query takes a tick and 10. One after the other they end at 12, 23 and 34. With two servers
/// the third scope begins with the end of the first.
#[test]
fn several_servers() {
    let rules = [
        ("servers Worker 1", "estimate,34,34"),
        ("servers Worker 2", "estimate,34,23"),
        ("servers Worker 3", "estimate,34,14"),
        ("servers Client 3", "estimate,34,34"),
    ];
    check(&clients("a query: w. b query: w. c query: w"), &rules);
}

/// The first two requests are served at once, and the last two by the servers that are free first: the one with 1 tick before the one
/// with 300. One server alone takes the time of the run, also with costs.
#[test]
fn the_first_server_that_is_free_serves() {
    let mut program =
        clients("a post: 300 to: w. b post: 1 to: w. c post: 1 to: w. d post: 300 to: w");
    program.make("d", "Client");
    let rules = [
        ("servers Worker 1", "estimate,604,604"),
        ("servers Worker 2", "estimate,604,305"),
        ("servers Worker 3", "estimate,604,305"),
        ("servers Worker 4", "estimate,604,305"),
    ];
    check(&program, &rules);
    for costs in ["latency=100", "unlock=50", "threads"] {
        let rule = "servers Worker 1";
        let ran = program.run(&["--costs", costs, "--format", "csv", "--if", rule]);
        let figures = row(ran.exits(0), rule);
        assert_eq!(figures[1], figures[2], "{costs}: {ran}");
    }
}

/// The scope begins at 1, and what comes before its command takes 101. It goes on while the condition is false, until 54: the command is
/// sent at 102, and the lock came back when it did in the run.
#[test]
fn narrow_scopes_wait_for_conditions() {
    let rules = [("narrow Client>>late:", "estimate,157,103")];
    check(&clients("a late: w. b prepare: w"), &rules);
}

#[test]
fn an_estimate_is_of_a_run_to_its_end() {
    let sandbox = Sandbox::new("estimates");
    let script = "w a | w := Worker separate new. a := Client separate new. a query: w";
    sandbox.write("p.st", format!("{CLASSES}\n| {script}"));
    for part in [["--from", "5"], ["--to", "9"]] {
        let command = ["timeline", "p.st", "--if", "servers Worker 2"];
        let ran = sandbox.tally(&[&command[..], &part].concat());
        let why = "leave --from and --to out";
        assert!(ran.exits(0).output().contains(why), "{ran}");
    }
}

/// A scope executes 20, sends a command, which is a tick, and executes 30 more: three take 51 each, from 1 on. With narrow scopes the
/// clients begin at 1, 2 and 3, and have the lock when they send: at 22, 23 and 24, each a tick after the one before.
#[test]
fn narrow_scopes() {
    let rules = [
        ("narrow Client>>hold:", "estimate,154,54"),
        ("narrow Client>>send:", "estimate,154,154"),
    ];
    let mut program = clients("a hold: w. b hold: w. c hold: w. d send: v");
    program.make("d", "Client");
    program.make("v", "Worker");
    check(&program, &rules);
}

/// The scopes want the lock at 2, 3 and 4. The worker works from 3 to 13, and a client can send when it is through: at 14 and at 25. With
/// queues they send at 3, 4 and 5, and the worker works on.
#[test]
fn queues_of_clients() {
    let rules = [("locking queues", "estimate,35,33")];
    check(&clients("a post: w. b post: w. c post: w"), &rules);
}

/// The condition is false at 4. The other client makes it true at 54. It is evaluated again until 55, the command is sent at 56, and 100
/// ticks follow. If the condition holds at 4, they end at 105.
#[test]
fn conditions_that_hold() {
    let rules = [
        ("holds Client>>need:", "estimate,156,105"),
        ("holds Client>>make:", "estimate,156,156"),
    ];
    check(&clients("a wait: w. b prepare: w"), &rules);
}

/// The first query is sent at 1 and answered at 11, the second at 12 and 16, and the sum is a tick. If the first answer is needed
/// behind the second query, that is sent at 2, and the sum begins at 11.
#[test]
fn late_answers() {
    let mut program = clients("^(v take: 10) + (w take: 4)");
    program.make("v", "Worker");
    let ran = program.run(&["--if", "late p.st:99:1"]);
    let listed = ran.exits(2).error().split_once("sent at ").unwrap().1;
    let queries = listed
        .split(", ")
        .filter(|site| site.trim().ends_with("(Worker>>take:)"));
    let mut sites: Vec<(usize, &str)> = queries
        .map(|site| site.split_once(' ').unwrap().0)
        .map(|site| (site.rsplit(':').next().unwrap().parse().unwrap(), site))
        .collect();
    sites.sort_unstable();
    let [first, second] = sites[..] else {
        panic!("{ran}");
    };
    let rules = [
        (format!("late {}", first.1), "estimate,17,12"),
        (format!("late {}", second.1), "estimate,17,17"),
    ];
    check(
        &program,
        &rules
            .each_ref()
            .map(|(rule, expected)| (&**rule, *expected)),
    );
}

/// 10 milliseconds are 10,000 ticks.
#[test]
fn delays_of_a_feature() {
    let program = clients("a rest. b hold: w");
    let ran = program.run(&["--format", "csv", "--if", "delay Client>>rest 1/10"]);
    let figures = row(ran.exits(0), "delay Client>>rest 1/10");
    assert_eq!((&*figures[0], &*figures[3]), ("exact", "9000"), "{ran}");
    let ran = program.run(&["--if", "delay Client>>hold: 2"]);
    ran.exits(0);
    assert!(ran.output().contains("waited for a delay"), "{ran}");
}

/// All locks at once: the philosophers eat, and no circle comes about.
#[test]
fn locks_that_are_taken_together() {
    let sandbox = Sandbox::new("estimates");
    for (name, feature) in [
        ("philosophers.st", "Philosopher>>takeLeft:"),
        ("bank.st", "BlockClosure>>separate:"),
    ] {
        sandbox.write(name, fs::read_to_string(folder().join(name)).unwrap());
        let rule = format!("together {feature}");
        let ran = sandbox.tally(&["timeline", name, "--format", "csv", "--if", &rule]);
        ran.exits(1).says("deadlock");
        let figures = row(&ran, &rule);
        assert_eq!(figures[0], "checked", "{ran}");
        assert!(!figures[2].is_empty(), "{ran}");
    }
    let ran = sandbox.tally(&[
        "timeline",
        "bank.st",
        "--if",
        "together Teller>>move:from:to:times:",
    ]);
    assert!(ran.output().contains("no scope of this feature"), "{ran}");
}

#[test]
fn estimates_that_name_nothing_are_refused() {
    let program = clients("a query: w");
    for (rule, error) in [
        ("servers Worker", "how many requests"),
        ("servers Worker 0", "how many requests"),
        ("servers Worker 1000001", "at most 1000000"),
        (
            "servers Nothing 2",
            "the run makes no processor for Nothing",
        ),
        ("late Worker", "the place of a send is expected"),
        ("narrow Worker", "a feature is expected"),
        ("narrow Worker>>foo", "the run has no requests of"),
        ("holds Worker>>foo", "the run has no requests of"),
        ("locking", "the rule is `locking queues`"),
        ("locking scopes", "the rule is `locking queues`"),
        ("delay Client>>query:", "a part of its delays"),
        ("delay Client>>query: 0", "a part of its delays"),
        ("together Client", "a feature is expected"),
    ] {
        program.run(&["--if", rule]).exits(2).says(error);
    }
}
