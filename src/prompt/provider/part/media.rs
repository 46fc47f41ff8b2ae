//! Files of every kind, and where they are.

use crate::value::json::Object;

/// An image, a sound, a video, a document or another file.
///
/// ```
/// use tuckbox::prompt::provider::part::{FileSource, IdOwner, Media, MediaKind};
///
/// let uploaded = FileSource::Id { of: IdOwner::Anthropic, id: "file_7".into() };
/// let contract = Media::new(Some("application/pdf"), uploaded);
/// assert_eq!(contract.kind(), MediaKind::Pdf);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// The media type, such as `image/png`. A guess from the URL when the part does not state it.
    pub mime: Option<String>,
    /// Where it is.
    pub source: FileSource,
    /// The name of the file.
    pub name: Option<String>,
    /// Facts about a document: `title`, `context`, `citations`, `detail`.
    pub about: Object,
}

/// Where a file is.
///
/// Shown by the example of [`Media`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FileSource {
    /// At an address, of any scheme.
    Url(String),
    /// Here: the bytes as base64.
    Data(String),
    /// Here: the text of a document itself.
    Text(String),
    /// Uploaded to a provider.
    Id {
        /// Whose id it is.
        of: IdOwner,
        /// The id that the provider gave it.
        id: String,
    },
    /// Inline, in an unknown encoding.
    Opaque {
        /// The name of the encoding.
        encoding: String,
        /// What it encodes.
        content: String,
    },
}

/// Whose file id it is.
///
/// Shown by the example of [`Media`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdOwner {
    /// OpenAI's.
    Openai,
    /// Anthropic's.
    Anthropic,
    /// Unknown.
    Unknown,
}

/// What kind of thing a file is.
///
/// Shown by the example of [`Media`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A PDF.
    Pdf,
    /// A sound.
    Audio,
    /// A video.
    Video,
    /// Text of any kind.
    Text,
    /// Any other file, and unknown ones.
    Other,
}

impl Media {
    /// A file of which nothing but its type and its place is known.
    pub fn new(mime: Option<&str>, source: FileSource) -> Self {
        let mime = mime.filter(|mime| !mime.is_empty()).map(str::to_ascii_lowercase);
        Self { mime, source, name: None, about: Object::default() }
    }

    /// What kind of thing it is, by its type.
    pub fn kind(&self) -> MediaKind {
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

    /// Returns the media type, such as `image/png`; empty when it is unknown.
    pub fn mime(&self) -> &str {
        self.mime.as_deref().unwrap_or_default()
    }

    /// Returns true for a file whose URL starts with one of these.
    pub(crate) fn is_at(&self, schemes: &[&str]) -> bool {
        match &self.source {
            FileSource::Url(address) => schemes.iter().any(|scheme| {
                address.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
            }),
            FileSource::Data(_)
            | FileSource::Text(_)
            | FileSource::Id { .. }
            | FileSource::Opaque { .. } => false,
        }
    }

    /// True when its bytes are here.
    pub(crate) fn is_base64(&self) -> bool {
        matches!(self.source, FileSource::Data(_))
    }

    /// Returns the line of text that replaces a file that cannot be sent.
    pub(crate) fn line(&self) -> String {
        let mime = self.mime.as_deref().unwrap_or("unknown type");
        match &self.source {
            FileSource::Url(address) => format!("[file {address} ({mime})]"),
            FileSource::Data(data) => {
                format!("[file of {} base64 characters ({mime})]", data.len())
            }
            FileSource::Text(text) => text.clone(),
            FileSource::Id { id, .. } => format!("[file {id} ({mime})]"),
            FileSource::Opaque { encoding, content } => {
                let length = content.chars().count();
                format!("[file of {length} characters in {encoding} ({mime})]")
            }
        }
    }
}
