//! The rows of a project that were read so far.

use super::ResidentCard;
use super::answers::UNREADABLE;
use super::decide::Effects;
use super::known_rows::KnownRows;
use super::row::Row;
use super::{
    Agent, AgentPointers, AgentState, Answers, Directory, FollowSource, Kind, Profile, Reads,
    Receipt, RowChange, StoredFile, Writes, table,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::id::ProjectId;
use crate::value::ids::{Interner, Names};
use crate::value::json::{Field, Json};
use crate::value::sort::sort_by;
use crate::value::str_map::StrMap;
use crate::value::time::Timestamp;
use crate::{Code, Error, Path, Result};

/// The state of a key in a [`Snapshot`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lookup<'a, T> {
    /// The key was not read.
    NotRead,
    /// The key was read and does not exist in this project.
    Absent,
    /// The key was read and exists.
    Present(&'a T),
    /// The lookup failed, or the row is unreadable.
    Failed(&'a Error),
}

impl<'a, T> Lookup<'a, T> {
    /// Returns the value, if it exists. A key that was not read counts as absent.
    ///
    /// # Errors
    /// Returns the error of the store, or of reading the row.
    pub fn found(self) -> Result<Option<&'a T>> {
        Ok(self.known()?.found())
    }

    /// Returns whether the key was read, and the value or its absence.
    ///
    /// # Errors
    /// Returns the error of the store, or of reading the row.
    pub fn known(self) -> Result<Presence<&'a T>> {
        match self {
            Self::NotRead => Ok(Presence::Unread),
            Self::Absent => Ok(Presence::Read(None)),
            Self::Present(there) => Ok(Presence::Read(Some(there))),
            Self::Failed(error) => Err(error.clone()),
        }
    }

    /// Returns the error of a row that exists and is unreadable.
    ///
    /// Other software can write rows of any form. Returns `None` if the store failed; a retry can
    /// succeed then.
    pub fn unreadable(&self) -> Option<&'a Error> {
        match self {
            Self::Failed(error) if error.details().contains_key(UNREADABLE) => Some(error),
            Self::NotRead | Self::Absent | Self::Present(_) | Self::Failed(_) => None,
        }
    }
}

/// A [`Lookup`] without an error.
///
/// The example of [`Cursor`](crate::rule::Cursor) shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence<T> {
    /// The key was not read.
    Unread,
    /// The key was read: the value, or its absence.
    Read(Option<T>),
}

