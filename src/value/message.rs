//! The neutral message: a message of a conversation, independent of any provider's format.
//!
//! Reading and writing a message preserves its JSON value: unknown keys, explicit `null` and
//! unknown roles stay.
//!
//! ```
//! use tuckbox::value::json::{Field, Json, to_json};
//! use tuckbox::value::message::{Message, Role};
//!
//! let recorded = Json::parse(r#"{"role":"assistant","content":"so","reasoning_content":"r"}"#)?;
//! let message = Message::from_json(&Field::root(&recorded))?;
//! assert_eq!(message.role, Role::Assistant);
//! assert_eq!(message.extra.get("reasoning_content"), Some(&Json::from("r")));
//! assert_eq!(to_json(&message)?, recorded);
//! # Ok::<(), tuckbox::Error>(())
//! ```

pub use crate::value::shared_text::SharedText;

use crate::Result;
use crate::value::arguments::Argument;
use crate::value::framework_messages;
use crate::value::json::{Field, Json, Object, weight};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

/// The author of a message.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::message::Role;
///
/// assert_eq!(Role::from_json(&json!("assistant")), Role::Assistant);
/// // some frameworks write `human`: it stays verbatim and counts as a user
/// let human = Role::from_json(&json!("human"));
/// assert!(human.is_human() && !human.is_known());
/// assert_eq!(human.to_json(), json!("human"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// `system`
    System,
    /// `developer`
    Developer,
    /// `user`: a person, or a program in place of one.
    User,
    /// `assistant`
    Assistant,
    /// `tool`: the result of a call.
    Tool,
    /// Any other role, verbatim. The role of a card can be any JSON value.
    Other(Json),
}

impl Role {
    /// Returns the role that `value` names.
    pub fn from_json(value: &Json) -> Self {
        match value.as_str() {
            Some("system") => Self::System,
            Some("developer") => Self::Developer,
            Some("user") => Self::User,
            Some("assistant") => Self::Assistant,
            Some("tool") => Self::Tool,
            Some(_) | None => Self::Other(value.clone()),
        }
    }

    /// Returns the role as written on the wire.
    pub fn to_json(&self) -> Json {
        match self {
            Self::System => "system".into(),
            Self::Developer => "developer".into(),
            Self::User => "user".into(),
            Self::Assistant => "assistant".into(),
            Self::Tool => "tool".into(),
            Self::Other(value) => value.clone(),
        }
    }

    /// Returns false for [`Role::Other`].
    pub fn is_known(&self) -> bool {
        match self {
            Self::System | Self::Developer | Self::User | Self::Assistant | Self::Tool => true,
            Self::Other(_) => false,
        }
    }

    /// Returns true for `user`, and for `human`, which some frameworks write.
    pub fn is_human(&self) -> bool {
        match self {
            Self::User => true,
            Self::Other(value) => value.as_str() == Some("human"),
            Self::System | Self::Developer | Self::Assistant | Self::Tool => false,
        }
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// The content of a message. An absent key and `null` differ on the wire, so they differ here.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Content {
    /// The `content` key is absent.
    #[default]
    Absent,
    /// `"content": null`, as in assistant messages that only have calls.
    Null,
    /// Plain text.
    Text(SharedText),
    /// A list of parts (`{"type": "text", ...}`, `{"type": "file", ...}`), each verbatim.
    Parts(Vec<Json>),
}

impl Content {
    /// Returns the text, or the concatenated text parts.
    ///
    /// Returns `None` if there is no content or a part is not text.
    ///
    /// ```
    /// use tuckbox::Json;
    /// use tuckbox::value::message::Content;
    ///
    /// let part = |text: &str| Json::from([("type", "text"), ("text", text)]);
    /// assert_eq!(Content::Parts(vec![part("a"), part("b")]).words().as_deref(), Some("ab"));
    /// assert_eq!(Content::Parts(vec![Json::from([("type", "file")])]).words(), None);
    /// ```
    pub fn words(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Parts(parts) => parts
                .iter()
                .map(|part| match part.get("type").and_then(Json::as_str) {
                    Some("text") => part.get("text").and_then(Json::as_str),
                    Some(_) | None => None,
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// Returns the content on the wire, or `None` if the key is absent.
    pub fn to_json(&self) -> Option<Json> {
        match self {
            Self::Absent => None,
            Self::Null => Some(Json::Null),
            Self::Text(text) => Some(Json::from(text.as_str())),
            Self::Parts(parts) => Some(Json::Array(parts.clone())),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Vec<Json>> for Content {
    fn from(parts: Vec<Json>) -> Self {
        Self::Parts(parts)
    }
}

/// A neutral message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The author of the message.
    pub role: Role,
    /// The content of the message.
    pub content: Content,
    /// The name of the author.
    pub name: Option<String>,
    /// The calls of an assistant, each verbatim; [`Message::calls`] reads them.
    pub tool_calls: Option<Vec<Json>>,
    /// The call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// The id of the message, by which memory appends, replaces and covers it.
    pub id: Option<String>,
    /// All other keys, and the keys above that have an explicit `null`.
    pub extra: Object,
    /// Facts about a failed call that are not in the content.
    ///
    /// They come from rendering a card, and payloads read them. The JSON of a message does not
    /// contain them.
    pub failure: Option<Failure>,
}

/// Facts about a failed call that are not in the content of its message.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::value::json::to_json;
/// use tuckbox::value::message::Failure;
///
/// let plain = Message::tool("call_1", "timed out");
/// let failed = Message { failure: Some(Failure { has_partial_result: true }), ..plain.clone() };
/// assert_eq!(to_json(&failed)?, to_json(&plain)?);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whether the call also left a partial result, which the message does not show.
    pub has_partial_result: bool,
}

/// One call of an assistant message, with the parts that are readable.
///
/// The example of [`Message::calls`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// `id`
    pub id: Option<&'a str>,
    /// `function.name`
    pub name: Option<&'a str>,
    /// `function.arguments`: JSON text, verbatim from the model.
    pub arguments: Option<&'a str>,
}

impl Message {
    /// Creates a message with only a role and content.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self {
            role,
            content: content.into(),
            name: None,
            tool_calls: None,
            tool_call_id: None,
            id: None,
            extra: Object::default(),
            failure: None,
        }
    }

    /// Creates a system message.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text.into())
    }

