//! Parts that only one provider has. They are sent back to that provider unchanged.

use crate::prompt::provider::Provider;
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

/// Items of OpenAI Responses other than messages, calls and reasoning.
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

/// Items of OpenAI Responses that wait for an output of the host.
const WAITING: [&str; 5] =
    ["custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"];

/// A part that only one provider has. It is sent back to that provider unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The provider.
    pub provider: Provider,
    /// The part, verbatim.
    pub value: Json,
}

/// The role of a provider's own part: tools of the provider make calls and return results too.
///
/// Shown by the example of [`Own`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRole<'a> {
    /// A call of a tool of the provider, with this id.
    Call(&'a str),
    /// The result of the call with this id.
    Result(&'a str),
    /// Neither a call nor a result.
    Alone,
}

impl Own {
    /// Returns the role of the part.
    ///
    /// ```
    /// use tuckbox::Json;
    /// use tuckbox::prompt::provider::Provider;
    /// use tuckbox::prompt::provider::part::{Own, OwnRole};
    ///
    /// let value = Json::parse(r#"{"type": "server_tool_use", "id": "s1", "name": "web_search"}"#)?;
    /// let own = Own { provider: Provider::Anthropic, value };
    /// assert_eq!(own.role(), OwnRole::Call("s1"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn role(&self) -> OwnRole<'_> {
        let text = |key: &str| self.value.get(key).and_then(Json::as_str).unwrap_or_default();
        match text("type") {
            "server_tool_use" | "mcp_tool_use" => OwnRole::Call(text("id")),
            kind if kind.ends_with("_tool_result") => OwnRole::Result(text("tool_use_id")),
            kind if WAITING.contains(&kind) => OwnRole::Call(text("call_id")),
            kind if kind.ends_with("_call_output") => OwnRole::Result(text("call_id")),
            _ => OwnRole::Alone,
        }
    }
}

/// Reads `{"type": "provider", "provider", "value"}`, and the parts that name their provider by
/// their type.
pub(super) fn read(part: &Json, kind: Option<&str>) -> Option<Own> {
    if kind == Some("provider") {
        let name = part.get("provider")?.as_str()?;
        let provider = Provider::ALL.iter().copied().find(|known| known.as_str() == name)?;
        return Some(Own { provider, value: part.get("value")?.clone() });
    }
    let provider = owner(part, kind)?;
    Some(Own { provider, value: part.clone() })
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
