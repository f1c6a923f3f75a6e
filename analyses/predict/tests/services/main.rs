//! Services: functions that are learnt from runs, checked and predicted; their files, bounds and crossings. The programs are functions of Rust that say what they would count.

#![allow(clippy::unwrap_used)]

mod files;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use tally_predict::{
    Bound, Function, Learnt, Observation, Predicted, Service, Sizes, Wanted, crossings,
    largest_within, learn,
};

/// What a program sends in each of its contexts.
type Program = fn(&[i64]) -> Vec<u64>;

const COUNTERS: &[&str] = &["sends"];

fn observation(counts: &[u64]) -> Observation {
    let contexts = counts.iter().enumerate();
    Observation {
        ticks: counts.iter().sum(),
        bytes: 0,
        contexts: contexts
            .map(|(place, count)| (format!("Thing>>part{place}"), vec![*count]))
            .collect::<BTreeMap<_, _>>(),
    }
}

/// The function of a program, and the sizes at which it was run.
fn learnt(program: Program, sizes: &[&str]) -> (Function, Vec<Vec<i64>>) {
    let texts: Vec<String> = sizes.iter().map(|text| (*text).to_string()).collect();
    let sizes = Sizes::read(&texts).unwrap();
    let mut ran = Vec::new();
    let mut run = |at: &[i64], wanted: Wanted| -> Result<Option<Observation>, String> {
        ran.push(at.to_vec());
        let found = observation(&program(at));
        let is_short = wanted.most_ticks.is_none_or(|most| found.ticks <= most);
        Ok(is_short.then_some(found))
    };
    let mut learnt = learn(&sizes, COUNTERS, &mut run).unwrap();
    (learnt.functions.remove(0), ran)
}

fn service(program: Program) -> Service {
    let (function, _) = learnt(program, &[]);
    Service {
        name: "Thing>>part".to_string(),
        expression: "Thing new part: n".to_string(),
        model: 2,
        library: "0".to_string(),
        parameters: function.table.names.clone(),
        functions: vec![function],
        ended: None,
    }
}

fn exactly(function: &Function, at: &[i64]) -> String {
    let at: Vec<BigInt> = at.iter().map(|one| BigInt::from(*one)).collect();
    match function.value(&at) {
        Ok(Predicted::Exact(value)) => value.to_string(),
        other => format!("{other:?}"),
    }
}

fn thresholds(n: i64, first: i64) -> u64 {
    let all = std::iter::successors(Some(first), |one| Some(2 * one + 1));
    all.take_while(|one| *one <= n).count() as u64
}

#[test]
fn sums_of_contexts_are_found_where_totals_are_irregular() {
    let program: Program = |at| {
        let n = at[0] as u64;
        let (odd, even) = (n % 2 * 3, thresholds(at[0], 11) * 11);
        vec![n * n, 2 * n * n, odd, even, thresholds(at[0], 7) * 5]
    };
    let (function, ran) = learnt(program, &[]);
    assert_eq!(function.class(), "exact", "{:?}", function.text());
    assert!(function.parts.len() > 1);
    // n² and 2·n² are one part.
    let joined = function.parts.iter().find(|part| part.contexts.len() == 2);
    assert_eq!(joined.unwrap().contexts, ["Thing>>part0", "Thing>>part1"]);
    for n in [65, 1_000, 4_321, 100_000] {
        let all: u64 = program(&[n]).iter().sum();
        assert_eq!(exactly(&function, &[n]), all.to_string(), "{n}");
    }
    assert!(ran.len() < 600, "{}", ran.len());
}

/// Another algorithm from 1,000 elements on, and a third one from 5,000 on.
#[test]
fn thresholds_above_the_first_sizes_are_found() {
    let program: Program = |at| {
        let n = at[0] as u64;
        vec![match n {
            ..1_000 => 5 * n + 3,
            1_000..5_000 => 2 * n + 100,
            _ => 3 * n * (n % 2) + 7,
        }]
    };
    let (function, _) = learnt(program, &[]);
    assert_eq!(function.class(), "exact");
    for n in [63, 999, 1_000, 1_001, 4_999, 5_000, 5_001, 777_777] {
        assert_eq!(
            exactly(&function, &[n]),
            program(&[n])[0].to_string(),
            "{n}"
        );
    }
    let text = function.text().unwrap();
    assert!(
        text.starts_with("5*n + 3 + [n >= 1000]*(-3*n + 97)"),
        "{text}"
    );
}

