//! A comparison of two contexts.
//!
//! Stored cards are equal if they have the same id. Cards that a call makes are equal if they have
//! the same content. The alignment keeps the longest sequence of cards in the same order; the other
//! common cards have moved.

use super::picture::{self, Part, Source};
use super::request::{Request, RequestTerms};
use super::row::Cards;
use super::subject::{Subject, SubjectBox};
use crate::Result;
use crate::agents::Setup;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// Compares two contexts: which cards stayed, moved, were added or removed.
    ///
    /// ```
    /// use tuckbox::inspect::{Change, Compare};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::value::json::Field;
    /// # use tuckbox::{Card, Env, Timestamp, json, rule};
    /// # let card = |id: &str, covers: &[&str]| Card::from_row(&Field::root(&json!({"card_id": id, "metadata": {"type": "note", "covers": covers.to_vec()},
    /// #     "content": {"__type__": "TextContent", "text": "some words"}}))).unwrap();
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("before", ["n1", "n2", "n3"]).add_box("after", ["s1", "n3"])
    /// #     .add_card(card("n1", &[])).add_card(card("n2", &[])).add_card(card("n3", &[])).add_card(card("s1", &["n1", "n2"]));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // a compaction: the summary `s1` replaces `n1` and `n2`
    /// let call = Compare::from_json(&json!({"left": {"box_id": "before"}, "right": {"box_id": "after"}}))?;
    /// let compared = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(compared.left.tokens > compared.right.tokens);
    /// assert!(compared.runs.iter().any(|run| run.change == Change::Removed && run.cards == 2));
    /// assert_eq!(compared.growth[0].left_cards, 3);
    /// assert_eq!(compared.summaries[0].covers, [0, 1]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub struct Compare {
        /// The first context.
        pub left: CompareSide,
        /// The second context.
        pub right: CompareSide,
        shared terms: RequestTerms,
    }

    /// One of the two contexts to compare.
    ///
    /// Shown by the example of [`Compare`].
    pub struct CompareSide {
        /// The box to compare, from 0, for a call that packs several.
        pub shown: usize = 0,
        shared subject: Subject,
    }
}

/// Two contexts and their alignment.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The left context.
    pub left: Side,
    /// The right context.
    pub right: Side,
    /// The common prefix, which the prefix cache of a provider can reuse.
    pub same_prefix: Prefix,
    /// The alignment, in order.
    pub runs: Vec<Run>,
    /// The tokens and cards of each source, on both sides.
    pub growth: Vec<Growth>,
    /// The cards on the right that summarize cards on the left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<Summary>,
}

/// A card that summarizes others, by its `metadata.covers`.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Its position on the right.
    pub right: usize,
    /// Its tokens.
    pub tokens: u64,
    /// The positions on the left that it covers.
    pub covers: Vec<usize>,
    /// The tokens of the covered cards.
    pub covered_tokens: u64,
    /// The number of covered cards that are not on the left.
    pub elsewhere: usize,
}

/// One of the two contexts.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The box.
    pub box_id: BoxId,
    /// The number of its cards.
    pub cards: usize,
    /// The tokens of its cards.
    pub tokens: u64,
    /// True if `tokens` is the model's own count, not an estimate.
    pub exact: bool,
}

/// A common prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Prefix {
    /// The number of cards.
    pub cards: usize,
    /// The tokens of the cards.
    pub tokens: u64,
}

/// The change of a run of cards from left to right.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// On both sides, in the same order.
    Kept,
    /// On both sides: the old position of moved cards.
    MovedAway,
    /// On both sides: the new position of moved cards.
    MovedHere,
    /// Only on the left.
    Removed,
    /// Only on the right.
    Added,
}

/// Adjacent cards with the same change.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The change.
    pub change: Change,
    /// The first position on the left. Missing for a run that is only on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<usize>,
    /// The first position on the right. Missing for a run that is only on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
    /// The number of cards.
    pub cards: usize,
    /// The tokens of the cards.
    pub tokens: u64,
}

/// The tokens and cards of one source, on both sides.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// The source.
    pub source: Source,
    /// The tokens of its cards on the left.
    pub left_tokens: u64,
    /// The tokens of its cards on the right.
    pub right_tokens: u64,
    /// The number of its cards on the left.
    pub left_cards: usize,
    /// The number of its cards on the right.
    pub right_cards: usize,
}

