//! Search for a text in the cards of boxes.

use super::CardKind;
use super::needle::Needle;
use super::row::Cards;
use super::text::searched_text;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::arguments::arguments;
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::limits::Limits;
use crate::value::str_map::{Keys, StrMap};
use crate::{Path, Result};
use serde::Serialize;

/// The maximum number of hits of one call.
const MAX_HITS: usize = 1_000;
/// The number of hits of a call without a limit.
const DEFAULT_HITS: usize = 100;
/// The number of characters shown on each side of a match.
const AROUND: usize = 60;

arguments! {
    /// Finds the cards of boxes by text, ignoring case. Boxes that do not exist are skipped.
    ///
    /// ```
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::value::json::Field;
    /// use tuckbox::{Card, Env, Json, Timestamp, inspect::SearchCards, rule::preview};
    ///
    /// let row = Json::parse(r#"{"card_id": "c1", "metadata": {"type": "note"},
    ///     "content": {"__type__": "TextContent", "text": "The last boat leaves at 23:40."}}"#)?;
    /// let mut store = MemoryStore::new();
    /// store.project("p1").add_box("b1", ["c1"]).add_card(Card::from_row(&Field::root(&row))?);
    /// let call = Json::parse(r#"{"text": "LAST BOAT", "box_ids": ["b1"]}"#)?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let search = SearchCards::from_json(&call)?;
    /// let found = preview(&search, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(found.hits[0].snippet.found, "last boat");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SearchCards {
        /// The text to find. The empty text matches every card.
        pub text: String,
        /// The ids of the boxes to search.
        pub box_ids: Vec<String>,
        /// The maximum number of hits. Values over 1,000 count as 1,000.
        pub limit: usize = DEFAULT_HITS,
        setting limits: Limits,
    }
}

/// The result of a search.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// The cards that match, each once, in the order of the boxes.
    pub hits: Vec<Hit>,
    /// The number of cards that match, also beyond the limit.
    pub total: usize,
    /// The number of cards that were searched.
    pub searched: usize,
}

/// A card that matches.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The card.
    pub card_id: String,
    /// The first box that has the card.
    pub box_id: BoxId,
    /// The position of the card in that box, from 0.
    pub position: usize,
    /// The number of boxes that have the card.
    pub boxes: usize,
    /// The kind of the card.
    pub kind: CardKind,
    /// Its semantic type.
    #[serde(rename = "type")]
    pub card_type: Option<String>,
    /// The text around the match.
    pub snippet: Snippet,
}

/// A match and the text around it, on one line.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The text before the match.
    pub before: String,
    /// The match as the card has it. Empty if the id or the type of the card matches.
    pub found: String,
    /// The text after the match.
    pub after: String,
}

impl SearchCards {
    /// Returns the call under other limits. Boxes with more than `max_ids` cards are not searched.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Returns the match of a card: in its text, or in its id or type.
fn snippet_of(needle: &Needle, card_id: &str, card: &Card) -> Option<Snippet> {
    let text = searched_text(card);
    let is_in = |value: &str| needle.is_in(value);
    let around = is_in(&text).then(|| snippet(&text, needle.as_str())).flatten();
    around.or_else(|| {
        let named = is_in(card_id) || card.card_type().is_some_and(is_in);
        let before = || text.chars().take(2 * AROUND).map(flat).collect();
        named.then(|| Snippet { before: before(), ..Snippet::default() })
    })
}
impl Rule for SearchCards {
    type Value = Hits;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Hits>>> {
        let box_ids: Keys = self.box_ids.iter().map(|id| Box::from(id.as_str())).collect();
        let mut cursor = Cursor::new(snapshot);
        let mut ids = 0;
        for box_id in &box_ids {
            cursor.want(Kind::Boxes, box_id);
            let Lookup::Present(card_box) = snapshot.card_box(box_id) else { continue };
            ids += card_box.card_ids.len();
            self.limits.check_merged(ids, &Path::root().key("box_ids"))?;
            cursor.want_all(Kind::Cards, card_box.card_ids.iter());
        }
        ready!(cursor.step());
        let cards = Cards::new(&[], snapshot, env);
        let mut hits: StrMap<Option<Hit>> = StrMap::new();
        let mut total = 0;
        let needle = Needle::new(&self.text);
        for box_id in &box_ids {
            let Lookup::Present(card_box) = snapshot.card_box(box_id) else { continue };
            for (position, card_id) in card_box.card_ids.iter().enumerate() {
                if let Some(known) = hits.get_mut(card_id) {
                    if let Some(hit) = known {
                        hit.boxes += usize::from(hit.box_id.as_str() != &**box_id);
                    }
                    continue;
                }
                let card = cards.readable(card_id)?;
                let found = card.and_then(|card| Some((card, snippet_of(&needle, card_id, card)?)));
                total += usize::from(found.is_some());
                let hit =
                    found.filter(|_| total <= self.limit.min(MAX_HITS)).map(|(card, snippet)| {
                        Hit {
                            card_id: card_id.to_owned(),
                            box_id: BoxId::from(&**box_id),
                            position,
                            boxes: 1,
                            kind: CardKind::of(card),
                            card_type: card.card_type().map(str::to_owned),
                            snippet,
                        }
                    });
                hits.insert_new(card_id, hit);
            }
        }
        let searched = hits.len();
        let hits = hits.into_values().into_iter().flatten().collect();
        let value = Hits { hits, total, searched };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

/// Returns the character for display on one line.
fn flat(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c }
}

/// Returns the first match of a lower-case text, and the text around it.
fn snippet(whole: &str, text: &str) -> Option<Snippet> {
    let small = whole.to_lowercase();
    let start = small.find(text).filter(|_| !text.is_empty())?;
    let end = start + text.len();
    // lower case can have another length: each character is measured
    let mut at = 0;
    let mut parts = [String::new(), String::new(), String::new()];
    for c in whole.chars() {
        let index = if at < start { 0 } else { 1 + usize::from(at >= end) };
        if let Some(part) = parts.get_mut(index) {
            part.push(flat(c));
        }
        at += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        if at > end + 4 * AROUND {
            break;
        }
    }
    let [before, found, after] = parts;
    let skipped = before.chars().count().saturating_sub(AROUND);
    let mut shown: String = before.chars().skip(skipped).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    Some(Snippet { before: shown, found, after: after.chars().take(AROUND).collect() })
}
