//! What processes wait for inside their processors, by numbers: semaphores, mutexes, monitors and shared queues.

use std::collections::BTreeMap;

use tally_vm::ObstacleKind;

use crate::following::{Lane, Wait};
use crate::measured::Measured;
use crate::names::{FeatureId, Names};
use crate::sink::{Accepted, SinkError};
use crate::states::Cause;

/// The most obstacles of a timeline.
const MOST_OBSTACLES: usize = 100_000;

/// What a process waits for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle<'t> {
    /// Its kind.
    pub kind: ObstacleKind,
    /// The name of the object: `Semaphore #2`. Empty for a process that was suspended.
    pub object: &'t str,
    /// File, line and column of the program's own code that waits, if that is known.
    pub site: Option<&'t str>,
}

/// All kinds, in the order of their numbers in traces.
pub(crate) const KINDS: [ObstacleKind; 5] = [
    ObstacleKind::Semaphore,
    ObstacleKind::Mutex,
    ObstacleKind::Monitor,
    ObstacleKind::SharedQueue,
    ObstacleKind::Suspended,
];

fn cause(kind: ObstacleKind) -> Cause {
    match kind {
        ObstacleKind::Semaphore => Cause::Semaphore,
        ObstacleKind::Mutex => Cause::Mutex,
        ObstacleKind::Monitor => Cause::Monitor,
        ObstacleKind::SharedQueue => Cause::SharedQueue,
        ObstacleKind::Suspended => Cause::Suspended,
    }
}

/// An obstacle without texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) kind: ObstacleKind,
    pub(crate) object: Option<FeatureId>,
    /// The number of the text of the place.
    pub(crate) site: Option<u32>,
}

/// The obstacles that were described.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles(BTreeMap<u32, Row>);

impl Obstacles {
    /// Takes up an obstacle. It may come again.
    pub(crate) fn add(
        &mut self,
        number: u32,
        obstacle: &Obstacle<'_>,
        names: &mut Names,
    ) -> Accepted {
        if self.0.contains_key(&number) {
            return Ok(());
        }
        if self.0.len() >= MOST_OBSTACLES {
            return Err(SinkError::TooMuch("obstacles"));
        }
        let object = match obstacle.object {
            "" => None,
            object => Some(names.feature(object, "")?),
        };
        let row = Row {
            kind: obstacle.kind,
            object,
            site: obstacle.site.and_then(|site| names.number(site)),
        };
        self.0.insert(number, row);
        Ok(())
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Row> {
        self.0.get(&number)
    }

    /// The wait of a processor for its obstacle, up to a moment.
    pub(crate) fn wait(
        &self,
        processor: u32,
        lane: &Lane,
        rows: &BTreeMap<u32, Measured>,
        to: u64,
    ) -> Wait {
        let row = lane.obstacle.and_then(|obstacle| self.get(obstacle));
        let open = lane.open.last();
        let waiter = open.and_then(|open| rows.get(&open.request));
        Wait {
            lasts: false,
            cause: row.map_or(Cause::Semaphore, |row| cause(row.kind)),
            waiter: waiter.map(|row| row.feature),
            subject: row.and_then(|row| row.object),
            place: row.and_then(|row| row.site),
            client: processor,
            supplier: None,
            by: None,
            from: lane.since.min(to),
            to,
        }
    }
}