    /// Creates a user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text.into())
    }

    /// Creates an assistant message.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, text.into())
    }

    /// Creates a tool message: the result of the call `tool_call_id`.
    pub fn tool(tool_call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(tool_call_id.into()), ..Self::new(Role::Tool, text.into()) }
    }

    /// Sets the id of the message.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Adds another key to the message.
    #[must_use]
    pub fn with_extra(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.extra.insert(key.into(), value.into());
        self
    }

    /// Returns the approximate size of the message in bytes.
    pub(crate) fn weight(&self) -> usize {
        let all = |values: &[Json]| values.iter().map(weight).sum::<usize>();
        let content = match &self.content {
            Content::Absent | Content::Null => 0,
            Content::Text(text) => text.len(),
            Content::Parts(parts) => all(parts),
        };
        let role = match &self.role {
            Role::Other(value) => weight(value),
            Role::System | Role::Developer | Role::User | Role::Assistant | Role::Tool => 0,
        };
        let call = self.tool_call_id.as_ref().map_or(0, String::len);
        let extra: usize = self.extra.values().map(weight).sum();
        content + role + call + extra + self.tool_calls.as_deref().map_or(0, all)
    }

    /// Reads a message and keeps all of its keys.
    ///
    /// # Errors
    /// Returns an error if the value is not an object or has no `role`.
    /// Returns an error if `content`, `name`, `tool_calls`, `tool_call_id` or `id` has the wrong
    /// type.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let role = Role::from_json(fields.required("role")?.json());
        let content = match fields.present("content") {
            None => Content::Absent,
            Some(content) => match content.json() {
                Json::Null => Content::Null,
                Json::String(text) => text.as_str().into(),
                Json::Array(parts) => Content::Parts(parts.clone()),
                Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                    return Err(content.expected("a string, a list of parts or null"));
                }
            },
        };
        let text = |key: &str| -> Result<Option<String>> {
            fields.optional(key).map(|field| Ok(field.string()?.to_owned())).transpose()
        };
        let tool_calls = match fields.optional("tool_calls") {
            None => None,
            Some(calls) => Some(calls.list()?.iter().map(|call| call.json().clone()).collect()),
        };
        let extra = fields
            .json()
            .iter()
            .filter(|(key, value)| match key.as_str() {
                "role" | "content" => false,
                "name" | "tool_calls" | "tool_call_id" | "id" => value.is_null(),
                _ => true,
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Ok(Self {
            role,
            content,
            name: text("name")?,
            tool_calls,
            tool_call_id: text("tool_call_id")?,
            id: text("id")?,
            extra,
            failure: None,
        })
    }

    /// Returns the calls of this message, in order.
    ///
    /// ```
    /// use tuckbox::value::json::{Field, Json};
    /// use tuckbox::value::message::Message;
    ///
    /// let json = Json::parse(r#"{"role": "assistant", "content": null, "tool_calls": [
    ///     {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]}"#)?;
    /// let message = Message::from_json(&Field::root(&json))?;
    /// assert_eq!(message.calls().next().and_then(|call| call.name), Some("search"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn calls(&self) -> impl Iterator<Item = ToolCall<'_>> {
        self.tool_calls.iter().flatten().map(|call| {
            let function = call.get("function");
            let inner = |key| function.and_then(|f| f.get(key)).and_then(Json::as_str);
            ToolCall {
                id: call.get("id").and_then(Json::as_str),
                name: inner("name"),
                arguments: inner("arguments"),
            }
        })
    }
}

/// Messages, in order.
pub(crate) type Messages = Vec<Message>;

