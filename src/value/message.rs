//! The neutral message: what a model sees of one turn of talk, before any provider's own shape.
//!
//! A message read and written again is the same JSON value: unknown keys travel untouched, an
//! explicit `null` stays an explicit `null`, a role nobody knows stays what it was.
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
use crate::value::json::{Field, Json, Object, weight};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

/// Who speaks.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::message::Role;
///
/// assert_eq!(Role::from_json(&json!("assistant")), Role::Assistant);
/// // some frameworks write `human`: it is kept as it stood, and counts as a user
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
    /// `user`: a human, or whoever stands in for one.
    User,
    /// `assistant`
    Assistant,
    /// `tool`: the result of a call.
    Tool,
    /// Anything else, as it stood. Cards may carry any JSON value as their role.
    Other(Json),
}

impl Role {
    /// The role that `value` names.
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

    /// The role as it stands on the wire.
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

    /// False for [`Role::Other`].
    pub fn is_known(&self) -> bool {
        match self {
            Self::System | Self::Developer | Self::User | Self::Assistant | Self::Tool => true,
            Self::Other(_) => false,
        }
    }

    /// True for `user`, and for `human`, as some frameworks write it: a query must not be taken
    /// for absent because of a spelling.
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

/// What is said. *Absent* and `null` are different on the wire, so they are different here.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Content {
    /// There is no `content` key.
    #[default]
    Absent,
    /// `"content": null`, as an assistant message of nothing but calls has it.
    Null,
    /// Plain text.
    Text(SharedText),
    /// A list of parts (`{"type": "text", ...}`, `{"type": "file", ...}`), each as it stood.
    Parts(Vec<Json>),
}

impl Content {
    /// The words: the text, or the text parts one after the other. Nothing when there is no
    /// content, or when some part is not text.
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

    /// The content on the wire; nothing when the key is absent.
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

/// One neutral message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// The speaker's name.
    pub name: Option<String>,
    /// The calls an assistant makes, each as it stood; [`Message::calls`] reads them.
    pub tool_calls: Option<Vec<Json>>,
    /// The call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// The message's own id, by which memory appends, replaces and covers it.
    pub id: Option<String>,
    /// Every other key, and the keys above where they held an explicit `null`.
    pub extra: Object,
    /// What is known about a failed call beside its words. The written form has no place for it:
    /// it is known when a card was rendered, and payloads read it.
    pub failure: Option<Failure>,
}

/// What is known about a failed call beside its words.
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
    /// It also left a part of its result, which the message does not show.
    pub has_partial_result: bool,
}

/// One call of an assistant message, in the parts that could be read.
///
/// Shown by the example of [`Message::calls`], which reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// `id`
    pub id: Option<&'a str>,
    /// `function.name`
    pub name: Option<&'a str>,
    /// `function.arguments`: JSON text, as the model wrote it.
    pub arguments: Option<&'a str>,
}

impl Message {
    /// A message of nothing but a role and content.
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

    /// A system message.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text.into())
    }

    /// A user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text.into())
    }

    /// An assistant message.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, text.into())
    }

    /// The result of the call `tool_call_id`.
    pub fn tool(tool_call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(tool_call_id.into()), ..Self::new(Role::Tool, text.into()) }
    }

    /// This message under an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// This message with one more key.
    #[must_use]
    pub fn with_extra(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.extra.insert(key.into(), value.into());
        self
    }

    /// How much room it takes, about.
    pub(crate) fn weight(&self) -> usize {
        let all = |values: &[Json]| values.iter().map(weight).sum::<usize>();
        let said = match &self.content {
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
        said + role + call + extra + self.tool_calls.as_deref().map_or(0, all)
    }

    /// Reads a message and keeps all of it.
    ///
    /// # Errors
    /// When it is not an object, has no `role`, or when `content`, `name`, `tool_calls`,
    /// `tool_call_id` or `id` are of a type that no message has.
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

    /// The calls of this message, in order.
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

shape! {
    /// One neutral message, as it comes back. Unknown keys travel untouched.
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

    #[serde(untagged)]
    pub enum MessageContent {
        Text(String),
        Parts(Vec<Json>),
        Nothing,
    }
}

impl Serialize for Message {
    /// `role`, `tool_call_id`, `content`, `name`, `tool_calls`, `id`, then every other key in its
    /// own order; what is absent is left out.
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
            let taken = match key.as_str() {
                "role" => true,
                "content" => self.content != Content::Absent,
                "name" => self.name.is_some(),
                "tool_calls" => self.tool_calls.is_some(),
                "tool_call_id" => self.tool_call_id.is_some(),
                "id" => self.id.is_some(),
                _ => false,
            };
            if !taken {
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
    fn a_message_read_and_written_is_the_same_value() {
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
    fn every_recorded_message_survives() {
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
            assert!(seen > 50, "{file} holds messages");
        }
    }

    #[test]
    fn what_no_message_has_is_refused_at_its_place() {
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
    fn a_null_that_was_read_gives_way_to_a_value_set_later() {
        let message = read(r#"{"role":"user","content":"x","id":null}"#).unwrap().with_id("m1");
        assert_eq!(
            to_json(&message).unwrap().to_string(),
            r#"{"role":"user","content":"x","id":"m1"}"#
        );
    }
}
