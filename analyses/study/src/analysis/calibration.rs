//! A stored model of time for one machine; it converts counts to milliseconds on that machine.

use serde::{Deserialize, Serialize};

use super::{Measured, by_sends, by_vector};
use crate::data::{Context, Cost, Data, NORMAL};
use crate::results::{Estimate, Interval, Model, ModelRow};

/// The schema of a calibration.
pub const CALIBRATION_SCHEMA: &str = "tally.calibration/1";

/// Fewest programs that a model is kept of.
const FEWEST_PROGRAMS: u64 = 3;

/// Widest spread of a model that is kept: it is off by a factor of e¹⁰ = 22,000, and more says nothing.
const WIDEST_SPREAD: f64 = 10.0;

/// Most nanoseconds for one of anything, a hundred years.
const MOST_NANOSECONDS: f64 = 3e18;

/// Models of time for one machine and one build, library and version of the counting model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// `tally.calibration/1`.
    pub schema: String,
    /// The context in which it was made.
    pub context: Context,
    /// The model by sends alone.
    pub sends: Model,
    /// The model by the cost vector; absent if no whole cost was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Model>,
    /// Median error of a program that is left out of the model by sends alone, without its sign, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sends_error: Option<f64>,
    /// The same of the model by the cost vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_error: Option<f64>,
    /// The shortest and the longest time of a program that it was worked out from, as measured, in milliseconds. Estimates
    /// far outside are of programs that no such program was like.
    pub seen: Interval,
}

/// Why a calibration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CalibrationError {
    /// It is no JSON, or not of that form.
    Form(String),
    /// It has this other schema.
    Schema(String),
    /// It was made with a library of this other digest.
    Library(String),
    /// It was made with this other version of the counting model.
    CountingModel(u32),
    /// A number is out of range; the text says which.
    Numbers(&'static str),
}

impl std::fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CalibrationError::Form(why) => write!(f, "this is no calibration: {why}"),
            CalibrationError::Schema(found) => {
                write!(
                    f,
                    "this is '{found}', and '{CALIBRATION_SCHEMA}' was expected"
                )
            }
            CalibrationError::Library(found) => write!(
                f,
                "it was made with another library ({found}), whose messages take other times"
            ),
            CalibrationError::CountingModel(found) => {
                write!(f, "it was made with version {found} of the counting model")
            }
            CalibrationError::Numbers(why) => write!(f, "its numbers cannot be: {why}"),
        }
    }
}

impl std::error::Error for CalibrationError {}

/// The calibration of the normal context; absent if that is not known, or fewer than three programs of the basket were timed
/// in it, or sends alone say nothing about their times.
pub fn calibrate(data: &Data) -> Option<Calibration> {
    let contexts = data.contexts();
    let context = contexts
        .into_iter()
        .find(|context| context.name == NORMAL)?;
    let measured = Measured::of(data);
    let models = crate::analysis::models(&measured);
    let kept = |row: &ModelRow| Some(row.model.clone()).filter(|model| fault(model).is_none());
    let times = measured.basket.iter().map(|program| program.median);
    Some(Calibration {
        schema: CALIBRATION_SCHEMA.to_owned(),
        context: context.clone(),
        sends: by_sends(&models).and_then(kept)?,
        vector: by_vector(&models).and_then(kept),
        sends_error: by_sends(&models).and_then(|row| row.leave_one_out.median),
        vector_error: by_vector(&models).and_then(|row| row.leave_one_out.median),
        seen: Interval {
            low: times.clone().reduce(f64::min)?,
            high: times.reduce(f64::max)?,
        },
    })
}

impl Calibration {
    /// Reads a calibration, to be used with a library of this digest and this version of the counting model.
    pub fn read(text: &str, library: &str, model: u32) -> Result<Calibration, CalibrationError> {
        let form = |error: serde_json::Error| CalibrationError::Form(error.to_string());
        let Schema { schema } = serde_json::from_str(text).map_err(form)?;
        if schema != CALIBRATION_SCHEMA {
            return Err(CalibrationError::Schema(schema));
        }
        let read: Calibration = serde_json::from_str(text).map_err(form)?;
        if read.context.model != model {
            return Err(CalibrationError::CountingModel(read.context.model));
        }
        if read.context.library != library {
            return Err(CalibrationError::Library(read.context.library));
        }
        match read.fault() {
            Some(why) => Err(CalibrationError::Numbers(why)),
            None => Ok(read),
        }
    }

    /// The calibration as JSON, for people too, its last line ended.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The time that a cost takes: by the cost vector if the whole cost is known, otherwise by sends alone.
    pub fn estimate(&self, cost: &Cost, is_whole: bool) -> Estimate {
        let vector = self.vector.as_ref().filter(|_| is_whole);
        let model = vector.unwrap_or(&self.sends);
        // A calibration's models have a spread that is small enough: see `fault`.
        model.estimate(cost).unwrap_or_default()
    }

    /// Whether programs of such a time were among those that it was worked out from.
    pub fn has_seen(&self, milliseconds: f64) -> bool {
        (self.seen.low..=self.seen.high).contains(&milliseconds)
    }

    /// The first fault of its numbers.
    fn fault(&self) -> Option<&'static str> {
        let models = std::iter::once(&self.sends).chain(&self.vector);
        let seen = 0.0 <= self.seen.low && self.seen.low <= self.seen.high;
        let range = (!seen).then_some("the range of times that were seen is none");
        range.or_else(|| models.filter_map(fault).next())
    }
}

/// The part of a file that says what it is.
#[derive(Deserialize)]
struct Schema {
    schema: String,
}

/// What keeps a model from being used: with none of this, its estimates of any cost are finite.
fn fault(model: &Model) -> Option<&'static str> {
    let mut costs = model.nanoseconds.iter().map(|(_, each)| *each);
    if model.programs < FEWEST_PROGRAMS {
        return Some("a model of fewer than three programs");
    }
    if model.nanoseconds.is_empty() {
        return Some("a model in which nothing takes time");
    }
    if !costs.all(|each| (0.0..=MOST_NANOSECONDS).contains(&each)) {
        return Some("a model in which something takes a time that cannot be");
    }
    let spread = model
        .spread
        .filter(|spread| (0.0..=WIDEST_SPREAD).contains(spread));
    match spread {
        None => Some("a model whose spread is not known, or is none"),
        Some(_) => None,
    }
}
