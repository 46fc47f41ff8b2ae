//! The changes of a rule: one atomic batch.

use super::rows::{RowChange, RowKey, Version};
use super::table;
use super::{Agent, Kind, StoredFile};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::id::{BoxId, CardId, ProjectId};
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json};
use crate::value::str_map::StrMap;
use crate::value::time::Timestamp;
use crate::{Code, Error, Path, Result};
use serde::Serialize;

/// A box at a version.
///
/// The example of [`Receipt`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoxVersion {
    /// The id of the box.
    pub box_id: BoxId,
    /// The version of the box; a new box starts at 1.
    pub version: u64,
}

/// One change to one box.
///
/// ```
/// use tuckbox::store::BoxChange;
/// use tuckbox::{CardBox, Timestamp};
///
/// let before = CardBox::new("notes", ["n1"].into_iter().collect());
/// let append = BoxChange::Append {
///     box_id: "notes".into(), card_ids: ["n2"].into_iter().collect(), version: Some(1) };
/// assert_eq!(append.expected_version(), Some(1));
/// let after = append.after(&before, Timestamp::from_millis(0));
/// assert_eq!((after.version, after.card_ids.len()), (2, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum BoxChange {
    /// Creates a box.
    Create {
        /// The new box.
        #[serde(rename = "box")]
        card_box: CardBox,
    },
    /// Appends cards to a box. Without a version, the append applies to any version.
    Append {
        /// The id of the box.
        box_id: BoxId,
        /// The cards to append.
        card_ids: CardIds,
        /// The version that the box must have.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
    },
    /// Replaces the cards of a box.
    Replace {
        /// The id of the box.
        box_id: BoxId,
        /// The new cards of the box.
        card_ids: CardIds,
        /// The version that the box must have.
        version: u64,
    },
    /// Deletes a box: readers no longer see it, but it stays in the store.
    Delete {
        /// The id of the box.
        box_id: BoxId,
        /// The version that the box must have.
        version: u64,
    },
}

impl BoxChange {
    /// Returns the id of the box.
    pub fn box_id(&self) -> &BoxId {
        match self {
            Self::Create { card_box } => &card_box.box_id,
            Self::Append { box_id, .. }
            | Self::Replace { box_id, .. }
            | Self::Delete { box_id, .. } => box_id,
        }
    }

    fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let change = fields.required("change")?;
        if change.string()? == "create" {
            return Ok(Self::Create { card_box: CardBox::from_row(&fields.required("box")?)? });
        }
        let box_id = BoxId::from(fields.required("box_id")?.string()?);
        let card_ids = || -> Result<CardIds> {
            Ok(fields.required("card_ids")?.strings()?.into_iter().collect())
        };
        let version = || fields.required("version")?.count();
        Ok(match change.string()? {
            "append" => Self::Append {
                box_id,
                card_ids: card_ids()?,
                version: fields.optional("version").map(|version| version.count()).transpose()?,
            },
            "replace" => Self::Replace { box_id, card_ids: card_ids()?, version: version()? },
            "delete" => Self::Delete { box_id, version: version()? },
            other => {
                return Err(change.error(format!(
                    "unknown change `{other}`; expected `create`, `append`, `replace` or `delete`"
                )));
            }
        })
    }

    /// Returns the version that the box must have before the change, if any.
    pub fn expected_version(&self) -> Option<u64> {
        match self {
            Self::Create { .. } => None,
            Self::Append { version, .. } => *version,
            Self::Replace { version, .. } | Self::Delete { version, .. } => Some(*version),
        }
    }

    /// Returns the box after the change.
    #[must_use]
    pub fn after(&self, before: &CardBox, at: Timestamp) -> CardBox {
        let mut after = before.clone();
        after.version += 1;
        match self {
            Self::Create { card_box } => after = card_box.clone(),
            Self::Append { card_ids, .. } => after.card_ids = before.card_ids.with(card_ids),
            Self::Replace { card_ids, .. } => after.card_ids = card_ids.clone(),
            Self::Delete { .. } => after.deleted_at = Some(at),
        }
        after
    }
}

