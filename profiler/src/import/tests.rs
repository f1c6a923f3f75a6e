//! Readers of other tools' formats: what they make of good files, of damaged files, and of our own exports.

mod pprof;

use std::collections::BTreeMap;

use self::pprof::{gzip, pprof_bytes};
use super::{ImportError, ImportFormat, import};
use crate::profile::Profile;
use crate::{ExportFormat, Measure, check_identities, from_json, to_json};

/// Reads a text as a file of that name.
fn read(name: &str, bytes: &[u8], event: Option<&str>) -> Result<Profile, ImportError> {
    let format = ImportFormat::of(name, bytes).expect("the format is known");
    import(format, name, bytes, event)
}

/// `own/total` of each function, with its calls if they are known, in alphabetical order.
fn shown(profile: &Profile) -> String {
    let row = |method: &crate::MethodProfile| {
        let calls = match profile.unit.calls {
            true => format!("×{}", method.calls),
            false => String::new(),
        };
        let (own, total) = (method.own, method.total);
        format!("{} {own}/{total}{calls}", method.name)
    };
    let mut rows: Vec<String> = profile.methods.iter().map(row).collect();
    rows.sort();
    rows.join(", ")
}

const GRAPH: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: ./a
part: 1
desc: Trigger: Program termination
positions: instr line
events: Ir Dr
summary: 172 7

ob=(1) /bin/a
fl=(1) a.c
fn=(1) main
0x10 16 100 5
cfn=(2) work
calls=3 0x20 20
+4 +2 45 2
fi=(2) inline.h
* 3 10
fe=(1)
+4 20 2
jump=4 0x20 21
0x30 22
cob=(2) /lib/c.so
cfi=(3) c.c
cfn=(3) copy
calls=1 0x99 0
* -1 15

fn=(2)
0x20 20 45 2
cfn=(2)
calls=7 0x20 20
* * 30
ob=(2)
fl=(3)
fn=(3)
0x99 0 15

totals: 172 7
";

#[test]
fn callgrind_is_read_with_all_that_abbreviates_it() {
    let profile = read("callgrind.out.1", GRAPH.as_bytes(), None).unwrap();
    assert_eq!(profile.unit.name, "Ir");
    assert_eq!(
        shown(&profile),
        "copy 15/15×1, main 112/172×0, work 45/45×10"
    );
    let main = profile.methods.iter().find(|m| m.name == "main").unwrap();
    assert_eq!((main.file.as_str(), main.line), ("a.c", 16));
    assert_eq!((main.class.as_str(), main.package.as_str()), ("a.c", "a"));
    assert_eq!(check_identities(&profile), []);
}

#[test]
fn one_of_several_events_is_read() {
    let profile = read("x.callgrind", GRAPH.as_bytes(), Some("Dr")).unwrap();
    assert_eq!(profile.unit.name, "Dr");
    assert_eq!(shown(&profile), "copy 0/0×1, main 5/7×0, work 2/2×10");
    let error = read("x.callgrind", GRAPH.as_bytes(), Some("Dw")).unwrap_err();
    assert_eq!(error.to_string(), "it has no event 'Dw'; it has Ir, Dr");
}

#[test]
fn functions_of_a_cycle_have_its_total() {
    let text = "events: Ir\nfl=a\nfn=main\n1 10\ncfn=even\ncalls=1 2\n1 90\nfn=even\n2 40\n\
                cfn=odd\ncalls=9 3\n2 200\nfn=odd\n3 30\ncfn=even\ncalls=8 2\n3 170\n\
                cfn=leaf\ncalls=9 4\n3 20\nfn=leaf\n4 20\n";
    let profile = read("callgrind.out.1", text.as_bytes(), None).unwrap();
    assert_eq!(
        shown(&profile),
        "even 40/90×9, leaf 20/20×9, main 10/100×0, odd 30/90×9"
    );
}

#[test]
fn no_call_costs_more_than_its_callee_whatever_a_file_says() {
    // Valgrind adds up what recursive calls cost, each with those inside it.
    let text = "events: Ir\nfl=a\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 99\nfn=f\n2 40\n\
                cfn=f\ncalls=9 2\n2 700\n";
    let profile = read("callgrind.out.1", text.as_bytes(), None).unwrap();
    assert_eq!(shown(&profile), "f 40/50×10, main 10/50×0");
    let totals: Vec<u64> = profile.calls.iter().map(|call| call.total).collect();
    assert_eq!(totals, [50, 50]);
}

