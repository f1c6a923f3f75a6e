//! Readers of other tools' formats: what they make of good files, of damaged files, and of our own exports.

use std::collections::BTreeMap;

use super::{ImportError, ImportFormat, import};
use crate::profile::Profile;
use crate::{ExportFormat, check_identities, from_json, to_json};

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
    let written = (callgrind.write)(&profile).unwrap();
    let again = read("callgrind.out.1", &written, None).unwrap();
    assert_eq!(totals_of(&again), totals_of(&profile));
    assert_eq!(again.calls.len(), profile.calls.len());
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
