//! The runs that a change of a program affects. A run reported as unaffected must do the same and cost the same in both
//! versions. The test tries every change of one list with every run of another.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::sync::Arc;

use tally_comparison::changes::{Changes, RunLookups};
use tally_compiler::compile_all;
use tally_compiler::environment::MachineEnvironment;
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Cost, MemoryHost, Outcome, Vm};

const PROGRAM: &str = "\
Trait named: TTwice [ twice: x [ ^x + x ] ]
Object subclass: Shape [
    | size |
    Shape class >> of: n [ ^self new size: n; yourself ]
    size: n [ size := n ]
    size [ ^size ]
    area [ \"What it covers.\" ^self side * self side ]
    side [ ^size ]
    name [ ^'shape' ]
    odd [ ^self missing: 3 ]
    doesNotUnderstand: aMessage [ ^aMessage selector size ]
]
Shape subclass: Square [ <uses: 'TTwice'> area [ ^super area + 0 ] name [ ^'square' ] ]
Shape subclass: Disc [ Limit := 3. area [ ^super area * Limit ] ]
Object subclass: Other [ one [ ^1 ] shape [ ^(Shape of: 3) area ] probes [ ^3 respondsTo: #foo ] all [ ^Shape subclasses size ] ]
Object subclass: Lonely [ two [ ^2 ] ]
Integer extend [ tripled [ ^self * 3 ] ]
";

/// The runs, in the place of tests.
const RUNS: [&str; 14] = [
    "(Shape of: 3) area printString",
    "(Square of: 3) area printString",
    "(Disc of: 3) area printString",
    "(Square of: 3) name",
    "(Square of: 3) twice: 4",
    "Other new one",
    "Other new shape",
    "Other new probes",
    "Other new all",
    "Lonely new two",
    "4 tripled",
    "(Shape of: 1) odd",
    "(Shape of: 1) perform: #name",
    "3 + 4",
];

/// A text, its replacement, and the only runs that may be reported as affected, beside those in doubt. Any further run
/// would be run in vain.
const CHANGES: [(&str, &str, &[usize]); 22] = [
    (
        "^self side * self side",
        "| s | s := self side. ^s * s",
        &[0, 1, 2, 6],
    ),
    ("\"What it covers.\"", "\"Its surface.\"", &[]),
    ("^super area + 0", "^super area", &[1]),
    ("name [ ^'square' ]", "", &[3]),
    ("Square [ <uses", "Square [ side [ ^5 ] <uses", &[1, 3]),
    ("^x + x", "^x * 2", &[1, 3, 4]),
    (
        "Limit := 3",
        "Limit := 4",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    ),
    ("one [ ^1 ]", "one [ ^1 + 0 ]", &[5]),
    (
        "Shape subclass: Square",
        "Shape subclass: Round [ area [ ^0 ] ]\nShape subclass: Square",
        &[8],
    ),
    ("Shape subclass: Disc", "Square subclass: Disc", &[2, 8]),
    (
        "    | size |",
        "    | size more |",
        &[0, 1, 2, 3, 4, 6, 8, 11, 12],
    ),
    (
        "Integer extend [ tripled",
        "Integer extend [ foo [ ^1 ] tripled",
        &[7, 8],
    ),
    (
        "Integer extend [ tripled [ ^self * 3 ] ]",
        "Integer extend [ tripled [ ^self + self + self ] ]",
        &[10, 8],
    ),
    (
        "Integer extend [",
        "Integer extend [ printString [ ^'number' ]",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    ),
    (
        "Integer extend [",
        "SmallInteger extend [ + other [ ^0 ] ]\nInteger extend [",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    ),
    ("^aMessage selector size", "^0", &[11]),
    ("odd [", "missing: x [ ^x ] odd [", &[11]),
    (
        "Object subclass: Lonely [ two [ ^2 ] ]\n",
        "Object subclass: Lonely [ two [ ^2 ] ]\nObject subclass: More [ three [ ^3 ] ]\n",
        &[8],
    ),
    ("two [ ^2 ]", "two [ ^3 ]", &[9]),
    (
        "Shape class >> of: n [ ^self new size: n; yourself ]",
        "Shape class >> new [ ^super new size: 9; yourself ] Shape class >> of: n [ ^self new size: n; yourself ]",
        &[0, 1, 2, 3, 4, 6, 11, 12],
    ),
    (
        "Integer extend [",
        "Shape extend [ perform: x [ ^x ] ]\nInteger extend [",
        &[8, 12],
    ),
    (
        "Integer extend [",
        "Object subclass: Late [ == x [ ^false ] ]\nInteger extend [",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    ),
];

fn machine() -> Vm {
    tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()).unwrap()
}

/// A machine that has loaded a program, its units, and what loading looked up.
fn loaded(text: &str) -> (Vm, Vec<Arc<Unit>>, RunLookups) {
    let mut vm = machine();
    let compiled = compile_all(&[("program.st", text)], &MachineEnvironment(&vm));
    let units = compiled.into_iter().map(|compiled| {
        let errors = format!("{:?}\n{text}", compiled.diagnostics);
        Arc::new(compiled.unit.unwrap_or_else(|| panic!("{errors}")))
    });
    let units: Vec<Arc<Unit>> = units.collect();
    vm.record_lookups();
    for unit in &units {
        assert_eq!(vm.run_unit(Arc::clone(unit)), Outcome::Finished);
    }
    let noted = vm.take_lookups();
    let loading = RunLookups::of(&vm, &noted);
    (vm, units, loading)
}

fn compiled(vm: &Vm, text: &str) -> Arc<Unit> {
    let compiled = tally_compiler::compile("<run>", text, &MachineEnvironment(vm));
    Arc::new(
        compiled
            .unit
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)),
    )
}

