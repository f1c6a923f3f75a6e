//! Tests of tables, lines, rates and costs: the results from times and sends.

use crate::data::{Cost, Data, Entry, Form, Messages, Missing, NORMAL, Role};
use crate::made::{Made, assert_near, sent};
use crate::paper;
use crate::results::InliningRow;
use crate::study;

/// The paper's Table 2, each row measured twice with times that far apart in per cent, sends the same.
fn papers_table(apart: f64) -> Made {
    let mut made = Made::new();
    for row in paper::ROWS.iter().rev() {
        made.application(row.name, Role::Basket);
        let sends = sent(row.sends as u64);
        for (round, sign) in [(1, -0.5), (2, 0.5)] {
            let time = row.milliseconds * (1.0 + sign * apart / 100.0);
            made.run(row.name, Form::Counted, round, time, sends.clone());
        }
    }
    made
}

#[test]
fn the_papers_table_has_the_line_that_follows_from_it() {
    let study = study(&papers_table(2.0).data());
    assert_eq!(study.applications.len(), 16);
    assert_eq!(study.applications[0].name, "Mondrian");
    assert_eq!(study.applications[15].name, "ShoutTests");
    let regression = study.over_applications.unwrap();
    let line = regression.with_intercept.unwrap();
    assert_near(line.slope, 8_994.98, 0.005);
    assert_near(line.intercept, 1_380_005.0, 0.5);
    assert_near(line.slope_error, 377.155, 0.0005);
    assert_near(regression.through_origin.slope, 9_048.31, 0.005);
    assert_near(regression.correlation.pearson.unwrap(), 0.98792, 0.000_005);
    let collections = &study.applications[1];
    assert_eq!(collections.name, "Collections");
    // (334,359,691 − 1,380,005) / 8,994.98 = 37,018.39 ms are given, 32,317 were measured.
    assert_near(collections.residual.unwrap(), -14.548, 0.001);
    assert_eq!(collections.runs, 2);
    assert_near(collections.seconds, 32.317, 1e-9);
}

#[test]
fn the_columns_come_to_their_means_and_extremes() {
    let summary = study(&papers_table(2.0).data()).summary.unwrap();
    // Two numbers that lie 2 % of their mean apart deviate by √2 %.
    assert_near(summary.time_variation.unwrap(), 2.0_f64.sqrt(), 1e-9);
    assert_eq!(summary.sends_variation, Some(0.0));
    assert_eq!(summary.ratio, None);
    assert_near(summary.lowest_rate, 1_484.24, 0.01);
    assert_near(summary.highest_rate, 20_321.1, 0.01);
    assert_near(summary.rate_variation.unwrap(), 44.0, 0.5);
}

#[test]
fn a_rate_of_its_own_is_predicted_by_those_of_the_others() {
    let mut made = Made::new();
    made.program("one", 10.0, 1_000);
    made.program("two", 200.0, 20_000);
    made.program("odd", 30.0, 6_000);
    let study = study(&made.data());
    let errors = study
        .over_applications
        .as_ref()
        .unwrap()
        .leave_one_out
        .clone();
    // Both others have 100 sends a millisecond, so 6,000 take 60 ms.
    let worst = errors.worst.as_ref().unwrap();
    assert_eq!(worst.name, "odd");
    assert_near(worst.error, 100.0, 1e-9);
    // From 100 and 200 sends a millisecond, Σ rates / Σ rates² = 300 / 50,000 ms a send: 6 ms for 1,000 sends.
    assert_near(errors.errors[2].error, -40.0, 1e-9);
    assert_near(errors.median.unwrap(), 40.0, 1e-9);
    assert_eq!(study.models[0].name, "sends alone");
    assert_eq!(study.models[0].leave_one_out, errors);
    let spread = study.models[0].model.spread.unwrap();
    let expected = ((2.0_f64.ln().powi(2) + 2.0 * 0.6_f64.ln().powi(2)) / 3.0).sqrt();
    assert_near(spread, expected, 1e-9);
}

