//! What a provider puts around the texts of a payload. Nobody publishes it all: every figure here
//! is an estimate and counts as one.

use super::Figure;
use crate::prompt::provider::Provider;
use crate::prompt::provider::part::MediaKind;
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
        self.spec().framing
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
