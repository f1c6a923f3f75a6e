//! Made-up measurements for tests.

use crate::data::{
    Application, Context, Cost, DATA_SCHEMA, Data, Entry, Form, MethodRow, Methods, NORMAL, Role,
    Sample,
};

/// Measurements while they are made up.
#[derive(Default)]
pub(crate) struct Made {
    /// As they will stand in the data.
    pub(crate) entries: Vec<Entry>,
}

impl Made {
    /// Measurements with the normal context.
    pub(crate) fn new() -> Made {
        let mut made = Made::default();
        made.context(NORMAL);
        made
    }

    pub(crate) fn context(&mut self, name: &str) {
        self.entries.push(Entry::Context(Context {
            schema: DATA_SCHEMA.to_owned(),
            name: name.to_owned(),
            library: "abc".to_owned(),
            model: 1,
            ..Context::default()
        }));
    }

    pub(crate) fn application(&mut self, name: &str, role: Role) -> &mut Application {
        self.entries.push(Entry::Application(Application {
            name: name.to_owned(),
            role,
            ..Application::default()
        }));
        match self.entries.last_mut() {
            Some(Entry::Application(application)) => application,
            _ => unreachable!("it was just put there"),
        }
    }

    /// A run in the normal context.
    pub(crate) fn run(
        &mut self,
        name: &str,
        form: Form,
        round: u32,
        milliseconds: f64,
        cost: Cost,
    ) -> &mut Sample {
        self.entries.push(Entry::Sample(Sample {
            application: name.to_owned(),
            program: String::new(),
            context: NORMAL.to_owned(),
            form,
            round,
            seconds: milliseconds / 1e3,
            cost,
            inlined: None,
            methods: None,
        }));
        match self.entries.last_mut() {
            Some(Entry::Sample(sample)) => sample,
            _ => unreachable!("it was just put there"),
        }
    }

    /// A program of the basket with one counted run.
    pub(crate) fn program(&mut self, name: &str, milliseconds: f64, sends: u64) {
        self.application(name, Role::Basket);
        self.run(name, Form::Counted, 1, milliseconds, sent(sends));
    }

    /// A program with one counted run and its whole cost.
    pub(crate) fn whole(&mut self, name: &str, role: Role, milliseconds: f64, cost: &Cost) {
        self.application(name, role);
        self.run(name, Form::Counted, 1, milliseconds, sent(cost.sends));
        self.run(name, Form::Vector, 1, milliseconds, cost.clone());
    }

    pub(crate) fn data(self) -> Data {
        Data {
            entries: self.entries,
        }
    }
}

/// Costs from their numbers, in the order of the cost vector.
pub(crate) fn cost_of(numbers: [u64; 8]) -> Cost {
    let [
        sends,
        loops,
        activations,
        blocks,
        objects,
        bytes,
        steps,
        primitives,
    ] = numbers;
    Cost {
        sends,
        loops,
        activations,
        blocks,
        objects,
        bytes,
        steps,
        primitives,
        ..Cost::default()
    }
}

/// A cost of which only sends are known.
pub(crate) fn sent(sends: u64) -> Cost {
    Cost {
        sends,
        ..Cost::default()
    }
}

pub(crate) fn methods(known: u64, samples: u64, listed: Vec<MethodRow>) -> Option<Methods> {
    Some(Methods {
        known,
        samples,
        listed,
    })
}

/// A method with its places, the same by total and by own.
pub(crate) fn placed(name: &str, place: u32) -> MethodRow {
    MethodRow {
        name: name.to_owned(),
        by_total: place,
        by_own: place,
        ..MethodRow::default()
    }
}

#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found} is not {expected} within {within}"
    );
}
