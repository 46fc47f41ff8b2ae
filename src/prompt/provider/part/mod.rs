//! The typed parts of a message. The requests of all providers are written from them.
//!
//! A message is stored as JSON, verbatim. For a payload, every item of its content is read once,
//! and becomes an [`Item`]: a [`Part`] and its [`PartMetadata`]. Items can have the neutral form,
//! or the forms that providers and frameworks write. Every provider writes its request from parts.
//! The answer of a provider is read as parts too.
//!
//! ```
//! use tuckbox::Message;
//! use tuckbox::prompt::provider::part::{CacheMark, FileSource, Item, Media, Part};
//! use tuckbox::prompt::provider::{Options, Prompt, Provider, payload, read_parts};
//! use tuckbox::value::message::Role;
//!
//! let picture = Media::new(Some("image/png"), FileSource::Url("https://example.org/a.png".into()));
//! let question = Item::from(Part::Text("What is this?".into()));
//! let picture = Item::from(Part::from(picture)).cached(CacheMark::Hour);
//! let message = Message::new(Role::User, vec![question.clone(), picture.clone()]);
//!
//! // what was written is read again
//! let (items, losses) = read_parts(&message);
//! assert_eq!((items, losses.len()), (vec![question, picture], 0));
//!
//! let prompt = Prompt::new(vec![message]);
//! let made = payload(&prompt, Provider::Anthropic, &Options::model("some-model"))?;
//! assert!(made.body().to_string().contains(concat!(
//!     r#"{"type":"image","source":{"type":"url","url":"https://example.org/a.png"},"#,
//!     r#""cache_control":{"type":"ephemeral","ttl":"1h"}}"#,
//! )));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod files;
mod media;
mod own;
mod read;
mod thoughts;
mod write;

pub use media::{FileSource, IdOwner, Media, MediaKind};
pub use own::{Own, OwnRole};
pub(super) use read::{Context, arguments, cache_mark, flat, options, read};

use super::Provider;
use crate::value::json::Json;
use crate::value::message::SharedText;

/// One part of the content of a message.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(SharedText),
    /// An image, a sound, a video, a document or another file.
    Media(Box<Media>),
    /// A call that an assistant makes.
    ToolCall(CallPart),
    /// A tool result.
    ToolResult(ResultPart),
    /// The reasoning of an assistant.
    Reasoning(Reasoning),
    /// The refusal of an assistant.
    Refusal(SharedText),
    /// A part that only one provider has, such as a call of a tool that runs on its side.
    Own(Box<Own>),
}

/// Accessors for callers that need one kind of part.
impl Part {
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text.as_str()) } else { None }
    }

    /// Returns true for a part of the content of a message: text, a refusal or a file.
    pub(crate) fn is_content(&self) -> bool {
        self.as_written().is_some() || self.as_media().is_some()
    }

    /// Returns the string of a text or a refusal.
    pub(crate) fn as_written(&self) -> Option<&SharedText> {
        match self {
            Self::Text(text) | Self::Refusal(text) => Some(text),
            Self::Media(_)
            | Self::ToolCall(_)
            | Self::ToolResult(_)
            | Self::Reasoning(_)
            | Self::Own(_) => None,
        }
    }

    pub(crate) fn as_media(&self) -> Option<&Media> {
        if let Self::Media(media) = self { Some(media) } else { None }
    }

    pub(crate) fn as_call(&self) -> Option<&CallPart> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }

    pub(crate) fn as_result(&self) -> Option<&ResultPart> {
        if let Self::ToolResult(result) = self { Some(result) } else { None }
    }

    pub(crate) fn as_result_mut(&mut self) -> Option<&mut ResultPart> {
        if let Self::ToolResult(result) = self { Some(result) } else { None }
    }

    pub(crate) fn as_own(&self) -> Option<&Own> {
        if let Self::Own(own) = self { Some(own) } else { None }
    }
}

/// A part and its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The part.
    pub part: Part,
    /// The metadata. Most parts have none.
    pub metadata: Option<Box<PartMetadata>>,
}

/// The metadata of a part.
///
/// ```
/// use tuckbox::prompt::provider::part::{PartMetadata, CacheMark, Item, Part};
///
/// let marked = Item::from(Part::Text("The contract".into())).cached(CacheMark::Hour);
/// let metadata: &PartMetadata = marked.metadata.as_deref().unwrap();
/// assert_eq!((metadata.cache, metadata.signature.as_deref()), (Some(CacheMark::Hour), None));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartMetadata {
    /// A cache mark after this part.
    pub cache: Option<CacheMark>,
    /// Gemini's `thoughtSignature`.
    pub signature: Option<String>,
    /// The provider options of the AI SDK, verbatim.
    pub options: Option<Json>,
    /// The citations of an assistant's text.
    pub citations: Option<Citations>,
}

