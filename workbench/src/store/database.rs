//! The store as a file of SQLite: every change is a transaction, so a process that is killed leaves a whole store behind, and
//! processes wait for each other. Every failure is an error here, and the caller decides its consequence.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params,
};
use tally_comparison::Measurement;
use tally_profiler::Input;

use super::error::StoreError;
use super::key::Key;
use super::row::{COLUMNS, Stored};
use super::schema;
use crate::files::digest::Digest;

/// How long others may use the store before we go on without it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that SQLite may take in this process, which no other budget has.
const MOST_MEMORY: u64 = 512 << 20;

/// An open store.
pub struct Database {
    connection: Connection,
}

/// A measurement that was found.
#[derive(Debug)]
pub struct Found {
    /// Its number in the store.
    pub id: i64,
    /// What was measured.
    pub measurement: Measurement,
}

/// What adding a measurement led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It was not there before.
    New,
    /// It was there.
    Known,
    /// Another was there for the same key and the same inputs. It stays.
    Differs,
}

/// What is known of a measurement without reading it.
#[derive(Debug)]
pub struct Entry {
    /// Its number in the store.
    pub id: i64,
    /// The row; absent if it is not as it was written.
    pub stored: Option<Stored>,
    /// The commits that gave it.
    pub commits: Vec<String>,
}

impl Database {
    /// Opens the store in a file, or makes one.
    pub fn open(path: &Path) -> Result<Database, StoreError> {
        Database::with(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the store in a file that is there.
    pub fn open_existing(path: &Path) -> Result<Database, StoreError> {
        Database::with(path, OpenFlags::empty())
    }

    fn with(path: &Path, flags: OpenFlags) -> Result<Database, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.query_row(
            &format!("PRAGMA hard_heap_limit = {MOST_MEMORY}"),
            [],
            |_| Ok(()),
        )?;
        schema::prepare(&mut connection)?;
        Ok(Database { connection })
    }

    /// The connection, for tests that break things.
    #[cfg(test)]
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    fn write(&mut self) -> Result<Transaction<'_>, StoreError> {
        let behavior = TransactionBehavior::Immediate;
        Ok(self.connection.transaction_with_behavior(behavior)?)
    }

    /// The measurement of a key all of whose inputs still have their digests, of several the newest. Rows that cannot be read
    /// are reported by their numbers.
    pub fn find(
        &mut self,
        key: Key,
        now: &mut dyn FnMut(&Input) -> Option<String>,
        broken: &mut Vec<i64>,
    ) -> Result<Option<Found>, StoreError> {
        // An input of several rows is read once.
        let mut known = BTreeMap::new();
        let mut holds = |input: &Input| {
            let id = (input.kind, input.name.clone());
            let digest = known.entry(id).or_insert_with(|| now(input));
            *digest == input.digest
        };
        let sql = format!("SELECT {COLUMNS} FROM measurement WHERE key = ? ORDER BY id DESC");
        let mut query = self.connection.prepare(&sql)?;
        let mut rows = query.query(params![key.0.bytes()])?;
        while let Some(row) = rows.next()? {
            let (id, stored) = Stored::read(row)?;
            let found = stored.map(|stored| (stored.inputs(), stored));
            let Some((Some(inputs), stored)) = found else {
                broken.push(id);
                continue;
            };
            if !stored.is_repeatable || !inputs.iter().all(&mut holds) {
                continue;
            }
            match stored.measurement() {
                Some(measurement) => return Ok(Some(Found { id, measurement })),
                None => broken.push(id),
            }
        }
        Ok(None)
    }

    /// Takes rows out.
    pub fn remove(&mut self, ids: &[i64]) -> Result<(), StoreError> {
        let transaction = self.write()?;
        for id in ids {
            transaction.execute("DELETE FROM measured WHERE measurement = ?", [id])?;
            transaction.execute("DELETE FROM measurement WHERE id = ?", [id])?;
        }
        Ok(transaction.commit()?)
    }

