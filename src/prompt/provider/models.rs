//! The table of models: what each can do, as data that a host may override.

use super::Provider;
use crate::prompt::cache::CacheRules;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object, listed};
use crate::{Error, Result};
use serde::Serialize;
use std::sync::OnceLock;

/// The table that comes with the package.
const TABLE: &str = include_str!("models.json");

/// The facts about a model.
///
/// ```
/// use tuckbox::prompt::provider::{ModelInfo, Models, Provider};
///
/// let known = Models::shared().find(Provider::Anthropic, Some("claude-opus-4-8"), &ModelInfo::default());
/// assert!(known.known && known.system_in_conversation);
/// let unknown = Models::shared().find(Provider::Anthropic, Some("no-such-model"), &ModelInfo::default());
/// assert!(!unknown.known && !unknown.system_in_conversation);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Model {
    /// False for a model that is not in the table. The other facts are then those of its provider.
    pub known: bool,
    /// How many tokens a request and its answer may have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<u64>,
    /// The kinds of file that it sees: `image`, `audio`, `video`, `document`.
    pub media: Vec<String>,
    /// Whether system messages can appear in the conversation.
    pub system_in_conversation: bool,
    /// How a request controls thinking.
    pub thinking: Thinking,
    /// An assistant's last message may be the beginning of the answer.
    pub prefill: bool,
    /// It takes `temperature` and `top_p`.
    pub temperature: bool,
    /// A call has to carry the signature that the model gave it.
    pub call_signatures: bool,
    /// A shorter beginning is not cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_least_tokens: Option<u64>,
    /// The cache works in steps of so many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_step: Option<u64>,
    /// The prices of the host, verbatim.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub price: Object,
}

/// How a request controls the thinking of a model.
///
/// ```
/// use tuckbox::prompt::provider::{ModelInfo, Models, Provider, Thinking};
///
/// let unknown = Models::shared().find(Provider::Gemini, Some("no-such-model"), &ModelInfo::default());
/// assert_ne!(unknown.thinking, Thinking::Adaptive);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Thinking {
    /// It does not.
    None,
    /// By a number of tokens.
    Budget,
    /// By an effort.
    Effort,
    /// By an effort; how long it thinks is its own matter.
    Adaptive,
}

impl Thinking {
    const ALL: [(Self, &'static str); 4] = [
        (Self::None, "none"),
        (Self::Budget, "budget"),
        (Self::Effort, "effort"),
        (Self::Adaptive, "adaptive"),
    ];
}

impl Model {
    /// What holds for a provider of whose model nothing is known.
    fn of_provider(family: &str) -> Self {
        Self {
            known: false,
            context_window: None,
            output_limit: None,
            media: Vec::new(),
            system_in_conversation: false,
            thinking: Thinking::Effort,
            prefill: true,
            // the library of Anthropic has no key for it any more; older models are in the table
            temperature: family != "anthropic",
            call_signatures: false,
            cache_least_tokens: None,
            cache_step: None,
            price: Object::default(),
        }
    }

    /// Returns true if a request can control thinking.
    pub fn thinks(&self) -> bool {
        self.thinking != Thinking::None
    }

