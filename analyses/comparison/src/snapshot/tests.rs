//! Snapshots as text and their differences: round trips, refusals and reports.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tally_presentation::Page;

use super::*;

const TEXT: &str = "\
# tally.counts 2
# model 2
# library 00000000000000ff
# reason: a faster parser
StackTest>>testPop sends=1204 loops=10 activations=300 blocks=2 primitives=800 allocations=4 bytes=96 called=30 work=300000 code=0badcafe
StackTest>>testPush: 'a b' sends=7 loops=0 activations=3 blocks=0 primitives=1 allocations=0 bytes=0 called=0 work=1485 code=00000001
# end
";

fn example() -> Snapshot {
    Snapshot::parse(TEXT).expect("it is written so")
}

fn measured(snapshot: Snapshot) -> TestRun {
    TestRun {
        snapshot,
        ..TestRun::default()
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_string()).collect()
}

#[test]
fn a_snapshot_is_read_as_it_is_written() {
    let snapshot = example();
    assert_eq!(snapshot.library, 255);
    assert_eq!(snapshot.reason.as_deref(), Some("a faster parser"));
    let record = snapshot.tests["StackTest>>testPop"];
    assert_eq!((record.counts.sends, record.counts.bytes), (1204, 96));
    assert_eq!(record.code, Code(0x0bad_cafe));
    assert_eq!(snapshot.tests["StackTest>>testPush: 'a b'"].counts.sends, 7);
    assert_eq!(snapshot.to_text(), TEXT);
}

#[test]
fn a_digest_is_shortened_to_one_that_depends_on_all_of_it() {
    assert_eq!(Code::of(0x0000_0001_0000_0000), Code(1));
    assert_eq!(Code::of(0x1234_5678_0000_0000).to_string(), "12345678");
    assert_eq!(Code::of(0xffff_0000_0000_ffff).to_string(), "ffffffff");
}

#[test]
fn names_and_reasons_stay_on_one_line() {
    let mut snapshot = Snapshot {
        reason: Some("two\nlines\\\u{202e}".to_string()),
        ..example()
    };
    snapshot
        .tests
        .insert("#a\t=1 sends=2".to_string(), TestRecord::default());
    let text = snapshot.to_text();
    assert!(
        text.contains("# reason: two\\nlines\\\\\\u{202e}\n"),
        "{text}"
    );
    assert!(
        text.contains("\n\\#a\\t=1 sends=2 sends=0 loops=0"),
        "{text}"
    );
    assert_eq!(Snapshot::parse(&text), Ok(snapshot));
}

