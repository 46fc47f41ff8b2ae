//! The card at a position, for display.

use super::CardKind;
use super::needle::Needle;
use super::subject::SubjectBox;
use super::text::{gist, searched_text};
use crate::Result;
use crate::rule::ledger::{Cause, Entry, Place};
use crate::rule::{Cursor, Step};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::card::{Card, Liveness};
use crate::value::env::Env;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use serde::Serialize;
use std::ops::Range;

/// The number of characters of a card that a row shows.
const EXCERPT: usize = 240;

/// The card at a position of a box.
///
/// Shown by the example of [`Inspect`](super::Inspect).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The position, from 0.
    pub position: usize,
    /// The id of the card.
    pub card_id: String,
    /// Whether the card can be read.
    pub presence: Presence,
    /// The kind of the card.
    pub kind: CardKind,
    /// The role as the card has it.
    pub role: Json,
    /// Its semantic type.
    #[serde(rename = "type")]
    pub card_type: Option<String>,
    /// The type of its content, as in `__type__`.
    pub content_type: Option<&'static str>,
    /// The author.
    pub author_id: Option<String>,
    /// The start of the content, on one line.
    pub excerpt: String,
    /// The error of a card that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The cause of the card. Missing for a stored box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The later duplicates that were dropped in favor of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub swallowed: Vec<Cause>,
}

/// Whether a card can be read.
///
/// Shown by the example of [`Inspect`](super::Inspect).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Presence {
    /// The call makes it.
    New,
    /// It is stored.
    Live,
    /// It was deleted.
    Deleted,
    /// It is expired.
    Expired,
    /// It does not exist.
    Absent,
    /// It exists, but its content cannot be read.
    Unreadable,
}

/// The cards of a view: those that the call makes, then those that are stored.
pub(super) struct Cards<'a> {
    made: StrMap<&'a Card>,
    snapshot: &'a Snapshot,
    env: &'a Env,
}

impl<'a> Cards<'a> {
    pub fn new(made: &'a [Card], snapshot: &'a Snapshot, env: &'a Env) -> Self {
        let made = made.iter().map(|card| (card.card_id.as_str(), card)).collect();
        Self { made, snapshot, env }
    }

    pub fn is_new(&self, card_id: &str) -> bool {
        self.made.contains_key(card_id)
    }

    /// Returns the card with this id, if the call makes it.
    pub fn made(&self, card_id: &str) -> Option<&'a Card> {
        self.made.get(card_id).copied()
    }

    fn find(&self, card_id: &str) -> Result<(Presence, Option<&'a Card>)> {
        if let Some(card) = self.made.get(card_id) {
            return Ok((Presence::New, Some(card)));
        }
        let found = self.snapshot.card(card_id);
        match found {
            Lookup::Failed(_) if found.unreadable().is_some() => Ok((Presence::Unreadable, None)),
            Lookup::Failed(error) => Err(error.clone()),
            Lookup::Absent | Lookup::NotRead => Ok((Presence::Absent, None)),
            Lookup::Present(card) => Ok(match card.liveness(self.env.now) {
                Liveness::Live => (Presence::Live, Some(card)),
                Liveness::Deleted => (Presence::Deleted, None),
                Liveness::Expired => (Presence::Expired, None),
            }),
        }
    }

    /// Returns the card, if it can be read.
    pub fn readable(&self, card_id: &str) -> Result<Option<&'a Card>> {
        Ok(self.find(card_id)?.1)
    }

    /// Returns the kind of a card.
    pub fn kind(&self, card_id: &str) -> Result<CardKind> {
        Ok(self.find(card_id)?.1.map_or(CardKind::Missing, CardKind::of))
    }

    /// Reads cards, except those that the call makes.
    pub fn read<'b>(&self, card_ids: impl Iterator<Item = &'b str>) -> Step<()> {
        let stored = card_ids.filter(|id| !self.is_new(id));
        Cursor::new(self.snapshot).want_all(Kind::Cards, stored).step()
    }

    /// Returns the positions of the cards whose id, type or content contains a text.
    pub fn matches(&self, seat: &SubjectBox, text: &Needle) -> Result<Vec<usize>> {
        let mut positions = Vec::new();
        // a card can have several positions and is searched once
        let mut known: StrMap<bool> = StrMap::new();
        for (position, card_id) in seat.card_ids.iter().enumerate() {
            let is_in = match known.get(card_id) {
                Some(is_in) => *is_in,
                None => {
                    let found = self.find(card_id)?.1.is_some_and(|card| {
                        card.card_type().is_some_and(|kind| text.is_in(kind))
                            || text.is_in(&searched_text(card))
                    });
                    let is_in = found || text.is_in(card_id);
                    known.insert_new(card_id, is_in);
                    is_in
                }
            };
            if is_in {
                positions.push(position);
            }
        }
        Ok(positions)
    }

    /// Returns the rows of a range of positions. Positions outside the box are omitted.
    pub fn rows(&self, seat: &SubjectBox, range: Range<usize>) -> Result<Vec<Row>> {
        let end = range.end.min(seat.card_ids.len());
        let account = seat.account.as_ref();
        let mut entries =
            account.map(|account| account.entries(range.clone())).into_iter().flatten();
        let mut known = StrMap::new();
        (range.start..end)
            .map(|position| self.row(seat, position, entries.next(), &mut known))
            .collect()
    }

    /// Returns one row. `known` has the previews of the cards of earlier rows.
    fn row(
        &self,
        seat: &SubjectBox,
        position: usize,
        entry: Option<Entry>,
        known: &mut StrMap<String>,
    ) -> Result<Row> {
        let card_id = seat.card_ids.get(position).unwrap_or_default();
        let (presence, card) = self.find(card_id)?;
        // an imported card records its origin
        let read = card.and_then(|card| card.metadata.get("origin")).and_then(Place::of);
        let (cause, swallowed) = match entry {
            Some(entry) => (Some(entry.cause), entry.swallowed),
            None => (read.map(Cause::Imported), Vec::new()),
        };
        let text = |text: Option<&str>| text.map(str::to_owned);
        let begins = match (known.get(card_id), card) {
            (Some(begins), _) => begins.clone(),
            (None, None) => String::new(),
            (None, Some(card)) => {
                let begins = excerpt(card);
                known.insert_new(card_id, begins.clone());
                begins
            }
        };
        Ok(Row {
            position,
            card_id: card_id.to_owned(),
            presence,
            kind: card.map_or(CardKind::Missing, CardKind::of),
            role: card.and_then(|card| card.metadata.get("role")).cloned().unwrap_or_default(),
            card_type: text(card.and_then(Card::card_type)),
            content_type: card.map(|card| card.content.type_name()),
            author_id: text(card.and_then(Card::author_id)),
            excerpt: begins,
            fault: match presence {
                Presence::Unreadable => {
                    text(self.snapshot.card(card_id).unreadable().map(|error| error.message()))
                }
                Presence::New
                | Presence::Live
                | Presence::Deleted
                | Presence::Expired
                | Presence::Absent => None,
            },
            cause,
            swallowed,
        })
    }
}

/// Returns the start of the text of a card on one line. White space becomes one space.
fn excerpt(card: &Card) -> String {
    let whole = gist(card);
    let mut line = String::new();
    for (count, word) in whole.split_whitespace().enumerate() {
        if count > 0 {
            line.push(' ');
        }
        line.extend(word.chars().take(EXCERPT));
        if line.len() > EXCERPT * 4 {
            break;
        }
    }
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => {
            line.truncate(end);
            line.push('…');
            line
        }
        None => line,
    }
}
