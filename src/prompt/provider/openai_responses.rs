//! OpenAI Responses: a list of items instead of messages.

use super::object;
use super::tools::{Tool, no_parameters};
use super::turn::{Body, Media, MediaKind, Place, Speaker, Turn};
use crate::value::json::Json;

pub(super) fn input(turns: &[Turn]) -> Json {
    let mut items = Vec::new();
    for turn in turns {
        push(turn, &mut items);
    }
    Json::Array(items)
}

fn push(turn: &Turn, items: &mut Vec<Json>) {
    match turn.speaker {
        // an assistant's words are plain text in this form, one item each
        Speaker::Assistant => {
            for block in &turn.blocks {
                match &block.body {
                    Body::Text(text) => {
                        items.push(Json::from([("role", "assistant"), ("content", text)]));
                    }
                    Body::Call(call) => items.push(Json::from([
                        ("type", "function_call"),
                        ("call_id", &call.id),
                        ("name", &call.name),
                        ("arguments", &call.arguments.text()),
                    ])),
                    Body::Media(_) | Body::Answer(_) | Body::Reasoning(_) => {}
                }
            }
        }
        Speaker::System | Speaker::Developer | Speaker::User | Speaker::Tool => {
            if let Some(answer) = turn.answer() {
                items.push(Json::from([
                    ("type", Json::from("function_call_output")),
                    ("call_id", Json::from(answer.call_id.as_str())),
                    ("output", content(answer.blocks.iter())),
                ]));
            } else {
                let bodies = turn.blocks.iter().map(|block| &block.body);
                items.push(Json::from([
                    ("role", Json::from(turn.speaker.as_str())),
                    ("content", content(bodies)),
                ]));
            }
        }
    }
}

fn content<'a>(bodies: impl Iterator<Item = &'a Body>) -> Json {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    for body in bodies {
        match body {
            Body::Text(text) => {
                texts.push(text);
                parts.push(Json::from([("type", "input_text"), ("text", text)]));
            }
            Body::Media(media) => parts.push(media_part(media)),
            Body::Call(_) | Body::Answer(_) | Body::Reasoning(_) => {}
        }
    }
    match (texts.as_slice(), parts.len()) {
        (_, 0) => Json::from(""),
        ([text], 1) => Json::from(text.as_str()),
        _ => Json::Array(parts),
    }
}

fn media_part(media: &Media) -> Json {
    let mime = media.mime.as_deref().unwrap_or_default();
    let pdf = media.kind() == MediaKind::Pdf;
    match &media.place {
        Place::Address(url) if pdf => Json::from([("type", "input_file"), ("file_url", url)]),
        Place::Address(url) => image(url),
        Place::Base64(data) => {
            let url = format!("data:{mime};base64,{data}");
            if pdf {
                let kind = ("type", "input_file");
                Json::from([kind, ("filename", "document.pdf"), ("file_data", &url)])
            } else {
                image(&url)
            }
        }
        Place::Opaque { .. } => Json::from([("type", "input_text"), ("text", &media.line())]),
    }
}

fn image(url: &str) -> Json {
    Json::from([("type", "input_image"), ("detail", "auto"), ("image_url", url)])
}

/// Without a word about `strict` this form would take it for true, and the schema for another.
pub(super) fn tool(tool: &Tool) -> Json {
    let mut out = object([("type", "function".into()), ("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    out.insert("parameters".into(), tool.schema.clone().unwrap_or_else(no_parameters));
    out.insert("strict".into(), tool.strict.unwrap_or(false).into());
    Json::Object(out)
}