/// A change of the example, and the error that it causes.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "# tally.counts 2\n",
        "# tally.counts 3\n",
        "1: version '3' of this file's notation; this Tally knows versions 1 and 2",
    ),
    (
        "# tally.counts 2\n",
        "# tally.counts 1\n",
        "1: that is not as Tally writes it",
    ),
    (
        "# tally.counts 2\n",
        "",
        "1: expected the first line, `# tally.counts …`, not '# model 2'",
    ),
    (
        "# model 2\n",
        "# model x\n",
        "2: no version of the counting model: 'x'",
    ),
    (
        "# model 2\n",
        "# model 4294967296\n",
        "2: no version of the counting model: '4294967296'",
    ),
    (
        "00ff\n",
        "00FF\n",
        "3: the digest of the library has 16 hexadecimal digits, not '00000000000000FF'",
    ),
    (
        "faster",
        "fas\\ter\\x",
        "4: a backslash in the reason stands before nothing that it belongs to",
    ),
    (
        "testPop sends=1204",
        "testPop sends=12x4",
        "5: no count: 'sends=12x4'",
    ),
    (
        "testPop sends=1204",
        "testPop sends=01204",
        "5: no count: 'sends=01204'",
    ),
    (
        "testPop sends=1204",
        "testPop sends=-1",
        "5: no count: 'sends=-1'",
    ),
    (
        "sends=1204",
        "sends=18446744073709551616",
        "5: 'sends=18446744073709551616' is more than can be counted",
    ),
    (
        "sends=1204 loops=10",
        "loops=10 sends=1204",
        "5: expected sends=…, not 'loops=10'",
    ),
    (
        "sends=1204 loops=10",
        "sends=1204  loops=10",
        "5: expected sends=…, not ''",
    ),
    (
        " code=0badcafe",
        " code=0badcaf",
        "5: expected code=… with 8 hexadecimal digits, not 'code=0badcaf'",
    ),
    (
        "StackTest>>testPop sends=1204",
        " sends=1204",
        "5: a line without a test's name",
    ),
    (
        "testPop sends",
        "test\\Pop sends",
        "5: a backslash in 'StackTest>>test\\Pop' stands before nothing that it belongs to",
    ),
    (
        "testPop sends",
        "\\u{6f}op sends",
        "5: that is not as Tally writes it",
    ),
    (
        "testPush: 'a b'",
        "testPop",
        "6: a second line for 'StackTest>>testPop'",
    ),
    (
        "testPush: 'a b'",
        "testAdd",
        "6: 'StackTest>>testAdd' is out of order: lines are sorted by name, bytewise",
    ),
    (
        "StackTest>>testPop",
        "<<<<<<< HEAD\nStackTest>>testPop",
        "5: a merge left its marks here; take either side, then `tally test --counts update`",
    ),
    (
        "# library",
        "=======\n# library",
        "3: a merge left its marks here; take either side, then `tally test --counts update`",
    ),
    (
        "# end\n",
        "",
        "7: the last line, `# end`, is missing; half of the file is",
    ),
    (
        "# end\n",
        "# end",
        "7: the file ends in the middle of a line; half of it is missing",
    ),
    (
        "# end\n",
        "# end\n\n",
        "8: there is something behind the last line, `# end`",
    ),
    ("# end\n", "\n# end\n", "7: an empty line"),
    (
        "# end\n",
        "# later\n# end\n",
        "7: a comment that does not belong here: '# later'",
    ),
    (
        "# end\n",
        "hello\n# end\n",
        "7: no line of a test, `Class>>selector sends=… … code=…`: 'hello'",
    ),
    (
        "# model 2\n",
        "# model 2\r\n",
        "2: a carriage return: the lines of this file end in a single line feed (with git, `tally.counts text eol=lf` in .gitattributes keeps them so)",
    ),
];

#[test]
fn what_tally_did_not_write_is_refused_with_its_place() {
    for (part, other, message) in REFUSED {
        assert!(TEXT.contains(part), "{part}");
        let error = Snapshot::parse(&TEXT.replacen(part, other, 1)).expect_err(message);
        assert_eq!(error.to_string(), *message);
    }
    let empty = Snapshot::parse("").expect_err("there is nothing in it");
    assert_eq!(
        empty.to_string(),
        "1: the file is empty; without counts there is no such file"
    );
}

#[test]
fn the_difference_tells_what_changed_is_new_and_is_gone() {
    let old = example();
    let mut new = example();
    let record = new
        .tests
        .get_mut("StackTest>>testPop")
        .expect("it is there");
    record.counts.sends = 1207;
    record.counts.allocations = 3;
    record.code = Code(1);
    let pushed = new
        .tests
        .remove("StackTest>>testPush: 'a b'")
        .expect("it is there");
    new.tests.insert("StackTest>>testTop".to_string(), pushed);
    let mut new = measured(new);
    assert_eq!(
        difference(&old, &new).summary(),
        "1 changed, 1 new, 1 not run"
    );
    new.known = Some(names(&["StackTest>>testPop", "StackTest>>testTop"]));
    let difference = difference(&old, &new);
    assert!(!difference.is_same());
    assert_eq!(difference.summary(), "1 changed, 1 new, 1 gone");
    let expected = "\
1 test costs otherwise than tally.counts says:
  StackTest>>testPop  sends        1,204  →  1,207  (+3)
                      allocations      4  →      3  (-1)
1 test is new:
  StackTest>>testTop  sends  7
1 test is gone:
  StackTest>>testPush: 'a b'  sends  7
";
    assert_eq!(difference.check_report(Page::default()), expected);
    let expected = "\
| test | cost | before | after | difference |
| --- | --- | ---: | ---: | ---: |
| `StackTest>>testPop` | sends | 1,204 | 1,207 | +3 |
| `StackTest>>testPop` | allocations | 4 | 3 | -1 |
| `StackTest>>testTop` | sends |  | 7 | new |
| `StackTest>>testPush: 'a b'` | sends | 7 |  | gone |
";
    assert_eq!(difference.markdown(), expected);
}

