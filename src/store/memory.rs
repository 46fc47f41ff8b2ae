//! A store in memory, for tests, previews and small tools.

use super::writes::{other_text, stale, taken};
use super::{
    Agent, Answers, BoxChange, BoxVersion, Directory, Kind, Profile, Reads, Receipt, Store,
    StoredFile, Writes,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::id::{BoxId, ProjectId};
use crate::{Error, Path, Result};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// A whole store in memory. Projects do not see each other.
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
    projects: IndexMap<ProjectId, Tables>,
}

/// The tables of one project in a [`MemoryStore`].
#[derive(Clone, Debug, Default)]
pub struct Tables {
    profiles: IndexMap<String, Profile>,
    boxes: IndexMap<String, CardBox>,
    cards: IndexMap<String, Card>,
    agents: IndexMap<String, Agent>,
    files: BTreeMap<String, StoredFile>,
    operations: IndexMap<String, Receipt>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tables of a project, to fill them by hand.
    pub fn project(&mut self, project_id: impl Into<ProjectId>) -> &mut Tables {
        self.projects.entry(project_id.into()).or_default()
    }

    /// The tables of a project, if it has any.
    pub fn tables(&self, project_id: &str) -> Option<&Tables> {
        self.projects.get(project_id)
    }
}

impl Tables {
    /// Registers a profile under its name.
    pub fn add_profile(&mut self, profile: Profile) -> &mut Self {
        self.profiles.insert(Kind::Profiles.fold(&profile.name).into_owned(), profile);
        self
    }

    /// Puts a box with these cards, at version 1.
    pub fn add_box<'a>(
        &mut self,
        box_id: impl Into<BoxId>,
        card_ids: impl IntoIterator<Item = &'a str>,
    ) -> &mut Self {
        let card_box = CardBox::new(box_id, card_ids.into_iter().collect());
        self.boxes.insert(card_box.box_id.to_string(), card_box);
        self
    }

    /// Puts a card as it stands.
    pub fn add_card(&mut self, card: Card) -> &mut Self {
        self.cards.insert(card.card_id.to_string(), card);
        self
    }

    /// Puts an agent as it stands.
    pub fn add_agent(&mut self, agent: Agent) -> &mut Self {
        self.agents.insert(agent.agent_id.to_string(), agent);
        self
    }

    /// Puts a file as it stands.
    pub fn add_file(&mut self, file: StoredFile) -> &mut Self {
        self.files.insert(file.path.clone(), file);
        self
    }

    /// Every file, by path.
    pub fn files(&self) -> impl Iterator<Item = &StoredFile> {
        self.files.values()
    }

    /// Every profile, in the order they came.
    pub fn profiles(&self) -> impl Iterator<Item = &Profile> {
        self.profiles.values()
    }

    /// Every box, in the order they came.
    pub fn boxes(&self) -> impl Iterator<Item = &CardBox> {
        self.boxes.values()
    }

    /// Every card, in the order they came.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.values()
    }

    /// Every agent, in the order they came.
    pub fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }

    fn answer(&self, kind: Kind, key: &str, answers: Answers) -> Answers {
        let folded = kind.fold(key).into_owned();
        match kind {
            Kind::Profiles => match self.profiles.get(&folded) {
                Some(row) => answers.profile(row.clone()),
                None => answers.missing(kind, key),
            },
            Kind::ProfilesByBox => {
                match self.profiles.values().find(|row| row.box_key() == folded) {
                    Some(row) => answers.profile_of_box(row.clone()),
                    None => answers.missing(kind, key),
                }
            }
            Kind::Boxes => match self.boxes.get(&folded) {
                Some(row) => answers.card_box(row.clone()),
                None => answers.missing(kind, key),
            },
            Kind::Cards => match self.cards.get(&folded) {
                Some(row) => answers.card(row.clone()),
                None => answers.missing(kind, key),
            },
            Kind::Agents => match self.agents.get(&folded) {
                Some(row) => answers.agent(row.clone()),
                None => answers.missing(kind, key),
            },
            Kind::Files => match self.files.get(&folded) {
                Some(row) => answers.file(row.clone()),
                None => answers.missing(kind, key),
            },
            Kind::Directories => {
                let inside = self.files.keys().filter(|path| Directory::holds(&folded, path));
                let paths: Vec<String> = inside.cloned().collect();
                if paths.is_empty() {
                    answers.missing(kind, key)
                } else {
                    answers.directory(Directory { directory: folded, paths })
                }
            }
        }
    }

    /// The boxes as they stand after the batch; refuses the batch without touching anything.
    fn boxes_after(&self, writes: &Writes) -> Result<IndexMap<String, CardBox>> {
        for BoxVersion { box_id, version } in &writes.expects {
            let found = self.live_box(box_id.as_str()).map(|row| row.version);
            if found != Some(*version) {
                return Err(stale(box_id, *version, found));
            }
        }
        let mut touched: IndexMap<String, CardBox> = IndexMap::new();
        for (index, change) in writes.boxes.iter().enumerate() {
            let key = change.box_id().as_str();
            let before = touched.get(key).or_else(|| self.live_box(key));
            let after = match (before, change) {
                (None, BoxChange::Create { card_box }) if !self.boxes.contains_key(key) => {
                    card_box.clone()
                }
                (_, BoxChange::Create { .. }) => {
                    return Err(Error::conflict(format!("there is a box `{key}` already"))
                        .at(Path::root().key("boxes").index(index)));
                }
                (Some(before), change) => match change.expected_version() {
                    Some(version) if version != before.version => {
                        return Err(stale(change.box_id(), version, Some(before.version)));
                    }
                    Some(_) | None => change.after(before, writes.at),
                },
                (None, change) => {
                    let version = change.expected_version().unwrap_or_default();
                    return Err(stale(change.box_id(), version, None));
                }
            };
            touched.insert(key.to_owned(), after);
        }
        Ok(touched)
    }

    fn live_box(&self, box_id: &str) -> Option<&CardBox> {
        self.boxes.get(box_id).filter(|row| row.deleted_at.is_none())
    }

    fn check_cards(&self, writes: &Writes) -> Result<()> {
        for (index, card) in writes.cards.iter().enumerate() {
            if let Some(there) = self.cards.get(card.card_id.as_str())
                && !there.same_content(card)
            {
                return Err(taken(card).at(Path::root().key("cards").index(index)));
            }
        }
        Ok(())
    }
}

