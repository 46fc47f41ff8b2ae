//! What is known so far.

use super::{
    Agent, Answers, BoxChange, Directory, Kind, Profile, Reads, Receipt, StoredFile, Writes,
};
use crate::boxes::CardBox;
use crate::card::Card;
use crate::id::ProjectId;
use crate::ids::{CardIds, Interner, Names};
use crate::keyed::Keyed;
use crate::render::KeptCard;
use crate::sort::sort_by;
use crate::{Error, Path, Result};

/// What a [`Snapshot`] says about one key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lookup<'a, T> {
    /// Nobody asked for it yet.
    NotRead,
    /// It was read, and there is no such thing in this project.
    Absent,
    /// It was read, and here it is.
    Present(&'a T),
    /// The store was asked and could not say.
    Failed(&'a Error),
}

#[derive(Clone, Debug)]
pub(super) enum Known<T> {
    Absent,
    Present(T),
    Failed(Error),
}

pub(super) type Shelf<T> = Keyed<Known<T>>;

fn look<'a, T>(shelf: &'a Shelf<T>, key: &str) -> Lookup<'a, T> {
    match shelf.get(key) {
        None => Lookup::NotRead,
        Some(Known::Absent) => Lookup::Absent,
        Some(Known::Present(thing)) => Lookup::Present(thing),
        Some(Known::Failed(error)) => Lookup::Failed(error),
    }
}

/// Everything read so far in one project. It stays in memory between calls: cards never change,
/// and a box that changed behind it is caught by its version when something is committed.
///
/// ```
/// use tuckbox::store::{Answers, Kind, Lookup, Reads, Snapshot};
///
/// let mut snapshot = Snapshot::new("p1".into());
/// assert_eq!(snapshot.card_box("b1"), Lookup::NotRead);
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "b1");
/// snapshot.absorb(&reads, Answers::new().missing(Kind::Boxes, "b1"))?;
/// assert_eq!(snapshot.card_box("b1"), Lookup::Absent);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    project_id: ProjectId,
    pub(super) ids: Interner,
    pub(super) profiles: Shelf<Profile>,
    pub(super) profiles_by_box: Shelf<Profile>,
    pub(super) boxes: Shelf<CardBox>,
    pub(super) cards: Shelf<KeptCard>,
    pub(super) agents: Shelf<Agent>,
    pub(super) files: Shelf<StoredFile>,
    pub(super) directories: Shelf<Directory>,
    /// Keys that were absent or failed: no version guards them, so they may be asked for again.
    pub(super) unsettled: Vec<(Kind, String)>,
}