/// A rule that ends far above the first sizes holds up to there.
#[test]
fn functions_hold_up_to_where_they_were_right() {
    let program: Program = |at| {
        let n = at[0] as u64;
        let noise = n.wrapping_mul(6_364_136_223_846_793_005) >> 60;
        vec![if n < 5_000 { 7 } else { 7 + noise }]
    };
    let (function, _) = learnt(program, &[]);
    assert_eq!(function.class(), "exact");
    assert_eq!(exactly(&function, &[2_000]), "7");
    let until = function.until.clone().unwrap();
    assert!((3_000..5_000).contains(&i64::try_from(until).unwrap()));
    let error = function.value(&[1_000_000.into()]).unwrap_err();
    assert!(
        error.message.starts_with("the function holds up to"),
        "{error}"
    );
}

/// What begins between the first sizes and the last ones is a threshold, too.
#[test]
fn thresholds_among_the_first_sizes_are_found() {
    let program: Program = |at| {
        let n = at[0] as u64;
        vec![if n > 300 { 3 * n + 1 } else { 1 }]
    };
    let (function, _) = learnt(program, &[]);
    assert_eq!(function.text().unwrap(), "1 + [n >= 301]*(3*n)");
}

/// What is seldom and large is not averaged away.
#[test]
fn seldom_costs_are_not_hidden() {
    let seldom: Program = |at| {
        vec![match at[0] % 37 {
            0 => 500 * at[0] as u64,
            _ => 11,
        }]
    };
    assert_eq!(learnt(seldom, &[]).0.class(), "table");
    let (function, _) = learnt(|at| vec![5 * at[0] as u64], &["n=3..40"]);
    assert!(function.value(&[2.into()]).is_err());
    assert!(function.value(&[(-7).into()]).is_err());
}

/// Steps that follow a rule go on where nothing was run.
#[test]
fn thresholds_with_a_rule_go_on() {
    let program: Program = |at| {
        let steps = std::iter::successors(Some(3_071_u64), |one| Some(2 * one + 1));
        let steps = steps.take_while(|one| *one <= at[0] as u64);
        vec![at[0] as u64 + steps.map(|one| 2 * one).sum::<u64>()]
    };
    let (function, _) = learnt(program, &[]);
    assert_eq!(function.text().unwrap(), "n + 2*thresholds(3071, 2, 1)");
    assert_eq!(
        exactly(&function, &[1 << 40]),
        program(&[1 << 40])[0].to_string()
    );
}

