//! Baselines come back from bytes or are refused; explanations add up and name what changed first.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;
use tally_presentation::Page;

fn method(name: &str, digest: u64, calls: u64, own: u64) -> MethodCount {
    MethodCount {
        name: name.to_string(),
        digest,
        calls,
        own,
        file: "src/Foo.st".to_string(),
        line: 12,
    }
}

#[test]
fn methods_are_told_with_their_parts_of_the_difference() {
    let old = [
        method("Foo>>bar", 1, 10, 30),
        method("Foo>>same", 2, 5, 5),
        method("Foo>>often", 3, 4, 8),
        method("Foo>>both", 4, 3, 7),
        method("Foo>>gone", 5, 1, 1),
        method("Foo>>less", 6, 2, 4),
        method("Foo>>idle", 7, 1, 1),
    ];
    let new = [
        method("Foo>>bar", 9, 10, 33),
        method("Foo>>same", 2, 5, 5),
        method("Foo>>often", 3, 1004, 2008),
        method("Foo>>both", 4, 4, 10),
        method("Foo>>new", 8, 2, 6),
        method("Foo>>less", 6, 1, 1),
        method("Foo>>idle", 10, 1, 1),
    ];
    let rows = explain(&old, &new);
    let expected = "
      +3  Foo>>bar    src/Foo.st:12  (body changed; 33 sends instead of 30)
       =  Foo>>idle   src/Foo.st:12  (body changed; same sends)
  +2,000  Foo>>often  src/Foo.st:12  (called 1,004 instead of 4 times)
      +6  Foo>>new    src/Foo.st:12  (did not run before)
      +3  Foo>>both   src/Foo.st:12  (called 4 instead of 3 times: +7/3; more sends each time: +2/3)
      -3  Foo>>less   src/Foo.st:12  (called 1 instead of 2 times: -2; fewer sends each time: -1)
      -1  Foo>>gone   src/Foo.st:12  (does not run any more)
";
    let text = explanation_report(&rows, None, Page::default());
    assert_eq!(format!("\n{text}"), expected);
    let short = explanation_report(&rows, Some(3), Page::default());
    assert!(short.ends_with("… 4 more methods: +5\n"), "{short}");
    assert_eq!(short.lines().count(), 4);
}

#[test]
fn methods_that_changed_in_vain_do_not_hide_the_others() {
    let names: Vec<String> = (0..9).map(|number| format!("Foo>>m{number}")).collect();
    let old: Vec<_> = names.iter().map(|name| method(name, 1, 1, 1)).collect();
    let mut new: Vec<_> = names.iter().map(|name| method(name, 2, 1, 1)).collect();
    new.push(method("Bar>>new", 1, 1, 1));
    let text = explanation_report(&explain(&old, &new), Some(10), Page::default());
    assert_eq!(text.matches("body changed").count(), 3, "{text}");
    assert!(text.contains("Bar>>new"), "{text}");
    assert!(text.ends_with("… 6 more methods: =\n"), "{text}");
}

#[test]
fn what_was_never_called_has_no_calls_to_explain_it() {
    let rows = explain(&[method("a", 1, 0, 4)], &[method("a", 1, 0, 7)]);
    assert_eq!(
        (rows[0].by_calls.to_string(), rows[0].by_each.to_string()),
        ("0".to_string(), "+3".to_string())
    );
    let rows = explain(&[method("a", 1, 0, 0)], &[method("a", 1, 3, 7)]);
    assert_eq!(
        (rows[0].by_calls.to_string(), rows[0].by_each.to_string()),
        ("+7".to_string(), "0".to_string())
    );
}

#[test]
fn an_older_baseline_explains_nothing() {
    let tests = [(
        "T>>a".to_string(),
        vec![method("x", 1, 1, 3), method("y", 1, 1, 4)],
    )];
    let baseline = Baseline {
        tests: tests.into(),
    };
    assert_eq!(baseline.methods_of("T>>a", 7).map(<[_]>::len), Some(2));
    assert_eq!(baseline.methods_of("T>>a", 8), None);
    assert_eq!(baseline.methods_of("T>>b", 7), None);
}

