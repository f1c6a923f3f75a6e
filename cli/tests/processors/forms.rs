//! Closed forms: makespans that are formulas of a program's numbers, worked out by hand.

use std::fmt::Write as _;

use crate::support::{Ran, Sandbox};
use crate::{circle, figure};

/// A program whose processors are made by the script, and whose method `go` starts them. Figures begin with it.
pub(crate) struct Program {
    classes: String,
    /// Names of variables and the classes of their processors.
    made: Vec<(String, &'static str)>,
    /// Statements before `go`, and the statements of `go`.
    before: String,
    pub(crate) go: String,
}

impl Program {
    pub(crate) fn new(classes: &str) -> Program {
        Program {
            classes: classes.to_string(),
            made: Vec::new(),
            before: String::new(),
            go: String::new(),
        }
    }

    pub(crate) fn make(&mut self, name: &str, class: &'static str) {
        self.made.push((name.to_string(), class));
    }

    fn text(&self) -> String {
        let names: Vec<&str> = self.made.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(" ");
        let mut made = String::new();
        for (name, class) in &self.made {
            let _ = write!(made, "{name} := {class} separate new. ");
        }
        format!(
            "{}\nObject subclass: Main [ | {names} |\n    make [ {made} {} ]\n    go [ <separate> {} ]\n]\n\
             | main |\nmain := Main new.\nmain make.\nmain go.\n",
            self.classes, self.before, self.go
        )
    }

    pub(crate) fn run(&self, options: &[&str]) -> Ran {
        let sandbox = Sandbox::new("forms");
        sandbox.write("p.st", self.text());
        let from = ["timeline", "p.st", "--from-call", "Main>>go"];
        sandbox.tally(&[&from, options].concat())
    }

    pub(crate) fn makespan(&self, cpus: &str) -> u64 {
        figure(self.run(&["--cpus", cpus]).exits(0), "makespan ")
    }
}

/// The sum of a metric of a feature, from the report in JSON.
pub(crate) fn sum(ran: &Ran, feature: &str, metric: &str) -> u64 {
    let (_, rest) = ran
        .output()
        .split_once(&format!("\"name\": \"{feature}\""))
        .unwrap_or_else(|| panic!("{ran}"));
    let (_, rest) = rest.split_once(&format!("\"{metric}\": {{")).unwrap();
    let (_, rest) = rest.split_once("\"sum\": ").unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

const WORKER: &str = "Object subclass: Worker [ | n |
    work: k [ k timesRepeat: [] ]
    get [ ^n ]
]";

/// Three workers of 10 ticks are made and then started. The script has 15 ticks: 12 for `Worker separate new`, four
/// each, two of them on the new processor, and 3 for the commands, which begin at 13, 14 and 15. On two CPUs the first two workers
/// run. The script needs one of the CPUs until 15: the first worker runs from 13 to 23, the second from 15 to 25, the third
/// from 23 to 33.
#[test]
fn workers_on_few_cpus() {
    let mut text = Program::new(WORKER);
    text.make("unused", "Worker");
    for i in 1..=3 {
        let _ = write!(text.go, "w{i} := Worker separate new. ");
    }
    for i in 1..=3 {
        let _ = write!(text.go, "w{i} work: 10. ");
    }
    text.go = format!("| w1 w2 w3 | {}", text.go);
    for (cpus, expected) in [("1", 45), ("2", 33), ("3", 25), ("max", 25)] {
        assert_eq!(text.makespan(cpus), expected, "{cpus} CPUs");
    }
}

/// k commands in one scope, then k queries. On one CPU all ticks follow each other: 2k + Σ n.
#[test]
fn fork_and_join_on_few_cpus() {
    for (amounts, two, any) in [(vec![5, 40, 7, 9], 47, 44), (vec![10, 10, 30], 41, 33)] {
        let mut text = Program::new(WORKER);
        let (mut sent, mut asked) = (String::new(), String::new());
        let (mut parameters, mut arguments) = (String::new(), String::new());
        for (i, n) in amounts.iter().enumerate() {
            text.make(&format!("w{i}"), "Worker");
            let _ = write!(sent, "a{i} work: {n}. ");
            let _ = write!(asked, "t := a{i} get. ");
            let _ = write!(parameters, "x: a{i} ");
            let _ = write!(arguments, "x: w{i} ");
        }
        let join = format!("join{parameters}[ <separate> | t | {sent}{asked} ^t ]");
        let join = join.replacen("joinx:", "join:", 1);
        let _ = write!(text.classes, "\nObject subclass: Joiner [ {join} ]");
        text.go = format!("^Joiner new join{arguments}").replacen("joinx:", "join:", 1);
        let selector = format!("join:{}", "x:".repeat(amounts.len() - 1));
        let call = format!("Joiner>>{selector}");
        let sandbox = Sandbox::new("forms");
        sandbox.write("p.st", text.text());
        let one = 2 * amounts.len() as u64 + amounts.iter().sum::<u64>();
        for (cpus, expected) in [("1", one), ("2", two), ("max", any)] {
            let options = ["timeline", "p.st", "--from-call", &call, "--cpus", cpus];
            let found = figure(sandbox.tally(&options).exits(0), "makespan ");
            assert_eq!(found, expected, "{amounts:?} on {cpus} CPUs");
        }
    }
}

const SINGLE: &str = "Object subclass: Buffer [ | item |
    isEmpty [ ^item isNil ]
    isFull [ ^item notNil ]
    put: x [ item := x ]
    take [ | t | t := item. item := nil. ^t ]
]
Object subclass: Producer [
    fill: b times: n after: p [ 1 to: n do: [ :i | p timesRepeat: []. self put: i into: b ] ]
    put: x into: b [ <separate> self require: [ b isEmpty ]. b put: x ]
]
Object subclass: Consumer [ | x |
    empty: b times: n before: c [ 1 to: n do: [ :i | self takeFrom: b. c timesRepeat: [] ] ]
    takeFrom: b [ <separate> self require: [ b isFull ]. x := b take ]
]";

