//! Request bodies of providers: the API, and the content.

use super::message::messages;
use super::model::{Draft, Origin, UnknownSubject};
use super::parts::parts;
use super::pick::{self, list, some, text};
use super::tools::tools;
use crate::value::json::Json;
use std::sync::Arc;

/// OpenAI Chat Completions.
pub const CHAT: &str = "openai_chat";
/// OpenAI Responses.
pub const RESPONSES: &str = "openai_responses";
/// Anthropic Messages.
pub const ANTHROPIC: &str = "anthropic";
/// Gemini.
pub const GEMINI: &str = "gemini";

/// Returns the API of a body. `None` if it is not a request body.
pub fn api(body: &Json) -> Option<&'static str> {
    body.as_object()?;
    if body.get("contents").is_some_and(|contents| contents.as_array().is_some()) {
        return Some(GEMINI);
    }
    let input = body.get("input");
    let asks = text(body, "model").is_some() || body.get("tools").is_some();
    if input.is_some_and(|input| input.as_array().is_some() || input.as_str().is_some())
        && asks
        && body.get("messages").is_none()
        && body.get("output").is_none()
    {
        return Some(RESPONSES);
    }
    let spoken = body.get("messages")?.as_array()?;
    if !spoken.iter().all(|message| message.get("role").is_some()) || body.get("choices").is_some()
    {
        return None;
    }
    let system = spoken
        .iter()
        .any(|message| matches!(text(message, "role"), Some("system" | "developer" | "tool")));
    let calls = spoken.iter().any(|message| message.get("tool_calls").is_some());
    let schemas = list(body, "tools").iter().any(|tool| tool.get("input_schema").is_some());
    let blocks = spoken.iter().flat_map(|message| list(message, "content")).any(|block| {
        matches!(
            text(block, "type"),
            Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking")
        ) || block.get("source").is_some()
    });
    if body.get("system").is_some() || schemas || blocks {
        return Some(ANTHROPIC);
    }
    if body.get("max_tokens").is_some()
        && !system
        && !calls
        && list(body, "tools").is_empty()
        && body.get("n").is_none()
    {
        // only the required limit distinguishes the two
        let model = text(body, "model").unwrap_or("");
        return Some(if model.starts_with("gpt") || model.starts_with("o1") {
            CHAT
        } else {
            ANTHROPIC
        });
    }
    Some(CHAT)
}

/// Returns true if a value is a request body.
pub fn is_body(value: &Json) -> bool {
    api(value).is_some()
        && (text(value, "model").is_some()
            || value.get("contents").is_some()
            || value.get("tools").is_some()
            || value.get("max_tokens").is_some())
}

/// Reads the content of a body.
pub fn draft(body: &Json, origin: &Origin) -> Draft {
    let mut draft = Draft {
        model: text(body, "model").map(str::to_owned),
        api: api(body),
        tools: Some(tools(body.get("tools").unwrap_or(&Json::Null))),
        origin: origin.clone(),
        ..Draft::default()
    };
    for key in ["system", "systemInstruction", "system_instruction", "instructions"] {
        if let Some(system) = some(body, key) {
            draft.system.extend(texts(system));
        }
    }
    for key in ["messages", "contents", "input"] {
        match body.get(key) {
            Some(Json::Array(items)) => {
                draft.messages.extend(messages(items, &origin.at(key)));
            }
            Some(Json::String(words)) => {
                let origin = origin.at(key);
                draft.messages.push(super::model::Message::text(
                    super::model::Role::User,
                    words.clone(),
                    origin,
                ));
            }
            Some(_) | None => {}
        }
    }
    draft.lead_system();
    if some(body, "previous_response_id").is_some() {
        draft.lacks(
            UnknownSubject::Messages,
            "the body names an earlier response and has only new messages",
        );
    }
    draft.body = Some(Arc::new(body.clone()));
    draft
}

/// Returns the strings of a system prompt: text, blocks, or a content object.
pub fn texts(system: &Json) -> Vec<String> {
    let content = some(system, "parts").or_else(|| some(system, "content")).unwrap_or(system);
    parts(content)
        .into_iter()
        .filter_map(|part| match part {
            super::model::Part::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

/// Returns the answer in a response of any provider, with its id, model and tokens.
pub fn answer(response: &Json, draft: &mut Draft) {
    draft.response_id =
        text(response, "id").or_else(|| text(response, "responseId")).map(str::to_owned);
    if let Some(usage) = some(response, "usage").or_else(|| some(response, "usageMetadata")) {
        draft.usage = pick::usage(usage);
    }
    if draft.model.is_none() {
        draft.model = text(response, "model").map(str::to_owned);
    }
    let origin = Origin::default();
    let spoken: Vec<Json> = if let Some(choice) = list(response, "choices").first() {
        choice.get("message").cloned().into_iter().collect()
    } else if response.get("output").is_some_and(|output| output.as_array().is_some()) {
        list(response, "output").to_vec()
    } else if let Some(candidate) = list(response, "candidates").first() {
        candidate.get("content").cloned().into_iter().collect()
    } else if response.get("content").is_some() {
        vec![response.clone()]
    } else {
        Vec::new()
    };
    draft.output =
        messages(&spoken, &origin).into_iter().flat_map(|message| message.parts).collect();
}
