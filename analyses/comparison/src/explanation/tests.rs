//! Explanations of differences by methods alone: the parts add up, and changed methods come first.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tally_presentation::Page;

use super::*;

pub(crate) fn method(name: &str, digest: u64, calls: u64, own: u64) -> MethodCount {
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
    let rows = explain_methods(&old, &new);
    let expected = "
      +3  Foo>>bar    src/Foo.st:12  (body changed; 33 sends instead of 30)
       =  Foo>>idle   src/Foo.st:12  (body changed; same sends)
  +2,000  Foo>>often  src/Foo.st:12  (called 1,004 instead of 4 times)
      +6  Foo>>new    src/Foo.st:12  (did not run before)
      +3  Foo>>both   src/Foo.st:12  (called 4 instead of 3 times: ≈+2.3; more sends each time: ≈+0.7)
      -3  Foo>>less   src/Foo.st:12  (called 1 instead of 2 times: -2; fewer sends each time: -1)
      -1  Foo>>gone   src/Foo.st:12  (does not run any more)
";
    let text = methods_report(&rows, None, Page::default());
    assert_eq!(format!("\n{text}"), expected);
    let short = methods_report(&rows, Some(3), Page::default());
    assert!(short.ends_with("… 4 more methods: +5\n"), "{short}");
    assert_eq!(short.lines().count(), 4);
}

#[test]
fn methods_that_changed_in_vain_do_not_hide_the_others() {
    let names: Vec<String> = (0..9).map(|number| format!("Foo>>m{number}")).collect();
    let old: Vec<_> = names.iter().map(|name| method(name, 1, 1, 1)).collect();
    let mut new: Vec<_> = names.iter().map(|name| method(name, 2, 1, 1)).collect();
    new.push(method("Bar>>new", 1, 1, 1));
    let text = methods_report(&explain_methods(&old, &new), Some(10), Page::default());
    assert_eq!(text.matches("body changed").count(), 3, "{text}");
    assert!(text.contains("Bar>>new"), "{text}");
    assert!(text.ends_with("… 6 more methods: =\n"), "{text}");
}

#[test]
fn what_was_never_called_has_no_calls_to_explain_it() {
    let rows = explain_methods(&[method("a", 1, 0, 4)], &[method("a", 1, 0, 7)]);
    assert_eq!(
        (rows[0].by_calls.to_string(), rows[0].by_each.to_string()),
        ("=".to_string(), "+3".to_string())
    );
    let rows = explain_methods(&[method("a", 1, 0, 0)], &[method("a", 1, 3, 7)]);
    assert_eq!(
        (rows[0].by_calls.to_string(), rows[0].by_each.to_string()),
        ("+7".to_string(), "=".to_string())
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

pub(crate) fn counts() -> impl Strategy<Value = Vec<MethodCount>> {
    let count = || prop_oneof![4 => 0u64..30, 1 => any::<u64>()];
    let one = ("[a-d]", 0u64..3, count(), count());
    proptest::collection::vec(
        one.prop_map(|(name, digest, calls, own)| method(&name, digest, calls, own)),
        0..6,
    )
}

proptest! {
    #[test]
    fn the_parts_add_up(old in counts(), new in counts()) {
        for row in explain_methods(&old, &new) {
            let whole = Ratio::from(row.difference());
            prop_assert_eq!(row.by_calls.plus(&row.by_each), whole);
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
        let rows = explain_methods(&old, &new);
        let whole: i128 = rows.iter().map(MethodPart::difference).sum();
        prop_assert_eq!(whole, sum(&new) - sum(&old));
        let is_changed: Vec<bool> = rows.iter().map(|row| row.body == Body::Changed).collect();
        prop_assert!(is_changed.is_sorted_by_key(|is_changed| !is_changed));
        let report = methods_report(&rows, limit, Page::default());
        prop_assert!(report.lines().count() <= limit.unwrap_or(rows.len()) + 1);
    }
}
