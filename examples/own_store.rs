//! Packing and previewing on a store of your own: a key-value database.
//!
//! [`Database`] has what every key-value database has: `get`, a scan by prefix, and a batch that is
//! written as a whole. Here it is a log in one file. [`KeyValueStore`] keeps a project in it: each row is
//! JSON text under the key `project/shelf/row`. The core decides what a batch does to the rows.
//!
//! Run it with `cargo run --example own_store`.

#![allow(clippy::disallowed_types, reason = "a store reads and writes files; the core does not")]

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tuckbox::agents::registry::RegisterProfile;
use tuckbox::cards::{CreateBox, PutCards};
use tuckbox::store::shelves::{Shelves, commit_text, read_text};
use tuckbox::store::{Answers, Reads, Receipt, Snapshot, Store, Writes, testing};
use tuckbox::value::json::{to_json, to_text};
use tuckbox::{Env, Error, Handover, Json, PackContext, Result, Rule, Timestamp, json, rule};

/// A key-value database: a log of batches in a file, and the newest value of each key in memory.
struct Database {
    path: PathBuf,
    log: File,
    entries: BTreeMap<String, String>,
}

impl Database {
    /// Opens a database. A missing file is an empty one. A batch that was not written to its end did
    /// not happen.
    fn open(path: &Path) -> io::Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut entries = BTreeMap::new();
        for line in text.get(..whole).unwrap_or_default().lines() {
            let batch: Vec<(String, Option<String>)> = serde_json::from_str(line)?;
            apply(&mut entries, batch);
        }
        let log = OpenOptions::new().create(true).append(true).open(path)?;
        log.set_len(whole as u64)?;
        Ok(Self { path: path.to_owned(), log, entries })
    }

    fn get(&self, key: &str) -> Option<&String> {
        self.entries.get(key)
    }

    /// Returns the entries whose keys begin with a prefix.
    fn scan(&self, prefix: &str) -> impl Iterator<Item = (&str, &String)> {
        let from = self.entries.range(prefix.to_owned()..);
        from.take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Writes a batch as one line. A value of `None` deletes its key.
    fn write(&mut self, batch: Vec<(String, Option<String>)>) -> io::Result<()> {
        let before = self.log.metadata()?.len();
        let line = format!("{}\n", serde_json::to_string(&batch)?);
        let written = self.log.write_all(line.as_bytes()).and_then(|()| self.log.sync_data());
        if let Err(error) = written {
            // what was not written to its end must not be read
            self.log.set_len(before)?;
            return Err(error);
        }
        apply(&mut self.entries, batch);
        Ok(())
    }

    /// Replaces the log by its newest values.
    fn compact(&mut self) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let all: Vec<_> = self.entries.iter().map(|(key, value)| (key, Some(value))).collect();
        let mut file = File::create(&new)?;
        file.write_all(format!("{}\n", serde_json::to_string(&all)?).as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        self.log = OpenOptions::new().append(true).open(&self.path)?;
        Ok(())
    }
}

fn apply(entries: &mut BTreeMap<String, String>, batch: Vec<(String, Option<String>)>) {
    for (key, value) in batch {
        match value {
            Some(value) => _ = entries.insert(key, value),
            None => _ = entries.remove(&key),
        }
    }
}

/// A store in a key-value database.
struct KeyValueStore(Database);

impl KeyValueStore {
    fn open(path: &Path) -> Result<Self> {
        Database::open(path).map(Self).map_err(failed)
    }

    fn rows<'a>(&'a self, project_id: &'a str) -> Rows<'a> {
        Rows { database: &self.0, project_id }
    }
}

fn failed(error: io::Error) -> Error {
    Error::store(format!("the database failed: {error}"))
}

/// The rows of one project.
struct Rows<'a> {
    database: &'a Database,
    project_id: &'a str,
}

impl Rows<'_> {
    /// Returns the beginning of the keys of a shelf. Ids of projects can have any character, so their
    /// length comes first.
    fn prefix(&self, shelf: &str) -> String {
        format!("{}/{}/{shelf}/", self.project_id.len(), self.project_id)
    }
}

