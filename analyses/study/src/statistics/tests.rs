//! Statistics against published values, and against properties that hold for all data.

use proptest::prelude::*;

use super::ranking::discounted;
use super::*;
use crate::paper;
use crate::results::Line;

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found} is not {expected} within {within}"
    );
}

/// NIST StRD "Norris", as (y, x).
const NORRIS: [(f64, f64); 36] = [
    (0.1, 0.2),
    (338.8, 337.4),
    (118.1, 118.2),
    (888.0, 884.6),
    (9.2, 10.1),
    (228.1, 226.5),
    (668.5, 666.3),
    (998.5, 996.3),
    (449.1, 448.6),
    (778.9, 777.0),
    (559.2, 558.2),
    (0.3, 0.4),
    (0.1, 0.6),
    (778.1, 775.5),
    (668.8, 666.9),
    (339.3, 338.0),
    (448.9, 447.5),
    (10.8, 11.6),
    (557.7, 556.0),
    (228.3, 228.1),
    (998.0, 995.8),
    (888.8, 887.6),
    (119.6, 120.2),
    (0.3, 0.3),
    (0.6, 0.3),
    (557.6, 556.8),
    (339.3, 339.1),
    (888.0, 887.2),
    (998.5, 999.0),
    (778.9, 779.0),
    (10.2, 11.1),
    (117.6, 118.3),
    (228.9, 229.2),
    (668.4, 669.1),
    (449.2, 448.9),
    (0.2, 0.5),
];

#[test]
fn a_line_with_intercept_is_that_of_norris() {
    let points: Vec<(f64, f64)> = NORRIS.iter().map(|(y, x)| (*x, *y)).collect();
    let line = with_intercept(&points).unwrap();
    assert_near(line.intercept, -0.262323073774029, 1e-11);
    assert_near(line.slope, 1.00211681802045, 1e-13);
    assert_near(line.error, 0.884796396144373, 1e-12);
    assert_near(line.slope_error, 0.429796848199937e-3, 1e-14);
    assert_near(line.degrees, 34.0, 0.0);
}

#[test]
fn a_line_through_the_origin_is_that_of_no_intercept_1() {
    // NIST StRD "NoInt1": y = 130 … 140 over x = 60 … 70.
    let points: Vec<(f64, f64)> = (0..11)
        .map(|i| (f64::from(60 + i), f64::from(130 + i)))
        .collect();
    let line = through_origin(&points).unwrap();
    assert_near(line.slope, 2.07438016528926, 1e-13);
    assert_near(line.slope_error, 0.165289256198347e-1, 1e-14);
    assert_near(line.error, 3.56753034006338, 1e-12);
    assert_near(line.degrees, 10.0, 0.0);
    assert_near(
        line.slope_interval.high - line.slope,
        2.228 * line.slope_error,
        1e-4,
    );
}

#[test]
fn students_t_is_what_tables_print() {
    let table = [
        (1.0, 12.706),
        (2.0, 4.303),
        (3.0, 3.182),
        (4.0, 2.776),
        (5.0, 2.571),
        (6.0, 2.447),
        (7.0, 2.365),
        (8.0, 2.306),
        (9.0, 2.262),
        (10.0, 2.228),
        (11.0, 2.201),
        (12.0, 2.179),
        (13.0, 2.160),
        (14.0, 2.145),
        (15.0, 2.131),
        (20.0, 2.086),
        (30.0, 2.042),
        (100.0, 1.984),
        (1000.0, 1.962),
    ];
    for (degrees, t) in table {
        assert_near(t95(degrees).unwrap(), t, 0.0005);
    }
    for many in [1e4, 1e6, 1e9, 1e15, u64::MAX as f64, f64::MAX] {
        assert_near(t95(many).unwrap(), 1.960, 0.0005);
    }
    assert_eq!(t95(0.0), None);
    assert_eq!(t95(-1.0), None);
    assert_eq!(t95(f64::NAN), None);
}

#[test]
fn means_and_deviations_are_those_of_examples() {
    let numbers = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    assert_near(mean(&numbers).unwrap(), 5.0, 1e-15);
    assert_near(deviation(&numbers).unwrap(), (32.0_f64 / 7.0).sqrt(), 1e-15);
    assert_near(
        variation(&numbers).unwrap(),
        20.0 * (32.0_f64 / 7.0).sqrt(),
        1e-12,
    );
    assert_near(median(&numbers).unwrap(), 4.5, 0.0);
    assert_near(median(&[3.0, 1.0, 2.0]).unwrap(), 2.0, 0.0);
    assert_near(geometric_mean(&[1.0, 4.0]).unwrap(), 2.0, 1e-15);
}

