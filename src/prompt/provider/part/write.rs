//! Writes parts in the neutral form. Reading them again returns equal parts.

use super::{
    Arguments, CacheMark, CallPart, FileSource, IdOwner, Item, Media, MediaKind, Own, Part, Proof,
    Reasoning, ResultPart,
};
use crate::prompt::provider::Provider;
use crate::prompt::provider::body::Out;
use crate::prompt::provider::draft::object;
use crate::value::json::Json;
use crate::value::message::Content;

impl Item {
    /// The item as the content of a message has it.
    ///
    /// ```
    /// use tuckbox::prompt::provider::part::{CacheMark, Item, Part};
    ///
    /// let item = Item::from(Part::Text("hello".into())).cached(CacheMark::Default);
    /// assert_eq!(item.to_json().to_string(), r#"{"type":"text","text":"hello","cache":true}"#);
    /// ```
    pub fn to_json(&self) -> Json {
        let mut json = self.part.to_json();
        let (Json::Object(out), Some(metadata)) = (&mut json, &self.metadata) else { return json };
        if let Some(citations) = &metadata.citations {
            let key = if citations.of == Provider::Anthropic { "citations" } else { "annotations" };
            out.insert(key.into(), citations.list.clone());
        }
        if let Some(mark) = metadata.cache {
            let mark = match mark {
                CacheMark::Default => Json::from(true),
                CacheMark::Hour => Json::from("1h"),
            };
            out.insert("cache".into(), mark);
        }
        if let Some(signature) = &metadata.signature {
            out.insert("thoughtSignature".into(), signature.as_str().into());
        }
        if let Some(options) = &metadata.options {
            out.insert("providerOptions".into(), options.clone());
        }
        json
    }
}

impl Part {
    /// The part as the content of a message has it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Text(text) => Json::from([("type", "text"), ("text", text)]),
            Self::Media(media) => file(media),
            Self::ToolCall(call) => tool_call(call),
            Self::ToolResult(result) => tool_result(result),
            Self::Reasoning(thought) => reasoning(thought),
            Self::Refusal(text) => Json::from([("type", "refusal"), ("refusal", text)]),
            Self::Own(own) => provider(own),
        }
    }
}

fn file(media: &Media) -> Json {
    let kind = match media.kind() {
        MediaKind::Image => "image",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
        MediaKind::Pdf | MediaKind::Text => "document",
        MediaKind::Other => "file",
    };
    let mut out = Out::new();
    out.put("type", Some(kind));
    match &media.source {
        FileSource::Url(url) => out.put("url", Some(url.as_str())),
        FileSource::Data(data) => out.put("data", Some(data.as_str())),
        FileSource::Text(text) => out.put("text", Some(text.as_str())),
        FileSource::Id { of, id } => {
            out.put("file_id", Some(id.as_str()));
            let owner = match of {
                IdOwner::Openai => "openai",
                IdOwner::Anthropic => "anthropic",
                IdOwner::Unknown => "unknown",
            };
            out.put("provider", Some(owner));
        }
        FileSource::Opaque { encoding, content } => {
            out.put("encoding", Some(encoding.as_str()));
            out.put("content", Some(content.as_str()));
        }
    }
    out.put("mime_type", media.mime.as_deref());
    out.put("name", media.name.as_deref());
    for (key, value) in &media.about {
        out.put(key, Some(value));
    }
    Json::Object(out.into_object())
}

fn tool_call(call: &CallPart) -> Json {
    let arguments = match &call.arguments {
        Arguments::Text(text) => Json::from(text.as_str()),
        Arguments::Value(value) => value.clone(),
    };
    Json::from([
        ("type", Json::from("tool_call")),
        ("id", call.id.as_str().into()),
        ("name", call.name.as_str().into()),
        ("arguments", arguments),
    ])
}

fn tool_result(result: &ResultPart) -> Json {
    let mut out =
        object([("type", "tool_result".into()), ("call_id", result.call_id.as_str().into())]);
    if !result.tool_name.is_empty() {
        out.insert("name".into(), result.tool_name.as_str().into());
    }
    let content = match result.parts.as_slice() {
        [Part::Text(text)] => Json::from(text.as_str()),
        parts => parts.iter().map(Part::to_json).collect(),
    };
    out.insert("content".into(), content);
    if result.failed {
        out.insert("is_error".into(), true.into());
    }
    Json::Object(out)
}

fn reasoning(thought: &Reasoning) -> Json {
    let text = thought.text.as_str();
    match &thought.proof {
        Proof::None => Json::from([("type", "reasoning"), ("text", text)]),
        Proof::Signature(signature) => {
            Json::from([("type", "reasoning"), ("text", text), ("signature", signature)])
        }
        Proof::Redacted(data) => {
            Json::from([("type", "reasoning"), ("text", text), ("encrypted", data)])
        }
        Proof::Thought => Json::from([("text", Json::from(text)), ("thought", true.into())]),
        Proof::Item(json) | Proof::Chunk(json) => json.clone(),
    }
}

fn provider(own: &Own) -> Json {
    Json::from([
        ("type", Json::from("provider")),
        ("provider", own.provider.as_str().into()),
        ("value", own.value.clone()),
    ])
}

impl From<Vec<Item>> for Content {
    fn from(items: Vec<Item>) -> Self {
        Self::Parts(items.iter().map(Item::to_json).collect())
    }
}
