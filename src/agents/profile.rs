//! The configuration of an agent: the first `sys.profile` card in the box of its profile.

use crate::rule::Cursor;
use crate::store::{Expectation, Kind, Lookup, Presence, Snapshot};
use crate::value::card::{Card, Content, Liveness};
use crate::value::json::{Json, Object};
use crate::value::time::Timestamp;
use crate::{Error, Path, Result};

/// Returns the live cards of a profile's box, in order; `None` if something must be read first. A
/// box that does not exist has none.
pub(crate) fn cards<'a>(
    cursor: &mut Cursor<'a>,
    profile_box_id: &str,
    now: Timestamp,
) -> Result<Option<Vec<&'a Card>>> {
    let Presence::Read(card_box) = cursor.card_box(profile_box_id)? else { return Ok(None) };
    let Some(card_box) = card_box else { return Ok(Some(Vec::new())) };
    let mut cards = Vec::with_capacity(card_box.card_ids.len());
    let mut unread = false;
    for card_id in card_box.card_ids.iter() {
        match cursor.card(card_id)? {
            Presence::Read(Some(card)) if card.liveness(now) == Liveness::Live => cards.push(card),
            Presence::Read(_) => {}
            Presence::Unread => unread = true,
        }
    }
    Ok((!unread).then_some(cards))
}

/// Returns the rows that determine the `sys.profile` card of a box: the box, that card, and missing
/// cards before it.
pub(crate) fn relied(
    snapshot: &Snapshot,
    profile_box_id: &str,
    now: Timestamp,
) -> Vec<Expectation> {
    let mut relied: Vec<_> =
        snapshot.expectation(Kind::Boxes, profile_box_id).into_iter().collect();
    let Lookup::Present(card_box) = snapshot.card_box(profile_box_id) else { return relied };
    for card_id in card_box.card_ids.iter() {
        let card = snapshot.card(card_id);
        let chosen = match card {
            Lookup::Present(card) => {
                card.liveness(now) == Liveness::Live && card.card_type() == Some("sys.profile")
            }
            Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => false,
        };
        if chosen || card == Lookup::Absent {
            relied.extend(snapshot.expectation(Kind::Cards, card_id));
        }
        if chosen {
            break;
        }
    }
    relied
}

/// Returns the `sys.profile` card among these.
pub(crate) fn profile_card<'a>(cards: &[&'a Card]) -> Option<&'a Card> {
    cards.iter().copied().find(|card| card.card_type() == Some("sys.profile"))
}

/// Returns the configuration in the card of a profile.
pub(crate) fn configuration(card: &Card) -> Result<&Object> {
    match &card.content {
        Content::Json(Json::Object(object)) => Ok(object),
        Content::Json(_)
        | Content::Text(_)
        | Content::Fields(_)
        | Content::File(_)
        | Content::Files(_)
        | Content::Tools(_)
        | Content::ToolCall(_)
        | Content::ToolResult(_) => Err(Error::bad_request(format!(
            "the content of the profile card `{}` must be a JSON object",
            card.card_id
        ))
        .at(Path::root().key("profile_box_id"))
        .detail("card_id", card.card_id.as_str())),
    }
}
