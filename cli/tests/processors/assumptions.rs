//! `tally timeline --if`: closed forms of each rule, worked out by hand; rules that are refused; bad input.

use std::path::Path;

use crate::forms::Program;
use crate::support::{Ran, Sandbox};

const CLASSES: &str = "Object subclass: Worker [ | n |
    work: k [ k timesRepeat: [] ]
    rest: k [ k timesRepeat: [] ]
    take: k [ k timesRepeat: []. ^k ]
    get [ ^n ]
]
Object subclass: Asker [
    ask: aWorker [ ^aWorker get == aWorker get ]
]
Object subclass: Counter [ | n |
    initialize [ n := 0 ]
    next [ n := n + 1. ^n ]
    constant [ ^7 ]
]";

/// A row of the table: makespan before and after, requests, ticks. Nothing after a refusal.
pub(crate) fn row(ran: &Ran, rule: &str) -> Vec<String> {
    let output = ran.output();
    let mut lines = output.lines();
    let found = lines.find(|line| {
        let rest = line.strip_prefix(rule);
        rest.is_some_and(|rest| rest.starts_with(','))
    });
    let rest = found.unwrap_or_else(|| panic!("{rule}: {ran}"));
    rest[rule.len() + 1..]
        .split(',')
        .map(str::to_string)
        .collect()
}

/// Checks label, makespans, requests and ticks of each rule.
fn check(program: &Program, options: &[&str], rules: &[(&str, &str)]) {
    let mut all = vec!["--format", "csv"];
    all.extend(options);
    for (rule, _) in rules {
        all.extend(["--if", rule]);
    }
    let ran = program.run(&all);
    ran.exits(0);
    for (rule, expected) in rules {
        assert_eq!(row(&ran, rule).join(","), *expected, "{rule}\n{ran}");
    }
}

/// Two workers: 2 sends, then 10 and 4 ticks at the same time. The first begins at 1 and ends at 11.
fn workers() -> Program {
    let mut program = Program::new(CLASSES);
    program.make("a", "Worker");
    program.make("b", "Worker");
    program.go = "a work: 10. b rest: 4.".to_string();
    program
}

#[test]
fn settings_are_those_of_another_machine() {
    // On one CPU all 16 ticks follow each other. A latency comes before the work. A call is paid before each of two sends: the
    // second worker is not on the path.
    let rules = [
        ("cpus 1", "exact,11,16,-5,3,16"),
        ("cpus max", "exact,11,11,0,3,16"),
        ("costs latency=7", "exact,11,18,-7,3,16"),
        ("costs call=2", "exact,11,13,-2,3,16"),
        ("recheck unlock", "exact,11,11,0,3,16"),
        ("scheduler parallel", "exact,11,11,0,3,16"),
        ("slice 3", "exact,11,11,0,3,16"),
        ("ties reverse", "exact,11,11,0,3,16"),
    ];
    check(&workers(), &[], &rules);
    // A cost that is named leaves the others as they are.
    let rules = [
        ("costs call=2", "exact,18,20,-2,3,16"),
        ("costs ideal", "exact,18,11,7,3,16"),
    ];
    check(&workers(), &["--costs", "latency=7"], &rules);
}

#[test]
fn features_have_a_pace() {
    let rules = [
        // On the path: the other worker ends at 2 + 4.
        ("free Worker>>work:", "exact,11,6,5,3,6"),
        // Off it.
        ("free Worker>>rest:", "exact,11,11,0,3,12"),
        ("speed Worker>>work: 2", "exact,11,6,5,3,11"),
        // 10 ticks take 6 and 2/3.
        ("speed Worker>>work: 3/2", "exact,11,7,4,3,12"),
        ("speed Worker>>work: 1/2", "exact,11,21,-10,3,26"),
    ];
    check(&workers(), &[], &rules);
}

/// 5 ticks, the send of `step:`, then 1 + 2 + 1 + 5 in it with a query that waits from 9 to 10, then 4. The worker works from 7
/// to 10.
#[test]
fn ticks_of_a_request_are_rounded_together() {
    let mut program = Program::new(CLASSES);
    program.make("a", "Worker");
    program.go = "5 timesRepeat: []. self step: a. 4 timesRepeat: [] ]
    step: x [ <separate> | k | x work: 3. 2 timesRepeat: []. k := x get. 5 timesRepeat: []"
        .to_string();
    let rules = [
        // The step begins at 6, and the worker works from there to 9. Then 4 more.
        ("free Main>>step:", "exact,19,13,6,4,13"),
        // The worker works from 6 to 9. 4 of the 9 ticks are executed by then. All 9 take 6, and the first 4 take 2: 9 + 4 + 4.
        ("speed Main>>step: 3/2", "exact,19,17,2,4,19"),
        // The query is sent at 10, behind the work, and waits no more.
        ("free Worker>>work:", "exact,19,19,0,4,19"),
    ];
    check(&program, &[], &rules);
}

#[test]
fn copies_spare_the_market_its_callbacks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let market = std::fs::read_to_string(root.join("examples/processors/market.st")).unwrap();
    let sandbox = Sandbox::new("assumptions");
    sandbox.write("market.st", market);
    for latency in [0_i64, 1, 10] {
        let costs = format!("latency={latency}");
        let ran = sandbox.tally(&[
            "timeline",
            "market.st",
            "--from-call",
            "Deal>>first:second:",
            "--costs",
            &costs,
            "--if",
            "copy Investor",
            "--if",
            "cache Investor>>id",
            "--format",
            "csv",
        ]);
        let (before, after) = (43 + 63 * latency, 43 + 15 * latency);
        let expected = format!("checked,{before},{after},{},14,46", before - after);
        assert_eq!(row(&ran, "copy Investor").join(","), expected, "{ran}");
        // The market requests the number of each investor once, so 18 round trips are spared. It is waited for as before.
        let after = 43 + 27 * latency;
        let expected = format!("checked,{before},{after},{},16,46", before - after);
        assert_eq!(row(&ran, "cache Investor>>id").join(","), expected, "{ran}");
    }
}

