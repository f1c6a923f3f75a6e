//! Tests of whole recordings: every profile survives a round trip, and all other bytes are refused.

use proptest::prelude::*;

use super::bytes::push_number;
use super::*;
use crate::examples::small::{chain, example};
use crate::profile::{Ending, Profile};
use crate::sources::{Definition, DefinitionKind, Input, InputKind, Revision};

/// A profile in which every member has something that is not its default.
fn full() -> Profile {
    let mut profile = example();
    profile.model = 3;
    profile.arguments = vec!["ä".to_string(), String::new()];
    profile.seed = i64::MIN;
    profile.limits.sends = Some(u64::MAX);
    profile.limits.memory = Some(0);
    profile.limits.depth = u64::MAX;
    profile.ending = Ending::Limit;
    profile.reproducible = false;
    profile.is_tree_complete = false;
    profile.cost.loops = 7;
    profile.cost.steps = u64::MAX;
    profile.cost.called = 3;
    profile.cost.counters = [("limbs".to_string(), 4), ("moved".to_string(), 1)].into();
    profile.cost.work = u64::MAX;
    profile.inlined = Some([("ifTrue:".to_string(), 5), ("and:".to_string(), 0)].into());
    profile.methods[1].is_library = true;
    profile.methods[1].package = "P".to_string();
    profile.methods[1].category = "c".to_string();
    profile.methods[1].cumulative = 3;
    profile.methods[1].line = usize::MAX;
    profile.sites[1].is_super = true;
    profile.methods[2].code = Some("00000000000000cc".to_string());
    profile.definitions = Some(vec![Definition {
        name: "A>>b".to_string(),
        kind: DefinitionKind::Script,
        file: "a.st".to_string(),
        line: 3,
        digest: u64::MAX,
        code: 1 << 60,
        is_silent: true,
        sends: vec!["a".to_string(), "b:".to_string()],
    }]);
    profile.inputs = Some(vec![
        Input {
            kind: InputKind::Variable,
            name: "HOME".to_string(),
            digest: None,
        },
        Input {
            kind: InputKind::StandardInput,
            name: String::new(),
            digest: Some("ff".to_string()),
        },
    ]);
    profile.revision = Some(Revision {
        commit: "0123".to_string(),
        is_dirty: true,
    });
    profile
}

#[test]
fn everything_comes_back() {
    let mut flat = example();
    flat.contexts.clear();
    flat.calls.clear();
    flat.sites.clear();
    flat.allocations.clear();
    let mut empty_inlined = example();
    empty_inlined.inlined = Some([].into());
    let mut nothing_defined = example();
    nothing_defined.definitions = Some(Vec::new());
    nothing_defined.inputs = Some(Vec::new());
    for profile in [
        example(),
        full(),
        flat,
        empty_inlined,
        nothing_defined,
        chain(5000),
    ] {
        let bytes = to_recording(&profile).unwrap();
        assert!(is_recording(&bytes));
        assert_eq!(from_recording(&bytes), Ok(profile.clone()));
        // JSON holds the same data.
        let json = crate::to_json(&profile).unwrap();
        let through = crate::from_json(&json).unwrap();
        assert_eq!(to_recording(&through), Ok(bytes));
    }
}

/// If this test fails, either the format has changed, which requires a new version, or the bytes depend on the machine.
#[test]
fn the_bytes_are_the_same_on_any_machine() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/recording/example.tally");
    let bytes = to_recording(&example()).unwrap();
    if std::env::var_os("TALLY_UPDATE").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    let kept = std::fs::read(path).unwrap();
    assert!(
        bytes == kept,
        "the example is written otherwise than in {path}"
    );
    assert_eq!(from_recording(&kept), Ok(example()));
}

#[test]
fn every_cut_and_every_changed_byte_is_noticed() {
    let bytes = to_recording(&full()).unwrap();
    for length in 0..bytes.len() {
        assert!(from_recording(&bytes[..length]).is_err(), "{length} bytes");
    }
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            assert!(from_recording(&changed).is_err(), "byte {at} ^ {change}");
        }
    }
}

/// The same behind the checksum: content that was changed and then sealed.
#[test]
fn content_that_was_tampered_with_is_refused_or_makes_sense() {
    let makes_sense = |content: &[u8]| {
        if let Ok(read) = payload::read(content, 1, MINOR, MAX_MEMORY) {
            let written = to_recording(&read).unwrap();
            assert_eq!(from_recording(&written), Ok(read));
        }
    };
    let content = payload::write(&full()).unwrap();
    for length in 0..content.len() {
        makes_sense(&content[..length]);
    }
    for at in 0..content.len() {
        for change in 1..=255 {
            let mut changed = content.clone();
            changed[at] ^= change;
            makes_sense(&changed);
        }
    }
}

fn section(number: u64, members: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_number(&mut bytes, number);
    push_number(&mut bytes, members.len() as u64);
    bytes.extend(members);
    bytes
}

