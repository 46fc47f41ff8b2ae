//! Parts that only one provider has: they go back to it untouched.

use crate::prompt::provider::Provider;
use crate::prompt::provider::turn::{Body, Own};
use crate::value::json::Json;

/// Anthropic's blocks of tools that run on its side.
const ANTHROPIC: [&str; 7] = [
    "server_tool_use",
    "container_upload",
    "search_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "tool_reference",
    "compaction",
];

/// Items of OpenAI Responses beside messages, calls and reasoning.
const RESPONSES: [&str; 7] = [
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "item_reference",
    "custom_tool_call_output",
    "computer_call_output",
    "compaction_item",
];

const GEMINI: [&str; 4] = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/// Reads `{"type": "provider", "provider", "value"}`, and the parts that name their provider by
/// their type.
pub(super) fn read(part: &Json, kind: Option<&str>) -> Option<Body> {
    if kind == Some("provider") {
        let name = part.get("provider")?.as_str()?;
        let provider = Provider::ALL.iter().copied().find(|known| known.as_str() == name)?;
        return Some(own(provider, part.get("value")?.clone()));
    }
    let provider = owner(part, kind)?;
    Some(own(provider, part.clone()))
}

fn own(provider: Provider, value: Json) -> Body {
    Body::Own(Box::new(Own { provider, value }))
}

fn owner(part: &Json, kind: Option<&str>) -> Option<Provider> {
    let Some(kind) = kind else {
        let object = part.as_object()?;
        let gemini = GEMINI.iter().any(|key| object.contains_key(key));
        return gemini.then_some(Provider::Gemini);
    };
    let ends = |tail: &str| kind.ends_with(tail);
    if ANTHROPIC.contains(&kind) || ends("_tool_result") {
        return Some(Provider::Anthropic);
    }
    let call = ends("_call") && !["tool_call", "function_call"].contains(&kind);
    let output = ends("_call_output") && kind != "function_call_output";
    (call || output || RESPONSES.contains(&kind)).then_some(Provider::OpenaiResponses)
}
