//! Measurements hold every method once and survive a round trip through bytes; damaged ones are refused; digests find
//! changes.

use std::sync::Arc;
use std::time::Instant;

use proptest::prelude::*;
use tally_compiler::compile_all;
use tally_compiler::environment::MachineEnvironment;
use tally_profiler::{Description, InputKind, Profile, definitions};
use tally_vm::bytecode::Unit;
use tally_vm::{Config, Detail, MemoryHost, Outcome, Vm};

use super::*;
use crate::examples::{random, words};

fn about() -> Description {
    Description {
        program: 0,
        files: Vec::new(),
        scripts: Vec::new(),
        arguments: vec!["x".to_string()],
        seed: -3,
        limits: Limits::default(),
        ending: Ending::Finished,
        reproducible: true,
        definitions: None,
        inputs: None,
        revision: None,
    }
}

fn machine() -> Vm {
    tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default()).unwrap()
}

fn units(text: &str) -> (Vm, Vec<Arc<Unit>>) {
    let vm = machine();
    let compiled = compile_all(&[("a.st", text)], &MachineEnvironment(&vm));
    let unit = |compiled: tally_compiler::Compiled| Arc::new(compiled.unit.unwrap());
    (vm, compiled.into_iter().map(unit).collect())
}

fn defined(text: &str) -> Vec<Definition> {
    definitions(&units(text).1)
}

/// What differs between the definitions of two texts: names, and whether the code does.
fn differing(old: &str, new: &str) -> Vec<(String, bool)> {
    let (old, new) = (defined(old), defined(new));
    assert_eq!(old.len(), new.len());
    let pairs = old.iter().zip(&new);
    let other = pairs.filter(|(a, b)| (a.digest, a.code) != (b.digest, b.code));
    other
        .map(|(a, b)| (a.name.clone(), a.code != b.code))
        .collect()
}

const PROGRAM: &str = "Object subclass: A [
    | x |
    Limit := 3.
    x [ ^x ]
    sum: n [ | t | \"Adds.\" t := 0. 1 to: n do: [ :i | t := t + i ]. ^t ]
    down: n [ ^n = 0 ifTrue: [ 0 ] ifFalse: [ self down: n - 1 ] ]
    A class >> make [ ^self new ]
]
Object subclass: C [ ]
C extend [ | more | asA [ ^A make ] ]
C new asA sum: 3.
";