    /// Replaces what `info` states.
    fn apply(&mut self, info: &ModelInfo) {
        let flags = [
            (&mut self.system_in_conversation, info.system_in_conversation),
            (&mut self.prefill, info.prefill),
            (&mut self.temperature, info.temperature),
            (&mut self.call_signatures, info.call_signatures),
        ];
        for (flag, stated) in flags {
            *flag = stated.unwrap_or(*flag);
        }
        self.context_window = info.context_window.or(self.context_window);
        self.output_limit = info.output_limit.or(self.output_limit);
        if let Some(media) = &info.media {
            self.media.clone_from(media);
        }
        self.thinking = info.thinking.unwrap_or(self.thinking);
        if let Some(cache) = info.cache {
            self.cache_least_tokens = cache.least_tokens.or(self.cache_least_tokens);
            self.cache_step = cache.step.or(self.cache_step);
        }
        if let Some(price) = &info.price {
            self.price.clone_from(price);
        }
    }
}

arguments! {
    /// Facts about a model: an entry of the table of models.
    ///
    /// Shown by the example of [`Model`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ModelInfo {
        /// The start of the model's name. Only the table uses it.
        pub model: Option<String>,
        /// The family of the provider. Only the table uses it.
        pub provider: Option<String>,
        /// The maximum number of tokens of a request and its answer together.
        pub context_window: Option<u64>,
        /// The maximum number of tokens of an answer.
        pub output_limit: Option<u64>,
        /// The kinds of file that the model reads: `image`, `audio`, `video`, `document`.
        pub media: Option<Vec<String>>,
        /// Whether system messages can appear in the conversation.
        pub system_in_conversation: Option<bool>,
        /// How a request controls thinking.
        pub thinking: Option<Thinking>,
        /// Whether the last message of an assistant can be the start of the answer.
        pub prefill: Option<bool>,
        /// Whether the model accepts `temperature` and `top_p`.
        pub temperature: Option<bool>,
        /// Whether a call must carry the signature that the model gave it.
        pub call_signatures: Option<bool>,
        /// The prefix cache of the model.
        pub cache: Option<ModelCache>,
        /// The prices of the host, verbatim.
        pub price: Option<Object>,
    }

    /// The prefix cache of a model.
    ///
    /// Shown by the example of [`Model`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ModelCache {
        /// The length of the shortest prefix that is cached, in tokens.
        pub least_tokens: Option<u64>,
        /// The step of the cache, in tokens.
        pub step: Option<u64>,
    }
}

impl Argument for Thinking {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(thinking, _)| *thinking).ok_or_else(|| {
            let known = listed(&Self::ALL.map(|(_, name)| name));
            field.error(format!("unknown kind of thinking `{name}`; expected one of {known}"))
        })
    }
}

/// A table of models.
///
/// Shown by the example of [`Model`].
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    /// The version of the table: the day it was checked.
    pub version: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    provider: String,
    prefix: String,
    info: ModelInfo,
}

impl Models {
    /// The table that comes with the package, read once.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Models> = OnceLock::new();
        SHARED.get_or_init(|| {
            let json = Json::parse(TABLE).unwrap_or_default();
            // a test reads the table and holds that nothing of it is refused
            Self::from_json(&Field::root(&json))
                .unwrap_or(Self { version: String::new(), entries: Vec::new() })
        })
    }

    /// Reads a table: `{"version", "models": [{"provider", "model", ..}]}`. A model is named by how
    /// its name begins.
    ///
    /// # Errors
    /// With the path of what is wrong.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["version", "models"])?;
        let mut entries = Vec::new();
        for field in fields.required("models")?.list()? {
            let info = ModelInfo::read(&field)?;
            let model = field.object()?;
            entries.push(Entry {
                provider: String::read_member(&model, "provider")?,
                prefix: String::read_member(&model, "model")?,
                info,
            });
        }
        Ok(Self { version: fields.required("version")?.string()?.to_owned(), entries })
    }

    /// Returns what is known about a model. Facts of the host replace those of the table.
    pub fn find(&self, provider: Provider, model: Option<&str>, own: &ModelInfo) -> Model {
        let family = provider.spec().family;
        let mut found = Model::of_provider(family);
        let rules = CacheRules::of(provider.as_str(), model);
        found.cache_least_tokens = rules.minimum;
        found.cache_step = rules.step;
        let fits = |entry: &&Entry| {
            let named = model.and_then(|model| model.get(..entry.prefix.len()));
            entry.provider == family
                && named.is_some_and(|head| head.eq_ignore_ascii_case(&entry.prefix))
        };
        let best = self.entries.iter().filter(fits).max_by_key(|entry| entry.prefix.len());
        if let Some(entry) = best {
            found.known = true;
            found.apply(&entry.info);
        }
        if *own != ModelInfo::default() {
            found.known = true;
            found.apply(own);
        }
        found
    }

    /// The entry of a model as JSON, for those who want to see it.
    ///
    /// # Errors
    /// When it cannot be written, which does not happen.
    pub fn entry(&self, provider: Provider, model: &str) -> Result<Json, Error> {
        crate::value::json::to_json(&self.find(provider, Some(model), &ModelInfo::default()))
    }
}
