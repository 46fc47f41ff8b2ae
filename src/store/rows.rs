//! Rows of declared tables: keys, lists, answers and changes.

use super::table::{self, Index, Table};
use crate::value::json::{Field, Json, Object, listed, write_whole};
use crate::{Error, Result};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The version of a row. Rows with equal versions are equal; versions have no order.
///
/// The example of [`Expectation`](super::Expectation) shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// The version of a box, which counts its changes, or of a directory, which counts its files.
    Number(u64),
    /// The version of any other row.
    Text(String),
}

impl Version {
    /// Returns the version of a card that exists and is not deleted.
    pub fn live() -> Self {
        Self::Text("live".to_owned())
    }

    /// Reads a version.
    ///
    /// # Errors
    /// Returns an error if it is neither text nor a whole number.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        match field.json() {
            Json::String(text) => Ok(Self::Text(text.clone())),
            Json::Number(_) => Ok(Self::Number(field.count()?)),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {
                Err(field.expected("a version: text or a whole number"))
            }
        }
    }
}

impl From<&Version> for Json {
    fn from(version: &Version) -> Self {
        match version {
            Version::Number(number) => Self::from(*number),
            Version::Text(text) => Self::from(text.as_str()),
        }
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "`{text}`"),
        }
    }
}

/// The table and the key of a row.
///
/// ```
/// use tuckbox::store::{RowKey, table};
///
/// let head = RowKey::new(&table::HEADS, ["a1"]);
/// assert_eq!(head.to_string(), "heads `a1`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowKey {
    /// The table.
    pub table: &'static Table,
    /// The values of the key columns.
    pub key: Vec<String>,
}

impl RowKey {
    /// Creates the key of a row of `table`.
    pub fn new<K: Into<String>>(table: &'static Table, key: impl IntoIterator<Item = K>) -> Self {
        Self { table, key: key.into_iter().map(Into::into).collect() }
    }

    /// Reads `{"table", "key": [..]}`.
    pub(super) fn from_json(fields: &crate::value::json::Fields<'_>) -> Result<Self> {
        let table = read_table(&fields.required("table")?)?;
        let key = fields.required("key")?;
        let values: Vec<String> = key.strings()?.into_iter().map(str::to_owned).collect();
        if values.len() != table.key.len() {
            return Err(key.error(format!(
                "the key of `{}` must have the columns {}",
                table.name,
                listed(table.key)
            )));
        }
        Ok(Self { table, key: values })
    }

    /// Returns an id that is unique for the row.
    pub(super) fn id(&self) -> String {
        let mut id = with_capacity_for(self.table.name.len(), &self.key);
        id.push_str(self.table.name);
        id.push(' ');
        for part in &self.key {
            push_part(&mut id, &fold(self.table, part));
        }
        id
    }
}

/// Returns the form of a key value in which equal values are identical.
pub(super) fn fold<'a>(table: &Table, part: &'a str) -> Cow<'a, str> {
    if table.name == table::PROJECT_PROFILES.name {
        Cow::Owned(part.to_lowercase())
    } else {
        Cow::Borrowed(part)
    }
}

/// Creates an empty string with capacity for an id of these parts.
fn with_capacity_for(head: usize, parts: &[String]) -> String {
    String::with_capacity(parts.iter().fold(head, |length, part| length + part.len() + 6))
}

/// Appends a part after its length, so that two parts never read as one.
///
/// A short length is one character, because each row that is read or looked up needs an id.
fn push_part(id: &mut String, part: &str) {
    match u8::try_from(part.len()) {
        Ok(length @ 0..128) => id.push(char::from(length)),
        Ok(_) | Err(_) => {
            id.push('\u{80}');
            write_whole(part.len(), id);
            id.push(':');
        }
    }
    id.push_str(part);
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.table.name, self.key.join("`, `"))
    }
}

impl Serialize for RowKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("RowKey", 2)?;
        body.serialize_field("table", self.table.name)?;
        body.serialize_field("key", &self.key)?;
        body.end()
    }
}

fn read_table(field: &Field<'_>) -> Result<&'static Table> {
    let name = field.string()?;
    table::named(name).ok_or_else(|| field.error(format!("unknown table `{name}`")))
}

/// The first rows of a selection, in the order of an index.
///
/// ```
/// use tuckbox::store::{List, table};
///
/// let queued = List::new(&table::INBOX, "by_agent", ["a1", "queued"], 20);
/// assert!(queued.is_some());
/// assert!(List::new(&table::INBOX, "by_color", ["red"], 20).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The table.
    pub table: &'static Table,
    /// The index that selects and sorts.
    pub index: &'static Index,
    /// The values of the selecting columns.
    pub of: Vec<String>,
    /// Maximum number of rows.
    pub limit: usize,
}

