//! Anthropic Messages.

use super::body::{Body, Out};
use super::choice::ToolChoice;
use super::demands::{
    Alternate, Blank, Charset, Demands, OPEN, SchemaRules, StrictRules, System, Token, WORD_64,
};
use super::draft::{Draft, Settle, is_in_tool_loop};
use super::media::{SECURE, is_picture};
use super::models::{Model, Thinking};
use super::options::LIMIT;
use super::marks::cache_control;
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::part::{FileSource, IdOwner, Media, MediaKind, Part, Proof, Reasoning};
use super::turn::{Block, Speaker, Turn};
use super::{Change, Effort, Options, Provider, object, strict};
use crate::prompt::diff::CachePolicy;
use crate::prompt::tokens::Framing;
use crate::value::json::Json;

pub(super) const SPEC: Spec = Spec {
    name: "anthropic",
    family: "anthropic",
    demands: Demands {
        paired: true,
        adjacent: true,
        call_id: Some(WORD_64),
        unique_calls: true,
        tool_name: Some(Token::new(128, Charset::Word)),
        object_arguments: true,
        system: System::Apart,
        developer: false,
        alternate: Alternate::Sides,
        user_first: true,
        user_last: true,
        prefill: true,
        blank: Blank::Refuse,
        names: false,
        failures: true,
        cache_marks: 4,
        schema: SchemaRules {
            checked: true,
            deep_properties: false,
            none_for_empty: false,
            lone_refs: false,
            property: Some(Token::new(64, Charset::Property)),
            strict: StrictRules::Closed,
        },
        ..OPEN
    },
    framing: Framing { reply: 2, message: 3, call: 10, answer: 8, tools: 346, tool: 12 },
    image_tokens: 1_500,
    cache: CachePolicy { least_tokens: 1_024, step: 1, whole_blocks: true, marked: true },
    media: takes,
    about: &["title", "context", "citations"],
    reasoning: |thought, _| match thought.proof {
        Proof::Signature(_) | Proof::Redacted(_) => true,
        Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => false,
    },
    own_keys: &["model", "messages", "tools", "system", "max_tokens"],
    options: &[
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
        "effort",
        "thinking_tokens",
        "metadata",
    ],
    settle,
    looks_back: |options, _| {
        options.effort.is_some() || options.thinking_tokens.is_some() || options.response_schema.is_some()
    },
    body,
    tool,
};

pub(super) const READER: Option<Reader> = Some(response::anthropic::READER);

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let known = match media.kind() {
        MediaKind::Image => is_picture(media),
        MediaKind::Pdf => true,
        MediaKind::Text => media.mime() == "text/plain",
        MediaKind::Audio | MediaKind::Video | MediaKind::Other => false,
    };
    match (&media.source, spot) {
        (_, Spot::Elsewhere) => false,
        (FileSource::Url(_), _) => {
            media.is_at(SECURE) && matches!(media.kind(), MediaKind::Image | MediaKind::Pdf) && known
        }
        (FileSource::Data(_), _) => known && media.kind() != MediaKind::Text,
        (FileSource::Text(text), _) => media.mime() == "text/plain" && !text.trim().is_empty(),
        (FileSource::Id { of, .. }, _) => {
            *of == IdOwner::Anthropic && (media.mime() == "image/*" || known)
        }
        (FileSource::Opaque { .. }, _) => false,
    }
}

