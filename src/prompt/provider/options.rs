//! What a host says beside the prompt.

use super::choice::{ResponseSchema, ToolChoice};
use super::demands::Demands;
use super::models::{Model, Models};
use super::quirks::Quirk;
use super::{Change, Provider};
use crate::prompt::lint::PromptLint;
use crate::value::json::{Field, Fields, Json, Object, listed};
use crate::{Error, Lint, Path, Result};

/// The longest answer to ask for where a provider demands a limit and nobody named one.
pub(super) const LIMIT: u64 = 4096;

/// What a host says beside the prompt.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::{Effort, Options, Prompt, Provider, payload};
///
/// let prompt = Prompt::new(vec![Message::user("Hello")]);
/// let options = Options { effort: Some(Effort::Low), ..Options::model("gpt-5") };
/// let body = payload(&prompt, Provider::OpenaiChat, &options)?.body();
/// assert_eq!(body.get("reasoning_effort"), Some(&"low".into()));
/// # Ok::<(), tuckbox::Error>(())
/// ```
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
    /// Whether and which tool the model calls.
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls at once.
    pub parallel_tool_calls: Option<bool>,
    /// The temperature, a number.
    pub temperature: Option<Json>,
    /// Nucleus sampling, a number.
    pub top_p: Option<Json>,
    /// Texts at which the answer stops.
    pub stop: Vec<String>,
    /// The schema of the answer.
    pub response_schema: Option<ResponseSchema>,
    /// How much the model thinks.
    pub effort: Option<Effort>,
    /// The most tokens that the model thinks, for models that count them.
    pub thinking_tokens: Option<u64>,
    /// Names and texts that the provider keeps with the request.
    pub metadata: Object,
    /// Layers after whose last message the provider's cache may end.
    pub cache_after: Vec<String>,
    /// The response that this request goes on from, at OpenAI.
    pub previous_response_id: Option<String>,
    /// What a server that speaks chat completions does differently.
    pub quirks: Vec<Quirk>,
    /// What the host knows about the model better than the table.
    pub model_info: Object,
    /// Further keys of the body.
    pub extra: Object,
}

/// How much a model thinks before it answers.
///
/// Shown by the example of [`Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    /// Every effort, the least first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    fn from_json(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::ALL.into_iter().find(|effort| effort.as_str() == name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(Self::as_str));
            field.error(format!("unknown effort `{name}`; known are {known}"))
        })
    }
}

