//! Boxes: ordered lists of card ids. A box refers to cards and does not contain them.
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

/// A box of a project: an ordered list of card ids.
///
/// A box can grow or be replaced. Each change increases its `version`.
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
    /// The id of the box.
    pub box_id: BoxId,
    /// The card ids in order; an id can appear twice.
    pub card_ids: CardIds,
    /// The boxes that this box was made from.
    pub parent_ids: Vec<BoxId>,
    /// The version; a new box starts at 1, and every change increases it.
    pub version: u64,
    /// The time of deletion, if the box is deleted.
    pub deleted_at: Option<Timestamp>,
}

impl CardBox {
    /// Creates a box at version 1.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        Self {
            box_id: box_id.into(),
            card_ids,
            parent_ids: Vec::new(),
            version: 1,
            deleted_at: None,
        }
    }

    /// Sets the parents of the box.
    #[must_use]
    pub fn with_parents(mut self, parent_ids: Vec<BoxId>) -> Self {
        self.parent_ids = parent_ids;
        self
    }

    /// Reads a box from a row of a store.
    ///
    /// The reader ignores unknown columns. A row without `version` has version 0.
    ///
    /// # Errors
    /// Returns an error with the code of `row` if a column is missing or mistyped.
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

    /// Returns the box as a row of a store, with every column except the project's.
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
        /// The card ids in order; an id can appear twice.
        pub card_ids: CardIds,
        /// The boxes that this box was made from.
        pub parent_ids: Vec<BoxId>,
        /// The version; a new box starts at 1, and every change increases it.
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

/// Serializes the box as its row.
impl Serialize for CardBox {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}

/// A box as callers send it; the id is optional.
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
    /// The id of the box, if it has one.
    pub box_id: Option<BoxId>,
    /// The card ids in order.
    pub card_ids: CardIds,
    /// The boxes that this box was made from.
    pub parent_ids: Vec<BoxId>,
}

impl WireBox {
    /// Reads a box that a caller sent.
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the value that is mistyped or unknown.
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

    /// Returns the box as callers send it. `box_id` and `parent_ids` are omitted if they are empty.
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

/// Reads the parents of a box leniently.
///
/// A value that is not a string is converted to one. Nulls, empty strings and duplicates are
/// dropped.
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
    fn parent_ids_drop_nulls_empty_strings_and_duplicates() {
        let given = wire(r#"{"parent_ids": ["b", null, 5, "", "b", "5"]}"#).unwrap();
        assert_eq!(given.to_wire().to_string(), r#"{"card_ids":[],"parent_ids":["b","5"]}"#);
        assert_eq!(wire(r#"{"parent_ids": [], "card_ids": null}"#).unwrap(), WireBox::default());
    }

    #[test]
    fn every_error_has_the_exact_path() {
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
                "invalid_content at `x`: unknown key `x`; expected one of `box_id`, `card_ids`, `parent_ids`",
            ),
        ] {
            assert_eq!(wire(given).unwrap_err().to_string(), shown);
        }
        let row = Json::parse(r#"{"card_ids": [], "version": -1}"#).unwrap();
        let error = CardBox::from_row(&Field::new(&row, Code::Store));
        assert_eq!(error.unwrap_err().to_string(), "store at `box_id`: `box_id` is missing");
    }

    #[test]
    fn a_box_survives_a_round_trip_through_its_row() {
        let ids: CardIds = ["a", "", "a"].into_iter().collect();
        let mut given = CardBox::new("b1", ids).with_parents(vec![BoxId::from("b0")]);
        given.version = 7;
        given.deleted_at = Some(Timestamp::from_millis(5));
        let row = given.row();
        assert_eq!(CardBox::from_row(&Field::root(&row)).unwrap(), given);
        assert_eq!(crate::value::json::to_json(&given).unwrap(), row);
    }
}
