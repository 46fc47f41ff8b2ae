//! The layers of a prompt, and the table of how long each lives.

use serde::Serialize;
use serde::ser::Serializer;

/// What every block's key ends in.
///
/// ```
/// use tuckbox::prompt::compose::{CONTEXT_SUFFIX, Layer};
/// assert!(Layer::Knowledge.key().ends_with(CONTEXT_SUFFIX));
/// ```
pub const CONTEXT_SUFFIX: &str = "__context";

/// Where a message of the prompt comes from, in the order in which the composer puts them.
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
    /// The agent's own system prompt. Private: never part of what is shared.
    SystemPrompt,
    /// `framework__context`: protocol, output contract, limits of the run.
    Framework,
    /// `experience__context`: retrieved experience.
    Experience,
    /// `knowledge__context`: retrieved knowledge.
    Knowledge,
    /// `todo__context`: progress and decomposition.
    Todo,
    /// `compression__context`: the summary of the history that left memory.
    Compression,
    /// Any other block, under its own key.
    Other(String),
    /// The remembered conversation.
    Checkpoint,
    /// An instruction the framework speaks as a human, for this call only.
    HumanMessage,
    /// What the human asks now.
    Query,
}

impl Layer {
    /// The blocks with a place of their own, in the composer's order.
    pub const NAMED_BLOCKS: [Self; 5] =
        [Self::Framework, Self::Experience, Self::Knowledge, Self::Todo, Self::Compression];

    /// Returns the block with the key `key`, which must end in `__context`; otherwise nothing.
    pub fn block(key: &str) -> Option<Self> {
        if !key.ends_with(CONTEXT_SUFFIX) {
            return None;
        }
        let named = Self::NAMED_BLOCKS.into_iter().find(|layer| layer.key() == key);
        Some(named.unwrap_or_else(|| Self::Other(key.to_owned())))
    }

    /// The layer's name on the wire; for a block this is its key.
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

    /// How long the layer lives.
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

    /// True for blocks: what agents share. The checkpoint is memory and the system prompt is
    /// private; neither is shared context.
    pub fn is_shared(&self) -> bool {
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
    /// Where a message of the prompt comes from: a block's key, or one of the fixed layers.
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
    /// This call only; never written. The framework's block belongs to the framework's version,
    /// a system prompt to its agent, a query reaches memory only by being appended to it.
    CallOnly,
    /// Written only where the host marks the layer as reproducible.
    RuntimeOnly,
    /// Always written.
    Persistent,
}

/// One row of the lifecycle table.
///
/// Shown by the example of [`lifecycle`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lifecycle {
    /// The layer. `*__context` represents every block without a fixed position.
    pub layer: Layer,
    /// How long it lives.
    pub lifetime: Lifetime,
    /// Whether it is part of what agents share.
    pub shared: bool,
}

/// The lifecycle table as data, one row a layer in the composer's order.
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
