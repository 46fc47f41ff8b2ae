//! What a provider puts around the texts of a payload. Nobody publishes it all: every figure here
//! is an estimate and counts as one.

use super::Figure;
use crate::prompt::provider::part::MediaKind;
use crate::prompt::provider::turn::Speaker;
use crate::prompt::provider::{Provider, System};
use serde::Serialize;

/// Tokens that belong to no text: the marks of messages, calls, results and tools.
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

/// What is in a message, as far as marks stand around it.
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
    /// The marks around one message.
    pub(crate) const fn marks(self, message: Held) -> u64 {
        let Held { speaker, texts, calls, answers } = message;
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

    /// The same for a message behind others, which a provider may take as part of the last one.
    /// `last` is the side that spoke last, and speaks last now.
    pub(crate) fn marks_behind(self, last: &mut Option<Speaker>, message: Held) -> u64 {
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