impl<T> Presence<T> {
    /// Returns the value, if it exists. A key that was not read counts as absent.
    pub fn found(self) -> Option<T> {
        match self {
            Self::Read(found) => found,
            Self::Unread => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Known {
    Absent,
    Present(Row),
    Failed(Error),
}

pub(super) type Shelf = StrMap<Known>;

fn lookup<'a, T>(known: Option<&'a Known>, thing: fn(&'a Row) -> Option<&'a T>) -> Lookup<'a, T> {
    match known {
        None => Lookup::NotRead,
        Some(Known::Absent) => Lookup::Absent,
        Some(Known::Present(row)) => thing(row).map_or(Lookup::Absent, Lookup::Present),
        Some(Known::Failed(error)) => Lookup::Failed(error),
    }
}

/// All rows of a project that were read so far.
///
/// A snapshot stays in memory between calls. Cards never change. If a box changes in the store, its
/// version causes a conflict at the next commit.
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
    pub(super) profiles: Shelf,
    pub(super) profiles_by_box: Shelf,
    pub(super) boxes: Shelf,
    pub(super) cards: Shelf,
    pub(super) agents: Shelf,
    pub(super) files: Shelf,
    pub(super) directories: Shelf,
    pub(super) rows: KnownRows,
    /// The time of the current call.
    pub(super) now: Timestamp,
    /// The read time of the oldest card.
    pub(super) oldest: Timestamp,
    /// The bytes of text that were read.
    pub(super) bytes: usize,
    /// Keys that are missing or failed. They have no version, so they are read again.
    pub(super) unsettled: Vec<(Kind, String)>,
}

impl Snapshot {
    /// Creates an empty snapshot.
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
            rows: KnownRows::default(),
            now: Timestamp::MIN,
            oldest: Timestamp::MAX,
            bytes: 0,
            unsettled: Vec::new(),
        }
    }

    /// Returns the project of all rows.
    pub fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// Returns the state of the profile with this name; case does not matter.
    pub fn profile(&self, name: &str) -> Lookup<'_, Profile> {
        self.look(Kind::Profiles, &Kind::Profiles.fold(name), Row::as_profile)
    }

    /// Returns the state of the profile in this box.
    pub(crate) fn profile_of_box(&self, profile_box_id: &str) -> Lookup<'_, Profile> {
        self.look(Kind::ProfilesByBox, profile_box_id, Row::as_profile)
    }

    /// Returns the state of a box. A deleted box is absent.
    pub fn card_box(&self, box_id: &str) -> Lookup<'_, CardBox> {
        match self.card_box_row(box_id) {
            Lookup::Present(row) if row.deleted_at.is_some() => Lookup::Absent,
            other => other,
        }
    }

    /// Returns the state of a box, deleted or not.
    pub(crate) fn card_box_row(&self, box_id: &str) -> Lookup<'_, CardBox> {
        self.look(Kind::Boxes, box_id, Row::as_box)
    }

    /// Returns the state of a card, deleted or not; see [`Card::liveness`].
    pub fn card(&self, card_id: &str) -> Lookup<'_, Card> {
        match self.resident_card(card_id) {
            Lookup::NotRead => Lookup::NotRead,
            Lookup::Absent => Lookup::Absent,
            Lookup::Present(kept) => Lookup::Present(kept.card()),
            Lookup::Failed(error) => Lookup::Failed(error),
        }
    }

    /// Returns the state of a card with its rendered message; see [`Snapshot::card`].
    pub(crate) fn resident_card(&self, card_id: &str) -> Lookup<'_, ResidentCard> {
        self.look(Kind::Cards, card_id, Row::as_card)
    }

    /// Returns the states of all cards of a list; see [`Snapshot::resident_card`].
    pub(crate) fn resident_cards<'a, 'i>(
        &'a self,
        card_ids: impl Iterator<Item = &'i str>,
    ) -> impl Iterator<Item = (&'i str, Lookup<'a, ResidentCard>)> {
        let mut next = 0;
        card_ids.map(move |card_id| {
            let found = self.cards.get_near(card_id, next);
            next = found.map_or(next, |(at, _)| at + 1);
            (card_id, lookup(found.map(|(_, known)| known), Row::as_card))
        })
    }

    /// Returns the state of an agent.
    pub fn agent(&self, agent_id: &str) -> Lookup<'_, Agent> {
        self.look(Kind::Agents, agent_id, Row::as_agent)
    }

    /// Returns the state of a file.
    pub fn file(&self, path: &str) -> Lookup<'_, StoredFile> {
        self.look(Kind::Files, path, Row::as_file)
    }

    /// Returns the state of a directory.
    pub fn directory(&self, directory: &str) -> Lookup<'_, Directory> {
        self.look(Kind::Directories, directory, Row::as_directory)
    }

    /// Returns the names of all card ids in boxes.
    pub fn names(&self) -> &Names {
        self.ids.names()
    }

    /// Returns whether `key` was read, found or not.
    pub fn has_read(&self, kind: Kind, key: &str) -> bool {
        self.shelf(kind).contains_key(&kind.fold(key))
    }

    fn shelf(&self, kind: Kind) -> &Shelf {
        match kind {
            Kind::Profiles => &self.profiles,
            Kind::ProfilesByBox => &self.profiles_by_box,
            Kind::Boxes => &self.boxes,
            Kind::Cards => &self.cards,
            Kind::Agents => &self.agents,
            Kind::Files => &self.files,
            Kind::Directories => &self.directories,
        }
    }

    pub(super) fn shelf_mut(&mut self, kind: Kind) -> &mut Shelf {
        match kind {
            Kind::Profiles => &mut self.profiles,
            Kind::ProfilesByBox => &mut self.profiles_by_box,
            Kind::Boxes => &mut self.boxes,
            Kind::Cards => &mut self.cards,
            Kind::Agents => &mut self.agents,
            Kind::Files => &mut self.files,
            Kind::Directories => &mut self.directories,
        }
    }

    fn look<'a, T>(
        &'a self,
        kind: Kind,
        key: &str,
        thing: fn(&'a Row) -> Option<&'a T>,
    ) -> Lookup<'a, T> {
        lookup(self.shelf(kind).get(key), thing)
    }

    /// Returns the part of `reads` that was not read yet.
    #[must_use]
    pub fn unread(&self, reads: &Reads) -> Reads {
        let mut rest = Reads::new(self.project_id.clone());
        for kind in Kind::ALL {
            for key in reads.of(kind).filter(|key| !self.has_read(kind, key)) {
                rest.add(kind, key);
            }
        }
        for row in reads.rows().filter(|row| !self.rows.has_row(&row.id())) {
            rest.add_row(row.clone());
        }
        for list in reads.lists().filter(|list| !self.rows.has_list(&list.id())) {
            rest.add_list(list.clone());
        }
        rest
    }

    /// Returns the part of `reads` that was not read yet, with the reads that follow.
    ///
    /// For known rows it adds the unread targets of their references. For unread rows it adds a
    /// [`Follow`](super::Follow).
    #[must_use]
    pub(crate) fn unread_following(&self, reads: &Reads) -> Reads {
        let known = |from: &FollowSource| match from {
            FollowSource::Row(of) => match self.row_of(of) {
                Lookup::Present(row) => std::slice::from_ref(row),
                Lookup::Absent | Lookup::Failed(_) | Lookup::NotRead => &[],
            },
            FollowSource::List(list) => match self.list(list) {
                Lookup::Present(rows) => rows.as_slice(),
                Lookup::Absent | Lookup::Failed(_) | Lookup::NotRead => &[],
            },
        };
        let whole = reads.followed(|from| known(from).iter().map(|row| &*row.row));
        let mut rest = self.unread(&whole);
        for follow in reads.follows() {
            let unread = match &follow.from {
                FollowSource::Row(of) => rest.has_row(&of.id()),
                FollowSource::List(list) => rest.has_list(&list.id()),
            };
            if unread {
                rest.add_follow(follow.clone());
            }
        }
        rest
    }

    /// Adds the answers to `reads`.
    ///
    /// # Errors
    /// Returns `store`, and adds nothing, if a key is answered twice, not requested, or missing.
    pub fn absorb(&mut self, reads: &Reads, answers: Answers) -> Result<()> {
        self.check(reads, &answers)?;
        self.absorb_unchecked(answers);
        Ok(())
    }

    /// Adds the answers to `reads` except for keys that became known since.
    ///
    /// So a late answer does not undo a commit.
    ///
    /// # Errors
    /// Returns the errors of [`Snapshot::absorb`].
    pub(crate) fn absorb_late(&mut self, reads: &Reads, mut answers: Answers) -> Result<()> {
        self.check(reads, &answers)?;
        answers.retain(|kind, key| !self.has_read(kind, key));
        answers.retain_rows(|id| !self.rows.has_row(id), |id| !self.rows.has_list(id));
        self.absorb_unchecked(answers);
        Ok(())
    }

    fn check(&self, reads: &Reads, answers: &Answers) -> Result<()> {
        if reads.project_id() != &self.project_id {
            return Err(Error::store(format!(
                "the answers are for project `{}`, expected `{}`",
                reads.project_id(),
                self.project_id
            )));
        }
        answers.check(reads)
    }

    /// Adds answers without a check; see [`Snapshot::absorb`].
    pub(crate) fn absorb_unchecked(&mut self, answers: Answers) {
        for (kind, row) in answers.found {
            self.put(kind, row);
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
        for (kind, key, error) in answers.unreadable {
            self.put_unsettled(kind, &key, Some(error));
        }
        for (of, answer) in answers.rows {
            self.rows.take_row(&of, answer);
        }
        for (of, answer) in answers.lists {
            self.rows.take_list(of, answer);
        }
    }

    /// Applies `writes` as if they were committed.
    ///
    /// The next preview starts from the result.
    pub fn apply(&mut self, writes: &Writes) {
        let Effects { cards, deleted_cards, files, agents, boxes, rows, at, version } =
            Effects::of(writes, self);
        for card in cards {
            self.put(Kind::Cards, card.into_owned().into());
        }
        for card_id in deleted_cards {
            if let Some(Known::Present(Row::Card(card))) = self.cards.get_mut(card_id.as_str()) {
                card.delete(at);
            }
        }
        for card_box in boxes {
            self.put(Kind::Boxes, card_box.into());
        }
        for agent in agents {
            self.put(Kind::Agents, agent.clone().into());
        }
        for file in files {
            self.put(Kind::Files, file.clone().into());
        }
        for change in rows {
            self.rows.apply(change, version);
            self.compose(change);
        }
        for (name, known) in self.directories.iter_mut() {
            let new = writes.files.iter().filter(|file| Directory::contains(name, &file.path));
            let mut paths = match known {
                Known::Present(Row::Directory(directory)) => std::mem::take(&mut directory.paths),
                Known::Present(_) | Known::Absent | Known::Failed(_) => Vec::new(),
            };
            paths.extend(new.map(|file| file.path.clone()));
            sort_by(&mut paths, String::cmp);
            paths.dedup();
            if !paths.is_empty() {
                *known = Known::Present(Directory { directory: name.to_owned(), paths }.into());
            }
        }
    }

    /// Applies a changed row to the agents and profiles that it is a part of.
    fn compose(&mut self, change: &RowChange) {
        let Some(key) = change.of.key.first() else { return };
        let row = change.row.clone().map(|row| Json::Object(row.into_object()));
        let row = row.as_ref().map(|row| Field::new(row, Code::Store));
        if change.of.table == &table::PROJECT_PROFILES {
            self.profiles_by_box.clear();
            self.profiles.swap_remove(&Kind::Profiles.fold(key));
            if let Some(Ok(profile)) = row.map(|row| Profile::from_row(&row)) {
                self.put(Kind::Profiles, profile.into());
            }
            return;
        }
        let tables = [&table::PROJECT_AGENTS, &table::HEADS, &table::POINTERS];
        if !tables.contains(&change.of.table) {
            return;
        }
        let mut agent = match self.agents.get(key) {
            Some(Known::Present(Row::Agent(agent))) => (**agent).clone(),
            Some(Known::Absent) => Agent::unregistered(key),
            Some(Known::Present(_) | Known::Failed(_)) | None => return,
        };
        agent.stored_version = None;
        if change.of.table == &table::HEADS {
            agent.state = row.and_then(|row| AgentState::from_row(&row).ok());
        } else if change.of.table == &table::POINTERS {
            agent.pointers = row.and_then(|row| AgentPointers::from_row(&row).ok());
        } else {
            let (state, pointers) = (agent.state.take(), agent.pointers.take());
            agent = match row.map(|row| Agent::from_row(&row)) {
                Some(Ok(agent)) => agent,
                Some(Err(_)) => {
                    self.agents.swap_remove(key);
                    return;
                }
                None => Agent::unregistered(key),
            };
            agent.state = state.or(agent.state);
            agent.pointers = pointers.or(agent.pointers);
        }
        let is_there = agent.in_roster || agent.state.is_some() || agent.pointers.is_some();
        let known = if is_there { Known::Present(agent.into()) } else { Known::Absent };
        self.agents.insert(key.as_str(), known);
    }

    /// Applies a commit after its receipt.
    ///
    /// A repeated operation changed nothing, so the rows that it names are evicted and read again.
    pub fn committed(&mut self, writes: &Writes, receipt: &Receipt) {
        if receipt.repeated {
            self.evict_touched(writes);
            return;
        }
        self.apply(writes);
        for agent in &writes.agents {
            // the store has not reported the new version
            self.agents.swap_remove(agent.agent_id.as_str());
        }
        for version in &receipt.boxes {
            if let Some(Known::Present(Row::Box(card_box))) =
                self.boxes.get_mut(version.box_id.as_str())
            {
                card_box.version = version.version;
            }
        }
    }

    fn put(&mut self, kind: Kind, mut row: Row) {
        if let Row::Box(card_box) = &mut row {
            card_box.card_ids = self.ids.adopt(&card_box.card_ids);
        }
        match &mut row {
            // compute the hash once
            Row::Profile(profile) => profile.stored_version = Some(profile.version()),
            Row::Agent(agent) => agent.stored_version = Some(agent.version()),
            Row::Card(card) => {
                card.read_at = self.now;
                self.oldest = self.oldest.min(self.now);
            }
            Row::Box(_) | Row::File(_) | Row::Directory(_) => {}
        }
        if kind == Kind::ProfilesByBox {
            // the name also finds the row, which saves a read; the reverse is not true, because
            // several profiles can share a box
            let key = Kind::Profiles.fold(row.key(Kind::Profiles)).into_owned();
            self.profiles.insert_new(key, Known::Present(row.clone()));
        }
        let key = kind.fold(row.key(kind)).into_owned();
        self.shelf_mut(kind).insert(key, Known::Present(row));
    }

    /// Adds a key that is missing or failed.
    fn put_unsettled(&mut self, kind: Kind, key: &str, error: Option<Error>) {
        let key = kind.fold(key).into_owned();
        let known = error.map_or(Known::Absent, Known::Failed);
        self.shelf_mut(kind).insert(key.as_str(), known);
        self.unsettled.push((kind, key));
    }
}