impl Options {
    /// Options of nothing but a model.
    pub fn model(model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..Self::default() }
    }

    /// The keys that [`Options::from_fields`] reads.
    pub(crate) const KEYS: [&str; 20] = [
        "model",
        "max_output_tokens",
        "strict",
        "allow",
        "keep_reasoning",
        "prefill",
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
        "effort",
        "thinking_tokens",
        "metadata",
        "cache_after",
        "previous_response_id",
        "quirks",
        "model_info",
        "extra",
    ];

    /// Reads the options of a call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let boolean = |key: &str| call.optional(key).map(|field| field.boolean()).transpose();
        let count = |key: &str| call.optional(key).map(|field| field.count()).transpose();
        let texts = |key: &str| -> Result<Vec<String>> {
            let Some(list) = call.optional(key) else { return Ok(Vec::new()) };
            Ok(list.strings()?.into_iter().map(str::to_owned).collect())
        };
        let object = |key: &str| -> Result<Object> {
            let Some(field) = call.optional(key) else { return Ok(Object::default()) };
            Ok(field.object()?.json().clone())
        };
        let number = |key: &str| -> Result<Option<Json>> {
            let Some(field) = call.optional(key) else { return Ok(None) };
            match field.json() {
                Json::Number(_) => Ok(Some(field.json().clone())),
                _ => Err(field.expected("a number")),
            }
        };
        let allow = match call.optional("allow") {
            None => Vec::new(),
            Some(list) => list.list()?.iter().map(Change::from_json).collect::<Result<_>>()?,
        };
        let quirks = match call.optional("quirks") {
            None => Vec::new(),
            Some(list) => Quirk::list_from_json(&list)?,
        };
        let model_info = object("model_info")?;
        if let Some(info) = call.optional("model_info") {
            Model::check(&info)?;
        }
        let text = |key: &str| {
            call.optional(key).map(|field| field.string().map(str::to_owned)).transpose()
        };
        Ok(Self {
            model: text("model")?,
            max_output_tokens: count("max_output_tokens")?,
            strict: boolean("strict")?.unwrap_or_default(),
            allow,
            keep_reasoning: boolean("keep_reasoning")?.unwrap_or_default(),
            prefill: boolean("prefill")?.unwrap_or_default(),
            tool_choice: call
                .optional("tool_choice")
                .map(|field| ToolChoice::from_json(&field))
                .transpose()?,
            parallel_tool_calls: boolean("parallel_tool_calls")?,
            temperature: number("temperature")?,
            top_p: number("top_p")?,
            stop: texts("stop")?,
            response_schema: call
                .optional("response_schema")
                .map(|field| ResponseSchema::from_json(&field))
                .transpose()?,
            effort: call.optional("effort").map(|field| Effort::from_json(&field)).transpose()?,
            thinking_tokens: count("thinking_tokens")?,
            metadata: object("metadata")?,
            cache_after: texts("cache_after")?,
            previous_response_id: text("previous_response_id")?,
            quirks,
            model_info,
            extra: object("extra")?,
        })
    }

    /// What is known about the model; what its provider says where the model is unknown.
    pub(crate) fn known_model(&self, provider: Provider) -> Model {
        Models::shared().find(provider, self.model.as_deref(), &self.model_info)
    }

    /// Says that the table does not have the model.
    pub(crate) fn model_lint(&self, provider: Provider) -> Option<Lint> {
        self.lint_of(&self.known_model(provider), provider)
    }

    /// As [`Options::model_lint`], where the model was looked for already.
    pub(super) fn lint_of(&self, found: &Model, provider: Provider) -> Option<Lint> {
        let model = self.model.as_deref()?;
        if provider == Provider::Neutral || found.known {
            return None;
        }
        let message = format!(
            "the model `{model}` is not in the table; what `{}` takes in general holds",
            provider.as_str()
        );
        Some(Lint::new(PromptLint::UnknownModel, Path::root().key("model"), message))
    }

    /// Says that so many tokens, those kept free for the answer among them, are more than the
    /// model's window holds.
    pub(crate) fn window_lint(&self, provider: Provider, needed: u64) -> Option<Lint> {
        let window = self.known_model(provider).context_window?;
        let model = self.model.as_deref().unwrap_or_default();
        let message =
            format!("the window of `{model}` holds {window} tokens, and this is {needed}");
        (needed > window)
            .then(|| Lint::new(PromptLint::OverWindow, Path::root().key("model"), message))
    }

    /// What the provider demands of this model, or a server of its kind.
    pub(super) fn demands(&self, provider: Provider) -> Demands {
        let mut demands = *provider.demands();
        for quirk in &self.quirks {
            quirk.apply(&mut demands);
        }
        demands.orphan_results =
            provider == Provider::OpenaiResponses && self.previous_response_id.is_some();
        if demands.prefill && self.prefill {
            demands.prefill = self.known_model(provider).prefill;
        }
        demands
    }

    /// Moves what has an option of its own out of the further keys, and refuses further keys that
    /// the payload writes itself: one of the two would be lost.
    pub(super) fn settled(&self, provider: Provider) -> Result<Self> {
        let mut options = self.clone();
        if provider != Provider::Neutral
            && options.tool_choice.is_none()
            && let Some(choice) = self.extra.get("tool_choice")
        {
            let extra = Json::Object(self.extra.clone());
            let extra = Field::root(&extra).object()?;
            let within = Path::root().key("extra");
            let field = extra.required("tool_choice").map_err(|error| error.within(&within))?;
            let read = ToolChoice::from_json(&field).map_err(|error| error.within(&within))?;
            options.parallel_tool_calls = options.parallel_tool_calls.or(parallel(choice));
            options.tool_choice = Some(read);
            options.extra.remove("tool_choice");
        }
        let own = provider.spec().own_keys;
        let written = options.extra.keys().find(|key| own.contains(&key.as_str())).cloned();
        match written {
            None => Ok(options),
            Some(key) => Err(Error::bad_request(format!(
                "the payload writes `{key}` itself; say it where it belongs"
            ))
            .at(Path::root().key("extra").key(key))),
        }
    }
}

/// Anthropic says beside the choice whether calls may be made at once.
fn parallel(choice: &Json) -> Option<bool> {
    choice.get("disable_parallel_tool_use")?.as_bool().map(|disabled| !disabled)
}

/// Puts further keys into a body: what is an object on both sides is put together.
///
/// # Errors
/// When both say the same key.
pub(super) fn merge(body: &mut Object, extra: &Object, path: &Path) -> Result<()> {
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (None, value) => {
                body.insert(key.clone(), value.clone());
            }
            (Some(Json::Object(own)), Json::Object(more)) => merge(own, more, &path.key(key))?,
            (Some(_), _) => {
                return Err(Error::bad_request(format!(
                    "the payload writes `{key}` itself; say it where it belongs"
                ))
                .at(path.key(key)));
            }
        }
    }
    Ok(())
}