#[test]
fn what_a_few_numbers_cannot_tell_is_absent() {
    assert_eq!(mean(&[]), None);
    assert_eq!(median(&[]), None);
    assert_eq!(geometric_mean(&[]), None);
    assert_eq!(deviation(&[1.0]), None);
    assert_eq!(variation(&[1.0, -1.0]), None);
    assert_eq!(pearson(&[(1.0, 2.0)]), None);
    assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)]), None);
    assert_eq!(with_intercept(&[(1.0, 2.0), (2.0, 3.0)]), None);
    assert_eq!(with_intercept(&[(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]), None);
    assert_eq!(through_origin(&[(1.0, 2.0)]), None);
    assert_eq!(through_origin(&[(0.0, 2.0), (0.0, 3.0)]), None);
    assert_eq!(ratio_of_medians(&[(1.0, 2.0), (1.0, 2.0)]), None);
    assert_eq!(ratio_of_medians(&[(1.0, 0.0); 4]), None);
    assert_eq!(instability(&[], 10), None);
    assert_eq!(instability(&[vec![1.0]], 10), None);
    assert_eq!(random_instability(0, 10, 10), None);
    assert_eq!(random_instability(5, 1, 10), None);
}

#[test]
fn equal_numbers_do_not_vary_at_all() {
    assert_eq!(variation(&[0.1; 10]), Some(0.0));
    assert_eq!(deviation(&[123_456_789_012_345_680.0; 7]), Some(0.0));
    assert_eq!(variation(&[0.0, 0.0]), Some(0.0));
}

#[test]
fn correlations_are_those_of_examples() {
    // Anscombe 1973, the first of four.
    let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
    let y = [
        8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
    ];
    let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
    assert_near(pearson(&points).unwrap(), 0.816_420_516_344_843_6, 1e-12);
    // Hours of television and intelligence quotients: the example of many texts, ρ = −29/165.
    let quotients = [
        106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0,
    ];
    let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
    let points: Vec<(f64, f64)> = quotients.into_iter().zip(hours).collect();
    assert_near(spearman(&points).unwrap(), -29.0 / 165.0, 1e-12);
    // Equal values have the mean of their ranks: (1, 2.5, 2.5, 4) against (1, 2, 3, 4).
    let tied = [(1.0, 10.0), (5.0, 20.0), (5.0, 30.0), (9.0, 40.0)];
    assert_near(spearman(&tied).unwrap(), 0.9_f64.sqrt(), 1e-12);
    let powers = [(1.0, 3.0), (10.0, 300.0), (100.0, 30_000.0), (0.0, 7.0)];
    assert_near(log_pearson(&powers).unwrap(), 1.0, 1e-12);
}

#[test]
fn the_printed_deviations_have_the_published_instability() {
    let found = discounted(paper::RANKING_DEVIATIONS.into_iter());
    assert_near(found, paper::INSTABILITY_OF_TABLE_1, 0.0005);
}

#[test]
fn the_five_printed_rankings_alone_have_another_instability() {
    let places: Vec<Vec<f64>> = (0..9)
        .map(|method| {
            paper::RANKINGS
                .iter()
                .map(|profile| f64::from(profile[method]))
                .collect()
        })
        .collect();
    assert_near(in_the_order_printed(&places), 3.868, 0.0005);
}

/// The paper's order of methods, which is that of its first profile.
fn in_the_order_printed(places: &[Vec<f64>]) -> f64 {
    discounted(places.iter().map(|of| deviation(of).unwrap()))
}

#[test]
fn methods_weigh_by_their_mean_place() {
    let unsteady = vec![5.0, 9.0];
    let steady = vec![1.0, 1.0];
    let expected = deviation(&unsteady).unwrap() / 3.0_f64.ln();
    assert_near(
        instability(&[unsteady.clone(), steady.clone()], 10).unwrap(),
        expected,
        1e-12,
    );
    assert_eq!(instability(&[unsteady, steady], 1), Some(0.0));
}

