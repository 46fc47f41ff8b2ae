//! Boxes: ordered lists of card ids. A box refers to cards, it never holds them.
//!
//! ```
//! use tuckbox::value::json::Field;
//! use tuckbox::{CardBox, Json};
//!
//! let row = Json::parse(r#"{"box_id": "b1", "card_ids": ["a", "b", "a"], "version": 3}"#)?;
//! let cards = CardBox::from_row(&Field::root(&row))?;
//! assert_eq!(cards.card_ids.len(), 3);
//! assert_eq!(cards.version, 3);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::value::ids::CardIds;
use crate::value::json::{Field, Fields, Json, Object, to_json};
use crate::value::str_map::StrMap;
use crate::{BoxId, Code, Result, Timestamp};
use serde::{Serialize, Serializer};

/// A box of a project.
///
/// It can grow or be replaced; what its id points to now is a snapshot, told from the next one by
/// its `version`.
///
/// ```
/// use tuckbox::{BoxId, CardBox};
///
/// let parent = BoxId::from("notes");
/// let grown = CardBox::new("draft", ["n1", "n2"].into_iter().collect()).with_parents(vec![parent]);
/// assert_eq!((grown.version, grown.card_ids.get(1)), (1, Some("n2")));
/// assert_eq!(grown.row().to_string(),
///     r#"{"box_id":"draft","card_ids":["n1","n2"],"parent_ids":["notes"],"version":1,"deleted_at":null}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardBox {
    /// Its id.
    pub box_id: BoxId,
    /// The cards in order; one may stand here twice.
    pub card_ids: CardIds,
    /// The boxes it was made from.
    pub parent_ids: Vec<BoxId>,
    /// Goes up with every change; a new box starts at 1.
    pub version: u64,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl CardBox {
    /// A new box.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        Self {
            box_id: box_id.into(),
            card_ids,
            parent_ids: Vec::new(),
            version: 1,
            deleted_at: None,
        }
    }

    /// The box with these parents.
    #[must_use]
    pub fn with_parents(mut self, parent_ids: Vec<BoxId>) -> Self {
        self.parent_ids = parent_ids;
        self
    }

    /// Reads a row of a store: a box with `version` and `deleted_at`. Columns that are not known
    /// are ignored; a table without versions counts as version 0.
    ///
    /// # Errors
    /// With the code of `row` when a column is missing or mistyped.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        Ok(Self {
            box_id: BoxId::from(fields.required("box_id")?.string()?),
            card_ids: card_ids(&fields)?,
            parent_ids: parent_ids(&fields)?,
            version: fields.optional("version").map_or(Ok(0), |version| version.count())?,
            deleted_at: fields
                .optional("deleted_at")
                .map(|field| Timestamp::from_wire(&field))
                .transpose()?,
        })
    }

    /// The box as a row of a store, every column present but the project's.
    pub fn row(&self) -> Json {
        Json::from([
            ("box_id", Json::from(&self.box_id)),
            ("card_ids", ids_json(&self.card_ids)),
            ("parent_ids", self.parent_ids.clone().into()),
            ("version", self.version.into()),
            ("deleted_at", self.deleted_at.into()),
        ])
    }
}

shape! {
    /// A box as a row of a store.
    pub struct CardBox {
        pub box_id: BoxId,
        /// The cards in order; one may stand here twice.
        pub card_ids: CardIds,
        /// The boxes it was made from.
        pub parent_ids: Vec<BoxId>,
        /// Goes up with every change; a new box starts at 1.
        pub version: u64,
        pub deleted_at: Option<Timestamp>,
    }

    /// A box as callers send it.
    pub struct WireBox {
        pub box_id: Maybe<BoxId>,
        pub card_ids: CardIds,
        pub parent_ids: Maybe<Vec<BoxId>>,
    }
}

/// A box serialises as its row.
impl Serialize for CardBox {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}

