//! OpenAI Chat Completions.

use super::body::{Body, Out};
use super::choice::{ResponseSchema, ToolChoice};
use super::demands::{Charset, Demands, OPEN, SchemaRules, StrictRules, Token, WORD_64};
use super::draft::{Draft, Settle};
use super::media::{WEB, audio_format, is_picture};
use super::models::Model;
use super::object;
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::Tool;
use super::marks::breakpoint;
use super::part::{Arguments, CacheMark, CallPart, FileSource, IdOwner, Media, MediaKind, Part};
use super::turn::{Speaker, Turn};
use crate::prompt::diff::CachePolicy;
use crate::prompt::tokens::Framing;
use crate::render::REASONING;
use crate::value::json::Json;

pub(super) const SPEC: Spec = Spec {
    name: "openai_chat",
    family: "openai",
    demands: Demands {
        paired: true,
        adjacent: true,
        call_id: Some(Token::new(40, Charset::Any)),
        tool_name: Some(WORD_64),
        refusals: true,
        most_tools: 128,
        schema: SCHEMA,
        ..OPEN
    },
    framing: FRAMING,
    image_tokens: 765,
    cache: CACHE,
    media: takes,
    about: &["detail"],
    reasoning: |_, options| options.keep_reasoning,
    own_keys: &["model", "messages", "tools", "max_completion_tokens"],
    options: &[
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
        "effort",
        "metadata",
    ],
    settle,
    looks_back: |_, _| false,
    body,
    tool,
};

pub(super) const READER: Option<Reader> = Some(response::chat::READER);

/// The requirements of OpenAI for schemas.
pub(super) const SCHEMA: SchemaRules = SchemaRules {
    checked: true,
    deep_properties: true,
    none_for_empty: false,
    lone_refs: false,
    property: None,
    strict: StrictRules::AllRequired,
};
pub(super) const FRAMING: Framing =
    Framing { reply: 3, message: 4, call: 6, answer: 3, tools: 9, tool: 4 };
pub(super) const CACHE: CachePolicy =
    CachePolicy { least_tokens: 1_024, step: 128, whole_blocks: false, marked: false };

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let picture = is_picture(media) && (media.is_base64() || media.is_at(WEB));
    let file = media.kind() == MediaKind::Pdf || audio_format(media.mime()).is_some();
    let uploaded = match &media.source {
        FileSource::Id { of, .. } => *of == IdOwner::Openai && media.kind() != MediaKind::Image,
        FileSource::Url(_) | FileSource::Data(_) | FileSource::Text(_) | FileSource::Opaque { .. } => false,
    };
    match spot {
        Spot::User => picture || (file && media.is_base64()) || uploaded,
        Spot::Answer | Spot::Elsewhere => false,
    }
}

pub(super) fn settle(settle: &mut Settle<'_>) {
    settle.most_stops(4);
    settle.text_metadata();
    settle.strict_response(StrictRules::AllRequired);
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let mut out = Out::new();
    written(draft, &mut out, "max_completion_tokens");
    out
}

/// Returns the body, with the limit of the answer under this key.
pub(super) fn written<'a>(draft: &Draft<'a>, out: &mut Out<'a>, limit: &'static str) {
    let options = draft.options;
    out.put("model", options.model.as_deref());
    out.put("messages", Some(messages(draft.turns)));
    out.put("tools", draft.tools());
    out.put(limit, options.max_output_tokens);
    out.put("tool_choice", options.tool_choice.as_ref().map(tool_choice));
    out.put("parallel_tool_calls", options.parallel_tool_calls);
    out.put("temperature", options.temperature.clone());
    out.put("top_p", options.top_p.clone());
    out.put("stop", Some(options.stop.clone()).filter(|stop| !stop.is_empty()));
    out.put("response_format", options.response_schema.as_ref().map(response_format));
    out.put("reasoning_effort", options.effort.map(super::Effort::as_str));
    out.put("metadata", Some(options.metadata.clone()).filter(|metadata| !metadata.is_empty()));
}

pub(super) fn tool_choice(choice: &ToolChoice) -> Json {
    match choice {
        ToolChoice::Auto => Json::from("auto"),
        ToolChoice::None => Json::from("none"),
        ToolChoice::Required => Json::from("required"),
        ToolChoice::Tool(name) => {
            let function = Json::from([("name", name.as_str())]);
            Json::from([("type", Json::from("function")), ("function", function)])
        }
    }
}

