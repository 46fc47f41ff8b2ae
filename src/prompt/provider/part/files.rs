//! Files, pictures and sounds: by data, by address, by a provider's own id.

use super::read::{Context, OPTIONS, PART_KEYS, first};
use super::{FileSource, IdOwner, Media};
use crate::prompt::provider::loss::Change;
use crate::value::find::contains;
use crate::value::json::Json;

const MIMES: [&str; 5] = ["mime_type", "mimeType", "media_type", "mediaType", "format"];
const DATA: [&str; 4] = ["data", "file_data", "base64", "blob"];
const ADDRESSES: [&str; 7] =
    ["url", "uri", "file_url", "fileUri", "file_uri", "image_url", "document_url"];
const NAMES: [&str; 4] = ["filename", "file_name", "name", "displayName"];
const ABOUT: [&str; 4] = ["title", "context", "citations", "detail"];

/// Reads a part that is a file, in any of the forms in use; nothing for any other part.
pub(super) fn read(part: &Json, kind: Option<&str>, context: &mut Context<'_>) -> Option<Media> {
    let (inner, kind, owner) = inner(part, kind)?;
    let mut media = match inner.get("source") {
        Some(source) if source.as_object().is_some() => sourced(source, kind)?,
        Some(_) | None => placed(inner, kind, owner)?,
    };
    media.name = first(inner, &NAMES).map(str::to_owned);
    for key in ABOUT {
        if let Some(value) = inner.get(key).or_else(|| part.get(key)).filter(|v| v.is_truthy()) {
            media.about.insert(key.to_owned(), value.clone());
        }
    }
    note_keys(part, inner, context);
    normalise(&mut media, context);
    Some(media)
}

/// The kind of file that a part states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatedKind {
    Image,
    Audio,
    Video,
    Document,
    File,
}

impl StatedKind {
    /// The type when nothing else states it.
    const fn mime(self) -> Option<&'static str> {
        match self {
            Self::Image => Some("image/*"),
            Self::Document => Some("application/pdf"),
            Self::Audio | Self::Video | Self::File => None,
        }
    }
}

/// The object that has the file, the stated kind, and the owner of its ids.
fn inner<'a>(part: &'a Json, kind: Option<&str>) -> Option<(&'a Json, StatedKind, IdOwner)> {
    let object = |key: &str| part.get(key).filter(|inner| inner.as_object().is_some());
    let nested = |key: &str| object(key).unwrap_or(part);
    Some(match kind {
        Some("image") => (nested("image"), StatedKind::Image, IdOwner::Unknown),
        Some("image_url" | "input_image") => {
            (nested("image_url"), StatedKind::Image, IdOwner::Openai)
        }
        Some("audio") => (nested("audio"), StatedKind::Audio, IdOwner::Unknown),
        Some("input_audio") => (nested("input_audio"), StatedKind::Audio, IdOwner::Openai),
        Some("audio_url") => (nested("audio_url"), StatedKind::Audio, IdOwner::Unknown),
        Some("video") => (nested("video"), StatedKind::Video, IdOwner::Unknown),
        Some("video_url") => (nested("video_url"), StatedKind::Video, IdOwner::Unknown),
        Some("document") => (nested("document"), StatedKind::Document, IdOwner::Unknown),
        Some("document_url") => (nested("document_url"), StatedKind::Document, IdOwner::Unknown),
        Some("file" | "input_file") => (nested("file"), StatedKind::File, IdOwner::Openai),
        Some("media" | "file-data" | "file-url" | "image-data" | "image-url") => {
            (part, StatedKind::File, IdOwner::Unknown)
        }
        Some("media_placeholder") => (object("media_info")?, StatedKind::File, IdOwner::Unknown),
        Some("resource") => (nested("resource"), StatedKind::File, IdOwner::Unknown),
        Some("resource_link") => (part, StatedKind::File, IdOwner::Unknown),
        Some(_) => return None,
        None => {
            let inline = object("inlineData").or_else(|| object("inline_data"));
            let file = || object("fileData").or_else(|| object("file_data"));
            (inline.or_else(file)?, StatedKind::File, IdOwner::Unknown)
        }
    })
}

/// Anthropic's `source`.
fn sourced(source: &Json, stated: StatedKind) -> Option<Media> {
    let mime = first(source, &["media_type"]);
    let text = |key: &str| source.get(key).and_then(Json::as_str).map(str::to_owned);
    Some(match source.get("type").and_then(Json::as_str)? {
        "base64" => Media::new(mime.or(stated.mime()), FileSource::Data(text("data")?)),
        "url" => at_address(&text("url")?, mime, stated),
        "file" => {
            let id = FileSource::Id { of: IdOwner::Anthropic, id: text("file_id")? };
            Media::new(stated.mime(), id)
        }
        "text" => Media::new(Some("text/plain"), FileSource::Text(text("data")?)),
        "content" => {
            let content = source.get("content")?;
            let texts = match content {
                Json::String(text) => text.clone(),
                other => {
                    let parts = other.as_array()?.iter();
                    parts.map(|part| first(part, &["text"])).collect::<Option<Vec<_>>>()?.join("\n")
                }
            };
            Media::new(Some("text/plain"), FileSource::Text(texts))
        }
        _ => return None,
    })
}

