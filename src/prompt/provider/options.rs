//! What a host says beside the prompt.

use super::{Change, Provider};
use crate::value::json::{Fields, Object};
use crate::{Error, Path, Result};

/// The longest answer to ask for where a provider demands a limit and nobody named one.
pub(super) const LIMIT: u64 = 4096;

/// What a host says beside the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Which model.
    pub model: Option<String>,
    /// The longest answer.
    pub max_output_tokens: Option<u64>,
    /// Refuse instead of changing what the model would see.
    pub strict: bool,
    /// Changes that `strict` lets pass.
    pub allow: Vec<Change>,
    /// Send `reasoning_content` back. Only servers that speak chat completions and know the key
    /// take it.
    pub keep_reasoning: bool,
    /// The last message of an assistant is the beginning of the answer, for models that continue.
    pub prefill: bool,
    /// Further keys of the body, such as `temperature`.
    pub extra: Object,
}

impl Options {
    /// Options of nothing but a model.
    pub fn model(model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..Self::default() }
    }

    /// The keys that [`Options::from_fields`] reads.
    pub(crate) const KEYS: [&str; 7] =
        ["model", "max_output_tokens", "strict", "allow", "keep_reasoning", "prefill", "extra"];

    /// Reads the options of a call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let flag = |key: &str| -> Result<bool> {
            Ok(call.optional(key).map(|field| field.boolean()).transpose()?.unwrap_or_default())
        };
        let allow = match call.optional("allow") {
            None => Vec::new(),
            Some(list) => list.list()?.iter().map(Change::from_json).collect::<Result<_>>()?,
        };
        Ok(Self {
            model: call
                .optional("model")
                .map(|field| field.string().map(str::to_owned))
                .transpose()?,
            max_output_tokens: call
                .optional("max_output_tokens")
                .map(|field| field.count())
                .transpose()?,
            strict: flag("strict")?,
            allow,
            keep_reasoning: flag("keep_reasoning")?,
            prefill: flag("prefill")?,
            extra: match call.optional("extra") {
                None => Object::default(),
                Some(extra) => extra.object()?.json().clone(),
            },
        })
    }

    /// Refuses further keys that the payload writes itself: one of the two would be lost.
    pub(super) fn check(&self, provider: Provider) -> Result<()> {
        let own: &[&str] = match provider {
            Provider::Neutral => &["model", "messages", "tools", "max_output_tokens"],
            Provider::OpenaiChat => &["model", "messages", "tools", "max_completion_tokens"],
            Provider::OpenaiResponses => &["model", "input", "tools", "max_output_tokens"],
            Provider::Anthropic => &["model", "messages", "tools", "system", "max_tokens"],
            Provider::Gemini => &["contents", "systemInstruction", "tools", "generationConfig"],
        };
        match self.extra.keys().find(|key| own.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(Error::bad_request(format!(
                "the payload writes `{key}` itself; say it where it belongs"
            ))
            .at(Path::root().key("extra").key(key))),
        }
    }
}
