//! Makes the request body of a provider from messages, and records every change.
//!
//! **A payload is always legal for its provider, and nothing changes without a [`Loss`].** Providers
//! differ in what they accept: the places of system messages, the first speaker, calls without
//! results, empty text, names, ids and files. Each provider has a table of rules, and one function
//! changes messages to follow it. A `strict` payload fails instead of changing what the model sees.
//!
//! ```
//! use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
//! use tuckbox::Message;
//!
//! let prompt = Prompt::new(vec![
//!     Message::system("Be brief."),
//!     Message::user("Hello"),
//!     Message::system("The user is in a hurry."),
//!     Message::user("Well?"),
//! ]);
//! let payload = payload(&prompt, Provider::Anthropic, &Options::model("some-model"))?;
//! assert_eq!(payload.body().to_string(), concat!(
//!     r#"{"model":"some-model","max_tokens":4096,"#,
//!     r#""system":[{"type":"text","text":"Be brief."},{"type":"text","text":"The user is in a hurry."}],"#,
//!     r#""messages":[{"role":"user","content":[{"type":"text","text":"Hello"},{"type":"text","text":"Well?"}]}]}"#,
//! ));
//! let codes: Vec<_> = payload.losses().iter().map(|loss| (loss.code.as_str(), loss.position)).collect();
//! assert_eq!(codes, [("limit_added", None), ("system_moved", Some(2)), ("turns_merged", Some(3))]);
//!
//! let strict = Options { strict: true, ..Options::model("m") };
//! let error = tuckbox::prompt::provider::payload(&prompt, Provider::Anthropic, &strict).unwrap_err();
//! assert_eq!(error.path().to_string(), "messages[2]");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod body;
mod choice;
mod client;
mod demands;
mod draft;
mod legal;
mod loss;
mod marks;
mod media;
mod models;
mod name;
mod options;
mod own;
mod pair;
pub mod part;
mod plain;
mod prompt;
mod quirks;
mod read;
mod resident;
mod response;
mod restore;
mod rule;
mod schema;
pub mod sent;
mod spec;
mod strict;
#[cfg(test)]
mod tests;
mod tools;
mod trial;
pub(crate) mod turn;

pub use choice::{ResponseSchema, ToolChoice};
pub use client::{BodyForm, NativeKind, NativeValue};
pub use loss::{Action, Change, Loss};
pub use marks::{CacheLifetime, CachePlan, CacheStrategy};
pub use models::{
    Model, ModelCache, ModelInfo, ModelPrice, Models, PriceAbove, Thinking, TokenUse, names_model,
};
pub use name::Provider;
pub use options::{Effort, Options};
pub(crate) use prompt::Shown;
pub use prompt::{Origin, Prompt};
pub use quirks::Quirk;
pub use read::read_parts;
pub use resident::{BodyChange, GrowingBody, ResidentBody};
pub(crate) use response::joined;
pub use response::{
    Delta, Deltas, ReadDeltas, ReadResponse, Response, Stop, Usage, read_deltas, read_events,
    read_response,
};
pub use restore::{RestoreCall, RestoredCall, restore_call};
pub use rule::{MakePayload, Source};
pub(crate) use rule::{TurnCall, make};
pub use tools::{Renamed, RenamedProperty};
pub(crate) use trial::Trial;

use crate::prompt::tokens::Framing;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, Object, listed};
use crate::value::message::Message;
use crate::{Error, Path, Result};
use body::Out;
use demands::Demands;
pub(crate) use demands::System;
use draft::{Draft, Settle, object};
use legal::PartOf;
use loss::Losses;
use serde::ser::{Serialize, SerializeMap, Serializer};
use spec::Spec;
use tools::Names;
pub(crate) use tools::Tool;
use turn::Turn;

macro_rules! specs {
    ($($(#[$doc:meta])* $name:ident in $file:ident;)*) => {
        $(mod $file;)*

        impl Provider {
            pub(crate) const fn spec(self) -> &'static Spec {
                match self { $(Self::$name => &$file::SPEC,)* }
            }

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                // one field, not a reference to a value with all functions, so that a name does not
                // load the code that writes bodies
                match self { $(Self::$name => const { $file::SPEC.name },)* }
            }

            pub(crate) const fn demands(self) -> &'static Demands {
                match self { $(Self::$name => const { &$file::SPEC.demands },)* }
            }

            /// The framing of this provider's payloads.
            pub const fn framing(self) -> Framing {
                match self { $(Self::$name => const { $file::SPEC.framing },)* }
            }
        }
    };
}

name::providers! { specs }

impl Provider {
    /// Returns the provider with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|provider| provider.as_str() == name)
    }
}

