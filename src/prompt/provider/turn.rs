//! The common ground of all providers: turns of blocks, each block with the message it came from.

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
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Text(SharedText),
    Media(Media),
    Call(Call),
    Answer(Answer),
    Reasoning(SharedText),
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
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub call_id: String,
    /// The name of the tool, once the call is found.
    pub tool_name: String,
    /// Text and media only.
    pub blocks: Vec<Body>,
}

/// A file, a picture, a sound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Media {
    /// Such as `image/png`; a guess from the address where nobody says.
    pub mime: Option<String>,
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// An address, of any scheme.
    Address(String),
    /// The bytes as base64.
    Base64(String),
    /// Under an encoding that nobody here knows.
    Opaque { encoding: String, length: usize },
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

    /// True when a provider could fetch it: an address of the web.
    pub(crate) fn is_on_the_web(&self) -> bool {
        match &self.place {
            Place::Address(address) => {
                address.starts_with("https://") || address.starts_with("http://")
            }
            Place::Base64(_) | Place::Opaque { .. } => false,
        }
    }

    /// The line of text that stands for it where it cannot stand itself.
    pub(crate) fn line(&self) -> String {
        let mime = self.mime.as_deref().unwrap_or("unknown type");
        match &self.place {
            Place::Address(address) => format!("[file {address} ({mime})]"),
            Place::Base64(data) => format!("[file of {} base64 characters ({mime})]", data.len()),
            Place::Opaque { encoding, length } => {
                format!("[file of {length} characters in {encoding} ({mime})]")
            }
        }
    }
}

impl Turn {
    pub(crate) fn added(text: &str) -> Self {
        let blocks = vec![Block { at: None, body: Body::Text(text.into()) }];
        Self { at: None, speaker: Speaker::User, name: None, blocks }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match &block.body {
            Body::Call(call) => Some(call),
            Body::Text(_) | Body::Media(_) | Body::Answer(_) | Body::Reasoning(_) => None,
        })
    }

    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.blocks.iter().find_map(|block| match &block.body {
            Body::Answer(answer) => Some(answer),
            Body::Text(_) | Body::Media(_) | Body::Call(_) | Body::Reasoning(_) => None,
        })
    }

    pub(crate) fn answer_mut(&mut self) -> Option<&mut Answer> {
        self.blocks.iter_mut().find_map(|block| match &mut block.body {
            Body::Answer(answer) => Some(answer),
            Body::Text(_) | Body::Media(_) | Body::Call(_) | Body::Reasoning(_) => None,
        })
    }
}
