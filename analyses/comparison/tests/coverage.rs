//! Coverage of real programs: methods, blocks, lines and sites. It adds up over copies of a machine in any order, and a
//! reader of lcov finds the same numbers in the tracefile.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use tally_comparison::coverage::{Coverage, Share, watch};
use tally_compiler::environment::MachineEnvironment;
use tally_presentation::Page;
use tally_vm::{Config, MemoryHost, Outcome, Vm};

const PROGRAM: &str = "\
Object subclass: Shape [
    | size |
    size [ ^size ]
    size: n [ size := n ]
    kind [ ^#shape ]
    area [
        size isNil ifTrue: [
            ^self error: 'no size' ].
        ^size * size
    ]
    corners: aBlock [
        | count |
        count := 4.
        count timesRepeat: [ aBlock value ].
        #() do: [ :each |
            each foo ].
        ^count
    ]
    never [
        ^[ self area ]
    ]
    describe: n [ n > 3 ifTrue: [ ^'big' ] ifFalse: [ n < 0 ifTrue: [ self never ] ] ]
    , other [ ^other ]
]
Object subclass: Spare [ unused [ ^3 foo ] ]
Shape subclass: Round [ area [ ^super area * 3 ] ]
| s |
s := Shape new.
s size: 3.
";

fn run(vm: &mut Vm, name: &str, source: &str) {
    let compiled = tally_compiler::compile(name, source, &MachineEnvironment(vm));
    let unit = compiled
        .unit
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    assert_eq!(vm.run_unit(Arc::new(unit)), Outcome::Finished);
}

/// A machine that has loaded the program, and nothing covered yet.
fn loaded() -> (Vm, Coverage) {
    let mut vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()).unwrap();
    run(&mut vm, "shape.st", PROGRAM);
    let coverage = Coverage::new(&vm, &["shape.st"]);
    (vm, coverage)
}

/// What an expression covers, run in a copy of the machine.
fn cover(vm: &mut Vm, coverage: &mut Coverage, expression: &str) {
    let mut copy = vm.fork(Box::<MemoryHost>::default());
    watch(&mut copy);
    run(&mut copy, "<test>", expression);
    coverage.take(&mut copy);
}

fn of(expressions: &[&str]) -> Coverage {
    let (mut vm, mut coverage) = loaded();
    for expression in expressions {
        cover(&mut vm, &mut coverage, expression);
    }
    coverage
}

fn share(covered: u64, all: u64) -> Share {
    Share { covered, all }
}

/// A record of a tracefile, as a reader that knows nothing of Tally understands it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    functions: BTreeMap<String, (usize, u64)>,
    branches: Vec<(usize, Option<u64>)>,
    lines: BTreeMap<usize, u64>,
    summary: BTreeMap<String, u64>,
}

/// Reads a tracefile by geninfo(1). Anything that is not in there is an error.
fn read_lcov(text: &str) -> BTreeMap<String, Record> {
    let mut records = BTreeMap::new();
    let mut open: Option<(String, Record)> = None;
    for line in text.lines() {
        if line == "end_of_record" {
            let (name, record) = open.take().unwrap();
            assert!(
                records.insert(name, record).is_none(),
                "a file has one record"
            );
            continue;
        }
        let (key, value) = line.split_once(':').unwrap();
        if key == "TN" {
            continue;
        }
        if key == "SF" {
            assert!(open.is_none());
            open = Some((value.to_string(), Record::default()));
            continue;
        }
        let record = &mut open.as_mut().unwrap().1;
        match key {
            "FN" => {
                let (line, name) = value.split_once(',').unwrap();
                let new = record
                    .functions
                    .insert(name.to_string(), (line.parse().unwrap(), 0));
                assert!(new.is_none(), "{name} is a key");
            }
            "FNDA" => {
                let (count, name) = value.split_once(',').unwrap();
                record.functions.get_mut(name).unwrap().1 = count.parse().unwrap();
            }
            "BRDA" => {
                let fields: Vec<&str> = value.split(',').collect();
                let [line, _, _, taken] = fields[..] else {
                    panic!("{value}")
                };
                let taken = (taken != "-").then(|| taken.parse().unwrap());
                record.branches.push((line.parse().unwrap(), taken));
            }
            "DA" => {
                let (line, count) = value.split_once(',').unwrap();
                let new = record
                    .lines
                    .insert(line.parse().unwrap(), count.parse().unwrap());
                assert!(new.is_none(), "a line has one row");
            }
            "FNF" | "FNH" | "BRF" | "BRH" | "LF" | "LH" => {
                record
                    .summary
                    .insert(key.to_string(), value.parse().unwrap());
            }
            _ => panic!("unknown: {line}"),
        }
    }
    assert!(open.is_none());
    records
}