impl Snapshot {
    /// Nothing known yet.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            ids: Interner::default(),
            profiles: Shelf::default(),
            profiles_by_box: Shelf::default(),
            boxes: Shelf::default(),
            cards: Shelf::default(),
            agents: Shelf::default(),
            files: Shelf::default(),
            directories: Shelf::default(),
            unsettled: Vec::new(),
        }
    }

    /// The project that everything here belongs to.
    pub fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// What is known about the profile of this name, in any case.
    pub fn profile(&self, name: &str) -> Lookup<'_, Profile> {
        look(&self.profiles, &Kind::Profiles.fold(name))
    }

    /// What is known about the profile that this box holds.
    pub fn profile_of_box(&self, profile_box_id: &str) -> Lookup<'_, Profile> {
        look(&self.profiles_by_box, profile_box_id)
    }

    /// What is known about a box. A deleted box is absent here.
    pub fn card_box(&self, box_id: &str) -> Lookup<'_, CardBox> {
        match self.card_box_row(box_id) {
            Lookup::Present(row) if row.deleted_at.is_some() => Lookup::Absent,
            other => other,
        }
    }

    /// What is known about a box, deleted or not.
    pub fn card_box_row(&self, box_id: &str) -> Lookup<'_, CardBox> {
        look(&self.boxes, box_id)
    }

    /// What is known about a card, deleted or not: ask the card for its liveness.
    pub fn card(&self, card_id: &str) -> Lookup<'_, Card> {
        match self.kept_card(card_id) {
            Lookup::NotRead => Lookup::NotRead,
            Lookup::Absent => Lookup::Absent,
            Lookup::Present(kept) => Lookup::Present(kept.card()),
            Lookup::Failed(error) => Lookup::Failed(error),
        }
    }

    /// As [`Snapshot::card`], with what the card becomes.
    pub(crate) fn kept_card(&self, card_id: &str) -> Lookup<'_, KeptCard> {
        look(&self.cards, card_id)
    }

    /// What is known about an agent.
    pub fn agent(&self, agent_id: &str) -> Lookup<'_, Agent> {
        look(&self.agents, agent_id)
    }

    /// What is known about a file.
    pub fn file(&self, path: &str) -> Lookup<'_, StoredFile> {
        look(&self.files, path)
    }

    /// What is known about the files inside a directory.
    pub fn directory(&self, directory: &str) -> Lookup<'_, Directory> {
        look(&self.directories, directory)
    }

    /// The text of every card id in the boxes here.
    pub fn names(&self) -> &Names {
        self.ids.names()
    }

    /// True when `key` was read, found or not.
    pub fn has_read(&self, kind: Kind, key: &str) -> bool {
        let key = kind.fold(key);
        match kind {
            Kind::Profiles => self.profiles.contains_key(&key),
            Kind::ProfilesByBox => self.profiles_by_box.contains_key(&key),
            Kind::Boxes => self.boxes.contains_key(&key),
            Kind::Cards => self.cards.contains_key(&key),
            Kind::Agents => self.agents.contains_key(&key),
            Kind::Files => self.files.contains_key(&key),
            Kind::Directories => self.directories.contains_key(&key),
        }
    }

    /// The part of `reads` that is not known yet.
    #[must_use]
    pub fn unread(&self, reads: &Reads) -> Reads {
        let mut rest = Reads::new(self.project_id.clone());
        for kind in Kind::ALL {
            for key in reads.of(kind).filter(|key| !self.has_read(kind, key)) {
                rest.add(kind, key);
            }
        }
        rest
    }

    /// Takes in the answers to `reads`.
    ///
    /// # Errors
    /// `store`, with nothing taken in, when a key was answered twice, not asked for, or forgotten.
    pub fn absorb(&mut self, reads: &Reads, answers: Answers) -> Result<()> {
        self.check(reads, &answers)?;
        self.take_in(answers);
        Ok(())
    }

    /// As [`Snapshot::absorb`], but leaves alone what became known since the reads were named: an
    /// answer that was long on its way does not undo a commit.
    ///
    /// # Errors
    /// As [`Snapshot::absorb`].
    pub fn absorb_late(&mut self, reads: &Reads, mut answers: Answers) -> Result<()> {
        self.check(reads, &answers)?;
        answers.retain(|kind, key| !self.has_read(kind, key));
        self.take_in(answers);
        Ok(())
    }

    fn check(&self, reads: &Reads, answers: &Answers) -> Result<()> {
        if reads.project_id() != &self.project_id {
            return Err(Error::store(format!(
                "answers for project `{}` came to project `{}`",
                reads.project_id(),
                self.project_id
            )));
        }
        answers.check(reads)
    }

    fn take_in(&mut self, answers: Answers) {
        for profile in answers.profiles {
            // the same row under its other key is one read less
            if profile.profile_box_id.is_some() {
                self.profiles_by_box.insert_new(profile.box_key(), Known::Present(profile.clone()));
            }
            self.profiles.insert(&Kind::Profiles.fold(&profile.name), Known::Present(profile));
        }
        for profile in answers.profiles_by_box {
            let name = Kind::Profiles.fold(&profile.name);
            self.profiles.insert_new(&name, Known::Present(profile.clone()));
            let key = profile.box_key().to_owned();
            self.profiles_by_box.insert(&key, Known::Present(profile));
        }
        for card_box in answers.boxes {
            self.put_box(card_box);
        }
        for card in answers.cards {
            self.put_card(card);
        }
        for agent in answers.agents {
            self.put_agent(agent);
        }
        for file in answers.files {
            self.put_file(file);
        }
        for directory in answers.directories {
            let name = directory.directory.clone();
            self.directories.insert(&name, Known::Present(directory));
        }
        for (kind, key) in answers.missing {
            self.put_unsettled(kind, &key, None);
        }
        for (kind, key, message) in answers.failed {
            let error = Error::store(message)
                .at(Path::root().key(kind.as_str()))
                .detail("kind", kind.as_str())
                .detail("key", key.as_str());
            self.put_unsettled(kind, &key, Some(error));
        }
    }

    /// Shows the project as it will be once `writes` are committed: how a preview of one step
    /// becomes the ground of the next.
    pub fn apply(&mut self, writes: &Writes) {
        for card in &writes.cards {
            self.put_card(card.clone());
        }
        for card_id in &writes.delete_cards {
            if let Some(Known::Present(card)) = self.cards.get_mut(card_id.as_str()) {
                card.delete(writes.at);
            }
        }
        for change in &writes.boxes {
            let before = match self.card_box_row(change.box_id().as_str()) {
                Lookup::Present(before) => Some(before.clone()),
                Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => None,
            };
            match (before, change) {
                (_, BoxChange::Create { card_box }) => self.put_box(card_box.clone()),
                (Some(before), change) => self.put_box(change.after(&before, writes.at)),
                (
                    None,
                    BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. },
                ) => {}
            }
        }
        for agent in &writes.agents {
            self.put_agent(agent.clone());
        }
        for file in &writes.files {
            self.put_file(file.clone());
        }
        for (name, known) in self.directories.iter_mut() {
            let new = writes.files.iter().filter(|file| Directory::holds(name, &file.path));
            let mut paths = match known {
                Known::Present(directory) => std::mem::take(&mut directory.paths),
                Known::Absent | Known::Failed(_) => Vec::new(),
            };
            paths.extend(new.map(|file| file.path.clone()));
            sort_by(&mut paths, String::cmp);
            paths.dedup();
            if !paths.is_empty() {
                *known = Known::Present(Directory { directory: name.to_owned(), paths });
            }
        }
    }

    /// Takes in what a commit did. A repeated operation changed nothing now, so what it touched
    /// is forgotten and read again when it is needed.
    pub fn committed(&mut self, writes: &Writes, receipt: &Receipt) {
        if receipt.repeated {
            for change in &writes.boxes {
                self.boxes.swap_remove(change.box_id().as_str());
            }
            return;
        }
        self.apply(writes);
        for version in &receipt.boxes {
            if let Some(Known::Present(card_box)) = self.boxes.get_mut(version.box_id.as_str()) {
                card_box.version = version.version;
            }
        }
    }

    fn put_card(&mut self, card: Card) {
        let card_id = card.card_id.clone();
        self.cards.insert(card_id.as_str(), Known::Present(KeptCard::from(card)));
    }

    fn put_agent(&mut self, agent: Agent) {
        let agent_id = agent.agent_id.clone();
        self.agents.insert(agent_id.as_str(), Known::Present(agent));
    }

    fn put_file(&mut self, file: StoredFile) {
        let path = file.path.clone();
        self.files.insert(&path, Known::Present(file));
    }

    fn put_box(&mut self, mut card_box: CardBox) {
        card_box.card_ids = self.ids.adopt(&card_box.card_ids);
        let box_id = card_box.box_id.clone();
        self.boxes.insert(box_id.as_str(), Known::Present(card_box));
    }

    /// What the store does not have, or could not say.
    fn put_unsettled(&mut self, kind: Kind, key: &str, error: Option<Error>) {
        fn put<T>(shelf: &mut Shelf<T>, key: &str, error: Option<Error>) {
            shelf.insert(key, error.map_or(Known::Absent, Known::Failed));
        }
        let key = kind.fold(key);
        match kind {
            Kind::Profiles => put(&mut self.profiles, &key, error),
            Kind::ProfilesByBox => put(&mut self.profiles_by_box, &key, error),
            Kind::Boxes => put(&mut self.boxes, &key, error),
            Kind::Cards => put(&mut self.cards, &key, error),
            Kind::Agents => put(&mut self.agents, &key, error),
            Kind::Files => put(&mut self.files, &key, error),
            Kind::Directories => put(&mut self.directories, &key, error),
        }
        self.unsettled.push((kind, key));
    }

    /// The ids of a box over the names of this snapshot.
    pub fn adopted(&mut self, ids: &CardIds) -> CardIds {
        self.ids.adopt(ids)
    }
}
