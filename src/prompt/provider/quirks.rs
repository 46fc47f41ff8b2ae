//! What servers that speak chat completions do differently.

use super::demands::{Alternate, Demands, System};
use crate::Result;
use crate::value::json::{Field, listed};

/// One thing that a server does differently from OpenAI.
///
/// ```
/// use tuckbox::prompt::provider::Quirk;
///
/// assert_eq!(Quirk::of_server("no-such-server"), None);
/// assert!(Quirk::of_server("vllm").is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quirk {
    /// System messages stand before everything else.
    SystemFirst,
    /// Users and assistants take turns, and the user begins.
    Alternate,
    /// The content of a message is one text, never a list of parts.
    TextContent,
    /// There is no `tool_choice`.
    NoToolChoice,
    /// The limit of the answer goes under `max_completion_tokens`.
    MaxCompletionTokens,
    /// The role `developer` is known.
    Developer,
}

impl Quirk {
    /// Every quirk and its name on the wire.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::SystemFirst, "system_first"),
        (Self::Alternate, "alternate"),
        (Self::TextContent, "text_content"),
        (Self::NoToolChoice, "no_tool_choice"),
        (Self::MaxCompletionTokens, "max_completion_tokens"),
        (Self::Developer, "developer"),
    ];

    /// The quirks of a server, as far as its chat templates and its documentation say.
    pub const fn of_server(name: &str) -> Option<&'static [Self]> {
        match name.as_bytes() {
            b"vllm" => Some(&[Self::SystemFirst]),
            b"llama_cpp" => Some(&[Self::SystemFirst, Self::Alternate]),
            b"ollama" => Some(&[Self::NoToolChoice]),
            _ => None,
        }
    }

    /// Reads a list of quirks and of servers.
    pub(super) fn list_from_json(field: &Field<'_>) -> Result<Vec<Self>> {
        let mut quirks = Vec::new();
        for item in field.list()? {
            let name = item.string()?;
            let one = Self::ALL.iter().find(|(_, known)| *known == name).map(|(quirk, _)| *quirk);
            match (one, Self::of_server(name)) {
                (Some(quirk), _) => quirks.push(quirk),
                (None, Some(several)) => quirks.extend_from_slice(several),
                (None, None) => {
                    let known = listed(&Self::ALL.map(|(_, name)| name));
                    return Err(item.error(format!(
                        "unknown quirk `{name}`; known are {known}, and those of `vllm`, `llama_cpp` and `ollama`"
                    )));
                }
            }
        }
        Ok(quirks)
    }

    pub(super) fn apply(self, demands: &mut Demands) {
        match self {
            Self::SystemFirst => demands.system = System::First,
            Self::Alternate => {
                demands.system = System::First;
                demands.alternate = Alternate::Speakers;
                demands.user_first = true;
            }
            Self::Developer => demands.developer = true,
            Self::TextContent | Self::NoToolChoice | Self::MaxCompletionTokens => {}
        }
    }
}
