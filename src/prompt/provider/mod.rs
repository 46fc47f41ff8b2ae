//! Provider payloads: neutral messages in, the exact request body out, and every change on record.
//!
//! **A payload is always legal for its provider, and nothing changes without a [`Loss`].** Real
//! providers disagree: on several system messages, on a system message after a user's, on who
//! begins, on results without calls and calls without results, on empty text, names, ids and
//! files. What each demands is one table; a legaliser follows it; a `strict` payload refuses
//! instead of changing what the model would see.
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
//! let strict = Options { strict: true, ..Options::default() };
//! let error = tuckbox::prompt::provider::payload(&prompt, Provider::Anthropic, &strict).unwrap_err();
//! assert_eq!(error.path().to_string(), "messages[2]");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod anthropic;
mod demands;
mod gemini;
mod legal;
mod loss;
mod media;
mod openai_chat;
mod openai_responses;
mod options;
mod pair;
mod parts;
mod prompt;
mod read;
mod rule;
#[cfg(test)]
mod tests;
mod tools;
mod trial;
pub(crate) mod turn;

pub use loss::{Action, Change, Loss};
pub use options::Options;
pub use prompt::{Origin, Prompt};
pub use rule::{MakePayload, Source};
pub use tools::Renamed;
pub(crate) use trial::Trial;

use crate::value::json::{Field, Json, Object};
use crate::value::message::Message;
use crate::{Error, Path, Result};
use loss::Losses;
use serde::ser::{Serialize, SerializeMap, Serializer};
pub(crate) use tools::Tool;
use turn::Turn;

/// Whose payload it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Nobody's: the neutral messages as they are.
    Neutral,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini, `generateContent`.
    Gemini,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 5] =
        [Self::Neutral, Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// When there is no such provider.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::ALL.into_iter().find(|provider| provider.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(|provider| format!("`{}`", provider.as_str())).join(", ");
            field.error(format!("unknown provider `{name}`; known are {known}"))
        })
    }
}

/// A request to a provider, and what was changed to make it one.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    provider: Provider,
    options: Options,
    turns: Vec<Turn>,
    tools: Vec<Tool>,
    neutral: Vec<Message>,
    neutral_tools: Vec<Object>,
    origins: Vec<Origin>,
    losses: Vec<Loss>,
    renamed: Vec<Renamed>,
}

/// Makes the payload of a prompt.
///
/// # Errors
/// `bad_request` when nothing is left to send, when an option stands in the way of the payload's
/// own keys, and, with `strict`, when the model would not see the prompt as it stands.
pub fn payload(prompt: &Prompt, provider: Provider, options: &Options) -> Result<Payload> {
    options.check(provider)?;
    let mut losses = Losses::default();
    let turns = read::read(&prompt.messages, &mut losses);
    let mut turns = legal::legalise(turns, provider, options, &mut losses);
    let (tools, renamed) = tools::legalise(&prompt.tools, &mut turns, provider, &mut losses);
    if turns.is_empty() && provider != Provider::Neutral {
        return Err(Error::bad_request("there is nothing to send: no message says anything")
            .at(Path::root().key("messages")));
    }
    if provider == Provider::Anthropic && options.max_output_tokens.is_none() {
        let reason = format!("`max_tokens` is demanded and was not given: {}", options::LIMIT);
        losses.whole(Change::LimitAdded, reason);
    }
    let neutral = provider == Provider::Neutral;
    let losses = if neutral { Vec::new() } else { losses.finish(&prompt.origins) };
    if options.strict {
        loss::refuse(&losses, provider.as_str(), &options.allow)?;
    }
    Ok(Payload {
        provider,
        options: options.clone(),
        turns,
        tools,
        neutral: if neutral { prompt.messages.clone() } else { Vec::new() },
        neutral_tools: if neutral { prompt.tools.clone() } else { Vec::new() },
        origins: prompt.origins.clone(),
        losses,
        renamed,
    })
}

impl Payload {
    /// Whose it is.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Every change, in the order of the messages.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Tools that go under another name: a host translates the model's calls back.
    pub fn renamed_tools(&self) -> &[Renamed] {
        &self.renamed
    }

    /// Where the neutral message at `position` came from.
    pub fn origin(&self, position: usize) -> Origin {
        self.origins.get(position).cloned().unwrap_or_default()
    }

    pub(crate) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// A tool's definition as it stands in the body.
    pub(crate) fn written_tool(&self, tool: &Tool) -> Json {
        match self.provider {
            Provider::Neutral | Provider::OpenaiChat => openai_chat::tool(tool),
            Provider::OpenaiResponses => openai_responses::tool(tool),
            Provider::Anthropic => anthropic::tool(tool),
            Provider::Gemini => gemini::tool(tool),
        }
    }

    /// The request body. The model of a Gemini request stands in its address, not here.
    pub fn body(&self) -> Json {
        let options = &self.options;
        let mut body = Object::default();
        let mut put = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                body.insert(key.to_owned(), value);
            }
        };
        let model = options.model.as_deref().map(Json::from);
        let limit = options.max_output_tokens.map(Json::from);
        let tools: Json = self.tools.iter().map(|tool| self.written_tool(tool)).collect();
        let tools = Some(tools).filter(Json::is_truthy);
        let turns = &self.turns;
        match self.provider {
            Provider::Neutral => {
                put("model", model);
                put("messages", Some(self.neutral.iter().map(neutral_message).collect()));
                let tools: Json = self.neutral_tools.iter().cloned().collect();
                put("tools", Some(tools).filter(Json::is_truthy));
                put("max_output_tokens", limit);
            }
            Provider::OpenaiChat => {
                put("model", model);
                put("messages", Some(openai_chat::messages(turns)));
                put("tools", tools);
                put("max_completion_tokens", limit);
            }
            Provider::OpenaiResponses => {
                put("model", model);
                put("input", Some(openai_responses::input(turns)));
                put("tools", tools);
                put("max_output_tokens", limit);
            }
            Provider::Anthropic => {
                put("model", model);
                put("max_tokens", Some(limit.unwrap_or_else(|| options::LIMIT.into())));
                put("system", anthropic::system(turns));
                put("messages", Some(anthropic::messages(turns)));
                put("tools", tools);
            }
            Provider::Gemini => {
                put("systemInstruction", gemini::system_instruction(turns));
                put("contents", Some(gemini::contents(turns)));
                let tools = tools.map(|tools| Json::from([("functionDeclarations", tools)]));
                put("tools", tools.map(|tools| Json::Array(vec![tools])));
                let config = limit.map(|limit| Json::from([("maxOutputTokens", limit)]));
                put("generationConfig", config);
            }
        }
        body.extend(options.extra.iter().map(|(key, value)| (key.clone(), value.clone())));
        Json::Object(body)
    }
}

fn neutral_message(message: &Message) -> Json {
    // a message serialises to JSON whatever it holds
    crate::value::json::to_json(message).unwrap_or_default()
}

fn object<const N: usize>(entries: [(&str, Json); N]) -> Object {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("provider", &self.provider)?;
        map.serialize_entry("model", &self.options.model)?;
        map.serialize_entry("body", &self.body())?;
        map.serialize_entry("losses", &self.losses)?;
        map.serialize_entry("renamed_tools", &self.renamed)?;
        map.end()
    }
}
