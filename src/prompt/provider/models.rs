//! The table of models: what each can do, as data that a host can override.

use super::Provider;
use crate::prompt::cache::CacheRules;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, listed};
use crate::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The table that comes with the package.
const TABLE: &str = include_str!("models.json");

/// The facts about a model.
///
/// ```
/// use tuckbox::prompt::provider::{ModelCache, ModelInfo, Models, Provider};
///
/// let known = Models::shared().find(Provider::Anthropic, Some("claude-opus-4-8"), &ModelInfo::default());
/// assert!(known.known && known.system_in_conversation);
/// let unknown = Models::shared().find(Provider::Anthropic, Some("no-such-model"), &ModelInfo::default());
/// assert!(!unknown.known && !unknown.system_in_conversation);
///
/// // a host can state what the table does not have
/// let cache = ModelCache { least_tokens: Some(512), step: None };
/// let stated = ModelInfo { cache: Some(cache), ..ModelInfo::default() };
/// let unknown = Models::shared().find(Provider::Anthropic, Some("no-such-model"), &stated);
/// assert_eq!(unknown.cache_least_tokens, Some(512));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Model {
    /// False for a model that is not in the table. The other facts are then those of its provider.
    pub known: bool,
    /// The maximum number of tokens of a request and its answer together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The maximum number of tokens of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<u64>,
    /// The kinds of files that it accepts: `image`, `audio`, `video`, `document`.
    pub media: Vec<String>,
    /// Whether system messages can appear in the conversation.
    pub system_in_conversation: bool,
    /// How a request controls thinking.
    pub thinking: Thinking,
    /// True if the last message of an assistant can be the start of the answer.
    pub prefill: bool,
    /// True if it accepts `temperature` and `top_p`.
    pub temperature: bool,
    /// True if a call must have the signature of the model.
    pub call_signatures: bool,
    /// The shortest prefix that is cached, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_least_tokens: Option<u64>,
    /// The step of the cache in tokens: a cached prefix is a multiple of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_step: Option<u64>,
    /// The prices of the model. Missing if they are not known.
    #[serde(skip)]
    pub price: Option<ModelPrice>,
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
    /// A request does not control it.
    None,
    /// A number of tokens.
    Budget,
    /// An effort.
    Effort,
    /// An effort. The model decides how long it thinks.
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
    /// Returns the facts about an unknown model of a provider.
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
            price: None,
        }
    }

    /// Returns true if a request can control thinking.
    pub fn thinks(&self) -> bool {
        self.thinking != Thinking::None
    }

    /// Returns the price of input in dollars, without a cache.
    pub(crate) fn input_cost(&self, tokens: u64) -> Option<f64> {
        self.price.as_ref()?.cost(&TokenUse { fresh: tokens, ..TokenUse::default() })
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
        self.price = info.price.clone().or_else(|| self.price.take());
    }
}

arguments! {
    /// Facts about a model: an entry of the table of models.
    ///
    /// Shown by the example of [`Model`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ModelInfo {
        /// The name of the model. It also names versions with a date; with a `*` at the end it names all
        /// models that begin so. Only the table uses it.
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
        /// The prices of the model.
        pub price: Option<ModelPrice>,
    }

    /// The prices of a model, in dollars for 1,000,000 tokens. A missing price is not known.
    ///
    /// ```
    /// use tuckbox::prompt::provider::{ModelInfo, Models, Provider, TokenUse};
    ///
    /// let model = Models::shared().find(Provider::Anthropic, Some("claude-opus-4-5"), &ModelInfo::default());
    /// let price = model.price.unwrap();
    /// let used = TokenUse { fresh: 1_000_000, ..TokenUse::default() };
    /// assert_eq!(price.cost(&used), price.input);
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ModelPrice {
        /// The price of input.
        pub input: Option<f64>,
        /// The price of output.
        pub output: Option<f64>,
        /// The price of input that is read from the cache.
        pub read: Option<f64>,
        /// The price of input that is written to the cache.
        pub write: Option<f64>,
        /// The price of input that is written to the cache for 1 hour.
        pub write_1h: Option<f64>,
        /// The prices of requests with more input.
        pub above: Vec<PriceAbove> = Vec::new(),
    }

    /// The prices of requests with more than a number of input tokens. A missing price is the usual one.
    ///
    /// Shown by the example of [`ModelPrice`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct PriceAbove {
        /// The number of input tokens.
        pub tokens: u64,
        /// The price of input.
        pub input: Option<f64>,
        /// The price of output.
        pub output: Option<f64>,
        /// The price of input that is read from the cache.
        pub read: Option<f64>,
        /// The price of input that is written to the cache.
        pub write: Option<f64>,
        /// The price of input that is written to the cache for 1 hour.
        pub write_1h: Option<f64>,
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

impl ModelInfo {
    /// Returns these facts, and those of `other` where these have none.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            model: self.model.or(other.model),
            provider: self.provider.or(other.provider),
            context_window: self.context_window.or(other.context_window),
            output_limit: self.output_limit.or(other.output_limit),
            media: self.media.or(other.media),
            system_in_conversation: self.system_in_conversation.or(other.system_in_conversation),
            thinking: self.thinking.or(other.thinking),
            prefill: self.prefill.or(other.prefill),
            temperature: self.temperature.or(other.temperature),
            call_signatures: self.call_signatures.or(other.call_signatures),
            cache: self.cache.or(other.cache),
            price: self.price.or(other.price),
        }
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

