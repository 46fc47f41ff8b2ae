//! What a provider puts around the texts of a payload. Nobody publishes it all: every figure here
//! is an estimate and counts as one.

use super::Figure;
use crate::prompt::provider::part::MediaKind;
use crate::prompt::provider::turn::Speaker;
use crate::prompt::provider::{Provider, System};
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
    /// The marks around one message of a speaker, in which so many texts, calls and results stand.
    pub(crate) const fn marks(self, speaker: Speaker, texts: u64, calls: u64, answers: u64) -> u64 {
        let framing = self.framing();
        let demands = self.demands();
        let messages = match speaker {
            // a list of items: every text of an assistant is one, calls and results are their own
            Speaker::Assistant if demands.items => texts,
            Speaker::Tool if demands.items => 0,
            // the system prompt stands apart
            Speaker::System | Speaker::Developer if matches!(demands.system, System::Apart) => 0,
            Speaker::System
            | Speaker::Developer
            | Speaker::User
            | Speaker::Assistant
            | Speaker::Tool => 1,
        };
        calls * framing.call + answers * framing.answer + messages * framing.message
    }

    /// What stands around a whole request that offers so many tools.
    pub(crate) const fn marks_of_request(self, tools: u64) -> u64 {
        let framing = self.framing();
        let offered = if tools > 0 { framing.tools + tools * framing.tool } else { 0 };
        framing.reply + offered
    }

    /// What a file costs, about. Providers count it by its size, which nobody has told us.
    pub(crate) const fn media(self, kind: MediaKind) -> Figure {
        let image = self.spec().image_tokens;
        Figure::estimated(match kind {
            MediaKind::Image => image,
            MediaKind::Pdf => 4 * image,
            MediaKind::Audio => 1_000,
            MediaKind::Video => 8_000,
            MediaKind::Text | MediaKind::Other => 1_000,
        })
    }
}
