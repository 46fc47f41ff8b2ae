//! Decisions of commits: the only code that compares [`Writes`] with the existing rows.
//!
//! Inside its write transaction, a store looks up the rows that [`touched`] names. It passes them
//! to [`decide`] as a [`Snapshot`] and writes the result. [`MemoryStore`](super::MemoryStore) does
//! this in Rust. Stores in other languages send JSON text to [`touched_text`] and [`decide_text`].
//! Snapshots use the same [`Effects`] to apply a commit and to preview it.
//!
//! ```
//! use tuckbox::store::{Snapshot, decide};
//!
//! let batch = br#"{"project_id": "p1", "operation_id": "op1", "at": "2026-01-01T00:00:00Z",
//!     "boxes": [{"change": "append", "box_id": "b1", "card_ids": ["c2"]}]}"#;
//! assert_eq!(decide::touched_text(batch)?, r#"{"project_id":"p1","boxes":["b1"]}"#);
//!
//! let rows = br#"{"boxes": [{"box_id": "b1", "card_ids": ["c1"], "version": 4}]}"#;
//! let decision = decide::decide_text(batch, rows)?;
//! assert!(decision.contains(r#""set":{"card_ids":["c1","c2"],"version":5}"#));
//! # Ok::<(), tuckbox::Error>(())
//! ```

pub use super::decide_text::{decide_text, select_text, touched_text};
use super::rows::{Before, List, RowChange, RowKey, Version};
use super::writes::{Expectation, box_conflict, card_conflict, file_conflict, row_conflict};
use super::{
    Agent, BoxChange, BoxVersion, Kind, Lookup, Presence, Reads, Receipt, Snapshot, StoredFile,
    Writes, table,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::hex::{feed, hex};
use crate::value::id::CardId;
use crate::value::json::{ParseLimits, to_text};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::value::time::Timestamp;
use crate::{Error, Path, Result};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// An operation that was applied: the hash of its batch and its receipt.
///
/// The example of [`decide`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The [hash](batch_hash) of its batch.
    pub batch_hash: String,
    /// The receipt of its commit.
    pub receipt: Receipt,
}

/// The outcome of a commit.
///
/// The example of [`decide`] shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<'w> {
    /// The receipt to return.
    pub receipt: Receipt,
    /// The hash to store with the operation.
    pub batch_hash: String,
    /// The changes to write; `None` if the operation was applied before.
    pub effects: Option<Effects<'w>>,
}

/// The changes of a batch to the existing rows.
///
/// The example of [`decide`] shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects<'w> {
    /// New cards, and cards whose content is overwritten.
    pub cards: Vec<Cow<'w, Card>>,
    /// Existing cards to delete.
    pub deleted_cards: Vec<&'w CardId>,
    /// New files.
    pub files: Vec<&'w StoredFile>,
    /// New rows of agents.
    pub agents: &'w [Agent],
    /// New rows of boxes, in the order of their first change. Unknown boxes are omitted.
    pub boxes: Vec<CardBox>,
    /// Changes to rows of declared tables.
    pub rows: &'w [RowChange],
    /// The time of the change.
    pub at: Timestamp,
    /// The version of the rows that the batch writes.
    pub version: &'w str,
}

impl<'w> Effects<'w> {
    /// Computes the changes of `writes` to the rows in `there`, without checks.
    pub fn of(writes: &'w Writes, there: &Snapshot) -> Self {
        let (cards, deleted_cards) = cards_of(writes, there);
        let mut files: StrMap<&StoredFile> = StrMap::new();
        for file in &writes.files {
            if !matches!(there.file(&file.path), Lookup::Present(_)) {
                files.insert_new(file.path.as_str(), file);
            }
        }
        Self {
            cards,
            deleted_cards,
            files: files.into_values(),
            agents: &writes.agents,
            boxes: boxes_of(writes, there),
            rows: &writes.rows,
            at: writes.at,
            version: &writes.operation_id,
        }
    }
}