/// The tokens of a request and its answer, each in one place.
///
/// Shown by the example of [`ModelPrice`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUse {
    /// The input without a cache.
    pub fresh: u64,
    /// The input that is read from the cache.
    pub read: u64,
    /// The input that is written to the cache.
    pub write: u64,
    /// The input that is written to the cache for 1 hour.
    pub write_1h: u64,
    /// The answer.
    pub output: u64,
}

impl ModelPrice {
    /// Returns the cost of a request in dollars. `None` if a price that it needs is not known.
    pub fn cost(&self, used: &TokenUse) -> Option<f64> {
        let input = used.fresh + used.read + used.write + used.write_1h;
        let over =
            self.above.iter().filter(|above| input > above.tokens).max_by_key(|above| above.tokens);
        let part = |tokens: u64, price: Option<f64>, above: fn(&PriceAbove) -> Option<f64>| {
            let price = over.and_then(above).or(price);
            if tokens == 0 { Some(0.0) } else { Some(tokens as f64 * price? / 1e6) }
        };
        Some(
            part(used.fresh, self.input, |above| above.input)?
                + part(used.read, self.read, |above| above.read)?
                + part(used.write, self.write, |above| above.write)?
                + part(used.write_1h, self.write_1h, |above| above.write_1h)?
                + part(used.output, self.output, |above| above.output)?,
        )
    }
}

/// Returns true if an entry of a table of models names this model. An entry names the model of its
/// name, also with a date or a version of the provider's API after it. An entry that ends in `*`
/// names every model that begins so.
///
/// ```
/// use tuckbox::prompt::provider::names_model;
///
/// assert!(names_model("gpt-5", "gpt-5-2025-08-07") && !names_model("gpt-5", "gpt-5-mini"));
/// assert!(names_model("gemini-3*", "gemini-3.5-flash"));
/// ```
pub fn names_model(entry: &str, model: &str) -> bool {
    let base = base(entry);
    let is_open = base.len() < entry.len();
    let Some((head, rest)) = model.split_at_checked(base.len()) else { return false };
    head.eq_ignore_ascii_case(base) && (is_open || is_version(rest))
}

/// Returns the name of an entry without its `*`.
fn base(entry: &str) -> &str {
    entry.strip_suffix('*').unwrap_or(entry)
}

/// Returns true for the end of a name that only states a version: `-2025-08-07`, `@20250807`,
/// `-latest`, `-001`, `-v1:0`.
fn is_version(end: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (end, _) =
        end.rsplit_once(':').filter(|(_, number)| is_digits(number)).unwrap_or((end, ""));
    end.split_inclusive(['-', '@']).all(|word| {
        let word = word.trim_end_matches(['-', '@']);
        word.is_empty()
            || word == "latest"
            || (is_digits(word) && word.len() >= 2)
            || word.strip_prefix('v').is_some_and(is_digits)
    }) && (end.is_empty() || end.starts_with(['-', '@']))
}

/// A table of models.
///
/// Shown by the example of [`Model`].
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    /// The version of the table: the day on which it was written.
    pub version: String,
    /// The entries by provider, because every request looks up its model.
    entries: BTreeMap<String, Vec<Entry>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    info: ModelInfo,
}

impl Models {
    /// The table that comes with the package, read once.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Models> = OnceLock::new();
        SHARED.get_or_init(|| {
            let json = Json::parse(TABLE).unwrap_or_default();
            // a test checks that the whole table can be read
            Self::from_json(&Field::root(&json))
                .unwrap_or(Self { version: String::new(), entries: BTreeMap::new() })
        })
    }

    /// Reads a table: `{"version", "source", "models": [{"provider", "model", ..}]}`.
    ///
    /// # Errors
    /// With the path of what is wrong.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["version", "source", "models"])?;
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for field in fields.required("models")?.list()? {
            let info = ModelInfo::read(&field)?;
            let model = field.object()?;
            let name = String::read_member(&model, "model")?;
            let provider = String::read_member(&model, "provider")?;
            entries.entry(provider).or_default().push(Entry { name, info });
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
        if let Some(info) = model.and_then(|model| self.info(family, model)) {
            found.known = true;
            found.apply(info);
        }
        if *own != ModelInfo::default() {
            found.known = true;
            found.apply(own);
        }
        found
    }

    /// Returns the entry of a model: the one with the longest name.
    pub(crate) fn info(&self, family: &str, model: &str) -> Option<&ModelInfo> {
        let named =
            self.entries.get(family)?.iter().filter(|entry| names_model(&entry.name, model));
        let best = named.max_by_key(|entry| base(&entry.name).len());
        best.map(|entry| &entry.info)
    }

    /// Returns the facts about a model in a table that [`Models::from_json`] has checked. Only the entry
    /// that applies is read.
    pub(crate) fn own_info(table: &Json, family: &str, model: &str) -> Result<Option<ModelInfo>> {
        let text =
            |entry: &'_ Json, key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
        let entries = table.get("models").and_then(Json::as_array).unwrap_or_default();
        let of_family =
            entries.iter().filter(|entry| text(entry, "provider").as_deref() == Some(family));
        let named = of_family.filter_map(|entry| Some((text(entry, "model")?, entry)));
        let best = named
            .filter(|(name, _)| names_model(name, model))
            .max_by_key(|(name, _)| base(name).len());
        best.map(|(_, entry)| ModelInfo::read(&Field::root(entry))).transpose()
    }

    /// Returns the entry of a model as JSON, for display.
    ///
    /// # Errors
    /// When it cannot be written, which does not happen.
    pub fn entry(&self, provider: Provider, model: &str) -> Result<Json, Error> {
        crate::value::json::to_json(&self.find(provider, Some(model), &ModelInfo::default()))
    }
}
