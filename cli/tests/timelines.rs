//! `tally timeline`: the closed forms of programs with processors, worked out by hand, and the share market of document 000.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::path::Path;

use support::Sandbox;

/// A class whose method `go` starts a program with the processors that the script made before.
fn program(classes: &str, names: &[String], made: &[String], body: &str) -> String {
    let fields = names.join(" ");
    let setters: String = names
        .iter()
        .map(|name| format!("    {name}: a [ {name} := a ]\n"))
        .collect();
    let sets: String = names
        .iter()
        .zip(made)
        .map(|(name, class)| format!("main {name}: {class} separate new.\n"))
        .collect();
    format!(
        "{classes}\nObject subclass: Main [ | {fields} |\n{setters}    go [ <separate> {body} ]\n]\n\
         | main |\nmain := Main new.\n{sets}main go.\n"
    )
}

fn numbered(name: &str, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{name}{i}")).collect()
}

/// Makespan, ticks and the sum of the synchronization times of a feature, from the activation of a method on.
fn timeline(text: &str, options: &[&str]) -> (u64, u64, String) {
    let sandbox = Sandbox::new("timeline");
    sandbox.write("p.st", text);
    let ran = sandbox.tally(&[&["timeline", "p.st"], options].concat());
    let report = ran.output().to_string();
    let figure = |name: &str| {
        let (_, rest) = report.split_once(name).unwrap_or_else(|| panic!("{ran}"));
        let digits: String = rest.chars().take_while(|c| *c != ',').collect();
        digits.trim().parse().unwrap_or_else(|_| panic!("{rest}"))
    };
    (figure("makespan "), figure("ticks "), report)
}

fn span(text: &str) -> u64 {
    timeline(text, &["--from-call", "Main>>go"]).0
}

/// The sum of the synchronization times of a feature.
fn synchronization(report: &str, feature: &str) -> u64 {
    let mut lines = report.lines();
    let row = lines.find(|line| line.starts_with(feature)).expect(feature);
    let cells: Vec<&str> = row.split_whitespace().collect();
    cells[4].replace(',', "").parse().expect("a number")
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors");
    std::fs::read_to_string(folder.join(name)).expect(name)
}

#[test]
fn the_market_is_that_of_the_paper() {
    let from = ["--from-call", "Deal>>first:second:"];
    for (name, own, each, ticks, requests) in [
        ("market.st", 43, 63, 46, "requests 34"),
        ("market-mended.st", 23, 15, 26, "requests 14"),
    ] {
        let text = example(name);
        for latency in [0, 1, 2, 10, 100] {
            let costs = format!("latency={latency}");
            let options = [&from[..], &["--costs", &costs]].concat();
            let (makespan, all, report) = timeline(&text, &options);
            assert_eq!(makespan, own + each * latency, "{name} at {latency}");
            assert_eq!(all, ticks, "{name}");
            assert!(report.contains(requests), "{report}");
        }
        for (feature, tries) in [("Investor>>buy:", "1.5"), ("Investor>>sell:", "1.0")] {
            let report = timeline(&text, &from).2;
            let row = report.lines().find(|line| line.starts_with(feature));
            let cells: Vec<&str> = row.expect(feature).split_whitespace().collect();
            assert_eq!(cells[1..3], ["2", tries], "{report}");
        }
    }
    let report = timeline(&example("market.st"), &from).2;
    let row = report.lines().find(|line| line.starts_with("Investor>>id"));
    assert_eq!(row.unwrap().split_whitespace().nth(1), Some("20"));
}

const WORKER: &str = "Object subclass: Worker [ | n |
    work: k [ k timesRepeat: [] ]
    get [ ^n ]
]";

/// k workers are made and then each is sent a command of n ticks: span 5k + n.
#[test]
fn workers_take_as_long_as_the_last_of_them() {
    for (count, ticks) in [(3_usize, 10), (8, 100)] {
        let names = numbered("w", count);
        let made: String = names
            .iter()
            .map(|name| format!("{name} := Worker separate new. "))
            .collect();
        let sent: String = names
            .iter()
            .map(|name| format!("{name} work: {ticks}. "))
            .collect();
        let text = format!(
            "{WORKER}\nObject subclass: Main [ go [ <separate> | {} | {made}{sent} ] ]\nWorker separate new yourself. Main new go.\n",
            names.join(" ")
        );
        // `timesRepeat: []` is inlined: a loop repetition a tick.
        let count = count as u64;
        assert_eq!(span(&text), 5 * count + ticks);
        let one = timeline(&text, &["--from-call", "Main>>go", "--cpus", "1"]);
        assert_eq!((one.0, one.1), (5 * count + count * ticks, one.0));
    }
}

