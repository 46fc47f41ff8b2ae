//! What a rule wants to change: one atomic batch.

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
/// Shown by the example of [`Receipt`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoxVersion {
    /// Which box.
    pub box_id: BoxId,
    /// Which version of it; a new box starts at 1.
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
    /// A new box.
    Create {
        /// The box as it will stand.
        #[serde(rename = "box")]
        card_box: CardBox,
    },
    /// More cards at the end of a box. Without a version it goes behind whatever is there.
    Append {
        /// Which box.
        box_id: BoxId,
        /// The cards to add.
        card_ids: CardIds,
        /// The version the box must have.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
    },
    /// Other cards in a box.
    Replace {
        /// Which box.
        box_id: BoxId,
        /// The cards that it holds from now on.
        card_ids: CardIds,
        /// The version the box must have.
        version: u64,
    },
    /// The box is gone for every reader, but stays in the store.
    Delete {
        /// Which box.
        box_id: BoxId,
        /// The version the box must have.
        version: u64,
    },
}

impl BoxChange {
    /// The box that changes.
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
            other => return Err(change.error(format!("`{other}` is not a change to a box"))),
        })
    }

    /// The version that the box must have before the change, if it says so.
    pub fn expected_version(&self) -> Option<u64> {
        match self {
            Self::Create { .. } => None,
            Self::Append { version, .. } => *version,
            Self::Replace { version, .. } | Self::Delete { version, .. } => Some(*version),
        }
    }

    /// The box as it stands after the change.
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

/// A row that a decision rests on, and what was read of it.
///
/// On the wire `{"table", "key": [..], "version"}`: the table is a [declared one](table) or the name
/// of a [`Kind`]; a version of `null` says that nothing was there.
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
    /// The version that was read; nothing when the row was absent.
    pub version: Option<Version>,
}

impl Expectation {
    /// What was read under a key of a kind.
    pub fn of_kind(kind: Kind, key: &str, version: Option<Version>) -> Self {
        Self { table: kind.as_str(), key: vec![key.to_owned()], version }
    }

    /// A box at a version.
    pub fn of_box(box_id: &str, version: u64) -> Self {
        Self::of_kind(Kind::Boxes, box_id, Some(Version::Number(version)))
    }

    /// The kind it is about, if it is not about a declared table.
    pub fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == self.table)
    }

    /// The first value of the key: the whole of it for kinds.
    pub fn first_key(&self) -> &str {
        self.key.first().map_or("", String::as_str)
    }

    /// Different for different rows, the same for the same one.
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
            [] | [_, ..] => Err(key.error(format!("the key of `{}` is one text", kind.as_str()))),
        }
    }
}

/// One batch of changes. A store applies all of it or nothing.
///
/// ```
/// use tuckbox::store::Writes;
/// use tuckbox::json;
///
/// // a host in another language sends and stores a batch as JSON
/// let writes = Writes::from_json(&json!({"project_id": "p1", "operation_id": "op_1",
///     "at": "2026-01-01T00:00:00Z", "delete_cards": ["c1"]}))?;
/// assert_eq!((writes.delete_cards[0].as_str(), writes.is_empty()), ("c1", false));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Writes {
    /// The only project that is touched.
    pub project_id: ProjectId,
    /// Whatever happens, the batch with this id is applied once.
    pub operation_id: String,
    /// The time of the change.
    pub at: Timestamp,
    /// The rows that were read to get here, at the versions they had.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expectation>,
    /// New cards. A card that is there already with the same content is left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<Card>,
    /// Cards to delete softly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_cards: Vec<CardId>,
    /// Changes to boxes, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<BoxChange>,
    /// Agents as they stand from now on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
    /// New files. A file that is there already with the same text is left alone; with another text
    /// the batch is a conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<StoredFile>,
    /// Changes to rows of declared tables, at most one for each row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowChange>,
}