#[test]
fn a_held_out_program_is_predicted_as_the_paper_predicts_git_fs() {
    let mut made = papers_table(0.0);
    made.application("GitFS", Role::HeldOut);
    let sends = sent(paper::GIT_FS.sends as u64);
    made.run("GitFS", Form::Counted, 1, 2_900.0, sends.clone());
    made.run("GitFS", Form::Counted, 2, 2_956.0, sends);
    let study = study(&made.data());
    assert_eq!(study.applications.len(), 16);
    let found = &study.held_out[0];
    assert_near(found.milliseconds, 2_928.0, 1e-9);
    assert_near(found.deviation.unwrap(), 28.0 * 2.0_f64.sqrt(), 1e-9);
    // By the line of the printed table: (28,096,569 − 1,380,005) / 8,994.98, and with 8,994.98 ± 2.14479 · 377.155 instead.
    assert_near(found.predicted.unwrap(), 2_970.16, 0.05);
    let interval = found.interval.unwrap();
    assert_near(interval.low, 2_725.1, 0.5);
    assert_near(interval.high, 3_263.7, 0.5);
    assert_eq!(found.is_inside, Some(true));
    assert_eq!(found.by_vector, None);
    // Σ rates / Σ rates² of the printed table, in milliseconds for 28,096,569 sends.
    let by_sends = found.by_sends.unwrap();
    assert_near(by_sends.milliseconds, 1_887.4, 0.5);
    assert!(by_sends.interval.low < 2_928.0 && 2_928.0 < by_sends.interval.high);
}

#[test]
fn each_context_has_its_rate_and_differences() {
    let mut made = Made::new();
    made.context("reference");
    made.context("nothing was run here");
    for (name, milliseconds) in [("short", 1.0), ("middle", 10.0), ("long", 100.0)] {
        made.program(name, milliseconds, (1_000.0 * milliseconds) as u64);
        let sends = sent((1_000.0 * milliseconds) as u64);
        for round in [1, 2] {
            let run = made.run(
                name,
                Form::Counted,
                round,
                10.0 * milliseconds,
                sends.clone(),
            );
            run.context = "reference".to_owned();
        }
    }
    let differing = Cost {
        bytes: 8,
        ..sent(10_000)
    };
    made.run("middle", Form::Recorded, 1, 10.0, differing.clone());
    made.run("middle", Form::Uncounted, 1, 10.0, sent(0));
    made.run("long", Form::Inlined, 1, 10.0, sent(0));
    made.run("long", Form::Wrapped, 1, 10.0, differing).context = "reference".to_owned();
    let study = study(&made.data());
    let rates: Vec<(&str, f64)> = study
        .rates
        .iter()
        .map(|row| (&*row.context, row.rate))
        .collect();
    assert_eq!(rates.len(), 2);
    assert_eq!(rates[0].0, NORMAL);
    assert_near(rates[0].1, 1_000.0, 1e-9);
    assert_eq!(rates[1].0, "reference");
    assert_near(rates[1].1, 100.0, 1e-9);
    assert_eq!(study.rates[0].time_variation, None);
    assert_eq!(study.rates[1].sends_variation, Some(0.0));
    assert_near(study.rates[1].correlation.unwrap(), 1.0, 1e-12);
    let [normal, reference] = &study.invariance[..] else {
        panic!("two contexts have runs: {:?}", study.invariance);
    };
    assert_eq!((normal.applications, normal.runs), (3, 4));
    assert_eq!(normal.differing, ["middle"]);
    assert_eq!((reference.applications, reference.runs), (3, 7));
    assert_eq!(reference.differing, ["long"]);
}

#[test]
fn costs_are_of_rounds_that_have_both() {
    let mut made = Made::new();
    made.application("app", Role::Basket).package_methods = 7;
    for (round, counted) in [(1, 10.0), (2, 12.0), (3, 11.0), (4, 500.0)] {
        made.run("app", Form::Counted, round, counted, sent(5));
    }
    for (round, uncounted) in [(1, 9.0), (2, 10.0), (3, 10.0)] {
        made.run("app", Form::Uncounted, round, uncounted, sent(0));
    }
    made.run("app", Form::WrappedPackage, 2, 36.0, sent(5));
    let study = study(&made.data());
    let row = &study.counting.rows[0];
    assert_near(row.with, 11.0, 1e-12);
    assert_near(row.without, 10.0, 1e-12);
    assert_near(row.overhead, 10.0, 1e-9);
    let interval = row.interval.unwrap();
    // Round by round: 11.1 %, 20 %, 10 %.
    assert!(9.9 < interval.low && interval.low < interval.high && interval.high < 20.1);
    assert_near(study.counting.median.unwrap(), 10.0, 1e-9);
    assert_near(study.counting.mean.unwrap(), 10.0, 1e-9);
    let [package] = &study.profiling[..] else {
        panic!("one form was measured: {:?}", study.profiling);
    };
    assert_eq!(package.rows[0].methods, Some(7));
    assert_near(package.rows[0].overhead, 200.0, 1e-9);
    assert_eq!(package.rows[0].interval, None);
}