impl Argument for Provider {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::named(name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|provider| provider.as_str()).collect();
            field.error(format!("unknown provider `{name}`; expected one of {}", listed(&known)))
        })
    }
}

impl Serialize for Provider {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A request to a provider, and the changes of its conversion.
///
/// Shown by the example of [`payload`](payload()).
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    provider: Provider,
    options: Options,
    model: Model,
    turns: Vec<Turn>,
    tools: Vec<Tool>,
    neutral: Vec<Message>,
    neutral_tools: Vec<Object>,
    origins: Vec<Origin>,
    losses: Vec<Loss>,
    renamed: Vec<Renamed>,
    body: Object,
}

/// Returns the payload of a prompt.
///
/// # Errors
/// `bad_request` if:
///
/// - no message has content
/// - the provider requires a model, and the options name none
/// - an option has a key that the payload sets
/// - with `strict`, a change affects what the model sees
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
///
/// let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user("Hello")]);
/// let chat = payload(&prompt, Provider::OpenaiChat, &Options::model("some-model"))?;
/// assert_eq!(chat.body().to_string(),
///     r#"{"model":"some-model","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}]}"#);
/// assert!(payload(&prompt, Provider::OpenaiChat, &Options::default()).is_err(), "a model must be named");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn payload(prompt: &Prompt, provider: Provider, options: &Options) -> Result<Payload> {
    payload_of(prompt.shown(), provider, options)
}

fn payload_of(prompt: Shown<'_>, provider: Provider, options: &Options) -> Result<Payload> {
    check_model(provider, options)?;
    draft(prompt, provider, options)
}

fn check_model(provider: Provider, options: &Options) -> Result<()> {
    if provider.demands().model && options.model.as_deref().is_none_or(|model| model.is_empty()) {
        let message = format!("`{}` needs a `model`", provider.as_str());
        return Err(Error::bad_request(message).at(Path::root().key("model")));
    }
    Ok(())
}

/// As [`payload`], without a required model, for requests that are counted or compared and not sent.
pub(crate) fn draft(prompt: Shown<'_>, provider: Provider, options: &Options) -> Result<Payload> {
    let mut losses = Losses::of(provider.as_str());
    let turns = read::read(&prompt.messages, &mut losses);
    drafted((turns, losses), prompt, provider, options).map(|(payload, _)| payload)
}

/// As [`draft`], for messages that were read, with the changes of reading. Only the neutral form needs
/// the messages of the prompt. Also returns the names of tools.
fn drafted(
    (turns, mut losses): (Vec<Turn>, Losses),
    prompt: Shown<'_>,
    provider: Provider,
    options: &Options,
) -> Result<(Payload, Names)> {
    let mut options = options.settled(provider)?;
    let model = options.known_model(provider);
    let given = (&options, &model);
    let mut turns = legal::legalise(turns, provider, given, PartOf::Start, &mut losses);
    let (mut tools, names) = tools::legalise(prompt.tools, &mut turns, provider, &mut losses);
    if turns.is_empty() && provider != Provider::Neutral {
        return Err(Error::bad_request("nothing to send: no message has content")
            .at(Path::root().key("messages")));
    }
    if provider != Provider::Neutral {
        draft::unsupported(&mut options, provider.spec().options, &mut losses);
        draft::choose(&mut options, &names, !tools.is_empty(), &mut losses)?;
        draft::suit_model(&mut options, &model, &mut losses);
        let request = (provider, &options);
        marks::set(&mut turns, &mut tools, request, &prompt.origins, &mut losses);
        let (turns, tools) = (&mut turns, &mut tools);
        let losses = &mut losses;
        (provider.spec().settle)(&mut Settle {
            options: &mut options,
            model: &model,
            turns,
            tools,
            losses,
        });
    }
    let neutral = provider == Provider::Neutral;
    let losses = if neutral { Vec::new() } else { losses.finish(&prompt.origins) };
    if options.strict {
        loss::refuse(&losses, provider.as_str(), &options.allow)?;
    }
    let mut payload = Payload {
        provider,
        options,
        model,
        turns,
        tools,
        neutral: if neutral { prompt.messages.into_iter().cloned().collect() } else { Vec::new() },
        neutral_tools: if neutral { prompt.tools.to_vec() } else { Vec::new() },
        origins: prompt.origins.into_owned(),
        losses,
        renamed: names.renamed(),
        body: Object::default(),
    };
    // keys of the host are merged once, so that a conflict is an error and not a loss
    if !payload.options.extra.is_empty() {
        let mut body = payload.written().into_object();
        options::merge(&mut body, &payload.options.extra, &Path::root().key("extra"))?;
        payload.body = body;
    }
    Ok((payload, names))
}