/// The citations of an assistant's text, as their provider wrote them.
///
/// ```
/// use tuckbox::prompt::provider::Provider;
/// use tuckbox::prompt::provider::part::{PartMetadata, Citations};
/// use tuckbox::json;
///
// they are sent back only to the provider that wrote them
/// let citations = Citations { of: Provider::Anthropic, list: json!([{"cited_text": "Clause 9"}]) };
/// let metadata = PartMetadata { citations: Some(citations), ..PartMetadata::default() };
/// assert_eq!(metadata.citations.unwrap().of, Provider::Anthropic);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Citations {
    /// The provider.
    pub of: Provider,
    /// The list.
    pub list: Json,
}

/// A cache mark, and the lifetime of the entry.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheMark {
    /// The default lifetime of the provider.
    Default,
    /// An hour.
    Hour,
}

/// A call that an assistant makes.
///
/// ```
/// use tuckbox::prompt::provider::part::{Arguments, CallPart, Item, Part};
/// use tuckbox::json;
///
/// let call = CallPart { id: "call_1".into(), name: "search".into(), arguments: Arguments::Value(json!({"q": "tides"})) };
/// assert_eq!(call.arguments.text(), r#"{"q":"tides"}"#);
/// assert!(matches!(Item::from(Part::ToolCall(call)).part, Part::ToolCall(_)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CallPart {
    /// The id of the call; empty if the provider has none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
}

/// The arguments of a call.
///
/// Shown by the example of [`CallPart`].
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// The text of the model.
    Text(SharedText),
    /// A value; an object if the provider requires one.
    Value(Json),
}

impl Arguments {
    /// Returns the arguments as text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.as_str().to_owned(),
            Self::Value(value) => value.to_string(),
        }
    }

    /// Returns the arguments as an object. Text that is not an object is wrapped in one, under `arguments`.
    pub(crate) fn object(&self) -> Json {
        match self {
            Self::Value(value) => value.clone(),
            Self::Text(text) => Json::from([("arguments", text.as_str())]),
        }
    }
}

/// The result of a tool.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::part::Part;
/// use tuckbox::prompt::provider::read_parts;
///
/// let (items, _) = read_parts(&Message::tool("call_1", "12 degrees"));
/// let Part::ToolResult(result) = &items[0].part else { panic!() };
/// assert_eq!((result.call_id.as_str(), result.failed), ("call_1", false));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResultPart {
    /// The id of the call that is answered.
    pub call_id: String,
    /// The name of the tool: that of the message, or else that of the call.
    pub tool_name: String,
    /// Text, files, and parts that only one provider has.
    pub parts: Vec<Part>,
    /// True if the call failed.
    pub failed: bool,
}

/// The reasoning of an assistant.
///
/// ```
/// use tuckbox::prompt::provider::part::{Part, Proof, Reasoning};
/// use tuckbox::prompt::provider::{Provider, read_parts, read_response};
/// use tuckbox::json;
///
/// let body = json!({"role": "assistant", "content": [
///     {"type": "thinking", "thinking": "Clause 9 is odd.", "signature": "s1"}, {"type": "text", "text": "No."}]});
/// let answer = read_response(Provider::Anthropic, &body, &[])?.message;
/// let (items, _) = read_parts(&answer);
/// let Part::Reasoning(Reasoning { proof, .. }) = &items[0].part else { panic!() };
/// assert_eq!(*proof, Proof::Signature("s1".into()));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reasoning {
    /// The text, as far as the provider shows it.
    pub text: SharedText,
    /// The proof that the provider requires to accept the reasoning again.
    pub proof: Proof,
}

/// The proof that a provider requires to accept reasoning again.
///
/// Shown by the example of [`Reasoning`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Proof {
    /// Nothing.
    None,
    /// Anthropic's signature over the text.
    Signature(String),
    /// Anthropic's reasoning in encrypted form.
    Redacted(String),
    /// An item of OpenAI Responses, verbatim.
    Item(Json),
    /// A thought of Gemini.
    Thought,
    /// A chunk of Mistral, verbatim.
    Chunk(Json),
}

impl From<Part> for Item {
    fn from(part: Part) -> Self {
        Self { part, metadata: None }
    }
}

impl From<Media> for Part {
    fn from(media: Media) -> Self {
        Self::Media(Box::new(media))
    }
}

impl Item {
    /// Returns the item with a cache mark after it.
    #[must_use]
    pub fn cached(mut self, mark: CacheMark) -> Self {
        self.metadata_mut().cache = Some(mark);
        self
    }

    /// Returns the metadata of the part for changes.
    pub(crate) fn metadata_mut(&mut self) -> &mut PartMetadata {
        self.metadata.get_or_insert_with(Box::default)
    }

    /// Returns the cache mark.
    pub fn cache(&self) -> Option<CacheMark> {
        self.metadata.as_ref().and_then(|metadata| metadata.cache)
    }

    /// Returns the signature of Gemini.
    pub fn signature(&self) -> Option<&str> {
        self.metadata.as_ref().and_then(|metadata| metadata.signature.as_deref())
    }

    /// Returns the citations of a provider.
    pub fn citations(&self, of: Provider) -> Option<&Json> {
        let citations = self.metadata.as_ref()?.citations.as_ref()?;
        (citations.of == of).then_some(&citations.list)
    }
}
