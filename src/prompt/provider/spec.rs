//! The description of a provider: its requirements, options, and writers of bodies.
//!
//! A new provider is one new file with this constant and a `READER` of its answers, and one line in
//! the list of [`Provider`](super::Provider).

use super::body::Out;
use super::demands::Demands;
use super::draft::{Draft, Settle};
use super::models::Model;
use super::part::{Media, Reasoning};
use super::{Options, Tool};
use crate::prompt::diff::CachePolicy;
use crate::prompt::tokens::Framing;
use crate::value::json::Json;

/// The description of a provider.
pub(crate) struct Spec {
    /// The name on the wire.
    pub name: &'static str,
    /// The owner of its models in the table of models.
    pub family: &'static str,
    /// The requirements for conversations and tools.
    pub demands: Demands,
    /// The framing of its requests.
    pub framing: Framing,
    /// The estimated tokens of an image.
    pub image_tokens: u64,
    /// The rules of its prefix cache.
    pub cache: CachePolicy,
    /// The files that it accepts, by position.
    pub media: fn(Spot, &Media, &Model) -> bool,
    /// The options of a file: `title`, `context`, `citations` and `detail`.
    pub about: &'static [&'static str],
    /// The reasoning that it accepts in messages.
    pub reasoning: fn(&Reasoning, &Options) -> bool,
    /// The keys of the body that the payload writes itself.
    pub own_keys: &'static [&'static str],
    /// The names of its options.
    pub options: &'static [&'static str],
    /// Adjusts options, turns and tools to each other.
    pub settle: fn(&mut Settle<'_>),
    /// Returns whether `settle` looks at the whole conversation, so that new messages can change how
    /// those before them are sent.
    pub looks_back: fn(&Options, &Model) -> bool,
    /// Writes the body.
    pub body: for<'a> fn(&Draft<'a>) -> Out<'a>,
    /// Writes the definition of a tool.
    pub tool: fn(&Tool) -> Json,
}

/// The position of a file in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// In a message of the user.
    User,
    /// In a tool result.
    Answer,
    /// Anywhere else.
    Elsewhere,
}