/// A row on which a batch depends, with the version that was read.
///
/// On the wire: `{"table", "key": [..], "version"}`. The table is a [declared one](table) or the
/// name of a [`Kind`]. A version of `null` means that the row was absent.
///
/// ```
/// use tuckbox::store::{Expectation, Version};
///
/// let expected = Expectation::of_box("b1", 3);
/// assert_eq!(expected.version, Some(Version::Number(3)));
/// assert_eq!(
///     tuckbox::value::json::to_text(&expected)?,
///     r#"{"table":"boxes","key":["b1"],"version":3}"#
/// );
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The table, or the kind.
    pub table: &'static str,
    /// The values of the key columns.
    pub key: Vec<String>,
    /// The version that was read; `None` if the row was absent.
    pub version: Option<Version>,
}

impl Expectation {
    /// Creates the expectation of a key of a kind.
    pub(crate) fn of_kind(kind: Kind, key: &str, version: Option<Version>) -> Self {
        Self { table: kind.as_str(), key: vec![key.to_owned()], version }
    }

    /// Creates the expectation of a box at a version.
    pub fn of_box(box_id: &str, version: u64) -> Self {
        Self::of_kind(Kind::Boxes, box_id, Some(Version::Number(version)))
    }

    /// Returns the kind, if the row is not in a declared table.
    pub fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == self.table)
    }

    /// Returns the first value of the key, which is the whole key of a kind.
    pub fn first_key(&self) -> &str {
        self.key.first().map_or("", String::as_str)
    }

    /// Returns an id that is unique for the row.
    pub(crate) fn id(&self) -> String {
        if let Some(kind) = self.kind() {
            return kind.folded(self.first_key());
        }
        match table::named(self.table) {
            Some(table) => RowKey { table, key: self.key.clone() }.id(),
            None => self.table.to_owned(),
        }
    }

    fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let version = match fields.required("version")? {
            version if version.json().is_null() => None,
            version => Some(Version::from_json(&version)?),
        };
        let name = fields.required("table")?;
        let kind = Kind::ALL.into_iter().find(|kind| Some(kind.as_str()) == name.json().as_str());
        let Some(kind) = kind else {
            let RowKey { table, key } = RowKey::from_json(&fields)?;
            return Ok(Self { table: table.name, key, version });
        };
        let key = fields.required("key")?;
        match key.strings()?.as_slice() {
            [one] => Ok(Self::of_kind(kind, one, version)),
            [] | [_, ..] => {
                Err(key.error(format!("the key of `{}` must be one string", kind.as_str())))
            }
        }
    }
}

/// One batch of changes. A store applies all of it or nothing.
///
/// ```
/// use tuckbox::store::Writes;
/// use tuckbox::json;
///
/// // hosts in other languages send and store batches as JSON
/// let writes = Writes::from_json(&json!({"project_id": "p1", "operation_id": "op_1",
///     "at": "2026-01-01T00:00:00Z", "delete_cards": ["c1"]}))?;
/// assert_eq!((writes.delete_cards[0].as_str(), writes.is_empty()), ("c1", false));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Writes {
    /// The project, the only one that the batch changes.
    pub project_id: ProjectId,
    /// The id of the operation; a store applies it at most once.
    pub operation_id: String,
    /// The time of the change.
    pub at: Timestamp,
    /// The rows on which the batch depends, with the versions that were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expectation>,
    /// New cards. A card that exists with the same content stays unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<Card>,
    /// Cards to mark as deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_cards: Vec<CardId>,
    /// Cards whose content the store overwrites; see [`Card::erased`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub erase_cards: Vec<CardId>,
    /// Changes to boxes, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<BoxChange>,
    /// New rows of agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
    /// New files. A file that exists with the same text stays unchanged; other text is a conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<StoredFile>,
    /// Changes to rows of declared tables, at most one per row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowChange>,
}

