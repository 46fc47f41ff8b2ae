//! Amazon Bedrock: the body of `Converse`.

use super::body::Out;
use super::choice::ToolChoice;
use super::demands::{Alternate, Blank, Demands, OPEN, SchemaRules, StrictRules, System, WORD_64};
use super::draft::{Draft, Settle};
use super::media::is_picture;
use super::models::Model;
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::part::{CacheMark, FileSource, Media, MediaKind, Part, Proof};
use super::turn::{Block, Speaker, Turn};
use super::{Change, Options, anthropic, object};
use crate::value::json::{Json, Object};

pub(super) const SPEC: Spec = Spec {
    name: "bedrock",
    family: "amazon",
    demands: Demands {
        paired: true,
        adjacent: true,
        call_id: Some(WORD_64),
        unique_calls: true,
        tool_name: Some(WORD_64),
        object_arguments: true,
        system: System::Apart,
        developer: false,
        alternate: Alternate::Sides,
        user_first: true,
        user_last: true,
        blank: Blank::Refuse,
        names: false,
        failures: true,
        cache_marks: 4,
        called_tools: true,
        schema: SchemaRules { strict: StrictRules::None, ..anthropic::SPEC.demands.schema },
        ..OPEN
    },
    media: takes,
    about: &[],
    reasoning: |thought, _| match thought.proof {
        Proof::Signature(_) | Proof::Redacted(_) => true,
        Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => false,
    },
    own_keys: &["messages", "system", "toolConfig"],
    options: &["tool_choice", "temperature", "top_p", "stop", "metadata"],
    settle,
    looks_back: |_, _| false,
    body,
    tool,
    ..anthropic::SPEC
};

pub(super) const READER: Option<Reader> = Some(response::bedrock::READER);

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let placed = media.is_base64() || media.is_at(&["s3://"]);
    let known = match media.kind() {
        MediaKind::Image => is_picture(media) && media.mime() != "image/*",
        MediaKind::Pdf => true,
        MediaKind::Text => document_format(media.mime()).is_some(),
        MediaKind::Audio | MediaKind::Video | MediaKind::Other => false,
    };
    placed && known && spot != Spot::Elsewhere
}

fn document_format(mime: &str) -> Option<&'static str> {
    Some(match mime {
        "application/pdf" => "pdf",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/plain" => "txt",
        "text/markdown" => "md",
        _ => return None,
    })
}

fn settle(settle: &mut Settle<'_>) {
    settle.text_metadata();
    if matches!(settle.options.tool_choice, Some(ToolChoice::None)) {
        settle.options.tool_choice = None;
        settle.gone("tool_choice", "the provider has no `none`");
    }
    // the guide to documents: a message that holds one also holds text
    for turn in settle.turns.iter_mut() {
        let at = turn.at.unwrap_or_default();
        let document = |block: &Block| {
            block.item.part.as_media().is_some_and(|media| media.kind() != MediaKind::Image)
        };
        let has_text = turn.blocks.iter().any(|block| matches!(block.item.part, Part::Text(_)));
        if turn.blocks.iter().any(document) && !has_text {
            turn.blocks.push(Block::new(None, Part::Text("(see the document)".into())));
            let reason = "a document needs text in the same message";
            settle.losses.message(Change::UserAdded, at, reason);
        }
    }
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let options = draft.options;
    let mut out = Out::new();
    let systems = draft.turns.iter().take_while(|turn| turn.speaker.is_system());
    let system: Vec<Json> = systems.flat_map(|turn| &turn.blocks).flat_map(written).collect();
    out.put("system", Some(Json::Array(system)).filter(Json::is_truthy));
    let messages = draft.turns.iter().filter(|turn| !turn.speaker.is_system());
    out.put("messages", Some(messages.map(message).collect::<Json>()));
    let mut config = Out::new();
    config.put("maxTokens", options.max_output_tokens);
    config.put("temperature", options.temperature.clone());
    config.put("topP", options.top_p.clone());
    config.put("stopSequences", Some(options.stop.clone()).filter(|stop| !stop.is_empty()));
    out.put_object("inferenceConfig", config);
    let tools: Vec<Json> = draft.tools.iter().flat_map(|one| tools_of(draft, one)).collect();
    if !tools.is_empty() {
        let mut config = Out::new();
        config.put("tools", Some(Json::Array(tools)));
        config.put("toolChoice", tool_choice(options));
        out.put_object("toolConfig", config);
    }
    out.put("requestMetadata", Some(options.metadata.clone()).filter(|given| !given.is_empty()));
    out
}

fn tools_of(draft: &Draft<'_>, tool: &Tool) -> Vec<Json> {
    let mark = tool.cache.map(cache_point);
    std::iter::once(draft.tool(tool)).chain(mark).collect()
}

