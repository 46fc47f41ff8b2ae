//! Bodies of another API than the one that is named.

use super::body::{Api, list, text};
use crate::value::json::Field;
use crate::{Error, Result};

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
    let role =
        |name: &str| list(json, "messages").iter().any(|each| text(each, "role") == Some(name));
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
            || !(has("instructions") || has("previous_response_id") || has("prompt"))
        {
            let path = body.path().key(needed);
            return Err(Error::bad_request(format!("`{needed}` is missing")).at(path));
        }
    }
    match api {
        Api::Anthropic if tool("function") => other("tools", "openai_chat"),
        Api::Anthropic if role("tool") || role("developer") => other("messages", "openai_chat"),
        Api::Anthropic if has("toolConfig") || has("inferenceConfig") => {
            other("messages", "bedrock")
        }
        Api::Chat if has("system") || has("anthropic_version") => other("system", "anthropic"),
        Api::Chat if tool("input_schema") => other("tools", "anthropic"),
        Api::Chat if has("toolConfig") || has("inferenceConfig") => other("messages", "bedrock"),
        Api::Bedrock if has("tools") => other("tools", "anthropic"),
        _ => Ok(()),
    }
}