impl Writes {
    /// Creates an empty batch.
    pub fn new(project_id: ProjectId, operation_id: impl Into<String>, at: Timestamp) -> Self {
        Self {
            project_id,
            operation_id: operation_id.into(),
            at,
            expects: Vec::new(),
            cards: Vec::new(),
            delete_cards: Vec::new(),
            erase_cards: Vec::new(),
            boxes: Vec::new(),
            agents: Vec::new(),
            files: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Returns whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
            && self.delete_cards.is_empty()
            && self.erase_cards.is_empty()
            && self.boxes.is_empty()
            && self.agents.is_empty()
            && self.files.is_empty()
            && self.rows.is_empty()
    }

    /// Reads a batch.
    ///
    /// # Errors
    /// Returns `store` with the path of the value that is missing or mistyped.
    pub fn from_json(json: &Json) -> Result<Self> {
        let fields = Field::new(json, Code::Store).object()?;
        fn each<T>(
            fields: &crate::value::json::Fields<'_>,
            key: &str,
            read: impl Fn(&Field<'_>) -> Result<T>,
        ) -> Result<Vec<T>> {
            match fields.optional(key) {
                Some(list) => list.list()?.iter().map(read).collect(),
                None => Ok(Vec::new()),
            }
        }
        Ok(Self {
            project_id: ProjectId::from(fields.required("project_id")?.string()?),
            operation_id: fields.required("operation_id")?.string()?.to_owned(),
            at: Timestamp::from_wire(&fields.required("at")?)?,
            expects: each(&fields, "expects", Expectation::from_json)?,
            cards: each(&fields, "cards", Card::from_row)?,
            delete_cards: each(&fields, "delete_cards", |id| id.string().map(CardId::from))?,
            erase_cards: each(&fields, "erase_cards", |id| id.string().map(CardId::from))?,
            boxes: each(&fields, "boxes", BoxChange::from_json)?,
            agents: each(&fields, "agents", Agent::from_row)?,
            files: each(&fields, "files", StoredFile::from_row)?,
            rows: each(&fields, "rows", |row| RowChange::from_json(&row.object()?))?,
        })
    }
}

/// The answer of a store to a commit.
///
/// ```
/// use tuckbox::store::{BoxChange, MemoryStore, Store, Writes};
/// use tuckbox::{CardBox, Timestamp};
///
/// let created = BoxChange::Create { card_box: CardBox::new("notes", ["n1"].into_iter().collect()) };
/// let writes = Writes { boxes: vec![created], ..Writes::new("p1".into(), "op_1", Timestamp::from_millis(0)) };
/// let mut store = MemoryStore::new();
/// let receipt = store.commit(&writes)?;
/// assert_eq!((receipt.boxes[0].box_id.as_str(), receipt.boxes[0].version), ("notes", 1));
/// assert!(!receipt.repeated && store.commit(&writes)?.repeated);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The operation that was applied.
    pub operation_id: String,
    /// Whether the operation was applied before, so that nothing changed now.
    pub repeated: bool,
    /// The new versions of the changed boxes, in the order of their first change.
    pub boxes: Vec<BoxVersion>,
}

impl Receipt {
    /// Reads a host's receipt.
    ///
    /// # Errors
    /// Returns `store` if the value is not a receipt of `writes`. The operation or the boxes can
    /// differ, or a version cannot result from the batch.
    pub fn from_json(json: &Json, writes: &Writes) -> Result<Self> {
        let path = Path::root().key("receipt");
        Self::read(json, writes).map_err(|error| error.within(&path))
    }

    fn read(json: &Json, writes: &Writes) -> Result<Self> {
        let fields = Field::new(json, Code::Store).object()?;
        let operation = fields.required("operation_id")?;
        if operation.string()? != writes.operation_id {
            return Err(operation.error(format!(
                "the store confirmed operation `{}`, not `{}`",
                operation.string()?,
                writes.operation_id
            )));
        }
        let listed = fields.required("boxes")?;
        let mut boxes = Vec::new();
        for row in listed.list()? {
            let row = row.object()?;
            boxes.push(BoxVersion {
                box_id: BoxId::from(row.required("box_id")?.string()?),
                version: row.required("version")?.count()?,
            });
        }
        let receipt = Self {
            operation_id: writes.operation_id.clone(),
            repeated: fields.required("repeated")?.boolean()?,
            boxes,
        };
        receipt.check(writes).map_err(|problem| listed.error(problem))?;
        Ok(receipt)
    }