impl Argument for Message {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_json(field)
    }

    /// Reads messages, also those of LangChain and the items of OpenAI Responses.
    fn read_list(field: &Field<'_>) -> Result<Vec<Self>> {
        framework_messages::read(field)
    }
}

shape! {
    /// One neutral message. Unknown keys travel untouched.
    pub struct Message {
        pub role: Json,
        pub content: Maybe<MessageContent>,
        pub name: Maybe<Option<String>>,
        pub tool_calls: Maybe<Option<Vec<Json>>>,
        pub tool_call_id: Maybe<Option<String>>,
        pub id: Maybe<Option<String>>,
        #[serde(flatten)]
        pub more: Object,
    }

    pub type Messages = OrText<Vec<OrText<Message>>>;

    #[serde(untagged)]
    pub enum MessageContent {
        Text(String),
        Parts(Vec<MessagePart>),
        Nothing,
    }
}

impl Serialize for Message {
    /// Writes the keys of a message in a fixed order, then all other keys in their order.
    ///
    /// Absent keys are omitted.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &self.role)?;
        if let Some(id) = &self.tool_call_id {
            map.serialize_entry("tool_call_id", id)?;
        }
        match &self.content {
            Content::Absent => {}
            Content::Null => map.serialize_entry("content", &Json::Null)?,
            Content::Text(text) => map.serialize_entry("content", text)?,
            Content::Parts(parts) => map.serialize_entry("content", parts)?,
        }
        if let Some(name) = &self.name {
            map.serialize_entry("name", name)?;
        }
        if let Some(calls) = &self.tool_calls {
            map.serialize_entry("tool_calls", calls)?;
        }
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        for (key, value) in &self.extra {
            let is_written = match key.as_str() {
                "role" => true,
                "content" => self.content != Content::Absent,
                "name" => self.name.is_some(),
                "tool_calls" => self.tool_calls.is_some(),
                "tool_call_id" => self.tool_call_id.is_some(),
                "id" => self.id.is_some(),
                _ => false,
            };
            if !is_written {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::to_json;

    fn read(text: &str) -> Result<Message> {
        Message::from_json(&Field::root(&Json::parse(text).unwrap()))
    }

    #[test]
    fn a_message_survives_a_round_trip() {
        for text in [
            r#"{"role":"user","content":"hi"}"#,
            r#"{"role":null,"content":"hi"}"#,
            r#"{"role":["x"],"content":"hi"}"#,
            r#"{"role":"tool","tool_call_id":"call_1","content":""}"#,
            r#"{"role":"assistant"}"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"anything":[]}]}"#,
            r#"{"role":"assistant","content":"x","tool_calls":[],"reasoning_content":"r"}"#,
            r#"{"role":"user","content":[{"type":"file","file":{"file_id":"s3://b/k","format":null}}]}"#,
            r#"{"role":"ai","content":"x","id":null,"name":null,"response_metadata":{"n":1e400}}"#,
        ] {
            let json = Json::parse(text).unwrap();
            assert!(to_json(&read(text).unwrap()).unwrap().same_value(&json), "{text}");
        }
    }

    #[test]
    fn every_recorded_message_survives_a_round_trip() {
        fn visit(value: &Json, seen: &mut usize) {
            match value {
                Json::Array(items) => items.iter().for_each(|item| visit(item, seen)),
                Json::Object(object) => {
                    if object.contains_key("role") && object.contains_key("content") {
                        let message = Message::from_json(&Field::root(value)).unwrap();
                        assert!(to_json(&message).unwrap().same_value(value), "{value}");
                        *seen += 1;
                    }
                    object.values().for_each(|item| visit(item, seen));
                }
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        for file in ["render", "turn_view", "compose"] {
            let path = format!("{}/tests/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
            let vectors = Json::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
            let mut seen = 0;
            for case in vectors.get("cases").unwrap().as_array().unwrap() {
                visit(case.get("expect").unwrap(), &mut seen);
            }
            assert!(seen > 50, "{file} contains messages");
        }
    }

    #[test]
    fn mistyped_keys_are_errors_with_their_path() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refused(r#"{"content":"x"}"#), "bad_request at `role`: `role` is missing");
        assert_eq!(
            refused(r#"{"role":"user","content":7}"#),
            "bad_request at `content`: expected a string, a list of parts or null, found a number"
        );
        assert_eq!(
            refused(r#"{"role":"user","content":"","id":7}"#),
            "bad_request at `id`: expected a string, found a number"
        );
        assert_eq!(
            refused(r#"{"role":"assistant","content":"","tool_calls":{}}"#),
            "bad_request at `tool_calls`: expected a list, found an object"
        );
    }

    #[test]
    fn a_value_replaces_an_explicit_null() {
        let message = read(r#"{"role":"user","content":"x","id":null}"#).unwrap().with_id("m1");
        assert_eq!(
            to_json(&message).unwrap().to_string(),
            r#"{"role":"user","content":"x","id":"m1"}"#
        );
    }
}