impl List {
    /// Creates a list of the first `limit` rows with the values `of` in the columns of an index.
    ///
    /// Returns `None` if the table has no such index or the number of values differs.
    pub fn new<K: Into<String>>(
        table: &'static Table,
        index: &str,
        of: impl IntoIterator<Item = K>,
        limit: usize,
    ) -> Option<Self> {
        let index = table.index(index)?;
        let of: Vec<String> = of.into_iter().map(Into::into).collect();
        (of.len() == index.of.len()).then_some(Self { table, index, of, limit })
    }

    /// Reads `{"table", "index", "of": [..], "limit"}`.
    pub(super) fn from_json(fields: &crate::value::json::Fields<'_>) -> Result<Self> {
        let table = read_table(&fields.required("table")?)?;
        let index = fields.required("index")?;
        let of = fields.required("of")?;
        let limit = usize::try_from(fields.required("limit")?.count()?).unwrap_or(usize::MAX);
        let name = index.string()?;
        let Some(known) = table.index(name) else {
            return Err(index.error(format!("`{}` has no index `{name}`", table.name)));
        };
        Self::new(table, name, of.strings()?, limit).ok_or_else(|| {
            of.error(format!("index `{name}` needs values for {}", listed(known.of)))
        })
    }

    /// Returns an id that is unique for the list.
    pub(super) fn id(&self) -> String {
        let mut id =
            with_capacity_for(self.table.name.len() + self.index.name.len() + 12, &self.of);
        for word in [self.table.name, " ", self.index.name, " "] {
            id.push_str(word);
        }
        write_whole(self.limit, &mut id);
        id.push(' ');
        for part in &self.of {
            push_part(&mut id, part);
        }
        id
    }

    /// Selects the rows of this list from all rows of its table, in order.
    pub(super) fn select<'a>(&self, rows: impl Iterator<Item = &'a TableRow>) -> Vec<TableRow> {
        let mut found: Vec<_> = rows.filter(|row| self.index.selects(&row.row, &self.of)).collect();
        crate::value::sort::sort_by(&mut found, |a, b| {
            self.index.compare(self.table, &a.row, &b.row)
        });
        found.into_iter().take(self.limit).cloned().collect()
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of `{}`", self.table.name, self.index.name, self.of.join("`, `"))
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(Some(4))?;
        body.serialize_entry("table", self.table.name)?;
        body.serialize_entry("index", self.index.name)?;
        body.serialize_entry("of", &self.of)?;
        body.serialize_entry("limit", &self.limit)?;
        body.end()
    }
}

/// A row of a declared table, as stored.
///
/// ```
/// use tuckbox::store::{MemoryStore, table};
/// use tuckbox::json;
///
/// let mut store = MemoryStore::new();
/// let row = json!({"agent_id": "a1", "status": "idle", "turn_epoch": 3}).as_object().cloned().unwrap();
/// let tables = store.project("p1").add_row(&table::HEADS, row);
/// let head = tables.rows(&table::HEADS).next().unwrap();
/// assert_eq!((head.text("status"), head.whole("turn_epoch")), (Some("idle"), Some(3)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// The values of the key columns.
    pub key: Vec<String>,
    /// The operation id of the batch that last wrote it, or another version of the store.
    pub version: String,
    /// The columns, shared by all owners of the row.
    pub row: Arc<Object>,
}

impl TableRow {
    /// Reads `{"key", "version", "row"}`.
    pub(super) fn from_json(fields: &crate::value::json::Fields<'_>) -> Result<Self> {
        let key = fields.required("key")?.strings()?.into_iter().map(str::to_owned).collect();
        let row = fields.required("row")?;
        let version = fields.required("version")?.string()?.to_owned();
        Ok(Self { key, version, row: row.object()?.json().clone().into() })
    }

    /// Returns a text column; `None` if it is absent or `null`.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.row.get(column).and_then(Json::as_str)
    }

    /// Returns a column with a whole number; `None` if it is anything else.
    pub fn whole(&self, column: &str) -> Option<i64> {
        self.row.get(column).and_then(Json::as_number).and_then(|number| number.whole())
    }
}

impl Serialize for TableRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(Some(3))?;
        body.serialize_entry("key", &self.key)?;
        body.serialize_entry("version", &self.version)?;
        body.serialize_entry("row", &*self.row)?;
        body.end()
    }
}

/// The condition of a row before a change.
///
/// The example of [`RowChange`] shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// No condition.
    #[default]
    Any,
    /// The row must not exist.
    Absent,
    /// The row must have this version.
    At(String),
}

