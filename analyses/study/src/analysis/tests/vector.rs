//! Tests of models by the cost vector, estimates and counter-examples.

use crate::data::{Cost, Role};
use crate::made::{Made, assert_near, cost_of};
use crate::results::{Interval, ModelRow, Regressor};
use crate::study;

/// Costs that differ in kind and size.
fn costs() -> Vec<Cost> {
    let numbers = [
        [900, 10, 400, 60, 30, 900, 2_000, 100],
        [9_000, 500, 3_000, 10, 900, 70_000, 30_000, 2_000],
        [40_000, 90, 9_000, 9_000, 100, 3_000, 90_000, 20_000],
        [70_000, 9_000, 60_000, 500, 9_000, 200_000, 200_000, 1_000],
        [
            500_000, 7_000, 100_000, 50_000, 70_000, 5_000_000, 900_000, 300_000,
        ],
        [
            800_000, 300_000, 500_000, 9_000, 20_000, 900_000, 4_000_000, 50_000,
        ],
        [
            2_000_000, 1_000, 900_000, 700_000, 600_000, 9_000_000, 6_000_000, 400_000,
        ],
    ];
    let costs = numbers.map(cost_of);
    costs.to_vec()
}

/// 8 ns a send, 2 ns a byte and 50 ns a primitive, in milliseconds.
fn time(cost: &Cost) -> f64 {
    (8.0 * cost.sends as f64 + 2.0 * cost.bytes as f64 + 50.0 * cost.primitives as f64) / 1e6
}

fn basket() -> Made {
    let mut made = Made::new();
    for (number, cost) in costs().iter().enumerate() {
        made.whole(&format!("program {number}"), Role::Basket, time(cost), cost);
    }
    made
}

fn named<'m>(models: &'m [ModelRow], name: &str) -> &'m ModelRow {
    models.iter().find(|row| row.name == name).unwrap()
}

#[test]
fn a_model_finds_what_each_count_takes() {
    let models = study(&basket().data()).models;
    assert_eq!(models.len(), 4);
    let found = named(&models, "sends, allocations and primitives");
    let expected = [
        (Regressor::Sends, 8.0),
        (Regressor::Bytes, 2.0),
        (Regressor::Primitives, 50.0),
    ];
    assert_eq!(found.model.nanoseconds.len(), expected.len());
    for ((regressor, each), (named, nanoseconds)) in found.model.nanoseconds.iter().zip(expected) {
        assert_eq!(*regressor, named);
        assert_near(*each, nanoseconds, 1e-6);
    }
    assert_eq!(found.model.programs, 7);
    assert!(found.leave_one_out.median.unwrap() < 1e-6);
    assert!(found.model.spread.unwrap() < 1e-8);
    assert_near(found.correlation.unwrap(), 1.0, 1e-12);
    let vector = named(&models, "the cost vector");
    assert!(vector.leave_one_out.median.unwrap() < 1e-6);
    let alone = named(&models, "sends alone");
    assert!(alone.leave_one_out.median.unwrap() > 10.0);
    assert!(alone.model.spread.unwrap() > 0.1);
}

#[test]
fn a_program_without_its_whole_cost_counts_for_sends_alone() {
    let mut made = basket();
    made.program("counted only", 3.0, 100_000);
    let models = study(&made.data()).models;
    let programs: Vec<u64> = models.iter().map(|row| row.model.programs).collect();
    assert_eq!(programs, [8, 7, 7, 7]);
}

#[test]
fn a_counterexample_is_off_by_sends_and_less_by_the_vector() {
    let mut made = basket();
    let heavy = Cost {
        sends: 1_000,
        bytes: 50_000_000,
        ..Cost::default()
    };
    made.whole("copies", Role::Counterexample, time(&heavy), &heavy);
    made.whole("held out", Role::HeldOut, time(&heavy), &heavy);
    let study = study(&made.data());
    let [row] = &study.counterexamples[..] else {
        panic!("there is one: {:?}", study.counterexamples);
    };
    assert!(row.factor_by_sends.unwrap() > 1_000.0);
    assert_near(row.factor_by_vector.unwrap(), 1.0, 1e-6);
    assert_eq!(row.cost.as_ref(), Some(&heavy));
    let estimate = study.held_out[0].by_vector.unwrap();
    assert_near(estimate.milliseconds, time(&heavy), 1e-6);
    assert!(estimate.interval.low <= estimate.milliseconds);
    assert!(estimate.milliseconds <= estimate.interval.high);
}

#[test]
fn an_interval_is_the_spread_of_logarithms() {
    let mut made = Made::new();
    made.program("one", 10.0, 1_000);
    made.program("two", 200.0, 20_000);
    made.program("odd", 30.0, 6_000);
    let model = study(&made.data()).models[0].model.clone();
    let estimate = model.estimate(&crate::made::sent(5_000)).unwrap();
    // t of two degrees of freedom is 4.3027.
    let reach = 4.3027 * model.spread.unwrap() * (4.0_f64 / 3.0).sqrt();
    let Interval { low, high } = estimate.interval;
    assert_near((high / estimate.milliseconds).ln(), reach, 1e-3);
    assert_near((estimate.milliseconds / low).ln(), reach, 1e-3);
}

#[test]
fn a_model_of_very_many_programs_estimates_at_once() {
    let mut model = study(&basket().data()).models[0].model.clone();
    model.programs = u64::MAX;
    let estimate = model.estimate(&costs()[0]).unwrap();
    let reach = 1.96 * model.spread.unwrap();
    assert_near(
        (estimate.interval.high / estimate.milliseconds).ln(),
        reach,
        0.01,
    );
}
