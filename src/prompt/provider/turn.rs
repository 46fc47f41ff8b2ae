//! The common ground of all providers: turns of blocks, each block with the message it came from.

use super::Provider;
use crate::value::json::Json;
use crate::value::message::SharedText;

/// Who speaks, once every role is one that some provider knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

impl Speaker {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    pub(crate) const fn is_system(self) -> bool {
        match self {
            Self::System | Self::Developer => true,
            Self::User | Self::Assistant | Self::Tool => false,
        }
    }
}

/// One message on its way to a provider. A tool's turn holds exactly one answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// The neutral message it began as; nothing for a turn that the legaliser added.
    pub at: Option<usize>,
    pub speaker: Speaker,
    pub name: Option<String>,
    pub blocks: Vec<Block>,
}

/// One piece of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The neutral message it came from; nothing for what the legaliser added.
    pub at: Option<usize>,
    pub body: Body,
    /// What stands beside the body; most blocks have nothing.
    pub more: Option<Box<More>>,
}

/// What stands beside the body of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct More {
    /// The provider's cache may end after this block.
    pub cache: Option<CacheMark>,
    /// Gemini's `thoughtSignature`.
    pub signature: Option<String>,
    /// What the AI SDK keeps beside a part for the provider behind it, as it stood.
    pub options: Option<Json>,
    /// The citations of an assistant's text, as their provider wrote them.
    pub citations: Option<(Provider, Json)>,
}

/// Where a provider's prefix cache may end, and how long it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheMark {
    /// As long as the provider keeps it by default.
    Default,
    /// An hour.
    Hour,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Text(SharedText),
    Media(Box<Media>),
    Call(Call),
    Answer(Answer),
    Reasoning(Reasoning),
    /// An assistant declined, in these words.
    Refusal(SharedText),
    /// A part that only one provider has.
    Own(Box<Own>),
}

/// A call that an assistant makes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub id: String,
    pub name: String,
    pub arguments: Arguments,
}

/// What a tool is called with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arguments {
    /// As the model wrote them.
    Text(SharedText),
    /// As a value; an object wherever the provider wants one.
    Value(Json),
}

impl Arguments {
    /// The arguments as the model reads them.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.as_str().to_owned(),
            Self::Value(value) => value.to_string(),
        }
    }

    /// The arguments as an object; text that is none stands inside one, under `arguments`.
    pub(crate) fn object(&self) -> Json {
        match self {
            Self::Value(value) => value.clone(),
            Self::Text(text) => Json::from([("arguments", text.as_str())]),
        }
    }
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub call_id: String,
    /// The name of the tool: what the message says, and then that of the call.
    pub tool_name: String,
    /// Text and media only.
    pub blocks: Vec<Body>,
    /// The call failed.
    pub failed: bool,
}

/// What an assistant thought.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reasoning {
    pub text: SharedText,
    pub proof: Proof,
}

/// What lets a provider take reasoning back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Proof {
    /// Nothing.
    None,
    /// Anthropic's signature over the text.
    Signature(String),
    /// Anthropic's reasoning in encrypted form.
    Redacted(String),
    /// An item of OpenAI Responses, as it stood.
    Item(Json),
    /// Gemini's own thought.
    Thought,
    /// A chunk of Mistral, as it stood.
    Chunk(Json),
}

/// A part that only one provider has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Own {
    pub provider: Provider,
    /// The part as it stood.
    pub value: Json,
}

/// A file, a picture, a sound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Media {
    /// Such as `image/png`; a guess from the address where nobody says.
    pub mime: Option<String>,
    pub place: Place,
    /// The name of the file.
    pub name: Option<String>,
    /// What is said about a document: `title`, `context`, `citations`, `detail`.
    pub about: crate::value::json::Object,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// An address, of any scheme.
    Address(String),
    /// The bytes as base64.
    Base64(String),
    /// The text of a document itself.
    Text(String),
    /// A file that was uploaded to a provider, under the id it gave.
    Id { of: IdOwner, id: String },
    /// Under an encoding that nobody here knows.
    Opaque { encoding: String, length: usize },
}

/// Whose file id it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdOwner {
    Openai,
    Anthropic,
    Unknown,
}