/// k commands in one scope, then k queries: t := k, then t := max(t + 1, i + nᵢ) for each i.
#[test]
fn fork_and_join() {
    for (amounts, expected) in [(vec![5, 40, 7, 9], 44), (vec![10, 10, 30], 33)] {
        let names = numbered("w", amounts.len());
        let parameters: String = names.iter().map(|name| format!("x: {name} ")).collect();
        let sent: String = names
            .iter()
            .zip(&amounts)
            .map(|(name, n)| format!("{name} work: {n}. "))
            .collect();
        let asked: String = names
            .iter()
            .map(|name| format!("t := {name} get. "))
            .collect();
        let arguments: String = names.iter().map(|name| format!("x: {name} ")).collect();
        let made: String = names
            .iter()
            .map(|name| format!("{name} := Worker separate new. "))
            .collect();
        let selector = "x:".repeat(amounts.len());
        let text = format!(
            "{WORKER}\nObject subclass: Main [ {parameters} [ <separate> | t | {sent}{asked}^t ] ]\n\
             | {} |\n{made}Main new {arguments}.\n",
            names.join(" ")
        );
        let method = format!("Main>>{selector}");
        let (makespan, _, _) = timeline(&text, &["--from-call", &method]);
        assert_eq!(makespan, expected, "{amounts:?}");
    }
}

/// One server and k clients, each a scope with one query of n: 1 + k(n + 1), Σ synchronization n·k(k − 1)/2.
#[test]
fn one_server_serves_one_after_the_other() {
    const CLASSES: &str = "Object subclass: Server [ | n |
        serve: k [ k timesRepeat: []. ^n ]
    ]
    Object subclass: Client [ use: s [ <separate> | t | t := s serve: 10. ^self ] ]";
    for count in [3_usize, 4, 7] {
        let mut names = numbered("c", count);
        let sent: String = names
            .iter()
            .map(|name| format!("{name} use: s. "))
            .collect();
        names.push("s".to_string());
        let mut made = vec!["Client".to_string(); count];
        made.push("Server".to_string());
        let text = program(CLASSES, &names, &made, &sent);
        let (makespan, _, report) = timeline(&text, &["--from-call", "Main>>go"]);
        let (count, n) = (count as u64, 10);
        assert_eq!(makespan, 1 + count * (n + 1));
        let waited = synchronization(&report, "Client>>use:");
        assert_eq!(waited, n * count * (count - 1) / 2, "{report}");
    }
}

/// m stages of w ticks, n items: (m + n − 1)(w + 1).
#[test]
fn a_pipeline_is_filled_and_emptied() {
    const CLASSES: &str = "Object subclass: Stage [ | next |
        next: s [ next := s ]
        item: w [ w timesRepeat: []. next ifNotNil: [next item: w] ]
    ]";
    for (stages, items, ticks) in [(3_usize, 4_usize, 10_u64), (4, 6, 20)] {
        let names = numbered("s", stages);
        let made: String = names
            .iter()
            .map(|name| format!("{name} := Stage separate new. "))
            .collect();
        let linked: String = names
            .windows(2)
            .map(|pair| format!("{} next: {}. ", pair[0], pair[1]))
            .collect();
        let sent = format!("s item: {ticks}. ").repeat(items);
        let text = format!(
            "{CLASSES}\nObject subclass: Main [ | s | s: a [ s := a ] go [ <separate> {sent} ] ]\n| {} main |\n\
             {made}{linked}main := Main new. main s: s1. main go.\n",
            names.join(" "),
        );
        let expected = (stages as u64 + items as u64 - 1) * (ticks + 1);
        // The last stage sends nothing on.
        assert_eq!(span(&text), expected, "{stages} stages, {items} items");
    }
}

/// n philosophers, aligned, a meal of e with both forks at once: 2e if n is even, else 3e; Σ synchronization e·n/2 and
/// e(n + 3)/2. The i-th begins with n − i ticks, counted from tick n.
#[test]
fn philosophers_take_both_forks_at_once() {
    const CLASSES: &str = "Object subclass: Fork [ ]
    Object subclass: Philosopher [ | a b |
        left: x right: y [ a := x. b := y ]
        eat: e after: d [ d timesRepeat: []. self eat: e with: a with: b ]
        eat: e with: x with: y [ <separate> e timesRepeat: [] ]
    ]";
    for count in 2..=7_usize {
        let (meal, n) = (20, count as u64);
        let mut names = numbered("p", count);
        let sent: String = names
            .iter()
            .enumerate()
            .map(|(i, name)| format!("{name} eat: {meal} after: {}. ", count - 1 - i))
            .collect();
        let forks = numbered("f", count);
        let seats: String = (0..count)
            .map(|i| {
                let (left, right) = (&forks[i], &forks[(i + 1) % count]);
                format!("{} left: {left} right: {right}. ", names[i])
            })
            .collect();
        names.extend(forks);
        let made = [
            vec!["Philosopher".to_string(); count],
            vec!["Fork".to_string(); count],
        ]
        .concat();
        let text = program(CLASSES, &names, &made, &sent)
            .replace("    go [", &format!("    sit [ {seats} ]\n    go ["))
            .replace("main go.", "main sit. main go.");
        let (makespan, _, report) = timeline(&text, &["--from-call", "Main>>go"]);
        let (odd, even) = (3 * meal, 2 * meal);
        let expected = n + 1 + if count % 2 == 0 { even } else { odd };
        assert_eq!(makespan, expected, "{count}: {report}");
        let waited = if count % 2 == 0 {
            meal * n / 2
        } else {
            meal * (n + 3) / 2
        };
        let found = synchronization(&report, "Philosopher>>eat:with:with:");
        assert_eq!(found, waited, "{count}: {report}");
    }
}