fn error(content: &[u8], minor: u16) -> String {
    payload::read(content, 1, minor, MAX_MEMORY)
        .unwrap_err()
        .to_string()
}

#[test]
fn later_minor_versions_may_hold_more() {
    let mut content = payload::write(&example()).unwrap();
    content.extend(section(1000, b"a part that is not known yet"));
    assert_eq!(
        payload::read(&content, 1, MINOR + 1, MAX_MEMORY),
        Ok(example())
    );
    assert!(error(&content, MINOR).contains("unknown part"));
}

#[test]
fn parts_have_to_be_there_once_and_in_order() {
    let content = payload::write(&example()).unwrap();
    let mut twice = content.clone();
    twice.extend(section(9, b""));
    assert!(error(&twice, MINOR).contains("not in order"));
    assert!(error(b"", MINOR).contains("no texts"));
    assert!(error(&section(1, &[0]), MINOR).contains("missing"));
    assert!(error(&section(1, &[1, 1, 0xC0]), MINOR).contains("UTF-8"));
}

/// A section that claims rows beyond number must not take memory for them.
#[test]
fn huge_counts_are_refused_at_once() {
    let mut huge = Vec::new();
    push_number(&mut huge, u64::MAX);
    for number in [1, 5, 6, 7, 8, 9] {
        let mut content = match number {
            1 => Vec::new(),
            _ => section(1, &[0]),
        };
        content.extend(section(number, &huge));
        assert!(payload::read(&content, 1, MINOR, MAX_MEMORY).is_err());
    }
}

/// One long text that is used over and over is a bomb that the limit on the content alone would not stop.
#[test]
fn texts_used_over_and_over_meet_the_limit_on_memory() {
    let mut texts = Vec::new();
    push_number(&mut texts, 1);
    push_number(&mut texts, 1 << 20);
    texts.extend(vec![b'x'; 1 << 20]);
    let mut run = vec![0, 0, 0];
    push_number(&mut run, 1 << 20);
    run.extend(vec![0; 1 << 20]);
    let mut content = section(1, &texts);
    content.extend(section(2, &run));
    // All required parts have to be there for the reader to come so far.
    content.extend(section(3, &[0; 8]));
    content.extend(section(5, &[0]));
    assert_eq!(
        payload::read(&content, 1, MINOR, MAX_MEMORY),
        Err(RecordingError::TooLarge)
    );
}

/// A way to damage a profile, and the error that it causes.
type Damage = (fn(&mut Profile), &'static str);

#[test]
fn what_refers_to_nothing_is_refused() {
    let damages: [Damage; 7] = [
        (|p| p.contexts[1].method = Some(99), "context 1 "),
        (|p| p.contexts[1].method = None, "context 1 "),
        (|p| p.contexts[0].parent = Some(3), "before the one above"),
        (|p| p.contexts[3].parent = None, "context 3 "),
        (|p| p.calls[1].callee = 99, "a call mentions"),
        (|p| p.sites[1].method = 99, "a site mentions"),
        (
            |p| p.allocations[0].site = Some(99),
            "an allocation mentions",
        ),
    ];
    for (damage, why) in damages {
        let mut profile = example();
        damage(&mut profile);
        let text = to_recording(&profile).unwrap_err().to_string();
        assert!(text.contains(why), "{text}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_no_reason_to_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(from_recording(&bytes).is_err());
        // Behind head and checksum, where it gets further.
        let sealed = seal(1, &bytes).unwrap();
        let _ = from_recording(&sealed);
    }

    #[test]
    fn any_numbers_come_back(profile in any_profile()) {
        let bytes = to_recording(&profile).unwrap();
        prop_assert_eq!(from_recording(&bytes), Ok(profile));
    }
}

/// The example with texts and numbers that are bound by no identity replaced.
fn any_profile() -> impl Strategy<Value = Profile> {
    let numbers = prop::collection::vec(any::<u64>(), 40);
    let texts = prop::collection::vec(".{0,12}", 12);
    let places = prop::collection::vec(any::<u32>(), 8);
    (numbers, texts, places, any::<i64>()).prop_map(|(numbers, texts, places, seed)| {
        let mut number = numbers.into_iter().cycle();
        let mut number = || number.next().unwrap_or_default();
        let mut text = texts.into_iter().cycle();
        let mut text = || text.next().unwrap_or_default();
        let mut profile = full();
        profile.seed = seed;
        profile.files = vec![text(), text()];
        profile.limits.depth = number();
        profile.cost.steps = number();
        profile.inlined = Some([(text(), number()), (text(), number())].into());
        for method in &mut profile.methods {
            method.class = text();
            method.source = text();
            method.cumulative = number();
            method.line = number() as usize;
        }
        for (context, place) in profile.contexts.iter_mut().zip(places) {
            context.block = place;
        }
        for site in &mut profile.sites {
            site.selector = text();
            site.column = number() as usize;
            site.total = number();
        }
        profile
    })
}