fn settle(settle: &mut Settle<'_>) {
    if settle.options.metadata.keys().any(|key| key != "user_id") {
        settle.options.metadata.retain(|key, _| key == "user_id");
        settle.rewritten("metadata", "only `user_id` is accepted");
    }
    if settle.options.temperature.as_ref().is_some_and(|number| number.as_f64() > 1.0) {
        settle.options.temperature = Some(1_u64.into());
        settle.rewritten("temperature", "the maximum is 1");
    }
    if settle.options.temperature.is_some() && settle.options.top_p.take().is_some() {
        settle.gone("top_p", "it cannot be combined with `temperature`");
    }
    let before = settle.options.stop.len();
    settle.options.stop.retain(|text| !text.trim().is_empty());
    if settle.options.stop.len() < before {
        settle.rewritten("stop", "a stop sequence must have a character that is not white space");
    }
    think(settle);
    respond(settle);
    if settle.options.max_output_tokens.is_none() {
        let budget = settle.options.thinking_tokens.unwrap_or(0);
        let most = settle.model.output_limit.unwrap_or(u64::MAX);
        let limit = (budget + LIMIT).min(most);
        settle.options.max_output_tokens = Some(limit);
        let reason = format!("`max_tokens` is required and missing; it is set to {limit}");
        settle.losses.whole(Change::LimitAdded, reason);
    }
}

/// Adjusts thinking to the other options.
fn think(settle: &mut Settle<'_>) {
    let options = &*settle.options;
    let wants = options.effort.is_some_and(|effort| effort != Effort::None)
        || options.thinking_tokens.is_some();
    if options.effort == Some(Effort::None) {
        settle.options.effort = None;
        settle.options.thinking_tokens = None;
        if settle.model.thinking == Thinking::Adaptive {
            settle.gone("effort", "the model decides on its own when to think");
        }
    }
    if !wants {
        return;
    }
    if let Some(refused) = why_thinking_is_refused(settle) {
        settle.options.effort = None;
        settle.options.thinking_tokens = None;
        settle.gone("effort", refused);
        return;
    }
    if settle.options.temperature.take().is_some() {
        settle.gone("temperature", "it cannot be combined with thinking");
    }
    if settle.options.top_p.take().is_some() {
        settle.gone("top_p", "it cannot be combined with thinking");
    }
    if settle.model.thinking == Thinking::Budget {
        set_thinking_tokens(settle);
    } else if settle.options.thinking_tokens.take().is_some() {
        settle.gone("thinking_tokens", "the model decides on its own how long to think");
        settle.options.effort = settle.options.effort.or(Some(Effort::High));
    }
}