impl Compare {
    /// Reads the calls of both subjects with the settings of the project.
    ///
    /// # Errors
    /// Any error of a call, with a path below `call` or `turn` of its side.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let side = |side: CompareSide| -> Result<CompareSide> {
            Ok(CompareSide { subject: side.subject.with_view(setup)?, ..side })
        };
        let terms = self.terms.with_setup(setup)?;
        Ok(Self { left: side(self.left)?, right: side(self.right)?, terms })
    }
}

impl Rule for Compare {
    type Value = Comparison;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Comparison>>> {
        let mut cursor = Cursor::new(snapshot);
        let left = cursor.join(self.side(&self.left, snapshot, env)?);
        let right = cursor.join(self.side(&self.right, snapshot, env)?);
        let Some((left, right)) = left.zip(right) else { return Ok(cursor.need()) };
        let pairs = pairs(&left.keys, &right.keys);
        let value = Comparison {
            same_prefix: same_prefix(&left, &right),
            runs: runs(&left, &right, &pairs),
            growth: growth(&left.parts, &right.parts),
            summaries: summaries(&left, &right),
            left: left.side,
            right: right.side,
        };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

impl Compare {
    /// Returns one side, once everything that it depends on is read.
    fn side(
        &self,
        CompareSide { subject, shown }: &CompareSide,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<SideCards>> {
        let mut seen = ready!(subject.see(snapshot, env)?);
        let request = ready!(Request::of(&mut seen, *shown, &self.terms, snapshot, env)?);
        let seat = seen.seat(*shown)?;
        let cards = Cards::new(seen.made(), snapshot, env);
        ready!(cards.read(seat.card_ids.iter()));
        SideCards::of(seat, &cards, &request).map(Step::Done)
    }
}

/// One side, with the keys by which its cards are compared.
struct SideCards {
    side: Side,
    card_ids: Vec<String>,
    keys: Vec<String>,
    tokens: Vec<u64>,
    parts: Vec<Part>,
    /// The summaries: their positions and the ids that they cover.
    covers: Vec<(usize, Vec<String>)>,
}

impl SideCards {
    fn of(seat: &SubjectBox, cards: &Cards<'_>, request: &Request) -> Result<Self> {
        let mut keys = Vec::with_capacity(seat.card_ids.len());
        let mut card_ids = Vec::with_capacity(seat.card_ids.len());
        let mut covers = Vec::new();
        for (position, card_id) in seat.card_ids.iter().enumerate() {
            keys.push(cards.made(card_id).map_or_else(|| format!("id {card_id}"), content_key));
            card_ids.push(card_id.to_owned());
            let card = cards.readable(card_id)?;
            if let Some(Json::Array(named)) = card.and_then(|card| card.metadata.get("covers")) {
                let named = named.iter().map(|id| id.as_str().unwrap_or_default().to_owned());
                covers.push((position, named.collect()));
            }
        }
        let side = Side {
            box_id: seat.box_id.clone(),
            cards: keys.len(),
            tokens: request.account.tokens,
            exact: request.account.exact,
        };
        let tokens = request.cards.iter().map(|card| card.tokens).collect();
        let parts = picture::parts(seat, cards, request)?;
        Ok(Self { side, card_ids, keys, tokens, parts, covers })
    }

    fn cost(&self, position: usize) -> u64 {
        self.tokens.get(position).copied().unwrap_or(0)
    }
}

/// The content of a new card, without its creation time.
fn content_key(card: &Card) -> String {
    let mut metadata = card.metadata.clone();
    metadata.remove("created_at");
    let mut content = Object::default();
    content.insert("metadata".into(), metadata.into());
    content.insert("content".into(), card.content.to_wire());
    content.insert("tool_calls".into(), card.tool_calls.clone().map_or(Json::Null, Json::from));
    content.insert("tool_call_id".into(), card.tool_call_id.as_deref().into());
    format!("new {}", Json::Object(content))
}

/// Pairs positions on the right with positions on the left. The nth card of a key is paired with
/// the nth.
fn pairs(left: &[String], right: &[String]) -> Vec<Option<usize>> {
    let mut places: IndexMap<&str, std::collections::VecDeque<usize>> = IndexMap::default();
    for (position, key) in left.iter().enumerate() {
        places.entry(key).or_default().push_back(position);
    }
    right.iter().map(|key| places.get_mut(key.as_str()).and_then(|left| left.pop_front())).collect()
}

/// Returns the positions on the right of the longest sequence of pairs that increases on both
/// sides.
fn in_order(pairs: &[Option<usize>]) -> Vec<bool> {
    // patience sorting: for each length the pair with the smallest end, and its predecessor
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (right, left) in pairs.iter().enumerate().filter_map(|(r, l)| l.map(|l| (r, l))) {
        let at = ends.partition_point(|(end, _)| *end < left);
        let previous = at.checked_sub(1).and_then(|at| ends.get(at)).map(|(_, right)| *right);
        if let Some(slot) = before.get_mut(right) {
            *slot = previous;
        }
        match ends.get_mut(at) {
            Some(end) => *end = (left, right),
            None => ends.push((left, right)),
        }
    }
    let mut kept = vec![false; pairs.len()];
    let mut at = ends.last().map(|(_, right)| *right);
    while let Some(right) = at {
        if let Some(slot) = kept.get_mut(right) {
            *slot = true;
        }
        at = before.get(right).copied().flatten();
    }
    kept
}

fn same_prefix(left: &SideCards, right: &SideCards) -> Prefix {
    let same = left.keys.iter().zip(&right.keys).take_while(|(left, right)| left == right);
    let cards = same.count();
    Prefix { cards, tokens: left.tokens.iter().take(cards).sum() }
}

fn runs(left: &SideCards, right: &SideCards, pairs: &[Option<usize>]) -> Vec<Run> {
    let kept = in_order(pairs);
    let mut partnered = vec![false; left.keys.len()];
    for position in pairs.iter().flatten() {
        if let Some(slot) = partnered.get_mut(*position) {
            *slot = true;
        }
    }
    let stays = |position: usize| kept.get(position).copied().unwrap_or(false);
    let mut runs = Vec::new();
    let mut next_left = 0;
    // the old position of a card comes before its new one
    let leave = |runs: &mut Vec<Run>, places: std::ops::Range<usize>| {
        for place in places {
            let moved = partnered.get(place).copied().unwrap_or(false);
            let change = if moved { Change::MovedAway } else { Change::Removed };
            push(runs, change, Some(place), None, left.cost(place));
        }
    };
    let mut at = 0;
    while at <= pairs.len() {
        let anchor = (at..pairs.len()).find(|position| stays(*position));
        let anchored = anchor.and_then(|position| pairs.get(position).copied().flatten());
        leave(&mut runs, next_left..anchored.unwrap_or(left.keys.len()));
        for position in at..anchor.unwrap_or(pairs.len()) {
            let is_paired = pairs.get(position).copied().flatten().is_some();
            let change = if is_paired { Change::MovedHere } else { Change::Added };
            push(&mut runs, change, None, Some(position), right.cost(position));
        }
        let (Some(position), Some(place)) = (anchor, anchored) else { break };
        push(&mut runs, Change::Kept, Some(place), Some(position), right.cost(position));
        next_left = place + 1;
        at = position + 1;
    }
    runs
}

/// Adds a card to the last run if it continues it, or starts a new run.
fn push(
    runs: &mut Vec<Run>,
    change: Change,
    left: Option<usize>,
    right: Option<usize>,
    tokens: u64,
) {
    if let Some(last) = runs.last_mut()
        && last.change == change
        && last.left.map(|first| first + last.cards) == left
        && last.right.map(|first| first + last.cards) == right
    {
        last.cards += 1;
        last.tokens += tokens;
        return;
    }
    runs.push(Run { change, left, right, cards: 1, tokens });
}

fn summaries(left: &SideCards, right: &SideCards) -> Vec<Summary> {
    let mut places: IndexMap<&str, usize> = IndexMap::default();
    for (position, card_id) in left.card_ids.iter().enumerate() {
        places.entry(card_id).or_insert(position);
    }
    let summary = |(position, named): &(usize, Vec<String>)| {
        let covers: Vec<usize> =
            named.iter().filter_map(|id| places.get(id.as_str()).copied()).collect();
        Summary {
            right: *position,
            tokens: right.cost(*position),
            covered_tokens: covers.iter().map(|position| left.cost(*position)).sum(),
            elsewhere: named.len().saturating_sub(covers.len()),
            covers,
        }
    };
    right.covers.iter().map(summary).collect()
}

fn growth(left: &[Part], right: &[Part]) -> Vec<Growth> {
    let mut sums: IndexMap<&Source, Growth> = IndexMap::default();
    for (parts, is_left) in [(left, true), (right, false)] {
        for part in parts {
            let sum = sums.entry(&part.source).or_insert_with(|| Growth {
                source: part.source.clone(),
                left_tokens: 0,
                right_tokens: 0,
                left_cards: 0,
                right_cards: 0,
            });
            if is_left {
                sum.left_tokens += part.tokens;
                sum.left_cards += part.cards;
            } else {
                sum.right_tokens += part.tokens;
                sum.right_cards += part.cards;
            }
        }
    }
    sums.into_values().collect()
}
