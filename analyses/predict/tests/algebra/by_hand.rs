//! Numbers that were worked out by hand, and those of document 003 with its flaws.

use tally_predict::{Exact, Scheduling, Times};

use super::{exactly, parts_of, rational};

/// The example of document 003, fig. 1.
const Z: &str = "Z = A; (0.6: B^l | 0.4: C; (D || E || F))
A = 2  B = [(3; 1/2) (5; 1/2)]  l = [(0; 1/4) (1; 1/4) (2; 1/2)]
C = 1  D = 4  E = [(2; 1/2) (6; 1/2)]  F = 3";

#[test]
fn the_example_of_the_document() {
    type Case = (usize, &'static [(i64, i64)], (i64, i64), (i64, i64));
    let cases: [Case; 3] = [
        (
            3,
            &[(2, 6), (5, 3), (7, 11), (8, 3), (9, 8), (10, 6), (12, 3)],
            (74, 10),
            (799, 100),
        ),
        (
            2,
            &[(2, 6), (5, 3), (7, 3), (8, 11), (10, 14), (12, 3)],
            (78, 10),
            (871, 100),
        ),
        (
            1,
            &[(2, 6), (5, 3), (7, 3), (8, 3), (10, 6), (12, 11), (16, 8)],
            (98, 10),
            (2071, 100),
        ),
    ];
    for (cpus, parts, mean, variance) in cases {
        let found = exactly(Z, cpus, Scheduling::List);
        assert_eq!(parts_of(&found, 40), parts, "{cpus}");
        assert_eq!(found.mean(), rational(mean.0, mean.1), "{cpus}");
        assert_eq!(found.variance(), rational(variance.0, variance.1), "{cpus}");
    }
    // A loop that is not executed takes no time. The document's sum begins at 1, and loses that mass.
    let found = exactly(
        "x = b^l b = [(3; 0.5)(5; 0.5)] l = [(0; 0.25)(1; 0.25)(2; 0.5)]",
        1,
        Scheduling::List,
    );
    let parts = [(0, 2), (3, 1), (5, 1), (6, 1), (8, 2), (10, 1)];
    assert_eq!(parts_of(&found, 8), parts);
}

#[test]
fn the_order_of_tasks_matters() {
    let parts = |text: &str| parts_of(&exactly(text, 2, Scheduling::List), 2);
    let names = "D = 4 E = [(2; 1/2) (6; 1/2)] F = 3";
    assert_eq!(parts(&format!("x = D || F || E {names}")), [(5, 1), (9, 1)]);
    assert_eq!(parts(&format!("x = F || E || D {names}")), [(6, 1), (7, 1)]);
    // Groups of tasks are their tasks.
    assert_eq!(
        parts(&format!("x = D || (F || E) {names}")),
        [(5, 1), (9, 1)]
    );
}

/// Two lists of times are merged by adding the longest and the shortest. This treats dependent times as independent, and is not associative.
#[test]
fn the_flaws_of_the_document() {
    let parts = |text: &str, cpus: usize, denominator: i64| {
        parts_of(&exactly(text, cpus, Scheduling::Paper), denominator)
    };
    let coins = "x = y || y y = [(0; 1/2) (10; 1/2)]";
    assert_eq!(parts(coins, 1, 16), [(0, 3), (10, 10), (20, 3)]);
    let found = exactly(coins, 1, Scheduling::Paper);
    assert_eq!(found.variance(), rational(75, 2));
    let right = exactly(coins, 1, Scheduling::List);
    assert_eq!(right.variance(), rational(50, 1));

    let mixed = "x = (D || E) || F D = 4 E = [(2; 1/2) (6; 1/2)] F = 3";
    assert_eq!(parts(mixed, 2, 8), [(5, 1), (6, 5), (7, 2)]);
    let found = exactly(mixed, 2, Scheduling::Paper);
    assert_eq!(found.mean(), rational(49, 8));

    assert_eq!(parts("x = ((6 || 4) || 3) || 3", 2, 1), [(9, 1)]);
    assert_eq!(parts("x = ((3 || 3) || 4) || 6", 2, 1), [(10, 1)]);

    let three = "x = y || y || y y = [(1; 1/2) (2; 1/2)]";
    assert_eq!(parts(three, 2, 64), [(2, 29), (3, 32), (4, 3)]);
    let listed = exactly(three, 2, Scheduling::List);
    assert_eq!(parts_of(&listed, 8), [(2, 3), (3, 4), (4, 1)]);
    assert_eq!(listed.mean(), rational(11, 4));
}

#[test]
fn order_statistics_of_dice() {
    let die = Exact::new((1..=6).map(|side| (rational(side, 1), rational(1, 6)))).unwrap();
    let sorted = Exact::sorted(&vec![die; 3]).unwrap();
    let counts = |one: &Exact| -> Vec<i64> {
        let parts = parts_of(one, 216);
        parts.into_iter().map(|(_, part)| part).collect()
    };
    assert_eq!(counts(&sorted[0]), [1, 7, 19, 37, 61, 91]);
    assert_eq!(counts(&sorted[1]), [16, 40, 52, 52, 40, 16]);
    assert_eq!(counts(&sorted[2]), [91, 61, 37, 19, 7, 1]);
}
