//! Reads the parts of a message of any origin: text, reasoning, calls, results, images and files.
//! An unknown block is kept verbatim.

use super::model::{Media, Message, Part};
use super::pick::{self, arguments, first_text, list, opened, some, text, yes};
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::value::tool_blocks::{self, ResultBlock};

/// Returns the parts of a content: nothing, text, one part or a list of parts.
pub fn parts(content: &Json) -> Vec<Part> {
    match content {
        Json::Null => Vec::new(),
        Json::String(words) if words.is_empty() => Vec::new(),
        Json::String(words) => vec![Part::Text(words.clone())],
        Json::Array(items) => items.iter().flat_map(parts).collect(),
        Json::Object(_) => part(content),
        Json::Bool(_) | Json::Number(_) => vec![Part::Text(content.to_string())],
    }
}

/// As [`parts`], taking ownership: long strings are moved, not copied.
pub fn taken_parts(content: Json) -> Vec<Part> {
    match content {
        Json::String(words) if !words.is_empty() => vec![Part::Text(words)],
        Json::Array(items) => items.into_iter().flat_map(taken_parts).collect(),
        Json::Object(block) => taken_part(block),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => parts(&content),
    }
}

fn taken_part(mut block: Object) -> Vec<Part> {
    let long = match block.get("type").and_then(Json::as_str) {
        Some("text") => "text",
        Some("tool_result") => "content",
        Some(_) | None => return part(&Json::Object(block)),
    };
    let words = match block.get_mut(long) {
        Some(Json::String(words)) if !words.is_empty() => std::mem::take(words),
        Some(_) | None => return part(&Json::Object(block)),
    };
    if long == "text" {
        return vec![Part::Text(words)];
    }
    let block = Json::Object(block);
    let ResultBlock { id, is_error, .. } = tool_blocks::read_result(&block);
    let id = id.map(str::to_owned);
    vec![Part::Result { id, content: Json::String(words), is_error }]
}

/// Returns the parts of a block: none, one, or a result and its images.
pub fn part(block: &Json) -> Vec<Part> {
    let kind = first_text(block, &["type", "part_kind", "kind"]).unwrap_or("");
    match kind {
        "text" | "input_text" | "output_text" | "summary_text" | "Text" | "markdown" => {
            match first_text(block, &["text", "content", "value"]) {
                Some("") => Vec::new(),
                Some(words) => vec![Part::Text(words.to_owned())],
                None => unknown(block),
            }
        }
        "refusal" => first_text(block, &["refusal", "text"])
            .map_or_else(|| unknown(block), |words| vec![Part::Text(words.to_owned())]),
        "thinking" | "reasoning" | "redacted_thinking" | "reasoning_content"
        | "reasoningContent" => reasoning(block),
        _ if tool_blocks::is_call(kind) => {
            call(block).map_or_else(|| unknown(block), |part| vec![part])
        }
        _ if tool_blocks::is_result(kind) => result(block),
        "image" | "image_url" | "input_image" | "file" | "input_file" | "document" | "blob"
        | "media" | "uri" | "input_audio" | "audio" | "image-url" => {
            media(block).map_or_else(|| unknown(block), |part| vec![part])
        }
        "toolRequest" => pick::deep(block, &["toolCall", "value"])
            .and_then(call)
            .map(|part| with_id(part, block))
            .map_or_else(|| unknown(block), |part| vec![part]),
        "toolResponse" => {
            let content = pick::deep(block, &["toolResult", "value"]);
            let content = content.and_then(|value| value.get("content")).or(content);
            let (content, media) = result_content(content.unwrap_or(&Json::Null));
            let is_error = some(block, "toolResult")
                .is_some_and(|result| tool_blocks::read_result(result).is_error);
            let mut out = vec![Part::Result { id: call_id(block), content, is_error }];
            out.extend(media);
            out
        }
        _ => by_keys(block),
    }
}

/// Returns a call with the id of the surrounding value.
fn with_id(part: Part, block: &Json) -> Part {
    match part {
        Part::Call { name, arguments, .. } => Part::Call { id: call_id(block), name, arguments },
        other => other,
    }
}

fn unknown(block: &Json) -> Vec<Part> {
    vec![Part::Unknown(block.clone())]
}