/// Returns the cards that `writes` puts, and the ids of the cards that it deletes.
fn cards_of<'w>(writes: &'w Writes, there: &Snapshot) -> (Vec<Cow<'w, Card>>, Vec<&'w CardId>) {
    let mut cards: StrMap<Cow<'w, Card>> = StrMap::new();
    for card in &writes.cards {
        if !matches!(there.card(card.card_id.as_str()), Lookup::Present(_)) {
            cards.insert_new(card.card_id.as_str(), Cow::Borrowed(card));
        }
    }
    let mut deleted_cards = Vec::new();
    for card_id in &writes.delete_cards {
        if let Some(card) = cards.get_mut(card_id.as_str()) {
            card.to_mut().deleted_at.get_or_insert(writes.at);
        } else if let Lookup::Present(card) = there.card(card_id.as_str())
            && card.deleted_at.is_none()
        {
            deleted_cards.push(card_id);
        }
    }
    for card_id in &writes.erase_cards {
        let known = match there.card(card_id.as_str()) {
            Lookup::Present(card) => Some(card),
            Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => None,
        };
        let erased = cards.get(card_id.as_str()).map(Cow::as_ref).or(known);
        if let Some(erased) = erased.map(|card| card.erased(writes.at)) {
            deleted_cards.retain(|deleted| *deleted != card_id);
            cards.insert(card_id.as_str(), Cow::Owned(erased));
        }
    }
    (cards.into_values(), deleted_cards)
}

/// Returns the boxes after the changes of `writes`.
fn boxes_of(writes: &Writes, there: &Snapshot) -> Vec<CardBox> {
    let mut boxes: StrMap<CardBox> = StrMap::new();
    for change in &writes.boxes {
        let box_id = change.box_id().as_str();
        let known = match there.card_box_row(box_id) {
            Lookup::Present(card_box) => Some(card_box),
            Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => None,
        };
        let after = match (change, boxes.get(box_id).or(known)) {
            (BoxChange::Create { card_box }, _) => card_box.clone(),
            (change, Some(before)) => change.after(before, writes.at),
            (
                BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. },
                None,
            ) => continue,
        };
        boxes.insert(box_id, after);
    }
    boxes.into_values()
}

/// Returns the parse limits of batches and rows: content of maximum depth, and its wrapper.
///
/// The caller that created them has checked the limits of its project.
pub(super) fn parse_limits() -> ParseLimits {
    let wrapping = 32;
    ParseLimits { max_depth: Limits::MAX_DEPTH + wrapping, ..ParseLimits::default() }
}

/// Returns the reads that [`decide`] needs for `writes`.
///
/// ```
/// use tuckbox::Timestamp;
/// use tuckbox::store::{BoxChange, Kind, Writes, decide};
///
/// let gone = BoxChange::Delete { box_id: "notes".into(), version: 2 };
/// let writes = Writes { boxes: vec![gone], ..Writes::new("p1".into(), "op_1", Timestamp::from_millis(0)) };
/// assert_eq!(decide::touched(&writes).of(Kind::Boxes).collect::<Vec<_>>(), ["notes"]);
/// ```
pub fn touched(writes: &Writes) -> Reads {
    let mut reads = Reads::new(writes.project_id.clone());
    for expected in &writes.expects {
        match (expected.kind(), table::named(expected.table)) {
            (Some(kind), _) => _ = reads.add(kind, expected.first_key()),
            (None, Some(table)) => _ = reads.add_row(RowKey { table, key: expected.key.clone() }),
            (None, None) => {}
        }
    }
    let cards = writes.cards.iter().map(|card| &card.card_id);
    for card_id in cards.chain(&writes.delete_cards).chain(&writes.erase_cards) {
        reads.add(Kind::Cards, card_id.as_str());
    }
    for change in &writes.boxes {
        reads.add(Kind::Boxes, change.box_id().as_str());
    }
    for file in &writes.files {
        reads.add(Kind::Files, &file.path);
    }
    for change in &writes.rows {
        reads.add_row(change.of.clone());
        for list in holders(change) {
            reads.add_list(list);
        }
    }
    reads
}

/// Returns the lists of rows that have the values of a changed row in unique indexes.
fn holders(change: &RowChange) -> Vec<List> {
    let Some(row) = &change.row else { return Vec::new() };
    let table = change.of.table;
    let unique = table.indexes.iter().filter(|index| index.unique);
    unique
        .filter_map(|index| Some(List { table, index, of: index.values_of(row)?, limit: 1 }))
        .collect()
}

