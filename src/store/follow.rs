//! Reads that follow from rows: the store reads what the columns of a row name in the same round.
//!
//! A [`FollowUp`] is a prefetch hint. The next round reads what a store omits.

use super::rows::{List, RowKey};
use super::table::{Index, Table, column_text};
use super::{Kind, Reads};
use crate::value::json::Object;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A part of a key that follows from a row.
///
/// The example of [`FollowUp`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPart {
    /// The value of a column of the row.
    Column(&'static str),
    /// A member of the object in a column of the row.
    Inside(&'static str, &'static str),
    /// A constant string.
    Text(&'static str),
}

impl KeyPart {
    fn of(self, row: &Object) -> Option<String> {
        let text = match self {
            Self::Column(name) => column_text(row, name),
            Self::Inside(column, name) => column_text(row.get(column)?.as_object()?, name),
            Self::Text(text) => return Some(text.to_owned()),
        };
        text.filter(|text| !text.is_empty())
    }
}

impl Serialize for KeyPart {
    /// Writes `{"column": name}`, with `"inside": member`, or the text.
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

/// What a row names: another row, a list, or a box. A row that lacks one of the columns names nothing.
///
/// The example of [`FollowUp`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowTarget {
    /// The row under a key.
    Row(&'static Table, Vec<KeyPart>),
    /// The first rows of an index.
    List(&'static Table, &'static Index, Vec<KeyPart>, usize),
    /// A box.
    Box(KeyPart),
}

impl FollowTarget {
    /// Returns the row of `table` under a key.
    pub fn row(table: &'static Table, key: &[KeyPart]) -> Self {
        Self::Row(table, key.to_vec())
    }

    /// Returns the first `limit` rows of an index; `None` if the table has no such index.
    pub fn list(table: &'static Table, index: &str, of: &[KeyPart], limit: usize) -> Option<Self> {
        Some(Self::List(table, table.index(index)?, of.to_vec(), limit))
    }

    /// Adds the target of the reference in `row` to `reads`.
    fn add(&self, row: &Object, reads: &mut Reads) -> Option<()> {
        let texts = |parts: &[KeyPart]| {
            parts.iter().map(|part| part.of(row)).collect::<Option<Vec<String>>>()
        };
        match self {
            Self::Row(table, key) => _ = reads.add_row(RowKey { table, key: texts(key)? }),
            Self::List(table, index, of, limit) => {
                reads.add_list(List { table, index, of: texts(of)?, limit: *limit });
            }
            Self::Box(part) => _ = reads.add(Kind::Boxes, &part.of(row)?),
        }
        Some(())
    }

    /// Returns the table to read; `None` for boxes.
    pub(super) fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Row(table, _) | Self::List(table, ..) => Some(table),
            Self::Box(_) => None,
        }
    }
}

impl Serialize for FollowTarget {
    /// Writes a [`RowKey`] or a [`List`] whose values are [parts](KeyPart), or `{"box": part}`.
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

/// Rows in the same reads.
///
/// The example of [`FollowUp`] shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowSource {
    /// One row.
    Row(RowKey),
    /// Every row of a list.
    List(List),
}

impl Serialize for FollowSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Row(row) => row.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

/// A prefetch hint: for every row of `from`, also read what it names.
///
/// ```
/// use tuckbox::store::{FollowUp, FollowTarget, KeyPart, Reads, RowKey, FollowSource, table};
///
/// // the head of an agent, and in the same round trip the context box of its turn
/// let head = RowKey::new(&table::HEADS, ["a1"]);
/// let mut reads = Reads::new("p1".into());
/// reads.add_row(head.clone()).add_follow(FollowUp {
///     from: FollowSource::Row(head),
///     to: vec![FollowTarget::Box(KeyPart::Column("context_box_id"))],
/// });
/// assert_eq!(reads.follows().count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FollowUp {
    /// The rows.
    pub from: FollowSource,
    /// What to read of each row.
    pub to: Vec<FollowTarget>,
}

impl Reads {
    /// Returns these reads with everything that follows from them; `rows_of` finds the rows of a source.
    #[must_use]
    pub(super) fn followed<'r, I: Iterator<Item = &'r Object>>(
        &self,
        rows_of: impl Fn(&FollowSource) -> I,
    ) -> Self {
        let mut whole = self.clone();
        for FollowUp { from, to } in self.follows() {
            for row in rows_of(from) {
                for target in to {
                    target.add(row, &mut whole);
                }
            }
        }
        whole
    }
}