fn line_counts(coverage: &Coverage) -> BTreeMap<usize, u64> {
    let mut records = read_lcov(&coverage.to_lcov());
    records.remove("shape.st").unwrap().lines
}

#[test]
fn nothing_is_covered_before_anything_ran() {
    let (_, coverage) = loaded();
    let shares = coverage.shares();
    assert_eq!(shares.methods, share(0, 10));
    // In corners: two real blocks, aBlock value stands in an inlined one; in never another.
    assert_eq!(shares.blocks, share(0, 2));
    assert_eq!(shares.sites.covered, 0);
    assert_eq!(shares.lines.covered, 0);
    assert!(line_counts(&coverage).values().all(|&count| count == 0));
}

#[test]
fn quick_methods_are_covered_when_they_are_sent() {
    let coverage = of(&[
        "Shape new size: 2",
        "Shape new kind. Shape new size. Shape new kind",
    ]);
    let records = read_lcov(&coverage.to_lcov());
    let functions = &records["shape.st"].functions;
    assert_eq!(functions["Shape>>size:"], (4, 1));
    assert_eq!(functions["Shape>>size"], (3, 1));
    // Sent twice, by one recording: quick methods are not activated.
    assert_eq!(functions["Shape>>kind"], (5, 1));
    assert_eq!(functions["Shape>>never"], (19, 0));
}

#[test]
fn asking_who_understands_a_message_covers_nothing() {
    let coverage = of(&["Shape new respondsTo: #kind. Shape canUnderstand: #kind"]);
    assert_eq!(coverage.shares().methods.covered, 0);
}

#[test]
fn lines_count_what_was_sent_from_them_and_what_begins_on_them() {
    let coverage = of(&[
        "(Shape new size: 3; yourself) area",
        "Shape new corners: [ 1 + 1 ]",
    ]);
    let lines = line_counts(&coverage);
    // `area`, `size isNil`, `self error:` in an inlined block, `size * size`.
    assert_eq!([lines[&6], lines[&7], lines[&8], lines[&9]], [1, 1, 0, 1]);
    // A line with an assignment alone is not known.
    assert!(!lines.contains_key(&13));
    // `aBlock value` in the inlined loop, `do:` on nothing, what its block sends.
    assert_eq!([lines[&14], lines[&15], lines[&16]], [4, 1, 0]);
    // `^count` neither.
    assert!(!lines.contains_key(&17));
}

#[test]
fn super_sends_and_inherited_methods_are_told_by_their_holders() {
    let coverage = of(&["(Round new size: 2; yourself) area"]);
    let functions = &read_lcov(&coverage.to_lcov())["shape.st"].functions;
    assert_eq!(functions["Round>>area"].1, 1);
    assert_eq!(functions["Shape>>area"].1, 1);
    assert_eq!(functions["Spare>>unused"].1, 0);
}

#[test]
fn blocks_are_branches() {
    let before = of(&[]);
    let records = read_lcov(&before.to_lcov());
    assert_eq!(records["shape.st"].branches, [(15, None), (20, None)]);
    let after = of(&["Shape new corners: []", "Shape new never"]);
    let records = read_lcov(&after.to_lcov());
    assert_eq!(records["shape.st"].branches, [(15, Some(0)), (20, Some(0))]);
    let all = of(&["(Shape new size: 2; yourself) never value"]);
    assert_eq!(
        read_lcov(&all.to_lcov())["shape.st"].branches[1],
        (20, Some(1))
    );
}

#[test]
fn the_report_names_what_never_ran() {
    let coverage = of(&[
        "(Shape new size: 3; yourself) area",
        "Shape new corners: []",
    ]);
    let text = coverage.report(Page::default());
    assert_eq!(text, REPORT);
}

#[test]
fn what_only_the_loading_ran_is_not_covered() {
    let (mut vm, mut coverage) = loaded();
    cover(&mut vm, &mut coverage, "3 + 4");
    // The file's statements sent `new` and `size:`; no test did.
    assert_eq!(coverage.shares().sites.covered, 0);
    assert_eq!(coverage.shares().methods, share(0, 10));
}

#[test]
fn files_that_are_not_named_do_not_count() {
    let (mut vm, _) = loaded();
    let mut coverage = Coverage::new(&vm, &["other.st"]);
    cover(&mut vm, &mut coverage, "Shape new corners: []");
    assert_eq!(coverage.shares(), Coverage::new(&vm, &[]).shares());
    assert_eq!(coverage.to_lcov(), "");
    assert_eq!(coverage.shares().methods, share(0, 0));
}

