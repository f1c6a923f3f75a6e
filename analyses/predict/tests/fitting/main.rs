//! Functions of counts: those of known programs, random ones, and tables that no function fits.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use proptest::prelude::*;
use tally_predict::{Class, Fit, Predicted, Table, fit, parameters};
use tally_presentation::Page;

/// A table of values at 1, 2, 3 …
fn table(values: impl IntoIterator<Item = i64>) -> Table {
    let mut text = "n,sends\n".to_string();
    for (n, value) in (1..).zip(values) {
        let _ = writeln!(text, "{n},{value}");
    }
    Table::read(&text).unwrap()
}

fn kind(found: &Fit) -> &'static str {
    match &found.class {
        Class::Exact { kind, .. } => kind,
        Class::Recurrence(_) => "a recurrence",
        Class::Regular(_) => "a 2-regular sequence",
        Class::Approximate(_) => "approximate",
        Class::Table => "a table",
    }
}

/// The value that is predicted, if it is exact.
fn at(found: &Fit, table: &Table, n: i64) -> String {
    match found.value(table, &[n.into()]).unwrap() {
        Predicted::Exact(value) => value.to_string(),
        Predicted::Approximate(value, error) => format!("{value} ± {error}"),
    }
}

fn log(n: i64) -> i64 {
    i64::from(n.ilog2())
}

/// The sends of `OrderedCollection>>add:`, n times: the collection grows at 11, 23, 47 …
fn additions(n: i64) -> i64 {
    let thresholds = std::iter::successors(Some(11), |one| Some(2 * one + 1));
    5 * n + 5 + 11 * thresholds.take_while(|one| *one <= n).count() as i64
}

/// The sends of sorting n sorted elements, more or less: no function of the classes.
fn irregular(n: i64) -> i64 {
    (1..=n)
        .map(|one| log(one) * 7 + (one * one * 37 % 11))
        .sum()
}

/// A count, the largest size of the table, the formula, and its class.
type Case = (fn(i64) -> i64, i64, &'static str, &'static str);

const CASES: &[Case] = &[
    (|n| n * n + n + 1, 24, "n^2 + n + 1", "a polynomial"),
    (|n| 2 * n + 12, 24, "2*n + 12", "a polynomial"),
    (|_| 7, 24, "7", "a polynomial"),
    (
        |n| (n * n * n - n) / 6,
        24,
        "1/6*n^3 - 1/6*n",
        "a polynomial",
    ),
    (
        |n| 2 + 3 * log(n),
        40,
        "3*floor(log2(n)) + 2",
        "a form with logarithms, roots or parts",
    ),
    (
        |n| n * log(n) + 4 * n - 1,
        40,
        "n*floor(log2(n)) + 4*n - 1",
        "a form with logarithms, roots or parts",
    ),
    (
        |n| if n % 2 == 0 { n * n } else { 3 * n },
        40,
        "[n mod 2 = 0]*n^2 + 3*[n mod 2 = 1]*n",
        "a quasi-polynomial",
    ),
    (
        |n| n / 2 * 3 + n % 2,
        40,
        "floor(n/2) + n",
        "a form with logarithms, roots or parts",
    ),
    (
        additions,
        256,
        "5*n + 5 + 11*jumps(11, 2, 1)",
        "a line with jumps",
    ),
    (
        |n| 3 * n + n / 16,
        200,
        "3*n + jumps(16, 1, 16)",
        "a line with jumps",
    ),
    (
        |n| (0..n).fold((1, 1), |(a, b), _| (b, a + b)).0,
        40,
        "sends(n - 1) + sends(n - 2), from sends(1) on 1, 2",
        "a recurrence",
    ),
    (
        |n| 2 * (0..n / 4).fold((1, 1), |(a, b), _| (b, a + b)).0 - 1,
        64,
        "2*sends(n - 4) - sends(n - 12), from sends(1) on 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 5",
        "a recurrence",
    ),
];