#[test]
fn what_is_no_baseline_is_refused() {
    let bytes = Baseline::default().to_bytes();
    assert_eq!(Baseline::from_bytes(b""), Err(BaselineError::Version));
    assert_eq!(
        Baseline::from_bytes(b"tally baseline 2\n12345678"),
        Err(BaselineError::Version)
    );
    assert_eq!(Baseline::from_bytes(HEAD), Err(BaselineError::Damaged));
    assert_eq!(Baseline::from_bytes(&bytes), Ok(Baseline::default()));
    // A row of a method that is not there, under a right checksum.
    let stored = Stored {
        methods: Vec::new(),
        tests: vec![StoredTest {
            name: "T>>a".to_string(),
            counts: vec![(1, 2, 3)],
        }],
    };
    let mut bytes = HEAD.to_vec();
    bytes.extend(postcard::to_allocvec(&stored).unwrap());
    bytes.extend(checksum(&bytes));
    assert_eq!(Baseline::from_bytes(&bytes), Err(BaselineError::Damaged));
    let errors = [BaselineError::Version, BaselineError::Damaged].map(|error| error.to_string());
    assert_eq!(
        errors,
        [
            "it was not written by this version of Tally",
            "it is damaged"
        ]
    );
}

#[test]
fn a_profile_gives_the_counts_of_its_methods() {
    let profile = crate::examples::words();
    let counts = MethodCount::of_profile(&profile);
    let own: u64 = counts.iter().map(|count| count.own).sum();
    assert_eq!(own, profile.cost.sends);
    assert_eq!(counts.len(), profile.methods.len());
}

fn counts() -> impl Strategy<Value = Vec<MethodCount>> {
    let count = || prop_oneof![4 => 0u64..30, 1 => any::<u64>()];
    let one = ("[a-d]", 0u64..3, count(), count());
    proptest::collection::vec(
        one.prop_map(|(name, digest, calls, own)| method(&name, digest, calls, own)),
        0..6,
    )
}

proptest! {
    #[test]
    fn baselines_come_back(tests in proptest::collection::btree_map("[a-c]{1,3}", counts(), 0..5)) {
        let baseline = Baseline { tests };
        prop_assert_eq!(Baseline::from_bytes(&baseline.to_bytes()), Ok(baseline));
    }

    #[test]
    fn damage_is_noticed(
        tests in proptest::collection::btree_map("[a-c]{1,3}", counts(), 0..5),
        at in any::<prop::sample::Index>(), byte in any::<u8>(), is_cut in any::<bool>()
    ) {
        let bytes = Baseline { tests }.to_bytes();
        let mut changed = bytes.clone();
        let at = at.index(bytes.len());
        match is_cut {
            true => changed.truncate(at),
            false => changed[at] = byte,
        }
        prop_assert!(changed == bytes || Baseline::from_bytes(&changed).is_err());
    }

    #[test]
    fn any_content_under_a_right_checksum_is_read_or_refused(content in proptest::collection::vec(any::<u8>(), 0..80)) {
        let mut bytes = HEAD.to_vec();
        bytes.extend(content);
        bytes.extend(checksum(&bytes));
        if let Ok(baseline) = Baseline::from_bytes(&bytes) {
            prop_assert_eq!(Baseline::from_bytes(&baseline.to_bytes()), Ok(baseline));
        }
    }

    #[test]
    fn the_parts_add_up(old in counts(), new in counts()) {
        for row in explain(&old, &new) {
            let (_, _, denominator) = row.by_calls.fraction();
            let parts = [row.by_calls, row.by_each].map(|part| {
                let (is_negative, numerator, of) = part.fraction();
                prop_assert!(of == denominator || part.is_nothing());
                Ok(if is_negative { -BigInt::from(numerator) } else { BigInt::from(numerator) })
            });
            let [by_calls, by_each] = parts;
            let whole = BigInt::from(row.difference()) * denominator.max(row.by_each.fraction().2);
            prop_assert_eq!(by_calls? + by_each?, whole);
        }
    }

    #[test]
    fn the_rows_add_up_to_the_difference_and_what_changed_is_first(
        old in counts(), new in counts(), limit in proptest::option::of(0usize..4)
    ) {
        let sum = |counts: &[MethodCount]| {
            let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
            for count in counts {
                let sum = sums.entry(&count.name).or_default();
                *sum = sum.saturating_add(count.own);
            }
            sums.values().map(|own| i128::from(*own)).sum::<i128>()
        };
        let rows = explain(&old, &new);
        let whole: i128 = rows.iter().map(Explained::difference).sum();
        prop_assert_eq!(whole, sum(&new) - sum(&old));
        let is_changed: Vec<bool> = rows.iter().map(|row| row.body == Body::Changed).collect();
        prop_assert!(is_changed.is_sorted_by_key(|is_changed| !is_changed));
        let report = explanation_report(&rows, limit, Page::default());
        prop_assert!(report.lines().count() <= limit.unwrap_or(rows.len()) + 1);
    }
}
