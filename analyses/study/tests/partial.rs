//! For any subset of the measurements, a study can be computed and shown in every format.

use proptest::prelude::*;
use tally_presentation::Page;
use tally_study::data::{
    Application, Context, Cost, Data, Entry, Form, MethodRow, Methods, NORMAL, Role, Sample,
};
use tally_study::report::{csv, figures, html, json, markdown, text};

const FORMS: [Form; 8] = [
    Form::Counted,
    Form::Uncounted,
    Form::Recorded,
    Form::Wrapped,
    Form::WrappedPackage,
    Form::Sampled,
    Form::Vector,
    Form::Inlined,
];
const ROLES: [Role; 4] = [
    Role::Basket,
    Role::HeldOut,
    Role::Counterexample,
    Role::Variant,
];

fn name(number: u8) -> String {
    format!("program {number}")
}

fn application() -> impl Strategy<Value = Entry> {
    let tests = prop_oneof![Just(0u64), 0u64..40, Just(u64::MAX)];
    (0u8..6, 0usize..4, tests).prop_map(|(number, role, tests)| {
        Entry::Application(Application {
            name: name(number),
            role: ROLES[role],
            variant_of: (number > 2).then(|| name(0)),
            tests,
            ..Application::default()
        })
    })
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0u64), 1u64..1_000, 1u64..1_000_000_000, Just(u64::MAX)]
}

fn seconds() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        1e-6f64..10.0,
        1e-6f64..10.0,
        Just(1e300),
        Just(-1.0)
    ]
}

fn methods() -> impl Strategy<Value = Option<Methods>> {
    let row =
        (0u8..9, 0u32..9, count(), count()).prop_map(|(number, place, own, total)| MethodRow {
            name: format!("P>>m{number}"),
            by_total: place,
            by_own: place,
            own,
            total,
            ..MethodRow::default()
        });
    let listed = prop::collection::vec(row, 0..6);
    let methods = (0u64..200, count(), listed).prop_map(|(known, samples, listed)| Methods {
        known,
        samples,
        listed,
    });
    prop::option::of(methods)
}

fn sample() -> impl Strategy<Value = Entry> {
    let cost = (count(), count(), count()).prop_map(|(sends, bytes, steps)| Cost {
        sends,
        bytes,
        steps,
        ..Cost::default()
    });
    let context = prop_oneof![4 => Just(NORMAL), 1 => Just("reference")];
    (
        0u8..6,
        context,
        0usize..8,
        1u32..4,
        seconds(),
        cost,
        methods(),
    )
        .prop_map(|(number, context, form, round, seconds, cost, methods)| {
            Entry::Sample(Sample {
                application: name(number),
                program: String::new(),
                context: context.to_string(),
                form: FORMS[form],
                round,
                seconds,
                cost,
                inlined: None,
                methods,
            })
        })
}

fn data() -> impl Strategy<Value = Data> {
    let contexts = [NORMAL, "reference"].map(|name| {
        Entry::Context(Context {
            name: name.to_string(),
            ..Context::default()
        })
    });
    let applications = prop::collection::vec(application(), 0..8);
    let samples = prop::collection::vec(sample(), 0..80);
    (applications, samples).prop_map(move |(applications, samples)| Data {
        entries: contexts
            .iter()
            .cloned()
            .chain(applications)
            .chain(samples)
            .collect(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn it_can_be_shown_in_every_way(data in data()) {
        let study = tally_study::analysis::study(&data);
        let narrow = Page { width: Some(72), color: true };
        let mut texts = vec![text(&study, narrow), html(&study), markdown(&study, str::to_string)];
        texts.extend(csv(&study).into_iter().map(|(_, text)| text));
        texts.extend(figures(&study).iter().map(|figure| figure.svg()));
        prop_assert!(json(&study).is_ok());
        for text in texts {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let bad = words.find(|word| ["NaN", "inf", "Infinity"].contains(word));
            prop_assert_eq!(bad, None, "{}", text);
        }
    }
}