#[test]
fn counts_of_programs_have_their_functions() {
    for &(count, most, formula, class) in CASES {
        let table = table((1..=most).map(count));
        let found = fit(&table);
        assert_eq!(found.text(&table).as_deref(), Some(formula), "{class}");
        assert_eq!(kind(&found), class, "{formula}");
        for n in [1, most, most + 1, 2 * most, 85] {
            assert_eq!(
                at(&found, &table, n),
                count(n).to_string(),
                "{formula} at {n}"
            );
        }
        if class != "a recurrence" {
            assert_eq!(
                at(&found, &table, 100_000),
                count(100_000).to_string(),
                "{formula}"
            );
        }
        // One wrong point refutes a function.
        let mut wrong = table.clone();
        *wrong.points.values_mut().last().unwrap() +=
            tally_predict::Rational::from_integer(1.into());
        let refuted = fit(&wrong);
        assert_ne!(refuted.text(&wrong), found.text(&table), "{formula}");
    }
}

/// Comparisons of a merge sort of n elements that are sorted in the worst way.
fn merges(n: i64) -> i64 {
    if n < 2 {
        0
    } else {
        merges(n / 2) + merges(n - n / 2) + n - 1
    }
}

/// Steps of an algorithm that treats halves differently.
fn unequal_halves(n: i64) -> i64 {
    match n {
        ..=4 => n * n,
        _ => 2 * unequal_halves(n / 2) + 5 * (n % 2) + n,
    }
}

/// Functions of algorithms that divide and conquer are known for any size.
#[test]
fn halving_is_understood() {
    let counts: [fn(i64) -> i64; 2] = [merges, unequal_halves];
    for count in counts {
        let table = table((1..=256).map(count));
        let found = fit(&table);
        assert_ne!(kind(&found), "approximate");
        for n in [257, 1_000, 4_095, 4_096, 65_537, 1_234_567] {
            assert_eq!(
                at(&found, &table, n),
                count(n).to_string(),
                "{n}: {found:?}"
            );
        }
    }
    let found = fit(&table((1..=256).map(unequal_halves)));
    assert_eq!(kind(&found), "a 2-regular sequence");
    // Too few points say nothing about halves.
    let few = fit(&table((1..=40).map(unequal_halves)));
    assert_ne!(kind(&few), "a 2-regular sequence");
    // One wrong point refutes.
    let mut wrong = table((1..=256).map(unequal_halves));
    *wrong.points.values_mut().nth(200).unwrap() += tally_predict::Rational::from_integer(1.into());
    assert_eq!(kind(&fit(&wrong)), "approximate");
}

/// The first elements of a table can have other thresholds.
#[test]
fn irregular_beginnings_are_left_out() {
    let thresholds = |n: i64| {
        [5, 9, 21, 45, 93, 189, 381]
            .iter()
            .filter(|one| **one <= n)
            .count()
    };
    let count = |n: i64| 3 * n + 7 * thresholds(n) as i64;
    let table = table((1..=256).map(count));
    let found = fit(&table);
    assert_eq!(
        found.text(&table).as_deref(),
        Some("3*n + 7 + 7*jumps(9, 2, 3)")
    );
    assert_eq!(found.from, Some(5.into()));
    assert_eq!(at(&found, &table, 380), count(380).to_string());
    assert_eq!(at(&found, &table, 2), count(2).to_string());
}

#[test]
fn what_fits_nothing_is_approximate_or_a_table() {
    let sorted = table((1..=64).map(irregular));
    let found = fit(&sorted);
    assert_eq!(kind(&found), "approximate");
    let Predicted::Approximate(value, error) = found.value(&sorted, &[640.into()]).unwrap() else {
        panic!("no approximation");
    };
    let exact = irregular(640) as f64;
    assert!(
        (value - exact).abs() / exact <= 3.0 * error,
        "{value}, {exact}, {error}"
    );
    let queens = table([1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2_680, 14_200]);
    let found = fit(&queens);
    assert_eq!(kind(&found), "a table");
    assert!(found.value(&queens, &[13.into()]).is_err());
    assert_eq!(at(&found, &queens, 8), "92");
    // Too few points for any claim.
    for count in 1..=3 {
        assert_eq!(
            kind(&fit(&table(std::iter::repeat_n(5, count)))),
            "a table",
            "{count}"
        );
    }
    assert_eq!(kind(&fit(&table([3, 5, 7, 9]))), "a table");
    assert_eq!(kind(&fit(&table([3, 5, 7, 9, 11]))), "a polynomial");
}

