//! Servers with the API of chat completions, such as vLLM, llama.cpp and Ollama. What one does
//! differently is a [`Quirk`].

use super::body::Out;
use super::demands::{Demands, OPEN, WORD_64};
use super::draft::{Draft, Settle};
use super::openai_chat;
use super::quirks::Quirk;
use super::response::{self, Reader};
use super::spec::Spec;
use crate::value::json::{Json, Object};

pub(super) const SPEC: Spec = Spec {
    name: "openai_compatible",
    family: "",
    demands: Demands {
        paired: true,
        adjacent: true,
        tool_name: Some(WORD_64),
        call_id: Some(WORD_64),
        developer: false,
        names: false,
        schema: openai_chat::SCHEMA,
        ..OPEN
    },
    about: &["detail"],
    own_keys: &["model", "messages", "tools", "max_tokens"],
    options: &[
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
        "effort",
    ],
    settle,
    body,
    ..openai_chat::SPEC
};

pub(super) const READER: Option<Reader> = Some(response::chat::READER);

fn settle(settle: &mut Settle<'_>) {
    openai_chat::settle(settle);
    if settle.options.has_quirk(Quirk::NoToolChoice)
        && settle.options.tool_choice.take().is_some()
    {
        settle.gone("tool_choice", "the server does not support it");
    }
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let has = |quirk: Quirk| draft.options.has_quirk(quirk);
    let limit =
        if has(Quirk::MaxCompletionTokens) { "max_completion_tokens" } else { "max_tokens" };
    let mut out = Out::new();
    openai_chat::written(draft, &mut out, limit);
    if has(Quirk::TextContent)
        && let Some(messages) = out.list_mut("messages")
    {
        for message in messages {
            if let Json::Object(message) = message {
                one_text(message);
            }
        }
    }
    out
}

/// Parts that are all text, as one text with empty lines between them.
fn one_text(message: &mut Object) {
    let Some(Json::Array(parts)) = message.get("content") else { return };
    let texts: Option<Vec<&str>> =
        parts.iter().map(|part| part.get("text").and_then(Json::as_str)).collect();
    if let Some(texts) = texts {
        let text = texts.join("\n\n");
        message.insert("content".into(), text.into());
    }
}
