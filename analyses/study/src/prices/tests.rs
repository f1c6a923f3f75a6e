//! Tests of prices by made-up operations whose costs are known.

use std::collections::BTreeMap;

use super::{Calibration, CalibrationError, Counts, Measured, Operation, Point, Stage};
use super::{by_counter, costs, prices, total};
use crate::data::Context;
use crate::made::assert_near;

/// What a unit of each counter costs in the made-up machine.
const TRUE: [(&str, f64); 4] = [
    ("sends", 1.5),
    ("blocks", 3.0),
    ("moved", 0.25),
    ("limbs", 2.0),
];

fn counts(named: &[(&str, f64)]) -> Counts {
    let named = named.iter();
    named
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

/// A point whose runs take the true cost and a disturbance; a run without repetitions takes 100.
fn point(named: &[(&str, f64)], constant: f64, disturbances: &[f64]) -> Point {
    let counts = counts(named);
    let truth: BTreeMap<&str, f64> = TRUE.into_iter().collect();
    let cost: f64 = counts
        .iter()
        .map(|(name, count)| truth[name.as_str()] * count)
        .sum();
    let with = 10.0 * (cost + constant) + 100.0;
    Point {
        size: 1,
        counts,
        repetitions: 10.0,
        runs: disturbances.iter().map(|d| [with + d, 100.0 + d]).collect(),
    }
}

fn operation(name: &str, points: Vec<Point>) -> Operation {
    Operation {
        name: name.to_owned(),
        points,
    }
}

fn stage(counter: &str, operations: Vec<Operation>) -> Stage {
    Stage {
        counter: counter.to_owned(),
        is_common: false,
        is_mixed: false,
        operations,
    }
}

fn measured(stages: Vec<Stage>) -> Measured {
    Measured {
        stages,
        mixed: Vec::new(),
    }
}

const QUIET: [f64; 3] = [0.0, 7.0, 3.0];

/// Copies have a constant part that no counter has. One operation of three is unlike the others.
fn stages() -> Vec<Stage> {
    let copy = |extra: f64| {
        let sizes = [8.0, 64.0, 512.0].into_iter();
        let points =
            sizes.map(|n| point(&[("sends", 1.0), ("moved", n)], 40.0 + extra * n, &QUIET));
        points.collect()
    };
    let add = |n: f64| {
        point(
            &[("limbs", n), ("moved", 8.0 * n), ("sends", 1.0)],
            0.0,
            &QUIET,
        )
    };
    vec![
        stage(
            "moved",
            vec![
                operation("copy", copy(0.0)),
                operation("other copy", copy(0.0)),
                operation("odd copy", copy(9.0)),
            ],
        ),
        stage(
            "sends",
            vec![operation(
                "send",
                vec![point(&[("sends", 4.0)], 0.0, &QUIET)],
            )],
        ),
        stage(
            "blocks",
            vec![
                operation(
                    "block",
                    vec![point(&[("sends", 1.0), ("blocks", 2.0)], 0.0, &QUIET)],
                ),
                operation(
                    "both",
                    vec![point(&[("sends", 9.0), ("blocks", 1.0)], 0.0, &QUIET)],
                ),
                operation(
                    "odd",
                    vec![point(&[("sends", 9.0), ("blocks", 1.0)], 99.0, &QUIET)],
                ),
            ],
        ),
        stage("limbs", vec![operation("add", vec![add(4.0)])]),
    ]
}

#[test]
fn prices_are_found_whatever_is_constant_or_odd() {
    let found = by_counter(&measured(stages()));
    for (name, price) in TRUE {
        assert_near(found[name], price, 0.01);
    }
}

#[test]
fn counters_that_come_together_are_priced_together() {
    let mixture = |sends: f64, blocks: f64, constant: f64| {
        let counts = [("sends", sends), ("blocks", blocks)];
        operation("mixture", vec![point(&counts, constant, &QUIET)])
    };
    // No operation has one of the counters alone, and one has a cost that no counter has.
    let sends = vec![mixture(3.0, 1.0, 0.0), mixture(9.0, 2.0, 0.0)];
    let blocks = vec![mixture(1.0, 2.0, 0.0), mixture(2.0, 2.0, 90.0)];
    let mut stages = vec![stage("sends", sends), stage("blocks", blocks)];
    for stage in &mut stages {
        stage.is_common = true;
    }
    let found = by_counter(&measured(stages));
    for (name, price) in [("sends", 1.5), ("blocks", 3.0)] {
        assert_near(found[name], price, 0.02);
    }
}

#[test]
fn mixed_operations_set_the_level_of_their_counters_alone() {
    let mut measured = measured(stages());
    for stage in &mut measured.stages {
        stage.is_mixed = stage.counter == "sends" || stage.counter == "blocks";
    }
    // Its sends and blocks take 12 in operations of their own, and twice as much here.
    let counts = [("sends", 4.0), ("blocks", 2.0), ("moved", 40.0)];
    measured.mixed = vec![operation("mixed", vec![point(&counts, 12.0, &QUIET)])];
    let found = by_counter(&measured);
    for (name, price) in [
        ("sends", 3.0),
        ("blocks", 6.0),
        ("moved", 0.25),
        ("limbs", 2.0),
    ] {
        assert_near(found[name], price, 0.01);
    }
}

#[test]
fn an_interval_holds_its_price() {
    let prices = prices(&measured(stages()));
    let names: Vec<&str> = prices.iter().map(|price| price.counter.as_str()).collect();
    assert_eq!(names, ["moved", "sends", "blocks", "limbs"]);
    for price in &prices {
        assert!(price.interval.low <= price.each && price.each <= price.interval.high);
    }
    // One copy of three is odd, so draws differ.
    assert!(prices[0].interval.high > 1.0);
    assert_eq!(prices[0].operations, 3);
}

#[test]
fn an_operation_that_saves_time_costs_nothing() {
    let cheap = point(&[("sends", 1.0)], -5.0, &QUIET);
    let found = by_counter(&measured(vec![stage(
        "sends",
        vec![operation("cheap", vec![cheap])],
    )]));
    assert_near(found["sends"], 0.0, 1e-9);
    let nothing = measured(vec![stage("sends", Vec::new())]);
    assert_eq!(by_counter(&nothing)["sends"], 0.0);
}

#[test]
fn operations_are_shown_with_what_their_units_cost() {
    let costs = costs(&stages());
    let odd = costs
        .iter()
        .find(|cost| cost.operation == "odd copy")
        .unwrap();
    assert_eq!(odd.counter, "moved");
    assert_near(odd.unit.unwrap(), 9.25, 0.01);
    assert_eq!(odd.by_size.len(), 2);
    assert!(odd.errors[2].unwrap() < -90.0);
    let both = costs.iter().find(|cost| cost.operation == "both").unwrap();
    assert_near(both.errors[0].unwrap(), 0.0, 0.5);
}

fn calibration() -> Calibration {
    let context = Context {
        library: "abc".to_owned(),
        model: 2,
        ..Context::default()
    };
    Calibration::new(context, &measured(stages()), &Measured::default())
}

#[test]
fn counts_cost_the_sum_of_their_prices() {
    let calibration = calibration();
    let estimate = calibration.estimate(&counts(&[("sends", 100.0), ("unknown", 9.0)]));
    assert_near(estimate.each, 150.0, 1.0);
    assert!(estimate.interval.low <= estimate.each && estimate.each <= estimate.interval.high);
    assert_eq!(total(&calibration.prices, &Counts::new()).each, 0.0);
}

#[test]
fn a_calibration_is_read_as_it_was_written() {
    let calibration = calibration();
    let text = serde_json::to_string(&calibration).unwrap();
    assert_eq!(Calibration::read(&text, "abc", 2), Ok(calibration));
}

#[test]
fn a_calibration_of_something_else_is_refused() {
    let text = serde_json::to_string(&calibration()).unwrap();
    let refused = |text: &str, library, model| Calibration::read(text, library, model).unwrap_err();
    assert_eq!(
        refused(&text, "def", 2),
        CalibrationError::Library("abc".to_owned())
    );
    assert_eq!(refused(&text, "abc", 3), CalibrationError::CountingModel(2));
    let earlier = text.replace("tally.calibration/2", "tally.calibration/1");
    let schema = "tally.calibration/1".to_owned();
    assert_eq!(
        refused(&earlier, "abc", 2),
        CalibrationError::Schema(schema)
    );
    assert!(matches!(refused("{", "abc", 2), CalibrationError::Form(_)));
    let schema_alone = r#"{"schema": "tally.calibration/2"}"#;
    assert!(matches!(
        refused(schema_alone, "abc", 2),
        CalibrationError::Form(_)
    ));
}

#[test]
fn a_calibration_with_impossible_prices_is_refused() {
    let refuses = |change: fn(&mut Calibration)| {
        let mut changed = calibration();
        change(&mut changed);
        let text = serde_json::to_string(&changed).unwrap();
        matches!(
            Calibration::read(&text, "abc", 2),
            Err(CalibrationError::Price(_))
        )
    };
    assert!(!refuses(|_| ()));
    assert!(refuses(|it| it.prices[0].each = -1.0));
    assert!(refuses(|it| it.prices[0].interval.high = 1e300));
    assert!(refuses(
        |it| it.prices[0].interval.low = it.prices[0].each + 1.0
    ));
}
