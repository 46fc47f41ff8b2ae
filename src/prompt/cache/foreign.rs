//! Bodies of another API than the one that is named, and bodies without a list of messages.

use super::body::{Api, list, text};
use crate::value::json::{Field, Json};
use crate::{Error, Path, Result};

/// Keys of OpenAI Chat that no body of Anthropic has.
const CHAT_KEYS: [&str; 6] = [
    "functions",
    "max_completion_tokens",
    "parallel_tool_calls",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
];

/// Refuses a body of another API.
pub(super) fn check(api: Api, body: &Field<'_>) -> Result<()> {
    let json = body.json();
    let other = |key: &str, of: &str| -> Result<()> {
        let path = body.path().key(key);
        let message = format!("`{key}` is a key of `{of}`; name the provider of this body");
        Err(Error::bad_request(message).at(path))
    };
    let has = |key: &str| json.get(key).is_some_and(|value| !value.is_null());
    let tool = |key: &str| list(json, "tools").iter().any(|tool| tool.get(key).is_some());
    let any = |test: &dyn Fn(&Json) -> bool| list(json, "messages").iter().any(test);
    let role = |name: &str| any(&|each| text(each, "role") == Some(name));
    let block = |test: &dyn Fn(&Json) -> bool| any(&|each| list(each, "content").iter().any(test));
    let needed = match api {
        Api::Anthropic | Api::Chat | Api::Bedrock => "messages",
        Api::Responses => "input",
        Api::Gemini => "contents",
    };
    let keys = [("messages", "openai_chat"), ("contents", "gemini"), ("input", "openai_responses")];
    if !has(needed) {
        if let Some((key, of)) = keys.iter().find(|(key, _)| *key != needed && has(key)) {
            return other(key, of);
        }
        if api != Api::Responses
            || !["instructions", "previous_response_id", "conversation", "prompt"]
                .into_iter()
                .any(has)
        {
            let path = body.path().key(needed);
            return Err(Error::bad_request(format!("`{needed}` is missing")).at(path));
        }
    }
    shape(api, needed, json, &body.path())?;
    let calls = || any(&|each| each.get("tool_calls").is_some_and(|calls| !calls.is_null()));
    match api {
        Api::Anthropic if tool("function") => other("tools", "openai_chat"),
        Api::Anthropic if role("tool") || role("developer") || calls() => {
            other("messages", "openai_chat")
        }
        Api::Anthropic if has("toolConfig") || has("inferenceConfig") => {
            other("messages", "bedrock")
        }
        Api::Anthropic if block(&is_untyped) => other("messages", "bedrock"),
        Api::Anthropic => match CHAT_KEYS.into_iter().find(|key| has(key)) {
            Some(key) => other(key, "openai_chat"),
            None => Ok(()),
        },
        Api::Chat if has("system") || has("anthropic_version") => other("system", "anthropic"),
        Api::Chat if tool("input_schema") => other("tools", "anthropic"),
        Api::Chat if has("toolConfig") || has("inferenceConfig") => other("messages", "bedrock"),
        Api::Chat if block(&is_tool_block) => other("messages", "anthropic"),
        Api::Bedrock if has("tools") => other("tools", "anthropic"),
        Api::Bedrock if any(&|each| text(each, "content").is_some()) => {
            other("messages", "anthropic")
        }
        Api::Bedrock if block(&|block| text(block, "type").is_some()) => {
            other("messages", "anthropic")
        }
        Api::Chat | Api::Bedrock | Api::Responses | Api::Gemini => Ok(()),
    }
}

/// Returns true for a block of Bedrock, which names its kind by its key.
fn is_untyped(block: &Json) -> bool {
    let names = ["text", "toolUse", "toolResult", "cachePoint", "reasoningContent"];
    block.get("type").is_none() && names.into_iter().any(|name| block.get(name).is_some())
}

/// Returns true for a call in a body of Anthropic. Results have the same name in bodies of imports.
fn is_tool_block(block: &Json) -> bool {
    text(block, "type") == Some("tool_use")
}

/// Refuses messages that are not a list of objects. OpenAI and Gemini also take one string.
fn shape(api: Api, key: &str, json: &Json, body: &Path) -> Result<()> {
    let can_be_text = matches!(api, Api::Responses | Api::Gemini);
    let wrong = |path: Path, message: String| Err(Error::bad_request(message).at(path));
    match json.get(key) {
        None | Some(Json::Null) => Ok(()),
        Some(Json::String(_)) if can_be_text => Ok(()),
        Some(Json::Object(_)) if api == Api::Gemini => Ok(()),
        Some(Json::Array(items)) => {
            let can_be = |item: &Json| {
                item.as_object().is_some() || api == Api::Gemini && item.as_str().is_some()
            };
            match items.iter().position(|item| !can_be(item)) {
                None => Ok(()),
                Some(at) => {
                    let path = body.key(key).index(at);
                    wrong(path, format!("an item of `{key}` must be an object"))
                }
            }
        }
        Some(_) => wrong(body.key(key), format!("`{key}` must be a list")),
    }
}
