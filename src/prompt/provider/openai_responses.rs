//! OpenAI Responses: a list of items instead of messages.

use super::body::{Body, Out};
use super::choice::ToolChoice;
use super::demands::{Charset, Demands, OPEN, StrictRules, Token, WORD_64};
use super::draft::{Draft, Settle};
use super::loss::Change;
use super::media::{WEB, is_picture};
use super::models::Model;
use super::openai_chat::{CACHE, FRAMING, SCHEMA};
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::marks::breakpoint;
use super::part::{CacheMark, FileSource, IdOwner, Media, MediaKind, Part, Proof};
use super::turn::{Block, Speaker, Turn};
use super::object;
use crate::value::json::Json;

pub(super) const SPEC: Spec = Spec {
    name: "openai_responses",
    family: "openai",
    demands: Demands {
        paired: true,
        call_id: Some(Token::new(64, Charset::Any)),
        unique_calls: true,
        tool_name: Some(WORD_64),
        names: false,
        refusals: true,
        items: true,
        most_tools: 128,
        schema: SCHEMA,
        ..OPEN
    },
    framing: FRAMING,
    image_tokens: 765,
    cache: CACHE,
    media: takes,
    about: &["detail"],
    reasoning: |thought, _| matches!(thought.proof, Proof::Item(_)),
    own_keys: &["model", "input", "tools", "max_output_tokens"],
    options: &[
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "response_schema",
        "effort",
        "metadata",
        "previous_response_id",
    ],
    settle,
    looks_back: |_, _| false,
    body,
    tool,
};

pub(super) const READER: Option<Reader> = Some(response::responses::READER);

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let kind = is_picture(media) || media.kind() == MediaKind::Pdf;
    let placed = match &media.source {
        FileSource::Url(_) => kind && media.is_at(WEB),
        FileSource::Data(_) => kind,
        FileSource::Id { of, .. } => *of == IdOwner::Openai,
        FileSource::Text(_) | FileSource::Opaque { .. } => false,
    };
    placed && spot != Spot::Elsewhere
}

fn settle(settle: &mut Settle<'_>) {
    // reasoning must be directly before its call
    for turn in settle.turns.iter_mut().filter(|turn| turn.speaker == Speaker::Assistant) {
        let reasons = turn.blocks.iter().any(|block| matches!(block.item.part, Part::Reasoning(_)));
        let calls = turn.blocks.iter().any(|block| matches!(block.item.part, Part::ToolCall(_)));
        let before = turn.blocks.len();
        if reasons && calls {
            turn.blocks
                .retain(|block| !matches!(&block.item.part, Part::Text(text) if text.is_empty()));
        }
        if turn.blocks.len() < before {
            let at = turn.at.unwrap_or_default();
            settle.losses.message(Change::EmptyDropped, at, "empty text of the message is removed");
        }
    }
    settle.text_metadata();
    settle.strict_response(StrictRules::AllRequired);
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let options = draft.options;
    let mut out = Out::new();
    out.put("model", options.model.as_deref());
    out.put("input", Some(input(draft.turns)));
    out.put("tools", draft.tools());
    out.put("max_output_tokens", options.max_output_tokens);
    out.put("tool_choice", options.tool_choice.as_ref().map(tool_choice));
    out.put("parallel_tool_calls", options.parallel_tool_calls);
    out.put("temperature", options.temperature.clone());
    out.put("top_p", options.top_p.clone());
    if let Some(response) = &options.response_schema {
        let mut format = Out::new();
        format.put("type", Some("json_schema"));
        format.put("name", Some(response.name.as_str()));
        format.put("schema", Some(response.schema.clone()));
        // the default of this form is true
        format.put("strict", Some(response.strict.unwrap_or(false)));
        out.put("text", Some(Body::object([("format", format.into())])));
    }
    let effort = options.effort.map(|effort| Json::from([("effort", effort.as_str())]));
    out.put("reasoning", effort);
    out.put("metadata", Some(options.metadata.clone()).filter(|metadata| !metadata.is_empty()));
    out.put("previous_response_id", options.previous_response_id.as_deref());
    out
}

fn tool_choice(choice: &ToolChoice) -> Json {
    match choice {
        ToolChoice::Auto => Json::from("auto"),
        ToolChoice::None => Json::from("none"),
        ToolChoice::Required => Json::from("required"),
        ToolChoice::Tool(name) => Json::from([("type", "function"), ("name", name.as_str())]),
    }
}

