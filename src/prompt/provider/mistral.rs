//! Mistral: chat completions with rules of their own.

use super::demands::{Alternate, Charset, Demands, OPEN, StrictRules, System, Token, WORD_64};
use super::draft::{Draft, Out};
use super::media::{WEB, is_picture};
use super::models::Model;
use super::openai_chat;
use super::spec::{Spec, Spot};
use super::turn::{Body, Media, MediaKind, Place, Speaker, Turn};
use crate::value::json::{Json, Object};

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
    body,
    ..openai_chat::SPEC
};

fn takes(spot: Spot, media: &Media, _: &Model) -> bool {
    let picture = is_picture(media) && (media.is_base64() || media.is_at(WEB));
    let document = media.kind() == MediaKind::Pdf && media.is_at(WEB);
    spot == Spot::User && (picture || document)
}

/// Chat completions, with the limit under another key, documents by their address, and a mark on
/// an answer that is begun.
fn body(draft: &Draft<'_>) -> Object {
    let mut out = Out::new();
    openai_chat::written(draft, &mut out, "max_tokens");
    let Some(Json::Array(messages)) = out.0.get_mut("messages") else { return out.0 };
    for (message, turn) in messages.iter_mut().zip(draft.turns) {
        if let Json::Object(message) = message
            && let Some(Json::Array(parts)) = message.get_mut("content")
        {
            documents(parts, turn);
        }
    }
    let prefilled = draft.turns.last().is_some_and(|turn| turn.speaker == Speaker::Assistant);
    if prefilled && let Some(Json::Object(last)) = messages.last_mut() {
        last.insert("prefix".into(), true.into());
    }
    out.0
}

/// Every text and every file of a turn is one part, in order.
fn documents(parts: &mut [Json], turn: &Turn) {
    let said = turn.blocks.iter().filter(|block| match &block.body {
        Body::Text(_) | Body::Media(_) | Body::Refusal(_) => true,
        Body::Call(_) | Body::Answer(_) | Body::Reasoning(_) | Body::Own(_) => false,
    });
    for (part, block) in parts.iter_mut().zip(said) {
        if let Body::Media(media) = &block.body
            && media.kind() == MediaKind::Pdf
            && let Place::Address(url) = &media.place
        {
            *part = Json::from([("type", "document_url"), ("document_url", url.as_str())]);
        }
    }
}
