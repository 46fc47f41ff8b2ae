//! The rows, lists, boxes and cards that a call reads.
//!
//! `want*` requests something without stopping, so that one round reads everything. `get`, `peek` and
//! `list` return rows, and stop the rule if they were not read yet.

use super::{Run, Slot, Stop, Transaction, place, read};
use crate::Error;
use crate::run::rows::{Row, UnreadableRow};
use crate::run::values::present;
use crate::store::table::Table;
use crate::store::{FollowSource, FollowTarget, FollowUp, Kind, List, Lookup, RowKey, TableRow};
use crate::value::json::Object;
use std::collections::btree_map::Entry;

impl Transaction<'_> {
    /// Requests a row.
    pub fn want<R: Row>(&mut self, key: &[&str]) {
        self.want_with::<R>(key, Vec::new);
    }

    /// Requests a row and what follows from it.
    pub fn want_with<R: Row>(&mut self, key: &[&str], targets: impl FnOnce() -> Vec<FollowTarget>) {
        let key: Vec<String> = key.iter().map(|part| (*part).to_owned()).collect();
        let known = key.iter().any(String::is_empty)
            || self.is_fresh(&key)
            || self.has_slot(R::TABLE, &key);
        if known {
            return;
        }
        let of = RowKey { table: R::TABLE, key };
        if let Lookup::NotRead = self.known.row_of(&of) {
            self.cursor.want_row(&of);
            self.follow(FollowSource::Row(of), targets());
        }
    }

    fn has_slot(&self, table: &'static Table, key: &[String]) -> bool {
        !self.slots.is_empty() && self.slots.contains_key(&place(table, key.to_vec()))
    }

    fn follow(&mut self, from: FollowSource, to: Vec<FollowTarget>) {
        if !to.is_empty() {
            self.cursor.reads().add_follow(FollowUp { from, to });
        }
    }

    /// Requests a list.
    pub fn want_list<R: Row>(&mut self, index: &'static str, of: &[&str], limit: usize) {
        self.want_list_with::<R>(index, of, limit, Vec::new);
    }

    /// Requests a list and what follows from its rows.
    pub fn want_list_with<R: Row>(
        &mut self,
        index: &'static str,
        of: &[&str],
        limit: usize,
        targets: impl FnOnce() -> Vec<FollowTarget>,
    ) {
        let Some(list) = List::new(R::TABLE, index, of.iter().copied(), limit) else { return };
        if self.is_fresh(&list.of) {
            return;
        }
        if let Lookup::NotRead = self.known.list(&list) {
            self.cursor.want_list(&list);
            self.follow(FollowSource::List(list), targets());
        }
    }

    /// Returns the rows of a list as they were read; `None` if they were not.
    pub fn known_list<R: Row>(
        &self,
        index: &'static str,
        of: &[&str],
        limit: usize,
    ) -> Option<Vec<R>> {
        let list = List::new(R::TABLE, index, of.iter().copied(), limit)?;
        let Lookup::Present(rows) = self.known.list(&list) else { return None };
        rows.iter().map(|row| R::read(&row.row).ok()).collect()
    }

    /// Requests a box.
    pub fn want_box(&mut self, box_id: Option<&str>) {
        if let Some(box_id) = present(box_id) {
            self.cursor.want(Kind::Boxes, box_id);
        }
    }

    /// Requests the cards of a box that was read.
    pub fn want_cards_of(&mut self, box_id: Option<&str>) {
        let known = self.known;
        let Some(Lookup::Present(card_box)) = box_id.map(|id| known.card_box(id)) else { return };
        for card_id in card_box.card_ids.iter() {
            self.want_card(Some(card_id));
        }
    }

    /// Requests a card.
    pub fn want_card(&mut self, card_id: Option<&str>) {
        if let Some(card_id) = present(card_id) {
            self.cursor.want(Kind::Cards, card_id);
        }
    }

    /// Requests the profile that a box holds.
    pub fn want_profile_of_box(&mut self, box_id: Option<&str>) {
        if let Some(box_id) = present(box_id) {
            self.cursor.want(Kind::ProfilesByBox, box_id);
        }
    }

    /// Requests an agent.
    pub fn want_agent(&mut self, agent_id: &str) {
        if !agent_id.is_empty() {
            self.cursor.want(Kind::Agents, agent_id);
        }
    }

    /// Returns the row under a key. The call relies on it from now on.
    pub fn get<R: Row>(&mut self, key: &[&str]) -> Run<Option<R>> {
        self.look::<R>(key, true)
    }

    /// Returns the row under a key. The call does not rely on it.
    pub fn peek<R: Row>(&mut self, key: &[&str]) -> Run<Option<R>> {
        self.look::<R>(key, false)
    }

    fn look<R: Row>(&mut self, key: &[&str], expected: bool) -> Run<Option<R>> {
        if key.iter().any(|part| part.is_empty()) {
            return Ok(None);
        }
        let key = key.iter().map(|part| (*part).to_owned()).collect();
        let Some(slot) = self.slot(R::TABLE, key, true)? else { return Err(Stop::Need) };
        slot.expected |= expected;
        slot.now.as_deref().map(R::read).transpose().map_err(Stop::Failed)
    }

    /// Returns the slot of a row. A row that was not read is requested if `waits`, and `None` is
    /// returned. Otherwise the row is new.
    pub(super) fn slot(
        &mut self,
        table: &'static Table,
        key: Vec<String>,
        waits: bool,
    ) -> Run<Option<&mut Slot>> {
        let at = self.slots.len();
        let is_fresh = self.is_fresh(&key);
        let vacant = match self.slots.entry(place(table, key)) {
            Entry::Occupied(slot) => return Ok(Some(slot.into_mut())),
            Entry::Vacant(vacant) => vacant,
        };
        let of = RowKey { table, key: vacant.key().1.clone() };
        let read = match self.known.row_of(&of) {
            _ if waits && is_fresh => None,
            Lookup::NotRead if waits => {
                self.cursor.want_row(&of);
                return Ok(None);
            }
            Lookup::Failed(error) => return Err(Stop::Failed(error.clone())),
            Lookup::Absent | Lookup::NotRead => None,
            Lookup::Present(row) => Some(row),
        };
        if let Some(read) = read {
            self.selections.note(table, &of.key, &read.row);
        }
        Ok(Some(vacant.insert(Slot::of(table, at, read))))
    }

    /// Returns the first `limit` rows of an index, with the changes so far. The call does not rely on
    /// the list itself.
    pub fn list<R: Row>(&mut self, index: &'static str, of: &[&str], limit: usize) -> Run<Vec<R>> {
        let rows = self.objects::<R>(index, of, limit)?;
        rows.into_iter().map(|row| R::read(row).map_err(Stop::Failed)).collect()
    }

    /// As [`list`](Self::list), without rows that cannot be read: one such row must not hide the others.
    pub fn list_readable<R: Row>(
        &mut self,
        index: &'static str,
        of: &[&str],
        limit: usize,
    ) -> Run<Vec<R>> {
        let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
        for row in self.objects::<R>(index, of, limit)? {
            match R::read(row) {
                Ok(row) => rows.push(row),
                Err(error) => unreadable.push(UnreadableRow {
                    table: R::TABLE.name.to_owned(),
                    key: R::TABLE.key_of(row).unwrap_or_default(),
                    error: error.message().to_owned(),
                }),
            }
        }
        self.unreadable.extend(unreadable);
        Ok(rows)
    }

    fn objects<R: Row>(
        &mut self,
        index: &'static str,
        of: &[&str],
        limit: usize,
    ) -> Run<Vec<&Object>> {
        let Some(list) = List::new(R::TABLE, index, of.iter().copied(), limit) else {
            return Err(Stop::Failed(Error::store(format!(
                "`{}` has no index `{index}`",
                R::TABLE.name
            ))));
        };
        let reads: &[TableRow] = match self.is_fresh(&list.of) {
            true => &[],
            false => read(self.cursor.list(&list)?)?.map_or(&[], Vec::as_slice),
        };
        for read in reads {
            let at = self.slots.len();
            if let Entry::Vacant(vacant) = self.slots.entry(place(R::TABLE, read.key.clone())) {
                self.selections.note(R::TABLE, &read.key, &read.row);
                vacant.insert(Slot::of(R::TABLE, at, Some(read)));
            }
        }
        let slots = &self.slots;
        let first = place(R::TABLE, Vec::new());
        let table = first.0;
        let of_table = slots
            .range(first..)
            .take_while(|((of, _), _)| *of == table)
            .filter_map(|((_, key), slot)| Some((key.as_slice(), slot.now.as_deref()?)));
        let keys = self.selections.keys(R::TABLE, list.index, &list.of, of_table);
        let mut rows: Vec<&Object> = keys
            .into_iter()
            .flatten()
            .filter_map(|key| slots.get(&place(R::TABLE, key.clone()))?.now.as_deref())
            .filter(|row| list.index.selects(row, &list.of))
            .collect();
        rows.sort_by(|a, b| list.index.compare(R::TABLE, a, b));
        rows.truncate(limit);
        Ok(rows)
    }
}
