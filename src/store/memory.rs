//! A store in memory, for tests, previews and small tools.

use super::decide::{self, Effects, Operation};
use super::memory_rows::MemoryRows;
use super::rows::{RowKey, TableRow};
use super::table::{self, Table};
use super::version::implied_version;
use super::{
    Agent, AgentPointers, AgentState, Answers, Directory, FollowSource, Kind, Profile, Reads,
    Receipt, Snapshot, Store, StoredFile, Writes,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::id::{BoxId, ProjectId};
use crate::value::json::{Field, Json, Object, to_json, to_text};
use crate::value::str_map::{Hashing, StrMap};
use crate::{Code, Result};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// A store in memory. Projects are isolated from each other.
///
/// ```
/// use tuckbox::store::{Kind, MemoryStore, Profile, Reads, Store};
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("b1", ["c1", "c2"]);
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "b1").add(Kind::Profiles, "WRITER");
/// assert!(store.read(&reads).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    projects: IndexMap<ProjectId, Tables, Hashing>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the tables of a project for changes; creates them if they do not exist.
    pub fn project(&mut self, project_id: impl Into<ProjectId>) -> &mut Tables {
        self.projects.entry(project_id.into()).or_default()
    }

    /// Returns the tables of a project, if it has any.
    pub fn tables(&self, project_id: &str) -> Option<&Tables> {
        self.projects.get(project_id)
    }
}

/// The tables of one project in a [`MemoryStore`].
#[derive(Clone, Debug, Default)]
pub struct Tables {
    boxes: StrMap<CardBox>,
    cards: StrMap<Card>,
    files: BTreeMap<String, StoredFile>,
    /// The rows by table name.
    rows: IndexMap<&'static str, MemoryRows, Hashing>,
    operations: StrMap<Operation>,
}

impl Tables {
    /// Adds a profile under its name.
    pub fn add_profile(&mut self, profile: Profile) -> &mut Self {
        self.add_value(&table::PROJECT_PROFILES, &profile)
    }

