//! Anthropic Messages.

use super::object;
use super::tools::{Tool, no_parameters};
use super::turn::{Arguments, Body, Media, MediaKind, Place, Speaker, Turn};
use crate::value::json::Json;

/// The system prompt, apart from the conversation; nothing where there is none.
pub(super) fn system(turns: &[Turn]) -> Option<Json> {
    let systems = turns.iter().filter(|turn| turn.speaker.is_system());
    let blocks: Vec<Json> =
        systems.flat_map(|turn| &turn.blocks).filter_map(|block| written(&block.body)).collect();
    Some(Json::Array(blocks)).filter(|blocks| blocks.is_truthy())
}

pub(super) fn messages(turns: &[Turn]) -> Json {
    turns.iter().filter(|turn| !turn.speaker.is_system()).map(message).collect()
}

fn message(turn: &Turn) -> Json {
    let role = match turn.speaker {
        Speaker::Assistant => "assistant",
        Speaker::User | Speaker::Tool | Speaker::System | Speaker::Developer => "user",
    };
    let blocks: Vec<Json> = turn.blocks.iter().filter_map(|block| written(&block.body)).collect();
    Json::from([("role", Json::from(role)), ("content", Json::Array(blocks))])
}

fn written(body: &Body) -> Option<Json> {
    Some(match body {
        Body::Text(text) => Json::from([("type", "text"), ("text", text)]),
        Body::Media(media) => media_block(media),
        Body::Call(call) => {
            let input = match &call.arguments {
                Arguments::Value(value) => value.clone(),
                Arguments::Text(text) => Json::from([("arguments", text.as_str())]),
            };
            Json::from([
                ("type", Json::from("tool_use")),
                ("id", Json::from(call.id.as_str())),
                ("name", Json::from(call.name.as_str())),
                ("input", input),
            ])
        }
        Body::Answer(answer) => {
            let mut out = object([
                ("type", "tool_result".into()),
                ("tool_use_id", answer.call_id.as_str().into()),
            ]);
            match answer.blocks.as_slice() {
                [] => {}
                [Body::Text(text)] => {
                    out.insert("content".into(), text.as_str().into());
                }
                several => {
                    out.insert("content".into(), several.iter().filter_map(written).collect());
                }
            }
            Json::Object(out)
        }
        Body::Reasoning(_) => return None,
    })
}

fn media_block(media: &Media) -> Json {
    let mime = media.mime.as_deref().unwrap_or_default();
    let kind = if media.kind() == MediaKind::Pdf { "document" } else { "image" };
    let source = match &media.place {
        Place::Address(url) => Json::from([("type", "url"), ("url", url)]),
        Place::Base64(data) => {
            Json::from([("type", "base64"), ("media_type", mime), ("data", data)])
        }
        Place::Opaque { .. } => return Json::from([("type", "text"), ("text", &media.line())]),
    };
    Json::from([("type", Json::from(kind)), ("source", source)])
}

pub(super) fn tool(tool: &Tool) -> Json {
    let mut out = object([("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    out.insert("input_schema".into(), tool.schema.clone().unwrap_or_else(no_parameters));
    if let Some(strict) = tool.strict {
        out.insert("strict".into(), strict.into());
    }
    Json::Object(out)
}
