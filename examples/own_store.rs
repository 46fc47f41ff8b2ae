//! Packing and previewing on a store of one's own.
//!
//! This store keeps a journal: every batch that was committed is one line of JSON in a file, and
//! opening the file again gives the same project. What a batch does to rows is not written here:
//! the core decides that for every store.
//!
//! Run it with `cargo run --example own_store`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tuckbox::agents::registry::RegisterProfile;
use tuckbox::cards::{CreateBox, PutCards};
use tuckbox::store::{Answers, MemoryStore, Reads, Receipt, Snapshot, Store, Writes, testing};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Error, Handover, Json, PackContext, Result, Rule, Timestamp, json, rule};

/// A store in a file of batches.
struct Journal {
    path: PathBuf,
    rows: MemoryStore,
}

impl Journal {
    /// Opens a journal. A missing file is an empty journal.
    fn open(path: &Path) -> Result<Self> {
        let mut rows = MemoryStore::new();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::store(format!("cannot read the journal: {error}"))),
        };
        for line in text.lines() {
            let batch = Json::parse(line)?;
            rows.commit(&Writes::from_json(&batch)?)?;
        }
        Ok(Self { path: path.to_owned(), rows })
    }
}

impl Store for Journal {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        self.rows.read(reads)
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        // on a copy first: a batch that cannot be kept must not be seen
        let mut after = self.rows.clone();
        let receipt = after.commit(writes)?;
        if !receipt.repeated {
            let line = format!("{}\n", to_json(writes)?);
            let file = OpenOptions::new().create(true).append(true).open(&self.path);
            let kept = file.and_then(|mut file| {
                file.write_all(line.as_bytes())?;
                file.sync_data()
            });
            kept.map_err(|error| Error::store(format!("cannot write the journal: {error}")))?;
        }
        self.rows = after;
        Ok(receipt)
    }
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("tuckbox-journal-{}.jsonl", std::process::id()));
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
fn commit<R: Rule>(rule: &R, entropy: u8, store: &mut Journal) -> Result<Receipt> {
    let made = rule::preview(rule, &mut Snapshot::new("demo".into()), &env(entropy), store)?;
    store.commit(&made.writes)
}

fn run(path: &Path) -> Result<()> {
    // the contract of a store, as tests that any store can run
    for case in testing::CASES {
        let _ = fs::remove_file(path);
        case.run(&mut Journal::open(path)?, "demo").map_err(Error::store)?;
    }
    println!("{} cases of the store contract hold", testing::CASES.len());
    let _ = fs::remove_file(path);

    // a writer: its box, and its profile
    let mut journal = Journal::open(path)?;
    let profile_box = CreateBox::from_json(&json!({"box_id": "pb_writer", "card_ids": []}))?;
    commit(&profile_box, 1, &mut journal)?;
    let profile = json!({"name": "Writer", "profile_box_id": "pb_writer"});
    let profile = RegisterProfile::from_json(&profile)?;
    commit(&profile, 2, &mut journal)?;

    // two cards in a box
    let text = |text: &str| json!({"__type__": "TextContent", "text": text});
    let put = PutCards::from_json(&json!({"cards": [
        {"card_id": "n1", "type": "note", "author_id": "me", "content": text("Bees dance.")},
        {"card_id": "n2", "type": "note", "author_id": "me", "content": text("Ants do not.")},
    ]}))?;
    commit(&put, 3, &mut journal)?;
    let create = CreateBox::from_json(&json!({"box_id": "notes", "card_ids": ["n1", "n2"]}))?;
    commit(&create, 4, &mut journal)?;

    // hand them to a writer: look first
    let handover =
        Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
    let arguments =
        json!({"profile_name": "writer", "instruction": "Draft it.", "boxes": ["notes"]});
    let call = PackContext::new("delegate", "agent_a", arguments, handover);
    let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env(5), &journal)?;
    for entry in preview.ledger.boxes.iter().flat_map(|ledger| ledger.entries(0..10)) {
        println!("{} {} {}", entry.position, entry.card_id, to_json(&entry.cause)?);
    }

    // then make it real, and open the journal again
    let receipt = journal.commit(&preview.writes)?;
    let again = Journal::open(path)?;
    let boxes = again.rows.tables("demo").map_or(0, |tables| tables.boxes().count());
    println!("operation {} is kept; the journal holds {boxes} boxes", receipt.operation_id);
    assert_eq!(boxes, 3);
    Ok(())
}