/// One change to one row of a declared table.
///
/// ```
/// use tuckbox::store::{Before, MemoryStore, RowChange, RowKey, Store, Writes, table};
/// use tuckbox::{Code, Timestamp, json};
///
/// let row = json!({"agent_id": "a1", "status": "idle"}).as_object().cloned().unwrap();
/// let new = RowChange::put(&table::HEADS, row, Before::Absent)?;
/// let batch = |id: &str, change| Writes { rows: vec![change], ..Writes::new("p1".into(), id, Timestamp::from_millis(0)) };
/// let mut store = MemoryStore::new();
/// store.commit(&batch("op_1", new.clone()))?;
/// // now it exists, at the version of the operation that wrote it
/// assert_eq!(store.commit(&batch("op_2", new)).unwrap_err().code(), Code::Conflict);
/// let gone = RowChange::delete(RowKey::new(&table::HEADS, ["a1"]), Before::At("op_1".into()));
/// store.commit(&batch("op_3", gone))?;
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    /// The key of the row.
    pub of: RowKey,
    /// The condition before the change.
    pub before: Before,
    /// The new columns; `None` deletes the row.
    pub row: Option<NewRow>,
}

/// The new columns of a row, computed on first access if needed. Most previews are never committed.
///
/// ```
/// use tuckbox::store::NewRow;
/// use tuckbox::value::json::Object;
///
/// let row = NewRow::later(|| Object::from_iter([("seq".to_owned(), 1.into())]));
/// assert!(row.contains_key("seq"));
/// assert_eq!(row, NewRow::from(row.clone().into_object()));
/// ```
#[derive(Clone)]
pub struct NewRow(Columns);

#[derive(Clone)]
enum Columns {
    Made(Arc<Object>),
    Later(Arc<LazyLock<Object, Box<dyn FnOnce() -> Object + Send>>>),
}

impl NewRow {
    /// Creates a row whose columns `make` computes on first access.
    pub fn later(make: impl FnOnce() -> Object + Send + 'static) -> Self {
        Self(Columns::Later(Arc::new(LazyLock::new(Box::new(make)))))
    }

    /// Returns the columns.
    pub fn into_object(self) -> Object {
        match self.0 {
            Columns::Made(columns) => Arc::unwrap_or_clone(columns),
            Columns::Later(columns) => (**columns).clone(),
        }
    }

    /// Returns the shared columns.
    pub fn shared(&self) -> Arc<Object> {
        match &self.0 {
            Columns::Made(columns) => columns.clone(),
            Columns::Later(columns) => Arc::new((***columns).clone()),
        }
    }
}

impl std::ops::Deref for NewRow {
    type Target = Object;

    fn deref(&self) -> &Object {
        match &self.0 {
            Columns::Made(columns) => columns,
            Columns::Later(columns) => columns,
        }
    }
}

impl From<Object> for NewRow {
    fn from(columns: Object) -> Self {
        Self(Columns::Made(columns.into()))
    }
}

impl From<Arc<Object>> for NewRow {
    fn from(columns: Arc<Object>) -> Self {
        Self(Columns::Made(columns))
    }
}

impl fmt::Debug for NewRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for NewRow {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl RowChange {
    /// Creates a change that writes a row; the key comes from its columns.
    ///
    /// # Errors
    /// Returns `bad_request` if the row lacks a key column.
    pub fn put(table: &'static Table, row: Object, before: Before) -> Result<Self> {
        match table.key_of(&row) {
            Some(key) => Ok(Self { of: RowKey { table, key }, before, row: Some(row.into()) }),
            None => Err(Error::bad_request(format!(
                "a row of `{}` must have {}",
                table.name,
                listed(table.key)
            ))),
        }
    }

    /// Creates a change that deletes a row.
    pub fn delete(of: RowKey, before: Before) -> Self {
        Self { of, before, row: None }
    }

    /// Reads `{"table", "key", "version"?, "row"}`.
    pub(super) fn from_json(fields: &crate::value::json::Fields<'_>) -> Result<Self> {
        let of = RowKey::from_json(fields)?;
        let before = match fields.present("version") {
            None => Before::Any,
            Some(version) if version.json().is_null() => Before::Absent,
            Some(version) => Before::At(version.string()?.to_owned()),
        };
        let given = fields.required("row")?;
        let row = match given.json() {
            Json::Null => None,
            _ => Some(NewRow::from(given.object()?.json().clone())),
        };
        if let Some(row) = &row
            && of.table.key_of(row).as_ref() != Some(&of.key)
        {
            return Err(
                given.error(format!("the key columns of the row do not match the key {of}"))
            );
        }
        Ok(Self { of, before, row })
    }
}

impl Serialize for RowChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("table", self.of.table.name)?;
        body.serialize_entry("key", &self.of.key)?;
        match &self.before {
            Before::Any => {}
            Before::Absent => body.serialize_entry("version", &())?,
            Before::At(version) => body.serialize_entry("version", version)?,
        }
        body.serialize_entry("row", &self.row.as_deref())?;
        body.end()
    }
}