impl Shelves for Rows<'_> {
    fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
        Ok(self.database.get(&format!("{}{key}", self.prefix(shelf))).cloned())
    }

    fn all(&self, shelf: &str) -> Result<Vec<String>> {
        Ok(self.database.scan(&self.prefix(shelf)).map(|(_, row)| row.clone()).collect())
    }

    fn paths(&self) -> Result<Vec<String>> {
        let prefix = self.prefix("files");
        let paths = self.database.scan(&prefix).filter_map(|(key, _)| key.strip_prefix(&prefix));
        Ok(paths.map(str::to_owned).collect())
    }
}

impl Store for KeyValueStore {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        let answers =
            read_text(to_text(reads)?.as_bytes(), &self.rows(reads.project_id().as_str()))?;
        Answers::from_json(&Json::parse(&answers)?, reads)
    }

    // `&mut self`: no other batch is decided at the same time. A database with transactions decides in one
    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        let rows = self.rows(writes.project_id.as_str());
        let decided = commit_text(to_text(writes)?.as_bytes(), &rows)?;
        let key = |shelf: &str, key: &str| format!("{}{key}", rows.prefix(shelf));
        let changes = decided.changes.iter();
        let batch: Vec<_> =
            changes.map(|change| (key(&change.shelf, &change.key), change.text.clone())).collect();
        if !batch.is_empty() {
            self.0.write(batch).map_err(failed)?;
        }
        if !writes.erase_cards.is_empty() {
            // the log has the erased content until it is replaced
            self.0.compact().map_err(failed)?;
        }
        Receipt::from_json(&Json::parse(&decided.receipt)?, writes)
    }
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("tuckbox-own-store-{}.log", std::process::id()));
    let done = run(&path);
    // the file is only an example; whether it could be removed changes nothing
    let _ = fs::remove_file(&path);
    done
}

/// Time and randomness are arguments; a real program takes them from its machine.
fn env(entropy: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [entropy; 32])
}

/// Works a call out and makes it real.
fn commit<R: Rule>(rule: &R, entropy: u8, store: &mut KeyValueStore) -> Result<Receipt> {
    let made = rule::preview(rule, &mut Snapshot::new("demo".into()), &env(entropy), store)?;
    store.commit(&made.writes)
}

fn run(path: &Path) -> Result<()> {
    // the contract of a store, as tests that any store can run
    for case in testing::CASES {
        let _ = fs::remove_file(path);
        case.run(&mut KeyValueStore::open(path)?, "demo").map_err(Error::store)?;
    }
    println!("{} cases of the store contract hold", testing::CASES.len());
    let _ = fs::remove_file(path);

    // a writer: its box, and its profile
    let mut store = KeyValueStore::open(path)?;
    let profile_box = CreateBox::from_json(&json!({"box_id": "pb_writer", "card_ids": []}))?;
    commit(&profile_box, 1, &mut store)?;
    let profile = json!({"name": "Writer", "profile_box_id": "pb_writer"});
    let profile = RegisterProfile::from_json(&profile)?;
    commit(&profile, 2, &mut store)?;

    // two cards in a box
    let text = |text: &str| json!({"__type__": "TextContent", "text": text});
    let put = PutCards::from_json(&json!({"cards": [
        {"card_id": "n1", "type": "note", "author_id": "me", "content": text("Bees dance.")},
        {"card_id": "n2", "type": "note", "author_id": "me", "content": text("Ants do not.")},
    ]}))?;
    commit(&put, 3, &mut store)?;
    let create = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1", "n2"]}))?;
    commit(&create, 4, &mut store)?;

    // hand them to a writer: look first
    let handover =
        Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
    let arguments =
        json!({"profile_name": "writer", "instruction": "Draft it.", "boxes": ["notes"]});
    let call = PackContext::new("delegate", "agent_a", arguments, handover);
    let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env(5), &store)?;
    for entry in preview.ledger.boxes.iter().flat_map(|ledger| ledger.entries(0..10)) {
        println!("{} {} {}", entry.position, entry.card_id, to_json(&entry.cause)?);
    }

    // then commit, and open the database again
    let receipt = store.commit(&preview.writes)?;
    let again = KeyValueStore::open(path)?;
    let boxes = again.rows("demo").all("boxes")?.len();
    println!("operation {} is stored; the database has {boxes} boxes", receipt.operation_id);
    assert_eq!(boxes, 3);
    Ok(())
}