impl Payload {
    /// Returns the payload with the recorded body and without changes.
    fn with_sent_body(mut self, body: Object) -> Self {
        self.body = body;
        self.losses.clear();
        self.renamed.clear();
        self
    }

    /// The provider.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The facts about its model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The name of its model.
    pub(crate) fn model_name(&self) -> Option<&str> {
        self.options.model.as_deref()
    }

    /// Returns the value of a key of the host.
    pub(crate) fn extra(&self, key: &str) -> Option<&Json> {
        self.options.extra.get(key)
    }

    /// Every change, in the order of the messages.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Tools with another name or other arguments in the payload. A host restores the model's calls.
    pub fn renamed_tools(&self) -> &[Renamed] {
        &self.renamed
    }

    /// Returns the origin of the message at `position` in the prompt.
    pub fn origin(&self, position: usize) -> Origin {
        self.origins.get(position).cloned().unwrap_or_default()
    }

    /// Returns the layer of the message at `position` in the prompt.
    pub(crate) fn layer(&self, position: usize) -> Option<&str> {
        self.origins.get(position)?.layer.as_deref()
    }

    /// Returns the maximum number of tokens of the answer in the body; 0 without a limit.
    pub fn reserve(&self) -> u64 {
        let demanded = if self.provider == Provider::Anthropic { options::LIMIT } else { 0 };
        self.options.max_output_tokens.unwrap_or(demanded)
    }

    pub(crate) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn as_draft(&self) -> Draft<'_> {
        Draft {
            provider: self.provider,
            options: &self.options,
            turns: &self.turns,
            tools: &self.tools,
            neutral: &self.neutral,
            neutral_tools: &self.neutral_tools,
        }
    }

    /// Returns the definition of a tool in the body.
    pub(crate) fn written_tool(&self, tool: &Tool) -> Json {
        self.as_draft().tool(tool)
    }

    fn written(&self) -> Out<'_> {
        (self.provider.spec().body)(&self.as_draft())
    }

    /// Returns the body in its form. In the form `Http` the model of a Gemini request is in its URL,
    /// not in the body.
    pub fn body(&self) -> Json {
        let body = match self.body.is_empty() {
            true => self.written().into_object(),
            false => self.body.clone(),
        };
        Json::Object(match self.options.form {
            BodyForm::Http => body,
            BodyForm::Client => client::argument(self.provider, self.model_name(), body),
        })
    }

    /// Lists the values of the body that the library of the provider does not take as JSON.
    ///
    /// ```
    /// use tuckbox::{Json, Message};
    /// use tuckbox::prompt::provider::{BodyForm, NativeKind, Options, Prompt, Provider, payload};
    ///
    /// let tool = Json::parse(r#"{"name": "look", "parameters": {"type": "object"}}"#)?;
    /// let tools = vec![tool.as_object().cloned().unwrap_or_default()];
    /// let prompt = Prompt { tools, ..Prompt::new(vec![Message::user("Hello")]) };
    /// let options = Options { form: BodyForm::Client, model: Some("gpt-5".into()), ..Options::default() };
    /// let native = payload(&prompt, Provider::AiSdk, &options)?.native();
    /// assert_eq!(native[0].pointer, "/tools/look/inputSchema");
    /// assert_eq!(native[0].kind, NativeKind::Schema);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn native(&self) -> Vec<NativeValue> {
        match self.options.form {
            BodyForm::Http => Vec::new(),
            BodyForm::Client => client::native(self.provider, &self.body()),
        }
    }
}

shape! {
    /// A payload, and the changes of its conversion.
    pub struct Payload {
        pub provider: Provider,
        pub model: Option<String>,
        /// The body, verbatim.
        pub body: Object,
        pub losses: Vec<Loss>,
        /// Tools that have another name for the provider.
        pub renamed_tools: Vec<Renamed>,
        /// The values of the body that are not JSON in the library of the provider, with the form
        /// `client`. The package for JavaScript has converted them.
        pub native: Maybe<Vec<NativeValue>>,
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("provider", &self.provider)?;
        map.serialize_entry("model", &self.options.model)?;
        match (self.options.form, self.body.is_empty()) {
            (BodyForm::Http, true) => map.serialize_entry("body", &self.written())?,
            (BodyForm::Http, false) => map.serialize_entry("body", &self.body)?,
            (BodyForm::Client, _) => map.serialize_entry("body", &self.body())?,
        }
        map.serialize_entry("losses", &self.losses)?;
        map.serialize_entry("renamed_tools", &self.renamed)?;
        let native = self.native();
        if !native.is_empty() {
            map.serialize_entry("native", &native)?;
        }
        map.end()
    }
}
