//! A store of [`tuckbox`] in one file of SQLite.
//!
//! Processes in Rust, JavaScript and Python can use one file at the same time.
//! `docs/reference/sqlite.md` describes the schema. It is a separate crate, because the core performs
//! no IO and SQLite takes long to compile.
//!
//! ```
//! use tuckbox::store::Snapshot;
//! use tuckbox::cards::CreateBox;
//! use tuckbox::{Env, Store, Timestamp, json, rule};
//! use tuckbox_sqlite::SqliteStore;
//!
//! let mut store = SqliteStore::in_memory()?;
//! let call = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1"]}))?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
//! assert_eq!(store.commit(&preview.writes)?.boxes[0].version, 1);
//! # Ok::<(), tuckbox::Error>(())
//! ```
#![forbid(unsafe_code)]

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tuckbox::store::shelves::{Shelves, commit_text, read_text};
use tuckbox::store::{Answers, Reads, Receipt, Store, Writes};
use tuckbox::value::json::to_text;
use tuckbox::{Error, Json, Result};

/// The version of the schema, as `user_version` of the file.
pub const SCHEMA_VERSION: i64 = 1;

/// The mark of our files, as `application_id`: the characters `tkbx`.
pub const APPLICATION_ID: i64 = 0x746b_6278;

/// The time that a call waits for another writer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The pause before a file in use is opened again.
const PAUSE: Duration = Duration::from_millis(10);

const SCHEMA: &str = "create table tuckbox_rows (
  project_id text not null,
  shelf text not null,
  key text not null,
  text text not null,
  primary key (project_id, shelf, key)
)";

const FIND: &str =
    "select text from tuckbox_rows where project_id = ?1 and shelf = ?2 and key = ?3";
const ALL: &str = "select text from tuckbox_rows where project_id = ?1 and shelf = ?2";
const PATHS: &str = "select key from tuckbox_rows where project_id = ?1 and shelf = 'files'";
const DELETE: &str = "delete from tuckbox_rows where project_id = ?1 and shelf = ?2 and key = ?3";
const PUT: &str = "insert into tuckbox_rows (project_id, shelf, key, text) values (?1, ?2, ?3, ?4)
  on conflict (project_id, shelf, key) do update set text = excluded.text";

/// A store in a file of SQLite. Threads and processes can share the file.
///
/// The [crate](self) has an example.
#[derive(Debug)]
pub struct SqliteStore(Mutex<Connection>);

impl SqliteStore {
    /// Opens a file, and creates it if it does not exist.
    ///
    /// # Errors
    /// `store` when the file cannot be opened, has another schema version, or belongs to another
    /// program.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::prepare(Connection::open(path).map_err(failed)?)
    }

    /// Creates a store without a file.
    ///
    /// # Errors
    /// `store` when SQLite has no memory.
    pub fn in_memory() -> Result<Self> {
        Self::prepare(Connection::open_in_memory().map_err(failed)?)
    }

    fn prepare(mut connection: Connection) -> Result<Self> {
        connection.busy_timeout(TIMEOUT).map_err(failed)?;
        // before `wal`, so that the file has its mark and not only the log
        if pragma(&connection, "user_version")? == 0 {
            let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
            let transaction = begun.map_err(failed)?;
            if pragma(&transaction, "user_version")? == 0 {
                create(&transaction)?;
            }
            transaction.commit().map_err(failed)?;
        }
        if pragma(&connection, "application_id")? != APPLICATION_ID {
            return Err(other_program());
        }
        check_version(&connection)?;
        let started = Instant::now();
        // fails at once, without the timeout, while another process uses the file
        while let Err(error) = connection.query_row("pragma journal_mode = wal", [], |_| Ok(())) {
            if started.elapsed() >= TIMEOUT {
                return Err(failed(error));
            }
            std::thread::sleep(PAUSE);
        }
        connection.execute_batch("pragma synchronous = full").map_err(failed)?;
        // freed pages keep no content
        connection.query_row("pragma secure_delete = on", [], |_| Ok(())).map_err(failed)?;
        Ok(Self(Mutex::new(connection)))
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn create(connection: &Connection) -> Result<()> {
    let tables = "select count(*) from sqlite_master";
    let tables: i64 = connection.query_row(tables, [], |row| row.get(0)).map_err(failed)?;
    if tables != 0 {
        return Err(other_program());
    }
    let marks = format!(
        "{SCHEMA}; pragma application_id = {APPLICATION_ID}; pragma user_version = {SCHEMA_VERSION}"
    );
    connection.execute_batch(&marks).map_err(failed)
}

fn other_program() -> Error {
    Error::store("the file is a database of another program")
}

/// Refuses a file of another version. Another process can migrate it after it was opened.
fn check_version(connection: &Connection) -> Result<()> {
    let version = pragma(connection, "user_version")?;
    if version == SCHEMA_VERSION {
        return Ok(());
    }
    let message = format!(
        "the file has schema version {version}, made by a newer version of this package; expected \
         {SCHEMA_VERSION}: use a newer version"
    );
    Err(Error::store(message).detail("reason", "newer").detail("schema_version", version))
}

fn pragma(connection: &Connection, name: &str) -> Result<i64> {
    connection.query_row(&format!("pragma {name}"), [], |row| row.get(0)).map_err(failed)
}

fn failed(error: rusqlite::Error) -> Error {
    Error::store(format!("SQLite failed: {error}"))
}

/// The rows of one project inside a transaction.
struct Rows<'c> {
    connection: &'c Connection,
    project_id: &'c str,
}