#[test]
fn definitions_have_names_places_and_what_they_send() {
    let found = defined(PROGRAM);
    let shown: Vec<String> = found
        .iter()
        .map(|d| {
            let silent = if d.is_silent { " silent" } else { "" };
            format!("{} {}{silent} [{}]", d.name, d.line, d.sends.join(" "))
        })
        .collect();
    let expected = [
        "A 1 silent []",
        "C 10 silent []",
        "A class>>make 7 [new]",
        "A>>down: 6 [- = down:]",
        "A>>sum: 5 [+ <=]",
        "A>>x 4 silent []",
        "C>>asA 10 [make]",
        "a.st 1 [asA new sum:]",
        "a.st#1 3 []",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn comments_layout_and_names_of_temporaries_are_no_other_code() {
    let text = |from: &str, to: &str| differing(PROGRAM, &PROGRAM.replace(from, to));
    let of = |name: &str, is_code: bool| (name.to_string(), is_code);
    let script = |is_code| of("a.st", is_code);
    assert_eq!(
        text("Adds.", "Sums."),
        [of("A>>sum:", false), script(false)]
    );
    assert_eq!(
        text("t := 0. ", "t  :=  0. "),
        [of("A>>sum:", false), script(false)]
    );
    assert_eq!(
        text("[ :i | t := t + i ]", "[ :j | t := t + j ]"),
        [of("A>>sum:", false), script(false)]
    );
    assert_eq!(text("t + i", "t - i"), [of("A>>sum:", true), script(false)]);
    assert_eq!(text("| more |", "| less |"), [of("C", true), script(false)]);
    assert_eq!(
        text("Limit := 3", "Limit := 4"),
        [script(false), of("a.st#1", true)]
    );
    assert_eq!(text("asA sum: 3", "asA sum: 4"), [script(true)]);
    assert_eq!(
        text("    | x |", "    | x y |"),
        [of("A", true), script(false)]
    );
}

#[test]
fn a_renamed_method_has_the_same_code() {
    let code = |text: &str, name: &str| {
        let found = defined(text);
        found.iter().find(|d| d.name == name).unwrap().code
    };
    let renamed = PROGRAM.replace("down:", "descend:").replace("A ", "B ");
    assert_eq!(code(PROGRAM, "A>>down:"), code(&renamed, "B>>descend:"));
    assert_eq!(code(PROGRAM, "A>>sum:"), code(&renamed, "B>>sum:"));
    assert_ne!(code(PROGRAM, "A class>>make"), code(PROGRAM, "C>>asA"));
}

#[test]
fn what_is_defined_twice_has_a_digest_of_both() {
    let once = "Object subclass: A [ a [ ^1 + 1 ] ]";
    let twice = format!("{once} A extend [ a [ ^2 + 2 ] ]");
    let other = format!(
        "{} A extend [ a [ ^2 + 2 ] ]",
        once.replace("1 + 1", "1 - 1")
    );
    assert_eq!(defined(once).len(), defined(&twice).len());
    assert_eq!(differing(once, &twice), [("A>>a".to_string(), true)]);
    assert_eq!(differing(&twice, &other), [("A>>a".to_string(), true)]);
    assert_eq!(differing(&twice, &twice), []);
}

#[test]
fn what_is_recorded_is_what_its_profile_tells() {
    let (mut vm, units) = units(PROGRAM);
    vm.count_everything();
    vm.start_profile(Detail {
        sites: true,
        ..Detail::default()
    });
    for unit in &units {
        assert_eq!(vm.run_unit(Arc::clone(unit)), Outcome::Finished);
    }
    let (cost, recorded) = (vm.cost(), vm.finish_profile());
    let about = Description {
        definitions: Some(definitions(&units)),
        ..about()
    };
    let mut builder = MeasurementBuilder::new(vm.library_digest(), &about);
    builder.add_recorded("", &vm, &recorded, &cost, &about);
    let direct = builder.finish();
    let profile = Profile::collect(&vm, &recorded, &cost, about);
    let mut through = Measurement::of_profile(&profile);
    // A profile knows the messages that were sent, not all that stand in a method, and has its contexts in another order.
    for (method, known) in through.methods.iter_mut().zip(&direct.methods) {
        let all = known.sends.as_ref().unwrap();
        assert!(
            method
                .sends
                .as_ref()
                .unwrap()
                .iter()
                .all(|s| all.contains(s))
        );
        method.sends.clone_from(&known.sends);
    }
    through.runs[0]
        .contexts
        .clone_from(&direct.runs[0].contexts);
    assert_eq!(through, direct);
    assert_eq!(direct.runs[0].contexts.len(), profile.contexts.len());
    assert_eq!(
        Measurement::from_bytes(&direct.to_bytes().unwrap()),
        Ok(direct)
    );
}

/// As many methods and runs as a large suite has. Building takes negligible time, because the data that runs share is
/// described once.
#[test]
fn a_thousand_runs_are_put_together_quickly() {
    let text: String = (0..300)
        .map(|n| {
            format!(
                "Object extend [ m{n} [ ^{} ] ]\n",
                match n {
                    0 => "self size + 1".to_string(),
                    _ => format!("self m{} + 1", n - 1),
                }
            )
        })
        .collect();
    let (mut vm, units) = units(&format!(
        "{text}Object extend [ size [ ^3 - 1 ] ]\nnil m299"
    ));
    vm.start_profile(Detail::default());
    for unit in &units {
        assert_eq!(vm.run_unit(Arc::clone(unit)), Outcome::Finished);
    }
    let (cost, recorded) = (vm.cost(), vm.finish_profile());
    let begun = Instant::now();
    let mut builder = MeasurementBuilder::new(0, &about());
    for number in 0..1000 {
        builder.add_recorded(&format!("T>>test{number}"), &vm, &recorded, &cost, &about());
    }
    let measurement = builder.finish();
    assert_eq!(measurement.methods.len(), 302);
    assert_eq!(measurement.runs.len(), 1000);
    // A hundred times the usual time, for machines with other load.
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

fn example() -> Measurement {
    let mut builder = MeasurementBuilder::new(0xAB, &about());
    builder.add_profile("B>>b", &words());
    builder.set_processors(Some(ProcessorCosts {
        span: 40,
        ticks: 60,
        waiting: 7,
    }));
    builder.add_profile("A>>a", &words());
    builder.set_definitions(defined("Object subclass: A [ a [ ^self b ] ]"));
    let input = |name: &str, digest: Option<&str>| Input {
        kind: InputKind::File,
        name: name.to_string(),
        digest: digest.map(str::to_string),
    };
    builder.add_inputs([input("b", Some("ff")), input("a", None), input("a", None)]);
    builder.finish()
}

#[test]
fn runs_methods_and_inputs_are_in_order_and_there_once() {
    let made = example();
    let names: Vec<&str> = made.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["A>>a", "B>>b"]);
    let spans = made
        .runs
        .iter()
        .map(|run| run.processors.map(|costs| costs.span));
    assert_eq!(spans.collect::<Vec<_>>(), [None, Some(40)]);
    assert_eq!(made.methods.len(), words().methods.len());
    assert!(
        made.methods
            .is_sorted_by_key(|method| (&method.class, &method.selector))
    );
    assert_eq!(made.inputs.len(), 2);
    for row in &made.runs[0].methods {
        let name = &made.methods[row.method as usize].name;
        let profile = words();
        let method = profile.methods.iter().find(|m| m.name == *name).unwrap();
        assert_eq!((row.own, row.total), (method.own, method.total), "{name}");
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_noticed() {
    let bytes = example().to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(
            Measurement::from_bytes(&bytes[..length]).is_err(),
            "{length}"
        );
    }
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            assert!(
                Measurement::from_bytes(&changed).is_err(),
                "byte {at} ^ {change}"
            );
        }
    }
}

/// The same behind the checksum.
#[test]
fn content_that_was_tampered_with_is_refused_or_makes_sense() {
    let makes_sense = |content: &[u8]| {
        if let Ok(read) = payload::read(content, 1) {
            assert_eq!(payload::read(&payload::write(&read).unwrap(), 1), Ok(read));
        }
    };
    let content = payload::write(&example()).unwrap();
    for length in 0..content.len() {
        makes_sense(&content[..length]);
    }
    for at in 0..content.len() {
        for change in [1, 2, 0x7F, 0x80, 0xFF] {
            let mut changed = content.clone();
            changed[at] ^= change;
            makes_sense(&changed);
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    type Damage = fn(&mut Measurement);
    fn line(method: u32) -> LineCounts {
        LineCounts {
            method,
            line: 1,
            sends: 1,
        }
    }
    let damages: [(Damage, &str); 8] = [
        (|m| m.runs[0].methods[0].method = 99, "mentions a method"),
        (|m| m.runs[0].methods.swap(0, 1), "not in order"),
        (|m| m.runs[0].contexts[1].parent = 3, "before the one above"),
        (
            |m| m.runs[0].contexts[1].method = Some(99),
            "mentions a method",
        ),
        (|m| m.runs[0].contexts[1].own += 1, "do not add up"),
        (|m| m.runs[0].lines = vec![line(99)], "a line mentions"),
        (|m| m.runs[0].lines = vec![line(0); 2], "lines of a run"),
        (|m| m.methods[0].name.clear(), "has no name"),
    ];
    for (damage, why) in damages {
        let mut damaged = example();
        damage(&mut damaged);
        let text = damaged.to_bytes().unwrap_err().to_string();
        assert!(text.starts_with("damaged measurement: "), "{text}");
        assert!(text.contains(why), "{text}");
    }
    let texts = [
        (&b""[..], "not a measurement"),
        (b"SQLite", "not a measurement"),
        (b"\x89TALLM\r\n\x02\x00\x00\x00", "another version"),
        (b"\x89TALLM\r\n\x01\x00", "its end is missing"),
    ];
    for (bytes, why) in texts {
        let text = Measurement::from_bytes(bytes).unwrap_err().to_string();
        assert!(text.contains(why), "{text}");
    }
    let mut newer = example().to_bytes().unwrap();
    newer[10] += 1;
    assert!(Measurement::from_bytes(&newer).is_err());
    assert_eq!(
        Measurement::from_bytes(&Measurement::default().to_bytes().unwrap()),
        Ok(Measurement::default())
    );
    assert_eq!(
        MeasurementError::TooLarge.to_string(),
        "the measurement is larger than measurements may be"
    );
}

proptest! {
    #[test]
    fn measurements_come_back(rows in prop::collection::vec(prop::collection::vec((0u8..4, 0u8..8, 0u16..300), 1..40), 0..5)) {
        let mut builder = MeasurementBuilder::new(1, &about());
        for (number, rows) in rows.iter().enumerate() {
            builder.add_profile(&format!("T>>t{number}"), &random(rows));
        }
        let made = builder.finish();
        prop_assert_eq!(Measurement::from_bytes(&made.to_bytes().unwrap()), Ok(made));
    }

    #[test]
    fn arbitrary_content_is_no_reason_to_panic(content in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = payload::read(&content, 1);
        prop_assert!(Measurement::from_bytes(&content).is_err());
    }
}