fn cache_point(mark: CacheMark) -> Json {
    let point = match mark {
        CacheMark::Default => Json::from([("type", "default")]),
        CacheMark::Hour => Json::from([("type", "default"), ("ttl", "1h")]),
    };
    Json::from([("cachePoint", point)])
}

fn tool_choice(options: &Options) -> Option<Json> {
    let empty = || Json::Object(Object::default());
    Some(match options.tool_choice.as_ref()? {
        ToolChoice::Auto | ToolChoice::None => Json::from([("auto", empty())]),
        ToolChoice::Required => Json::from([("any", empty())]),
        ToolChoice::Tool(name) => Json::from([("tool", Json::from([("name", name.as_str())]))]),
    })
}

fn message(turn: &Turn) -> Json {
    let role = match turn.speaker {
        Speaker::Assistant => "assistant",
        Speaker::User | Speaker::Tool | Speaker::System | Speaker::Developer => "user",
    };
    let blocks: Vec<Json> = turn.blocks.iter().flat_map(written).collect();
    Json::from([("role", Json::from(role)), ("content", Json::Array(blocks))])
}

/// A block, and the point after it where the cache may end.
fn written(block: &Block) -> Vec<Json> {
    let mark = block.item.cache().map(cache_point);
    block_of(&block.item.part).into_iter().chain(mark).collect()
}

fn block_of(part: &Part) -> Option<Json> {
    Some(match part {
        Part::Text(text) | Part::Refusal(text) => Json::from([("text", text.as_str())]),
        Part::Media(media) => media_block(media),
        Part::ToolCall(call) => {
            let call = Json::from([
                ("toolUseId", Json::from(call.id.as_str())),
                ("name", Json::from(call.name.as_str())),
                ("input", call.arguments.object()),
            ]);
            Json::from([("toolUse", call)])
        }
        Part::ToolResult(answer) => {
            let mut content: Vec<Json> = answer.parts.iter().filter_map(block_of).collect();
            content.retain(|block| block.get("text").is_none_or(Json::is_truthy));
            if content.is_empty() {
                content.push(Json::from([("text", "(nothing)")]));
            }
            let mut out = object([
                ("toolUseId", answer.call_id.as_str().into()),
                ("content", Json::Array(content)),
            ]);
            if answer.failed {
                out.insert("status".into(), "error".into());
            }
            Json::from([("toolResult", Json::Object(out))])
        }
        Part::Reasoning(thought) => {
            let inner = match &thought.proof {
                Proof::Signature(signature) => {
                    let text = [("text", thought.text.as_str()), ("signature", signature)];
                    Json::from([("reasoningText", Json::from(text))])
                }
                Proof::Redacted(data) => Json::from([("redactedContent", data.as_str())]),
                Proof::None | Proof::Item(_) | Proof::Thought | Proof::Chunk(_) => return None,
            };
            Json::from([("reasoningContent", inner)])
        }
        Part::Own(own) => own.value.clone(),
    })
}

fn media_block(media: &Media) -> Json {
    let source = match &media.source {
        FileSource::Data(data) => Json::from([("bytes", data.as_str())]),
        FileSource::Url(uri) => Json::from([("s3Location", Json::from([("uri", uri.as_str())]))]),
        FileSource::Text(_) | FileSource::Id { .. } | FileSource::Opaque { .. } => {
            return Json::from([("text", media.line())]);
        }
    };
    if media.kind() == MediaKind::Image {
        let format = media.mime().strip_prefix("image/").unwrap_or_default();
        let image = Json::from([("format", Json::from(format)), ("source", source)]);
        return Json::from([("image", image)]);
    }
    let document = Json::from([
        ("format", Json::from(document_format(media.mime()).unwrap_or("txt"))),
        ("name", Json::from(document_name(media))),
        ("source", source),
    ]);
    Json::from([("document", document)])
}

/// Letters, digits, single spaces, hyphens, parentheses and square brackets.
fn document_name(media: &Media) -> String {
    let named = media.name.as_deref().unwrap_or("document");
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
    let name: String = named.chars().map(|c| if legal(c) { c } else { '-' }).take(200).collect();
    if name.is_empty() { "document".to_owned() } else { name }
}

fn tool(tool: &Tool) -> Json {
    let mut out = object([("name", tool.name.as_str().into())]);
    if let Some(description) = tool.description.as_deref().filter(|text| !text.is_empty()) {
        out.insert("description".into(), description.into());
    }
    let schema = tool.schema.clone().unwrap_or_else(no_parameters);
    out.insert("inputSchema".into(), Json::from([("json", schema)]));
    Json::from([("toolSpec", Json::Object(out))])
}