impl Rows<'_> {
    fn column(&self, sql: &str, values: &[&str]) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let all = [&[self.project_id], values].concat();
        let values = rusqlite::params_from_iter(all);
        statement.query_map(values, |row| row.get(0))?.collect()
    }
}

impl Shelves for Rows<'_> {
    fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
        let found = self.connection.prepare_cached(FIND).and_then(|mut statement| {
            statement.query_row(params![self.project_id, shelf, key], |row| row.get(0)).optional()
        });
        found.map_err(failed)
    }

    fn all(&self, shelf: &str) -> Result<Vec<String>> {
        self.column(ALL, &[shelf]).map_err(failed)
    }

    fn paths(&self) -> Result<Vec<String>> {
        self.column(PATHS, &[]).map_err(failed)
    }
}

impl Store for SqliteStore {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        let mut connection = self.locked();
        let transaction = connection.transaction().map_err(failed)?;
        check_version(&transaction)?;
        let rows = Rows { connection: &transaction, project_id: reads.project_id().as_str() };
        let answers = read_text(to_text(reads)?.as_bytes(), &rows)?;
        Answers::from_json(&Json::parse(&answers)?, reads)
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        let mut connection = self.locked();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(failed)?;
        check_version(&transaction)?;
        let project_id = writes.project_id.as_str();
        let rows = Rows { connection: &transaction, project_id };
        let decided = commit_text(to_text(writes)?.as_bytes(), &rows)?;
        for change in &decided.changes {
            let (shelf, key) = (&change.shelf, &change.key);
            let written = match &change.text {
                Some(text) => transaction
                    .prepare_cached(PUT)
                    .and_then(|mut put| put.execute(params![project_id, shelf, key, text])),
                None => transaction
                    .prepare_cached(DELETE)
                    .and_then(|mut delete| delete.execute(params![project_id, shelf, key])),
            };
            written.map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        if !writes.erase_cards.is_empty() {
            // the log has the content until a checkpoint; a reader can delay it
            let checkpoint = "pragma wal_checkpoint(truncate)";
            connection.query_row(checkpoint, [], |_| Ok(())).map_err(failed)?;
        }
        Receipt::from_json(&Json::parse(&decided.receipt)?, writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuckbox::store::testing;

    /// A folder that is deleted at the end of a test.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("tuckbox-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_store_keeps_the_contract() {
        let folder = Folder::new("contract");
        let mut store = SqliteStore::open(folder.0.join("a.db")).unwrap();
        for (number, case) in testing::CASES.iter().enumerate() {
            case.run(&mut store, &format!("p{number}")).unwrap();
        }
    }

    #[test]
    fn two_connections_see_each_other() {
        let folder = Folder::new("two");
        let path = folder.0.join("a.db");
        let (mut one, other) =
            (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
        testing::CASES[0].run(&mut one, "p1").unwrap();
        let shelves = other
            .locked()
            .query_row("select count(*) from tuckbox_rows", [], |row| row.get::<_, i64>(0));
        assert!(shelves.unwrap() > 0);
        assert_eq!(pragma(&other.locked(), "application_id").unwrap(), APPLICATION_ID);
    }

    #[test]
    fn files_of_other_programs_and_versions_are_refused() {
        let folder = Folder::new("other");
        for (name, sql, message) in [
            ("a.db", "create table users (id)", "another program"),
            ("b.db", "create table users (id); pragma user_version = 1", "another program"),
            (
                "c.db",
                "pragma application_id = 1953194616; pragma user_version = 9",
                "expected 1: use a newer version",
            ),
        ] {
            let path = folder.0.join(name);
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let error = SqliteStore::open(&path).unwrap_err();
            assert!(error.message().contains(message), "{error}");
        }
    }

    #[test]
    fn a_file_that_a_newer_version_migrated_is_refused_although_it_is_open() {
        let folder = Folder::new("migrated");
        let path = folder.0.join("a.db");
        let mut store = SqliteStore::open(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("pragma user_version = 9").unwrap();
        let error = testing::CASES[0].run(&mut store, "p1").unwrap_err();
        assert!(error.contains("expected 1: use a newer version"), "{error}");
        let rows: i64 =
            other.query_row("select count(*) from tuckbox_rows", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0);
    }
}