/// Returns why the request cannot have thinking.
fn why_thinking_is_refused(settle: &Settle<'_>) -> Option<&'static str> {
    let is_forced = match settle.options.tool_choice {
        Some(ToolChoice::Required | ToolChoice::Tool(_)) => true,
        Some(ToolChoice::Auto | ToolChoice::None) | None => false,
    };
    let has_budget = settle.model.thinking == Thinking::Budget;
    if is_forced {
        Some("thinking cannot be combined with a forced `tool_choice`")
    } else if settle.turns.last().is_some_and(|turn| turn.speaker == Speaker::Assistant) {
        Some("thinking cannot be combined with a started answer")
    } else if has_budget
        && is_in_tool_loop(settle.turns)
        && !loop_begins_with_thinking(settle.turns)
    {
        Some("the model made the open calls without thinking")
    } else {
        None
    }
}

/// Sets the tokens for thinking, from the effort if the caller gave no number.
fn set_thinking_tokens(settle: &mut Settle<'_>) {
    let asked = settle.options.thinking_tokens.unwrap_or(match settle.options.effort {
        Some(Effort::None | Effort::Minimal) | None => 1_024,
        Some(Effort::Low) => 2_048,
        Some(Effort::Medium) => 8_192,
        Some(Effort::High) => 16_384,
        Some(Effort::Xhigh) => 24_576,
        Some(Effort::Max) => 32_000,
    });
    let most = settle.options.max_output_tokens.map_or(u64::MAX, |limit| limit.saturating_sub(1));
    let tokens = asked.max(1_024).min(most);
    settle.options.effort = None;
    settle.options.thinking_tokens = Some(tokens).filter(|tokens| *tokens >= 1_024);
    if tokens < 1_024 {
        settle.gone("thinking_tokens", "the number must be at least 1024 and less than `max_tokens`");
    } else if settle.options.thinking_tokens != Some(asked) {
        settle.rewritten("thinking_tokens", &format!("{tokens}"));
    }
}

/// Returns true if the assistant thought before the first call of the open loop.
fn loop_begins_with_thinking(turns: &[Turn]) -> bool {
    let has_content = |turn: &Turn| {
        let answers = turn.blocks.iter().all(|block| matches!(block.item.part, Part::ToolResult(_)));
        turn.speaker == Speaker::User && !answers
    };
    let start = turns.iter().rposition(has_content).map_or(0, |at| at + 1);
    let mut assistants = turns.iter().skip(start).filter(|turn| turn.speaker == Speaker::Assistant);
    assistants.next().is_some_and(|turn| {
        turn.blocks.first().is_some_and(|block| matches!(block.item.part, Part::Reasoning(_)))
    })
}

fn respond(settle: &mut Settle<'_>) {
    let Some(response) = &mut settle.options.response_schema else { return };
    let closed = strict::strict_object(&response.schema, StrictRules::Closed);
    let prefilled = settle.turns.last().is_some_and(|turn| turn.speaker == Speaker::Assistant);
    let cites = settle.turns.iter().flat_map(|turn| &turn.blocks).any(|block| {
        block.item.part.as_media().is_some_and(|media| media.about.contains_key("citations"))
    });
    match closed.filter(|_| !prefilled && !cites) {
        Some(closed) => response.schema = closed,
        None => {
            settle.options.response_schema = None;
            let why = "its schema has unsupported keys, or the request has citations or a started answer";
            settle.gone("response_schema", why);
        }
    }
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let options = draft.options;
    let mut out = Out::new();
    out.put("model", options.model.as_deref());
    out.put("max_tokens", Some(options.max_output_tokens.unwrap_or(LIMIT)));
    out.put("system", system(draft.turns));
    out.put("messages", Some(messages(draft.turns)));
    out.put("tools", draft.tools());
    out.put("tool_choice", tool_choice(options));
    out.put("temperature", options.temperature.clone());
    out.put("top_p", options.top_p.clone());
    out.put("stop_sequences", Some(options.stop.clone()).filter(|stop| !stop.is_empty()));
    out.put("thinking", thinking(options));
    let mut config = Out::new();
    config.put("effort", options.effort.map(effort));
    config.put(
        "format",
        options.response_schema.as_ref().map(|response| {
            Json::from([("type", Json::from("json_schema")), ("schema", response.schema.clone().into())])
        }),
    );
    out.put_object("output_config", config);
    out.put("metadata", Some(options.metadata.clone()).filter(|metadata| !metadata.is_empty()));
    out
}

fn thinking(options: &Options) -> Option<Json> {
    if let Some(tokens) = options.thinking_tokens {
        return Some(Json::from([
            ("type", Json::from("enabled")),
            ("budget_tokens", Json::from(tokens)),
        ]));
    }
    options.effort.map(|_| Json::from([("type", "adaptive")]))
}

const fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::None | Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Xhigh => "xhigh",
        Effort::Max => "max",
    }
}

fn tool_choice(options: &Options) -> Option<Json> {
    let alone = options.parallel_tool_calls == Some(false);
    let mut out = match (&options.tool_choice, alone) {
        (None, false) => return None,
        (None | Some(ToolChoice::Auto), _) => object([("type", "auto".into())]),
        (Some(ToolChoice::None), _) => return Some(Json::from([("type", "none")])),
        (Some(ToolChoice::Required), _) => object([("type", "any".into())]),
        (Some(ToolChoice::Tool(name)), _) => {
            object([("type", "tool".into()), ("name", name.as_str().into())])
        }
    };
    if alone {
        out.insert("disable_parallel_tool_use".into(), true.into());
    }
    Some(Json::Object(out))
}

/// Returns the separate system prompt, if there is one.
fn system(turns: &[Turn]) -> Option<Body<'_>> {
    let systems = turns.iter().take_while(|turn| turn.speaker.is_system());
    let blocks: Vec<Body<'_>> = systems.flat_map(|turn| &turn.blocks).filter_map(written).collect();
    (!blocks.is_empty()).then_some(Body::List(blocks))
}

