//! A provider as one value: what it demands, what it takes, and how its bodies are written.
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

/// Everything that is particular to one provider.
pub(crate) struct Spec {
    /// The name on the wire.
    pub name: &'static str,
    /// Whose models these are, in the table of models.
    pub family: &'static str,
    /// What it demands of a conversation and of tools.
    pub demands: Demands,
    /// The framing of its requests.
    pub framing: Framing,
    /// What a picture costs, about.
    pub image_tokens: u64,
    /// What its prefix cache demands.
    pub cache: CachePolicy,
    /// Which files it takes at which place.
    pub media: fn(Spot, &Media, &Model) -> bool,
    /// Which of `title`, `context`, `citations` and `detail` a file may have.
    pub about: &'static [&'static str],
    /// Which reasoning it takes back.
    pub reasoning: fn(&Reasoning, &Options) -> bool,
    /// The keys of the body that the payload writes itself.
    pub own_keys: &'static [&'static str],
    /// The options that it has, by their names.
    pub options: &'static [&'static str],
    /// Settles what options, turns and tools mean for one another.
    pub settle: fn(&mut Settle<'_>),
    /// Writes the body.
    pub body: for<'a> fn(&Draft<'a>) -> Out<'a>,
    /// Writes a tool's definition.
    pub tool: fn(&Tool) -> Json,
}

/// The position of a file in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// In a user's message.
    User,
    /// In what a tool answered.
    Answer,
    /// Anywhere else.
    Elsewhere,
}
