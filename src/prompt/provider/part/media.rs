//! Files of every kind, and their sources.

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
    /// The media type, such as `image/png`. Guessed from the URL if the part does not state it.
    pub mime: Option<String>,
    /// The source.
    pub source: FileSource,
    /// The name of the file.
    pub name: Option<String>,
    /// Facts about a document: `title`, `context`, `citations`, `detail`.
    pub about: Object,
}

/// The source of a file.
///
/// Shown by the example of [`Media`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FileSource {
    /// A URL of any scheme.
    Url(String),
    /// The bytes as base64.
    Data(String),
    /// The text of a document.
    Text(String),
    /// A file that was uploaded to a provider.
    Id {
        /// The owner of the id.
        of: IdOwner,
        /// The id of the provider.
        id: String,
    },
    /// Content in an unknown encoding.
    Opaque {
        /// The name of the encoding.
        encoding: String,
        /// The encoded content.
        content: String,
    },
}

/// The owner of a file id.
///
/// Shown by the example of [`Media`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdOwner {
    /// OpenAI.
    Openai,
    /// Anthropic.
    Anthropic,
    /// Unknown.
    Unknown,
}

/// The kind of a file.
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
    /// Returns a file with a type and a source.
    pub fn new(mime: Option<&str>, source: FileSource) -> Self {
        let mime = mime.filter(|mime| !mime.is_empty()).map(str::to_ascii_lowercase);
        Self { mime, source, name: None, about: Object::default() }
    }

    /// Returns the kind of a media type.
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

    /// Returns the media type, such as `image/png`. Empty if it is unknown.
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

    /// Returns true if it has its bytes.
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
