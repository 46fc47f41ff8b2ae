//! What a snapshot forgets, so that it is read again, and how much it holds.

use super::ResidentCard;
use super::row::Row;
use super::snapshot::Known;
use super::{Expectation, Kind, RowKey, Snapshot, Writes, table};
use crate::value::ids::Interner;
use crate::value::time::Timestamp;
use serde::Serialize;

/// How much a [`Snapshot`] holds, found or not.
///
/// ```
/// use tuckbox::store::{Answers, Kind, Reads, Snapshot};
///
/// let mut snapshot = Snapshot::new("p1".into());
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "notes");
/// snapshot.absorb(&reads, Answers::new().missing(Kind::Boxes, "notes"))?;
/// assert_eq!(snapshot.counts().boxes, 1, "that there is none is knowledge too");
/// snapshot.forget_changeable();
/// assert_eq!(snapshot.counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Different card ids, in boxes or not.
    pub card_ids: usize,
    /// Boxes.
    pub boxes: usize,
    /// Cards.
    pub cards: usize,
    /// Profiles.
    pub profiles: usize,
    /// Agents.
    pub agents: usize,
    /// Files.
    pub files: usize,
    /// Rows of declared tables.
    pub rows: usize,
}

impl Snapshot {
    /// Forgets everything that can change: boxes, cards (they can be deleted), profiles, agents, rows,
    /// directories, and what was missing or failed. Files never change, so they stay.
    pub fn forget_changeable(&mut self) {
        self.profiles.clear();
        self.profiles_by_box.clear();
        self.boxes.clear();
        self.cards.clear();
        self.ids = Interner::default();
        self.oldest = Timestamp::MAX;
        self.agents.clear();
        self.directories.clear();
        self.rows.clear();
        self.forget_unsettled();
    }

    /// Forgets everything.
    pub fn forget_all(&mut self) {
        let now = self.now;
        *self = Self::new(self.project_id().clone());
        self.now = now;
    }

    /// Sets the time of the current call, and forgets cards that were read more than `max_age_seconds`
    /// before it: they may have been deleted since.
    pub(crate) fn set_time(&mut self, now: Timestamp, max_age_seconds: i64) {
        self.now = now;
        if self.oldest.plus_seconds(max_age_seconds) > now {
            return;
        }
        let is_old = |card: &ResidentCard| card.read_at.plus_seconds(max_age_seconds) <= now;
        self.cards
            .retain(|known| !matches!(known, Known::Present(Row::Card(card)) if is_old(card)));
        let read = self.cards.values().filter_map(|known| match known {
            Known::Present(Row::Card(card)) => Some(card.read_at),
            Known::Present(_) | Known::Absent | Known::Failed(_) => None,
        });
        self.oldest = read.min().unwrap_or(Timestamp::MAX);
    }

    /// How many bytes of answers were read since everything was last forgotten.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets everything that `writes` rest on or touch: what to do after a `conflict`,
    /// and after a commit that was applied before.
    pub fn forget_touched(&mut self, writes: &Writes) {
        for expected in &writes.expects {
            self.forget_expected(expected);
        }
        for change in &writes.rows {
            self.rows.forget(&change.of);
            // an agent is read from three tables, a profile from one
            if let Some(key) = change.of.key.first() {
                self.agents.swap_remove(key);
                self.profiles.swap_remove(&Kind::Profiles.fold(key));
            }
            self.profiles_by_box.clear();
        }
        for change in &writes.boxes {
            self.boxes.swap_remove(change.box_id().as_str());
        }
        let cards = writes.cards.iter().map(|card| &card.card_id).chain(&writes.delete_cards);
        for card_id in cards {
            self.cards.swap_remove(card_id.as_str());
        }
        for agent in &writes.agents {
            self.agents.swap_remove(agent.agent_id.as_str());
        }
        for file in &writes.files {
            self.files.swap_remove(file.path.as_str());
        }
        if !writes.files.is_empty() {
            self.directories.clear();
        }
    }

    fn forget_expected(&mut self, expected: &Expectation) {
        match (expected.kind(), table::named(expected.table)) {
            (Some(kind), _) => {
                let key = kind.fold(expected.first_key()).into_owned();
                self.shelf_mut(kind).swap_remove(&key);
            }
            (None, Some(table)) => {
                self.rows.forget(&RowKey { table, key: expected.key.clone() });
            }
            (None, None) => {}
        }
    }

    /// Forgets what was absent or could not be read. A box that changed is caught by its version
    /// when something is committed; that something came into being is caught by nobody.
    pub fn forget_unsettled(&mut self) {
        for (kind, key) in std::mem::take(&mut self.unsettled) {
            let shelf = self.shelf_mut(kind);
            if let Some(Known::Absent | Known::Failed(_)) = shelf.get(&key) {
                shelf.swap_remove(&key);
            }
        }
        self.rows.forget_unsettled();
    }

    /// How much is held.
    pub fn counts(&self) -> Counts {
        Counts {
            card_ids: self.names().len(),
            boxes: self.boxes.len(),
            cards: self.cards.len(),
            profiles: self.profiles.len(),
            agents: self.agents.len(),
            files: self.files.len(),
            rows: self.rows.len(),
        }
    }
}