/// Returns the hash that identifies a batch under an operation id.
///
/// # Errors
/// Returns an error if a card contains text that stores do not support.
///
/// ```
/// use tuckbox::Timestamp;
/// use tuckbox::store::{Writes, decide};
///
/// let batch = |at| Writes::new("p1".into(), "op_1", Timestamp::from_millis(at));
/// assert_eq!(decide::batch_hash(&batch(0))?, decide::batch_hash(&batch(0))?);
/// assert_eq!(decide::batch_hash(&batch(0))?.len(), 64);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn batch_hash(writes: &Writes) -> Result<String> {
    let mut hash = Sha256::new();
    feed(&mut hash, to_text(writes)?.as_bytes());
    Ok(hex(&hash.finalize()))
}

/// Decides a commit.
///
/// `there` contains the rows that [`touched`] names. `applied` is the operation with the id of the
/// batch, if the store has it.
///
/// # Errors
/// Returns `conflict` if a row does not match an expectation of the batch, or another batch used
/// its operation id.
/// Returns `store` if a row was not looked up or its lookup failed.
/// After an error the store must not write.
///
/// ```
/// use tuckbox::Timestamp;
/// use tuckbox::store::decide::{Effects, Operation, decide};
/// use tuckbox::store::{Snapshot, StoredFile, Writes};
/// # use tuckbox::store::{Answers, Kind, Reads};
/// # let mut there = Snapshot::new("p1".into());
/// # let mut reads = Reads::new("p1".into());
/// # reads.add(Kind::Files, "a.txt");
/// # there.absorb(&reads, Answers::new().missing(Kind::Files, "a.txt"))?;
/// let file = StoredFile::new("a.txt", "text");
/// let writes = Writes { files: vec![file], ..Writes::new("p1".into(), "op_1", Timestamp::from_millis(0)) };
/// let decision = decide(&writes, &there, None)?;
/// let effects: Effects<'_> = decision.effects.unwrap();
/// assert_eq!(effects.files[0].path, "a.txt");
///
/// // the same operation again: the same receipt, and no changes
/// let applied = Operation { batch_hash: decision.batch_hash, receipt: decision.receipt };
/// let again = decide(&writes, &there, Some(&applied))?;
/// assert!(again.receipt.repeated && again.effects.is_none());
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn decide<'w>(
    writes: &'w Writes,
    there: &Snapshot,
    applied: Option<&Operation>,
) -> Result<Decision<'w>> {
    decide_under(batch_hash(writes)?, writes, there, applied)
}

/// Decides a commit with a batch hash from the store; see [`decide`].
pub(super) fn decide_under<'w>(
    batch_hash: String,
    writes: &'w Writes,
    there: &Snapshot,
    applied: Option<&Operation>,
) -> Result<Decision<'w>> {
    if let Some(operation) = applied {
        if operation.batch_hash != batch_hash {
            return Err(Error::conflict(format!(
                "operation `{}` was already applied with another batch",
                writes.operation_id
            ))
            .at(Path::root().key("operation_id"))
            .detail("operation_id", writes.operation_id.as_str()));
        }
        let receipt = Receipt { repeated: true, ..operation.receipt.clone() };
        return Ok(Decision { receipt, batch_hash, effects: None });
    }
    check_cards(writes, there)?;
    check_files(writes, there)?;
    for expected in &writes.expects {
        check_expectation(expected, there)?;
    }
    check_boxes(writes, there)?;
    check_rows(writes, there)?;
    let effects = Effects::of(writes, there);
    let boxes = effects.boxes.iter();
    let receipt = Receipt {
        operation_id: writes.operation_id.clone(),
        repeated: false,
        boxes: boxes
            .map(|row| BoxVersion { box_id: row.box_id.clone(), version: row.version })
            .collect(),
    };
    Ok(Decision { receipt, batch_hash, effects: Some(effects) })
}

/// Returns the result of a lookup; `None` if the key does not exist.
fn found<'a, T>(lookup: Lookup<'a, T>, what: &str, key: &str) -> Result<Option<&'a T>> {
    match lookup {
        Lookup::Present(row) => Ok(Some(row)),
        Lookup::Absent => Ok(None),
        Lookup::Failed(error) => Err(error.clone()),
        Lookup::NotRead => Err(not_looked_up(what, key)),
    }
}

fn not_looked_up(what: &str, key: &str) -> Error {
    Error::store(format!("{what} `{key}` was not looked up before the commit"))
}

fn check_expectation(expected: &Expectation, there: &Snapshot) -> Result<()> {
    let Presence::Read(now) = there.version_of(expected)? else {
        return Err(not_looked_up(expected.table, expected.first_key()));
    };
    if now == expected.version { Ok(()) } else { Err(row_conflict(expected, now.as_ref())) }
}