pub(super) fn response_format(response: &ResponseSchema) -> Json {
    let mut schema = Out::new();
    schema.put("name", Some(response.name.as_str()));
    schema.put("schema", Some(response.schema.clone()));
    schema.put("strict", response.strict);
    let schema = Json::Object(schema.into_object());
    Json::from([("type", Json::from("json_schema")), ("json_schema", schema)])
}

fn messages(turns: &[Turn]) -> Body<'_> {
    turns.iter().map(message).collect()
}

fn message(turn: &Turn) -> Body<'_> {
    let mut out = Out::new();
    out.put("role", Some(turn.speaker.as_str()));
    if let Some(answer) = turn.answer() {
        out.put("tool_call_id", Some(answer.call_id.as_str()));
        let content = content(answer.parts.iter().map(|part| (part, None)));
        out.put("content", Some(content.unwrap_or(Body::Text(""))));
        return out.into();
    }
    let given = turn.blocks.iter().map(|block| (&block.item.part, block.item.cache()));
    match content(given) {
        Some(content) => out.put("content", Some(content)),
        None if turn.speaker == Speaker::Assistant => out.put("content", Some(Json::Null)),
        None => {}
    }
    out.put("name", turn.name.as_deref());
    let calls: Vec<Body<'_>> = turn.calls().map(call).collect();
    out.put("tool_calls", Some(calls).filter(|calls| !calls.is_empty()).map(Body::List));
    let thoughts: Vec<&str> = turn
        .blocks
        .iter()
        .filter_map(|block| match &block.item.part {
            Part::Reasoning(thought) => Some(thought.text.as_str()),
            Part::Text(_)
            | Part::Media(_)
            | Part::ToolCall(_)
            | Part::ToolResult(_)
            | Part::Refusal(_)
            | Part::Own(_) => None,
        })
        .collect();
    if !thoughts.is_empty() {
        out.put(REASONING, Some(thoughts.join("\n\n")));
    }
    out.into()
}

/// Returns one text without a mark as a string, other content as a list of parts.
fn content<'a>(given: impl Iterator<Item = (&'a Part, Option<CacheMark>)>) -> Option<Body<'a>> {
    let given: Vec<(&Part, Option<CacheMark>)> = given.filter(|(part, _)| part.is_content()).collect();
    if let [(Part::Text(text), None)] = given.as_slice() {
        return Some(text.into());
    }
    let mut parts = Vec::new();
    for (part, mark) in given {
        match part {
            Part::Text(text) => {
                parts.push(breakpoint(Json::from([("type", "text"), ("text", text)]), mark));
            }
            Part::Refusal(text) => {
                parts.push(Json::from([("type", "refusal"), ("refusal", text)]));
            }
            Part::Media(media) => parts.push(breakpoint(media_part(media), mark)),
            Part::ToolCall(_) | Part::ToolResult(_) | Part::Reasoning(_) | Part::Own(_) => {}
        }
    }
    (!parts.is_empty()).then_some(Body::Made(Json::Array(parts)))
}

fn call(call: &CallPart) -> Body<'_> {
    let arguments = match &call.arguments {
        Arguments::Text(text) => Body::Shared(text),
        Arguments::Value(value) => Body::from(value.to_string()),
    };
    let name = Body::Text(&call.name);
    Body::object([
        ("id", Body::Text(&call.id)),
        ("type", Body::Text("function")),
        ("function", Body::object([("name", name), ("arguments", arguments)])),
    ])
}

pub(super) fn media_part(media: &Media) -> Json {
    let mime = media.mime();
    let named = media.name.as_deref().unwrap_or("document.pdf");
    let file = |file: Json| Json::from([("type", Json::from("file")), ("file", file)]);
    let data = match &media.source {
        FileSource::Data(data) => data.as_str(),
        FileSource::Url(address) => return image_part(address, media),
        FileSource::Id { id, .. } => return file(Json::from([("file_id", id.as_str())])),
        FileSource::Text(_) | FileSource::Opaque { .. } => {
            return Json::from([("type", "text"), ("text", &media.line())]);
        }
    };
    if let Some(format) = audio_format(mime) {
        let audio = Json::from([("data", data), ("format", format)]);
        return Json::from([("type", Json::from("input_audio")), ("input_audio", audio)]);
    }
    let url = format!("data:{mime};base64,{data}");
    if mime == "application/pdf" {
        return file(Json::from([("filename", named), ("file_data", &url)]));
    }
    image_part(&url, media)
}

fn image_part(url: &str, media: &Media) -> Json {
    let mut image = object([("url", url.into())]);
    if let Some(detail) = media.about.get("detail") {
        image.insert("detail".into(), detail.clone());
    }
    Json::from([("type", Json::from("image_url")), ("image_url", Json::Object(image))])
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
