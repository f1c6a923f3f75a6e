//! The store's tables: making them, and telling a store from anything else.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};

use super::VERSION;
use super::error::StoreError;

/// What the file says it is: "Taly".
const APPLICATION: i64 = 0x5461_6c79;

/// The tables, in the order of their names.
const TABLES: [(&str, &str); 3] = [
    (
        "measured",
        "CREATE TABLE measured (measurement INTEGER NOT NULL, commit_name TEXT NOT NULL, \
         PRIMARY KEY (commit_name, measurement)) WITHOUT ROWID",
    ),
    (
        "measurement",
        "CREATE TABLE measurement (id INTEGER PRIMARY KEY, key BLOB NOT NULL, outside BLOB NOT NULL, \
         inputs TEXT NOT NULL, subject TEXT NOT NULL, sends INTEGER NOT NULL, payload BLOB NOT NULL, \
         checksum BLOB NOT NULL, UNIQUE (key, outside))",
    ),
    (
        "tree",
        "CREATE TABLE tree (tree TEXT NOT NULL, request BLOB NOT NULL, key BLOB NOT NULL, \
         PRIMARY KEY (tree, request)) WITHOUT ROWID",
    ),
];

/// Prepares a connection, makes the tables in an empty file, and refuses what is no store.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    if is_empty(connection)? {
        make(connection)?;
    }
    check(connection)
}

fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let things: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(things == 0 && version(connection)? == 0)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

fn make(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if is_empty(&transaction)? {
        for (_, sql) in TABLES {
            transaction.execute(sql, [])?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(transaction.commit()?)
}

fn check(connection: &Connection) -> Result<(), StoreError> {
    let application: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION {
        return Err(StoreError::Damaged);
    }
    let version = version(connection)?;
    if version > VERSION {
        return Err(StoreError::Version(version));
    }
    let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut query = connection.prepare(sql)?;
    let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(String, String)> = found.collect::<Result<_, _>>()?;
    let is_ours = found.len() == TABLES.len()
        && found
            .iter()
            .zip(TABLES)
            .all(|((name, sql), expected)| (name.as_str(), sql.as_str()) == expected);
    match is_ours && version == VERSION {
        true => Ok(()),
        false => Err(StoreError::Damaged),
    }
}
