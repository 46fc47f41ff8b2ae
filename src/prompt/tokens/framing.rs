//! What a provider puts around the texts of a payload. Nobody publishes it all: every figure here
//! is an estimate and counts as one.

use super::Figure;
use crate::prompt::provider::Provider;
use crate::prompt::provider::turn::MediaKind;
use serde::Serialize;

/// Tokens that belong to no text: the marks of messages, calls, results and tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Framing {
    /// Once a payload: what makes the model answer.
    pub reply: u64,
    /// Around every message.
    pub message: u64,
    /// Around every call.
    pub call: u64,
    /// Around every result.
    pub answer: u64,
    /// Once where there are tools.
    pub tools: u64,
    /// Around every tool.
    pub tool: u64,
}

impl Provider {
    /// The framing of this provider's payloads.
    pub const fn framing(self) -> Framing {
        match self {
            Self::Neutral | Self::OpenaiChat | Self::OpenaiResponses => {
                Framing { reply: 3, message: 4, call: 6, answer: 3, tools: 9, tool: 4 }
            }
            Self::Anthropic => {
                Framing { reply: 2, message: 3, call: 10, answer: 8, tools: 346, tool: 12 }
            }
            Self::Gemini => Framing { reply: 0, message: 1, call: 4, answer: 4, tools: 0, tool: 4 },
        }
    }

    /// What a file costs, about. Providers count it by its size, which nobody has told us.
    pub(crate) const fn media(self, kind: MediaKind) -> Figure {
        let image = match self {
            Self::Neutral | Self::OpenaiChat | Self::OpenaiResponses => 765,
            Self::Anthropic => 1_500,
            Self::Gemini => 258,
        };
        Figure::estimated(match kind {
            MediaKind::Image => image,
            MediaKind::Pdf => 4 * image,
            MediaKind::Audio => 1_000,
            MediaKind::Video => 8_000,
            MediaKind::Text | MediaKind::Other => 1_000,
        })
    }
}
