//! OpenAI Chat Completions.

use super::media::audio_format;
use super::object;
use super::tools::Tool;
use super::turn::{Body, Media, Place, Speaker, Turn};
use crate::render::REASONING;
use crate::value::json::{Json, Object};

pub(super) fn messages(turns: &[Turn]) -> Json {
    turns.iter().map(|turn| Json::Object(message(turn))).collect()
}

fn message(turn: &Turn) -> Object {
    let mut out = object([("role", turn.speaker.as_str().into())]);
    if let Some(answer) = turn.answer() {
        out.insert("tool_call_id".into(), answer.call_id.as_str().into());
        let content = content(answer.blocks.iter());
        out.insert("content".into(), content.unwrap_or_else(|| "".into()));
        return out;
    }
    let said = turn.blocks.iter().map(|block| &block.body);
    let calls: Vec<Json> = turn.calls().map(call).collect();
    match content(said) {
        Some(content) => {
            out.insert("content".into(), content);
        }
        None if turn.speaker == Speaker::Assistant => {
            out.insert("content".into(), Json::Null);
        }
        None => {}
    }
    if let Some(name) = &turn.name {
        out.insert("name".into(), name.as_str().into());
    }
    if !calls.is_empty() {
        out.insert("tool_calls".into(), Json::Array(calls));
    }
    for block in &turn.blocks {
        if let Body::Reasoning(text) = &block.body {
            out.insert(REASONING.into(), text.as_str().into());
        }
    }
    out
}

/// One text is text; anything else is a list of parts.
fn content<'a>(bodies: impl Iterator<Item = &'a Body>) -> Option<Json> {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    for body in bodies {
        match body {
            Body::Text(text) => {
                texts.push(text);
                parts.push(Json::from([("type", "text"), ("text", text)]));
            }
            Body::Media(media) => parts.push(media_part(media)),
            Body::Call(_) | Body::Answer(_) | Body::Reasoning(_) => {}
        }
    }
    match (texts.as_slice(), parts.len()) {
        (_, 0) => None,
        ([text], 1) => Some(Json::from(text.as_str())),
        _ => Some(Json::Array(parts)),
    }
}

fn call(call: &super::turn::Call) -> Json {
    let function = Json::from([
        ("name", Json::from(call.name.as_str())),
        ("arguments", Json::from(call.arguments.text())),
    ]);
    Json::from([
        ("id", Json::from(call.id.as_str())),
        ("type", Json::from("function")),
        ("function", function),
    ])
}

fn media_part(media: &Media) -> Json {
    let mime = media.mime.as_deref().unwrap_or_default();
    let data = match &media.place {
        Place::Base64(data) => data.as_str(),
        Place::Address(address) => return image_part(address),
        Place::Opaque { .. } => return Json::from([("type", "text"), ("text", &media.line())]),
    };
    if let Some(format) = audio_format(mime) {
        let audio = Json::from([("data", data), ("format", format)]);
        return Json::from([("type", Json::from("input_audio")), ("input_audio", audio)]);
    }
    let url = format!("data:{mime};base64,{data}");
    if mime == "application/pdf" {
        let file = Json::from([("filename", "document.pdf"), ("file_data", &url)]);
        return Json::from([("type", Json::from("file")), ("file", file)]);
    }
    image_part(&url)
}

fn image_part(url: &str) -> Json {
    let image = Json::from([("url", url)]);
    Json::from([("type", Json::from("image_url")), ("image_url", image)])
}

pub(super) fn tool(tool: &Tool) -> Json {
    let mut function = object([("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        function.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        function.insert("parameters".into(), schema.clone());
    }
    if let Some(strict) = tool.strict {
        function.insert("strict".into(), strict.into());
    }
    Json::from([("type", Json::from("function")), ("function", Json::Object(function))])
}
