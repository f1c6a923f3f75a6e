//! A database of SQLite with the requests, states and waits of a timeline, so that questions can be put to it in SQL. docs/TIMELINE.md
//! describes its tables.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, params};

use crate::endings::Ender;
use crate::following::Wait;
use crate::measured::Measured;
use crate::names::FeatureId;
use crate::sink::{Accepted, Origin, SinkError};
use crate::states::State;

use super::pen::{Drawn, Pen, word};

/// The tables and views.
const SCHEMA: &str = include_str!("schema.sql");

/// Writes the database.
pub(crate) struct Sqlite {
    database: Connection,
    /// Numbers of the texts of places that are used.
    places: BTreeSet<u32>,
}

fn failed(error: rusqlite::Error) -> SinkError {
    SinkError::Io(std::io::Error::other(error))
}

/// A moment or a sum as the database holds numbers.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn some(number: Option<u64>) -> Option<i64> {
    number.map(whole)
}

impl Sqlite {
    /// A database in an empty file.
    pub(crate) fn new(path: &Path) -> Result<Sqlite, SinkError> {
        let database = Connection::open(path).map_err(failed)?;
        // The file is renamed when it is whole, so a half-written one is never read. A request may be written before its sender.
        let options = "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;";
        database.execute_batch(options).map_err(failed)?;
        database.execute_batch(SCHEMA).map_err(failed)?;
        database.set_prepared_statement_cache_capacity(32);
        Ok(Sqlite {
            database,
            places: BTreeSet::new(),
        })
    }

    fn insert(&self, sql: &str, values: impl rusqlite::Params) -> Accepted {
        let mut statement = self.database.prepare_cached(sql).map_err(failed)?;
        statement.execute(values).map_err(failed)?;
        Ok(())
    }

    fn meta(&self, name: &str, value: impl rusqlite::ToSql) -> Accepted {
        self.insert("INSERT INTO meta VALUES (?1, ?2)", params![name, value])
    }

    fn write_meta(&self, drawn: &Drawn<'_>) -> Accepted {
        let (head, extent) = (drawn.about.head, drawn.about.extent);
        self.meta("schema", "tally.timeline.sqlite/1")?;
        self.meta("model", head.model)?;
        self.meta("program", format!("{:016x}", head.program))?;
        self.meta("files", head.files.join("\n"))?;
        self.meta("cpus", some(head.cpus))?;
        for (name, ticks) in &head.costs {
            self.meta(&format!("cost {name}"), whole(*ticks))?;
        }
        for (name, value) in &head.settings {
            self.meta(&format!("setting {name}"), value)?;
        }
        self.meta("ending", drawn.about.ending.word())?;
        self.meta("from", whole(extent.window.from))?;
        self.meta("to", whole(extent.end))?;
        self.meta("makespan", whole(extent.makespan()))?;
        self.meta("ticks", whole(drawn.ticks))
    }
}

impl Pen for Sqlite {
    fn processor(&mut self, number: u32, name: &str, class: &str, origin: Origin) -> Accepted {
        let creator = (number > 0).then_some(origin.creator);
        self.insert(
            "INSERT INTO processors VALUES (?1, ?2, ?3, ?4, ?5)",
            params![number, name, class, creator, whole(origin.time)],
        )
    }

    fn feature(&mut self, id: FeatureId, name: &str) -> Accepted {
        let sql = "INSERT INTO features VALUES (?1, ?2)";
        self.insert(sql, params![id.0, name])
    }

    fn state(&mut self, lane: u32, state: State, from: u64, to: u64, _: Option<&Wait>) -> Accepted {
        let sql = "INSERT INTO states VALUES (?1, ?2, ?3, ?4)";
        self.insert(sql, params![lane, word(state), whole(from), whole(to)])
    }

    fn request(&mut self, number: u32, row: &Measured) -> Accepted {
        self.places.extend(row.site);
        self.insert(
            "INSERT INTO requests VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            params![
                number,
                row.feature.0,
                row.client,
                row.supplier,
                row.sender,
                row.site,
                row.waits,
                row.is_local,
                row.is_callback,
                some(row.called),
                some(row.synchronizes),
                some(row.executes),
                some(row.returns),
                some(row.queue_time()),
                some(row.synchronization_time()),
                some(row.execution_time()),
                whole(row.waiting),
                some(row.useful_time()),
                whole(row.evaluations),
            ],
        )
    }

    fn wait(&mut self, wait: &Wait) -> Accepted {
        self.places.extend(wait.place);
        let (feature, other) = match wait.by {
            None => (None, None),
            Some(Ender::Feature(id)) => (Some(id.0), None),
            Some(Ender::Travel) => (None, Some("arrival")),
            Some(Ender::Cpu) => (None, Some("CPU")),
            Some(Ender::Scheduler) => (None, Some("scheduler")),
        };
        self.insert(
            "INSERT INTO waits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                wait.cause.word(),
                whole(wait.from),
                whole(wait.to),
                wait.waiter.map(|id| id.0),
                wait.subject.map(|id| id.0),
                wait.client,
                wait.supplier,
                feature,
                other,
                wait.place,
            ],
        )
    }

    fn finish(&mut self, drawn: &Drawn<'_>) -> Result<Vec<String>, SinkError> {
        for place in &self.places {
            let sql = "INSERT INTO places VALUES (?1, ?2)";
            self.insert(sql, params![place, drawn.names.named(*place)])?;
        }
        self.write_meta(drawn)?;
        self.database.execute_batch("COMMIT").map_err(failed)?;
        Ok(Vec::new())
    }
}
