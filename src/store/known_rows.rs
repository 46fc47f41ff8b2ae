//! Rows and lists of declared tables in a snapshot, and the versions of all rows in it.

use super::answers::RowAnswer;
use super::rows::{List, RowChange, RowKey, TableRow, Version};
use super::table::{self, Table};
use super::{Expectation, Kind, Lookup, Presence, Snapshot};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// The state of a row or a list in a snapshot.
#[derive(Clone, Debug)]
pub(super) enum KnownRow<T> {
    Absent,
    Present(T),
    Failed(Error),
}

impl<T> KnownRow<T> {
    fn lookup(known: Option<&Self>) -> Lookup<'_, T> {
        match known {
            None => Lookup::NotRead,
            Some(Self::Absent) => Lookup::Absent,
            Some(Self::Present(row)) => Lookup::Present(row),
            Some(Self::Failed(error)) => Lookup::Failed(error),
        }
    }

    fn of(answer: RowAnswer<T>, what: &impl ToString, table: &'static str) -> Self {
        match answer {
            RowAnswer::Found(row) => Self::Present(row),
            RowAnswer::Missing => Self::Absent,
            RowAnswer::Failed(message) => Self::Failed(
                Error::store(message)
                    .at(Path::root().key(table))
                    .detail("table", table)
                    .detail("key", what.to_string()),
            ),
        }
    }
}

/// Rows and lists by their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownRows {
    rows: StrMap<KnownRow<TableRow>>,
    lists: StrMap<(List, KnownRow<Vec<TableRow>>)>,
}

impl KnownRows {
    pub fn clear(&mut self) {
        self.rows.clear();
        self.lists.clear();
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn has_row(&self, id: &str) -> bool {
        self.rows.contains_key(id)
    }

    pub fn has_list(&self, id: &str) -> bool {
        self.lists.contains_key(id)
    }

    /// Evicts a row and the lists of its table.
    pub fn evict(&mut self, of: &RowKey) {
        self.rows.swap_remove(&of.id());
        self.evict_lists(|list| list.table == of.table);
    }

    /// Evicts lists and missing rows, because no version detects their changes.
    pub fn evict_unsettled(&mut self) {
        self.lists.clear();
        let unsettled: Vec<String> = self
            .rows
            .iter()
            .filter(|(_, known)| !matches!(known, KnownRow::Present(_)))
            .map(|(id, _)| id.to_owned())
            .collect();
        for id in unsettled {
            self.rows.swap_remove(&id);
        }
    }

    fn evict_lists(&mut self, which: impl Fn(&List) -> bool) {
        let gone: Vec<String> = self
            .lists
            .iter()
            .filter(|(_, (list, _))| which(list))
            .map(|(id, _)| id.to_owned())
            .collect();
        for id in gone {
            self.lists.swap_remove(&id);
        }
    }

    pub fn take_row(&mut self, of: &RowKey, answer: RowAnswer<TableRow>) {
        let known = KnownRow::of(answer, of, of.table.name);
        self.rows.insert(of.id(), known);
    }

    pub fn take_list(&mut self, of: List, answer: RowAnswer<Vec<TableRow>>) {
        if let RowAnswer::Found(rows) = &answer {
            for row in rows {
                let key = RowKey { table: of.table, key: row.key.clone() };
                self.rows.insert_new(key.id(), KnownRow::Present(row.clone()));
            }
        }
        let known = KnownRow::of(answer, &of, of.table.name);
        self.lists.insert(of.id(), (of, known));
    }

    /// Applies a change as if it were committed under `version`.
    pub fn apply(&mut self, change: &RowChange, version: &str) {
        let after = change.row.as_ref().map(|row| TableRow {
            key: change.of.key.clone(),
            version: version.to_owned(),
            row: row.shared(),
        });
        let mut unknown = Vec::new();
        for (id, (list, known)) in self.lists.iter_mut() {
            let KnownRow::Present(rows) = known else { continue };
            if list.table != change.of.table {
                continue;
            }
            let was_full = rows.len() >= list.limit;
            let before = rows.len();
            rows.retain(|row| row.key != change.of.key);
            // after a full list there can be unread rows
            if was_full && rows.len() < before {
                unknown.push(id.to_owned());
            } else if let Some(after) = &after {
                *rows = list.select(rows.iter().chain([after]));
            }
        }
        for id in unknown {
            self.lists.swap_remove(&id);
        }
        self.rows.insert(change.of.id(), after.map_or(KnownRow::Absent, KnownRow::Present));
    }
}

impl Snapshot {
    /// Returns the state of a row of a declared table.
    pub fn row(&self, table: &'static Table, key: &[&str]) -> Lookup<'_, TableRow> {
        self.row_of(&RowKey::new(table, key.iter().copied()))
    }

    /// Returns the state of a row by its key; see [`Snapshot::row`].
    pub fn row_of(&self, of: &RowKey) -> Lookup<'_, TableRow> {
        KnownRow::lookup(self.rows.rows.get(&of.id()))
    }

    /// Returns the state of a list of rows.
    pub fn list(&self, list: &List) -> Lookup<'_, Vec<TableRow>> {
        KnownRow::lookup(self.rows.lists.get(&list.id()).map(|(_, known)| known))
    }

    /// Returns the version of a row as it was read.
    ///
    /// # Errors
    /// Returns the error of the read, if it failed.
    pub fn version_of(&self, of: &Expectation) -> Result<Presence<Version>> {
        let (Some(kind), key) = (of.kind(), of.first_key()) else {
            let Some(table) = table::named(of.table) else { return Ok(Presence::Unread) };
            let row = self.row_of(&RowKey { table, key: of.key.clone() });
            return version(row, |row| Version::Text(row.version.clone()));
        };
        match kind {
            Kind::Profiles => version(self.profile(key), |row| Version::Text(row.version())),
            Kind::ProfilesByBox => {
                version(self.profile_of_box(key), |row| Version::Text(row.version()))
            }
            Kind::Boxes => version(self.card_box(key), |row| Version::Number(row.version)),
            Kind::Cards => version(self.card(key), |row| match row.deleted_at {
                None => Version::live(),
                Some(_) => Version::Text("deleted".to_owned()),
            }),
            Kind::Agents => version(self.agent(key), |row| Version::Text(row.version())),
            Kind::Files => version(self.file(key), |_| Version::live()),
            Kind::Directories => {
                version(self.directory(key), |row| Version::Number(row.paths.len() as u64))
            }
        }
    }

    /// Returns the expectation for a batch that depends on this key; `None` if it was not read.
    pub fn expectation(&self, kind: Kind, key: &str) -> Option<Expectation> {
        let mut expected = Expectation::of_kind(kind, key, None);
        let Ok(Presence::Read(version)) = self.version_of(&expected) else { return None };
        expected.version = version;
        Some(expected)
    }

    /// Returns the expectation for a row of a declared table; see [`Snapshot::expectation`].
    pub fn row_expectation(&self, of: &RowKey) -> Option<Expectation> {
        let mut expected = Expectation { table: of.table.name, key: of.key.clone(), version: None };
        let Ok(Presence::Read(version)) = self.version_of(&expected) else { return None };
        expected.version = version;
        Some(expected)
    }
}

fn version<T>(lookup: Lookup<'_, T>, of: impl Fn(&T) -> Version) -> Result<Presence<Version>> {
    match lookup {
        Lookup::NotRead => Ok(Presence::Unread),
        Lookup::Absent => Ok(Presence::Read(None)),
        Lookup::Present(row) => Ok(Presence::Read(Some(of(row)))),
        Lookup::Failed(error) => Err(error.clone()),
    }
}
