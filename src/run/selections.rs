//! Which rows of a call an index selects, without looking at all of them: a batch of a thousand tasks
//! asks for a thousand lists of a table in which it has a thousand rows.

use crate::store::table::{Index, Table};
use crate::value::json::Object;
use std::collections::{BTreeMap, BTreeSet};

type Keys = BTreeSet<Vec<String>>;
type Groups = BTreeMap<Vec<String>, Keys>;

/// The keys of rows by the values that select them, for every index that was asked for so far.
#[derive(Default)]
pub(super) struct Selections {
    indexes: Vec<(&'static Table, &'static Index, Groups)>,
}

impl Selections {
    /// Notes a row as it stands now. Where it stood before stays noted: whoever asks looks at the row.
    pub fn note(&mut self, table: &'static Table, key: &[String], row: &Object) {
        for (of, index, groups) in &mut self.indexes {
            if *of == table {
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
        let asked = self.indexes.iter().position(|(_, known, _)| std::ptr::eq(*known, index));
        let at = asked.unwrap_or_else(|| {
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