#[test]
fn a_trait_is_covered_where_one_of_its_users_ran_it() {
    let source = "Trait named: TGreet [ greet [ ^self name , '!' ] bye [ ^self name ] ]\n\
                  Object subclass: A [ <uses: 'TGreet'> name [ ^'a' ] ]\n";
    let mut vm = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()).unwrap();
    let compiled = tally_compiler::compile("t.st", source, &MachineEnvironment(&vm));
    if compiled.unit.is_none() {
        panic!("{:?}", compiled.diagnostics);
    }
    run(&mut vm, "t.st", source);
    let mut coverage = Coverage::new(&vm, &["t.st"]);
    cover(&mut vm, &mut coverage, "A new greet");
    let shares = coverage.shares();
    assert_eq!(shares.methods, share(2, 3));
}

#[test]
fn the_document_says_what_the_tracefile_says() {
    let coverage = of(&[
        "(Shape new size: 3; yourself) area",
        "Shape new corners: []",
    ]);
    let document: serde_json::Value = serde_json::from_str(&coverage.to_json().unwrap()).unwrap();
    assert_eq!(document["schema"], "tally.coverage/1");
    assert_eq!(document["recordings"], 2);
    let lines = document["files"][0]["lines"].as_array().unwrap();
    let rows = lines.iter().map(|row| {
        let number = |key: &str| row[key].as_u64().unwrap();
        (number("line") as usize, number("count"))
    });
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), line_counts(&coverage));
    let shares = coverage.shares();
    assert_eq!(document["total"]["sites"]["all"], shares.sites.all);
    assert_eq!(document["total"]["sites"]["covered"], shares.sites.covered);
}

const REPORT: &str = "          methods         blocks        lines         send sites
shape.st     3/10  30.0%     0/2  0.0%   7/17  41.2%        4/13  30.8%
  Shape       3/8  37.5%     0/2  0.0%   7/15  46.7%        4/10  40.0%
  Spare       0/1   0.0%     0/0     -    0/1   0.0%         0/1   0.0%
  Round       0/1   0.0%     0/0     -    0/1   0.0%         0/2   0.0%
all          3/10  30.0%     0/2  0.0%   7/17  41.2%        4/13  30.8%

Not covered:
  shape.st
    Shape>>size  3
    Shape>>kind  5
    Shape>>never  19-21
    Shape>>describe:  22
    Shape>>,  23
    Spare>>unused  25
    Round>>area  26
    lines 8, 16
    in part 15
";

const EXPRESSIONS: [&str; 7] = [
    "(Shape new size: 3; yourself) area",
    "Shape new corners: [ 3 + 4 ]",
    "Shape new kind",
    "(Round new size: 2; yourself) area",
    "(Shape new size: 2; yourself) never value",
    "Shape new describe: 5",
    "Shape new describe: 1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever runs where and is added up in which order, the sums are the same, and agree with the summaries.
    #[test]
    fn recordings_add_up_in_any_order(
        choice in proptest::collection::vec((0..EXPRESSIONS.len(), any::<bool>()), 0..8),
    ) {
        let (mut vm, empty) = loaded();
        let mut alone = empty.clone();
        let mut parts = [empty.clone(), empty.clone()];
        for &(index, _) in &choice {
            cover(&mut vm, &mut alone, EXPRESSIONS[index]);
        }
        for &(index, second) in choice.iter().rev() {
            cover(&mut vm, &mut parts[usize::from(second)], EXPRESSIONS[index]);
        }
        let [mut one, two] = parts;
        one.merge(&two);
        prop_assert_eq!(one.to_lcov(), alone.to_lcov());
        prop_assert_eq!(one.to_json().unwrap(), alone.to_json().unwrap());
        let record = &read_lcov(&one.to_lcov())["shape.st"];
        let shares = one.shares();
        let hit = |counts: &mut dyn Iterator<Item = u64>| counts.filter(|&c| c > 0).count() as u64;
        prop_assert_eq!(record.summary["LF"], record.lines.len() as u64);
        prop_assert_eq!(record.summary["LH"], hit(&mut record.lines.values().copied()));
        prop_assert_eq!(record.summary["FNF"], record.functions.len() as u64);
        prop_assert_eq!(record.summary["FNH"], hit(&mut record.functions.values().map(|f| f.1)));
        prop_assert_eq!(record.summary["BRF"], record.branches.len() as u64);
        prop_assert_eq!(record.summary["BRH"], hit(&mut record.branches.iter().map(|b| b.1.unwrap_or(0))));
        prop_assert_eq!(shares.lines, share(record.summary["LH"], record.summary["LF"]));
        prop_assert_eq!(shares.methods, share(record.summary["FNH"], record.summary["FNF"]));
    }
}