    /// Reads the receipt that a store has saved with an operation.
    pub(super) fn from_row(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let mut boxes = Vec::new();
        for row in fields.required("boxes")?.list()? {
            let row = row.object()?;
            let box_id = BoxId::from(row.required("box_id")?.string()?);
            boxes.push(BoxVersion { box_id, version: row.required("version")?.count()? });
        }
        let operation_id = fields.required("operation_id")?.string()?.to_owned();
        Ok(Self { operation_id, repeated: false, boxes })
    }

    /// Returns an error if this is not a receipt of `writes`.
    fn check(&self, writes: &Writes) -> Result<(), String> {
        // per box: the version before the batch if it is known, and the number of changes
        let mut changed: StrMap<(Option<u64>, u64)> = StrMap::new();
        for change in &writes.boxes {
            let box_id = change.box_id().as_str();
            if let Some((_, changes)) = changed.get_mut(box_id) {
                *changes += 1;
                continue;
            }
            let before = match change {
                BoxChange::Create { card_box } => card_box.version.checked_sub(1),
                BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. } => {
                    change.expected_version()
                }
            };
            changed.insert(box_id, (before, 1));
        }
        if changed.len() != self.boxes.len() {
            return Err(format!(
                "the receipt has {} boxes, the batch changes {}",
                self.boxes.len(),
                changed.len()
            ));
        }
        for (at, BoxVersion { box_id, version }) in self.boxes.iter().enumerate() {
            match changed.get_near(box_id.as_str(), at) {
                None => return Err(format!("the batch does not change box `{box_id}`")),
                Some((_, (Some(before), changes))) if before + changes != *version => {
                    return Err(format!(
                        "box `{box_id}` must be at version {}, found {version}",
                        before + changes
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Creates the conflict of a file that exists with other text.
pub(crate) fn file_conflict(path: &str) -> Error {
    Error::conflict(format!("file `{path}` already exists with other text")).detail("path", path)
}

/// Creates the conflict of a box at another version. Without an expected version it must only exist.
pub(crate) fn box_conflict(box_id: &str, expected: Option<u64>, found: Option<u64>) -> Error {
    let now = found.map_or("is missing".to_owned(), |version| format!("is at version {version}"));
    let read =
        expected.map_or(String::new(), |version| format!(" was read at version {version} and now"));
    Error::conflict(format!("box `{box_id}`{read} {now}"))
        .detail("box_id", box_id)
        .detail("expected", expected)
        .detail("found", found)
}

/// Creates the conflict of a row that changed since it was read.
pub(super) fn row_conflict(expected: &Expectation, found: Option<&Version>) -> Error {
    if let (Some(Kind::Boxes), Some(Version::Number(version))) =
        (expected.kind(), &expected.version)
    {
        let found = match found {
            Some(Version::Number(found)) => Some(*found),
            Some(Version::Text(_)) | None => None,
        };
        return box_conflict(expected.first_key(), Some(*version), found);
    }
    let name = match expected.kind() {
        Some(kind) => format!("{} `{}`", kind.singular(), expected.first_key()),
        None => format!("{} `{}`", expected.table, expected.key.join("`, `")),
    };
    let state = |version: Option<&Version>, missing: &str| {
        version.map_or(missing.to_owned(), |version| format!("at version {version}"))
    };
    let was = state(expected.version.as_ref(), "absent");
    let now = state(found, "missing");
    Error::conflict(format!("{name} was {was} when it was read and now is {now}"))
        .detail("table", expected.table)
        .detail("key", expected.key.clone())
        .detail("expected", expected.version.as_ref().map(Json::from))
        .detail("found", found.map(Json::from))
}

/// Creates the conflict of a card that exists with other content.
pub(crate) fn card_conflict(card: &Card) -> Error {
    Error::conflict(format!(
        "card `{}` exists with other content; cards are immutable, create a new one",
        card.card_id
    ))
    .detail("card_id", card.card_id.as_str())
}
