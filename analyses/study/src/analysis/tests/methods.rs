//! Tests of methods: their times, models of these times, and the stability of rankings.

use crate::data::{Form, MethodRow, Role};
use crate::made::{Made, assert_near, methods, placed, sent};
use crate::paper;
use crate::results::StabilityRow;
use crate::statistics::deviation;
use crate::study;

/// A method with own and total, whose places do not matter.
fn row(name: &str, own: u64, total: u64) -> MethodRow {
    MethodRow {
        name: name.to_owned(),
        own,
        total,
        ..MethodRow::default()
    }
}

#[test]
fn a_methods_time_is_its_share_of_the_samples() {
    let mut made = Made::new();
    made.program("few", 300.0, 9);
    made.program("app", 200.0, 9);
    let sampled = [
        (
            1,
            100.0,
            vec![
                row("A>>all", 10, 100),
                row("A>>half", 50, 50),
                row("A>>rare", 1, 9),
            ],
        ),
        (
            2,
            200.0,
            vec![
                row("A>>all", 10, 50),
                row("A>>half", 20, 25),
                row("A>>rare", 0, 10),
            ],
        ),
    ];
    for (round, milliseconds, listed) in sampled {
        let samples = listed[0].total;
        made.run("app", Form::Sampled, round, milliseconds, sent(9))
            .methods = methods(3, samples, listed);
    }
    let counted = vec![
        row("A>>all", 10, 3_000),
        row("A>>half", 990, 1_500),
        row("A>>rare", 1, 1),
    ];
    made.run("app", Form::Recorded, 1, 1.0, sent(9)).methods = methods(3, 0, counted);
    made.run("few", Form::Sampled, 1, 1.0, sent(9)).methods = methods(0, 5, vec![]);
    made.run("few", Form::Vector, 1, 1.0, sent(9)).methods = methods(0, 0, vec![]);
    let found = study(&made.data()).over_methods;
    let names: Vec<&str> = found.iter().map(|one| &*one.application).collect();
    assert_eq!(names, ["app", "few"]);
    let points: Vec<(&str, f64, f64)> = found[0]
        .points
        .iter()
        .map(|point| (&*point.name, point.milliseconds, point.sends))
        .collect();
    // Met 150 times in all: 100 ms in one round and 200 ms in the other. Half of it: 50 ms and 100 ms. Met 19 times: not
    // known well enough.
    assert_eq!(points.len(), 2);
    assert_eq!(points[0].0, "A>>all");
    assert_near(points[0].1, 150.0, 1e-9);
    assert_near(points[0].2, 3_000.0, 0.0);
    assert_eq!(points[1].0, "A>>half");
    assert_near(points[1].1, 75.0, 1e-9);
    assert_eq!((&found[0].line, &found[0].correlation), (&None, &None));
}

#[test]
fn own_time_is_predicted_from_own_counts() {
    let mut made = Made::new();
    made.program("app", 100.0, 9);
    let counts = [(10, 5, 0), (20, 1, 40), (30, 9, 90), (5, 2, 10), (50, 1, 7)];
    let named = |number: usize| format!("A>>m{number}");
    // A sample for each send and three for each object.
    let sampled = counts
        .iter()
        .enumerate()
        .map(|(number, (sends, _, objects))| {
            let samples = 20 * sends + 60 * objects;
            row(&named(number), samples, samples)
        });
    let counted = counts
        .iter()
        .enumerate()
        .map(|(number, (sends, calls, objects))| MethodRow {
            calls: *calls,
            objects: *objects,
            ..row(&named(number), *sends, *sends)
        });
    let (sampled, counted) = (sampled.collect::<Vec<_>>(), counted.collect::<Vec<_>>());
    made.run("app", Form::Sampled, 1, 100.0, sent(9)).methods = methods(5, 12_000, sampled);
    made.run("app", Form::Vector, 1, 100.0, sent(9)).methods = methods(5, 0, counted);
    let study = study(&made.data());
    let [found] = &study.method_models[..] else {
        panic!("one application has methods: {:?}", study.method_models);
    };
    assert_eq!(found.methods, 5);
    assert_near(found.by_vector.unwrap(), 1.0, 1e-9);
    assert!(found.error_by_vector.unwrap() < 1e-6);
    assert!(found.by_sends.unwrap() < 0.9);
    assert!(found.error_by_sends.unwrap() > 20.0);
    let line = study.over_methods[0].line.as_ref().unwrap();
    assert!(line.slope > 0.0 && line.degrees == 4.0);
}

#[test]
fn rankings_are_as_stable_as_those_of_table_1() {
    let mut made = Made::new();
    made.program("Mondrian", 1.0, 9);
    for (round, places) in (1..).zip(paper::RANKINGS) {
        let listed = places.iter().enumerate();
        let listed = listed.map(|(method, place)| placed(&format!("m{method}"), *place));
        let run = made.run("Mondrian", Form::Sampled, round, 1.0, sent(9));
        run.methods = methods(91, 100, listed.collect());
        let steady = (1..=9).map(|place| placed(&format!("m{place}"), place));
        let run = made.run("Mondrian", Form::Recorded, round, 1.0, sent(9));
        run.methods = methods(80, 0, steady.collect());
    }
    let found = study(&made.data()).stability;
    let [row] = &found[..] else {
        panic!("one application was profiled: {found:?}");
    };
    // In the order of mean places: m1 … m4, m6, m5, m9, m7, m8.
    let order = [0, 1, 2, 3, 5, 4, 8, 6, 7];
    let terms = order.iter().zip(2_u32..).map(|(method, next)| {
        let places: Vec<f64> = paper::RANKINGS
            .iter()
            .map(|of| f64::from(of[*method]))
            .collect();
        deviation(&places).unwrap() / f64::from(next).ln()
    });
    assert_near(row.sampled_total.unwrap(), terms.sum(), 1e-12);
    assert_eq!(row.sampled_total, row.sampled_own);
    assert_eq!((row.counted_total, row.counted_own), (Some(0.0), Some(0.0)));
    assert_eq!((row.profiles, row.methods), (5, 91));
    assert!(row.random > 100.0);
}

#[test]
fn an_unlisted_method_takes_the_first_place_that_is_free() {
    let mut made = Made::new();
    made.program("app", 1.0, 9);
    // The second profile lists the first two, and one that is there for its own.
    let profiles = [
        vec![placed("A>>a", 1), placed("A>>b", 2), placed("A>>c", 9)],
        vec![placed("A>>a", 1), placed("A>>d", 2), placed("A>>c", 9)],
    ];
    for (round, listed) in (1..).zip(profiles) {
        made.run("app", Form::Recorded, round, 1.0, sent(9)).methods = methods(20, 0, listed);
    }
    let found = study(&made.data()).stability;
    let [
        StabilityRow {
            counted_total,
            sampled_total,
            ..
        },
    ] = found[..]
    else {
        panic!("one application was profiled: {found:?}");
    };
    // b and d have the places 2 and 3: each deviates by √½. They are second and third.
    let expected = 0.5_f64.sqrt() * (1.0 / 3.0_f64.ln() + 1.0 / 4.0_f64.ln());
    assert_near(counted_total.unwrap(), expected, 1e-12);
    assert_eq!(sampled_total, None);
}

#[test]
fn one_profile_says_nothing_of_stability() {
    let mut made = Made::new();
    made.application("app", Role::Basket);
    made.run("app", Form::Counted, 1, 1.0, sent(9));
    made.run("app", Form::Sampled, 1, 1.0, sent(9)).methods =
        methods(1, 5, vec![placed("A>>a", 1)]);
    assert_eq!(study(&made.data()).stability, []);
}