impl Writes {
    /// An empty batch.
    pub fn new(project_id: ProjectId, operation_id: impl Into<String>, at: Timestamp) -> Self {
        Self {
            project_id,
            operation_id: operation_id.into(),
            at,
            expects: Vec::new(),
            cards: Vec::new(),
            delete_cards: Vec::new(),
            boxes: Vec::new(),
            agents: Vec::new(),
            files: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// True when there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
            && self.delete_cards.is_empty()
            && self.boxes.is_empty()
            && self.agents.is_empty()
            && self.files.is_empty()
            && self.rows.is_empty()
    }

    /// Reads a batch as a commit sends it.
    ///
    /// # Errors
    /// `store` with the path of what is missing or mistyped.
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
            boxes: each(&fields, "boxes", BoxChange::from_json)?,
            agents: each(&fields, "agents", Agent::from_row)?,
            files: each(&fields, "files", StoredFile::from_row)?,
            rows: each(&fields, "rows", |row| RowChange::from_json(&row.object()?))?,
        })
    }
}

/// What a store says after a commit.
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
    /// True when it had been applied before, and nothing changed now.
    pub repeated: bool,
    /// The versions of the boxes it changed, in the order of their first change.
    pub boxes: Vec<BoxVersion>,
}

impl Receipt {
    /// Reads a host's receipt.
    ///
    /// # Errors
    /// `store` when it is not a receipt for `writes`: another operation, other boxes, or a version
    /// that the batch cannot have made.
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
        receipt.check(writes).map_err(|fault| listed.error(fault))?;
        Ok(receipt)
    }

    /// Reads a receipt that a store kept with its operation.
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

    /// What is wrong with it as the receipt of `writes`.
    fn check(&self, writes: &Writes) -> Result<(), String> {
        // by box: the version before the batch where it is known, and the number of changes
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
                "the receipt names {} boxes, the batch changes {}",
                self.boxes.len(),
                changed.len()
            ));
        }
        for (at, BoxVersion { box_id, version }) in self.boxes.iter().enumerate() {
            match changed.get_near(box_id.as_str(), at) {
                None => return Err(format!("the batch does not change box `{box_id}`")),
                Some((_, (Some(before), changes))) if before + changes != *version => {
                    return Err(format!(
                        "box `{box_id}` is at version {}, not {version}",
                        before + changes
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// The conflict for a path that holds another text.
pub(crate) fn other_text(path: &str) -> Error {
    Error::conflict(format!("there is a file `{path}` already, with another text"))
        .detail("path", path)
}

/// The conflict for a box that moved on. Without an expected version it only has to be there.
pub(crate) fn stale_box(box_id: &str, expected: Option<u64>, found: Option<u64>) -> Error {
    let now = found.map_or("is gone".to_owned(), |version| format!("is at version {version}"));
    let read =
        expected.map_or(String::new(), |version| format!(" was read at version {version} and now"));
    Error::conflict(format!("box `{box_id}`{read} {now}"))
        .detail("box_id", box_id)
        .detail("expected", expected)
        .detail("found", found)
}

/// The conflict for a row that is not as it was read.
pub(super) fn stale(expected: &Expectation, found: Option<&Version>) -> Error {
    if let (Some(Kind::Boxes), Some(Version::Number(version))) =
        (expected.kind(), &expected.version)
    {
        let found = match found {
            Some(Version::Number(found)) => Some(*found),
            Some(Version::Text(_)) | None => None,
        };
        return stale_box(expected.first_key(), Some(*version), found);
    }
    let name = match expected.kind() {
        Some(kind) => format!("{} `{}`", kind.singular(), expected.first_key()),
        None => format!("{} `{}`", expected.table, expected.key.join("`, `")),
    };
    let said = |version: Option<&Version>, gone: &str| {
        version.map_or(gone.to_owned(), |version| format!("at version {version}"))
    };
    let was = said(expected.version.as_ref(), "absent");
    let now = said(found, "gone");
    Error::conflict(format!("{name} was {was} when it was read and now is {now}"))
        .detail("table", expected.table)
        .detail("key", expected.key.clone())
        .detail("expected", expected.version.as_ref().map(Json::from))
        .detail("found", found.map(Json::from))
}

/// The conflict for a card id that holds other content.
pub(crate) fn taken(card: &Card) -> Error {
    Error::conflict(format!(
        "card `{}` exists with other content; a card never changes, make a new one",
        card.card_id
    ))
    .detail("card_id", card.card_id.as_str())
}