#[test]
fn what_does_not_go_on_is_no_exact_function() {
    // From 700 on there is no rule.
    let program: Program = |at| {
        let n = at[0] as u64;
        let noise = n.wrapping_mul(6_364_136_223_846_793_005) >> 57;
        vec![if n < 700 { 4 * n } else { 4 * n + noise }]
    };
    let (function, _) = learnt(program, &[]);
    assert_eq!(function.class(), "approximate");
    assert!(function.refuted.is_some());
    let Predicted::Approximate(value, error) = function.value(&[50_000.into()]).unwrap() else {
        panic!("no approximation");
    };
    let counted = program(&[50_000])[0] as f64;
    assert!(
        (value - counted).abs() / counted <= 3.0 * error,
        "{value} {error}"
    );
    // Nothing is known about it at all.
    let wild: Program = |at| vec![(at[0] as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48];
    let (function, _) = learnt(wild, &[]);
    assert_eq!(function.class(), "table");
    assert!(function.value(&[(1_i64 << 50).into()]).is_err());
    assert_eq!(exactly(&function, &[20]), wild(&[20])[0].to_string());
}

#[test]
fn long_runs_end_the_learning() {
    let program: Program = |at| vec![1 << at[0].min(62)];
    let (function, ran) = learnt(program, &[]);
    assert_eq!(function.class(), "exact");
    assert_eq!(
        exactly(&function, &[100]),
        BigInt::from(1)
            .pow(1)
            .checked_mul(&(BigInt::from(1) << 100))
            .unwrap()
            .to_string()
    );
    assert!(ran.iter().all(|at| at[0] <= 32), "{ran:?}");
    let mut endless = |_: &[i64], _: Wanted| Ok::<_, String>(None);
    let found = learn(&Sizes::default(), COUNTERS, &mut endless).unwrap();
    assert_eq!(found.functions, []);
}

#[test]
fn several_parameters_have_polynomials() {
    let program: Program = |at| {
        let [rows, columns, times] = [at[0] as u64, at[1] as u64, at[2] as u64];
        vec![rows * columns * times * 9 + rows * 2, 5 * times + 1]
    };
    let sizes = ["rows=1..6", "columns=1..6", "times=0..4"];
    let (function, ran) = learnt(program, &sizes);
    assert_eq!(function.class(), "exact");
    assert_eq!(
        function.text().unwrap(),
        "9*rows*columns*times + 2*rows + 5*times + 1"
    );
    assert_eq!(
        exactly(&function, &[100, 200, 30]),
        (100 * 200 * 30 * 9 + 200 + 151).to_string()
    );
    assert_eq!(
        function.checked.first().unwrap(),
        &[9.into(), 9.into(), 5.into()]
    );
    assert!(ran.len() > 6 * 6 * 5);
}

/// A size that was not given need not be possible.
#[test]
fn failures_of_sizes_that_were_not_given_are_no_errors() {
    let mut run = |at: &[i64], wanted: Wanted| match (at[0] > 100, wanted.is_needed) {
        (false, _) => Ok(Some(observation(&[3 * at[0] as u64]))),
        (true, false) => Ok(None),
        (true, true) => Err("too large"),
    };
    let Learnt { functions, ended } = learn(&Sizes::default(), COUNTERS, &mut run).unwrap();
    assert_eq!(ended, Some(vec![128.into()]));
    assert_eq!(functions[0].text().unwrap(), "3*n");
    assert_eq!(functions[0].checked, [[99.into()]]);
    let sizes = Sizes::read(&["n=90..110".to_string()]).unwrap();
    assert_eq!(learn(&sizes, COUNTERS, &mut run), Err("too large"));
}

#[test]
fn sizes_are_read_or_refused() {
    let read = |texts: &[&str]| {
        Sizes::read(
            &texts
                .iter()
                .map(|text| (*text).to_string())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(read(&["n=3,1..2,2"]).unwrap().points, [[1], [2], [3]]);
    let both = read(&["a=1..2", "b=5,7"]).unwrap();
    assert_eq!(both.points, [[1, 5], [2, 5], [1, 7], [2, 7]]);
    for (texts, message) in [
        (&["n"][..], "sizes are given like n=1..64,100"),
        (&["n="], "sizes are given like"),
        (&["n=3..1"], "sizes are given like"),
        (&["n=1..x"], "sizes are given like"),
        (&["N=1"], "no name of a variable"),
        (&["self=1"], "no name of a variable"),
        (&["n=1", "n=2"], "is given twice"),
        (&["n=1..100000"], "at most 10000 sizes"),
        (
            &["n=-9223372036854775808..9223372036854775807"],
            "at most 10000 sizes",
        ),
        (&["a=1..100", "b=1..101"], "at most 10000 sizes"),
        (&["a=1", "b=1", "c=1", "d=1"], "at most 3 parameters"),
    ] {
        let error = read(texts).unwrap_err();
        assert!(error.message.contains(message), "{texts:?}: {error}");
    }
}

#[test]
fn bounds_are_kept_up_to_the_largest_input() {
    let square = service(|at| vec![(at[0] * at[0] + 3) as u64]);
    let within = |text: &str| largest_within(&square, &Bound::read(text).unwrap());
    for (text, largest) in [
        ("10^9 sends", "31622"),
        ("1e18 sends", "999999999"),
        ("100 sends", "9"),
        ("4 sends", "1"),
        ("67_108_867 sends", "8192"),
    ] {
        let (n, _) = within(text).unwrap().unwrap();
        assert_eq!(n.to_string(), largest, "{text}");
    }
    assert!(within("3 sends").is_err());
    assert!(within("3 objects").is_err());
    let constant = service(|_| vec![7]);
    assert_eq!(
        largest_within(&constant, &Bound::read("9 sends").unwrap()),
        Ok(None)
    );
    for text in [
        "",
        "sends",
        "10 apples",
        "x sends",
        "10^x sends",
        "9^9999 sends",
    ] {
        assert!(Bound::read(text).is_err(), "{text}");
    }
}

#[test]
fn services_cross_where_their_costs_do() {
    let linear = service(|at| vec![3_100 * at[0] as u64 + 5]);
    let square = service(|at| vec![(at[0] * at[0]) as u64]);
    let found = crossings(&square, &linear, "sends").unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|one| (one.from.to_string(), one.order))
        .collect();
    use std::cmp::Ordering::{Greater, Less};
    assert_eq!(
        found,
        [("1".to_string(), Less), ("3101".to_string(), Greater)]
    );
    let same = crossings(&linear, &linear, "sends").unwrap();
    assert_eq!(same.len(), 1);
    assert!(crossings(&linear, &square, "work").is_err());
}