    /// Adds a box with these cards, at version 1.
    pub fn add_box<'a>(
        &mut self,
        box_id: impl Into<BoxId>,
        card_ids: impl IntoIterator<Item = &'a str>,
    ) -> &mut Self {
        let card_box = CardBox::new(box_id, card_ids.into_iter().collect());
        self.boxes.insert(card_box.box_id.clone().as_str(), card_box);
        self
    }

    /// Adds a card without checks.
    pub fn add_card(&mut self, card: Card) -> &mut Self {
        self.cards.insert(card.card_id.clone().as_str(), card);
        self
    }

    /// Adds an agent without checks.
    pub fn add_agent(&mut self, agent: Agent) -> &mut Self {
        self.add_value(&table::PROJECT_AGENTS, &agent)
    }

    /// Removes an agent from the project; its boxes, cards and turns stay.
    pub fn remove_agent(&mut self, agent_id: &str) -> &mut Self {
        self.remove_row(&RowKey::new(&table::PROJECT_AGENTS, [agent_id]))
    }

    /// Removes a profile from the registry.
    pub fn remove_profile(&mut self, name: &str) -> &mut Self {
        self.remove_row(&RowKey::new(&table::PROJECT_PROFILES, [name]))
    }

    /// Adds a file without checks.
    pub fn add_file(&mut self, file: StoredFile) -> &mut Self {
        self.files.insert(file.path.clone(), file);
        self
    }

    /// Adds a row of a declared table without checks. A row without its key is omitted.
    pub fn add_row(&mut self, table: &'static Table, row: Object) -> &mut Self {
        if let Some(key) = table.key_of(&row) {
            let version = implied_version(&Json::Object(row.clone()));
            self.put_row(&RowKey { table, key }, &version, row);
        }
        self
    }

    /// Removes a row of a declared table.
    pub fn remove_row(&mut self, of: &RowKey) -> &mut Self {
        self.rows.entry(of.table.name).or_default().remove(of);
        self
    }

    fn add_value(&mut self, table: &'static Table, value: &impl Serialize) -> &mut Self {
        match to_json(value) {
            Ok(Json::Object(row)) => self.add_row(table, row),
            Ok(_) | Err(_) => self,
        }
    }

    fn put_row(&mut self, of: &RowKey, version: &str, row: impl Into<Arc<Object>>) {
        let row = TableRow { key: of.key.clone(), version: version.to_owned(), row: row.into() };
        self.rows.entry(of.table.name).or_default().put(of, row);
    }

    /// Returns all files.
    pub fn files(&self) -> impl Iterator<Item = &StoredFile> {
        self.files.values()
    }

    /// Returns all boxes, in insertion order.
    pub fn boxes(&self) -> impl Iterator<Item = &CardBox> {
        self.boxes.values()
    }

    /// Returns all cards, in insertion order.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.values()
    }

    /// Returns all rows of a declared table.
    pub fn rows(&self, table: &Table) -> impl Iterator<Item = &TableRow> {
        self.rows.get(table.name).into_iter().flat_map(MemoryRows::iter)
    }

    fn row(&self, of: &RowKey) -> Option<&TableRow> {
        self.rows.get(of.table.name)?.get(of)
    }

    /// Builds an agent from its rows: the registry, its turn and its pointers.
    fn agent(&self, agent_id: &str) -> Result<Option<Agent>> {
        let row = |table| self.row(&RowKey::new(table, [agent_id]));
        let registered = row(&table::PROJECT_AGENTS).map(|row| read(row, Agent::from_row));
        let head = row(&table::HEADS).map(|row| read(row, AgentState::from_row)).transpose()?;
        let pointers = row(&table::POINTERS).map(|row| read(row, AgentPointers::from_row));
        let pointers = pointers.transpose()?;
        let mut agent = match registered {
            Some(agent) => agent?,
            None if head.is_none() && pointers.is_none() => return Ok(None),
            None => Agent::unregistered(agent_id),
        };
        agent.state = head.or(agent.state);
        agent.pointers = pointers.or(agent.pointers);
        Ok(Some(agent))
    }

    fn profiles(&self) -> impl Iterator<Item = Result<Profile>> {
        self.rows(&table::PROJECT_PROFILES).map(|row| read(row, Profile::from_row))
    }

    fn answer(&self, kind: Kind, key: &str, answers: Answers) -> Answers {
        let folded = kind.fold(key).into_owned();
        match kind {
            Kind::Profiles => {
                let row = self.row(&RowKey::new(&table::PROJECT_PROFILES, [key]));
                let row = row.map(|row| read(row, Profile::from_row)).transpose();
                answered(kind, key, row, answers, Answers::profile)
            }
            Kind::ProfilesByBox => {
                let found =
                    self.profiles().filter_map(Result::ok).filter(|row| row.box_key() == key);
                let first = found.min_by(|a, b| a.name.cmp(&b.name));
                answered(kind, key, Ok(first), answers, Answers::profile_of_box)
            }
            Kind::Boxes => {
                answered(kind, key, Ok(self.boxes.get(key).cloned()), answers, Answers::card_box)
            }
            Kind::Cards => {
                answered(kind, key, Ok(self.cards.get(key).cloned()), answers, Answers::card)
            }
            Kind::Agents => answered(kind, key, self.agent(key), answers, Answers::agent),
            Kind::Files => {
                answered(kind, key, Ok(self.files.get(key).cloned()), answers, Answers::file)
            }
            Kind::Directories => {
                let inside = self.files.keys().filter(|path| Directory::contains(&folded, path));
                let paths: Vec<String> = inside.cloned().collect();
                let found = (!paths.is_empty()).then_some(Directory { directory: folded, paths });
                answered(kind, key, Ok(found), answers, Answers::directory)
            }
        }
    }

    /// The rows that others follow from.
    fn rows_of<'a>(&'a self, source: &FollowSource) -> impl Iterator<Item = &'a Object> + use<'a> {
        let (row, list) = match source {
            FollowSource::Row(of) => (self.row(of), None),
            FollowSource::List(list) => (None, Some(list)),
        };
        let listed = list.and_then(|list| Some(self.rows.get(list.table.name)?.selected(list)));
        row.into_iter().chain(listed.into_iter().flatten()).map(|row| &*row.row)
    }

    fn answer_all(&self, reads: &Reads) -> Answers {
        let followed = reads.follows().next().map(|_| reads.followed(|from| self.rows_of(from)));
        let reads = followed.as_ref().unwrap_or(reads);
        let mut answers = Answers::new();
        for kind in Kind::ALL {
            for key in reads.of(kind) {
                answers = self.answer(kind, key, answers);
            }
        }
        for of in reads.rows() {
            answers = match self.row(of) {
                Some(row) => answers.row(of.clone(), row.clone()),
                None => answers.missing_row(of.clone()),
            };
        }
        for list in reads.lists() {
            let rows = self.rows.get(list.table.name);
            let rows = rows.into_iter().flat_map(|rows| rows.selected(list)).cloned().collect();
            answers = answers.list(list.clone(), rows);
        }
        answers
    }

    fn put(&mut self, effects: Effects<'_>) {
        for card in effects.cards {
            self.add_card(card.into_owned());
        }
        for card_id in effects.deleted_cards {
            if let Some(card) = self.cards.get_mut(card_id.as_str()) {
                card.deleted_at.get_or_insert(effects.at);
            }
        }
        for file in effects.files {
            self.add_file(file.clone());
        }
        for agent in effects.agents {
            if let Ok(Json::Object(row)) = to_json(agent) {
                let of = RowKey::new(&table::PROJECT_AGENTS, [agent.agent_id.as_str()]);
                self.put_row(&of, effects.version, row);
            }
        }
        for card_box in effects.boxes {
            self.boxes.insert(card_box.box_id.clone().as_str(), card_box);
        }
        for change in effects.rows {
            match &change.row {
                Some(row) => self.put_row(&change.of, effects.version, row.shared()),
                None => _ = self.remove_row(&change.of),
            }
        }
    }
}

