//! A text in the cards of a project: which cards hold it, where they stand, and how it reads there.

use super::CardKind;
use super::needle::Needle;
use super::row::Cards;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::value::lower::{lower, lower_char};
use crate::value::str_map::{Keys, StrMap};
use crate::{Path, Result};
use serde::Serialize;

/// The most hits one call gives back.
const MAX_HITS: usize = 1_000;
/// How many hits a call gives back when it names no limit.
const DEFAULT_HITS: usize = 100;
/// How many characters of a card stand on either side of a hit.
const AROUND: usize = 60;

/// Looks for a text in the cards of some boxes, in any case. Boxes that are not there are passed
/// over.
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
    text: Needle,
    box_ids: Keys,
    limit: usize,
    limits: Limits,
}

/// What was found.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// Every card that holds the text once, in the order of the boxes.
    pub hits: Vec<Hit>,
    /// How many cards hold it, also those beyond the limit.
    pub total: usize,
    /// How many cards were looked at.
    pub searched: usize,
}

/// A card that holds the text.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The card.
    pub card_id: String,
    /// The first box it stands in.
    pub box_id: BoxId,
    /// Where in that box, counted from 0.
    pub position: usize,
    /// In how many of the boxes it stands.
    pub boxes: usize,
    /// What it is.
    pub kind: CardKind,
    /// Its semantic type.
    #[serde(rename = "type")]
    pub card_type: Option<String>,
    /// How it reads there.
    pub snippet: Snippet,
}

/// The text and what stands around it, on one line.
///
/// Shown by the example of [`SearchCards`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// What stands before it.
    pub before: String,
    /// The text as the card has it; empty where the card's id or type holds it.
    pub found: String,
    /// What stands after it.
    pub after: String,
}

impl SearchCards {
    /// Reads `{"text", "box_ids": [..], "limit"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "text", "box_ids", "limit"])?;
        let box_ids = call.required("box_ids")?.strings()?.into_iter().map(Box::from);
        let limit = call.optional("limit").map(|field| field.count()).transpose()?;
        let limit = limit.map_or(DEFAULT_HITS, |n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self {
            text: Needle::new(call.required("text")?.string()?),
            box_ids: box_ids.collect(),
            limit: limit.min(MAX_HITS),
            limits: Limits::default(),
        })
    }

    /// The same call under these limits: boxes that hold more than `max_ids` are not looked through.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn hit(&self, card_id: &str, card: &Card) -> Option<Snippet> {
        let text = card.content.shown_text();
        let is_in = |value: &str| self.text.is_in(value);
        let said = is_in(&text).then(|| snippet(&text, self.text.as_str())).flatten();
        said.or_else(|| {
            let named = is_in(card_id) || card.card_type().is_some_and(is_in);
            let before = || text.chars().take(2 * AROUND).map(flat).collect();
            named.then(|| Snippet { before: before(), ..Snippet::default() })
        })
    }
}

impl Rule for SearchCards {
    type Value = Hits;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Hits>>> {
        let mut cursor = Cursor::new(snapshot);
        let mut ids = 0;
        for box_id in &self.box_ids {
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
        for box_id in &self.box_ids {
            let Lookup::Present(card_box) = snapshot.card_box(box_id) else { continue };
            for (position, card_id) in card_box.card_ids.iter().enumerate() {
                if let Some(known) = hits.get_mut(card_id) {
                    if let Some(hit) = known {
                        hit.boxes += usize::from(hit.box_id.as_str() != &**box_id);
                    }
                    continue;
                }
                let card = cards.readable(card_id)?;
                let found = card.and_then(|card| Some((card, self.hit(card_id, card)?)));
                total += usize::from(found.is_some());
                let hit = found.filter(|_| total <= self.limit).map(|(card, snippet)| Hit {
                    card_id: card_id.to_owned(),
                    box_id: BoxId::from(&**box_id),
                    position,
                    boxes: 1,
                    kind: CardKind::of(card),
                    card_type: card.card_type().map(str::to_owned),
                    snippet,
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

/// A character as it stands on one line.
fn flat(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c }
}

/// The first place of a text, given in lower case, and what stands around it.
fn snippet(whole: &str, text: &str) -> Option<Snippet> {
    let small = lower(whole);
    let start = small.find(text).filter(|_| !text.is_empty())?;
    let end = start + text.len();
    // lower case can be longer or shorter: every character is asked how long it becomes
    let mut at = 0;
    let mut parts = [String::new(), String::new(), String::new()];
    for c in whole.chars() {
        let index = if at < start { 0 } else { 1 + usize::from(at >= end) };
        if let Some(part) = parts.get_mut(index) {
            part.push(flat(c));
        }
        at += lower_char(c).map(char::len_utf8).sum::<usize>();
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
