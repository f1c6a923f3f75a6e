//! Wrong designs are refused with their place.

use proptest::prelude::*;
use tally_predict::{Design, ErrorKind, Options, Scheduling, predict};

/// Designs, and what the message about each has.
const WRONG: &[(&str, &str)] = &[
    ("", "1:1: the design ends too early"),
    ("x", "1:2: the design ends too early"),
    ("x = ", "1:5: the design ends too early"),
    ("x = a", "1:5: a has no definition"),
    ("x = 1\nx = 2", "2:1: x is defined twice"),
    ("x = 1 y = 2 x", "1:14: the design ends too early"),
    (
        "x = a; b a = b b = a",
        "1:10: a is a part of its own definition, by b",
    ),
    (
        "x = (0.5: 1 | 0.6: 2)",
        "1:6: probabilities of alternatives sum to 1, and these sum to 11/10",
    ),
    (
        "x = (-1: 1 | 2: 2)",
        "1:6: a probability is not negative, and -1 is",
    ),
    (
        "x = [(1; 0.5) (2; 0.4)]",
        "1:5: probabilities sum to 1, and these sum to 9/10",
    ),
    (
        "x = [(1; -1) (2; 2)]",
        "a probability is not negative, and -1 is",
    ),
    ("x = -3", "a time is not negative, and -3 is"),
    ("x = 1/0", "a number is divided by zero"),
    (
        "x = a^1.5 a = 2",
        "a number of repetitions is whole, and 3/2 is not",
    ),
    (
        "x = a^b a = 2 b = a; a",
        "a number of repetitions is a number or a distribution",
    ),
    ("x = 1 ? 2", "1:7: \"?\" has no meaning here"),
    ("x = )", "1:5: ) cannot stand here"),
    ("x = []", "1:6: ] cannot stand here"),
    ("x = NaN", "1:5: NaN has no definition"),
];

#[test]
fn wrong_designs_are_refused() {
    for (text, message) in WRONG {
        let error = Design::read(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(error.kind, ErrorKind::Usage, "{text}: {error}");
    }
    let deep = format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    for text in ["x = 1^2000000", "x = 1e999", &deep] {
        assert_eq!(Design::read(text).unwrap_err().kind, ErrorKind::Limit);
    }
    let chain: String = (0..5_000)
        .map(|n| format!("a{n} = a{}; 1\n", n + 1))
        .collect();
    let design = Design::read(&format!("{chain}a5000 = 1")).unwrap();
    assert_eq!(
        predict(&design, &Options::default()).unwrap().mean(),
        5_001.0
    );
    let none = Options {
        cpus: 0,
        ..Options::default()
    };
    assert_eq!(predict(&design, &none).unwrap_err().kind, ErrorKind::Usage);
}

#[test]
fn what_no_grid_can_hold_is_refused() {
    let throws = "[(1; 1/2) (2; 1/2)]";
    for text in [
        format!("x = {throws}^5000; 1e25"),
        format!("x = {throws}^1000000; 1e30"),
        format!("x = {throws}{}", "^1000000".repeat(5)),
        format!("x = {throws}{}", "^1000000".repeat(60)),
        "x = (0.5: 1 | 0.5: 1e300)^1000000^1000".to_string(),
        "x = 1e308^1000".to_string(),
        (0..500)
            .map(|n| format!("a{n} = a{}^1000000\n", n + 1))
            .collect::<String>()
            + "a500 = 1",
    ] {
        let design = Design::read(&text).unwrap();
        for steps in [None, Some(10)] {
            let options = Options {
                steps,
                ..Options::default()
            };
            let error = predict(&design, &options).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Limit, "{text}: {error}");
        }
    }
}

/// Long chains and names that double are no deep or long work.
#[test]
fn chains_and_names_that_double_come_to_an_end() {
    let chain = format!("x = 1{}", "^1".repeat(400_000));
    let error = Design::read(&chain).unwrap_err();
    assert_eq!(
        (error.kind, &error.message[..5]),
        (ErrorKind::Limit, "1:1: ")
    );
    for join in ["||", ";"] {
        let rows = (0..60).map(|n| format!("a{n} = a{} {join} a{}\n", n + 1, n + 1));
        let text = format!("{}a60 = 1", rows.collect::<String>());
        let design = Design::read(&text).unwrap();
        for scheduling in [Scheduling::List, Scheduling::Paper] {
            let options = Options {
                cpus: 2,
                scheduling,
                ..Options::default()
            };
            let found = predict(&design, &options);
            match join {
                ";" => assert_eq!(found.unwrap().mean(), (1_u64 << 60) as f64),
                _ => assert_eq!(found.unwrap_err().kind, ErrorKind::Limit),
            }
        }
    }
}

#[test]
fn odd_sizes_are_solved() {
    // A long time beside a short one needs no fine grid.
    let far = Design::read("x = (c || d); b^5000 c = 86400000 d = 0.2 b = [(1; 0.5) (3.7; 0.5)]")
        .unwrap();
    let two = Options {
        cpus: 2,
        ..Options::default()
    };
    let mean = predict(&far, &two).unwrap().mean();
    assert!((mean - 86_411_750.0).abs() < 1e-3, "{mean}");
    // On one CPU the tasks are a sequence, and whole times stay whole.
    let ones = Design::read(&format!("x = ({})", vec!["1"; 70_000].join(" || "))).unwrap();
    let time = predict(&ones, &Options::default()).unwrap();
    assert_eq!(time.quantile(&Options::default().quantiles[0]), 70_000.0);
    // As many times as were measured.
    let measured: String = (0..5_000).map(|n| format!("({n}; 1/5000)")).collect();
    let measured = Design::read(&format!("x = [{measured}]")).unwrap();
    let mean = predict(&measured, &Options::default()).unwrap().mean();
    assert!((mean - 2_499.5).abs() < 1e-6, "{mean}");
}

/// Notations of other tools can be pasted, and names can have any characters.
#[test]
fn notations_are_read() {
    let text = "# A comment\n'Shop>>search:' = IntPMF[(27;0.1)(28;0.9)]; DoublePMF[(1.5;1)]; größe\ngröße = 1e1";
    let design = Design::read(text).unwrap();
    assert_eq!(design.name(), "Shop>>search:");
    let mean = predict(&design, &Options::default()).unwrap().mean();
    assert!((mean - 39.4).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the text is, it is read or refused.
    #[test]
    fn any_text_is_read_or_refused(pieces in prop::collection::vec(prop_oneof![
        Just("x"), Just("="), Just("a"), Just("1"), Just("0.5"), Just("("), Just(")"), Just("["), Just("]"), Just(";"), Just(":"), Just("|"),
        Just("||"), Just("^"), Just("/"), Just("-"), Just("'n'"), Just("#\n"), Just("e5"), Just("‖"), Just("\u{feff}"), Just("IntPMF"), Just("7/8"),
    ], 0..30)) {
        for between in ["", " "] {
            if let Ok(design) = Design::read(&pieces.join(between)) {
                for cpus in 1..4 {
                    let options = Options { cpus, ..Options::default() };
                    if let Ok(found) = predict(&design, &options) {
                        prop_assert!(found.mean() >= 0.0);
                    }
                }
            }
        }
    }
}