/// The sites of requests, as an error lists them.
fn sites(sandbox: &Sandbox) -> Vec<String> {
    let ran = sandbox.tally(&["timeline", "p.st", "--if", "async p.st:1:1"]);
    let listed = ran.exits(2).error().split_once("sent at ").unwrap().1;
    let all = listed
        .split(", ")
        .map(|one| one.split_whitespace().next().unwrap());
    let mut all: Vec<String> = all.map(str::to_string).collect();
    all.sort();
    all
}

#[test]
fn a_query_that_is_not_waited_for_is_a_command() {
    let sandbox = Sandbox::new("assumptions");
    let text = |body: &str| {
        format!(
            "{CLASSES}\n| a b r |\na := Worker separate new. b := Worker separate new.\n{body}\n"
        )
    };
    // From the first activation on: the first query ends at 10, the second one is sent at 11 and ends at 21; then 3 ticks.
    let body = "r := a take: 10.\nr := b take: 10.\n3 timesRepeat: [].";
    sandbox.write("p.st", text(body));
    let sites = self::sites(&sandbox);
    // The second one is sent at 1 and ends at 11; or nothing waits for its end at 21.
    for (line, expected) in [
        ("p.st:17:", "checked,24,14,10,2,24"),
        ("p.st:18:", "checked,24,21,3,2,24"),
    ] {
        let site = sites.iter().find(|site| site.starts_with(line)).unwrap();
        let rule = format!("async {site}");
        let options = [
            "timeline",
            "p.st",
            "--from-call",
            "Worker>>take:",
            "--format",
            "csv",
            "--if",
        ];
        let ran = sandbox.tally(&[&options[..], &[&rule]].concat());
        assert_eq!(row(&ran, &rule).join(","), expected, "{ran}");
    }
    // Its value is the reference.
    sandbox.write("p.st", text("(a take: 10) printNl."));
    let sites = self::sites(&sandbox);
    let rule = format!("async {}", sites.last().unwrap());
    let ran = sandbox.tally(&["timeline", "p.st", "--if", &rule]);
    ran.exits(0)
        .mentions("refused: the program prints 'separate Worker #1");
    assert_eq!(ran.output().lines().next(), Some("10"), "{ran}");
}

#[test]
fn answers_are_used_again() {
    let mut program = Program::new(CLASSES);
    program.make("a", "Counter");
    program.go =
        "| r | r := a constant. r := a constant. r := a constant. r := a constant".to_string();
    // A round trip is a tick and two latencies.
    let rules = [("cache Counter>>constant", "checked,84,24,60,2,4")];
    check(&program, &["--costs", "latency=10"], &rules);
    // What is discarded is no query, and is sent again.
    program.go = "| r | r := a constant. a constant. r := a constant".to_string();
    let rules = [("cache Counter>>constant", "checked,3,3,0,3,3")];
    check(&program, &[], &rules);
    // The answers differ, though nothing prints them.
    program.go = "| r | r := a next. r := a next".to_string();
    let ran = program.run(&["--if", "cache Counter>>next"]);
    let why =
        "cache Counter>>next: refused: answer 2 of Counter>>next to the same client is 1, not 2";
    ran.exits(0).mentions(why);
}

#[test]
fn merged_processors_take_turns() {
    let mut program = Program::new(CLASSES);
    program.make("a", "Worker");
    program.make("b", "Counter");
    program.make("c", "Asker");
    program.go = "a work: 10. b next".to_string();
    // The second request waits for the first one's end at 11, and executes its tick then.
    let rules = [("merge Worker with Counter", "checked,11,12,-1,3,13")];
    check(&program, &[], &rules);
    // The send, two queries of a tick and two latencies each, `==`, and two latencies around all. A send at home is a tick.
    program.go = "| r | r := c ask: a".to_string();
    let rules = [("merge Worker with Asker", "checked,64,24,40,2,4")];
    check(&program, &["--costs", "latency=10"], &rules);
}