/// Reads blocks that are identified by their keys: Gemini's, and images of OpenTelemetry.
fn by_keys(block: &Json) -> Vec<Part> {
    if let Some(inner) = tool_blocks::call_inside(block) {
        return call(inner).map_or_else(|| unknown(block), |part| vec![part]);
    }
    if let Some(inner) =
        some(block, "functionResponse").or_else(|| some(block, "function_response"))
    {
        let is_error = tool_blocks::read_result(inner).is_error;
        let id = text(inner, "id").map(str::to_owned);
        let content = inner.get("response").cloned().unwrap_or_default();
        let mut out = vec![Part::Result { id, content, is_error }];
        out.extend(list(inner, "parts").iter().filter_map(media));
        return out;
    }
    if let Some(inner) = some(block, "toolResult") {
        return result(inner);
    }
    if some(block, "inlineData").is_some()
        || some(block, "inline_data").is_some()
        || some(block, "fileData").is_some()
        || text(block, "modality").is_some()
    {
        return media(block).map_or_else(|| unknown(block), |part| vec![part]);
    }
    if text(block, "content_type").is_some() && block.get("parts").is_some() {
        return list(block, "parts").iter().flat_map(parts).collect();
    }
    if let Some(words) = text(block, "text") {
        return if yes(block, "thought") {
            vec![Part::Reasoning { text: words.to_owned(), sealed: None }]
        } else if words.is_empty() {
            Vec::new()
        } else {
            vec![Part::Text(words.to_owned())]
        };
    }
    unknown(block)
}

/// Joins the strings of text blocks with an empty line between them.
fn joined(blocks: &[Json]) -> String {
    let words = blocks.iter().filter_map(|block| first_text(block, &["text", "content"]));
    words.collect::<Vec<_>>().join("\n\n")
}

fn reasoning(block: &Json) -> Vec<Part> {
    let words =
        first_text(block, &["thinking", "text", "content", "reasoning", "reasoning_content"]);
    let words = match words {
        Some(words) => words.to_owned(),
        None => {
            let blocks: Vec<Json> =
                list(block, "summary").iter().chain(list(block, "content")).cloned().collect();
            joined(&blocks)
        }
    };
    let sealed = first_text(
        block,
        &["encrypted_content", "signature", "data", "thinkingSignature", "reasoning_signature"],
    )
    .or_else(|| {
        ["providerOptions", "providerMetadata", "provider_options", "extras"].iter().find_map(
            |key| {
                let owners = block.get(key)?.as_object()?;
                owners.values().find_map(|owner| {
                    first_text(
                        owner,
                        &[
                            "signature",
                            "reasoningEncryptedContent",
                            "redactedData",
                            "thoughtSignature",
                        ],
                    )
                })
            },
        )
    });
    // some agents store the whole encrypted item as JSON text
    let sealed = sealed.map(|sealed| {
        super::pick::open(sealed)
            .and_then(|item| text(&item, "encrypted_content").map(str::to_owned))
            .unwrap_or_else(|| sealed.to_owned())
    });
    if words.is_empty() && sealed.is_none() {
        return Vec::new();
    }
    vec![Part::Reasoning { text: words, sealed }]
}

/// Reads a tool call in any spelling. `None` without a name.
pub fn call(block: &Json) -> Option<Part> {
    let call = tool_blocks::read_call(block)?;
    let id = call.id.map(str::to_owned);
    Some(Part::Call { id, name: call.name.into_owned(), arguments: arguments(call.arguments) })
}

fn call_id(block: &Json) -> Option<String> {
    first_text(block, &tool_blocks::IDS).map(str::to_owned)
}

/// Reads a tool result in any spelling, and the images in it.
pub fn result(block: &Json) -> Vec<Part> {
    let ResultBlock { id, content, is_error } = tool_blocks::read_result(block);
    let (content, media) = result_content(content.unwrap_or(&Json::Null));
    let mut out = vec![Part::Result { id: id.map(str::to_owned), content, is_error }];
    out.extend(media);
    out
}

