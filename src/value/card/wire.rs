//! Cards on the wire and as rows of a store.

use super::{Card, Content, NewCard, coerce};
use crate::value::json::{Field, Fields, Json, Object};
use crate::{CardId, Code, Minter, ProjectId, Result, Timestamp};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

const KEYS: [&str; 6] =
    ["card_id", "content", "metadata", "tool_calls", "tool_call_id", "ttl_seconds"];

impl Card {
    /// Reads a card as callers send it. One without `card_id` gets a new one.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value; unknown keys are refused.
    pub fn from_wire(field: &Field<'_>, minter: &mut Minter) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&KEYS)?;
        let card_id = match fields.present("card_id") {
            Some(id) => CardId::from(id.string()?),
            None => minter.card_id(),
        };
        read(&fields, card_id, fields.present("metadata"))
    }

    /// The card as callers send it, every field present.
    pub fn to_wire(&self) -> Json {
        Json::Object(self.written())
    }

    /// Reads a row of a store: a card with `tenant_id`, `expires_at` and `deleted_at`. Columns that
    /// are not known are ignored. Where `expires_at` is empty, a card with a lifetime ends that
    /// long after its `created_at`.
    ///
    /// # Errors
    /// With the code of `row` when a column is missing or mistyped, `invalid_content` when the
    /// content is.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        let card_id = CardId::from(fields.required("card_id")?.string()?);
        // a store may keep empty metadata as `null`, but a card's project is never `null`
        let metadata = fields.optional("metadata");
        if let Some(metadata) = &metadata {
            text_if_present(&metadata.as_code(Code::InvalidContent).object()?, "project_id")?;
        }
        let mut card = read(&fields, card_id, metadata)?;
        card.tenant_id =
            fields.optional("tenant_id").map(|id| id.string().map(ProjectId::from)).transpose()?;
        card.expires_at = optional_moment(&fields, "expires_at")?;
        card.deleted_at = optional_moment(&fields, "deleted_at")?;
        if card.expires_at.is_none() {
            card.expires_at = card
                .created_at()
                .zip(card.ttl_seconds)
                .map(|(created_at, seconds)| created_at.plus_seconds(seconds));
        }
        Ok(card)
    }

    /// The card as a row of a store: as on the wire, with `tenant_id`, `expires_at`, `deleted_at`.
    pub fn row(&self) -> Json {
        let mut out = self.written();
        out.insert("tenant_id".into(), self.tenant_id.clone().into());
        out.insert("expires_at".into(), self.expires_at.into());
        out.insert("deleted_at".into(), self.deleted_at.into());
        Json::Object(out)
    }

    fn written(&self) -> Object {
        let mut out = Object::default();
        out.insert("card_id".into(), (&self.card_id).into());
        out.insert("content".into(), self.content.to_wire());
        out.insert("metadata".into(), self.metadata.clone().into());
        out.insert("tool_calls".into(), self.tool_calls.clone().into());
        out.insert("tool_call_id".into(), self.tool_call_id.as_deref().into());
        out.insert("ttl_seconds".into(), self.ttl_seconds.into());
        out
    }
}

impl NewCard {
    /// Reads what a caller wants made: a card on the wire with `type` and `author_id`. `card_id`,
    /// `project_id` and `created_at` may stand beside them and are the business of the caller.
    /// Files and tool definitions come from stores only: a call cannot make such a card.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value; unknown keys are refused.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&[&KEYS[..], &["type", "author_id", "project_id", "created_at"]].concat())?;
        text_if_present(&fields, "project_id")?;
        let card = read(&fields, CardId::from(""), fields.present("metadata"))?;
        match card.content {
            Content::Text(_)
            | Content::Json(_)
            | Content::Fields(_)
            | Content::ToolCall(_)
            | Content::ToolResult(_) => {}
            Content::File(_) | Content::Files(_) | Content::Tools(_) => {
                let type_name = card.content.type_name();
                let content = fields.required("content")?;
                return Err(content.error(format!("a call cannot make a card of `{type_name}`")));
            }
        }
        Ok(Self {
            card_type: coerce::text(&fields, "type")?,
            author_id: coerce::text(&fields, "author_id")?,
            content: card.content,
            metadata: card.metadata,
            tool_calls: card.tool_calls,
            tool_call_id: card.tool_call_id,
            ttl_seconds: card.ttl_seconds,
        })
    }
}