#[test]
fn the_papers_random_reference_belongs_to_about_ninety_methods() {
    let found = random_instability(91, 10, 10).unwrap();
    assert_near(found, paper::RANDOM_INSTABILITY, 20.0);
    assert!(random_instability(910, 10, 10).unwrap() > 5.0 * found);
}

#[test]
fn a_line_that_could_be_flat_has_no_interval_backwards() {
    let line = Line {
        slope: 1.0,
        slope_interval: crate::results::Interval {
            low: -1.0,
            high: 3.0,
        },
        ..Line::default()
    };
    assert_eq!(read_backwards(&line, 5.0), (Some(5.0), None));
    assert_eq!(read_backwards(&Line::default(), 5.0), (None, None));
}

#[test]
fn equal_sides_have_the_ratio_one() {
    let interval = ratio_of_medians(&[(2.0, 2.0), (3.0, 3.0), (5.0, 5.0), (4.0, 4.0)]).unwrap();
    assert_eq!((interval.low, interval.high), (1.0, 1.0));
}

#[test]
fn coefficients_below_zero_are_left_out() {
    // Least squares would take 2 of the first and −1 of the second; without that it takes the first alone, Σxy / Σx².
    let first = vec![1.0, 2.0, 3.0];
    let second = vec![0.0, 1.0, 1.0];
    let target: Vec<f64> = first
        .iter()
        .zip(&second)
        .map(|(x, y)| 2.0 * x - y)
        .collect();
    let found = non_negative(&[first, second], &target);
    assert_near(found[0], 23.0 / 14.0, 1e-12);
    assert_eq!(found[1], 0.0);
}

#[test]
fn a_column_that_is_another_in_other_units_changes_no_prediction() {
    let first = vec![1.0, 2.0, 3.0, 5.0];
    let again: Vec<f64> = first.iter().map(|x| 1e9 * x).collect();
    let found = non_negative(
        &[first.clone(), again.clone(), vec![0.0; 4]],
        &[2.0, 4.0, 6.0, 10.0],
    );
    assert_eq!(found[2], 0.0);
    for (x, y) in first.iter().zip(&again) {
        assert_near(found[0] * x + found[1] * y, 2.0 * x, 1e-9);
    }
    assert_eq!(non_negative(&[], &[1.0]), Vec::<f64>::new());
    assert_eq!(non_negative(&[vec![]], &[]), [0.0]);
}

fn squares(columns: &[Vec<f64>], target: &[f64], x: &[f64]) -> f64 {
    residuals(columns, target, x).iter().map(|r| r * r).sum()
}

fn residuals(columns: &[Vec<f64>], target: &[f64], x: &[f64]) -> Vec<f64> {
    let given = |row: usize| {
        columns
            .iter()
            .zip(x)
            .map(|(column, x)| column[row] * x)
            .sum::<f64>()
    };
    (0..target.len())
        .map(|row| target[row] - given(row))
        .collect()
}

/// The least squares over the columns of a subset by elimination, if they do not depend on one another.
fn plain_least_squares(columns: &[&Vec<f64>], target: &[f64]) -> Option<Vec<f64>> {
    let n = columns.len();
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(x, y)| x * y).sum::<f64>();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = columns.iter().map(|c| dot(columns[i], c)).collect();
            row.push(dot(columns[i], target));
            row
        })
        .collect();
    for at in 0..n {
        let pivot = (at..n).max_by(|i, j| rows[*i][at].abs().total_cmp(&rows[*j][at].abs()))?;
        rows.swap(at, pivot);
        if rows[at][at].abs() < 1e-9 {
            return None;
        }
        for other in (0..n).filter(|other| *other != at) {
            let factor = rows[other][at] / rows[at][at];
            let taken = rows[at].clone();
            for (x, y) in rows[other].iter_mut().zip(&taken) {
                *x -= factor * y;
            }
        }
    }
    Some((0..n).map(|i| rows[i][n] / rows[i][i]).collect())
}

/// The least sum of squares over all subsets of columns whose least squares are not negative: what no active set method knows of.
fn best_of_subsets(columns: &[Vec<f64>], target: &[f64]) -> f64 {
    let mut best = squares(columns, target, &vec![0.0; columns.len()]);
    for subset in 1_usize..1 << columns.len() {
        let members: Vec<usize> = (0..columns.len())
            .filter(|j| subset & (1 << j) != 0)
            .collect();
        let chosen: Vec<&Vec<f64>> = members.iter().map(|j| &columns[*j]).collect();
        if let Some(found) = plain_least_squares(&chosen, target)
            && found.iter().all(|x| *x >= 0.0)
        {
            let mut x = vec![0.0; columns.len()];
            for (j, value) in members.iter().zip(found) {
                x[*j] = value;
            }
            best = best.min(squares(columns, target, &x));
        }
    }
    best
}

