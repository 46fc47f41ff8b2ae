//! Which rows of a call an index selects, without looking at all of them: a batch of a thousand tasks
//! asks for a thousand lists of a table in which it has a thousand rows.

use crate::store::table::{Index, Table};
use crate::value::json::Object;
use std::collections::{BTreeMap, BTreeSet};

type Keys = BTreeSet<Vec<String>>;

/// The keys of rows by the values that select them, for every index that was asked for so far.
#[derive(Default)]
pub(super) struct Selections {
    indexes: BTreeMap<(&'static str, &'static str), BTreeMap<Vec<String>, Keys>>,
}

impl Selections {
    /// Notes a row as it stands now. Where it stood before stays noted: whoever asks looks at the row.
    pub fn note(&mut self, table: &'static Table, key: &[String], row: &Object) {
        for index in table.indexes {
            if let Some(groups) = self.indexes.get_mut(&(table.name, index.name)) {
                add(groups, index, key, row);
            }
        }
    }

    /// The keys of all rows that had the values `of` at some time. `rows` are those of the table: they
    /// are looked at when the index is asked for the first time.
    pub fn keys<'r>(
        &mut self,
        table: &'static Table,
        index: &'static Index,
        of: &[String],
        rows: impl Iterator<Item = (&'r [String], &'r Object)>,
    ) -> Option<&Keys> {
        let groups = self.indexes.entry((table.name, index.name)).or_insert_with(|| {
            let mut groups = BTreeMap::new();
            for (key, row) in rows {
                add(&mut groups, index, key, row);
            }
            groups
        });
        groups.get(of)
    }
}

fn add(groups: &mut BTreeMap<Vec<String>, Keys>, index: &Index, key: &[String], row: &Object) {
    if let Some(values) = index.values_of(row) {
        groups.entry(values).or_default().insert(key.to_vec());
    }
}
