//! What a rule wants to change: one atomic batch.

use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::id::{BoxId, CardId, ProjectId};
use crate::value::ids::CardIds;
use crate::value::time::Timestamp;
use crate::{
    Error,
    store::{Agent, StoredFile},
};
use serde::Serialize;

/// A box at a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoxVersion {
    /// Which box.
    pub box_id: BoxId,
    /// Which version of it; a new box starts at 1.
    pub version: u64,
}

/// One change to one box.
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

/// One batch of changes. A store applies all of it or nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Writes {
    /// The only project that is touched.
    pub project_id: ProjectId,
    /// Whatever happens, the batch with this id is applied once.
    pub operation_id: String,
    /// The time of the change.
    pub at: Timestamp,
    /// The boxes that were read to get here, at the versions they had.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<BoxVersion>,
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
        }
    }

    /// True when there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
            && self.delete_cards.is_empty()
            && self.boxes.is_empty()
            && self.agents.is_empty()
            && self.files.is_empty()
    }
}

/// What a store says after a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The operation that was applied.
    pub operation_id: String,
    /// True when it had been applied before, and nothing changed now.
    pub repeated: bool,
    /// The versions of the boxes it changed.
    pub boxes: Vec<BoxVersion>,
}

impl Receipt {
    /// Reads a host's receipt.
    ///
    /// # Errors
    /// `store` when it is not a receipt for `writes`.
    pub fn from_json(json: &crate::Json, writes: &Writes) -> crate::Result<Self> {
        let path = crate::Path::root().key("receipt");
        Self::read(json, writes).map_err(|error| error.within(&path))
    }

    fn read(json: &crate::Json, writes: &Writes) -> crate::Result<Self> {
        let fields = crate::value::json::Field::new(json, crate::Code::Store).object()?;
        let operation = fields.required("operation_id")?;
        if operation.string()? != writes.operation_id {
            return Err(operation.error(format!(
                "the store confirmed operation `{}`, not `{}`",
                operation.string()?,
                writes.operation_id
            )));
        }
        let mut boxes = Vec::new();
        for row in fields.required("boxes")?.list()? {
            let row = row.object()?;
            boxes.push(BoxVersion {
                box_id: BoxId::from(row.required("box_id")?.string()?),
                version: row.required("version")?.count()?,
            });
        }
        Ok(Self {
            operation_id: writes.operation_id.clone(),
            repeated: fields.required("repeated")?.boolean()?,
            boxes,
        })
    }
}

/// The conflict for a path that holds another text.
pub(crate) fn other_text(path: &str) -> Error {
    Error::conflict(format!("there is a file `{path}` already, with another text"))
        .detail("path", path)
}

/// The conflict for a box that moved on.
pub(crate) fn stale(box_id: &BoxId, expected: u64, found: Option<u64>) -> Error {
    let now = found.map_or("is gone".to_owned(), |version| format!("is at version {version}"));
    Error::conflict(format!("box `{box_id}` was read at version {expected} and now {now}"))
        .detail("box_id", box_id.as_str())
        .detail("expected", expected)
        .detail("found", found)
}

/// The conflict for a card id that holds other content.
pub(crate) fn taken(card: &Card) -> Error {
    Error::conflict(format!(
        "card `{}` exists with other content; a card never changes, make a new one",
        card.card_id
    ))
    .detail("card_id", card.card_id.as_str())
}
