//! The prices of one machine, kept: they convert counts to a time on that machine.

use serde::{Deserialize, Serialize};

use super::{Counts, Measured, Price, prices, total};
use crate::data::Context;

/// The schema of a calibration.
const CALIBRATION_SCHEMA: &str = "tally.calibration/2";

/// Most nanoseconds for one of anything, a hundred years.
const MOST_NANOSECONDS: f64 = 3e18;

/// Prices in nanoseconds for one machine and one build, library and version of the counting model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    /// `tally.calibration/2`.
    pub schema: String,
    /// Where it was measured.
    pub context: Context,
    /// The prices in nanoseconds.
    pub prices: Vec<Price>,
    /// The prices in instructions of the processor, if they were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Price>,
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
    /// The price of this counter is out of range.
    Price(String),
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
            CalibrationError::Price(counter) => {
                write!(f, "the price of {counter} is out of range")
            }
        }
    }
}

impl std::error::Error for CalibrationError {}

impl Calibration {
    /// The prices by measurements in nanoseconds and, if there are any, in instructions.
    pub fn new(context: Context, nanoseconds: &Measured, instructions: &Measured) -> Calibration {
        Calibration {
            schema: CALIBRATION_SCHEMA.to_owned(),
            context,
            prices: prices(nanoseconds),
            instructions: prices(instructions),
        }
    }

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
        if read.prices.is_empty() {
            return Err(CalibrationError::Form("it has no prices".to_owned()));
        }
        let wrong = read.prices.iter().find(|price| !is_possible(price));
        match wrong {
            Some(price) => Err(CalibrationError::Price(price.counter.clone())),
            None => Ok(read),
        }
    }

    /// The time that counts take, in nanoseconds.
    pub fn estimate(&self, counts: &Counts) -> Price {
        total(&self.prices, counts)
    }
}

/// The part of a file that says what it is.
#[derive(Deserialize)]
struct Schema {
    schema: String,
}

/// With such prices an estimate of any counts is finite.
fn is_possible(price: &Price) -> bool {
    let ends = [price.each, price.interval.low, price.interval.high];
    let is_in_order = price.interval.low <= price.each && price.each <= price.interval.high;
    is_in_order
        && ends
            .iter()
            .all(|end| (0.0..=MOST_NANOSECONDS).contains(end))
}
