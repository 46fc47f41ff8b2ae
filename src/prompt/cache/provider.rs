//! The providers whose caches are explained.

use super::body::Api;
use crate::Result;
use crate::value::arguments::{Argument, read_word};
use crate::value::json::Field;
use serde::Serialize;

/// The provider of the requests of a session.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheProvider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Gemini.
    Gemini,
    /// Bedrock Converse.
    Bedrock,
    /// Mistral, with bodies of OpenAI Chat.
    Mistral,
    /// DeepSeek, with bodies of OpenAI Chat.
    Deepseek,
    /// Another provider with bodies of OpenAI Chat.
    OpenaiCompatible,
}

impl CacheProvider {
    const WORDS: [(&'static str, Self); 8] = [
        ("anthropic", Self::Anthropic),
        ("openai_chat", Self::OpenaiChat),
        ("openai_responses", Self::OpenaiResponses),
        ("gemini", Self::Gemini),
        ("bedrock", Self::Bedrock),
        ("mistral", Self::Mistral),
        ("deepseek", Self::Deepseek),
        ("openai_compatible", Self::OpenaiCompatible),
    ];

    /// Returns the name on the wire.
    pub(crate) fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, provider)| *provider == self).map_or("", |(name, _)| name)
    }

    /// Returns the provider with a name on the wire.
    pub(super) fn named(name: &str) -> Self {
        let known = Self::WORDS.iter().find(|(word, _)| *word == name);
        known.map_or(Self::OpenaiCompatible, |(_, provider)| *provider)
    }

    /// Returns the API of the bodies.
    pub(crate) const fn api(self) -> Api {
        match self {
            Self::Anthropic => Api::Anthropic,
            Self::OpenaiResponses => Api::Responses,
            Self::Gemini => Api::Gemini,
            Self::Bedrock => Api::Bedrock,
            Self::OpenaiChat | Self::Mistral | Self::Deepseek | Self::OpenaiCompatible => Api::Chat,
        }
    }
}

impl Argument for CacheProvider {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &Self::WORDS)
    }
}