fn read<T>(row: &TableRow, from_row: fn(&Field<'_>) -> Result<T>) -> Result<T> {
    from_row(&Field::new(&Json::Object(Object::clone(&row.row)), Code::Store))
}

fn answered<T>(
    kind: Kind,
    key: &str,
    found: Result<Option<T>>,
    answers: Answers,
    add: fn(Answers, T) -> Answers,
) -> Answers {
    match found {
        Ok(Some(row)) => add(answers, row),
        Ok(None) => answers.missing(kind, key),
        Err(error) => answers.failed(kind, key, error.to_string()),
    }
}

impl Store for MemoryStore {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        match self.projects.get(reads.project_id()) {
            Some(tables) => Ok(tables.answer_all(reads)),
            None => Ok(Tables::default().answer_all(reads)),
        }
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        let reads = decide::touched(writes);
        let mut there = Snapshot::new(writes.project_id.clone());
        there.absorb_unchecked(self.read(&reads)?);
        let tables = self.project(writes.project_id.clone());
        let applied = tables.operations.get(&writes.operation_id);
        // the hash stays in this store, so a short one is enough
        let hash = Hashing::fixed().hash_one(to_text(writes)?).to_string();
        let decision = decide::decide_under(hash, writes, &there, applied)?;
        if let Some(effects) = decision.effects {
            tables.put(effects);
            let receipt = decision.receipt.clone();
            let operation = Operation { batch_hash: decision.batch_hash, receipt };
            tables.operations.insert(writes.operation_id.as_str(), operation);
        }
        Ok(decision.receipt)
    }
}