impl Tables {
    fn check_files(&self, writes: &Writes) -> Result<()> {
        for (index, file) in writes.files.iter().enumerate() {
            if self.files.get(&file.path).is_some_and(|there| there.text != file.text) {
                return Err(other_text(&file.path).at(Path::root().key("files").index(index)));
            }
        }
        Ok(())
    }
}

impl Store for MemoryStore {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        let empty = Tables::default();
        let tables = self.projects.get(reads.project_id()).unwrap_or(&empty);
        let mut answers = Answers::new();
        for kind in Kind::ALL {
            for key in reads.of(kind) {
                answers = tables.answer(kind, key, answers);
            }
        }
        Ok(answers)
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        let tables = self.projects.entry(writes.project_id.clone()).or_default();
        if let Some(receipt) = tables.operations.get(&writes.operation_id) {
            return Ok(Receipt { repeated: true, ..receipt.clone() });
        }
        tables.check_cards(writes)?;
        tables.check_files(writes)?;
        let touched = tables.boxes_after(writes)?;

        // nothing below can fail
        for card in &writes.cards {
            tables.cards.entry(card.card_id.to_string()).or_insert_with(|| card.clone());
        }
        for card_id in &writes.delete_cards {
            if let Some(card) = tables.cards.get_mut(card_id.as_str()) {
                card.deleted_at.get_or_insert(writes.at);
            }
        }
        for agent in &writes.agents {
            tables.add_agent(agent.clone());
        }
        for file in &writes.files {
            tables.add_file(file.clone());
        }
        let receipt = Receipt {
            operation_id: writes.operation_id.clone(),
            repeated: false,
            boxes: touched
                .values()
                .map(|row| BoxVersion { box_id: row.box_id.clone(), version: row.version })
                .collect(),
        };
        tables.boxes.extend(touched);
        tables.operations.insert(writes.operation_id.clone(), receipt.clone());
        Ok(receipt)
    }
}
