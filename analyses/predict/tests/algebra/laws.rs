//! Laws of the operators, exactly and on a grid.

use proptest::prelude::*;
use tally_predict::{Design, Exact, Grid, Options, Pmf, Scheduling, Times, Zoom, predict};

use super::{exactly, rational};

/// A distribution of times that are no multiples of each other.
fn times(most: usize) -> impl Strategy<Value = Exact> {
    prop::collection::vec((0_i64..100_000, 1_i64..50), 1..most).prop_map(|parts| {
        let sum: i64 = parts.iter().map(|(_, part)| part).sum();
        let points = parts
            .iter()
            .map(|(time, part)| (rational(*time, 700), rational(*part, sum)));
        Exact::new(points).unwrap()
    })
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-7 * (1.0 + one.abs())
}

fn mass(grid: &Grid) -> f64 {
    grid.points().map(|(_, p)| p).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sequences_are_commutative_and_associative(a in times(9), b in times(9), c in times(9)) {
        prop_assert_eq!(a.then(&b).unwrap(), b.then(&a).unwrap());
        let left = a.then(&b).unwrap().then(&c).unwrap();
        prop_assert_eq!(&left, &a.then(&b.then(&c).unwrap()).unwrap());
        prop_assert_eq!(left.mean(), a.mean() + b.mean() + c.mean());
        prop_assert_eq!(left.variance(), a.variance() + b.variance() + c.variance());
        prop_assert_eq!(Exact::sorted(&[a.clone(), b]).unwrap().len(), 2);
    }

    #[test]
    fn grids_keep_mass_and_mean(a in times(30), b in times(30), step in 1_u32..400) {
        let zoom = Zoom { step: f64::from(step) / 300.0 };
        let [x, y] = [&a, &b].map(|one| Grid::of(one, &zoom).unwrap());
        let half = rational(1, 2);
        let results = [
            x.clone(),
            x.then(&y).unwrap(),
            Grid::mixture(&[(half.clone(), x.clone()), (half, y.clone())]).unwrap(),
            x.repeated(&Exact::new((0..4).map(|n| (rational(n, 1), rational(1, 4)))).unwrap()).unwrap(),
        ];
        for grid in &results {
            prop_assert!((mass(grid) - 1.0).abs() < 1e-9);
            prop_assert!(grid.corrected_mass() < 1e-9);
            let (mean, variance) = grid.moments_of_points();
            prop_assert!(is_near(mean, grid.mean()), "{mean} {}", grid.mean());
            // Splitting makes the variance larger, by what is carried along.
            prop_assert!(is_near(variance, grid.variance() + grid.added_variance()));
        }
        let sorted = Grid::sorted(&[x.clone(), y.clone()]).unwrap();
        for grid in &sorted {
            prop_assert!((mass(grid) - 1.0).abs() < 1e-9);
        }
        for percent in [1, 20, 50, 80, 99] {
            let quantile = f64::from(percent) / 100.0;
            let longest = sorted[0].quantile(quantile);
            prop_assert!(longest + 1e-9 >= x.quantile(quantile).max(y.quantile(quantile)));
            prop_assert!(sorted[1].quantile(quantile) <= longest);
        }
    }

    /// One transform is as good as one sequence after the other, and transforms as good as sums.
    #[test]
    fn repetitions_are_sequences(a in times(300), count in 0_u32..6) {
        let zoom = Zoom { step: 0.25 };
        let once = Grid::of(&a, &zoom).unwrap();
        let mut sum = Grid::of(&Exact::point(rational(0, 1)), &zoom).unwrap();
        for _ in 0..count {
            sum = sum.then(&once).unwrap();
        }
        let counts = Exact::point(rational(count.into(), 1));
        let repeated = once.repeated(&counts).unwrap();
        prop_assert!(is_near(sum.variance(), repeated.variance()));
        for percent in 1..100 {
            let quantile = f64::from(percent) / 100.0 + 0.0001;
            prop_assert!((sum.quantile(quantile) - repeated.quantile(quantile)).abs() <= 0.25 + 1e-9);
        }
    }

    /// Tasks that need no others are done no later on more CPUs.
    #[test]
    fn more_cpus_are_not_slower(parts in prop::collection::vec(1_i64..40, 1..6)) {
        let tasks: Vec<String> = parts.iter().map(|time| format!("[({time}; 1/2) ({}; 1/2)]", 2 * time + 1)).collect();
        let text = format!("x = {}", tasks.join(" || "));
        let means = (1..=6).map(|cpus| exactly(&text, cpus, Scheduling::List).mean());
        prop_assert!(means.is_sorted_by(|fewer, more| fewer >= more));
    }
}

/// A distribution that is too large for rational numbers is solved on a grid, whose mean and variance are in closed form.
#[test]
fn large_designs_are_solved_on_a_grid() {
    let design =
        Design::read("x = a^n a = [(1.37; 0.25) (2.9; 0.5) (7.001; 0.25)] n = 3000").unwrap();
    let Pmf::Grid(grid) = predict(&design, &Options::default()).unwrap() else {
        panic!("this is too large to be exact");
    };
    let mean = 0.25 * 1.37 + 0.5 * 2.9 + 0.25 * 7.001;
    let squares = 0.25 * 1.37 * 1.37 + 0.5 * 2.9 * 2.9 + 0.25 * 7.001 * 7.001;
    assert!(is_near(grid.mean(), 3000.0 * mean));
    assert!(is_near(grid.variance(), 3000.0 * (squares - mean * mean)));
    let (on_grid, _) = grid.moments_of_points();
    assert!(
        (on_grid - grid.mean()).abs() < 1e-6 * grid.mean(),
        "{on_grid}"
    );
    // A sum of 3,000 times is normal, but for the grid.
    let deviation = grid.variance().sqrt();
    let expected = grid.mean() + 1.6449 * deviation;
    assert!((grid.quantile(0.95) - expected).abs() < 0.01 * deviation + grid.step());
    assert!(grid.added_variance() <= 0.01 * grid.variance());
}

/// Small distributions stay exact on a grid, so splitting does not make the longest of them longer. Of large ones it is known by how much.
#[test]
fn means_of_parallel_tasks_are_right() {
    let solved = |text: &str, cpus: usize| {
        let options = Options {
            cpus,
            ..Options::default()
        };
        match predict(&Design::read(text).unwrap(), &options).unwrap() {
            Pmf::Grid(grid) => grid,
            Pmf::Exact(_) => panic!("exact: {text}"),
        }
    };
    let b = "b = [(1; 0.5) (3.7; 0.3) (3.1234567; 0.2)]";
    // The longest of three: 1 with 1/8, 3.1234567 with 0.343 - 0.125, and else 3.7.
    let longest = 0.125 + 0.218 * 3.123_456_7 + 0.657 * 3.7;
    let grid = solved(&format!("x = (b || b || b)^100000 {b}"), 3);
    assert!(is_near(grid.mean(), 100_000.0 * longest), "{}", grid.mean());
    assert_eq!(grid.shift(), 0.0);
    // Two sums of ten throws each are too large to be exact. The bound is that of the mean.
    let text = format!("x = (b^10 || b^10)^20 {b}");
    let fine = solved(&text, 2);
    let options = Options {
        cpus: 2,
        steps: Some(300),
        ..Options::default()
    };
    let Pmf::Grid(coarse) = predict(&Design::read(&text).unwrap(), &options).unwrap() else {
        panic!("exact");
    };
    assert!((coarse.mean() - fine.mean()).abs() <= coarse.shift() + fine.shift());
    assert!(fine.shift() <= 0.005 * fine.mean());
}