/// The result of a run in a copy, its cost and its lookups.
fn run(vm: &mut Vm, text: &str, records: bool) -> (Option<String>, Cost, RunLookups) {
    let mut copy = vm.fork(Box::<MemoryHost>::default());
    if records {
        copy.record_lookups();
    }
    copy.count_everything();
    let before = copy.cost();
    let unit = compiled(&copy, &format!("({text}) printString"));
    assert_eq!(copy.run_unit(unit), Outcome::Finished, "{text}");
    let cost = copy.cost().since(&before);
    let noted = copy.take_lookups();
    let lookups = RunLookups::of(&copy, &noted);
    (copy.text_of(copy.result()), cost, lookups)
}

fn between(old: &[Arc<Unit>], new: &[Arc<Unit>]) -> Changes {
    Changes::between(old.iter().map(|u| &**u), new.iter().map(|u| &**u))
}

#[test]
fn recording_lookups_changes_no_count() {
    let (mut vm, ..) = loaded(PROGRAM);
    for text in RUNS {
        let (answer, cost, noted) = run(&mut vm, text, true);
        let (same, as_much, nothing) = run(&mut vm, text, false);
        assert_eq!((answer, cost), (same, as_much), "{text}");
        assert_eq!(nothing, RunLookups::default());
        assert!(!noted.lookups.is_empty());
    }
}

#[test]
fn lookups_are_noted_with_classes_and_sides() {
    let (mut vm, ..) = loaded(PROGRAM);
    let (_, _, noted) = run(&mut vm, "(Square of: 3) area + (Shape of: 2) odd", true);
    let has = |class: &str, selector: &str| {
        let found = noted
            .lookups
            .iter()
            .any(|l| l.class == class && l.selector == selector);
        assert!(found, "{class} {selector}: {noted:?}");
    };
    has("Square class", "of:");
    has("Square class", "new");
    has("Square", "area");
    // A super send begins above the method's class; a failed lookup is one as well.
    has("Shape", "area");
    has("Shape", "missing:");
    has("Shape", "doesNotUnderstand:");
    assert!(!noted.is_in_doubt);
    assert!(run(&mut vm, "Shape subclasses", true).2.is_in_doubt);
    assert!(run(&mut vm, "Smalltalk at: #Shape", true).2.is_in_doubt);
}

#[test]
fn the_same_program_concerns_nothing() {
    let (mut vm, units, loading) = loaded(PROGRAM);
    let changes = between(&units, &units);
    assert!(changes.is_empty());
    assert!(!changes.concern(&loading));
    for text in RUNS {
        assert!(!changes.concern(&run(&mut vm, text, true).2));
    }
}

#[test]
fn what_is_not_concerned_stays_the_same() {
    let (mut old, old_units, old_loading) = loaded(PROGRAM);
    let mut in_vain: Vec<String> = Vec::new();
    for (from, to, most) in CHANGES {
        assert_eq!(PROGRAM.matches(from).count(), 1, "{from}");
        let (mut new, new_units, new_loading) = loaded(&PROGRAM.replacen(from, to, 1));
        let changes = between(&old_units, &new_units);
        let everything = changes.concern(&old_loading) || changes.concern(&new_loading);
        for (index, text) in RUNS.iter().enumerate() {
            let (answer, cost, lookups) = run(&mut old, text, true);
            let (other_answer, other_cost, other_lookups) = run(&mut new, text, true);
            for lookups in [lookups, other_lookups] {
                let is_concerned = everything || changes.concern(&lookups);
                let is_same = answer == other_answer && cost == other_cost;
                assert!(is_concerned || is_same, "{text} after {to}: {changes:?}");
                if is_concerned && !most.contains(&index) && !lookups.is_in_doubt {
                    in_vain.push(format!("{text} after {to}"));
                }
            }
        }
    }
    assert!(in_vain.is_empty(), "{in_vain:#?}");
}

#[test]
fn statements_at_top_level_concern_everything() {
    let (_, one, _) = loaded("Object subclass: A [ ] 3 printNl.");
    let (_, other, _) = loaded("Object subclass: A [ ] 4 printNl.");
    let (_, same, _) = loaded("\"x\" Object subclass: A [ ] Object subclass: B [ ]\n3 printNl.");
    let changes = between(&one, &other);
    assert!(changes.everything().unwrap().contains("top level"));
    assert!(changes.concern(&RunLookups::default()));
    assert_eq!(between(&one, &same).everything(), None);
    assert!(!between(&one, &same).is_empty());
}

#[test]
fn other_variables_of_a_class_of_the_library_concern_everything() {
    let (_, one, _) = loaded("Object subclass: A [ ]");
    let (_, other, _) = loaded("Object subclass: A [ ] OrderedCollection extend [ | more | ]");
    let changes = between(&one, &other);
    assert!(changes.everything().unwrap().contains("OrderedCollection"));
}

#[test]
fn what_is_kept_comes_back() {
    let (mut vm, ..) = loaded(PROGRAM);
    let noted = run(&mut vm, RUNS[0], true).2;
    let text = serde_json::to_string(&noted).unwrap();
    assert_eq!(serde_json::from_str::<RunLookups>(&text).unwrap(), noted);
    let mut sum = RunLookups::default();
    sum.add(&noted);
    sum.add(&run(&mut vm, RUNS[8], true).2);
    assert!(sum.is_in_doubt && sum.lookups.is_superset(&noted.lookups));
}
