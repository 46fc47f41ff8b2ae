//! Cards on the wire and as rows of a store.

use super::{Card, Content, NewCard, coerce};
use crate::value::json::{Field, Fields, Json, Object};
use crate::{CardId, Code, Minter, ProjectId, Result, Timestamp};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

const KEYS: [&str; 6] =
    ["card_id", "content", "metadata", "tool_calls", "tool_call_id", "ttl_seconds"];

impl Card {
    /// Reads a card that a caller sent. A card without `card_id` gets a new one.
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the value that is mistyped or unknown.
    pub fn from_wire(field: &Field<'_>, minter: &mut Minter) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&KEYS)?;
        let card_id = match fields.present("card_id") {
            Some(id) => CardId::from(id.string()?),
            None => minter.card_id(),
        };
        let content = Content::from_wire(&fields.required("content")?)?;
        read(&fields, card_id, fields.present("metadata"), content)
    }

    /// Returns the card as callers send it, with every field.
    pub fn to_wire(&self) -> Json {
        Json::Object(self.to_object())
    }

    /// Reads a card from a row of a store.
    ///
    /// The reader ignores unknown columns. If `expires_at` is empty, a card with a lifetime expires
    /// that long after its `created_at`.
    ///
    /// # Errors
    /// Returns an error with the code of `row` if a column is missing or mistyped.
    /// Returns `invalid_content` if the content is.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        let card_id = CardId::from(fields.required("card_id")?.string()?);
        // stores can return empty metadata as `null`, but the project of a card is never `null`
        let metadata = fields.optional("metadata");
        if let Some(metadata) = &metadata {
            text_if_present(&metadata.as_code(Code::InvalidContent).object()?, "project_id")?;
        }
        let content = fields.required("content")?;
        let (content, untyped) = Content::from_row(&content)?;
        let mut card = Self { untyped, ..read(&fields, card_id, metadata, content)? };
        card.tenant_id =
            fields.optional("tenant_id").map(|id| id.string().map(ProjectId::from)).transpose()?;
        card.expires_at = optional_timestamp(&fields, "expires_at")?;
        card.deleted_at = optional_timestamp(&fields, "deleted_at")?;
        if card.expires_at.is_none() {
            card.expires_at = card
                .created_at()
                .zip(card.ttl_seconds)
                .map(|(created_at, seconds)| created_at.plus_seconds(seconds));
        }
        Ok(card)
    }

    /// Returns the card as a row of a store.
    ///
    /// It adds `tenant_id`, `expires_at` and `deleted_at` to the card on the wire.
    pub fn row(&self) -> Json {
        let mut out = self.to_object();
        out.insert("tenant_id".into(), self.tenant_id.clone().into());
        out.insert("expires_at".into(), self.expires_at.into());
        out.insert("deleted_at".into(), self.deleted_at.into());
        Json::Object(out)
    }

    fn to_object(&self) -> Object {
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
    /// Reads a card that a caller wants to create: a card on the wire with `type` and `author_id`.
    ///
    /// `card_id`, `project_id` and `created_at` are allowed; the caller of this function handles
    /// them. Files and tool definitions come from stores only, so a call cannot create such cards.
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the value that is mistyped or unknown.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        fields.only(&[&KEYS[..], &["type", "author_id", "project_id", "created_at"]].concat())?;
        text_if_present(&fields, "project_id")?;
        let content = Content::from_wire(&fields.required("content")?)?;
        let card = read(&fields, CardId::from(""), fields.present("metadata"), content)?;
        match card.content {
            Content::Text(_)
            | Content::Json(_)
            | Content::Fields(_)
            | Content::ToolCall(_)
            | Content::ToolResult(_) => {}
            Content::File(_) | Content::Files(_) | Content::Tools(_) => {
                let type_name = card.content.type_name();
                let content = fields.required("content")?;
                return Err(content
                    .error(format!("a call cannot create a card with content `{type_name}`")));
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
        /// `type`, `role`, `author_id`, `project_id`, `created_at`, and any other keys.
        pub metadata: Object,
        pub tool_calls: Option<Vec<Object>>,
        pub tool_call_id: Option<String>,
        pub ttl_seconds: Option<i64>,
        /// The project that stores the card.
        pub tenant_id: Option<String>,
        pub expires_at: Option<Timestamp>,
        pub deleted_at: Option<Timestamp>,
    }

    /// A card as callers send it, with every field.
    pub struct WireCard {
        pub card_id: CardId,
        pub content: Content,
        pub metadata: Object,
        pub tool_calls: Option<Vec<Object>>,
        pub tool_call_id: Option<String>,
        pub ttl_seconds: Option<i64>,
    }
}

/// Serializes the card as its [row](Card::row), without a copy.
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

fn read(
    fields: &Fields<'_>,
    card_id: CardId,
    metadata: Option<Field<'_>>,
    content: Content,
) -> Result<Card> {
    let metadata = match metadata {
        Some(metadata) => metadata.object()?.json().clone(),
        None => Object::default(),
    };
    Ok(Card {
        card_id,
        content,
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
        untyped: false,
    })
}

/// Returns an error if `key` is present and not text; an explicit `null` is an error too.
fn text_if_present(fields: &Fields<'_>, key: &str) -> Result<()> {
    fields.present(key).map_or(Ok(()), |field| field.string().map(drop))
}

fn seconds(field: &Field<'_>) -> Result<i64> {
    let number = coerce::whole(field)?;
    number.as_i64().ok_or_else(|| {
        field.error(format!("the lifetime `{number}` is too long; it must fit into 64 bits"))
    })
}

fn optional_timestamp(fields: &Fields<'_>, key: &str) -> Result<Option<Timestamp>> {
    fields.optional(key).map(|field| Timestamp::from_wire(&field)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::to_text;

    #[test]
    fn a_card_serializes_as_its_row() {
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
