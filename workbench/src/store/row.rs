//! A row of the store: a measurement with its key, and what proves that it is as it was written.

use rusqlite::Row as SqlRow;
use tally_comparison::{MeasuredRun, Measurement};
use tally_profiler::Input;

use super::error::StoreError;
use super::key::Key;
use crate::files::digest::{Digest, Fields};

/// The columns that [`Stored::read`] expects.
pub(super) const COLUMNS: &str = "id, key, inputs, subject, sends, payload, checksum, outside";

/// A measurement as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What stands for the key.
    pub key: Digest,
    /// What was read from outside, as JSON.
    pub inputs: String,
    /// What was run, for people.
    pub subject: String,
    /// How many messages it sent.
    pub sends: u64,
    /// The measurement as bytes.
    pub payload: Vec<u8>,
    /// Whether another run must give the same.
    pub is_repeatable: bool,
}

impl Stored {
    /// How a measurement is kept.
    pub fn new(key: Key, measurement: &Measurement, subject: &str) -> Result<Stored, StoreError> {
        let failed = |error: serde_json::Error| StoreError::Failed(error.to_string());
        let runs = &measurement.runs;
        let sends = runs.iter().map(|run| run.cost.sends);
        Ok(Stored {
            key: key.0,
            inputs: serde_json::to_string(&measurement.inputs).map_err(failed)?,
            subject: subject.to_string(),
            sends: sends.fold(0, u64::saturating_add),
            payload: measurement.to_bytes().map_err(|_| StoreError::TooLarge)?,
            is_repeatable: runs.iter().all(|run| run.is_reproducible),
        })
    }

    /// The row of a query for the columns, with its number. The second part is `None` if the row is damaged.
    pub fn read(row: &SqlRow<'_>) -> rusqlite::Result<(i64, Option<Stored>)> {
        Ok((row.get(0)?, Stored::members(row).ok().flatten()))
    }

    fn members(row: &SqlRow<'_>) -> rusqlite::Result<Option<Stored>> {
        let key: [u8; 32] = row.get(1)?;
        let sends: i64 = row.get(4)?;
        let outside: [u8; 32] = row.get(7)?;
        let stored = Stored {
            key: Digest::from_bytes(key),
            inputs: row.get(2)?,
            subject: row.get(3)?,
            sends: sends.cast_unsigned(),
            payload: row.get(5)?,
            is_repeatable: outside != [0; 32],
        };
        let checksum: [u8; 32] = row.get(6)?;
        let is_sound = stored.checksum().bytes() == checksum && stored.outside().bytes() == outside;
        Ok(is_sound.then_some(stored))
    }

    /// The digest of the inputs, which separates runs of the same key. All runs that are not repeatable share one place.
    pub fn outside(&self) -> Digest {
        match self.is_repeatable {
            true => Digest::of(self.inputs.as_bytes()),
            false => Digest::from_bytes([0; 32]),
        }
    }

    /// Proves the whole row.
    pub fn checksum(&self) -> Digest {
        let mut fields = Fields::new("row of the store");
        fields
            .add(&self.key.bytes())
            .add(self.inputs.as_bytes())
            .add(self.subject.as_bytes())
            .add(&self.sends.to_le_bytes())
            .add(&self.payload)
            .add(&[u8::from(self.is_repeatable)]);
        fields.digest()
    }

    /// What was read from outside.
    pub fn inputs(&self) -> Option<Vec<Input>> {
        serde_json::from_str(&self.inputs).ok()
    }

    /// Whether the description of the measurement agrees with the measurement.
    pub fn is_consistent(&self) -> bool {
        self.measurement().is_some_and(|measurement| {
            let runs = &measurement.runs;
            let sends = runs.iter().map(|run| run.cost.sends);
            sends.fold(0, u64::saturating_add) == self.sends
                && runs.iter().all(|run| run.is_reproducible) == self.is_repeatable
                && runs.iter().all(adds_up)
        })
    }

    /// The measurement, if the row holds one that this version can read and that is the row's.
    pub fn measurement(&self) -> Option<Measurement> {
        let measurement = Measurement::from_bytes(&self.payload).ok()?;
        (Some(&measurement.inputs) == self.inputs().as_ref()).then_some(measurement)
    }
}

/// Whether the methods of a run sent no more than it did, and none more by itself than in all.
fn adds_up(run: &MeasuredRun) -> bool {
    let own: u128 = run
        .methods
        .iter()
        .map(|method| u128::from(method.own))
        .sum();
    own <= u128::from(run.cost.sends)
        && run
            .methods
            .iter()
            .all(|method| method.own <= method.total && method.total <= run.cost.sends)
}
