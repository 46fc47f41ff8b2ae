//! Mistral: chat completions with differences.

use super::body::Out;
use super::demands::{Alternate, Charset, Demands, OPEN, StrictRules, System, Token, WORD_64};
use super::draft::Draft;
use super::media::{WEB, is_picture};
use super::models::Model;
use super::openai_chat;
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::{Tool, no_parameters};
use super::part::{FileSource, Media, MediaKind, Part, Proof, Reasoning};
use super::turn::{Speaker, Turn};
use crate::render::REASONING;
use crate::value::json::Json;

pub(super) const SPEC: Spec = Spec {
    name: "mistral",
    family: "mistral",
    demands: Demands {
        paired: true,
        adjacent: true,
        call_id: Some(Token { max: 9, charset: Charset::Alphanumeric, exact: true }),
        unique_calls: true,
        tool_name: Some(WORD_64),
        system: System::First,
        developer: false,
        alternate: Alternate::Speakers,
        user_last: true,
        assistant_after_results: true,
        prefill: true,
        names: false,
        schema: openai_chat::SCHEMA,
        most_tools: 128,
        ..OPEN
    },
    media: takes,
    about: &[],
    own_keys: &["model", "messages", "tools", "max_tokens"],
    options: &[
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
    ],
    settle: |settle| settle.strict_response(StrictRules::AllRequired),
    // a thought is sent as a chunk: the original, or one of its text
    reasoning: |thought, options| {
        matches!(thought.proof, Proof::Chunk(_)) || options.keep_reasoning
    },
    body,
    tool,
    ..openai_chat::SPEC
};

pub(super) const READER: Option<Reader> = Some(response::mistral::READER);

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let picture = is_picture(media) && (media.is_base64() || media.is_at(WEB));
    let document = media.kind() == MediaKind::Pdf && media.is_at(WEB);
    spot == Spot::User && (picture || document)
}

/// Chat completions, with the limit under another key, documents by their address, and a mark on
/// an answer that is begun.
fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let mut out = Out::new();
    openai_chat::written(draft, &mut out, "max_tokens");
    let Some(messages) = out.list_mut("messages") else { return out };
    for (message, turn) in messages.iter_mut().zip(draft.turns) {
        let Json::Object(message) = message else { continue };
        if let Some(Json::Array(parts)) = message.get_mut("content") {
            documents(parts, turn);
        }
        if message.remove(REASONING).is_some() {
            let content = message.get("content").cloned().unwrap_or_default();
            message.insert("content".into(), with_thoughts(content, turn));
        }
    }
    let prefilled = draft.turns.last().is_some_and(|turn| turn.speaker == Speaker::Assistant);
    if prefilled && let Some(Json::Object(last)) = messages.last_mut() {
        last.insert("prefix".into(), true.into());
    }
    out
}

/// Returns the content with the thoughts in their positions.
fn with_thoughts(content: Json, turn: &Turn) -> Json {
    let content_parts = match content {
        Json::Array(parts) => parts,
        Json::Null => Vec::new(),
        text => vec![Json::from([("type", Json::from("text")), ("text", text)])],
    };
    let mut content_parts = content_parts.into_iter();
    let mut parts = Vec::new();
    for block in &turn.blocks {
        match &block.item.part {
            Part::Reasoning(thought) => parts.push(chunk(thought)),
            Part::Text(_) | Part::Media(_) | Part::Refusal(_) => parts.extend(content_parts.next()),
            Part::ToolCall(_) | Part::ToolResult(_) | Part::Own(_) => {}
        }
    }
    Json::Array(parts)
}

fn chunk(thought: &Reasoning) -> Json {
    match &thought.proof {
        Proof::Chunk(chunk) => chunk.clone(),
        Proof::None
        | Proof::Signature(_)
        | Proof::Redacted(_)
        | Proof::Item(_)
        | Proof::Thought => {
            let text = Json::from([("type", "text"), ("text", thought.text.as_str())]);
            let texts = Json::Array(vec![text]);
            Json::from([("type", Json::from("thinking")), ("thinking", texts)])
        }
    }
}

/// A function without arguments also has a schema.
fn tool(tool: &Tool) -> Json {
    let schema = Some(tool.schema.clone().unwrap_or_else(no_parameters));
    openai_chat::tool(&Tool { schema, ..tool.clone() })
}

/// Returns each text and file of a turn as a part, in order.
fn documents(parts: &mut [Json], turn: &Turn) {
    let blocks = turn.blocks.iter().filter(|block| block.item.part.is_content());
    for (part, block) in parts.iter_mut().zip(blocks) {
        if let Part::Media(media) = &block.item.part
            && media.kind() == MediaKind::Pdf
            && let FileSource::Url(url) = &media.source
        {
            *part = Json::from([("type", "document_url"), ("document_url", url.as_str())]);
        }
    }
}
