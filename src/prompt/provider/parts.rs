//! The parts of a message's content.

use super::loss::{Change, Losses};
use super::turn::{Body, Media, Place};
use crate::value::json::Json;

/// Reads one part: text, a file, media, or a picture as chat completions write it.
pub(super) fn read(part: &Json, at: usize, losses: &mut Losses) -> Body {
    let text = |key: &str| part.get(key).and_then(Json::as_str);
    let (inside, known, body): (&str, &[&str], _) = match text("type") {
        Some("text" | "input_text" | "output_text") => {
            ("text", &[], text("text").map(|words| Body::Text(words.into())))
        }
        Some("file") => ("file", &["file_id", "format"], part.get("file").and_then(file)),
        Some("media_placeholder") => {
            let keys = &["content", "mime_type", "encoding"];
            ("media_info", keys, part.get("media_info").and_then(media))
        }
        Some("image_url") => ("image_url", &["url"], part.get("image_url").and_then(image_url)),
        Some(_) | None => ("", &[], None),
    };
    if body.is_some() {
        losses.keys(at, part, &["type", inside], "a part");
        losses.keys(at, part.get(inside).unwrap_or(&Json::Null), known, "a part");
    }
    body.unwrap_or_else(|| {
        let kind = part.get("type").map_or_else(|| "no type".to_owned(), Json::text_form);
        losses.message(
            Change::UnknownPart,
            at,
            format!("a part of type `{kind}` is not known and stands as its JSON text"),
        );
        Body::Text(part.spaced().into())
    })
}

fn file(file: &Json) -> Option<Body> {
    let address = file.get("file_id")?.as_str()?;
    let format = file.get("format").and_then(Json::as_str);
    Some(Body::Media(at_address(address, format)))
}

fn media(info: &Json) -> Option<Body> {
    let content = info.get("content")?.as_str()?;
    let mime = info.get("mime_type")?.as_str()?;
    Some(Body::Media(match info.get("encoding")?.as_str()? {
        "uri" | "url" => at_address(content, Some(mime)),
        "base64" => Media { mime: Some(mime.to_owned()), place: Place::Base64(content.to_owned()) },
        encoding => Media {
            mime: Some(mime.to_owned()),
            place: Place::Opaque { encoding: encoding.to_owned(), length: content.chars().count() },
        },
    }))
}

fn image_url(value: &Json) -> Option<Body> {
    let url = value.as_str().or_else(|| value.get("url").and_then(Json::as_str))?;
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    Some(Body::Media(match data {
        Some((mime, data)) => {
            Media { mime: Some(mime.to_owned()), place: Place::Base64(data.to_owned()) }
        }
        // whoever writes `image_url` says that it is one
        None => at_address(
            url,
            Some(guess(url).filter(|m| m.starts_with("image/")).unwrap_or("image/*")),
        ),
    }))
}

fn at_address(address: &str, mime: Option<&str>) -> Media {
    let mime = mime.filter(|mime| !mime.is_empty()).or_else(|| guess(address));
    Media { mime: mime.map(str::to_ascii_lowercase), place: Place::Address(address.to_owned()) }
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
        "pdf" => "application/pdf",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" => "text/html",
        _ => return None,
    })
}