#[test]
fn the_code_that_ran_tells_tallys_doing_from_the_projects() {
    let old = example();
    let cause = |library: u64, code: u32| {
        let mut new = example();
        new.library = library;
        let record = new
            .tests
            .get_mut("StackTest>>testPop")
            .expect("it is there");
        record.counts.sends += 1;
        record.code = Code(code);
        difference(&old, &measured(new)).changed[0].cause
    };
    assert_eq!(cause(255, 1), Cause::Project);
    assert_eq!(cause(255, 0x0bad_cafe), Cause::Neither);
    assert_eq!(cause(1, 0x0bad_cafe), Cause::Tally);
    assert_eq!(cause(1, 1), Cause::Both);
}

#[test]
fn changes_are_told_by_their_causes_where_tally_is_another_one() {
    let mut new = example();
    new.library = 1;
    for record in new.tests.values_mut() {
        record.counts.sends += 1;
    }
    new.tests
        .values_mut()
        .for_each(|record| record.code = Code(1));
    let difference = difference(&example(), &measured(new));
    let expected = "\
1 test costs otherwise than before (both Tally and the project's code changed):
  StackTest>>testPop  sends  1,204  →  1,205  (+1)
1 test costs otherwise than before (caused by Tally: the project's code that ran is the same):
  StackTest>>testPush: 'a b'  sends  7  →  8  (+1)
";
    assert_eq!(difference.update_report(Page::default()), expected);
}

const OLD_TEXT: &str = "\
# tally.counts 1
# model 1
# library 00000000000000ff
# reason: a faster parser
StackTest>>testPop sends=1204 loops=10 activations=300 blocks=2 primitives=800 allocations=4 bytes=96 code=0badcafe
# end
";

#[test]
fn a_snapshot_of_model_1_is_read_and_has_no_work() {
    let old = Snapshot::parse(OLD_TEXT).expect("it is written so");
    assert_eq!(old.tests["StackTest>>testPop"].counts.work, 0);
    assert_eq!(old.to_text(), OLD_TEXT);
    let with_work = OLD_TEXT.replace(" code=", " called=1 work=2 code=");
    assert!(Snapshot::parse(&with_work).is_err());
}

#[test]
fn the_step_to_model_2_needs_consent_and_compares_what_both_models_count() {
    let old = Snapshot::parse(OLD_TEXT).expect("it is written so");
    let mut new = measured(example());
    new.snapshot.reason = None;
    let refused = old.updated(&new, None, false).expect_err("another model");
    assert_eq!(
        refused.to_string(),
        "the snapshot was taken with version 1 of the counting model (this is 2); --accept-model measures all tests anew"
    );
    new.snapshot
        .tests
        .retain(|name, _| name.ends_with("testPop"));
    let found = difference(&old, &new);
    assert_eq!(found.summary(), "1 unchanged");
    let updated = old.updated(&new, None, true).expect("all tests ran");
    assert_eq!(updated.tests, new.snapshot.tests);
    assert_eq!(updated.reason, old.reason);
    assert!(
        updated
            .to_text()
            .starts_with("# tally.counts 2\n# model 2\n")
    );
    let record = new
        .snapshot
        .tests
        .values_mut()
        .next()
        .expect("there is one");
    record.counts.sends += 1;
    let found = difference(&old, &new);
    let costs: Vec<_> = found.changed[0].costs().collect();
    assert_eq!(costs, [(CostName::Sends, 1204, 1205)]);
}

#[test]
fn work_alone_makes_a_difference() {
    let mut new = example();
    for record in new.tests.values_mut() {
        record.counts.work += 500;
    }
    new.tests.pop_last();
    let report = difference(&example(), &measured(new)).check_report(Page::default());
    let expected = "\
1 test costs otherwise than tally.counts says (neither Tally nor the project's code that ran changed; the tests read, or explore, something that did):
  StackTest>>testPop  work  300,000  →  300,500  (+500)
";
    assert_eq!(report, expected);
}

#[test]
fn counts_alone_make_a_difference() {
    let mut new = example();
    new.tests
        .values_mut()
        .for_each(|record| record.code = Code(7));
    let difference = difference(&example(), &measured(new.clone()));
    assert!(difference.is_same());
    assert_eq!(difference.check_report(Page::default()), "");
    assert_eq!(difference.markdown(), "");
    let updated = example()
        .updated(&measured(new), None, false)
        .expect("it is comparable");
    assert_eq!(updated.reason, example().reason);
    assert_eq!(updated.tests["StackTest>>testPop"].code, Code(7));
}

#[test]
fn an_update_keeps_what_was_not_run_and_drops_what_is_gone() {
    let mut new = measured(example());
    new.snapshot.reason = None;
    new.snapshot
        .tests
        .retain(|name, _| name.ends_with("testPop"));
    let updated = example().updated(&new, Some("why not".to_string()), false);
    let updated = updated.expect("it is comparable");
    assert_eq!(updated.tests, example().tests);
    assert_eq!(updated.reason.as_deref(), Some("why not"));
    new.known = Some(names(&["StackTest>>testPop"]));
    let updated = example()
        .updated(&new, None, false)
        .expect("it is comparable");
    assert_eq!(updated.tests.len(), 1);
    assert_eq!(updated.reason, None);
}

#[test]
fn with_another_library_all_tests_have_to_run() {
    let mut new = measured(example());
    new.snapshot.library = 1;
    let refused = example()
        .updated(&new, None, false)
        .expect_err("the library is another");
    assert_eq!(
        refused.to_string(),
        "the snapshot was taken with another library (00000000000000ff, this is 0000000000000001); \
         --accept-model measures all tests anew"
    );
    assert!(example().updated(&new, None, true).is_ok());
    new.snapshot
        .tests
        .retain(|name, _| name.ends_with("testPop"));
    let refused = example()
        .updated(&new, None, true)
        .expect_err("a test was not run");
    assert_eq!(
        refused.to_string(),
        "with another model or library all tests have to run; StackTest>>testPush: 'a b' did not"
    );
    new.uncounted = names(&["StackTest>>testPush: 'a b'"]);
    let updated = example().updated(&new, None, true).expect("it was skipped");
    assert_eq!(updated.tests.len(), 1);
    new.snapshot.model = 3;
    let both = example().comparability(&new.snapshot).to_string();
    assert!(
        both.contains("with version 2 of the counting model (this is 3) and with another"),
        "{both}"
    );
}

fn counts() -> impl Strategy<Value = TestCounts> {
    let count = || prop_oneof![0u64..20, any::<u64>()];
    let common = proptest::array::uniform9(count());
    let special = proptest::array::uniform7(count());
    let kinds = (any::<bool>(), any::<bool>());
    (common, special, kinds).prop_map(|(counts, more, (has_processors, explores))| {
        let mut all = TestCounts::default();
        for (cost, count) in CostName::ALL.into_iter().zip(counts) {
            all.set(cost, count);
        }
        for (cost, count) in CostName::special_in_snapshots().zip(more) {
            let is_of_exploration = CostName::OF_EXPLORATIONS.contains(&cost);
            let is_there = if is_of_exploration {
                explores
            } else {
                has_processors
            };
            // What is there has a tick, or a state.
            let count = count.max(1);
            all.set(cost, if is_there { count } else { 0 });
        }
        all
    })
}

fn record() -> impl Strategy<Value = TestRecord> {
    (counts(), any::<u32>()).prop_map(|(counts, code)| TestRecord {
        counts,
        code: Code(code),
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z]{0,4}>>test[A-Z]{0,2}",
        "[ #=<>\\\\a\\n\\t\\r|\u{202e}\u{feff}\u{2028}é]{1,8}",
        "(<<<<<<<|=======|>>>>>>>)( [a-z]{1,3})?",
        any::<String>().prop_filter("a test has a name", |name| !name.is_empty()),
    ]
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let tests = proptest::collection::btree_map(name(), record(), 0..6);
    let reason = proptest::option::of(prop_oneof!["[a-z ]{0,12}", any::<String>()]);
    let all = (2..=u32::MAX, any::<u64>(), reason, tests);
    all.prop_map(|(model, library, reason, tests)| Snapshot {
        model,
        library,
        reason,
        tests,
    })
}

proptest! {
    #[test]
    fn every_snapshot_comes_back(snapshot in snapshot()) {
        prop_assert_eq!(Snapshot::parse(&snapshot.to_text()), Ok(snapshot));
    }

    #[test]
    fn half_a_snapshot_is_refused(snapshot in snapshot(), at in any::<prop::sample::Index>()) {
        let text = snapshot.to_text();
        let mut end = at.index(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        prop_assert!(Snapshot::parse(&text[..end]).is_err());
    }

    #[test]
    fn a_changed_byte_is_refused_or_makes_another_snapshot(
        snapshot in snapshot(), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let text = snapshot.to_text();
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(changed) = String::from_utf8(bytes)
            && changed != text
            && let Ok(other) = Snapshot::parse(&changed)
        {
            prop_assert_ne!(other, snapshot);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(# tally.counts [12]\n# model [12]\n# library 0000000000000000\n)?(.|\n){0,60}(# end\n)?") {
        if let Ok(snapshot) = Snapshot::parse(&text) {
            prop_assert_eq!(snapshot.to_text(), text);
        }
    }

    #[test]
    fn an_updated_snapshot_has_no_difference_to_what_it_was_updated_with(
        old in snapshot(), new in snapshot()
    ) {
        let new = TestRun { known: Some(new.tests.keys().cloned().collect()), ..measured(new) };
        let updated = old.updated(&new, None, true);
        prop_assert_eq!(updated.as_ref().map(|s| &s.tests), Ok(&new.snapshot.tests));
        let difference = difference(&updated.unwrap(), &new);
        prop_assert!(difference.is_same());
        prop_assert_eq!(difference.unchanged, new.snapshot.tests.len());
    }

    #[test]
    fn every_test_is_told_once(old in snapshot(), new in snapshot(), is_whole in any::<bool>()) {
        let mut new = measured(new);
        new.known = is_whole.then(|| new.snapshot.tests.keys().cloned().collect());
        let difference = difference(&old, &new);
        let both = difference.changed.len() + difference.unchanged;
        prop_assert_eq!(both + difference.added.len(), new.snapshot.tests.len());
        prop_assert_eq!(both + difference.removed.len() + difference.not_run, old.tests.len());
        let all: BTreeMap<&String, ()> = old.tests.keys().chain(new.snapshot.tests.keys()).map(|name| (name, ())).collect();
        let told = both + difference.added.len() + difference.removed.len() + difference.not_run;
        prop_assert_eq!(all.len(), told);
    }
}

#[test]
fn a_long_list_ends_with_the_number_of_the_rest() {
    let old = example();
    let mut run = measured(Snapshot {
        tests: BTreeMap::new(),
        ..example()
    });
    for number in 0..60 {
        let name = format!("ManyTest>>test{number:02}");
        run.snapshot.tests.insert(name, TestRecord::default());
    }
    run.snapshot
        .tests
        .insert(fixture_name("ManyTest"), TestRecord::default());
    let difference = difference(&old, &run);
    let report = difference.check_report(Page::default());
    assert!(
        report
            .starts_with("60 tests and 1 setUp are new:\n  ManyTest (setUp, tearDown)  sends  0\n"),
        "{report}"
    );
    assert!(report.contains("ManyTest>>test38") && !report.contains("ManyTest>>test39"));
    assert!(report.ends_with("  … and 21 more\n"), "{report}");
    assert_eq!(difference.added.len(), 61, "other formats have all");
}
