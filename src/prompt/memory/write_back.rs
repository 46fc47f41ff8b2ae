//! Writes the state of a call back to the checkpoint, by the lifecycle table.

use super::Memory;
use crate::prompt::compose::{Layer, Lifetime, wrong_key};
use crate::prompt::lint::PromptLint;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object, to_json, trim};
use crate::{Error, Lint, Path, Result};
use serde::Serialize;
use std::collections::BTreeSet;

/// The blocks that a restore must return verbatim.
///
/// Shown by the example of [`write_back`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WritePolicy {
    reproducible: BTreeSet<String>,
}

impl WritePolicy {
    /// Returns the policy that writes only messages and the summary.
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks a block as reproducible.
    ///
    /// # Errors
    /// `bad_request` for a key that does not end in `__context`, and for a block that is never
    /// written: `framework__context` belongs to the framework's version.
    pub fn reproducible(mut self, key: &str) -> Result<Self> {
        let layer = Layer::block(key).ok_or_else(|| wrong_key(key, Path::root()))?;
        match layer.lifetime() {
            Lifetime::CallOnly => {
                return Err(Error::bad_request(format!(
                    "`{key}` is for one call only and cannot be stored"
                )));
            }
            Lifetime::RuntimeOnly | Lifetime::Persistent => {}
        }
        self.reproducible.insert(key.to_owned());
        Ok(self)
    }
}

shape! {
    /// The blocks that a restore must return verbatim.
    pub struct WritePolicy {
        /// The keys of the blocks. `framework__context` is never written.
        pub reproducible: Maybe<Vec<ContextKey>>,
    }
}

arguments! {
    struct PolicyKeys {
        /// The keys of the blocks.
        pub reproducible: Vec<String> = Vec::new(),
    }
}

impl Argument for WritePolicy {
    fn read(field: &Field<'_>) -> Result<Self> {
        let keys = PolicyKeys::read(field)?.reproducible;
        keys.iter().enumerate().try_fold(Self::new(), |policy, (index, key)| {
            let at = || field.path().key("reproducible").index(index);
            policy.reproducible(key).map_err(|error| error.at(at()))
        })
    }
}

/// A state to store, and the blocks that are not part of it.
///
/// Shown by the example of [`write_back`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Written {
    /// The checkpoint: what [`restore`](super::restore) reads.
    pub state: Object,
    /// The blocks that were written, in order.
    pub written: Vec<Layer>,
    /// The blocks that were not written.
    pub left_out: Vec<NotWritten>,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

/// A block that was not written.
///
/// ```
/// use tuckbox::prompt::memory::{Memory, WritePolicy, WriteRule, write_back};
/// use tuckbox::json;
///
/// let contexts = json!({"knowledge__context": "Ships float."});
/// let written = write_back(&Memory::new(), contexts.as_object().unwrap(), &WritePolicy::new())?;
/// assert_eq!(written.left_out[0].rule, WriteRule::RuntimeOnly);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotWritten {
    /// The block.
    pub layer: Layer,
    /// The path: in the call's `contexts` or in the state.
    pub from: Path,
    /// The rule that excluded it.
    pub rule: WriteRule,
}

/// The reason why a block was not written.
///
/// Shown by the example of [`NotWritten`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteRule {
    /// The block belongs to one call.
    CallOnly,
    /// The block is written only if it is marked as reproducible.
    RuntimeOnly,
    /// Memory has the summary. The copy of a call is not written.
    KeptByMemory,
    /// The call has a newer block.
    Overridden,
    /// The block is blank or not a string.
    NotText,
}

/// Returns the state to write back after a call: memory always, the blocks of the call by the
/// [lifecycle table](crate::prompt::compose::lifecycle).
///
/// ```
/// use tuckbox::value::json::Json;
/// use tuckbox::prompt::memory::{Memory, WritePolicy, write_back};
///
/// let contexts = Json::parse(r#"{"framework__context": "f", "todo__context": "t", "knowledge__context": "k"}"#)?;
/// let policy = WritePolicy::new().reproducible("todo__context")?;
/// let written = write_back(&Memory::new(), contexts.as_object().unwrap(), &policy)?;
/// assert_eq!(Json::from(written.state).to_string(), r#"{"messages":[],"todo__context":"t"}"#);
/// assert_eq!(written.left_out.len(), 2);
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// `bad_request` for a block whose key does not end in `__context`.
pub fn write_back(memory: &Memory, contexts: &Object, policy: &WritePolicy) -> Result<Written> {
    let mut state = Object::default();
    let mut written = Written::default();
    let whole = to_json(memory)?;
    for (key, value) in whole.as_object().into_iter().flatten() {
        match Layer::block(key) {
            None => {
                state.insert(key.clone(), value.clone());
            }
            Some(Layer::Compression) => {
                state.insert(key.clone(), value.clone());
                written.written.push(Layer::Compression);
            }
            Some(layer) if contexts.contains_key(key) => {
                written.leave_out(layer, Path::root().key(key), WriteRule::Overridden);
            }
            Some(layer) => written.block(&mut state, layer, Path::root().key(key), value, policy),
        }
    }
    let summary = contexts.get(Layer::Compression.key()).and_then(Json::as_str).map(trim);
    if let Some(text) = summary.filter(|text| !text.is_empty())
        && memory.summary().map(trim) != Some(text)
    {
        written.lints.push(Lint::new(
            PromptLint::SummaryNotRemembered,
            Path::root().key("contexts").key(Layer::Compression.key()),
            "the summary of the call differs from that of memory; only a compaction changes it",
        ));
    }
    for (key, value) in contexts {
        let from = Path::root().key("contexts").key(key);
        let layer = Layer::block(key).ok_or_else(|| wrong_key(key, from.clone()))?;
        written.block(&mut state, layer, from, value, policy);
    }
    written.state = state;
    Ok(written)
}

impl Written {
    fn block(
        &mut self,
        state: &mut Object,
        layer: Layer,
        from: Path,
        value: &Json,
        policy: &WritePolicy,
    ) {
        let rule = match layer.lifetime() {
            Lifetime::CallOnly => Some(WriteRule::CallOnly),
            Lifetime::Persistent => Some(WriteRule::KeptByMemory),
            Lifetime::RuntimeOnly if !policy.reproducible.contains(layer.key()) => {
                Some(WriteRule::RuntimeOnly)
            }
            Lifetime::RuntimeOnly => match value.as_str() {
                Some(text) if !trim(text).is_empty() => None,
                Some(_) | None => Some(WriteRule::NotText),
            },
        };
        match rule {
            Some(rule) => self.leave_out(layer, from, rule),
            None => {
                state.insert(layer.key().to_owned(), value.clone());
                self.written.push(layer);
            }
        }
    }

    fn leave_out(&mut self, layer: Layer, from: Path, rule: WriteRule) {
        self.left_out.push(NotWritten { layer, from, rule });
    }
}
