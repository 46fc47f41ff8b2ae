//! The rows of a call by index, found without a scan. A batch of 1,000 tasks reads 1,000 lists of a
//! table in which it has 1,000 rows.

use crate::store::table::{Index, Table};
use crate::value::json::Object;
use std::collections::{BTreeMap, BTreeSet};

type Keys = BTreeSet<Vec<String>>;
type Groups = BTreeMap<Vec<String>, Keys>;

/// The keys of rows by the values that select them, for every index that the call used.
#[derive(Default)]
pub(in crate::run) struct Selections {
    indexes: Vec<(&'static Table, &'static Index, Groups)>,
}

impl Selections {
    /// Adds a row under its present values. It stays under its earlier values; the caller checks the row.
    pub fn note(&mut self, table: &'static Table, key: &[String], row: &Object) {
        for (of, index, groups) in &mut self.indexes {
            if *of == table {
                add(groups, index, key, row);
            }
        }
    }

    /// Returns the keys of all rows that had the values `of` at some time. `rows` are the rows of the
    /// table, which the first use of an index reads.
    pub fn keys<'r>(
        &mut self,
        table: &'static Table,
        index: &'static Index,
        of: &[String],
        rows: impl Iterator<Item = (&'r [String], &'r Object)>,
    ) -> Option<&Keys> {
        let used = self.indexes.iter().position(|(_, known, _)| std::ptr::eq(*known, index));
        let at = used.unwrap_or_else(|| {
            let mut groups = Groups::new();
            for (key, row) in rows {
                add(&mut groups, index, key, row);
            }
            self.indexes.push((table, index, groups));
            self.indexes.len() - 1
        });
        self.indexes.get(at)?.2.get(of)
    }
}

fn add(groups: &mut Groups, index: &Index, key: &[String], row: &Object) {
    if let Some(values) = index.values_of(row) {
        groups.entry(values).or_default().insert(key.to_vec());
    }
}
