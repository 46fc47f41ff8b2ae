//! The one way in which rules read.

use super::Step;
use crate::Result;
use crate::store::{
    Agent, Kind, List, Lookup, Overlay, Profile, Reads, RowKey, Snapshot, StoredFile, TableRow,
};
use crate::value::boxes::CardBox;
use crate::value::card::Card;

/// Looks things up in what is known, and records what was not read yet.
///
/// A rule looks up or [wants](Cursor::want) everything that it can name, and ends its step in one
/// place: [`step`](Cursor::step) asks for all that was recorded, or says that nothing was. What a
/// lookup finds is nothing while the key was not read, then the thing or its absence, as
/// [`Lookup::known`] says it.
///
/// ```
/// use tuckbox::rule::{Cursor, Step};
/// use tuckbox::store::{Kind, MemoryStore, Snapshot, Store};
///
/// /// How many cards two boxes have; a box that is not there has none.
/// fn both(snapshot: &Snapshot) -> tuckbox::Result<Step<usize>> {
///     let mut cursor = Cursor::new(snapshot);
///     let notes = cursor.card_box("notes")?.flatten();
///     let drafts = cursor.card_box("drafts")?.flatten();
///     let sizes = [notes, drafts].map(|found| found.map_or(0, |found| found.card_ids.len()));
///     Ok(cursor.step().map(|()| sizes.iter().sum()))
/// }
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_box("notes", ["n1", "n2"]);
/// let mut snapshot = Snapshot::new("p1".into());
/// // what was not read is asked for at once
/// let Step::Need(reads) = both(&snapshot)? else { panic!() };
/// assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["notes", "drafts"]);
/// snapshot.absorb(&reads, store.read(&reads)?)?;
/// assert_eq!(both(&snapshot)?, Step::Done(2));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Cursor<'a> {
    snapshot: &'a Snapshot,
    /// What a batch changes in it, where it is looked at as it will be.
    overlay: Option<&'a Overlay<'a>>,
    /// Made with the first key, so that a rule that knows everything makes none.
    unread: Option<Reads>,
}

impl<'a> Cursor<'a> {
    /// Reads what is known.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, overlay: None, unread: None }
    }

    /// Reads what will be known.
    pub(crate) fn over(overlay: &'a Overlay<'_>) -> Self {
        Self { snapshot: overlay.snapshot(), overlay: Some(overlay), unread: None }
    }

    /// What is known, without what a batch changes.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// A box; a deleted one is absent.
    ///
    /// # Errors
    /// The failure of the store, or of reading the row; so with every lookup.
    pub fn card_box(&mut self, box_id: &str) -> Result<Option<Option<&'a CardBox>>> {
        let found = self.card_box_row(box_id)?;
        Ok(found.map(|found| found.filter(|row| row.deleted_at.is_none())))
    }

    /// A box, deleted or not.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn card_box_row(&mut self, box_id: &str) -> Result<Option<Option<&'a CardBox>>> {
        let found = match self.overlay {
            Some(overlay) => overlay.card_box_row(box_id),
            None => self.snapshot.card_box_row(box_id),
        };
        self.known(found, Kind::Boxes, box_id)
    }

    /// A card, deleted or not.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn card(&mut self, card_id: &str) -> Result<Option<Option<&'a Card>>> {
        let found = match self.overlay {
            Some(overlay) => overlay.card(card_id),
            None => self.snapshot.card(card_id),
        };
        self.known(found, Kind::Cards, card_id)
    }

    /// An agent.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn agent(&mut self, agent_id: &str) -> Result<Option<Option<&'a Agent>>> {
        let found = match self.overlay {
            Some(overlay) => overlay.agent(agent_id),
            None => self.snapshot.agent(agent_id),
        };
        self.known(found, Kind::Agents, agent_id)
    }

    /// The profile of this name, in any case.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn profile(&mut self, name: &str) -> Result<Option<Option<&'a Profile>>> {
        self.known(self.snapshot.profile(name), Kind::Profiles, name)
    }

    /// The profile that this box holds.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn profile_of_box(&mut self, box_id: &str) -> Result<Option<Option<&'a Profile>>> {
        self.known(self.snapshot.profile_of_box(box_id), Kind::ProfilesByBox, box_id)
    }

    /// A file.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn file(&mut self, path: &str) -> Result<Option<Option<&'a StoredFile>>> {
        self.known(self.snapshot.file(path), Kind::Files, path)
    }

    /// A row of a declared table.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn row(&mut self, of: &RowKey) -> Result<Option<Option<&'a TableRow>>> {
        self.want_row(of).snapshot.row_of(of).known()
    }

    /// The rows of a list.
    ///
    /// # Errors
    /// As [`Cursor::card_box`].
    pub fn list(&mut self, of: &List) -> Result<Option<Option<&'a Vec<TableRow>>>> {
        self.want_list(of).snapshot.list(of).known()
    }

    fn known<T>(
        &mut self,
        found: Lookup<'a, T>,
        kind: Kind,
        key: &str,
    ) -> Result<Option<Option<&'a T>>> {
        if let Lookup::NotRead = found {
            self.reads().add(kind, key);
        }
        found.known()
    }

    /// Asks for a key without looking at it.
    pub fn want(&mut self, kind: Kind, key: &str) -> &mut Self {
        let is_known = self.snapshot.has_read(kind, key)
            || self.overlay.is_some_and(|overlay| overlay.changes(kind, key));
        if !is_known {
            self.reads().add(kind, key);
        }
        self
    }

    /// Asks for keys of one kind without looking at them.
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

    /// Asks for a row without looking at it.
    pub fn want_row(&mut self, of: &RowKey) -> &mut Self {
        if let Lookup::NotRead = self.snapshot.row_of(of) {
            self.reads().add_row(of.clone());
        }
        self
    }

    /// Asks for a list without looking at it.
    pub fn want_list(&mut self, of: &List) -> &mut Self {
        if let Lookup::NotRead = self.snapshot.list(of) {
            self.reads().add_list(of.clone());
        }
        self
    }

    /// Asks for what of these reads is not known.
    pub fn want_reads(&mut self, reads: &Reads) -> &mut Self {
        let rest = self.snapshot.unread(reads);
        if !rest.is_empty() {
            self.extend(rest);
        }
        self
    }

    /// The answer of another step; what that one needs is asked for here.
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

    /// What is recorded, to be added to.
    pub(crate) fn reads(&mut self) -> &mut Reads {
        self.unread.get_or_insert_with(|| Reads::new(self.snapshot.project_id().clone()))
    }

    /// True when something was not read.
    pub fn waits(&self) -> bool {
        self.unread.is_some()
    }

    /// Ends a step: `Need` with everything that was not read, `Done` when there is nothing. The
    /// cursor goes on from there.
    #[must_use]
    pub fn step(&mut self) -> Step<()> {
        match self.unread.take() {
            Some(reads) => Step::Need(reads),
            None => Step::Done(()),
        }
    }

    /// Ends a step that cannot go on: `Need` with everything that was not read.
    #[must_use]
    pub fn need<T>(self) -> Step<T> {
        Step::Need(self.into_reads())
    }

    /// Everything that was not read.
    pub(crate) fn into_reads(self) -> Reads {
        self.unread.unwrap_or_else(|| Reads::new(self.snapshot.project_id().clone()))
    }
}
