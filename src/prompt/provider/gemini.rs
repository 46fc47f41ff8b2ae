//! Google Gemini: the body of `generateContent`.

use super::object;
use super::tools::Tool;
use super::turn::{Arguments, Body, Media, Place, Speaker, Turn};
use crate::value::json::Json;

/// The system instruction, apart from the conversation; nothing where there is none.
pub(super) fn system_instruction(turns: &[Turn]) -> Option<Json> {
    let systems = turns.iter().filter(|turn| turn.speaker.is_system());
    let parts: Vec<Json> =
        systems.flat_map(|turn| &turn.blocks).filter_map(|block| part(&block.body)).collect();
    (!parts.is_empty()).then(|| Json::from([("parts", Json::Array(parts))]))
}

pub(super) fn contents(turns: &[Turn]) -> Json {
    turns.iter().filter(|turn| !turn.speaker.is_system()).map(content).collect()
}

fn content(turn: &Turn) -> Json {
    let role = match turn.speaker {
        Speaker::Assistant => "model",
        Speaker::User | Speaker::Tool | Speaker::System | Speaker::Developer => "user",
    };
    let parts: Vec<Json> = turn.blocks.iter().filter_map(|block| part(&block.body)).collect();
    Json::from([("role", Json::from(role)), ("parts", Json::Array(parts))])
}

/// Calls and results carry no id here: they belong together by their order.
fn part(body: &Body) -> Option<Json> {
    Some(match body {
        Body::Text(text) => Json::from([("text", text.as_str())]),
        Body::Media(media) => media_part(media),
        Body::Call(call) => {
            let args = match &call.arguments {
                Arguments::Value(value) => value.clone(),
                Arguments::Text(text) => Json::from([("arguments", text.as_str())]),
            };
            let call = Json::from([("name", Json::from(call.name.as_str())), ("args", args)]);
            Json::from([("functionCall", call)])
        }
        Body::Answer(answer) => {
            let response = Json::from([("output", output(&answer.blocks))]);
            let name = Json::from(answer.tool_name.as_str());
            let answer = Json::from([("name", name), ("response", response)]);
            Json::from([("functionResponse", answer)])
        }
        Body::Reasoning(_) => return None,
    })
}

/// One text is text, several are a list.
fn output(blocks: &[Body]) -> Json {
    let text = |body: &Body| match body {
        Body::Text(text) => Some(Json::from(text.as_str())),
        Body::Media(_) | Body::Call(_) | Body::Answer(_) | Body::Reasoning(_) => None,
    };
    let texts: Vec<Json> = blocks.iter().filter_map(text).collect();
    match <[Json; 1]>::try_from(texts) {
        Ok([text]) => text,
        Err(texts) if texts.is_empty() => Json::from(""),
        Err(texts) => Json::Array(texts),
    }
}

fn media_part(media: &Media) -> Json {
    let mime = media.mime.as_deref().unwrap_or_default();
    match &media.place {
        Place::Address(uri) => {
            let file = Json::from([("mimeType", mime), ("fileUri", uri)]);
            Json::from([("fileData", file)])
        }
        Place::Base64(data) => {
            let blob = Json::from([("mimeType", mime), ("data", data)]);
            Json::from([("inlineData", blob)])
        }
        Place::Opaque { .. } => Json::from([("text", media.line())]),
    }
}

pub(super) fn tool(tool: &Tool) -> Json {
    let mut out = object([("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        out.insert("parametersJsonSchema".into(), schema.clone());
    }
    Json::Object(out)
}
