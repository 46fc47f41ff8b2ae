//! Which provider takes which file where.

use super::Provider;
use super::loss::{Change, Losses};
use super::turn::{Body, Media, MediaKind, Place, Speaker, Turn};

/// The picture types that every provider with pictures takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Where a file stands in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// In a user's message.
    User,
    /// In what a tool answered.
    Answer,
    /// Anywhere else: text only, everywhere.
    Elsewhere,
}

fn takes(provider: Provider, spot: Spot, media: &Media) -> bool {
    let mime = media.mime.as_deref().unwrap_or_default();
    let base64 = matches!(media.place, Place::Base64(_));
    let web = media.is_on_the_web();
    // a picture of the web may be of a type that nobody said
    let picture = match media.kind() {
        MediaKind::Image => PICTURES.contains(&mime) || (web && mime == "image/*"),
        MediaKind::Pdf
        | MediaKind::Audio
        | MediaKind::Video
        | MediaKind::Text
        | MediaKind::Other => false,
    };
    let pdf = media.kind() == MediaKind::Pdf;
    match (provider, spot) {
        (Provider::Neutral, _) => true,
        (_, Spot::Elsewhere) => false,
        (Provider::OpenaiChat, Spot::User) => {
            (picture && (web || base64)) || (base64 && (pdf || audio_format(mime).is_some()))
        }
        (Provider::OpenaiResponses | Provider::Anthropic, Spot::User | Spot::Answer) => {
            (picture || pdf) && (web || base64)
        }
        (Provider::Gemini, Spot::User) => {
            let known = match media.kind() {
                MediaKind::Image
                | MediaKind::Pdf
                | MediaKind::Audio
                | MediaKind::Video
                | MediaKind::Text => mime != "image/*",
                MediaKind::Other => false,
            };
            let cloud = match &media.place {
                Place::Address(address) => address.starts_with("gs://"),
                Place::Base64(_) | Place::Opaque { .. } => false,
            };
            known && (web || base64 || cloud)
        }
        (Provider::OpenaiChat | Provider::Gemini, Spot::Answer) => false,
    }
}

/// What chat completions call a sound's type.
pub(super) fn audio_format(mime: &str) -> Option<&'static str> {
    match mime {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

/// Turns every file that the provider does not take where it stands into a line of text.
pub(super) fn legalise(turns: &mut [Turn], provider: Provider, losses: &mut Losses) {
    for turn in turns {
        let spot = match turn.speaker {
            Speaker::User => Spot::User,
            Speaker::Tool => Spot::Answer,
            Speaker::System | Speaker::Developer | Speaker::Assistant => Spot::Elsewhere,
        };
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            match &mut block.body {
                Body::Answer(answer) => {
                    for body in &mut answer.blocks {
                        as_text(body, provider, spot, at, losses);
                    }
                }
                Body::Text(_) | Body::Media(_) | Body::Call(_) | Body::Reasoning(_) => {
                    as_text(&mut block.body, provider, spot, at, losses);
                }
            }
        }
    }
}

fn as_text(body: &mut Body, provider: Provider, spot: Spot, at: usize, losses: &mut Losses) {
    let Body::Media(media) = &*body else { return };
    if !takes(provider, spot, media) {
        let line = media.line();
        let reason =
            format!("`{}` cannot take {line} here; the line stands for it", provider.as_str());
        losses.message(Change::MediaAsText, at, reason);
        *body = Body::Text(line.into());
    }
}