#[test]
fn only_a_digit_behind_the_parenthesis_begins_a_number() {
    let text = "events: Ir\nfl=a\nfn=(below main)\n1 1\nfn=(\n1 2\nfn=()\n1 4\nfn=(0x1f) f\n1 8\nfn=(31)\n1 8\n";
    let profile = read("callgrind.out.1", text.as_bytes(), None).unwrap();
    assert_eq!(
        shown(&profile),
        "( 2/2×0, () 4/4×0, (below main) 1/1×0, f 16/16×0"
    );
}

#[test]
fn parts_and_threads_are_added_up() {
    let part = "part: 1\nthread: 1\nevents: Ir\nfl=(1) a\nfn=(1) f\n1 5\ntotals: 5\n";
    let other = "part: 2\nthread: 2\nevents: Dr Ir\nfl=(1) a\nfn=(1) f\n1 4 6\n+2 1\ntotals: 5 6\n";
    let text = format!("creator: callgrind-3\n{part}{other}");
    let profile = read("callgrind.out.1", text.as_bytes(), None).unwrap();
    assert_eq!(shown(&profile), "f 11/11×0");
}

#[test]
fn what_is_wrong_with_a_callgrind_file_is_told_with_its_line() {
    let head = "events: Ir\nfl=a\nfn=f\n";
    let table = [
        ("version: 1\n".to_string(), "it has no line 'events:'"),
        ("version: 1\n1 2\n".to_string(), "line 2: costs before"),
        (
            "events: Ir\n1 2\n".to_string(),
            "line 2: costs of no function",
        ),
        (head.to_string(), "it has no counts"),
        (format!("{head}1 x\n"), "line 4: 'x' is no number"),
        (format!("{head}1 -3\n"), "line 4: '-3' is no number"),
        (format!("{head}1 2 3\n"), "line 4: more than 1 counts"),
        (format!("{head}1 18446744073709551616\n"), "line 4: '184"),
        (
            format!("{head}1 18446744073709551615\n2 1\n"),
            "line 5: the sum of the counts exceeds 64 bits",
        ),
        (
            format!("{head}calls=1 2\n"),
            "line 4: a call of no function",
        ),
        (
            format!("{head}cfn=(7)\n"),
            "line 4: the name (7) was not defined",
        ),
        (format!("{head}cfn=(7\n"), "line 4: '(7' lacks the parenth"),
        (format!("{head}cfn=(7x) g\n"), "line 4: '7x' is no number"),
        (
            format!("{head}cfn=(18446744073709551616) g\n"),
            "line 4: '184",
        ),
        (format!("{head}cfn=g\ncalls=1 2\n"), "a call without costs"),
        (format!("{head}xy=g\n"), "line 4: unknown key 'xy'"),
        (format!("{head}what is this\n"), "line 4: expected a header"),
        (format!("{head}1 5\ntotals: 6\n"), "its lines add up to 5"),
        (
            format!("creator: callgrind-3\nsummary: 5\n{head}1 5\n"),
            "its line 'totals:' is missing",
        ),
    ];
    for (text, expected) in table {
        let error = read("callgrind.out.1", text.as_bytes(), None).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn a_million_lines_are_read_and_a_long_chain_needs_no_stack() {
    let mut text = String::from("events: Ir\nfl=a\n");
    for number in 0..200_000 {
        let next = number + 1;
        text.push_str(&format!("fn=f{number}\n1 1\ncfn=f{next}\ncalls=1 1\n1 1\n"));
    }
    let profile = read("callgrind.out.1", text.as_bytes(), None).unwrap();
    assert_eq!(profile.cost.sends, 200_000);
}

/// The totals of an export's functions as the profile's tree has them: own and inclusive by name.
fn totals_of(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let methods = profile.methods.iter();
    let rows = methods.map(|m| (m.name.clone(), (m.own, m.total)));
    rows.collect()
}

#[test]
fn an_import_is_written_and_read_again_in_our_own_formats() {
    let profile = read("callgrind.out.1", GRAPH.as_bytes(), None).unwrap();
    assert_eq!(from_json(&to_json(&profile).unwrap()), Ok(profile.clone()));
    let recording = crate::recording::to_recording(&profile).unwrap();
    assert_eq!(
        crate::recording::from_recording(&recording),
        Ok(profile.clone())
    );
    let callgrind = ExportFormat::named("callgrind").unwrap();
    let written = (callgrind.write)(&profile, Measure::Sends).unwrap();
    let again = read("callgrind.out.1", &written, None).unwrap();
    assert_eq!(totals_of(&again), totals_of(&profile));
    assert_eq!(again.calls.len(), profile.calls.len());
}

#[test]
fn a_profile_of_nothing_comes_back_from_every_format() {
    let profile = read("x.folded", b"main;a 0\nmain;b 0\n", None).unwrap();
    assert_eq!(shown(&profile), "a 0/0, b 0/0, main 0/0");
    for (name, file) in [
        ("folded", "x.folded"),
        ("callgrind", "x.callgrind"),
        ("speedscope", "x.speedscope"),
    ] {
        let written = (ExportFormat::named(name).unwrap().write)(&profile, Measure::Sends).unwrap();
        let again = read(file, &written, None);
        assert_eq!(again.map(|again| again.cost.sends), Ok(0), "{name}");
    }
}

#[test]
fn calls_that_are_not_known_stay_unknown() {
    let profile = read("x.folded", FOLDED.as_bytes(), None).unwrap();
    let callgrind = ExportFormat::named("callgrind").unwrap();
    let written = (callgrind.write)(&profile, Measure::Sends).unwrap();
    let again = read("x.callgrind", &written, None).unwrap();
    assert!(!again.unit.calls);
    assert_eq!(again.cost.activations, 0);
    assert_eq!(shown(&again), "a 2/6, b 4/4, main 4/10, run 0/10");
    let json = to_json(&again).unwrap();
    assert!(!json.contains("\"calls\": 0"), "{json}");
    assert_eq!(from_json(&json), Ok(again));
}

#[test]
fn what_an_import_does_not_know_is_absent() {
    let profile = read("callgrind.out.1", GRAPH.as_bytes(), None).unwrap();
    let json = to_json(&profile).unwrap();
    for member in [
        "sends",
        "blockCalls",
        "allocations",
        "objects",
        "seed",
        "digest",
        "limits",
    ] {
        assert!(
            !json.contains(&format!("\"{member}\"")),
            "{member} in {json}"
        );
    }
    assert!(json.contains("\"count\": 172"), "{json}");
    let report = crate::profile_report(&profile, crate::Order::Total, None);
    for word in ["sends,", "objects", "blocks"] {
        assert!(!report.contains(word), "{word} in {report}");
    }
}

const FOLDED: &str = "\
# unit: allocations
main;a;b 3
main;a 2
main;a;a;b 1

main 4
";

#[test]
fn folded_stacks_are_a_tree() {
    let profile = read("x.folded", FOLDED.as_bytes(), None).unwrap();
    assert_eq!(profile.unit.name, "allocations");
    assert_eq!(shown(&profile), "a 2/6, b 4/4, main 4/10");
    assert_eq!(profile.contexts.len(), 6);
    for wrong in [
        "main",
        "main x",
        "main 1.5",
        "main -1",
        "main 18446744073709551616",
    ] {
        let error = read("x.folded", wrong.as_bytes(), None).unwrap_err();
        assert_eq!(error.line, Some(1), "{error}");
    }
    let two = format!("a {}\nb 1\n", u64::MAX);
    let error = read("x.folded", two.as_bytes(), None).unwrap_err();
    assert_eq!(error.why, "its sums exceed 64 bits");
    assert_eq!(
        read("x.folded", b"\n", None).unwrap_err().why,
        "it has no stacks"
    );
    assert!(read("x.folded", b"a;\xff;b 7\n", None).is_ok());
}

fn speedscope(profiles: &str) -> String {
    format!(
        "{{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"profiles\": [{profiles}],
         \"shared\": {{\"frames\": [{{\"name\": \"main\", \"file\": \"m.py\", \"line\": 3}}, {{\"name\": \"a\"}}]}}}}"
    )
}

#[test]
fn speedscope_is_read_in_both_forms() {
    let sampled = r#"{"type": "sampled", "name": "x", "unit": "bytes", "startValue": 0, "endValue": 9,
        "samples": [[0, 1], [0], [0, 1, 1]], "weights": [3, 2, 4]}"#;
    let profile = read("x.json", speedscope(sampled).as_bytes(), None).unwrap();
    assert_eq!(profile.unit.name, "bytes");
    assert_eq!(shown(&profile), "a 7/7, main 2/9");
    let evented = r#"{"type": "evented", "name": "x", "unit": "seconds", "startValue": 0, "endValue": 9,
        "events": [{"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 0.5},
                   {"type": "C", "frame": 1, "at": 2}, {"type": "C", "frame": 0, "at": 2.000000001}]}"#;
    let text = speedscope(&format!("{evented}, {sampled}, {evented}"));
    let profile = read("x.speedscope", text.as_bytes(), None).unwrap();
    assert_eq!(profile.unit.name, "nanoseconds");
    assert_eq!(
        shown(&profile),
        "a 3000000000/3000000000, main 1000000002/4000000002"
    );
    let profile = read("x.speedscope", text.as_bytes(), Some("bytes")).unwrap();
    assert_eq!(shown(&profile), "a 7/7, main 2/9");
}

#[test]
fn what_is_wrong_with_a_speedscope_file_is_told() {
    let events = |events: &str| {
        speedscope(&format!(
            "{{\"type\": \"evented\", \"unit\": \"none\", \"events\": [{events}]}}"
        ))
    };
    let table = [
        (speedscope(""), "it has no profiles"),
        (
            speedscope("{\"type\": \"x\"}"),
            "it has a profile of the unknown type 'x'",
        ),
        (
            speedscope("{\"type\": \"sampled\", \"samples\": [[7]]}"),
            "it has no frame 7",
        ),
        (
            speedscope("{\"type\": \"sampled\", \"samples\": [[0]], \"weights\": [1, 2]}"),
            "it has 1 samples and 2 weights",
        ),
        (
            speedscope("{\"type\": \"sampled\", \"samples\": [[0]], \"weights\": [0.5]}"),
            "0.5 is no count",
        ),
        (
            speedscope("{\"type\": \"sampled\", \"samples\": [[0]], \"weights\": [-1]}"),
            "-1 is no count",
        ),
        (
            events(r#"{"type": "C", "frame": 0, "at": 1}"#),
            "event 0: it closes a frame",
        ),
        (
            events(r#"{"type": "O", "frame": 0, "at": 1}"#),
            "frames are open at its end",
        ),
        (
            events(r#"{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 0, "at": 1}"#),
            "event 1: it stands before",
        ),
        (
            events(r#"{"type": "Z", "frame": 0, "at": 2}"#),
            "event 0: expected the type",
        ),
        ("{\n\n7".to_string(), "line 3: key must be a string"),
    ];
    for (text, expected) in table {
        let error = read("x.speedscope", text.as_bytes(), None)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn every_cut_of_a_file_is_an_error_or_a_smaller_profile() {
    let packed = gzip(&pprof_bytes());
    for end in 0..packed.len() {
        assert!(read("x.pprof", &packed[..end], None).is_err(), "{end}");
    }
    for (name, bytes) in files() {
        for end in 0..bytes.len() {
            if let Ok(profile) = read(name, &bytes[..end], None) {
                assert_eq!(check_identities(&profile), []);
            }
        }
    }
}

#[test]
fn imports_of_each_format_come_back_from_json_and_recordings() {
    for (name, bytes) in files() {
        let profile = read(name, &bytes, None).unwrap();
        assert_eq!(
            from_json(&to_json(&profile).unwrap()).as_ref(),
            Ok(&profile)
        );
        let recording = crate::recording::to_recording(&profile).unwrap();
        assert_eq!(crate::recording::from_recording(&recording), Ok(profile));
    }
}

/// A good file of each format.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let sampled = r#"{"type": "sampled", "samples": [[0, 1], [0]], "weights": [3, 2]}"#;
    vec![
        ("x.callgrind", GRAPH.as_bytes().to_vec()),
        ("x.folded", FOLDED.as_bytes().to_vec()),
        ("x.speedscope", speedscope(sampled).into_bytes()),
        ("x.pprof", pprof_bytes()),
    ]
}

#[test]
fn stacks_without_end_are_read_without_a_stack() {
    let deep = format!("{} 1\n", vec!["f"; 300_000].join(";"));
    let profile = read("x.folded", deep.as_bytes(), None).unwrap();
    assert_eq!(shown(&profile), "f 1/1");
    let mut many = String::new();
    for number in 0..1_000_000 {
        many.push_str(&format!("main;f{} 1\n", number % 1000));
    }
    let profile = read("x.folded", many.as_bytes(), None).unwrap();
    assert_eq!(profile.cost.sends, 1_000_000);
}

/// The counts of a profile's functions as other tools see them: blocks are functions too.
fn functions_of(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let name = |at: usize| {
        let context = &profile.contexts[at];
        let method = context
            .method
            .map(|m| profile.methods[m as usize].name.clone());
        match (context.kind, method) {
            (crate::ContextKind::Run, _) => "run".to_string(),
            (crate::ContextKind::Block, Some(name)) if context.block > 1 => {
                format!("[] in {name} #{}", context.block)
            }
            (crate::ContextKind::Block, Some(name)) => format!("[] in {name}"),
            (_, name) => name.unwrap(),
        }
    };
    for (at, context) in profile.contexts.iter().enumerate() {
        let mut above = context.parent;
        let mut is_outermost = true;
        while let Some(parent) = above {
            is_outermost &= name(parent as usize) != name(at);
            above = profile.contexts[parent as usize].parent;
        }
        let sums = found.entry(name(at)).or_default();
        sums.0 += context.own;
        sums.1 += if is_outermost { context.total } else { 0 };
    }
    found.retain(|_, sums| sums.1 > 0);
    found
}

#[test]
fn our_own_exports_come_back_with_the_same_totals() {
    let examples = [crate::examples::small::example(), crate::examples::words()];
    for profile in examples {
        let expected = functions_of(&profile);
        for (format, name) in [
            ("callgrind", "x.callgrind"),
            ("speedscope", "x.speedscope.json"),
            ("folded", "x.folded"),
        ] {
            let written =
                (ExportFormat::named(format).unwrap().write)(&profile, Measure::Sends).unwrap();
            let again = read(name, &written, None).unwrap();
            let mut totals = totals_of(&again);
            totals.retain(|_, sums| sums.1 > 0);
            assert_eq!(totals, expected, "{format}");
        }
    }
}

/// Whatever was read adds up, can be shown, and is read again from each format that fits it, with the same sum.
fn assert_comes_back(profile: &Profile) {
    assert_eq!(check_identities(profile), []);
    assert!(crate::html_report(profile).starts_with("<!DOCTYPE html>"));
    let formats = crate::FORMATS.iter().filter(|format| format.fits(profile));
    for format in formats {
        let written = (format.write)(profile, Measure::Sends).unwrap();
        if let Some(reader) = super::IMPORTS.iter().find(|one| one.name == format.name) {
            let again = import(reader, "again", &written, None);
            let sum = again.map(|again| again.cost.sends);
            assert_eq!(sum, Ok(profile.cost.sends), "{}", format.name);
        }
    }
}

proptest::proptest! {
    /// No bytes make a reader panic, and what it reads adds up.
    #[test]
    fn arbitrary_bytes_are_no_reason_to_panic(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
        which in 0_usize..4,
    ) {
        let (name, _) = files()[which];
        if let Ok(profile) = read(name, &bytes, None) {
            assert_comes_back(&profile);
        }
    }

    /// The same for good files with a few changed bytes.
    #[test]
    fn changed_bytes_are_no_reason_to_panic(
        changes in proptest::collection::vec((proptest::prelude::any::<u16>(), proptest::prelude::any::<u8>()), 1..6),
        which in 0_usize..4,
    ) {
        let (name, mut bytes) = files().swap_remove(which);
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(profile) = read(name, &bytes, None) {
            assert_comes_back(&profile);
        }
    }
}