/// A box as callers send it: it may have no id yet.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::boxes::WireBox;
/// use tuckbox::value::json::Field;
///
/// let sent = json!({"card_ids": ["n1"], "parent_ids": ["notes", "notes", ""]});
/// let sent = WireBox::from_wire(&Field::root(&sent))?;
/// assert_eq!(sent.box_id, None);
/// assert_eq!(sent.to_wire(), json!({"card_ids": ["n1"], "parent_ids": ["notes"]}));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireBox {
    /// Its id, if it has one.
    pub box_id: Option<BoxId>,
    /// The cards in order.
    pub card_ids: CardIds,
    /// The boxes it was made from.
    pub parent_ids: Vec<BoxId>,
}

impl WireBox {
    /// Reads a box as callers send it.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value; unknown keys are refused.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&["box_id", "card_ids", "parent_ids"])?;
        Ok(Self {
            box_id: fields.optional("box_id").map(|id| id.string().map(BoxId::from)).transpose()?,
            card_ids: card_ids(&fields)?,
            parent_ids: parent_ids(&fields)?,
        })
    }

    /// The box as callers send it: `box_id` and `parent_ids` only where there are any.
    pub fn to_wire(&self) -> Json {
        let mut out = Object::default();
        if let Some(id) = &self.box_id {
            out.insert("box_id".into(), id.into());
        }
        out.insert("card_ids".into(), ids_json(&self.card_ids));
        if !self.parent_ids.is_empty() {
            out.insert("parent_ids".into(), self.parent_ids.clone().into());
        }
        Json::Object(out)
    }
}

fn ids_json(ids: &CardIds) -> Json {
    to_json(ids).unwrap_or_default()
}

fn card_ids(fields: &Fields<'_>) -> Result<CardIds> {
    match fields.optional("card_ids") {
        Some(ids) => Ok(ids.strings()?.into_iter().collect()),
        None => Ok(CardIds::default()),
    }
}

/// Lineage is forgiving: what is not text counts by its text form, what is empty or repeated does
/// not count.
fn parent_ids(fields: &Fields<'_>) -> Result<Vec<BoxId>> {
    let Some(field) = fields.optional("parent_ids") else { return Ok(Vec::new()) };
    let mut parents: StrMap<BoxId> = StrMap::new();
    for item in field.list()? {
        if item.json().is_null() {
            continue;
        }
        let id = BoxId::from(item.json().text_form());
        if !id.as_str().is_empty() {
            parents.insert_new(id.as_str(), id.clone());
        }
    }
    Ok(parents.into_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(text: &str) -> Result<WireBox> {
        WireBox::from_wire(&Field::root(&Json::parse(text).unwrap()))
    }

    #[test]
    fn lineage_drops_what_says_nothing() {
        let given = wire(r#"{"parent_ids": ["b", null, 5, "", "b", "5"]}"#).unwrap();
        assert_eq!(given.to_wire().to_string(), r#"{"card_ids":[],"parent_ids":["b","5"]}"#);
        assert_eq!(wire(r#"{"parent_ids": [], "card_ids": null}"#).unwrap(), WireBox::default());
    }

    #[test]
    fn every_refusal_names_the_exact_place() {
        for (given, shown) in [
            (
                r#"{"card_ids": ["a", 1]}"#,
                "invalid_content at `card_ids[1]`: expected a string, found a number",
            ),
            (
                r#"{"parent_ids": "b1"}"#,
                "invalid_content at `parent_ids`: expected a list, found a string",
            ),
            (
                r#"{"x": 1}"#,
                "invalid_content at `x`: unknown key `x`; known are `box_id`, `card_ids`, `parent_ids`",
            ),
        ] {
            assert_eq!(wire(given).unwrap_err().to_string(), shown);
        }
        let row = Json::parse(r#"{"card_ids": [], "version": -1}"#).unwrap();
        let error = CardBox::from_row(&Field::new(&row, Code::Store));
        assert_eq!(error.unwrap_err().to_string(), "store at `box_id`: `box_id` is missing");
    }

    #[test]
    fn a_row_gives_the_box_back() {
        let ids: CardIds = ["a", "", "a"].into_iter().collect();
        let mut given = CardBox::new("b1", ids).with_parents(vec![BoxId::from("b0")]);
        given.version = 7;
        given.deleted_at = Some(Timestamp::from_millis(5));
        let row = given.row();
        assert_eq!(CardBox::from_row(&Field::root(&row)).unwrap(), given);
        assert_eq!(crate::value::json::to_json(&given).unwrap(), row);
    }
}
