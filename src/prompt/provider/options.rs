//! Options that a host passes with the prompt.

use super::choice::{ResponseSchema, ToolChoice};
use super::client::BodyForm;
use super::demands::Demands;
use super::marks::CachePlan;
use super::models::{Model, ModelInfo, Models};
use super::quirks::Quirk;
use super::{Change, Provider};
use crate::agents::Setup;
use crate::prompt::lint::PromptLint;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Number, Object, listed};
use crate::{Error, Lint, Path, Result};

/// The default limit of the answer, for providers that require one.
pub(super) const LIMIT: u64 = 4096;

arguments! {
    /// Options of a request: what a host passes with the prompt.
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
        /// The model. `payload` needs one for most providers; counting and comparing do not.
        pub model: Option<String>,
        /// The maximum length of the answer, in tokens.
        pub max_output_tokens: Option<u64>,
        /// Fails instead of changing what the model sees.
        pub strict: bool = false,
        /// The changes that `strict` allows.
        pub allow: Vec<Change> = Vec::new(),
        /// Sends `reasoning_content` back, to servers of chat completions that know the key.
        pub keep_reasoning: bool = false,
        /// Treats the last message of the assistant as the start of the answer, for models that
        /// continue it.
        pub prefill: bool = false,
        /// Whether the model calls a tool, and which one.
        pub tool_choice: Option<ToolChoice>,
        /// Whether the model can make several calls at once.
        pub parallel_tool_calls: Option<bool>,
        /// The temperature.
        pub temperature: Option<Number>,
        /// The limit of nucleus sampling.
        pub top_p: Option<Number>,
        /// The strings at which the answer stops.
        pub stop: Vec<String> = Vec::new(),
        /// The schema of the answer.
        pub response_schema: Option<ResponseSchema>,
        /// How much the model thinks.
        pub effort: Option<Effort>,
        /// The maximum number of thinking tokens, for models that count them.
        pub thinking_tokens: Option<u64>,
        /// Names and values that the provider stores with the request.
        pub metadata: Object = Object::new(),
        /// The layers after whose last message the provider's cache can end.
        pub cache_after: Vec<String> = Vec::new(),
        /// How the provider's cache is marked.
        pub cache: Option<CachePlan>,
        /// The response that this request continues, at OpenAI.
        pub previous_response_id: Option<String>,
        /// The differences of a server that offers chat completions.
        pub quirks: Vec<Quirk> = Vec::new(),
        /// Facts about the model that replace those of the table of models.
        pub model_info: ModelInfo = ModelInfo::default(),
        /// Further keys of the body.
        pub extra: Object = Object::new(),
        /// The form of the body: that of the HTTP request, or the whole argument of the call of the
        /// provider's library.
        pub form: BodyForm = BodyForm::Http,
    }
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
}

impl Argument for Effort {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::ALL.into_iter().find(|effort| effort.as_str() == name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(Self::as_str));
            field.error(format!("unknown effort `{name}`; expected one of {known}"))
        })
    }
}

impl Options {
    /// Returns options that have only a model.
    pub fn model(model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..Self::default() }
    }

    /// Returns true if the server has the quirk.
    pub(super) fn has_quirk(&self, quirk: Quirk) -> bool {
        self.quirks.iter().any(|own| own.includes(quirk))
    }

    /// Adds the facts of the project's own table of models.
    pub(crate) fn with_setup(mut self, provider: Provider, setup: &Setup) -> Result<Self> {
        if let (Json::Object(_), Some(model)) = (&*setup.models, &self.model)
            && let Some(info) = Models::own_info(&setup.models, provider.spec().family, model)?
        {
            self.model_info = self.model_info.or(info);
        }
        Ok(self)
    }

    /// Returns the facts about the model, or those of its provider for an unknown model.
    pub(crate) fn known_model(&self, provider: Provider) -> Model {
        Models::shared().find(provider, self.model.as_deref(), &self.model_info)
    }

    /// Returns the lint for a model that is not in the table.
    pub(crate) fn model_lint(&self, provider: Provider) -> Option<Lint> {
        self.lint_of(&self.known_model(provider), provider)
    }

    /// As [`Options::model_lint`], for facts that the caller has already.
    pub(super) fn lint_of(&self, found: &Model, provider: Provider) -> Option<Lint> {
        let model = self.model.as_deref()?;
        if provider == Provider::Neutral || found.known {
            return None;
        }
        let message = format!(
            "the model `{model}` is not in the table of models; the rules of `{}` apply",
            provider.as_str()
        );
        Some(Lint::new(PromptLint::UnknownModel, Path::root().key("model"), message))
    }

    /// Returns the lint for a request that exceeds the window of the model. `needed` includes the
    /// answer.
    pub(crate) fn window_lint(&self, provider: Provider, needed: u64) -> Option<Lint> {
        let window = self.known_model(provider).context_window?;
        let model = self.model.as_deref().unwrap_or_default();
        let message =
            format!("the window of `{model}` is {window} tokens; the request has {needed}");
        (needed > window)
            .then(|| Lint::new(PromptLint::OverWindow, Path::root().key("model"), message))
    }

    /// Returns the demands of the provider for this model, with the quirks of the server.
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

    /// Moves `tool_choice` from the further keys to its option, and refuses further keys that the
    /// payload sets.
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
            Some(key) => {
                Err(Error::bad_request(format!("the payload sets `{key}`; use the option for it"))
                    .at(Path::root().key("extra").key(key)))
            }
        }
    }
}

/// Reads Anthropic's switch for parallel calls, which is part of the choice.
fn parallel(choice: &Json) -> Option<bool> {
    choice.get("disable_parallel_tool_use")?.as_bool().map(|disabled| !disabled)
}

/// Puts further keys into a body: what is an object on both sides is put together.
///
/// # Errors
/// When both have the same key.
pub(super) fn merge(body: &mut Object, extra: &Object, path: &Path) -> Result<()> {
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (None, value) => {
                body.insert(key.clone(), value.clone());
            }
            (Some(Json::Object(own)), Json::Object(more)) => merge(own, more, &path.key(key))?,
            (Some(_), _) => {
                return Err(Error::bad_request(format!(
                    "the payload sets `{key}`; use the option for it"
                ))
                .at(path.key(key)));
            }
        }
    }
    Ok(())
}
