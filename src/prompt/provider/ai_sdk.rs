//! Vercel's AI SDK: `ModelMessage[]` and its settings, so that a host keeps its client.

use super::body::Out;
use super::choice::ToolChoice;
use super::demands::{Alternate, Demands, OPEN, SchemaRules, System};
use super::draft::Draft;
use super::media::WEB;
use super::models::Model;
use super::openai_chat;
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::part::{FileSource, Item, Media, MediaKind, Part, Proof, ResultPart};
use super::turn::{Block, Speaker, Turn};
use super::{Options, object, marks};
use crate::value::SharedText;
use crate::value::json::{Json, Object};

pub(super) const SPEC: Spec = Spec {
    name: "ai_sdk",
    family: "",
    demands: Demands {
        paired: true,
        adjacent: true,
        object_arguments: true,
        system: System::First,
        developer: false,
        alternate: Alternate::No,
        names: false,
        failures: true,
        cache_marks: usize::MAX,
        schema: SchemaRules { checked: true, ..super::demands::ANY_SCHEMA },
        ..OPEN
    },
    media: takes,
    about: &[],
    reasoning: |thought, _| match thought.proof {
        Proof::Signature(_) | Proof::Redacted(_) | Proof::None => true,
        Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => false,
    },
    own_keys: &["model", "messages", "tools"],
    options: &["tool_choice", "temperature", "top_p", "stop"],
    settle: |_| {},
    body,
    tool,
    ..openai_chat::SPEC
};

pub(super) const READER: Option<Reader> = Some(response::sdk::READER);

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let placed = match &media.source {
        FileSource::Data(_) => media.mime.is_some(),
        FileSource::Url(_) => media.is_at(WEB) && media.mime.is_some() && spot == Spot::User,
        FileSource::Text(_) | FileSource::Id { .. } | FileSource::Opaque { .. } => false,
    };
    placed && spot != Spot::Elsewhere
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let options = draft.options;
    let mut out = Out::new();
    out.put("model", options.model.as_deref());
    out.put("messages", Some(draft.turns.iter().map(message).collect::<Json>()));
    let tools: Object =
        draft.tools.iter().map(|tool| (tool.name.clone(), draft.tool(tool))).collect();
    out.put("tools", Some(tools).filter(|tools| !tools.is_empty()));
    out.put("toolChoice", tool_choice(options));
    out.put("maxOutputTokens", options.max_output_tokens);
    out.put("temperature", options.temperature.clone());
    out.put("topP", options.top_p.clone());
    out.put("stopSequences", Some(options.stop.clone()).filter(|stop| !stop.is_empty()));
    out
}

fn tool_choice(options: &Options) -> Option<Json> {
    Some(match options.tool_choice.as_ref()? {
        ToolChoice::Auto => Json::from("auto"),
        ToolChoice::None => Json::from("none"),
        ToolChoice::Required => Json::from("required"),
        ToolChoice::Tool(name) => Json::from([("type", "tool"), ("toolName", name.as_str())]),
    })
}

fn message(turn: &Turn) -> Json {
    let role = match turn.speaker {
        Speaker::System | Speaker::Developer => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Tool => "tool",
    };
    let mark = turn.blocks.iter().find_map(|block| block.item.cache());
    let content = match (turn.speaker, turn.blocks.as_slice()) {
        // a system message is one text
        (Speaker::System | Speaker::Developer, blocks) => Json::from(joined(blocks)),
        (_, [Block { item: Item { part: Part::Text(text), metadata: None }, .. }]) => Json::from(text.as_str()),
        (_, blocks) => blocks.iter().filter_map(part).collect(),
    };
    let mut out = object([("role", role.into()), ("content", content)]);
    if let Some(mark) = mark.filter(|_| turn.speaker.is_system()) {
        let mut options = Object::default();
        put_option(&mut options, "anthropic", "cacheControl", marks::cache_control(mark));
        out.insert("providerOptions".into(), Json::Object(options));
    }
    Json::Object(out)
}

fn joined(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| block.item.part.as_written());
    texts.map(SharedText::as_str).collect::<Vec<_>>().join("\n\n")
}

