//! The measurements in the form of the report's sections: programs with their runs, the basket in the order of its table.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::data::{Application, Cost, Data, Form, Missing, NORMAL, Role, Sample};
use crate::statistics::{mean, median};

/// Seconds that a run can have taken, from a nanosecond to thirty years. Others are mistakes, and squares of them would not
/// be finite.
const POSSIBLE: RangeInclusive<f64> = 1e-9..=1e9;

/// What was measured.
pub(crate) struct Measured<'d> {
    /// All of it.
    pub(crate) data: &'d Data,
    /// The basket as far as its time is known in the normal context, the program with the most time first.
    pub(crate) basket: Vec<Program<'d>>,
}

/// A program whose time is known in a context.
pub(crate) struct Program<'d> {
    /// What it is.
    pub(crate) application: &'d Application,
    /// Its counted runs whose time is known, at least one.
    pub(crate) runs: Vec<&'d Sample>,
    /// Mean time, in milliseconds.
    pub(crate) milliseconds: f64,
    /// Median time, in milliseconds.
    pub(crate) median: f64,
    /// Mean of the sends.
    pub(crate) sends: f64,
    /// The whole cost vector, if it is known.
    pub(crate) cost: Option<&'d Cost>,
}

impl<'d> Measured<'d> {
    pub(crate) fn of(data: &'d Data) -> Measured<'d> {
        let mut measured = Measured {
            data,
            basket: Vec::new(),
        };
        measured.basket = measured.programs(Role::Basket);
        let time = |program: &Program<'_>| program.milliseconds;
        measured
            .basket
            .sort_by(|one, other| time(other).total_cmp(&time(one)));
        measured
    }

    /// The applications of a role, in the order in which they came.
    pub(crate) fn applications(&self, role: Role) -> impl Iterator<Item = &'d Application> {
        let applications = self.data.applications().into_iter();
        applications.filter(move |application| application.role == role)
    }

    /// The programs of a role whose time is known in the normal context, in the order in which they came.
    pub(crate) fn programs(&self, role: Role) -> Vec<Program<'d>> {
        let applications = self.applications(role);
        applications
            .filter_map(|application| self.program(application, NORMAL))
            .collect()
    }

    /// An application as a program whose time is known in a context, if it is.
    pub(crate) fn program(
        &self,
        application: &'d Application,
        context: &str,
    ) -> Option<Program<'d>> {
        let runs = self.timed(application, context, Form::Counted);
        let times = milliseconds(&runs);
        let vectors = self.data.samples(application, context, Form::Vector);
        Some(Program {
            application,
            milliseconds: mean(&times)?,
            median: median(&times)?,
            sends: mean(&sends(&runs))?,
            cost: vectors.first().map(|sample| &sample.cost),
            runs,
        })
    }

    /// The runs of an application whose time is known, by rounds.
    pub(crate) fn timed(
        &self,
        application: &Application,
        context: &str,
        form: Form,
    ) -> Vec<&'d Sample> {
        let mut runs = self.data.samples(application, context, form);
        runs.retain(|run| POSSIBLE.contains(&run.seconds));
        runs
    }

    /// Times of an application in milliseconds in the normal context, by rounds.
    pub(crate) fn times_by_round(
        &self,
        application: &Application,
        form: Form,
    ) -> BTreeMap<u32, f64> {
        let runs = self.timed(application, NORMAL, form);
        runs.iter()
            .map(|run| (run.round, 1e3 * run.seconds))
            .collect()
    }

    /// The measurements that failed and were not repeated, and the measurements whose times are ignored.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        let mut missing: Vec<Missing> = Vec::new();
        let told = self.data.missing().filter(|told| !self.came_later(told));
        for one in told.cloned().chain(self.timeless()) {
            if !missing.contains(&one) {
                missing.push(one);
            }
        }
        missing
    }

    fn came_later(&self, missing: &Missing) -> bool {
        let is_meant = |name: &str| missing.application.is_empty() || name == missing.application;
        let applications = self.data.applications().into_iter();
        applications
            .filter(|application| is_meant(&application.name))
            .any(|application| {
                let samples = self
                    .data
                    .samples(application, &missing.context, missing.form);
                !samples.is_empty()
            })
    }

    fn timeless(&self) -> impl Iterator<Item = Missing> {
        let applications = self.data.applications().into_iter();
        let timeless = applications.filter(|application| {
            !self
                .data
                .samples(application, NORMAL, Form::Counted)
                .is_empty()
                && self.timed(application, NORMAL, Form::Counted).is_empty()
        });
        timeless.map(|application| Missing {
            application: application.name.clone(),
            context: NORMAL.to_owned(),
            form: Form::Counted,
            why: "its runs took no time that the clock shows".to_owned(),
        })
    }
}

/// Times of runs, in milliseconds.
pub(crate) fn milliseconds(runs: &[&Sample]) -> Vec<f64> {
    runs.iter().map(|run| 1e3 * run.seconds).collect()
}

pub(crate) fn sends(runs: &[&Sample]) -> Vec<f64> {
    runs.iter().map(|run| run.cost.sends as f64).collect()
}

/// The cost that is known of every program: its sends.
pub(crate) fn sent(program: &Program<'_>) -> Cost {
    Cost {
        sends: program.sends as u64,
        ..Cost::default()
    }
}
