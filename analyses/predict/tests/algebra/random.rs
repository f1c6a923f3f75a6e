//! Random designs against an enumeration of all outcomes, which shares no code with the crate.

use std::cell::Cell;
use std::collections::BTreeMap;

use num_traits::ToPrimitive;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use tally_predict::{Design, Exact, Grid, Options, Pmf, Scheduling, predict};

use super::{exactly, rational};

/// An expression. Times are whole, probabilities parts of 8.
#[derive(Clone, Debug)]
enum Tree {
    Time(Vec<(i64, i64)>),
    Sequence(Vec<Tree>),
    Alternatives(Vec<(i64, Tree)>),
    Loop(Box<Tree>, Vec<(i64, i64)>),
    Parallel(Vec<Tree>),
}

/// The most outcomes of a tree.
const MOST: usize = 3_000;

/// An outcome: what happens, as numbers of ticks and tasks, and its weight over a power of 8.
#[derive(Clone, Debug)]
enum Happening {
    Takes(i64),
    Then(Vec<Happening>),
    Together(Vec<Happening>),
}

type Outcomes = Vec<(Happening, i128, i128)>;

fn product(parts: Vec<Outcomes>, join: fn(Vec<Happening>) -> Happening) -> Option<Outcomes> {
    let mut all: Vec<(Vec<Happening>, i128, i128)> = vec![(Vec::new(), 1, 1)];
    for part in parts {
        if all.len() * part.len() > MOST {
            return None;
        }
        let mut next = Vec::new();
        for (before, weight, scale) in &all {
            for (happening, more, below) in &part {
                let mut list = before.clone();
                list.push(happening.clone());
                next.push((list, weight.checked_mul(*more)?, scale.checked_mul(*below)?));
            }
        }
        all = next;
    }
    let joined = all.into_iter();
    Some(
        joined
            .map(|(list, weight, scale)| (join(list), weight, scale))
            .collect(),
    )
}

/// All outcomes of a tree; none if there are too many.
fn outcomes(tree: &Tree) -> Option<Outcomes> {
    let all = |parts: &[Tree]| parts.iter().map(outcomes).collect::<Option<Vec<_>>>();
    match tree {
        Tree::Time(points) => Some(
            points
                .iter()
                .map(|(time, part)| (Happening::Takes(*time), i128::from(*part), 8))
                .collect(),
        ),
        Tree::Sequence(parts) => product(all(parts)?, Happening::Then),
        Tree::Parallel(parts) => product(all(parts)?, Happening::Together),
        Tree::Alternatives(parts) => {
            let mut found = Vec::new();
            for (part, tree) in parts {
                for (happening, weight, scale) in outcomes(tree)? {
                    found.push((happening, weight * i128::from(*part), scale.checked_mul(8)?));
                }
            }
            (found.len() <= MOST).then_some(found)
        }
        Tree::Loop(body, counts) => {
            let mut found = Vec::new();
            for (count, part) in counts {
                let bodies = vec![outcomes(body)?; *count as usize];
                for (happening, weight, scale) in product(bodies, Happening::Then)? {
                    found.push((happening, weight * i128::from(*part), scale.checked_mul(8)?));
                }
            }
            (found.len() <= MOST).then_some(found)
        }
    }
}

/// How long an outcome takes.
fn time(happening: &Happening, cpus: usize) -> i64 {
    match happening {
        Happening::Takes(time) => *time,
        Happening::Then(parts) => parts.iter().map(|part| time(part, cpus)).sum(),
        Happening::Together(parts) if cpus == 1 => parts.iter().map(|part| time(part, 1)).sum(),
        Happening::Together(parts) => {
            let mut list: Vec<&Happening> = Vec::new();
            let mut rest: Vec<&Happening> = parts.iter().rev().collect();
            while let Some(one) = rest.pop() {
                match one {
                    Happening::Together(inner) => rest.extend(inner.iter().rev()),
                    other => list.push(other),
                }
            }
            let mut ends = vec![0; cpus];
            for task in list {
                let first = (0..cpus).min_by_key(|cpu| ends[*cpu]).unwrap();
                ends[first] += time(task, cpus);
            }
            ends.into_iter().max().unwrap()
        }
    }
}

/// Whether a task makes tasks, of which there are more than CPUs: this is not predicted.
fn is_refused(tree: &Tree, cpus: usize) -> bool {
    fn most(tree: &Tree) -> usize {
        match tree {
            Tree::Time(_) => 1,
            Tree::Sequence(parts) => parts.iter().map(most).max().unwrap_or(1),
            Tree::Alternatives(parts) => {
                parts.iter().map(|(_, part)| most(part)).max().unwrap_or(1)
            }
            Tree::Loop(body, _) => most(body),
            Tree::Parallel(parts) => parts.iter().map(most).sum(),
        }
    }
    fn flat<'t>(parts: &'t [Tree], all: &mut Vec<&'t Tree>) {
        for part in parts {
            match part {
                Tree::Parallel(inner) => flat(inner, all),
                other => all.push(other),
            }
        }
    }
    match tree {
        Tree::Time(_) => false,
        Tree::Sequence(parts) => parts.iter().any(|part| is_refused(part, cpus)),
        Tree::Alternatives(parts) => parts.iter().any(|(_, part)| is_refused(part, cpus)),
        Tree::Loop(body, _) => is_refused(body, cpus),
        Tree::Parallel(parts) => {
            let mut all = Vec::new();
            flat(parts, &mut all);
            let has_inner = all.iter().any(|task| most(task) > 1);
            cpus > 1 && has_inner && most(tree) > cpus
                || all.iter().any(|task| is_refused(task, cpus))
        }
    }
}