/// A buffer of one element. The producer starts first: it sets the pace if p > c, and its first item is one tick later if the
/// consumer starts first.
///
/// p > c: an item takes p ticks and six more: the loop, `put:into:`, `require:`, `isEmpty` with its `isNil`, and `put:`. The
/// consumer waits for each item, so each of its conditions is evaluated twice.
///
/// p = 3, c = 10: the first condition of the consumer holds at 13. From there an item takes c + 6 ticks of the consumer, and the last
/// one ends c + 1 ticks after its condition: 13 + 16(n − 1) + 11. If there is a third item, its producer is a tick before the
/// consumer's second condition, and holds the buffer for two ticks of a false evaluation: two more from n = 3 on. Later it comes
/// earlier, and delays nothing.
#[test]
fn a_buffer_of_one_element() {
    for (p, c) in [(10, 3), (3, 10)] {
        for n in [2, 3, 4, 8, 20] {
            let mut text = Program::new(SINGLE);
            for (name, class) in [("b", "Buffer"), ("p", "Producer"), ("c", "Consumer")] {
                text.make(name, class);
            }
            text.go =
                format!("p fill: b times: {n} after: {p}. c empty: b times: {n} before: {c}.");
            let (makespan, puts, takes) = match p > c {
                true => (n * (p + 6) + 7, n, 2 * n),
                false => (n * 16 + 8 + if n > 2 { 2 } else { 0 }, 2 * n - 2, n + 1),
            };
            assert_eq!(text.makespan("max"), makespan, "{n} items, {p}, {c}");
            let json = text.run(&["--format", "json"]);
            assert_eq!(sum(&json, "Producer>>put:into:", "evaluations"), puts);
            assert_eq!(sum(&json, "Consumer>>takeFrom:", "evaluations"), takes);
        }
    }
}

const PHILOSOPHERS: &str = "Object subclass: Fork [ ]
Object subclass: Philosopher [ | a b |
    left: x right: y [ a := x. b := y ]
    eatAfter: d [ d timesRepeat: []. self take: a ]
    take: x [ <separate> 1 timesRepeat: []. self eat: b ]
    eat: y [ <separate> 20 timesRepeat: [] ]
]";

/// n philosophers take one fork, a tick later the other. The i-th waits as many ticks as `delay` says.
fn philosophers(n: usize, delay: impl Fn(usize) -> usize) -> Program {
    let mut text = Program::new(PHILOSOPHERS);
    for i in 0..n {
        text.make(&format!("f{i}"), "Fork");
        text.make(&format!("p{i}"), "Philosopher");
        let right = (i + 1) % n;
        let _ = write!(text.before, "p{i} await left: f{i} right: f{right}. ");
        let _ = write!(text.go, "p{i} eatAfter: {}. ", delay(i));
    }
    // The forks are made before they are given away.
    text.before = format!("self sit. ] sit [ {}", text.before);
    text
}

