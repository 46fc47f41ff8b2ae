//! Eviction of rows from a snapshot, and counts of its rows.

use super::ResidentCard;
use super::row::Row;
use super::snapshot::Known;
use super::{Expectation, Kind, RowKey, Snapshot, Writes, table};
use crate::value::ids::Interner;
use crate::value::time::Timestamp;
use serde::Serialize;

/// The number of rows in a [`Snapshot`], missing ones included.
///
/// ```
/// use tuckbox::store::{Answers, Kind, Reads, Snapshot};
///
/// let mut snapshot = Snapshot::new("p1".into());
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "notes");
/// snapshot.absorb(&reads, Answers::new().missing(Kind::Boxes, "notes"))?;
/// assert_eq!(snapshot.counts().boxes, 1, "a missing box counts too");
/// snapshot.evict_changeable();
/// assert_eq!(snapshot.counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Distinct card ids, in boxes or not.
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
    /// Evicts all rows that can change, and missing or failed keys.
    ///
    /// Cards can change too: they can be deleted. Only files stay.
    pub fn evict_changeable(&mut self) {
        self.profiles.clear();
        self.profiles_by_box.clear();
        self.boxes.clear();
        self.cards.clear();
        self.ids = Interner::default();
        self.oldest = Timestamp::MAX;
        self.agents.clear();
        self.directories.clear();
        self.rows.clear();
        self.evict_unsettled();
    }

    /// Evicts all rows.
    pub fn evict_all(&mut self) {
        let now = self.now;
        *self = Self::new(self.project_id().clone());
        self.now = now;
    }

    /// Sets the time of the current call and evicts cards older than `max_age_seconds`.
    ///
    /// The store can have deleted them since.
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

    /// Returns the bytes of answers that were read since the last [`Snapshot::evict_all`].
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Evicts all rows that `writes` expects or changes.
    ///
    /// Call it after a `conflict`, and after a commit that was applied before.
    pub fn evict_touched(&mut self, writes: &Writes) {
        for expected in &writes.expects {
            self.evict_expected(expected);
        }
        for change in &writes.rows {
            self.rows.evict(&change.of);
            // three tables make up an agent, one a profile
            if let Some(key) = change.of.key.first() {
                self.agents.swap_remove(key);
                self.profiles.swap_remove(&Kind::Profiles.fold(key));
            }
            self.profiles_by_box.clear();
        }
        for change in &writes.boxes {
            self.boxes.swap_remove(change.box_id().as_str());
        }
        let cards = writes.cards.iter().map(|card| &card.card_id);
        for card_id in cards.chain(&writes.delete_cards).chain(&writes.erase_cards) {
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

    fn evict_expected(&mut self, expected: &Expectation) {
        match (expected.kind(), table::named(expected.table)) {
            (Some(kind), _) => {
                let key = kind.fold(expected.first_key()).into_owned();
                self.shelf_mut(kind).swap_remove(&key);
            }
            (None, Some(table)) => {
                self.rows.evict(&RowKey { table, key: expected.key.clone() });
            }
            (None, None) => {}
        }
    }

    /// Evicts missing and failed keys.
    ///
    /// The version of a changed box causes a conflict at the next commit. Missing keys have no
    /// version, so nothing detects that they exist by now.
    pub fn evict_unsettled(&mut self) {
        for (kind, key) in std::mem::take(&mut self.unsettled) {
            let shelf = self.shelf_mut(kind);
            if let Some(Known::Absent | Known::Failed(_)) = shelf.get(&key) {
                shelf.swap_remove(&key);
            }
        }
        self.rows.evict_unsettled();
    }

    /// Returns the number of rows of each kind.
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