#[test]
fn memory_saves_sends_and_time() {
    let mut made = Made::new();
    made.program("layout", 30.0, 600);
    made.application("layout without memory", Role::Variant)
        .variant_of = Some("layout".to_owned());
    made.application("variant of nothing", Role::Variant)
        .variant_of = Some("gone".to_owned());
    made.run("layout without memory", Form::Counted, 1, 50.0, sent(1_000));
    made.run("variant of nothing", Form::Counted, 1, 50.0, sent(1_000));
    let study = study(&made.data());
    let [row] = &study.memoisation[..] else {
        panic!("one variant is of something: {:?}", study.memoisation);
    };
    assert_near(row.sends_saved.unwrap(), 40.0, 1e-9);
    assert_near(row.time_saved, 40.0, 1e-9);
    assert_eq!(study.applications.len(), 1);
}

#[test]
fn inlined_messages_have_a_share_in_text_and_in_runs() {
    let inlined = |name: &str, number: u64| [(name.to_owned(), number)].into();
    let mut made = Made::new();
    made.entries.push(Entry::Library(Messages {
        written: 200,
        inlined: inlined("ifTrue:", 50),
    }));
    for (name, milliseconds, sends) in [("one", 2.0, 60), ("two", 1.0, 90)] {
        made.program(name, milliseconds, sends);
        let run = made.run(name, Form::Inlined, 1, 1.0, sent(sends));
        run.inlined = Some(inlined("whileTrue:", 40));
    }
    made.application("three", Role::Basket).messages = Messages {
        written: 10,
        inlined: inlined("and:", 1),
    };
    let inlining = study(&made.data()).inlining;
    let share = |row: &InliningRow| (row.messages, row.inlined, row.share);
    assert_eq!(share(&inlining.written[0]), (200, 50, Some(25.0)));
    assert_eq!(share(&inlining.written[1]), (10, 1, Some(10.0)));
    assert_eq!(share(&inlining.executed[0]), (100, 40, Some(40.0)));
    let (messages, inlined, all) = share(&inlining.all_executed);
    assert_eq!((messages, inlined), (230, 80));
    assert_near(all.unwrap(), 80.0 / 2.3, 1e-9);
}

#[test]
fn what_is_missing_is_told_unless_it_came_later() {
    let told = |application: &str, form: Form| Missing {
        application: application.to_owned(),
        context: NORMAL.to_owned(),
        form,
        why: "it was interrupted".to_owned(),
    };
    let mut made = Made::new();
    made.program("one", 0.0, 5);
    for missing in [
        told("one", Form::Wrapped),
        told("one", Form::Vector),
        told("", Form::Sampled),
        told("", Form::Uncounted),
        told("one", Form::Vector),
    ] {
        made.entries.push(Entry::Missing(missing));
    }
    made.run("one", Form::Wrapped, 1, 1.0, sent(5));
    made.run("one", Form::Uncounted, 1, 1.0, sent(0));
    let missing = study(&made.data()).missing;
    let found: Vec<(&str, Form)> = missing
        .iter()
        .map(|one| (&*one.application, one.form))
        .collect();
    let expected = [
        ("one", Form::Vector),
        ("", Form::Sampled),
        ("one", Form::Counted),
    ];
    assert_eq!(found, expected);
}

#[test]
fn of_nothing_everything_is_absent() {
    let study = study(&Data::default());
    assert_eq!(study.schema, crate::results::STUDY_SCHEMA);
    assert_eq!(study.summary, None);
    assert_eq!(study.over_applications, None);
    assert_eq!(study.counting.median, None);
    assert_eq!(study.inlining.all_executed.share, None);
    assert!(study.models.is_empty() && study.invariance.is_empty());
}
