//! Differences of servers that offer chat completions.

use super::demands::{Alternate, Demands, System};
use crate::Result;
use crate::value::arguments::Argument;
use crate::value::json::{Field, listed};

/// A difference of a server from OpenAI, or a server with all its differences.
///
/// ```
/// use tuckbox::prompt::provider::Quirk;
///
/// assert!(Quirk::LlamaCpp.includes(Quirk::Alternate));
/// assert!(!Quirk::Vllm.includes(Quirk::Alternate));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quirk {
    /// System messages come before all others.
    SystemFirst,
    /// Users and assistants alternate, and the user begins.
    Alternate,
    /// The content of a message is a string, never a list of parts.
    TextContent,
    /// There is no `tool_choice`.
    NoToolChoice,
    /// The limit of the answer has the key `max_completion_tokens`.
    MaxCompletionTokens,
    /// The server accepts the role `developer`.
    Developer,
    /// The differences of vLLM.
    Vllm,
    /// The differences of llama.cpp.
    LlamaCpp,
    /// The differences of Ollama.
    Ollama,
}

impl Quirk {
    /// Every quirk and its name on the wire.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::SystemFirst, "system_first"),
        (Self::Alternate, "alternate"),
        (Self::TextContent, "text_content"),
        (Self::NoToolChoice, "no_tool_choice"),
        (Self::MaxCompletionTokens, "max_completion_tokens"),
        (Self::Developer, "developer"),
        (Self::Vllm, "vllm"),
        (Self::LlamaCpp, "llama_cpp"),
        (Self::Ollama, "ollama"),
    ];

    /// Returns true for the quirk itself, and for a quirk of the server.
    ///
    /// The quirks of servers follow their chat templates and their documentation.
    pub fn includes(self, other: Self) -> bool {
        let of_server: &[Self] = match self {
            Self::Vllm => &[Self::SystemFirst],
            Self::LlamaCpp => &[Self::SystemFirst, Self::Alternate],
            Self::Ollama => &[Self::NoToolChoice],
            Self::SystemFirst
            | Self::Alternate
            | Self::TextContent
            | Self::NoToolChoice
            | Self::MaxCompletionTokens
            | Self::Developer => &[],
        };
        self == other || of_server.contains(&other)
    }

    /// Applies the quirk to what a provider demands.
    pub(super) fn apply(self, demands: &mut Demands) {
        if self.includes(Self::SystemFirst) {
            demands.system = System::First;
        }
        if self.includes(Self::Alternate) {
            demands.system = System::First;
            demands.alternate = Alternate::Speakers;
            demands.user_first = true;
        }
        if self.includes(Self::Developer) {
            demands.developer = true;
        }
    }
}

impl Argument for Quirk {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        let found = Self::ALL.into_iter().find(|(_, known)| *known == name);
        found.map(|(quirk, _)| quirk).ok_or_else(|| {
            let known = listed(&Self::ALL.map(|(_, name)| name));
            field.error(format!("unknown quirk `{name}`; expected one of {known}"))
        })
    }
}