#[test]
fn a_run_that_ends_otherwise_is_refused() {
    let sandbox = Sandbox::new("assumptions");
    sandbox.write(
        "p.st",
        "Object subclass: Box [ | n |
    put: k [ n := k ]
    isFull [ ^n notNil ]
]
Object subclass: Taker [
    take: aBox [ <separate> self require: [ aBox isFull ] ]
]
| box |
box := Box separate new.
Taker separate new take: box.
box put: 3.
'done' displayNl.
",
    );
    let ran = sandbox.tally(&[
        "timeline",
        "p.st",
        "--if",
        "cache Box>>isFull",
        "--if",
        "free Taker>>take:",
    ]);
    ran.exits(0)
        .mentions("done\n")
        .mentions("cache Box>>isFull: refused: the run ends by 'deadlock', not 'finished'");
    assert_eq!(ran.output().matches("done").count(), 1, "{ran}");
}

#[test]
fn a_run_without_an_end_is_refused() {
    let sandbox = Sandbox::new("assumptions");
    // Free ticks never reach the moment at which the flag is set.
    sandbox.write("p.st", "Object subclass: Flag [ Flag class >> isSet [ ^IsSet ] Flag class >> set [ IsSet := true ] ]
Flag addClassVarNamed: #IsSet.
Object subclass: Setter [ set [ 100 timesRepeat: []. Flag set ] ]
Object subclass: Waiter [ wait [ [ Flag isSet == true ] whileFalse: [] ] ]
Setter separate new set.
Waiter separate new wait.
");
    let ran = sandbox.tally(&["timeline", "p.st", "--if", "free Waiter>>wait"]);
    ran.exits(0)
        .mentions("free Waiter>>wait: refused: the run did not end within");
}

#[test]
fn rules_do_not_depend_on_each_other() {
    let rules = [
        "free Worker>>work:",
        "cpus 1",
        "copy Main",
        "cpus 1",
        "merge Worker with Counter",
    ];
    let mut program = workers();
    program.make("c", "Counter");
    let mut all = vec!["--format", "csv"];
    rules.iter().for_each(|rule| all.extend(["--if", rule]));
    let together = program.run(&all);
    let mut expected = together.output().lines().next().unwrap().to_string() + "\n";
    for rule in rules {
        let alone = program.run(&["--format", "csv", "--if", rule]);
        expected += alone.output().lines().nth(1).unwrap();
        expected += "\n";
    }
    assert_eq!(together.output().replace('\r', ""), expected);
    // An argument that is no object of this class, and an output for programs.
    let json = program.run(&["--format", "json", "--if", "copy Main"]);
    json.exits(0).mentions("\"if\": [");
    json.mentions("no object of this class was an argument of a request");
}

/// Rules that are none, and what is said of them.
const MISTAKES: &[(&str, &str)] = &[
    (
        "fre Worker>>work:",
        "there is no rule 'fre' (did you mean free?)",
    ),
    ("server Worker 3", "(did you mean servers?)"),
    ("free Worker", "a feature is expected"),
    ("free Worker>>wrk:", "did you mean Worker>>work:?"),
    ("speed Worker>>work: 0", "how many times as fast"),
    ("speed Worker>>work:", "how many times as fast"),
    (
        "copy Workr",
        "there is no class Workr; did you mean Worker?",
    ),
    ("copy", "the name of a class is expected"),
    ("async p.st", "FILE:LINE:COLUMN"),
    ("async q.st:1:1", "the nearest are sent at p.st:"),
    (
        "cache Worker>>gett",
        "the run has no requests of Worker>>gett",
    ),
    (
        "merge Worker with Main",
        "the run makes no processor for Main",
    ),
    ("merge Worker with Worker", "two classes are expected"),
    ("cpus 0", "a number from 1 on, or max"),
    ("cpus 1,2", "a number from 1 on, or max"),
    ("costs", "costs are expected"),
    ("costs speed=1", "there is no cost 'speed'"),
    ("scheduler fair", "scheduler is parallel or central"),
    ("recheck", "recheck is touched or unlock"),
    ("slice 0", "a number of ticks from 1 on"),
    ("ties no", "lower, reverse or shuffle:SEED"),
    ("", "there is no rule ''"),
];

#[test]
fn rules_that_name_nothing_are_refused() {
    let program = workers();
    for (rule, why) in MISTAKES {
        program.run(&["--if", rule]).exits(2).says(why);
    }
    program
        .run(&["--if", "cpus 1", "--view", "waits"])
        .exits(2)
        .says("leave --view out");
    program
        .run(&["--if", "cpus 1", "--cpus", "1,2"])
        .exits(2)
        .says("one number of CPUs");
    program
        .run(&["--if", "cpus 1", "-o", "x.timeline"])
        .exits(2)
        .says("a run for each rule");
    let sandbox = Sandbox::new("assumptions");
    sandbox
        .tally(&["timeline", "-e", "3 printNl", "--if", "cpus 1"])
        .exits(4)
        .says("made no processor");
    sandbox
        .tally(&["timeline", "-e", "Object separate new", "-o", "x.timeline"])
        .exits(0);
    sandbox
        .tally(&["timeline", "x.timeline", "--if", "cpus 1"])
        .exits(2)
        .says("a trace of one run");
}