/// Returns the content of a result: text, or JSON if the log has JSON.
pub fn result_content(value: &Json) -> (Json, Vec<Part>) {
    match value {
        Json::Null => (Json::from(""), Vec::new()),
        Json::Array(items) => from_blocks(items).unwrap_or_else(|| (value.clone(), Vec::new())),
        Json::Object(object) => {
            let tagged = object.len() <= 3 && object.contains_key("value");
            match text(value, "type") {
                Some("text" | "error-text" | "json" | "error-json" | "content") if tagged => {
                    result_content(value.get("value").unwrap_or(&Json::Null))
                }
                Some("execution-denied") => {
                    (Json::from(text(value, "reason").unwrap_or("")), Vec::new())
                }
                Some("text") => match text(value, "text") {
                    Some(words) => (Json::from(words), Vec::new()),
                    None => (value.clone(), Vec::new()),
                },
                Some(_) | None => (value.clone(), Vec::new()),
            }
        }
        Json::Bool(_) | Json::Number(_) | Json::String(_) => (value.clone(), Vec::new()),
    }
}

/// Returns a list of blocks as text and media. `None` if the list is plain data.
fn from_blocks(items: &[Json]) -> Option<(Json, Vec<Part>)> {
    let mut words = Vec::new();
    let mut found = Vec::new();
    for item in items {
        let typed =
            text(item, "type").is_some() || item.get("text").is_some_and(|t| t.as_str().is_some());
        if !typed {
            return None;
        }
        match part(item).as_slice() {
            [Part::Text(text)] => words.push(text.clone()),
            [Part::Image(_) | Part::File(_)] => found.extend(part(item)),
            [] => {}
            _ => return None,
        }
    }
    if items.is_empty() {
        return None;
    }
    Some((Json::from(words.join("\n")), found))
}

/// Reads an image or a file in any spelling.
pub fn media(block: &Json) -> Option<Part> {
    let kind = text(block, "type").unwrap_or("");
    let inner = [
        "inlineData",
        "inline_data",
        "source",
        "file",
        "fileData",
        "file_data",
        "input_audio",
        "image_url",
    ]
    .iter()
    .find_map(|key| some(block, key).filter(|inner| inner.as_object().is_some()));
    let place = inner.unwrap_or(block);
    let mime = [place, block].iter().find_map(|value| {
        first_text(value, &["mediaType", "media_type", "mimeType", "mime_type", "mime", "format"])
    });
    let raw = ["data", "base64", "file_data", "image", "content", "bytes"]
        .iter()
        .find_map(|key| place.get(key))
        .or_else(|| block.get("data"));
    // AI SDK 7 has the bytes one level deeper
    let raw = raw.map(|raw| raw.get("data").or_else(|| raw.get("url")).unwrap_or(raw));
    let raw = raw.and_then(Json::as_str).or_else(|| {
        first_text(
            place,
            &["url", "uri", "fileUri", "file_uri", "image_url", "file_url", "file_id", "fileId"],
        )
        .or_else(|| first_text(block, &["url", "image_url", "uri"]))
    })?;
    let (mime, media) = match raw.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
        Some((head, data)) => {
            let declared = head.split(';').next().filter(|mime| !mime.is_empty());
            let mime = declared.or(mime).map(str::to_owned);
            (mime.clone(), Media::Data { mime, base64: data.to_owned() })
        }
        None if raw.contains("://") || raw.starts_with("file") => {
            let mime = mime.map(str::to_owned);
            (mime.clone(), Media::Url { mime, url: raw.to_owned() })
        }
        None => {
            let mime = mime.map(str::to_owned);
            let base64 = raw.replace('-', "+").replace('_', "/");
            (mime.clone(), Media::Data { mime, base64 })
        }
    };
    let picture = kind.contains("image")
        || text(block, "modality") == Some("image")
        || mime.is_some_and(|mime| mime.starts_with("image"));
    Some(if picture { Part::Image(media) } else { Part::File(media) })
}

/// Parses a value that is JSON text; used for lists of blocks that are stored as text.
pub fn opened_parts(content: &Json) -> Vec<Part> {
    let open = opened(content);
    let blocks = open.as_array().is_some_and(|items| {
        !items.is_empty() && items.iter().all(|item| text(item, "type").is_some())
    });
    if blocks { parts(&open) } else { parts(content) }
}

/// Reads results as the AI SDK sends them to Google: under the name of the tool.
pub fn wrap_for_google(messages: &mut [Message]) {
    let mut names: StrMap<String> = StrMap::new();
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Call { id: Some(id), name, .. } => {
                names.insert(id.as_str(), name.clone());
            }
            Part::Result { id: Some(id), content, .. } => {
                if let Some(name) = names.get(id) {
                    let inner = std::mem::take(content);
                    *content =
                        Json::from([("name", Json::from(name.as_str())), ("content", inner)]);
                }
            }
            _ => {}
        }
    }
}