    /// Adds a measurement, and notes the commits that gave it.
    pub fn add(&mut self, stored: &Stored, commits: &[String]) -> Result<(Added, i64), StoreError> {
        let transaction = self.write()?;
        let done = add(&transaction, stored, commits)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Adds several; all of them or none. Answers how many were new.
    pub fn add_all(&mut self, entries: &[(Stored, Vec<String>)]) -> Result<Vec<Added>, StoreError> {
        let transaction = self.write()?;
        let mut done = Vec::new();
        for (stored, commits) in entries {
            done.push(add(&transaction, stored, commits)?.0);
        }
        transaction.commit()?;
        Ok(done)
    }

    /// Notes that a commit gave a measurement.
    pub fn note_commit(&mut self, id: i64, commit: &str) -> Result<(), StoreError> {
        let sql = "SELECT 1 FROM measured WHERE commit_name = ? AND measurement = ?";
        let known = self
            .connection
            .query_row(sql, params![commit, id], |_| Ok(()))
            .optional()?;
        if known.is_none() {
            let transaction = self.write()?;
            note_commit(&transaction, id, commit)?;
            transaction.commit()?;
        }
        Ok(())
    }

    /// The key to which a request for a tree of git leads, if that is known.
    pub fn tree(&mut self, tree: &str, request: Key) -> Result<Option<Key>, StoreError> {
        let sql = "SELECT key FROM tree WHERE tree = ? AND request = ?";
        let found = self
            .connection
            .query_row(sql, params![tree, request.0.bytes()], |row| row.get(0))
            .optional()?;
        Ok(found.map(|key| Key(Digest::from_bytes(key))))
    }

    /// Notes it.
    pub fn set_tree(&mut self, tree: &str, request: Key, key: Key) -> Result<(), StoreError> {
        if self.tree(tree, request)? == Some(key) {
            return Ok(());
        }
        let sql = "INSERT OR REPLACE INTO tree (tree, request, key) VALUES (?, ?, ?)";
        let transaction = self.write()?;
        transaction.execute(sql, params![tree, request.0.bytes(), key.0.bytes()])?;
        Ok(transaction.commit()?)
    }

    /// Hands every row on, the oldest first.
    pub fn each(
        &mut self,
        take: &mut dyn FnMut(Entry) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        {
            let mut commits: BTreeMap<i64, Vec<String>> = BTreeMap::new();
            let sql = "SELECT measurement, commit_name FROM measured ORDER BY commit_name";
            let mut query = transaction.prepare(sql)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                commits.entry(row.get(0)?).or_default().push(row.get(1)?);
            }
            let sql = format!("SELECT {COLUMNS} FROM measurement ORDER BY id");
            let mut query = transaction.prepare(&sql)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let (id, stored) = Stored::read(row)?;
                let commits = commits.remove(&id).unwrap_or_default();
                take(Entry {
                    id,
                    stored,
                    commits,
                })?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// What SQLite finds wrong with the file, if anything.
    pub fn complaint(&self) -> Result<Option<String>, StoreError> {
        let sql = "integrity_check(1)";
        let said: String = self
            .connection
            .query_row(&format!("PRAGMA {sql}"), [], |row| row.get(0))?;
        Ok((said != "ok").then_some(said))
    }

    /// Removes trees that no row uses any more, and gives free pages back to the system.
    pub fn squeeze(&mut self) -> Result<(), StoreError> {
        let sql = "DELETE FROM tree WHERE key NOT IN (SELECT key FROM measurement)";
        self.connection.execute(sql, [])?;
        Ok(self.connection.execute_batch("VACUUM")?)
    }
}

fn add(
    transaction: &Transaction<'_>,
    stored: &Stored,
    commits: &[String],
) -> Result<(Added, i64), StoreError> {
    let (key, outside) = (stored.key, stored.outside());
    let sql = format!("SELECT {COLUMNS} FROM measurement WHERE key = ? AND outside = ?");
    let known = transaction
        .query_row(&sql, params![key.bytes(), outside.bytes()], Stored::read)
        .optional()?;
    let done = match known {
        Some((id, Some(known))) if stored.is_repeatable && known.measurement().is_some() => {
            match known.payload == stored.payload {
                true => (Added::Known, id),
                false => (Added::Differs, id),
            }
        }
        known => {
            // A row that cannot be read makes room, and so does one that another run need not give.
            if let Some((id, _)) = known {
                transaction.execute("DELETE FROM measured WHERE measurement = ?", [id])?;
                transaction.execute("DELETE FROM measurement WHERE id = ?", [id])?;
            }
            (Added::New, insert(transaction, stored)?)
        }
    };
    for commit in commits {
        note_commit(transaction, done.1, commit)?;
    }
    Ok(done)
}

fn insert(transaction: &Transaction<'_>, stored: &Stored) -> Result<i64, StoreError> {
    let sql = "INSERT INTO measurement (key, outside, inputs, subject, sends, payload, checksum) \
               VALUES (?, ?, ?, ?, ?, ?, ?)";
    transaction.execute(
        sql,
        params![
            stored.key.bytes(),
            stored.outside().bytes(),
            stored.inputs,
            stored.subject,
            stored.sends.cast_signed(),
            stored.payload,
            stored.checksum().bytes(),
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}

fn note_commit(transaction: &Transaction<'_>, id: i64, commit: &str) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO measured (commit_name, measurement) VALUES (?, ?)";
    transaction.execute(sql, params![commit, id])?;
    Ok(())
}