/// Returns the provider options of a part: those of the part, and marks and signatures that came in
/// another form.
fn options(block: &Block) -> Object {
    let metadata = block.item.metadata.as_deref();
    let kept = metadata.and_then(|metadata| metadata.options.as_ref()?.as_object());
    let mut out = kept.cloned().unwrap_or_default();
    if let Part::Reasoning(thought) = &block.item.part {
        match &thought.proof {
            Proof::Signature(text) => put_option(&mut out, "anthropic", "signature", text.as_str()),
            Proof::Redacted(data) => put_option(&mut out, "anthropic", "redactedData", data.as_str()),
            Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => {}
        }
    }
    if let Some(signature) = block.item.signature() {
        put_option(&mut out, "google", "thoughtSignature", signature);
    }
    if let Some(mark) = block.item.cache() {
        put_option(&mut out, "anthropic", "cacheControl", marks::cache_control(mark));
    }
    out
}

/// Adds an option of a provider, unless it is there.
fn put_option(out: &mut Object, provider: &str, key: &str, value: impl Into<Json>) {
    let own = out.get_or_insert_with(provider, || Json::Object(Object::default()));
    if let Json::Object(own) = own {
        own.get_or_insert_with(key, || value.into());
    }
}

fn part(block: &Block) -> Option<Json> {
    let mut out = match &block.item.part {
        Part::Text(text) | Part::Refusal(text) => {
            object([("type", "text".into()), ("text", text.as_str().into())])
        }
        Part::Media(media) => file(media),
        Part::ToolCall(call) => object([
            ("type", "tool-call".into()),
            ("toolCallId", call.id.as_str().into()),
            ("toolName", call.name.as_str().into()),
            ("input", call.arguments.object()),
        ]),
        Part::ToolResult(answer) => object([
            ("type", "tool-result".into()),
            ("toolCallId", answer.call_id.as_str().into()),
            ("toolName", answer.tool_name.as_str().into()),
            ("output", output(answer)),
        ]),
        Part::Reasoning(thought) => {
            object([("type", "reasoning".into()), ("text", thought.text.as_str().into())])
        }
        Part::Own(_) => return None,
    };
    let options = options(block);
    if !options.is_empty() {
        out.insert("providerOptions".into(), Json::Object(options));
    }
    Some(Json::Object(out))
}

fn place(media: &Media) -> String {
    match &media.source {
        FileSource::Data(data) => data.clone(),
        FileSource::Url(url) => url.clone(),
        FileSource::Text(_) | FileSource::Id { .. } | FileSource::Opaque { .. } => media.line(),
    }
}

fn file(media: &Media) -> Object {
    let image = media.kind() == MediaKind::Image;
    let mut out = match image {
        true => object([("type", "image".into()), ("image", place(media).into())]),
        false => object([("type", "file".into()), ("data", place(media).into())]),
    };
    if media.mime() != "image/*" {
        out.insert("mediaType".into(), media.mime().into());
    }
    if let Some(name) = media.name.as_deref().filter(|_| !image) {
        out.insert("filename".into(), name.into());
    }
    out
}

fn output(answer: &ResultPart) -> Json {
    let kind = if answer.failed { "error-text" } else { "text" };
    match answer.parts.as_slice() {
        [] => Json::from([("type", kind), ("value", "")]),
        [Part::Text(text)] => Json::from([("type", kind), ("value", text.as_str())]),
        several => {
            let parts = several.iter().filter_map(|part| match part {
                Part::Text(text) => Some(Json::from([("type", "text"), ("text", text.as_str())])),
                Part::Media(media) => Some(Json::from([
                    ("type", "file-data"),
                    ("data", &place(media)),
                    ("mediaType", media.mime()),
                ])),
                Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => None,
            });
            Json::from([("type", Json::from("content")), ("value", parts.collect())])
        }
    }
}

fn tool(tool: &Tool) -> Json {
    let mut out = Object::default();
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    out.insert("inputSchema".into(), tool.schema.clone().unwrap_or_else(no_parameters));
    Json::Object(out)
}
