//! The files that providers accept, by position.

use super::Provider;
use super::loss::{Change, Losses};
use super::models::Model;
use super::part::{FileSource, Media, MediaKind, Part};
use super::spec::Spot;
use super::turn::{Speaker, Turn};

/// The image types that most providers accept.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Returns true for an image of a common type. The type of an image with a URL can be unknown.
pub(super) fn is_picture(media: &Media) -> bool {
    match media.kind() {
        MediaKind::Image => {
            PICTURES.contains(&media.mime()) || (media.is_at(WEB) && media.mime() == "image/*")
        }
        MediaKind::Pdf
        | MediaKind::Audio
        | MediaKind::Video
        | MediaKind::Text
        | MediaKind::Other => false,
    }
}

/// The URL schemes of the web.
pub(super) const WEB: &[&str] = &["https://", "http://"];
/// The URL scheme that servers fetch by default.
pub(super) const SECURE: &[&str] = &["https://"];

/// Returns the name of an audio type in chat completions.
pub(super) fn audio_format(mime: &str) -> Option<&'static str> {
    match mime {
        "audio/wav" => Some("wav"),
        "audio/mpeg" => Some("mp3"),
        _ => None,
    }
}

/// Replaces every file that the provider does not accept in its position by a line of text.
pub(super) fn legalise(turns: &mut [Turn], provider: Provider, model: &Model, losses: &mut Losses) {
    for turn in turns {
        let spot = match turn.speaker {
            Speaker::User => Spot::User,
            Speaker::Tool => Spot::Answer,
            Speaker::System | Speaker::Developer | Speaker::Assistant => Spot::Elsewhere,
        };
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            match &mut block.item.part {
                Part::ToolResult(answer) => {
                    for part in &mut answer.parts {
                        as_text(part, provider, spot, model, at, losses);
                    }
                }
                Part::Text(_)
                | Part::Media(_)
                | Part::ToolCall(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => as_text(&mut block.item.part, provider, spot, model, at, losses),
            }
        }
    }
}

/// Returns false if the table states that the model does not read such files.
fn sees(model: &Model, media: &Media) -> bool {
    let kind = match media.kind() {
        MediaKind::Image => "image",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
        MediaKind::Pdf | MediaKind::Text | MediaKind::Other => "document",
    };
    model.media.is_empty() || model.media.iter().any(|seen| seen == kind)
}

fn as_text(
    part: &mut Part,
    provider: Provider,
    spot: Spot,
    model: &Model,
    at: usize,
    losses: &mut Losses,
) {
    let Part::Media(media) = part else { return };
    let spec = provider.spec();
    if (spec.media)(spot, media, model) && sees(model, media) {
        let known = spec.about;
        media.about.retain(|key, _| {
            let keep = known.contains(&key.as_str());
            if !keep {
                let reason = format!("`{}` does not take the key `{key}` of a file", spec.name);
                losses.message(Change::KeyDropped, at, reason);
            }
            keep
        });
        return;
    }
    let line = media.line();
    let reason = match media.source {
        FileSource::Text(_) => format!("`{}` accepts this document only as text", spec.name),
        FileSource::Url(_)
        | FileSource::Data(_)
        | FileSource::Id { .. }
        | FileSource::Opaque { .. } => {
            format!("`{}` does not accept {line} here; the line replaces it", spec.name)
        }
    };
    losses.message(Change::MediaAsText, at, reason);
    *part = Part::Text(line.into());
}