/// What many forms fit by chance, or what no size between the given ones decides, is not exact.
#[test]
fn claims_are_founded() {
    for values in [
        &[1, 0, 1, 0, 0, 0][..],
        &[2, 1, 1, 0, 0],
        &[1, 0, 2, 0, 2, 1, 1, 0],
        &[0, 0, 1, 0, 1, 0, 1, 1, 1, 0],
    ] {
        assert_eq!(
            kind(&fit(&table(values.iter().copied()))),
            "a table",
            "{values:?}"
        );
    }
    let powers = (0..13).map(|log| format!("{},{}\n", 1 << log, (1 << log) * log - (1 << log) + 1));
    let powers = Table::read(&format!("n,sends\n{}", powers.collect::<String>())).unwrap();
    assert_ne!(
        kind(&fit(&powers)),
        "a form with logarithms, roots or parts"
    );
    // A wrong value refutes. In the first quarter, it refutes only what is said of that quarter.
    for wrong in 1..40 {
        let square = table((1..=100).map(|n| 3 * n * n + i64::from(n == wrong)));
        let found = fit(&square);
        let expected = if wrong > 25 {
            "approximate"
        } else {
            "a polynomial"
        };
        assert_eq!(kind(&found), expected, "{wrong}: {found:?}");
        let from = (wrong <= 25).then(|| (wrong + 1).into());
        assert_eq!(found.from, from, "{wrong}");
        assert!(from.is_none() || found.elsewhere(&[wrong.into()], 100.0).is_err());
        // A value of the table is known.
        assert_eq!(
            at(&found, &square, wrong),
            (3 * wrong * wrong + 1).to_string()
        );
    }
    let noise = (1..=100_u64).map(|n| format!("{n},0.{:03}\n", n * n * 7919 % 97 + 1));
    let noise = Table::read(&format!("n,y\n{}", noise.collect::<String>())).unwrap();
    assert_eq!(kind(&fit(&noise)), "a table");
}

#[test]
fn recurrences_are_followed_in_time() {
    let fibonacci = table((1..=40).map(|n| (0..n).fold((1, 1), |(a, b), _| (b, a + b)).0));
    let found = fit(&fibonacci);
    assert_eq!(at(&found, &fibonacci, 20_000).len(), 4_180);
    let error = found.value(&fibonacci, &[0.into()]).unwrap_err();
    assert_eq!(error.message, "the recurrence begins at 1, and 0 is before");
    assert!(found.value(&fibonacci, &[1_000_000.into()]).is_err());
    let report = found.report(
        &fibonacci,
        &found.values(&fibonacci, &[vec![20_000.into()]]).unwrap(),
        Page::default(),
    );
    assert!(report.contains("≈4.09551e4179"), "{report}");
    let halves = (0..30).map(|n| format!("{n},{}\n", 0.5_f64.powi(n)));
    let halves = Table::read(&format!("n,y\n{}", halves.collect::<String>())).unwrap();
    assert!(fit(&halves).value(&halves, &[1_000_000.into()]).is_err());
}

