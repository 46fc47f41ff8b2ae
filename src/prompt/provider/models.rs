//! The table of models: what each can do, as data that a host may override.

use super::Provider;
use crate::value::json::{Field, Json, Object, listed};
use crate::{Error, Result};
use serde::Serialize;
use std::sync::OnceLock;

/// The table that comes with the package.
const TABLE: &str = include_str!("models.json");

/// What is known about a model.
///
/// ```
/// use tuckbox::prompt::provider::{Models, Provider};
/// use tuckbox::value::json::Object;
///
/// let known = Models::shared().find(Provider::Anthropic, Some("claude-opus-4-8"), &Object::default());
/// assert!(known.known && known.system_in_conversation);
/// let unknown = Models::shared().find(Provider::Anthropic, Some("no-such-model"), &Object::default());
/// assert!(!unknown.known && !unknown.system_in_conversation);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Model {
    /// False when the table does not have it: what follows is what its provider says.
    pub known: bool,
    /// How many tokens a request and its answer may have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<u64>,
    /// The kinds of file that it sees: `image`, `audio`, `video`, `document`.
    pub media: Vec<String>,
    /// System messages may stand in the conversation.
    pub system_in_conversation: bool,
    /// How it is told to think.
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
    /// What the host says about prices, as it stands.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub price: Object,
}

/// How a model is told to think.
///
/// ```
/// use tuckbox::prompt::provider::{Models, Provider, Thinking};
/// use tuckbox::value::json::Object;
///
/// let unknown = Models::shared().find(Provider::Gemini, Some("no-such-model"), &Object::default());
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

    /// True when it can be told to think.
    pub fn thinks(&self) -> bool {
        self.thinking != Thinking::None
    }

    const KEYS: [&str; 12] = [
        "model",
        "provider",
        "context_window",
        "output_limit",
        "media",
        "system_in_conversation",
        "thinking",
        "prefill",
        "temperature",
        "call_signatures",
        "cache",
        "price",
    ];

    /// Refuses what is no entry of the table.
    pub(super) fn check(field: &Field<'_>) -> Result<()> {
        let mut model = Self::of_provider("");
        model.read(field)
    }

    fn read(&mut self, field: &Field<'_>) -> Result<()> {
        let fields = field.object()?;
        fields.only(&Self::KEYS)?;
        let flag = |key: &str, was: bool| -> Result<bool> {
            Ok(fields.optional(key).map(|field| field.boolean()).transpose()?.unwrap_or(was))
        };
        self.system_in_conversation = flag("system_in_conversation", self.system_in_conversation)?;
        self.prefill = flag("prefill", self.prefill)?;
        self.temperature = flag("temperature", self.temperature)?;
        self.call_signatures = flag("call_signatures", self.call_signatures)?;
        if let Some(field) = fields.optional("context_window") {
            self.context_window = Some(field.count()?);
        }
        if let Some(field) = fields.optional("output_limit") {
            self.output_limit = Some(field.count()?);
        }
        if let Some(field) = fields.optional("media") {
            self.media = field.strings()?.into_iter().map(str::to_owned).collect();
        }
        if let Some(field) = fields.optional("thinking") {
            let name = field.string()?;
            let found = Thinking::ALL.iter().find(|(_, known)| *known == name);
            let unknown = || {
                let known = listed(&Thinking::ALL.map(|(_, name)| name));
                field.error(format!("unknown way of thinking `{name}`; known are {known}"))
            };
            self.thinking = found.ok_or_else(unknown)?.0;
        }
        if let Some(cache) = fields.optional("cache") {
            let cache = cache.object()?;
            cache.only(&["least_tokens", "step"])?;
            if let Some(field) = cache.optional("least_tokens") {
                self.cache_least_tokens = Some(field.count()?);
            }
            if let Some(field) = cache.optional("step") {
                self.cache_step = Some(field.count()?);
            }
        }
        if let Some(price) = fields.optional("price") {
            self.price = price.object()?.json().clone();
        }
        Ok(())
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
    json: Json,
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
    /// With the path of whatever is wrong.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["version", "models"])?;
        let mut entries = Vec::new();
        for field in fields.required("models")?.list()? {
            Model::check(&field)?;
            let model = field.object()?;
            entries.push(Entry {
                provider: model.required("provider")?.string()?.to_owned(),
                prefix: model.required("model")?.string()?.to_owned(),
                json: field.json().clone(),
            });
        }
        Ok(Self { version: fields.required("version")?.string()?.to_owned(), entries })
    }

    /// What is known about a model, with what a host says in its place.
    pub fn find(&self, provider: Provider, model: Option<&str>, own: &Object) -> Model {
        let family = provider.spec().family;
        let mut found = Model::of_provider(family);
        let fits = |entry: &&Entry| {
            let named = model.and_then(|model| model.get(..entry.prefix.len()));
            entry.provider == family
                && named.is_some_and(|head| head.eq_ignore_ascii_case(&entry.prefix))
        };
        let best = self.entries.iter().filter(fits).max_by_key(|entry| entry.prefix.len());
        if let Some(entry) = best {
            found.known = found.read(&Field::root(&entry.json)).is_ok();
        }
        if !own.is_empty() {
            // what a host says was checked when it was read
            let own = Json::Object(own.clone());
            found.known |= found.read(&Field::root(&own)).is_ok();
        }
        found
    }

    /// The entry of a model as JSON, for those who want to see it.
    ///
    /// # Errors
    /// When it cannot be written, which does not happen.
    pub fn entry(&self, provider: Provider, model: &str) -> Result<Json, Error> {
        crate::value::json::to_json(&self.find(provider, Some(model), &Object::default()))
    }
}