fn input(turns: &[Turn]) -> Json {
    let mut items = Vec::new();
    for turn in turns {
        push(turn, &mut items);
    }
    Json::Array(items)
}

fn push(turn: &Turn, items: &mut Vec<Json>) {
    match turn.speaker {
        // the text of an assistant is plain in this form, one item each
        Speaker::Assistant => {
            for block in &turn.blocks {
                match &block.item.part {
                    Part::Text(text) => {
                        items.push(Json::from([("role", "assistant"), ("content", text)]));
                    }
                    Part::Refusal(text) => {
                        items.push(Json::from([("role", "assistant"), ("content", text)]));
                    }
                    Part::ToolCall(call) => items.push(Json::from([
                        ("type", "function_call"),
                        ("call_id", &call.id),
                        ("name", &call.name),
                        ("arguments", &call.arguments.text()),
                    ])),
                    Part::Reasoning(thought) => {
                        if let Proof::Item(item) = &thought.proof {
                            items.push(item.clone());
                        }
                    }
                    Part::Own(own) => items.push(own.value.clone()),
                    Part::Media(_) | Part::ToolResult(_) => {}
                }
            }
        }
        Speaker::System | Speaker::Developer | Speaker::User | Speaker::Tool => {
            if let Some(answer) = turn.answer() {
                items.push(Json::from([
                    ("type", Json::from("function_call_output")),
                    ("call_id", Json::from(answer.call_id.as_str())),
                    ("output", content(answer.parts.iter().map(|part| (part, None)))),
                ]));
                return;
            }
            let is_own = |block: &&Block| matches!(block.item.part, Part::Own(_));
            let (own, content_blocks): (Vec<&Block>, Vec<&Block>) = turn.blocks.iter().partition(is_own);
            for block in own {
                if let Part::Own(own) = &block.item.part {
                    items.push(own.value.clone());
                }
            }
            if !content_blocks.is_empty() || turn.blocks.is_empty() {
                items.push(Json::from([
                    ("role", Json::from(turn.speaker.as_str())),
                    (
                        "content",
                        content(content_blocks.iter().map(|block| (&block.item.part, block.item.cache()))),
                    ),
                ]));
            }
        }
    }
}

fn content<'a>(content_blocks: impl Iterator<Item = (&'a Part, Option<CacheMark>)>) -> Json {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    for (part, mark) in content_blocks {
        match part {
            Part::Text(text) | Part::Refusal(text) => {
                if mark.is_none() {
                    texts.push(text);
                }
                parts.push(breakpoint(Json::from([("type", "input_text"), ("text", text)]), mark));
            }
            Part::Media(media) => parts.push(breakpoint(media_part(media), mark)),
            Part::ToolCall(_) | Part::ToolResult(_) | Part::Reasoning(_) | Part::Own(_) => {}
        }
    }
    match (texts.as_slice(), parts.len()) {
        (_, 0) => Json::from(""),
        ([text], 1) => Json::from(text.as_str()),
        _ => Json::Array(parts),
    }
}

fn media_part(media: &Media) -> Json {
    let mime = media.mime();
    let picture = media.kind() == MediaKind::Image;
    let named = media.name.as_deref().unwrap_or("document.pdf");
    match &media.source {
        FileSource::Url(url) if !picture => Json::from([("type", "input_file"), ("file_url", url)]),
        FileSource::Url(url) => image(("image_url", url), media),
        FileSource::Data(data) => {
            let url = format!("data:{mime};base64,{data}");
            if picture {
                image(("image_url", &url), media)
            } else {
                Json::from([("type", "input_file"), ("filename", named), ("file_data", &url)])
            }
        }
        FileSource::Id { id, .. } if picture => image(("file_id", id), media),
        FileSource::Id { id, .. } => Json::from([("type", "input_file"), ("file_id", id)]),
        FileSource::Text(_) | FileSource::Opaque { .. } => {
            Json::from([("type", "input_text"), ("text", &media.line())])
        }
    }
}

fn image((key, value): (&str, &str), media: &Media) -> Json {
    let detail = media.about.get("detail").cloned().unwrap_or_else(|| "auto".into());
    Json::from([("type", Json::from("input_image")), ("detail", detail), (key, Json::from(value))])
}

/// Sets `strict`, because its default is true in this form, which changes the schema.
fn tool(tool: &Tool) -> Json {
    let mut out = object([("type", "function".into()), ("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    out.insert("parameters".into(), tool.schema.clone().unwrap_or_else(no_parameters));
    out.insert("strict".into(), tool.strict.unwrap_or(false).into());
    Json::Object(out)
}
