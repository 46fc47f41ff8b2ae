//! The layers of a prompt, and their lifetimes.

use serde::Serialize;
use serde::ser::Serializer;

/// The end of the key of every block.
///
/// ```
/// use tuckbox::prompt::compose::{CONTEXT_SUFFIX, Layer};
/// assert!(Layer::Knowledge.key().ends_with(CONTEXT_SUFFIX));
/// ```
pub const CONTEXT_SUFFIX: &str = "__context";

/// The layer of a message of the prompt, in the order of the composer.
///
/// ```
/// use tuckbox::prompt::compose::Layer;
///
/// assert_eq!(Layer::block("todo__context"), Some(Layer::Todo));
/// assert_eq!(Layer::block("team__context"), Some(Layer::Other("team__context".to_owned())));
/// assert_eq!(Layer::block("todo_context"), None);
/// assert_eq!(Layer::Todo.key(), "todo__context");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The system prompt of the agent. It is private and never shared.
    SystemPrompt,
    /// `framework__context`: protocol, output contract, limits of the run.
    Framework,
    /// `experience__context`: retrieved experience.
    Experience,
    /// `knowledge__context`: retrieved knowledge.
    Knowledge,
    /// `todo__context`: progress and decomposition.
    Todo,
    /// `compression__context`: the summary of messages that memory no longer has.
    Compression,
    /// Any other block, with its key.
    Other(String),
    /// The remembered conversation.
    Checkpoint,
    /// An instruction of the framework in the role of the user, for this call only.
    HumanMessage,
    /// The query.
    Query,
}

impl Layer {
    /// The blocks with a fixed position, in the order of the composer.
    pub(crate) const NAMED_BLOCKS: [Self; 5] =
        [Self::Framework, Self::Experience, Self::Knowledge, Self::Todo, Self::Compression];

    /// Returns the block with a key. `None` for a key that does not end in `__context`.
    pub fn block(key: &str) -> Option<Self> {
        if !key.ends_with(CONTEXT_SUFFIX) {
            return None;
        }
        let named = Self::NAMED_BLOCKS.into_iter().find(|layer| layer.key() == key);
        Some(named.unwrap_or_else(|| Self::Other(key.to_owned())))
    }

    /// Returns the name on the wire. That of a block is its key.
    pub fn key(&self) -> &str {
        match self {
            Self::SystemPrompt => "system_prompt",
            Self::Framework => "framework__context",
            Self::Experience => "experience__context",
            Self::Knowledge => "knowledge__context",
            Self::Todo => "todo__context",
            Self::Compression => "compression__context",
            Self::Other(key) => key,
            Self::Checkpoint => "checkpoint_messages",
            Self::HumanMessage => "human_message",
            Self::Query => "query",
        }
    }

    /// Returns the lifetime of the layer.
    pub fn lifetime(&self) -> Lifetime {
        match self {
            Self::SystemPrompt | Self::Framework | Self::HumanMessage | Self::Query => {
                Lifetime::CallOnly
            }
            Self::Experience | Self::Knowledge | Self::Todo | Self::Other(_) => {
                Lifetime::RuntimeOnly
            }
            Self::Compression | Self::Checkpoint => Lifetime::Persistent,
        }
    }

    /// Returns true for blocks, which agents share. The checkpoint and the system prompt are not shared.
    pub(crate) fn is_shared(&self) -> bool {
        match self {
            Self::Framework
            | Self::Experience
            | Self::Knowledge
            | Self::Todo
            | Self::Compression
            | Self::Other(_) => true,
            Self::SystemPrompt | Self::Checkpoint | Self::HumanMessage | Self::Query => false,
        }
    }
}

shape! {
    /// The layer of a message: the key of a block, or one of the fixed layers.
    #[serde(untagged)]
    pub enum Layer {
        Fixed(Word<"system_prompt", "checkpoint_messages", "human_message", "query">),
        Block(ContextKey),
    }
}

impl Serialize for Layer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

/// Whether a layer may be written to a checkpoint.
///
/// Shown by the example of [`lifecycle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// This call only. Never written: the block of the framework belongs to its version, the system
    /// prompt to its agent, and a query is appended to memory instead.
    CallOnly,
    /// Written only if the host marks the layer as reproducible.
    RuntimeOnly,
    /// Always written.
    Persistent,
}

/// A row of the table of lifetimes.
///
/// Shown by the example of [`lifecycle`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lifecycle {
    /// The layer. `*__context` represents every block without a fixed position.
    pub layer: Layer,
    /// The lifetime.
    pub lifetime: Lifetime,
    /// True if agents share it.
    pub shared: bool,
}

/// Returns the table of lifetimes: a row for each layer, in the order of the composer.
///
/// ```
/// use tuckbox::prompt::compose::{Layer, Lifetime, lifecycle};
///
/// let lasting: Vec<_> = lifecycle().into_iter()
///     .filter(|row| row.lifetime == Lifetime::Persistent)
///     .map(|row| row.layer)
///     .collect();
/// assert_eq!(lasting, [Layer::Compression, Layer::Checkpoint]);
/// ```
pub fn lifecycle() -> Vec<Lifecycle> {
    let mut layers = vec![Layer::SystemPrompt];
    layers.extend(Layer::NAMED_BLOCKS);
    layers.push(Layer::Other(format!("*{CONTEXT_SUFFIX}")));
    layers.extend([Layer::Checkpoint, Layer::HumanMessage, Layer::Query]);
    layers
        .into_iter()
        .map(|layer| Lifecycle { lifetime: layer.lifetime(), shared: layer.is_shared(), layer })
        .collect()
}