fn placed(inner: &Json, stated: StatedKind, owner: IdOwner) -> Option<Media> {
    let format = first(inner, &["format"]);
    let mime = first(inner, &MIMES).map(|mime| match stated {
        StatedKind::Audio if !contains(mime, "/") => audio(mime),
        StatedKind::Image
        | StatedKind::Audio
        | StatedKind::Video
        | StatedKind::Document
        | StatedKind::File => mime,
    });
    if let Some(content) = inner.get("content").and_then(Json::as_str) {
        return Some(match inner.get("encoding")?.as_str()? {
            "uri" | "url" => at_address(content, mime, StatedKind::File),
            "base64" => Media::new(mime, FileSource::Data(content.to_owned())),
            encoding => {
                let (encoding, content) = (encoding.to_owned(), content.to_owned());
                Media::new(mime, FileSource::Opaque { encoding, content })
            }
        });
    }
    if let Some(data) = first(inner, &DATA) {
        return Some(located(data, mime, stated, true));
    }
    // the AI SDK states the form of the data
    if let Some(tagged) = inner.get("data").filter(|data| data.as_object().is_some()) {
        let given = |key: &str| first(tagged, &[key]);
        return Some(match given("type")? {
            "data" => {
                Media::new(mime.or(stated.mime()), FileSource::Data(given("data")?.to_owned()))
            }
            "url" => at_address(given("url")?, mime, stated),
            "text" => {
                Media::new(mime.or(Some("text/plain")), FileSource::Text(given("text")?.to_owned()))
            }
            _ => return None,
        });
    }
    if let Some(id) = first(inner, &["file_id"]) {
        // the neutral form writes addresses under `file_id`
        if contains(id, "://") || id.starts_with("data:") {
            return Some(located(id, format.or(mime), stated, false));
        }
        let named = owner_of(inner);
        let slash = contains(id, "/") || contains(id, ".");
        return Some(if slash && owner == IdOwner::Openai && named.is_none() {
            at_address(id, format.or(mime), stated)
        } else {
            let of = named.unwrap_or(owner);
            Media::new(mime.or(stated.mime()), FileSource::Id { of, id: id.to_owned() })
        });
    }
    if let Some(text) = inner.get("text").and_then(Json::as_str) {
        return Some(Media::new(
            Some(mime.unwrap_or("text/plain")),
            FileSource::Text(text.to_owned()),
        ));
    }
    let address = first(inner, &ADDRESSES);
    // some frameworks put data or an address under the name of the kind
    let named = || inner.get("image").or_else(|| inner.get("file"))?.as_str();
    Some(match (address, named()) {
        (Some(address), _) => located(address, mime, stated, false),
        (None, Some(named)) => located(named, mime, stated, true),
        (None, None) => return None,
    })
}

/// Returns the owner of a file id, if the part states it.
fn owner_of(inner: &Json) -> Option<IdOwner> {
    first(inner, &["file_id"])?;
    match first(inner, &["provider"])? {
        "openai" => Some(IdOwner::Openai),
        "anthropic" => Some(IdOwner::Anthropic),
        "unknown" => Some(IdOwner::Unknown),
        _ => None,
    }
}

/// Data as a data URL, an address, or plain base64.
fn located(text: &str, mime: Option<&str>, stated: StatedKind, plain_is_data: bool) -> Media {
    if let Some(rest) = text.get(..5).filter(|head| head.eq_ignore_ascii_case("data:")) {
        return data_url(text.get(rest.len()..).unwrap_or_default(), mime, stated);
    }
    if !plain_is_data || contains(text, "://") {
        return at_address(text, mime, stated);
    }
    Media::new(mime.or(stated.mime()), FileSource::Data(text.to_owned()))
}

fn data_url(rest: &str, mime: Option<&str>, stated: StatedKind) -> Media {
    let Some((head, data)) = rest.split_once(',') else {
        let opaque = FileSource::Opaque { encoding: "data URL".into(), content: rest.into() };
        return Media::new(mime.or(stated.mime()), opaque);
    };
    let mut fields = head.split(';');
    let own = fields.next().filter(|own| contains(own, "/"));
    let mime = own.or(mime).or(stated.mime());
    if fields.any(|field| field.trim().eq_ignore_ascii_case("base64")) {
        return Media::new(mime, FileSource::Data(data.to_owned()));
    }
    let (encoding, content) = ("percent-encoding".into(), data.into());
    Media::new(mime, FileSource::Opaque { encoding, content })
}

fn at_address(address: &str, mime: Option<&str>, stated: StatedKind) -> Media {
    let known = mime.filter(|mime| !mime.is_empty());
    let guessed = guess(address);
    let mime = match stated {
        // `image_url` states that it is an image
        StatedKind::Image => {
            known.or(guessed.filter(|mime| mime.starts_with("image/"))).or(Some("image/*"))
        }
        StatedKind::Audio | StatedKind::Video | StatedKind::File => known.or(guessed),
        StatedKind::Document => known.or(guessed).or(stated.mime()),
    };
    Media::new(mime, FileSource::Url(address.to_owned()))
}