/// What kind of thing a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image,
    Pdf,
    Audio,
    Video,
    Text,
    Other,
}

impl Media {
    /// A file of which nothing but its type and its place is known.
    pub(crate) fn new(mime: Option<&str>, place: Place) -> Self {
        let mime = mime.filter(|mime| !mime.is_empty()).map(str::to_ascii_lowercase);
        Self { mime, place, name: None, about: crate::value::json::Object::default() }
    }

    pub(crate) fn kind(&self) -> MediaKind {
        let Some(mime) = &self.mime else { return MediaKind::Other };
        match mime.split('/').next() {
            Some("image") => MediaKind::Image,
            Some("audio") => MediaKind::Audio,
            Some("video") => MediaKind::Video,
            Some("text") => MediaKind::Text,
            Some(_) if mime == "application/pdf" => MediaKind::Pdf,
            Some(_) | None => MediaKind::Other,
        }
    }

    /// The type, such as `image/png`; empty where nobody knows it.
    pub(crate) fn mime(&self) -> &str {
        self.mime.as_deref().unwrap_or_default()
    }

    /// True when it stands at an address that begins with one of these.
    pub(crate) fn is_at(&self, schemes: &[&str]) -> bool {
        match &self.place {
            Place::Address(address) => schemes.iter().any(|scheme| {
                address.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
            }),
            Place::Base64(_) | Place::Text(_) | Place::Id { .. } | Place::Opaque { .. } => false,
        }
    }

    /// True when its bytes are here.
    pub(crate) fn is_base64(&self) -> bool {
        matches!(self.place, Place::Base64(_))
    }

    /// The line of text that stands for it where it cannot stand itself.
    pub(crate) fn line(&self) -> String {
        let mime = self.mime.as_deref().unwrap_or("unknown type");
        match &self.place {
            Place::Address(address) => format!("[file {address} ({mime})]"),
            Place::Base64(data) => format!("[file of {} base64 characters ({mime})]", data.len()),
            Place::Text(text) => text.clone(),
            Place::Id { id, .. } => format!("[file {id} ({mime})]"),
            Place::Opaque { encoding, length } => {
                format!("[file of {length} characters in {encoding} ({mime})]")
            }
        }
    }
}

impl Block {
    pub(crate) fn new(at: Option<usize>, body: Body) -> Self {
        Self { at, body, more: None }
    }

    pub(crate) fn more_mut(&mut self) -> &mut More {
        self.more.get_or_insert_with(Box::default)
    }

    pub(crate) fn cache(&self) -> Option<CacheMark> {
        self.more.as_ref().and_then(|more| more.cache)
    }

    pub(crate) fn signature(&self) -> Option<&str> {
        self.more.as_ref().and_then(|more| more.signature.as_deref())
    }

    /// The citations that belong to this provider.
    pub(crate) fn citations(&self, of: Provider) -> Option<&Json> {
        let more = self.more.as_ref()?;
        more.citations.as_ref().filter(|(provider, _)| *provider == of).map(|(_, json)| json)
    }
}

impl Turn {
    pub(crate) fn added(speaker: Speaker, text: &str) -> Self {
        let blocks = vec![Block::new(None, Body::Text(text.into()))];
        Self { at: None, speaker, name: None, blocks }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match &block.body {
            Body::Call(call) => Some(call),
            Body::Text(_)
            | Body::Media(_)
            | Body::Answer(_)
            | Body::Reasoning(_)
            | Body::Refusal(_)
            | Body::Own(_) => None,
        })
    }

    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.blocks.iter().find_map(|block| match &block.body {
            Body::Answer(answer) => Some(answer),
            Body::Text(_)
            | Body::Media(_)
            | Body::Call(_)
            | Body::Reasoning(_)
            | Body::Refusal(_)
            | Body::Own(_) => None,
        })
    }

    pub(crate) fn answer_mut(&mut self) -> Option<&mut Answer> {
        self.blocks.iter_mut().find_map(|block| match &mut block.body {
            Body::Answer(answer) => Some(answer),
            Body::Text(_)
            | Body::Media(_)
            | Body::Call(_)
            | Body::Reasoning(_)
            | Body::Refusal(_)
            | Body::Own(_) => None,
        })
    }
}