fn check_cards(writes: &Writes, there: &Snapshot) -> Result<()> {
    let mut new: StrMap<&Card> = StrMap::new();
    for (index, card) in writes.cards.iter().enumerate() {
        let card_id = card.card_id.as_str();
        let before = match new.get(card_id) {
            Some(before) => Some(*before),
            None => found(there.card(card_id), "card", card_id)?,
        };
        match before {
            None => drop(new.insert(card_id, card)),
            Some(before) if before.same_content(card) => {}
            Some(_) => return Err(card_conflict(card).at(Path::root().key("cards").index(index))),
        }
    }
    Ok(())
}

fn check_files(writes: &Writes, there: &Snapshot) -> Result<()> {
    let mut new: StrMap<&StoredFile> = StrMap::new();
    for (index, file) in writes.files.iter().enumerate() {
        let before = match new.get(&file.path) {
            Some(before) => Some(*before),
            None => found(there.file(&file.path), "file", &file.path)?,
        };
        match before {
            None => drop(new.insert(file.path.as_str(), file)),
            Some(before) if before.text == file.text => {}
            Some(_) => {
                return Err(file_conflict(&file.path).at(Path::root().key("files").index(index)));
            }
        }
    }
    Ok(())
}

fn check_boxes(writes: &Writes, there: &Snapshot) -> Result<()> {
    // per box: its version, and whether it is live
    let mut now: StrMap<(u64, bool)> = StrMap::new();
    for (index, change) in writes.boxes.iter().enumerate() {
        let box_id = change.box_id().as_str();
        let before = match now.get(box_id) {
            Some(before) => Some(*before),
            None => found(there.card_box_row(box_id), "box", box_id)?
                .map(|row| (row.version, row.deleted_at.is_none())),
        };
        let expected = change.expected_version();
        let after = match (change, before) {
            (BoxChange::Create { card_box }, None) => {
                (card_box.version, card_box.deleted_at.is_none())
            }
            (BoxChange::Create { .. }, Some(_)) => {
                return Err(Error::conflict(format!("box `{box_id}` already exists"))
                    .at(Path::root().key("boxes").index(index))
                    .detail("box_id", box_id));
            }
            (
                BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. },
                Some((version, true)),
            ) => match expected {
                Some(expected) if expected != version => {
                    return Err(box_conflict(box_id, Some(expected), Some(version)));
                }
                Some(_) | None => (version + 1, !matches!(change, BoxChange::Delete { .. })),
            },
            (
                BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. },
                Some((_, false)) | None,
            ) => return Err(box_conflict(box_id, expected, None)),
        };
        now.insert(box_id, after);
    }
    Ok(())
}

fn check_rows(writes: &Writes, there: &Snapshot) -> Result<()> {
    let mut changed: StrMap<()> = StrMap::new();
    for (index, change) in writes.rows.iter().enumerate() {
        let path = || Path::root().key("rows").index(index);
        if !changed.insert_new(change.of.id(), ()) {
            return Err(
                Error::conflict(format!("{} is changed twice in one batch", change.of)).at(path())
            );
        }
        let version = match &change.before {
            Before::Any => continue,
            Before::Absent => None,
            Before::At(version) => Some(Version::Text(version.clone())),
        };
        let RowKey { table, key } = &change.of;
        let expected = Expectation { table: table.name, key: key.clone(), version };
        check_expectation(&expected, there).map_err(|error| error.at(path()))?;
    }
    let mut held: StrMap<&RowKey> = StrMap::new();
    for (index, change) in writes.rows.iter().enumerate() {
        for list in holders(change) {
            let rows = found(there.list(&list), "list", &list.to_string())?;
            let other = rows
                .and_then(|rows| rows.first())
                .map(|row| RowKey { table: list.table, key: row.key.clone() });
            let other = other.filter(|other| !changed.contains_key(&other.id()));
            if other.is_some() || !held.insert_new(list.id(), &change.of) {
                return Err(Error::conflict(format!(
                    "a row of {list} already exists; `{}` is unique",
                    list.index.name
                ))
                .at(Path::root().key("rows").index(index))
                .detail("table", list.table.name)
                .detail("index", list.index.name)
                .detail("key", other.map(|other| other.key)));
            }
        }
    }
    Ok(())
}