#[test]
fn tables_that_are_none_are_refused() {
    for (text, message) in [
        ("", "one to 3 columns of parameters"),
        ("n\n1\n", "one to 3 columns of parameters"),
        ("a,b,c,d,y\n1,2,3,4,5\n", "one to 3 columns of parameters"),
        ("n,y\n", "the table has no row"),
        ("n,n,y\n1,1,1\n", "two columns are named n"),
        ("n,n\n1,1\n", "two columns are named n"),
        ("1,2\n2,4\n", "\"1\" is no name"),
        ("n,\n1,1\n", "\"\" is no name"),
        ("n,y\n1,x\n", "row 2: \"x\" is no number"),
        ("n,y\n1,\n", "row 2: \"\" is no number"),
        ("n,y\n1,NaN\n", "is no number"),
        (
            "n,y\n1.5,2\n",
            "row 2: a parameter is a whole number, and 3/2 is not",
        ),
        (
            "n,y\n1,2\n1,3\n",
            "row 3: an earlier row has 2 for the same parameters",
        ),
        ("n,y\n1,2,3\n", "found record with 3 fields"),
    ] {
        let error = Table::read(text).unwrap_err();
        assert!(error.message.contains(message), "{text:?}: {error}");
    }
    let table =
        Table::read("\u{feff}rows, columns ,y\n# a comment\n1,2,-3.5\n 4 , 5 , 1e2\n").unwrap();
    assert_eq!((table.names.len(), table.of.as_str()), (2, "y"));
    for (text, message) in [
        ("rows=1", "the value of columns is missing"),
        ("rows=1,columns=x", "columns is a whole number"),
        (
            "lines=3",
            "there is no parameter lines; there is rows, columns",
        ),
    ] {
        let error = parameters(&table, text).unwrap_err();
        assert!(error.message.contains(message), "{error}");
    }
    assert_eq!(
        parameters(&table, "columns=1e3,rows=-2").unwrap(),
        [(-2).into(), 1_000.into()]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Polynomials of two and three parameters are found from any points that are enough.
    #[test]
    fn polynomials_are_found(
        factors in prop::collection::vec(-9_i64..10, 10),
        points in prop::collection::btree_set((0_i64..12, 0_i64..12, 0_i64..12), 60..90),
    ) {
        let value = |a: i64, b: i64, c: i64| {
            let terms = [1, a, b, c, a * a, a * b, a * c, b * b, b * c, c * c];
            terms.iter().zip(&factors).map(|(term, factor)| term * factor).sum::<i64>()
        };
        let mut text = "a,b,c,work\n".to_string();
        for (a, b, c) in points {
            let _ = writeln!(text, "{a},{b},{c},{}", value(a, b, c));
        }
        let table = Table::read(&text).unwrap();
        let found = fit(&table);
        prop_assert_eq!(kind(&found), "a polynomial");
        let far = found.value(&table, &[1000.into(), 777.into(), 31.into()]).unwrap();
        prop_assert_eq!(far, Predicted::Exact(tally_predict::Rational::from_integer(value(1000, 777, 31).into())));
    }

    /// Recurrences of any order up to 8 are found, or something that says the same.
    #[test]
    fn recurrences_are_found(
        factors in prop::collection::vec(-2_i64..3, 1..6),
        first in prop::collection::vec(-5_i64..6, 6),
    ) {
        let mut values = first[..factors.len()].to_vec();
        while values.len() < 48 {
            let parts = factors.iter().zip(values.iter().rev());
            let next = parts.map(|(factor, value)| i128::from(*factor) * i128::from(*value)).sum::<i128>();
            match i64::try_from(next) {
                Ok(next) => values.push(next),
                Err(_) => break,
            }
        }
        let known = values.len() - 4;
        prop_assume!(known >= 32);
        let table = table(values[..known].iter().copied());
        let found = fit(&table);
        prop_assert!(!matches!(found.class, Class::Table | Class::Approximate(_)), "{:?}", found);
        for (place, value) in values.iter().enumerate().skip(known) {
            prop_assert_eq!(at(&found, &table, place as i64 + 1), value.to_string());
        }
    }

    /// Whatever the text is, it is read or refused, and what is read has a function or none.
    #[test]
    fn any_table_is_read_or_refused(
        head in prop::sample::select(vec!["n,y", "a,b,y", "n", "", "\"n", "a,b,c,d,y", "n,n,y"]),
        cells in prop::collection::vec(prop::sample::select(vec!["1", "2", "-3", "0.5", "1e3", "1e400", "x", "", "\"", "#", "9999999999999999999999"]), 0..60),
        width in 1_usize..4,
    ) {
        let rows = cells.chunks(width).map(|row| row.join(","));
        let text = format!("{head}\n{}", rows.collect::<Vec<_>>().join("\n"));
        if let Ok(table) = Table::read(&text) {
            let found = fit(&table);
            for (at, value) in &table.points {
                if let Ok(Predicted::Exact(predicted)) = found.value(&table, at) {
                    prop_assert_eq!(&predicted, value, "{}", text);
                }
            }
        }
    }
}
