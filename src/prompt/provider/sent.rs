//! An imported request is sent to its own provider verbatim.
//!
//! The record of such a request is the last card of its box: the body, the provider, and a hash of
//! the cards before it. The payload for that provider is the body itself, while the cards are the
//! same and the call has no other options. Otherwise the record is ignored.
//!
//! ```
//! use tuckbox::json;
//! use tuckbox::prompt::provider::sent::{CardsHash, record};
//!
//! let cards = CardsHash::default().with(["n1", "n2"].into_iter());
//! let held = record("openai_chat", &json!({"model": "m", "messages": []}), cards);
//! assert_eq!(held.get("provider"), Some(&json!("openai_chat")));
//! ```

use super::{MakePayload, Provider, Source};
use crate::render;
use crate::store::{Lookup, Snapshot};
use crate::value::card::Content;
use crate::value::hex::hex;
use crate::value::json::{Json, Object};
use sha2::{Digest, Sha256};

/// The type of the card that records a request.
///
/// ```
/// use tuckbox::prompt::provider::sent::CARD_TYPE;
/// use tuckbox::{Content, NewCard};
///
/// let card = NewCard::new(CARD_TYPE, "import", Content::text("a record"));
/// assert_eq!(card.card_type, "import.request");
/// ```
pub const CARD_TYPE: &str = "import.request";

/// Returns the content of such a card.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::provider::sent::{CardsHash, record};
///
/// let body = json!({"model": "m"});
/// let of = |ids: &[&'static str]| record("gemini", &body, CardsHash::default().with(ids.iter().copied()));
/// assert_eq!(of(&["n1", "n2"]), of(&["n1", "n2"]));
/// assert_ne!(of(&["n1", "n2"]), of(&["n1"]), "other cards, and the record counts for nothing");
/// ```
pub fn record(provider: &str, body: &Json, cards: CardsHash) -> Object {
    let mut out = Object::default();
    out.insert("provider".into(), provider.into());
    out.insert("cards".into(), cards.hex().into());
    out.insert("body".into(), body.clone());
    out
}

/// A hash over the ids of cards. Requests that continue others start with the same cards: they continue
/// a copy of the hash.
///
/// Shown by the example of [`record`].
#[derive(Clone, Debug, Default)]
pub struct CardsHash(Sha256);

impl CardsHash {
    /// Returns the hash with the next cards.
    #[must_use]
    pub fn with<'a>(mut self, card_ids: impl Iterator<Item = &'a str>) -> Self {
        for id in card_ids {
            // of one width on every machine
            self.0.update((id.len() as u64).to_be_bytes());
            self.0.update(id);
        }
        self
    }

    fn hex(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Returns the recorded body of a box, if the box still has the recorded cards and the call
/// has no other options.
pub(super) fn body(call: &MakePayload, snapshot: &Snapshot) -> Option<Object> {
    let Source::Cards(render) = &call.source else { return None };
    let render::Source::Box(box_id) = &render.source else { return None };
    let Lookup::Present(card_box) = snapshot.card_box(box_id.as_str()) else { return None };
    let before = card_box.card_ids.len().checked_sub(1)?;
    let Lookup::Present(card) = snapshot.card(card_box.card_ids.iter().nth(before)?) else {
        return None;
    };
    let Content::ToolCall(recorded) = &card.content else { return None };
    let argument = |key: &str| recorded.arguments.get(key).and_then(Json::as_str);
    let same = card.card_type() == Some(CARD_TYPE)
        && argument("provider") == Some(call.provider.as_str())
        && argument("cards")
            == Some(
                CardsHash::default().with(card_box.card_ids.iter().take(before)).hex().as_str(),
            );
    let body = recorded.arguments.get("body").filter(|_| same)?;
    let model = call.options.model.as_deref();
    let plain = call.options.max_output_tokens.is_none()
        && call.options.extra.is_empty()
        && (model.is_none()
            || model == body.get("model").and_then(Json::as_str)
            || call.provider == Provider::Gemini);
    body.as_object().filter(|_| plain).cloned()
}
