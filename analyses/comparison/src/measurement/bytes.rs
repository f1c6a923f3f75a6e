//! Measurements as bytes, stored and read by the same version of Tally. Their container is that of recordings: magic
//! bytes, versions, lengths, compressed content, a checksum. A reader trusts no bytes.

use std::fmt;

use tally_profiler::recording::{
    MAX_CONTENT, RecordingError,
    container::{Kind, open, seal_as},
};

use super::{Measurement, payload};

/// The minor number counts too: data stored by another version is measured anew.
const MEASUREMENT: Kind = Kind {
    magic: *b"\x89TALLM\r\n",
    major: 1,
    minor: 4,
    // Measurements are written more often than they are sent around.
    level: 2,
};

/// Why bytes are no measurement, or a measurement cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasurementError {
    /// They do not begin as measurements do.
    NoMeasurement,
    /// Another version wrote it.
    Version,
    /// Some of it is missing.
    Truncated,
    /// Its content is inconsistent.
    Damaged(String),
    /// It is larger than measurements may be.
    TooLarge,
}

impl fmt::Display for MeasurementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasurementError::NoMeasurement => f.write_str("not a measurement"),
            MeasurementError::Version => {
                f.write_str("a measurement that another version of Tally wrote")
            }
            MeasurementError::Truncated => f.write_str("truncated measurement: its end is missing"),
            MeasurementError::Damaged(why) => write!(f, "damaged measurement: {why}"),
            MeasurementError::TooLarge => {
                f.write_str("the measurement is larger than measurements may be")
            }
        }
    }
}

impl std::error::Error for MeasurementError {}

impl From<RecordingError> for MeasurementError {
    fn from(error: RecordingError) -> MeasurementError {
        match error {
            RecordingError::NoRecording => MeasurementError::NoMeasurement,
            RecordingError::Version(..) => MeasurementError::Version,
            RecordingError::Truncated => MeasurementError::Truncated,
            RecordingError::Damaged(why) => MeasurementError::Damaged(why),
            RecordingError::TooLarge => MeasurementError::TooLarge,
            RecordingError::Invalid(why) => MeasurementError::Damaged(why.to_string()),
        }
    }
}

impl Measurement {
    /// The measurement as bytes; the same ones on any machine.
    ///
    /// # Errors
    /// It is larger than measurements may be, or no machine could have measured it.
    pub fn to_bytes(&self) -> Result<Vec<u8>, MeasurementError> {
        Ok(seal_as(&MEASUREMENT, self.model, &payload::write(self)?)?)
    }

    /// The measurement that bytes stand for.
    ///
    /// # Errors
    /// They are no measurement, not all of one, a damaged one, or one that another version wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Measurement, MeasurementError> {
        let opened = open(&MEASUREMENT, bytes, MAX_CONTENT)?;
        match opened.minor == MEASUREMENT.minor {
            true => Ok(payload::read(&opened.content, opened.model)?),
            false => Err(MeasurementError::Version),
        }
    }
}
