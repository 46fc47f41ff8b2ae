//! Vercel's AI SDK: `ModelMessage[]` and the settings beside it, so that a host keeps its client.

use super::choice::ToolChoice;
use super::demands::{Alternate, Demands, OPEN, SchemaRules, System};
use super::draft::{Draft, Out};
use super::media::WEB;
use super::models::Model;
use super::openai_chat;
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::turn::{Answer, Block, Body, Media, MediaKind, Place, Proof, Speaker, Turn};
use super::{Options, object, own};
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

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let placed = match &media.place {
        Place::Base64(_) => media.mime.is_some(),
        Place::Address(_) => media.is_at(WEB) && media.mime.is_some() && spot == Spot::User,
        Place::Text(_) | Place::Id { .. } | Place::Opaque { .. } => false,
    };
    placed && spot != Spot::Elsewhere
}

fn body(draft: &Draft<'_>) -> Object {
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
    out.0
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
    let mark = turn.blocks.iter().find_map(Block::cache);
    let content = match (turn.speaker, turn.blocks.as_slice()) {
        // a system message is one text
        (Speaker::System | Speaker::Developer, blocks) => Json::from(joined(blocks)),
        (_, [Block { body: Body::Text(text), more: None, .. }]) => Json::from(text.as_str()),
        (_, blocks) => blocks.iter().filter_map(part).collect(),
    };
    let mut out = object([("role", role.into()), ("content", content)]);
    if let Some(mark) = mark.filter(|_| turn.speaker.is_system()) {
        let mut beside = Object::default();
        put_option(&mut beside, "anthropic", "cacheControl", own::cache_control(mark));
        out.insert("providerOptions".into(), Json::Object(beside));
    }
    Json::Object(out)
}

fn joined(blocks: &[Block]) -> String {
    let text = |block: &Block| match &block.body {
        Body::Text(text) | Body::Refusal(text) => Some(text.as_str().to_owned()),
        Body::Media(_)
        | Body::Call(_)
        | Body::Answer(_)
        | Body::Reasoning(_)
        | Body::Own(_) => None,
    };
    blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
}

/// What stands beside a part for the provider behind the SDK: what stood there, and marks and
/// signatures that came in another form.
fn beside(block: &Block) -> Object {
    let more = block.more.as_deref();
    let kept = more.and_then(|more| more.options.as_ref()?.as_object());
    let mut out = kept.cloned().unwrap_or_default();
    if let Body::Reasoning(thought) = &block.body {
        match &thought.proof {
            Proof::Signature(text) => put_option(&mut out, "anthropic", "signature", text.as_str()),
            Proof::Redacted(data) => put_option(&mut out, "anthropic", "redactedData", data.as_str()),
            Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => {}
        }
    }
    if let Some(signature) = more.and_then(|more| more.signature.as_deref()) {
        put_option(&mut out, "google", "thoughtSignature", signature);
    }
    if let Some(mark) = block.cache() {
        put_option(&mut out, "anthropic", "cacheControl", own::cache_control(mark));
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
    let mut out = match &block.body {
        Body::Text(text) | Body::Refusal(text) => {
            object([("type", "text".into()), ("text", text.as_str().into())])
        }
        Body::Media(media) => file(media),
        Body::Call(call) => object([
            ("type", "tool-call".into()),
            ("toolCallId", call.id.as_str().into()),
            ("toolName", call.name.as_str().into()),
            ("input", call.arguments.object()),
        ]),
        Body::Answer(answer) => object([
            ("type", "tool-result".into()),
            ("toolCallId", answer.call_id.as_str().into()),
            ("toolName", answer.tool_name.as_str().into()),
            ("output", output(answer)),
        ]),
        Body::Reasoning(thought) => {
            object([("type", "reasoning".into()), ("text", thought.text.as_str().into())])
        }
        Body::Own(_) => return None,
    };
    let beside = beside(block);
    if !beside.is_empty() {
        out.insert("providerOptions".into(), Json::Object(beside));
    }
    Some(Json::Object(out))
}

fn place(media: &Media) -> String {
    match &media.place {
        Place::Base64(data) => data.clone(),
        Place::Address(url) => url.clone(),
        Place::Text(_) | Place::Id { .. } | Place::Opaque { .. } => media.line(),
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

fn output(answer: &Answer) -> Json {
    let kind = if answer.failed { "error-text" } else { "text" };
    match answer.blocks.as_slice() {
        [] => Json::from([("type", kind), ("value", "")]),
        [Body::Text(text)] => Json::from([("type", kind), ("value", text.as_str())]),
        several => {
            let parts = several.iter().filter_map(|body| match body {
                Body::Text(text) => Some(Json::from([("type", "text"), ("text", text.as_str())])),
                Body::Media(media) => Some(Json::from([
                    ("type", "file-data"),
                    ("data", &place(media)),
                    ("mediaType", media.mime()),
                ])),
                Body::Call(_)
                | Body::Answer(_)
                | Body::Reasoning(_)
                | Body::Refusal(_)
                | Body::Own(_) => None,
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
