//! Tool calls and tool results in the content of messages, in the forms of providers, frameworks and
//! logs.
//!
//! Payloads and imports read them here, so that both know the same forms.

use super::json::Json;
use std::borrow::Cow;

/// The keys of the id of a call, the most specific first.
pub(crate) const IDS: [&str; 8] =
    ["call_id", "tool_use_id", "tool_call_id", "toolCallId", "toolUseId", "callID", "callId", "id"];
/// The keys of the name of a tool.
pub(crate) const NAMES: [&str; 4] = ["name", "toolName", "tool_name", "tool"];
/// The keys of the arguments of a call.
pub(crate) const ARGUMENTS: [&str; 5] = ["arguments", "input", "args", "parameters", "tool_input"];
/// The keys of the content of a result.
pub(crate) const CONTENTS: [&str; 6] = ["content", "output", "result", "response", "value", "text"];

/// A tool call.
pub(crate) struct CallBlock<'a> {
    /// The object that has the name and the arguments.
    pub inner: &'a Json,
    pub id: Option<&'a str>,
    pub name: Cow<'a, str>,
    pub arguments: Option<&'a Json>,
}

/// The result of a tool call.
pub(crate) struct ResultBlock<'a> {
    pub id: Option<&'a str>,
    pub content: Option<&'a Json>,
    pub is_error: bool,
}

/// Returns true for the `type` of a tool call.
pub(crate) fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "tool_use"
            | "tool-call"
            | "tool_call"
            | "toolCall"
            | "function_call"
            | "functionCall"
            | "custom_tool_call"
            | "server_tool_use"
            | "mcp_tool_use"
            | "local_shell_call"
            | "function"
    )
}

/// Returns true for the `type` of a tool result.
pub(crate) fn is_result(kind: &str) -> bool {
    matches!(
        kind,
        "tool_result"
            | "tool-result"
            | "tool_call_response"
            | "tool_call_output"
            | "toolResult"
            | "function_call_output"
            | "custom_tool_call_output"
            | "functionResponse"
            | "tool-return"
            | "local_shell_call_output"
    )
}

/// Returns the call inside a block without a `type`: Gemini's and Bedrock's form.
pub(crate) fn call_inside(block: &Json) -> Option<&Json> {
    first(block, &["functionCall", "function_call", "toolUse"])
}

/// Returns the result inside a block without a `type`: Gemini's and Bedrock's form.
pub(crate) fn result_inside(block: &Json) -> Option<&Json> {
    first(block, &["functionResponse", "function_response", "toolResult"])
}

/// Reads a tool call; nothing without a name.
pub(crate) fn read_call(block: &Json) -> Option<CallBlock<'_>> {
    let nested = first(block, &["function", "custom"]).filter(|inner| inner.as_object().is_some());
    let inner = nested.unwrap_or(block);
    let name = first_text(inner, &NAMES).filter(|name| !name.is_empty())?;
    let namespace = text(block, "namespace").filter(|namespace| !namespace.is_empty());
    let name = match namespace {
        Some(namespace) => Cow::Owned(format!("{namespace}.{name}")),
        None => Cow::Borrowed(name),
    };
    Some(CallBlock {
        inner,
        id: first_text(block, &IDS),
        name,
        arguments: first(inner, &ARGUMENTS),
    })
}

/// Reads a tool result.
pub(crate) fn read_result(block: &Json) -> ResultBlock<'_> {
    let content = first(block, &CONTENTS);
    let is_error = has_failed(&|key| block.get(key)) || content.is_some_and(is_error_content);
    ResultBlock { id: first_text(block, &IDS), content, is_error }
}

/// Returns true when the keys of a result, or of a message that is one, state that the call failed.
pub(crate) fn has_failed<'a>(get: &dyn Fn(&str) -> Option<&'a Json>) -> bool {
    let flag = ["is_error", "isError"].iter().any(|key| get(key) == Some(&Json::Bool(true)));
    let status = get("status").and_then(Json::as_str);
    flag || matches!(status, Some("error" | "failed" | "failure"))
}

/// Returns true for a content that states an error: that of the AI SDK (`error-text`, `error-json`),
/// and Gemini's `{"error": ..}`.
fn is_error_content(content: &Json) -> bool {
    let Some(object) = content.as_object() else { return false };
    match (text(content, "type"), content.get("value")) {
        (Some("error-text" | "error-json"), Some(_)) => true,
        (Some("content"), Some(inner)) => is_error_content(inner),
        (Some(_) | None, _) => object.len() == 1 && object.contains_key("error"),
    }
}

fn text<'a>(of: &'a Json, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Json::as_str)
}

fn first_text<'a>(of: &'a Json, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(of, key))
}

fn first<'a>(of: &'a Json, keys: &[&str]) -> Option<&'a Json> {
    keys.iter().find_map(|key| of.get(key).filter(|value| !value.is_null()))
}
