//! The rows of one table in memory, indexed by key and by every index of the table.

use super::rows::{List, RowKey, TableRow};
use super::table::{Index, Table};
use crate::value::str_map::StrMap;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The rows of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryRows {
    by_key: StrMap<Arc<TableRow>>,
    /// One map per index of the table, from the selecting values to the rows.
    by_index: Vec<BTreeMap<Vec<String>, BTreeSet<Place>>>,
}

impl MemoryRows {
    /// Adds or replaces a row.
    pub fn put(&mut self, of: &RowKey, row: TableRow) {
        let row = Arc::new(row);
        if let Some(before) = self.by_key.insert(of.id(), row.clone()) {
            self.unindex(of.table, &before);
        }
        self.by_index.resize_with(of.table.indexes.len(), BTreeMap::new);
        for (index, selections) in of.table.indexes.iter().zip(&mut self.by_index) {
            if let Some(selected) = index.values_of(&row.row) {
                let place = Place { table: of.table, index, row: row.clone() };
                selections.entry(selected).or_default().insert(place);
            }
        }
    }

    /// Removes a row.
    pub fn remove(&mut self, of: &RowKey) {
        if let Some(row) = self.by_key.swap_remove(&of.id()) {
            self.unindex(of.table, &row);
        }
    }

    fn unindex(&mut self, table: &'static Table, row: &Arc<TableRow>) {
        for (index, selections) in table.indexes.iter().zip(&mut self.by_index) {
            let Some(selected) = index.values_of(&row.row) else { continue };
            let Some(places) = selections.get_mut(&selected) else { continue };
            places.remove(&Place { table, index, row: row.clone() });
            if places.is_empty() {
                selections.remove(&selected);
            }
        }
    }

    /// Returns the row with a key.
    pub fn get(&self, of: &RowKey) -> Option<&TableRow> {
        self.by_key.get(&of.id()).map(|row| &**row)
    }

    /// Returns all rows.
    pub fn iter(&self) -> impl Iterator<Item = &TableRow> {
        self.by_key.values().map(|row| &**row)
    }

    /// Returns the rows of a list, in order.
    pub fn selected<'a>(&'a self, list: &List) -> impl Iterator<Item = &'a TableRow> + use<'a> {
        let place = list.table.indexes.iter().position(|index| std::ptr::eq(index, list.index));
        let selections = place.and_then(|place| self.by_index.get(place));
        let places = selections.and_then(|selections| selections.get(&list.of));
        places.into_iter().flatten().take(list.limit).map(|place| &*place.row)
    }
}

/// The position of a row in a selection.
#[derive(Clone, Debug)]
struct Place {
    table: &'static Table,
    index: &'static Index,
    row: Arc<TableRow>,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.compare(self.table, &self.row.row, &other.row.row)
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Place {}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use crate::value::json::{Json, Object};

    fn row(inbox_id: &str, status: &str, seq: i64) -> Object {
        [
            ("inbox_id", Json::from(inbox_id)),
            ("agent_id", "a".into()),
            ("status", status.into()),
            ("seq", seq.into()),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
    }

    /// Computes a list from all rows, without an index.
    fn searched(rows: &MemoryRows, list: &List) -> Vec<TableRow> {
        list.select(rows.iter())
    }

    #[test]
    fn lists_match_a_full_search_after_any_changes() {
        let mut rows = MemoryRows::default();
        let mut chance = 7_u64;
        for step in 0..2000_u64 {
            chance = chance.wrapping_mul(6364136223846793005).wrapping_add(step | 1);
            let pick = |below: u64, shift: u32| (chance >> shift) % below;
            let id = format!("m{}", pick(40, 33));
            let of = RowKey::new(&table::INBOX, [id.as_str()]);
            if pick(4, 20) == 0 {
                rows.remove(&of);
            } else {
                let status = ["queued", "pending", "done"][usize::try_from(pick(3, 40)).unwrap()];
                let columns = row(&id, status, i64::try_from(pick(5, 50)).unwrap());
                let version = step.to_string();
                rows.put(&of, TableRow { key: vec![id], version, row: columns.into() });
            }
            for status in ["queued", "pending", "done"] {
                for limit in [1, 3, 100] {
                    let list = List::new(&table::INBOX, "in_order", ["a", status], limit).unwrap();
                    let found: Vec<_> = rows.selected(&list).cloned().collect();
                    assert_eq!(found, searched(&rows, &list));
                }
            }
        }
    }

    #[test]
    fn fractions_sort_after_whole_numbers() {
        let mut rows = MemoryRows::default();
        for seq in ["15.5", "10", "2"] {
            let mut columns = row(seq, "queued", 0);
            columns.insert("seq".into(), Json::parse(seq).unwrap());
            let of = RowKey::new(&table::INBOX, [seq]);
            let key = vec![seq.to_owned()];
            rows.put(&of, TableRow { key, version: "1".into(), row: columns.into() });
        }
        let list = List::new(&table::INBOX, "in_order", ["a", "queued"], 9).unwrap();
        let keys: Vec<_> = rows.selected(&list).map(|row| row.key[0].clone()).collect();
        assert_eq!(keys, ["2", "10", "15.5"]);
    }
}
