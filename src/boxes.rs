//! Boxes: ordered lists of card ids. A box refers to cards, it never holds them.
//!
//! ```
//! use tuckbox::json::Field;
//! use tuckbox::{CardBox, Json};
//!
//! let row = Json::parse(r#"{"box_id": "b1", "tenant_id": "p1", "card_ids": ["a", "b", "a"], "version": 3}"#)?;
//! let cards = CardBox::from_row(&Field::root(&row))?;
//! assert_eq!(cards.card_ids.len(), 3);
//! assert_eq!(cards.version, 3);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::json::{Field, Fields, Json, Object};
use crate::{BoxId, CardId, Code, ProjectId, Result, Timestamp};
use serde::{Serialize, Serializer};

/// A box.
///
/// It can grow or be replaced; what its id points to now is a snapshot, told from the next one by
/// its `version`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardBox {
    /// Its id; a box that was never stored may have none.
    pub box_id: Option<BoxId>,
    /// The cards in order; one may stand here twice.
    pub card_ids: Vec<CardId>,
    /// The boxes it was made from.
    pub parent_ids: Vec<BoxId>,
    /// Goes up with every change.
    pub version: u64,
    /// The project it is stored under; a box on the wire has none.
    pub tenant_id: Option<ProjectId>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl CardBox {
    /// A new box of a project.
    pub fn new(box_id: BoxId, project: &ProjectId, card_ids: Vec<CardId>) -> Self {
        Self { box_id: Some(box_id), card_ids, tenant_id: Some(project.clone()), ..Self::default() }
    }

    /// Reads a box as callers send it.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value; unknown keys are refused.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let field = Field::new(field.json(), field.path().clone(), Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&["box_id", "card_ids", "parent_ids"])?;
        read(&fields)
    }

    /// The box as callers send it: `box_id` and `parent_ids` only where there are any.
    pub fn to_wire(&self) -> Json {
        let mut out = Object::new();
        if let Some(id) = &self.box_id {
            out.insert("box_id".into(), id.into());
        }
        out.insert("card_ids".into(), self.card_ids.clone().into());
        if !self.parent_ids.is_empty() {
            out.insert("parent_ids".into(), self.parent_ids.clone().into());
        }
        Json::Object(out)
    }

    /// Reads a row of a store: a box with `tenant_id`, `version` and `deleted_at`. Columns that are
    /// not known are ignored.
    ///
    /// # Errors
    /// With the code of `row` when a column is missing or mistyped.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        fields.required("box_id")?.string()?;
        let mut read = read(&fields)?;
        read.tenant_id =
            fields.optional("tenant_id").map(|id| id.string().map(ProjectId::from)).transpose()?;
        read.version = fields.optional("version").map_or(Ok(0), |version| version.count())?;
        read.deleted_at =
            fields.optional("deleted_at").map(|field| Timestamp::from_wire(&field)).transpose()?;
        Ok(read)
    }

    /// The box as a row of a store, every column present.
    pub fn row(&self) -> Json {
        Json::from([
            ("box_id", Json::from(self.box_id.clone())),
            ("tenant_id", self.tenant_id.clone().into()),
            ("card_ids", self.card_ids.clone().into()),
            ("parent_ids", self.parent_ids.clone().into()),
            ("version", self.version.into()),
            ("deleted_at", self.deleted_at.into()),
        ])
    }
}

/// A box serialises as its row.
impl Serialize for CardBox {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}

fn read(fields: &Fields<'_>) -> Result<CardBox> {
    let card_ids = match fields.optional("card_ids") {
        Some(ids) => ids.strings()?.into_iter().map(CardId::from).collect(),
        None => Vec::new(),
    };
    Ok(CardBox {
        box_id: fields.optional("box_id").map(|id| id.string().map(BoxId::from)).transpose()?,
        card_ids,
        parent_ids: fields.optional("parent_ids").map_or(Ok(Vec::new()), |ids| parents(&ids))?,
        ..CardBox::default()
    })
}

/// Lineage is forgiving: what is not text counts by its text form, what is empty or repeated does
/// not count.
fn parents(field: &Field<'_>) -> Result<Vec<BoxId>> {
    let mut parents: Vec<BoxId> = Vec::new();
    for item in field.list()? {
        if item.json().is_null() {
            continue;
        }
        let id = BoxId::from(item.json().text_form());
        if !id.as_str().is_empty() && !parents.contains(&id) {
            parents.push(id);
        }
    }
    Ok(parents)
}