shape! {
    /// A card as a row of a store.
    pub struct Card {
        pub card_id: CardId,
        pub content: Content,
        /// `type`, `role`, `author_id`, `project_id`, `created_at`, and anything else.
        pub metadata: Object,
        pub tool_calls: Option<Vec<Object>>,
        pub tool_call_id: Option<String>,
        pub ttl_seconds: Option<i64>,
        /// The project it is stored under.
        pub tenant_id: Option<String>,
        pub expires_at: Option<Timestamp>,
        pub deleted_at: Option<Timestamp>,
    }

    /// A card as callers send it, every field present.
    pub struct WireCard {
        pub card_id: CardId,
        pub content: Content,
        pub metadata: Object,
        pub tool_calls: Option<Vec<Object>>,
        pub tool_call_id: Option<String>,
        pub ttl_seconds: Option<i64>,
    }
}

/// A card serialises as its [row](Card::row), without being copied first.
impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(9))?;
        row.serialize_entry("card_id", &self.card_id)?;
        row.serialize_entry("content", &self.content)?;
        row.serialize_entry("metadata", &self.metadata)?;
        row.serialize_entry("tool_calls", &self.tool_calls)?;
        row.serialize_entry("tool_call_id", &self.tool_call_id)?;
        row.serialize_entry("ttl_seconds", &self.ttl_seconds)?;
        row.serialize_entry("tenant_id", &self.tenant_id)?;
        row.serialize_entry("expires_at", &self.expires_at)?;
        row.serialize_entry("deleted_at", &self.deleted_at)?;
        row.end()
    }
}

fn read(fields: &Fields<'_>, card_id: CardId, metadata: Option<Field<'_>>) -> Result<Card> {
    let metadata = match metadata {
        Some(metadata) => metadata.object()?.json().clone(),
        None => Object::default(),
    };
    Ok(Card {
        card_id,
        content: Content::from_wire(&fields.required("content")?)?,
        metadata,
        tool_calls: fields
            .optional("tool_calls")
            .map(|calls| coerce::objects(&calls))
            .transpose()?,
        tool_call_id: coerce::optional_text(fields, "tool_call_id")?,
        ttl_seconds: fields.optional("ttl_seconds").map(|field| seconds(&field)).transpose()?,
        tenant_id: None,
        expires_at: None,
        deleted_at: None,
    })
}

/// Refuses anything but text under a key that may be absent; an explicit `null` is no text.
fn text_if_present(fields: &Fields<'_>, key: &str) -> Result<()> {
    fields.present(key).map_or(Ok(()), |field| field.string().map(drop))
}

fn seconds(field: &Field<'_>) -> Result<i64> {
    let number = coerce::whole(field)?;
    number.as_i64().ok_or_else(|| field.error(format!("`{number}` seconds are too many")))
}

fn optional_moment(fields: &Fields<'_>, key: &str) -> Result<Option<Timestamp>> {
    fields.optional(key).map(|field| Timestamp::from_wire(&field)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::to_text;

    #[test]
    fn a_card_is_written_as_its_row() {
        let contents = [
            r#"{"text": "a \"b\"", "__type__": "TextContent"}"#,
            r#"{"data": {"b": 1.50, "a": [null]}, "__type__": "JsonContent"}"#,
            r#"{"tools": [{"name": "t"}], "__type__": "ToolContent"}"#,
        ];
        for content in contents {
            let row = format!(
                r#"{{"card_id": "c", "content": {content}, "metadata": {{"role": "user"}}, "tool_calls": [{{"id": "k"}}], "tool_call_id": "k", "ttl_seconds": 5, "tenant_id": "p", "expires_at": "2026-01-02T03:04:05Z", "deleted_at": null}}"#
            );
            let card = Card::from_row(&Field::root(&Json::parse(&row).unwrap())).unwrap();
            assert_eq!(to_text(&card).unwrap(), card.row().to_string());
        }
    }
}