fn messages(turns: &[Turn]) -> Body<'_> {
    turns.iter().skip_while(|turn| turn.speaker.is_system()).map(message).collect()
}

fn message(turn: &Turn) -> Body<'_> {
    let role = match turn.speaker {
        Speaker::Assistant => "assistant",
        Speaker::System | Speaker::Developer => "system",
        Speaker::User | Speaker::Tool => "user",
    };
    let blocks = turn.blocks.iter().filter_map(written).collect();
    Body::object([("role", role.into()), ("content", blocks)])
}

fn written(block: &Block) -> Option<Body<'_>> {
    let mut out = block_of(&block.item.part)?;
    if let Some(citations) = block.item.citations(Provider::Anthropic) {
        out.put("citations", citations.into());
    }
    if let Some(mark) = block.item.cache() {
        out.put("cache_control", cache_control(mark).into());
    }
    Some(out)
}

fn block_of(part: &Part) -> Option<Body<'_>> {
    Some(match part {
        Part::Text(text) | Part::Refusal(text) => {
            Body::object([("type", "text".into()), ("text", text.into())])
        }
        Part::Media(media) => media_block(media).into(),
        Part::ToolCall(call) => Body::object([
            ("type", "tool_use".into()),
            ("id", call.id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("input", (&call.arguments).into()),
        ]),
        Part::ToolResult(answer) => {
            let mut out = Out::new();
            out.put("type", Some("tool_result"));
            out.put("tool_use_id", Some(answer.call_id.as_str()));
            let content = match answer.parts.as_slice() {
                [] => None,
                [Part::Text(text)] => Some(Body::from(text)),
                several => Some(several.iter().filter_map(block_of).collect()),
            };
            out.put("content", content);
            out.put("is_error", answer.failed.then_some(true));
            out.into()
        }
        Part::Reasoning(thought) => return thinking_block(thought),
        Part::Own(own) => Body::from(&own.value),
    })
}

fn thinking_block(thought: &Reasoning) -> Option<Body<'_>> {
    match &thought.proof {
        Proof::Signature(signature) => Some(Body::object([
            ("type", "thinking".into()),
            ("thinking", (&thought.text).into()),
            ("signature", signature.as_str().into()),
        ])),
        Proof::Redacted(data) => Some(Body::object([
            ("type", "redacted_thinking".into()),
            ("data", data.as_str().into()),
        ])),
        Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => None,
    }
}

fn media_block(media: &Media) -> Json {
    let mime = media.mime();
    let kind = if media.kind() == MediaKind::Image { "image" } else { "document" };
    let source = match &media.source {
        FileSource::Url(url) => Json::from([("type", "url"), ("url", url)]),
        FileSource::Data(data) => {
            Json::from([("type", "base64"), ("media_type", mime), ("data", data)])
        }
        FileSource::Text(text) => {
            Json::from([("type", "text"), ("media_type", "text/plain"), ("data", text)])
        }
        FileSource::Id { id, .. } => Json::from([("type", "file"), ("file_id", id)]),
        FileSource::Opaque { .. } => return Json::from([("type", "text"), ("text", &media.line())]),
    };
    let mut out = object([("type", kind.into()), ("source", source)]);
    if kind == "document" {
        for (key, value) in &media.about {
            // other providers write `true` for it
            let enabled = key == "citations" && value.as_object().is_none();
            let value = if enabled { Json::from([("enabled", true)]) } else { value.clone() };
            out.insert(key.clone(), value);
        }
    }
    Json::Object(out)
}

fn tool(tool: &Tool) -> Json {
    let mut out = object([("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    out.insert("input_schema".into(), tool.schema.clone().unwrap_or_else(no_parameters));
    if let Some(strict) = tool.strict {
        out.insert("strict".into(), strict.into());
    }
    out.extend(tool.more.iter().map(|(key, value)| (key.clone(), value.clone())));
    if let Some(mark) = tool.cache {
        out.insert("cache_control".into(), cache_control(mark));
    }
    Json::Object(out)
}