fn text(tree: &Tree) -> String {
    let points = |points: &[(i64, i64)]| {
        let all = points
            .iter()
            .map(|(time, part)| format!("({time}; {part}/8)"));
        format!("[{}]", all.collect::<Vec<_>>().join(" "))
    };
    let joined = |parts: &[Tree], between: &str| {
        let all: Vec<String> = parts.iter().map(text).collect();
        format!("({})", all.join(between))
    };
    match tree {
        Tree::Time(all) => points(all),
        Tree::Sequence(parts) => joined(parts, "; "),
        Tree::Parallel(parts) => joined(parts, " || "),
        Tree::Alternatives(parts) => {
            let all = parts
                .iter()
                .map(|(part, tree)| format!("{part}/8: {}", text(tree)));
            format!("({})", all.collect::<Vec<_>>().join(" | "))
        }
        Tree::Loop(body, counts) => format!("{}^{}", text(body), points(counts)),
    }
}

/// Up to four numbers above 0 that sum to 8.
fn eighths() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::btree_set(1_i64..8, 0..4).prop_map(|cuts| {
        let mut parts = Vec::new();
        let mut before = 0;
        for cut in cuts.into_iter().chain([8]) {
            parts.push(cut - before);
            before = cut;
        }
        parts
    })
}

fn points(most: i64) -> impl Strategy<Value = Vec<(i64, i64)>> {
    let times = prop::collection::vec(0..=most, 4);
    (times, eighths()).prop_map(|(times, parts)| times.into_iter().zip(parts).collect())
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = points(12).prop_map(Tree::Time);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            several.clone().prop_map(Tree::Sequence),
            several.clone().prop_map(Tree::Parallel),
            (prop::collection::vec(inner.clone(), 4), eighths()).prop_map(|(trees, parts)| {
                Tree::Alternatives(parts.into_iter().zip(trees).collect())
            }),
            (inner, points(3)).prop_map(|(body, counts)| Tree::Loop(Box::new(body), counts)),
        ]
    })
}

/// The largest difference of the two distribution functions (Kolmogorov), whose times are whole numbers.
fn distance(grid: &Grid, exact: &Exact) -> f64 {
    let mut differences: BTreeMap<i64, f64> = BTreeMap::new();
    for (time, p) in grid.points() {
        *differences.entry(time.round() as i64).or_default() += p;
    }
    for (time, p) in exact.points() {
        let [time, above, below] =
            [time.numer(), p.numer(), p.denom()].map(|one| one.to_f64().unwrap());
        *differences.entry(time as i64).or_default() -= above / below;
    }
    let sums = differences.values().scan(0.0_f64, |sum, difference| {
        *sum += difference;
        Some(sum.abs())
    });
    sums.fold(0.0, f64::max)
}

/// How many random designs are compared. `PREDICTED=10000 cargo test -p tally-predict` compares more.
fn number_of_designs() -> u32 {
    let wanted = std::env::var("PREDICTED").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1_500)
}

#[test]
fn predictions_are_those_of_all_outcomes() {
    let config = Config {
        cases: number_of_designs(),
        failure_persistence: None,
        max_global_rejects: 1 << 20,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let compared = Cell::new(0);
    let ran = TestRunner::new_with_rng(config, rng).run(&(trees(), 1_usize..5), |(tree, cpus)| {
        let Some(all) = outcomes(&tree).filter(|_| !is_refused(&tree, cpus)) else {
            return Err(TestCaseError::reject("too many outcomes"));
        };
        let text = format!("x = {}", text(&tree));
        let mut sums: BTreeMap<i64, _> = BTreeMap::new();
        for (happening, weight, scale) in all {
            if weight > 0 {
                let p = tally_predict::Rational::new(weight.into(), scale.into());
                *sums.entry(time(&happening, cpus)).or_insert(rational(0, 1)) += p;
            }
        }
        let expected: Vec<_> = sums
            .into_iter()
            .map(|(time, p)| (rational(time, 1), p))
            .collect();
        let found = exactly(&text, cpus, Scheduling::List);
        prop_assert_eq!(found.points(), &expected, "{} on {}", text, cpus);
        let design = Design::read(&text).unwrap();
        let options = Options {
            cpus,
            steps: Some(1 << 12),
            ..Options::default()
        };
        let Pmf::Grid(grid) = predict(&design, &options).unwrap() else {
            panic!("no grid");
        };
        prop_assert!(distance(&grid, &found) < 1e-9, "{} on {}", text, cpus);
        let (mean, variance) = grid.moments_of_points();
        prop_assert!((mean - grid.mean()).abs() < 1e-9 * (1.0 + mean), "{text}");
        prop_assert!(
            (variance - grid.variance()).abs() < 1e-9 * (1.0 + variance),
            "{text}"
        );
        compared.set(compared.get() + 1);
        Ok(())
    });
    ran.unwrap();
    assert!(compared.get() >= number_of_designs().min(1_000));
}
