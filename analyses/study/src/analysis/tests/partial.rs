//! Data of which any part may be missing or odd: no section fails, and no section gives a NaN or an infinity.

use proptest::prelude::*;

use crate::data::{
    Application, Context, Cost, DATA_SCHEMA, Data, Entry, Form, Messages, MethodRow, Methods,
    Missing, Role, Sample,
};
use crate::made::cost_of;
use crate::study;

const APPLICATIONS: [&str; 5] = ["one", "two", "three", "four", "five"];

fn application_name() -> impl Strategy<Value = String> {
    prop::sample::select(&APPLICATIONS[..]).prop_map(str::to_owned)
}

fn context_name() -> impl Strategy<Value = String> {
    let often = prop_oneof![4 => Just("normal"), 1 => Just("reference"), 1 => Just("unknown")];
    often.prop_map(str::to_owned)
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        3 => Just(Form::Counted),
        1 => Just(Form::Uncounted),
        1 => Just(Form::Recorded),
        1 => Just(Form::Wrapped),
        1 => Just(Form::WrappedPackage),
        2 => Just(Form::Sampled),
        3 => Just(Form::Vector),
        1 => Just(Form::Inlined),
    ]
}

fn seconds() -> impl Strategy<Value = f64> {
    const ODD: [f64; 8] = [0.0, -1.0, 1e-320, 1e-300, 1e-9, 1e9, 1e300, f64::MAX];
    prop_oneof![6 => 1e-4..10.0, 1 => Just(0.25), 1 => prop::sample::select(&ODD[..])]
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0_u64..1_000_000, 1 => Just(0), 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn cost() -> impl Strategy<Value = Cost> {
    [(); 8].map(|()| number()).prop_map(cost_of)
}

fn method() -> impl Strategy<Value = MethodRow> {
    let places = (0_u32..12, prop_oneof![0_u32..12, Just(u32::MAX)]);
    let numbers = [(); 6].map(|()| number());
    (0..8, places, numbers).prop_map(
        |(name, (by_total, by_own), [own, total, calls, block_calls, objects, bytes])| MethodRow {
            name: format!("A>>m{name}"),
            by_total,
            by_own,
            own,
            total,
            calls,
            block_calls,
            objects,
            bytes,
        },
    )
}

fn methods() -> impl Strategy<Value = Methods> {
    let listed = prop::collection::vec(method(), 0..8);
    // As many methods as there are in a program; more make longer random rankings and nothing else.
    (0_u64..50, number(), listed).prop_map(|(known, samples, listed)| Methods {
        known,
        samples,
        listed,
    })
}

fn messages() -> impl Strategy<Value = Messages> {
    let inlined = prop::collection::btree_map("[a-c]:", number(), 0..3);
    (number(), inlined).prop_map(|(written, inlined)| Messages { written, inlined })
}

fn sample() -> impl Strategy<Value = Sample> {
    let what = (
        application_name(),
        context_name(),
        form(),
        0_u32..5,
        seconds(),
    );
    let inlined = prop::option::of(prop::collection::btree_map("[a-c]:", number(), 0..3));
    (
        what,
        cost(),
        inlined,
        prop::option::weighted(0.8, methods()),
    )
        .prop_map(
            |((application, context, form, round, seconds), cost, inlined, methods)| Sample {
                application,
                program: String::new(),
                context,
                form,
                round,
                seconds,
                cost,
                inlined,
                methods,
            },
        )
}

fn application() -> impl Strategy<Value = Application> {
    let role = prop_oneof![
        6 => Just(Role::Basket),
        1 => Just(Role::HeldOut),
        1 => Just(Role::Counterexample),
        1 => Just(Role::Variant),
    ];
    let of = prop::option::of(application_name());
    (application_name(), role, of, messages(), number()).prop_map(
        |(name, role, variant_of, messages, methods)| Application {
            name,
            role,
            variant_of,
            messages,
            methods,
            ..Application::default()
        },
    )
}

fn context() -> impl Strategy<Value = Context> {
    context_name().prop_map(|name| Context {
        schema: DATA_SCHEMA.to_owned(),
        name,
        ..Context::default()
    })
}

fn missing() -> impl Strategy<Value = Missing> {
    let application = prop_oneof![application_name(), Just(String::new())];
    (application, context_name(), form()).prop_map(|(application, context, form)| Missing {
        application,
        context,
        form,
        why: "it was not there".to_owned(),
    })
}

fn data() -> impl Strategy<Value = Data> {
    let entry = prop_oneof![
        12 => sample().prop_map(Entry::Sample),
        3 => application().prop_map(Entry::Application),
        2 => context().prop_map(Entry::Context),
        1 => messages().prop_map(Entry::Library),
        1 => missing().prop_map(Entry::Missing),
    ];
    prop::collection::vec(entry, 0..70).prop_map(|entries| Data { entries })
}

proptest! {
    #[test]
    fn any_data_is_a_study_of_numbers(data in data()) {
        let study = study(&data);
        // Debug text shows NaN and infinity; JSON would show both as absent.
        let text = format!("{study:?}");
        prop_assert!(!text.contains("NaN") && !text.contains("inf,") && !text.contains("inf)") && !text.contains("inf }"), "{}", text);
        prop_assert!(serde_json::to_string(&study).is_ok());
        prop_assert_eq!(&super::super::study(&data), &study);
        for row in &study.applications {
            prop_assert!(row.seconds > 0.0 && row.runs > 0);
        }
    }

    #[test]
    fn data_are_read_as_they_were_written(data in data()) {
        let lines: String = data.entries.iter().map(|entry| entry.line().unwrap()).collect();
        prop_assert_eq!(Data::read(&lines), Ok(data));
    }

    #[test]
    fn more_of_a_basket_makes_no_section_fail(times in prop::collection::vec(1e-3..1e3_f64, 3..10), sends in prop::collection::vec(1_u64..1_000_000_000, 10)) {
        let mut made = crate::made::Made::new();
        for (number, (time, sends)) in times.iter().zip(&sends).enumerate() {
            made.program(&format!("program {number}"), *time, *sends);
        }
        let study = study(&made.data());
        let regression = study.over_applications.unwrap();
        prop_assert_eq!(regression.points.len(), times.len());
        prop_assert!(regression.leave_one_out.median.is_some());
        prop_assert!(study.applications.windows(2).all(|pair| pair[0].seconds >= pair[1].seconds));
        let rates: Vec<f64> = study.applications.iter().map(|row| row.rate).collect();
        let summary = study.summary.unwrap();
        prop_assert!(rates.iter().all(|rate| summary.lowest_rate <= *rate && *rate <= summary.highest_rate));
    }
}