fn problems() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    (1_usize..5, 1_usize..9).prop_flat_map(|(columns, rows)| {
        let column = prop::collection::vec((-20_i32..=20).prop_map(f64::from), rows);
        (prop::collection::vec(column.clone(), columns), column)
    })
}

proptest! {
    #[test]
    fn non_negative_squares_are_the_least((columns, target) in problems()) {
        let found = non_negative(&columns, &target);
        prop_assert!(found.iter().all(|x| *x >= 0.0 && x.is_finite()));
        let least = best_of_subsets(&columns, &target);
        prop_assert!((squares(&columns, &target, &found) - least).abs() <= 1e-6 * (1.0 + least));
    }

    /// Karush, Kuhn and Tucker: no coefficient above 0 would better be another, and none at 0 would better be more.
    #[test]
    fn non_negative_squares_have_nowhere_to_go((columns, target) in problems()) {
        let found = non_negative(&columns, &target);
        let rest = residuals(&columns, &target, &found);
        for (column, x) in columns.iter().zip(&found) {
            let gradient: f64 = column.iter().zip(&rest).map(|(x, r)| x * r).sum();
            prop_assert!(gradient <= 1e-4, "{gradient}");
            prop_assert!(*x == 0.0 || gradient.abs() <= 1e-4, "{gradient} at {x}");
        }
    }

    #[test]
    fn correlations_lie_between_minus_one_and_one(points in prop::collection::vec((-1e6..1e6_f64, -1e6..1e6_f64), 0..12)) {
        let found = correlation(&points);
        for r in [found.pearson, found.rank, found.logarithms].into_iter().flatten() {
            prop_assert!((-1.0..=1.0).contains(&r));
        }
        prop_assert_eq!(found.pearson.is_some(), found.rank.is_some());
    }

    #[test]
    fn ranks_know_order_alone(points in prop::collection::vec((0.1..1e3_f64, 0.1..1e3_f64), 3..12)) {
        let bent: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.powi(3), y.ln())).collect();
        let (straight, bent) = (spearman(&points).unwrap(), spearman(&bent).unwrap());
        prop_assert!((straight - bent).abs() < 1e-12);
    }

    /// The errors of least squares add up to nothing, and are not correlated with x.
    #[test]
    fn the_errors_of_a_line_balance(points in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64), 3..20)) {
        let line = with_intercept(&points).unwrap();
        let errors: Vec<f64> = points.iter().map(|(x, y)| y - line.intercept - line.slope * x).collect();
        let sum: f64 = errors.iter().sum();
        let moment: f64 = points.iter().zip(&errors).map(|((x, _), e)| x * e).sum();
        let scale: f64 = points.iter().map(|(x, y)| x.abs() * (1.0 + y.abs()) + y.abs()).sum();
        prop_assert!(sum.abs() <= 1e-6 * scale && moment.abs() <= 1e-6 * scale * 1e3);
        prop_assert!(line.slope_interval.low <= line.slope && line.slope <= line.slope_interval.high);
    }

    #[test]
    fn an_interval_of_a_ratio_lies_between_the_extremes(pairs in prop::collection::vec((0.1..10.0_f64, 0.1..10.0_f64), 3..8)) {
        let found = ratio_of_medians(&pairs).unwrap();
        let (above, below): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let ends = |of: &[f64]| (of.iter().copied().fold(f64::INFINITY, f64::min), of.iter().copied().fold(0.0, f64::max));
        let ((least, most), (under, over)) = (ends(&above), ends(&below));
        prop_assert!(least / over <= found.low && found.low <= found.high && found.high <= most / under);
        prop_assert_eq!(Some(found), ratio_of_medians(&pairs));
    }

    #[test]
    fn shuffling_loses_nothing(seed: u64, length in 0_usize..50) {
        let mut things: Vec<usize> = (0..length).collect();
        Random::new(seed).shuffle(&mut things);
        things.sort_unstable();
        prop_assert_eq!(things, (0..length).collect::<Vec<_>>());
    }
}