fn audio(format: &str) -> &str {
    match format {
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "flac" => "audio/flac",
        "opus" => "audio/opus",
        "aac" => "audio/aac",
        other => other,
    }
}

fn note_keys(part: &Json, inner: &Json, context: &mut Context<'_>) {
    let own = ["source", "encoding", "content", "text", "file_id", "annotations", "_meta", "size"];
    let kinds = [
        "image",
        "audio",
        "video",
        "document",
        "file",
        "media_info",
        "input_audio",
        "resource",
        "inlineData",
        "inline_data",
        "fileData",
        "description",
        "icons",
    ];
    let known: Vec<&str> = PART_KEYS
        .iter()
        .chain(&OPTIONS)
        .chain(&MIMES)
        .chain(&DATA)
        .chain(&ADDRESSES)
        .chain(&NAMES)
        .chain(&ABOUT)
        .chain(&own)
        .chain(&kinds)
        .chain(owner_of(inner).map(|_| &"provider"))
        .copied()
        .collect();
    context.keys(part, &known, "a part");
    if !std::ptr::eq(part, inner) {
        context.keys(inner, &known, "a part");
    }
}

/// Types under their registered names, and bytes as what they are.
fn normalise(media: &mut Media, context: &mut Context<'_>) {
    let given = media.mime.clone();
    if let Some(mime) = &mut media.mime {
        let bare = mime.split(';').next().unwrap_or_default().trim();
        *mime = registered(bare).to_owned();
    }
    if let FileSource::Data(data) = &mut media.source {
        match cleaned(data) {
            Some(None) => {}
            Some(Some(clean)) => {
                let reason = "base64 is sent in the standard alphabet, without white space";
                context.losses.message(Change::MediaTypeRewritten, context.at, reason);
                *data = clean;
            }
            None => {
                let content = std::mem::take(data);
                media.source = FileSource::Opaque { encoding: "base64".into(), content };
            }
        }
    }
    if let FileSource::Data(data) = &media.source
        && let Some(seen) = sniffed(data)
        && media
            .mime
            .as_deref()
            .is_none_or(|mime| mime.starts_with("image/") || mime == "application/pdf")
    {
        media.mime = Some(seen.to_owned());
    }
    if media.mime != given
        && let (Some(given), Some(mime)) = (&given, &media.mime)
    {
        let reason = format!("a file of type `{given}` is sent as `{mime}`");
        context.losses.message(Change::MediaTypeRewritten, context.at, reason);
    }
}

/// The registered name of a type that is often written in another way.
fn registered(mime: &str) -> &str {
    match mime {
        "image/jpg" | "image/pjpeg" => "image/jpeg",
        "image/x-png" => "image/png",
        "audio/mp3" | "audio/x-mp3" => "audio/mpeg",
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
        "application/x-pdf" => "application/pdf",
        "text/x-markdown" => "text/markdown",
        other => other,
    }
}

/// Returns standard base64: unchanged, changed, or nothing for other text.
#[expect(clippy::option_option, reason = "three answers: fine, mended, broken")]
fn cleaned(data: &str) -> Option<Option<String>> {
    let standard = |c: u8| c.is_ascii_alphanumeric() || c == b'+' || c == b'/';
    let body = data.trim_end_matches('=');
    let padded = data.len() - body.len() <= 2 && data.len().is_multiple_of(4);
    if !data.is_empty() && padded && body.bytes().all(standard) {
        return Some(None);
    }
    let mut clean: String = data
        .chars()
        .filter(|c| !c.is_ascii_whitespace() && *c != '=')
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    if clean.is_empty() || clean.len() % 4 == 1 || !clean.bytes().all(standard) {
        return None;
    }
    while !clean.len().is_multiple_of(4) {
        clean.push('=');
    }
    Some(Some(clean))
}

/// Returns the media type by the first bytes.
fn sniffed(data: &str) -> Option<&'static str> {
    let starts = [
        ("iVBORw0KGgo", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
        ("JVBERi", "application/pdf"),
    ];
    let found = starts.iter().find(|(start, _)| data.starts_with(start)).map(|(_, mime)| *mime);
    // `RIFF`, four bytes of length, `WEBP`
    let webp = data.starts_with("UklGR") && data.get(11..16) == Some("XRUJQ");
    found.or_else(|| webp.then_some("image/webp"))
}

/// The type that an address ends in.
fn guess(address: &str) -> Option<&'static str> {
    let path = address.split(['?', '#']).next()?;
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "heic" => "image/heic",
        "heif" => "image/heif",
        "svg" => "image/svg+xml",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "pdf" => "application/pdf",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "flac" => "audio/flac",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "mov" => "video/quicktime",
        "webm" => "video/webm",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" => "text/html",
        _ => return None,
    })
}
