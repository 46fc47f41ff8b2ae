//! The framing that a provider adds to the strings of a payload. Providers do not document all of
//! it: every number here is an estimate.

use super::TokenCount;
use crate::prompt::provider::part::MediaKind;
use crate::prompt::provider::turn::Speaker;
use crate::prompt::provider::{Provider, System};
use serde::Serialize;

/// Tokens that are not part of a string: the marks of messages, calls, results and tools.
///
/// ```
/// use tuckbox::prompt::provider::Provider;
/// use tuckbox::prompt::tokens::Framing;
///
/// let framing: Framing = Provider::OpenaiChat.framing();
/// assert!(framing.message > 0 && framing.tools > framing.tool);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Framing {
    /// Once for each payload: the start of the answer.
    pub reply: u64,
    /// Around every message.
    pub message: u64,
    /// Around every call.
    pub call: u64,
    /// Around every result.
    pub answer: u64,
    /// Once, if there are tools.
    pub tools: u64,
    /// Around every tool.
    pub tool: u64,
}

/// The content of a message that framing depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub speaker: Speaker,
    pub texts: u64,
    pub calls: u64,
    pub answers: u64,
}

impl Held {
    /// One text.
    pub const fn text(speaker: Speaker) -> Self {
        Self { speaker, texts: 1, calls: 0, answers: 0 }
    }
}

impl Provider {
    /// Returns the framing of a message.
    pub(crate) const fn marks(self, message: Held) -> u64 {
        let Held { speaker, texts, calls, answers } = message;
        let framing = self.framing();
        let demands = self.demands();
        let messages = match speaker {
            // a list of items: every text of an assistant is one, calls and results are their own
            Speaker::Assistant if demands.items => texts,
            Speaker::Tool if demands.items => 0,
            // the system prompt is separate
            Speaker::System | Speaker::Developer if matches!(demands.system, System::Apart) => 0,
            Speaker::System
            | Speaker::Developer
            | Speaker::User
            | Speaker::Assistant
            | Speaker::Tool => 1,
        };
        calls * framing.call + answers * framing.answer + messages * framing.message
    }

    /// Returns the framing of a message after others. A provider can merge it with the one before.
    /// `last` is the speaker of the message before, and is updated.
    pub(crate) fn marks_after(self, last: &mut Option<Speaker>, message: Held) -> u64 {
        let demands = self.demands();
        let is_apart = message.speaker.is_system() && matches!(demands.system, System::Apart);
        let mine = demands.alternate.side(message.speaker);
        let goes_on = demands.alternate.merges(mine) && *last == Some(mine);
        if !is_apart {
            *last = Some(mine);
        }
        let marks = self.marks(message);
        if goes_on { marks - self.framing().message } else { marks }
    }

    /// Returns the framing of a request with this number of tools.
    pub(crate) const fn marks_of_request(self, tools: u64) -> u64 {
        let framing = self.framing();
        let offered = if tools > 0 { framing.tools + tools * framing.tool } else { 0 };
        framing.reply + offered
    }

    /// Returns an estimate of the cost of a file. Providers count it by its size, which is unknown here.
    pub(crate) const fn media(self, kind: MediaKind) -> TokenCount {
        let image = self.spec().image_tokens;
        TokenCount::estimated(match kind {
            MediaKind::Image => image,
            MediaKind::Pdf => 4 * image,
            MediaKind::Audio => 1_000,
            MediaKind::Video => 8_000,
            MediaKind::Text | MediaKind::Other => 1_000,
        })
    }
}
