//! A project of a store under test, with helpers for cases.

use super::super::table::Table;
use super::super::{
    Answers, Before, BoxChange, Kind, List, Lookup, Reads, Receipt, RowChange, RowKey, Snapshot,
    Store, Version, Writes,
};
use super::Outcome;
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::id::{BoxId, CardId, ProjectId};
use crate::value::json::{Json, Object};
use crate::value::limits::Limits;
use crate::value::time::Timestamp;
use crate::{Code, Error};
use std::fmt::Debug;

/// A project of a store under test.
pub(super) struct Trial<'s> {
    pub(super) store: &'s mut dyn Store,
    pub(super) project_id: ProjectId,
    pub(super) count: u32,
}

pub(super) const AT: Timestamp = Timestamp::EPOCH;

impl Trial<'_> {
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    pub(super) fn batch(&mut self) -> Writes {
        let operation_id = self.fresh("op");
        Writes::new(self.project_id.clone(), operation_id, AT)
    }

    pub(super) fn card(&self, card_id: &str, text: &str) -> Result<Card, String> {
        let new = NewCard::new("note", "tester", Content::text(text));
        Card::make(new, &self.project_id, CardId::from(card_id), AT, &Limits::default())
            .map_err(|error| error.to_string())
    }

    pub(super) fn commit(&mut self, change: impl FnOnce(&mut Writes)) -> Result<Receipt, String> {
        let mut writes = self.batch();
        change(&mut writes);
        self.send(&writes)
    }

    pub(super) fn send(&mut self, writes: &Writes) -> Result<Receipt, String> {
        self.store.commit(writes).map_err(|error| format!("a commit failed: {error}"))
    }

    pub(super) fn refuses(
        &mut self,
        what: &str,
        change: impl FnOnce(&mut Writes),
    ) -> Result<Error, String> {
        let mut writes = self.batch();
        change(&mut writes);
        self.refuses_batch(what, &writes)
    }

    pub(super) fn refuses_batch(&mut self, what: &str, writes: &Writes) -> Result<Error, String> {
        match self.store.commit(writes) {
            Ok(_) => Err(format!("{what} was committed")),
            Err(error) if error.code() == Code::Conflict => Ok(error),
            Err(error) => Err(format!("{what} failed with {error}, not with a conflict")),
        }
    }

    pub(super) fn read(&self, ask: impl FnOnce(&mut Reads)) -> Result<Snapshot, String> {
        let mut reads = Reads::new(self.project_id.clone());
        ask(&mut reads);
        let answers: Answers = self.store.read(&reads).map_err(|error| error.to_string())?;
        let mut snapshot = Snapshot::new(self.project_id.clone());
        snapshot.absorb(&reads, answers).map_err(|error| error.to_string())?;
        Ok(snapshot)
    }

    pub(super) fn read_box(&self, box_id: &str) -> Result<CardBox, String> {
        let snapshot = self.read(|reads| {
            reads.add(Kind::Boxes, box_id);
        })?;
        present(snapshot.card_box_row(box_id), box_id).cloned()
    }

    pub(super) fn version(&self, kind: Kind, key: &str) -> Result<Option<Version>, String> {
        let snapshot = self.read(|reads| {
            reads.add(kind, key);
        })?;
        let expected = snapshot.expectation(kind, key);
        Ok(expected.ok_or("the store did not answer the row")?.version)
    }

    pub(super) fn row_version(&self, of: &RowKey) -> Result<Option<String>, String> {
        let snapshot = self.read(|reads| {
            reads.add_row(of.clone());
        })?;
        match snapshot.row_of(of) {
            Lookup::Present(row) => Ok(Some(row.version.clone())),
            Lookup::Absent => Ok(None),
            Lookup::NotRead | Lookup::Failed(_) => Err(format!("the store did not answer {of}")),
        }
    }

    pub(super) fn keys(&self, list: &List) -> Result<Vec<String>, String> {
        let snapshot = self.read(|reads| {
            reads.add_list(list.clone());
        })?;
        let rows = present(snapshot.list(list), "the list")?;
        Ok(rows.iter().map(|row| row.key.join(" ")).collect())
    }
}

pub(super) fn present<'a, T: Debug>(lookup: Lookup<'a, T>, what: &str) -> Result<&'a T, String> {
    match lookup {
        Lookup::Present(row) => Ok(row),
        other => Err(format!("`{what}` must exist, found {other:?}")),
    }
}

pub(super) fn same<T: PartialEq + Debug>(found: T, expected: T, what: &str) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, found {found:?}"))
}

pub(super) fn create(box_id: &str, card_ids: &[&str]) -> BoxChange {
    BoxChange::Create { card_box: CardBox::new(box_id, card_ids.iter().copied().collect()) }
}

pub(super) fn append(box_id: &str, card_ids: &[&str], version: Option<u64>) -> BoxChange {
    BoxChange::Append {
        box_id: BoxId::from(box_id),
        card_ids: card_ids.iter().copied().collect(),
        version,
    }
}

pub(super) fn object(entries: &[(&str, Json)]) -> Object {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

pub(super) fn put(table: &'static Table, row: Object, before: Before) -> Result<RowChange, String> {
    RowChange::put(table, row, before).map_err(|error| error.to_string())
}

pub(super) fn ids_of(card_box: &CardBox) -> Vec<String> {
    card_box.card_ids.iter().map(str::to_owned).collect()
}
