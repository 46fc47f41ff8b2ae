//! Lookups of rules in a snapshot.

use super::Step;
use crate::Result;
use crate::store::{
    Agent, Kind, List, Lookup, Overlay, Presence, Profile, Reads, RowKey, Snapshot, StoredFile,
    TableRow,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;

/// A view of a snapshot that records the keys a rule still needs.
///
/// A rule looks up or [requests](Cursor::want) every key that it can name. It ends its step with
/// [`step`](Cursor::step), which returns all missing keys as [`Step::Need`]. A lookup returns a
/// [`Presence`]: the key was not read, or the value or its absence.
///
/// ```
/// use tuckbox::rule::{Cursor, Step};
/// use tuckbox::store::{Kind, MemoryStore, Snapshot, Store};
///
/// /// Counts the cards of two boxes. A missing box counts as empty.
/// fn both(snapshot: &Snapshot) -> tuckbox::Result<Step<usize>> {
///     let mut cursor = Cursor::new(snapshot);
///     let notes = cursor.card_box("notes")?.found();
///     let drafts = cursor.card_box("drafts")?.found();
///     let sizes = [notes, drafts].map(|found| found.map_or(0, |found| found.card_ids.len()));
///     Ok(cursor.step().map(|()| sizes.iter().sum()))
/// }
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_box("notes", ["n1", "n2"]);
/// let mut snapshot = Snapshot::new("p1".into());
/// // both missing keys are requested at once
/// let Step::Need(reads) = both(&snapshot)? else { panic!() };
/// assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["notes", "drafts"]);
/// snapshot.absorb(&reads, store.read(&reads)?)?;
/// assert_eq!(both(&snapshot)?, Step::Done(2));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Cursor<'a> {
    snapshot: &'a Snapshot,
    /// The changes of a batch that lookups see, if any.
    overlay: Option<&'a Overlay<'a>>,
    /// Created with the first missing key, because most steps need no reads.
    unread: Option<Reads>,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, overlay: None, unread: None }
    }

    /// Creates a cursor over a snapshot with the changes of a batch.
    pub(crate) fn over(overlay: &'a Overlay<'_>) -> Self {
        Self { snapshot: overlay.snapshot(), overlay: Some(overlay), unread: None }
    }

    /// Returns the snapshot without the changes of a batch.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Looks up a box. A deleted box is absent.
    ///
    /// # Errors
    /// The error of the store or of reading the row. All lookups return these errors.
    pub fn card_box(&mut self, box_id: &str) -> Result<Presence<&'a CardBox>> {
        Ok(match self.card_box_row(box_id)? {
            Presence::Read(found) => Presence::Read(found.filter(|row| row.deleted_at.is_none())),
            Presence::Unread => Presence::Unread,
        })
    }

    /// Looks up a box, deleted or not.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub(crate) fn card_box_row(&mut self, box_id: &str) -> Result<Presence<&'a CardBox>> {
        let found = match self.overlay {
            Some(overlay) => overlay.card_box_row(box_id),
            None => self.snapshot.card_box_row(box_id),
        };
        self.known(found, Kind::Boxes, box_id)
    }

    /// Looks up a card, deleted or not.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn card(&mut self, card_id: &str) -> Result<Presence<&'a Card>> {
        let found = match self.overlay {
            Some(overlay) => overlay.card(card_id),
            None => self.snapshot.card(card_id),
        };
        self.known(found, Kind::Cards, card_id)
    }

    /// Looks up an agent.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn agent(&mut self, agent_id: &str) -> Result<Presence<&'a Agent>> {
        let found = match self.overlay {
            Some(overlay) => overlay.agent(agent_id),
            None => self.snapshot.agent(agent_id),
        };
        self.known(found, Kind::Agents, agent_id)
    }

    /// Looks up the profile of this name, ignoring case.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn profile(&mut self, name: &str) -> Result<Presence<&'a Profile>> {
        self.known(self.snapshot.profile(name), Kind::Profiles, name)
    }

    /// Looks up the profile in this box.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub(crate) fn profile_of_box(&mut self, box_id: &str) -> Result<Presence<&'a Profile>> {
        self.known(self.snapshot.profile_of_box(box_id), Kind::ProfilesByBox, box_id)
    }

    /// Looks up a file.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn file(&mut self, path: &str) -> Result<Presence<&'a StoredFile>> {
        self.known(self.snapshot.file(path), Kind::Files, path)
    }

    /// Looks up a row of a declared table.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn row(&mut self, of: &RowKey) -> Result<Presence<&'a TableRow>> {
        self.want_row(of).snapshot.row_of(of).known()
    }

    /// Looks up the rows of a list.
    ///
    /// # Errors
    /// Those of [`Cursor::card_box`].
    pub fn list(&mut self, of: &List) -> Result<Presence<&'a Vec<TableRow>>> {
        self.want_list(of).snapshot.list(of).known()
    }

    fn known<T>(&mut self, found: Lookup<'a, T>, kind: Kind, key: &str) -> Result<Presence<&'a T>> {
        if let Lookup::NotRead = found {
            self.reads().add(kind, key);
        }
        found.known()
    }

    /// Requests a key without looking it up.
    pub fn want(&mut self, kind: Kind, key: &str) -> &mut Self {
        let is_known = self.snapshot.has_read(kind, key)
            || self.overlay.is_some_and(|overlay| overlay.changes(kind, key));
        if !is_known {
            self.reads().add(kind, key);
        }
        self
    }

    /// Requests keys of one kind without looking them up.
    pub fn want_all<'k>(
        &mut self,
        kind: Kind,
        keys: impl IntoIterator<Item = &'k str>,
    ) -> &mut Self {
        for key in keys {
            self.want(kind, key);
        }
        self
    }

    /// Requests a row without looking it up.
    pub fn want_row(&mut self, of: &RowKey) -> &mut Self {
        if let Lookup::NotRead = self.snapshot.row_of(of) {
            self.reads().add_row(of.clone());
        }
        self
    }

    /// Requests a list without looking it up.
    pub fn want_list(&mut self, of: &List) -> &mut Self {
        if let Lookup::NotRead = self.snapshot.list(of) {
            self.reads().add_list(of.clone());
        }
        self
    }

    /// Requests those of these reads that the snapshot does not have.
    pub fn want_reads(&mut self, reads: &Reads) -> &mut Self {
        let rest = self.snapshot.unread(reads);
        if !rest.is_empty() {
            self.extend(rest);
        }
        self
    }

    /// Returns the answer of another step, or records the reads that it needs.
    pub fn join<T>(&mut self, step: Step<T>) -> Option<T> {
        match step {
            Step::Done(answer) => Some(answer),
            Step::Need(reads) => {
                self.extend(reads);
                None
            }
        }
    }

    fn extend(&mut self, reads: Reads) {
        match &mut self.unread {
            Some(all) => _ = all.extend(&reads),
            None => self.unread = Some(reads),
        }
    }

    /// Returns the recorded reads.
    pub(crate) fn reads(&mut self) -> &mut Reads {
        self.unread.get_or_insert_with(|| Reads::new(self.snapshot.project_id().clone()))
    }

    /// Returns true if a key is missing.
    pub fn waits(&self) -> bool {
        self.unread.is_some()
    }

    /// Ends a step: `Need` with all missing keys, `Done` if none is missing. The cursor can be used
    /// again.
    #[must_use]
    pub fn step(&mut self) -> Step<()> {
        match self.unread.take() {
            Some(reads) => Step::Need(reads),
            None => Step::Done(()),
        }
    }

    /// Ends a step that cannot continue: `Need` with all missing keys.
    #[must_use]
    pub fn need<T>(self) -> Step<T> {
        Step::Need(self.into_reads())
    }

    /// Returns all missing keys.
    pub(crate) fn into_reads(self) -> Reads {
        self.unread.unwrap_or_else(|| Reads::new(self.snapshot.project_id().clone()))
    }
}