/// A ring of n, h hops of 3 ticks: 3h + 2, on any number of CPUs.
#[test]
fn a_token_goes_round() {
    const CLASSES: &str = "Object subclass: Node [ | next |
        next: n [ next := n ]
        pass: k [ k = 0 ifFalse: [next pass: k - 1] ]
    ]";
    let names = numbered("n", 5);
    let links: String = (0..5)
        .map(|i| format!("{} next: {}. ", names[i], names[(i + 1) % 5]))
        .collect();
    for hops in [7, 100] {
        let made = vec!["Node".to_string(); 5];
        let text = program(CLASSES, &names, &made, &format!("n1 pass: {hops}"))
            .replace("    go [", &format!("    link [ {links} ]\n    go ["))
            .replace("main go.", "main link. main go.");
        for cpus in ["1", "2", "max"] {
            let options = ["--from-call", "Main>>go", "--cpus", cpus];
            assert_eq!(timeline(&text, &options).0, 3 * hops + 2);
        }
    }
}

#[test]
fn wrong_options_are_told() {
    let sandbox = Sandbox::new("timeline-wrong");
    sandbox.write("p.st", "3 printNl.");
    for (options, exit, why) in [
        (&["--cpus", "0"][..], 2, "a number from 1 on"),
        (&["--cpus", "many"], 2, "a number from 1 on"),
        (&["--costs", "latency=x"], 2, "latency is a number"),
        (&["--costs", "latency=-1"], 2, "latency is a number"),
        (&["--costs", "love=1"], 2, "there is no cost 'love'"),
        (&[], 4, "made no processor"),
    ] {
        let ran = sandbox.tally(&[&["timeline", "p.st"], options].concat());
        ran.exits(exit).says(why);
    }
    sandbox.write("q.st", "Object separate new. 'x' displayNl.");
    sandbox
        .tally(&["timeline", "q.st", "--from-call", "Deal>>none"])
        .exits(2)
        .says("began no request");
}

/// Virtual time has an end, and what never comes to an end meets a limit.
#[test]
fn what_has_no_end_meets_a_limit() {
    let sandbox = Sandbox::new("timeline-limits");
    const CLASS: &str = "Object subclass: O [
        foo [ ]
        one [ ^1 ]
        nap: n [ (Delay forMilliseconds: n) wait. ^n ]
        go: o [ <separate> ^o go: self ]
    ]\n";
    let most = u64::MAX.to_string();
    let latency = format!("latency={most}");
    for (text, options, why) in [
        (
            "O separate new one printNl.",
            &["timeline", "--costs", &latency][..],
            "virtual time",
        ),
        (
            "(O separate new nap: 46116860184273870) printNl.",
            &["run"],
            "virtual time",
        ),
        (
            "(O separate new go: O separate new) printNl.",
            &["run"],
            "--max-depth",
        ),
        (
            "| o | o := O separate new. [true] whileTrue: [o foo].",
            &["run", "--max-memory", "60M"],
            "--max-memory",
        ),
        (
            "[true] whileTrue: [O separate].",
            &["run", "--max-memory", "60M"],
            "--max-memory",
        ),
    ] {
        sandbox.write("p.st", [CLASS, text].concat());
        let ran = sandbox.tally(&[options, &["p.st"]].concat());
        ran.exits(6).says(why);
    }
}

/// The library's part can be redefined like everything else; then nothing serves requests.
#[test]
fn a_library_that_serves_no_requests_is_told() {
    let sandbox = Sandbox::new("timeline-serve");
    for serve in [
        "serve [ ^3 ]",
        "serve [ ]",
        "serve [ <primitive: objectClass> ^self serve ]",
    ] {
        let text = format!(
            "SeparateProcessor class extend [ {serve} ]\n\
             Object subclass: O [ one [ ^1 ] ]\nO separate new one printNl.\n"
        );
        sandbox.write("p.st", &text);
        let ran = sandbox.tally(&["run", "p.st"]);
        ran.exits(1).says("no method that serves requests");
    }
}
