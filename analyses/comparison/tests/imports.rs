//! Imported measurements: explanations by calls add up, name the function that changed, and claim nothing that the file
//! does not hold.

use proptest::prelude::*;
use tally_comparison::explanation::{Explained, How, explain, explanation_report};
use tally_comparison::{Measurement, difference, difference_report};
use tally_presentation::Page;
use tally_profiler::{ImportFormat, import};

/// A function of a made-up program: its own count, and its calls: callee, how often, and the counts below.
type Function = (&'static str, u64, &'static [(&'static str, u64, u64)]);

fn measured(text: &str) -> Measurement {
    let name = "callgrind.out.1";
    let format = ImportFormat::of(name, text.as_bytes()).expect("it is callgrind");
    let profile = import(format, name, text.as_bytes(), None).expect("it can be read");
    Measurement::of_profile(&profile)
}

fn program(functions: &[Function]) -> Measurement {
    let mut text = String::from("events: Ir\nfl=a.c\n");
    for (name, own, calls) in functions {
        text.push_str(&format!("fn={name}\n1 {own}\n"));
        for (callee, count, below) in *calls {
            text.push_str(&format!("cfn={callee}\ncalls={count} 1\n1 {below}\n"));
        }
    }
    measured(&text)
}

const OLD: &[Function] = &[
    ("main", 10, &[("parse", 2, 200), ("print", 1, 30)]),
    ("parse", 100, &[("read", 20, 100)]),
    ("print", 20, &[("read", 2, 10)]),
    ("read", 110, &[]),
];

/// `parse` calls `read` twice as often, and each `print` costs 5 more.
const NEW: &[Function] = &[
    ("main", 10, &[("parse", 2, 300), ("print", 1, 35)]),
    ("parse", 100, &[("read", 40, 200)]),
    ("print", 25, &[("read", 2, 10)]),
    ("read", 210, &[]),
];

#[test]
fn a_difference_is_explained_by_the_calls_that_cause_it() {
    let (old, new) = (program(OLD), program(NEW));
    let explanation = explain(&old, &new);
    let report = explanation_report(&explanation.whole, &explanation.unit, None, Page::default());
    assert_eq!(
        report,
        "Why (+105 Ir):\n  \
         +100  parse  a.c:1\n          calls more, each time: parse → read\n    \
         +5  print  a.c:1\n          costs more itself, each time\n"
    );
    let main = explanation.of_method("main").expect("its total differs");
    let parts: Vec<String> = main
        .total
        .parts
        .iter()
        .map(|part| part.part.to_string())
        .collect();
    assert_eq!((main.own.difference, main.total.difference), (0, 105));
    assert_eq!(parts, ["+100", "+5"]);
    assert_eq!(main.total.parts[0].ways[0].how, How::Below);
}

#[test]
fn a_report_has_no_column_of_what_is_not_known() {
    let (old, new) = (program(OLD), program(NEW));
    let report = difference_report(
        &difference(&old, &new),
        Default::default(),
        None,
        Page::default(),
    );
    assert!(
        report.starts_with("240 → 345 Ir (+105, +43.8%).\n"),
        "{report}"
    );
    for word in ["sends", "objects", "blocks", "method", "loop"] {
        assert!(
            !report.replace("send sites", "").contains(word),
            "{word} in {report}"
        );
    }
}

#[test]
fn different_units_are_not_compared() {
    let other = measured("events: Dr\nfl=a\nfn=f\n1 1\n");
    let found = difference(&program(OLD), &other);
    assert!(found.incomparable.iter().any(|why| why.is_absolute()));
    assert_eq!(
        found.incomparable[0].to_string(),
        "the sides count different things: Ir and Dr"
    );
}

/// A function of a random program: its number, its own count, and its calls.
type Row = (u8, u64, Vec<(u8, u64, u64)>);

/// A random program: own counts and calls between eight functions, in cycles too.
fn text(rows: &[Row]) -> String {
    let mut text = String::from("events: Ir\nfl=a.c\n");
    for (function, own, calls) in rows {
        text.push_str(&format!("fn=f{function}\n1 {own}\n"));
        for (callee, count, below) in calls {
            text.push_str(&format!("cfn=f{callee}\ncalls={count} 1\n1 {below}\n"));
        }
    }
    text
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let calls = prop::collection::vec((0_u8..8, 0_u64..50, 0_u64..1000), 0..4);
    prop::collection::vec((0_u8..8, 0_u64..1000, calls), 1..10)
}

/// Whether the parts, and the ways of each part, add up without a remainder.
fn adds_up(explained: &Explained) -> bool {
    // Exact fractions over their common denominator.
    let sum = |parts: Vec<(String, String)>| {
        let parse = |digits: &str| digits.parse::<num_bigint::BigInt>().expect("digits");
        let zero = (parse("0"), parse("1"));
        parts.iter().fold(zero, |(a, b), (c, d)| {
            let (c, d) = (parse(c), parse(d));
            (a * &d + c * &b, b * d)
        })
    };
    let (upper, lower) = sum(explained
        .parts
        .iter()
        .map(|part| part.part.digits())
        .collect());
    let is_whole = upper == lower * explained.difference;
    is_whole
        && explained.parts.iter().all(|part| {
            let (upper, lower) = sum(part.ways.iter().map(|way| way.part.digits()).collect());
            let (own, of_own) = sum(vec![part.part.digits()]);
            upper * of_own == own * lower
        })
}

proptest! {
    #[test]
    fn explanations_of_any_two_graphs_add_up(old in rows(), new in rows()) {
        let (old, new) = (measured(&text(&old)), measured(&text(&new)));
        let explanation = explain(&old, &new);
        prop_assert!(adds_up(&explanation.whole));
        let found = difference(&old, &new);
        prop_assert_eq!(explanation.whole.difference, found.sends_difference());
        for method in &explanation.methods {
            prop_assert!(adds_up(&method.own), "{}", method.name);
            prop_assert!(adds_up(&method.total), "{}", method.name);
        }
        prop_assert!(!explanation.is_unexplained());
    }
}
