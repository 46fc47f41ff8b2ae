//! Reads that follow from rows: what the columns of a row name is read in the same round.
//!
//! A [`Follow`] is a wish, not a demand: a store that leaves out what follows is asked for it in the
//! next round.

use super::rows::{List, RowKey};
use super::table::{Index, Table, column_text};
use super::{Kind, Reads};
use crate::value::json::Object;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A part of a key that a [`Follow`] makes.
///
/// Shown by the example of [`Follow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The value of a column of the row.
    Column(&'static str),
    /// A member of the object that stands in a column of the row.
    Inside(&'static str, &'static str),
    /// The same text for every row.
    Text(&'static str),
}

impl Part {
    fn of(self, row: &Object) -> Option<String> {
        let text = match self {
            Self::Column(name) => column_text(row, name),
            Self::Inside(column, name) => column_text(row.get(column)?.as_object()?, name),
            Self::Text(text) => return Some(text.to_owned()),
        };
        text.filter(|text| !text.is_empty())
    }
}

impl Serialize for Part {
    /// `{"column": name}`, with `"inside": member`, or the text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (column, inside) = match self {
            Self::Column(column) => (column, None),
            Self::Inside(column, member) => (column, Some(member)),
            Self::Text(text) => return serializer.serialize_str(text),
        };
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("column", column)?;
        if let Some(member) = inside {
            body.serialize_entry("inside", member)?;
        }
        body.end()
    }
}

/// What a row names: another row, a list, or a box. Nothing follows from a row that lacks one of the
/// columns.
///
/// Shown by the example of [`Follow`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// The row under a key.
    Row(&'static Table, Vec<Part>),
    /// The first rows of an index.
    List(&'static Table, &'static Index, Vec<Part>, usize),
    /// A box.
    Box(Part),
}

impl Named {
    /// The row of `table` under a key.
    pub fn row(table: &'static Table, key: &[Part]) -> Self {
        Self::Row(table, key.to_vec())
    }

    /// The first `limit` rows of an index; nothing when the table has no such index.
    pub fn list(table: &'static Table, index: &str, of: &[Part], limit: usize) -> Option<Self> {
        Some(Self::List(table, table.index(index)?, of.to_vec(), limit))
    }

    /// Adds what `row` names.
    fn add(&self, row: &Object, reads: &mut Reads) -> Option<()> {
        let texts =
            |parts: &[Part]| parts.iter().map(|part| part.of(row)).collect::<Option<Vec<String>>>();
        match self {
            Self::Row(table, key) => _ = reads.add_row(RowKey { table, key: texts(key)? }),
            Self::List(table, index, of, limit) => {
                reads.add_list(List { table, index, of: texts(of)?, limit: *limit });
            }
            Self::Box(part) => _ = reads.add(Kind::Boxes, &part.of(row)?),
        }
        Some(())
    }

    /// The table that it reads; nothing for boxes.
    pub(super) fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Row(table, _) | Self::List(table, ..) => Some(table),
            Self::Box(_) => None,
        }
    }
}

impl Serialize for Named {
    /// As a [`RowKey`] or a [`List`] whose values are [parts](Part), or `{"box": part}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        match self {
            Self::Row(table, key) => {
                body.serialize_entry("table", table.name)?;
                body.serialize_entry("key", key)?;
            }
            Self::List(table, index, of, limit) => {
                body.serialize_entry("table", table.name)?;
                body.serialize_entry("index", index.name)?;
                body.serialize_entry("of", of)?;
                body.serialize_entry("limit", limit)?;
            }
            Self::Box(part) => body.serialize_entry("box", part)?,
        }
        body.end()
    }
}

/// Rows that are asked for in the same reads.
///
/// Shown by the example of [`Follow`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One row.
    Row(RowKey),
    /// Every row of a list.
    List(List),
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Row(row) => row.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

/// For every row of `from`, also what it names.
///
/// ```
/// use tuckbox::store::{Follow, Named, Part, Reads, RowKey, Source, table};
///
/// // the head of an agent, and in the same round trip the box that its turn reads
/// let head = RowKey::new(&table::HEADS, ["a1"]);
/// let mut reads = Reads::new("p1".into());
/// reads.add_row(head.clone()).add_follow(Follow {
///     from: Source::Row(head),
///     to: vec![Named::Box(Part::Column("context_box_id"))],
/// });
/// assert_eq!(reads.follows().count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Follow {
    /// The rows.
    pub from: Source,
    /// What they name.
    pub to: Vec<Named>,
}

impl Reads {
    /// These reads with everything that follows from them; `rows_of` finds the rows of a source.
    #[must_use]
    pub(super) fn followed<'r, I: Iterator<Item = &'r Object>>(
        &self,
        rows_of: impl Fn(&Source) -> I,
    ) -> Self {
        let mut whole = self.clone();
        for Follow { from, to } in self.follows() {
            for row in rows_of(from) {
                for named in to {
                    named.add(row, &mut whole);
                }
            }
        }
        whole
    }
}