/// Aligned, all of them hold one fork and wait for the other: a deadlock with a circle of n. All hold a fork at tick n + 1, and
/// request the other two ticks later: the tick between, and the send of `eat:`.
#[test]
fn philosophers_take_one_fork_and_then_the_other() {
    for n in 2..=7 {
        let ran = philosophers(n, |i| n - 1 - i).run(&[]);
        ran.exits(1);
        assert_eq!(circle(&ran).len(), n);
        assert_eq!(figure(&ran, "makespan "), n as u64 + 3, "{ran}");
        // Each is done before the next begins. The last takes 23 ticks: `take:`, the tick, `eat:`, and 20.
        let apart = philosophers(n, |i| 30 * i);
        apart.run(&[]).exits(0).is_silent();
        assert_eq!(apart.makespan("max"), n as u64 + 30 * (n as u64 - 1) + 23);
    }
}

/// Savages empty a pot of M in ⌈meals/M⌉ fills: with as many the run ends, with one less the savages wait for ever.
#[test]
fn a_pot_is_filled_as_often_as_it_is_emptied() {
    const CLASSES: &str = "Object subclass: Pot [ | left fills |
        initialize [ left := 0. fills := 0 ]
        isEmpty [ ^left = 0 ]
        hasServing [ ^left > 0 ]
        fill: m [ left := m. fills := fills + 1 ]
        take [ left := left - 1 ]
    ]
    Object subclass: Cook [
        fill: pot with: m times: n [ n timesRepeat: [ self fill: pot with: m ] ]
        fill: pot with: m [ <separate> self require: [ pot isEmpty ]. pot fill: m ]
    ]
    Object subclass: Savage [
        dine: n at: pot [ n timesRepeat: [ self takeFrom: pot. 5 timesRepeat: [] ] ]
        takeFrom: pot [ <separate> self require: [ pot hasServing ]. pot take ]
    ]";
    for (savages, meals, pot) in [(3, 4, 5), (3, 4, 4), (5, 2, 3), (1, 7, 1), (4, 3, 50)] {
        let fills = u64::div_ceil(savages * meals, pot);
        for (times, exit) in [(fills, 0), (fills - 1, 1)] {
            let mut text = Program::new(CLASSES);
            text.make("pot", "Pot");
            text.make("cook", "Cook");
            text.go = format!("cook fill: pot with: {pot} times: {times}. ");
            for i in 0..savages {
                text.make(&format!("s{i}"), "Savage");
                let _ = write!(text.go, "s{i} dine: {meals} at: pot. ");
            }
            let ran = text.run(&["--format", "json"]);
            ran.exits(exit);
            match exit {
                0 => assert_eq!(sum(&ran, "Pot>>fill:", "execution"), fills, "{ran}"),
                _ => assert!(ran.error().contains("until a condition holds"), "{ran}"),
            }
        }
    }
}

/// Two processors that query each other, aligned: both begin at tick 2, and request at 3.
#[test]
fn two_that_query_each_other() {
    const CLASSES: &str = "Object subclass: Ping [ | other |
    other: x [ other := x ]
    pingAfter: n [ n timesRepeat: []. ^other ping ]
    pong [ ^1 ]
]
Object subclass: Pong [ | other |
    other: x [ other := x ]
    pongAfter: n [ n timesRepeat: []. ^other pong ]
    ping [ ^2 ]
]";
    let mut text = Program::new(CLASSES);
    text.make("a", "Ping");
    text.make("b", "Pong");
    text.before = "a await other: b. b await other: a.".to_string();
    text.go = "a pingAfter: 1. b pongAfter: 0.".to_string();
    for cpus in ["1", "2", "max"] {
        let ran = text.run(&["--cpus", cpus]);
        ran.exits(1).says("deadlock: ").says("Ping>>pong");
        ran.says("p.st:3:").says("p.st:8:").says("Pong>>ping");
        assert_eq!(circle(&ran).len(), 2, "{ran}");
        if cpus == "max" {
            assert_eq!(figure(&ran, "makespan "), 3, "{ran}");
        }
    }
}
