//! Request bodies of providers: the API, and the content.

use super::message::messages;
use super::model::{Draft, Origin, UnknownSubject};
use super::parts::parts;
use super::pick::{self, list, some, text};
use super::tools::tools;
use crate::prompt::provider::{Provider, joined};
use crate::value::json::Json;
use std::borrow::Cow;
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

/// Adds what the URL of a request shows: the API, and the model of Gemini.
pub fn from_url(url: &str, draft: &mut Draft) {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let (name, method) = last.split_once(':').unwrap_or(("", last));
    let api = match method {
        "messages" => Some(ANTHROPIC),
        "completions" => Some(CHAT),
        "responses" => Some(RESPONSES),
        "generateContent" | "streamGenerateContent" => Some(GEMINI),
        _ => None,
    };
    draft.api = api.or(draft.api);
    if api == Some(GEMINI) && draft.model.is_none() && !name.is_empty() {
        draft.model = Some(name.to_owned());
    }
}

/// Notes a status that is an error, unless the answer has a reason.
pub fn failed(status: Option<u64>, draft: &mut Draft) {
    if let Some(status) = status.filter(|status| *status >= 400)
        && draft.error.is_none()
    {
        draft.error = Some(format!("HTTP {status}"));
    }
}

/// Returns the answer in what a recorder stored: a response of any provider, the text of a stream, or
/// its events. Adds its id, model and tokens.
pub fn answer(response: &Json, draft: &mut Draft) {
    match events(response) {
        Some(events) => whole(&of_events(&events, draft.api), draft),
        None => whole(response, draft),
    }
}

/// Returns the events of a stream; `None` for a whole answer.
fn events(response: &Json) -> Option<Cow<'_, [Json]>> {
    match response {
        Json::Array(events) => Some(Cow::Borrowed(events)),
        Json::Object(_) => response.get("events")?.as_array().map(Cow::Borrowed),
        Json::String(text) => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            let events: Vec<Json> = data.filter_map(pick::open).collect();
            (!events.is_empty()).then_some(Cow::Owned(events))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => None,
    }
}

/// Returns the whole answer of a stream; of an unknown or broken stream its last tokens.
fn of_events(events: &[Json], api: Option<&str>) -> Json {
    let provider = match api {
        Some(CHAT) => Some(Provider::OpenaiChat),
        Some(RESPONSES) => Some(Provider::OpenaiResponses),
        Some(ANTHROPIC) => Some(Provider::Anthropic),
        Some(GEMINI) => Some(Provider::Gemini),
        Some(_) | None => None,
    };
    let has_usage = |it: &Json| some(it, "usage").is_some() || some(it, "usageMetadata").is_some();
    let last = || events.iter().rev().find(|event| has_usage(event)).cloned();
    let answer = provider.and_then(|provider| joined(provider, events));
    match (answer, last()) {
        // the start of the stream, which has the first numbers, is missing
        (Some(Json::Object(mut answer)), Some(Json::Object(last)))
            if !answer.keys().any(|key| key.starts_with("usage")) =>
        {
            answer.extend(last.into_iter().filter(|(key, _)| key.starts_with("usage")));
            Json::Object(answer)
        }
        (Some(answer), _) => answer,
        (None, last) => last.unwrap_or_default(),
    }
}

fn whole(response: &Json, draft: &mut Draft) {
    draft.error = some(response, "error").map(reason);
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

/// Returns the reason of an error: its message, or its type.
fn reason(error: &Json) -> String {
    let words = text(error, "message").or_else(|| text(error, "type")).or_else(|| error.as_str());
    words.map_or_else(|| error.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::model::Part;

    #[test]
    fn the_url_shows_the_api_and_the_model() {
        let read = |url: &str| {
            let mut draft = Draft { api: Some(CHAT), ..Draft::default() };
            from_url(url, &mut draft);
            (draft.api.unwrap_or(""), draft.model.unwrap_or_default())
        };
        assert_eq!(read("https://a.b/v1/messages?beta=true"), (ANTHROPIC, String::new()));
        assert_eq!(read("/v1/responses/"), (RESPONSES, String::new()));
        assert_eq!(read("/v1/other"), (CHAT, String::new()));
        let gemini = "https://a.b/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
        assert_eq!(read(gemini), (GEMINI, "gemini-2.5-pro".to_owned()));
    }

    #[test]
    fn answers_are_read_from_streams_and_events() {
        let started = r#"{"type":"message_start","message":{"id":"m1","role":"assistant","usage":{"input_tokens":7}}}"#;
        let opened =
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
        let more = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}"#;
        let ended = r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":2}}"#;
        let all = [started, opened, more, ended];
        let text: String = all.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect();
        let list = Json::parse(&format!(r#"{{"events":[{}]}}"#, all.join(","))).unwrap();
        for response in [Json::from(text), list] {
            let mut draft = Draft { api: Some(ANTHROPIC), ..Draft::default() };
            answer(&response, &mut draft);
            assert_eq!(draft.output, [Part::Text("Yes.".to_owned())]);
            assert_eq!((draft.usage.input, draft.usage.output), (Some(7), Some(2)));
        }
        // without an API only the tokens are read
        let mut draft = Draft::default();
        answer(&Json::from(format!("data: {ended}\n\ndata: [DONE]\n\n")), &mut draft);
        assert_eq!((draft.output.len(), draft.usage.output), (0, Some(2)));
    }

    #[test]
    fn errors_have_a_reason() {
        let reasons = [r#"{"message":"busy","type":"t"}"#, r#"{"type":"t"}"#, r#""words""#];
        let found = reasons.map(|error| {
            let mut draft = Draft::default();
            answer(&Json::parse(&format!(r#"{{"error":{error}}}"#)).unwrap(), &mut draft);
            draft.error.unwrap_or_default()
        });
        assert_eq!(found, ["busy", "t", "words"]);
    }
}
