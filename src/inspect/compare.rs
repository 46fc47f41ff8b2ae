//! Two contexts side by side: what stayed, moved, came and went.
//!
//! Cards are the same when they have one id; a card that a call makes is the same as another when
//! it says the same, whatever ids were minted. The alignment keeps the longest run of cards in
//! their order; what is in both but out of that order has moved.

use super::picture::{self, Part, Source};
use super::request::{Request, Terms};
use super::row::Cards;
use super::subject::{Seat, Subject};
use crate::Result;
use crate::agents::Setup;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// Compares two contexts, each what a call would pack or what stands in a box.
///
/// ```
/// use tuckbox::agents::Setup;
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
/// // a compaction: the summary `s1` stands for `n1` and `n2`
/// let call = Compare::from_json(&json!({"left": {"box_id": "before"}, "right": {"box_id": "after"}}), &Setup::default())?;
/// let compared = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert!(compared.left.tokens > compared.right.tokens);
/// assert!(compared.runs.iter().any(|run| run.change == Change::Removed && run.cards == 2));
/// assert_eq!(compared.growth[0].left_cards, 3);
/// assert_eq!(compared.summaries[0].covers, [0, 1]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Compare {
    left: (Subject, usize),
    right: (Subject, usize),
    terms: Terms,
}

/// Two contexts, aligned.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The one on the left.
    pub left: Side,
    /// The one on the right.
    pub right: Side,
    /// How much stands at the beginning of both: what a provider's prefix cache can keep.
    pub same_prefix: Prefix,
    /// The alignment, from top to bottom.
    pub runs: Vec<Run>,
    /// What each source brings on either side.
    pub growth: Vec<Growth>,
    /// Cards on the right that say which cards on the left they stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<Summary>,
}

/// A card that stands for others, by its `metadata.covers`.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Where it stands on the right.
    pub right: usize,
    /// What it costs.
    pub tokens: u64,
    /// The positions on the left that it covers.
    pub covers: Vec<usize>,
    /// What those cost.
    pub covered_tokens: u64,
    /// How many of the cards it names do not stand on the left.
    pub elsewhere: usize,
}

/// One of the two contexts.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The box.
    pub box_id: BoxId,
    /// How many cards it has.
    pub cards: usize,
    /// What they cost.
    pub tokens: u64,
    /// True when `tokens` are the model's own count, not an estimate.
    pub exact: bool,
}

/// A common beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Prefix {
    /// How many cards.
    pub cards: usize,
    /// What they cost.
    pub tokens: u64,
}

/// What happened to a run of cards from left to right.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// In both, in the same order.
    Kept,
    /// In both, but here it left its place.
    MovedAway,
    /// In both, but here it came to another place.
    MovedHere,
    /// Only on the left.
    Removed,
    /// Only on the right.
    Added,
}

/// Neighbouring cards to which the same happened.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// What happened.
    pub change: Change,
    /// The first position on the left; absent where the run stands only on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<usize>,
    /// The first position on the right; absent where the run stands only on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
    /// How many cards.
    pub cards: usize,
    /// What they cost.
    pub tokens: u64,
}

/// What one source brings on either side.
///
/// Shown by the example of [`Compare`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// The source.
    pub source: Source,
    /// What its cards cost on the left.
    pub left_tokens: u64,
    /// What they cost on the right.
    pub right_tokens: u64,
    /// How many there are on the left.
    pub left_cards: usize,
    /// How many there are on the right.
    pub right_cards: usize,
}

impl Compare {
    /// Reads `{"left": {"call" | "box_id" | "turn", "shown"?}, "right": {..}, "provider"?,
    /// "counter"?}` and the options of a payload.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let fields = Field::root(json).object()?;
        fields.only(&[&["op", "left", "right"][..], &Terms::keys()].concat())?;
        let side = |key| -> Result<(Subject, usize)> {
            let side = fields.required(key)?.object()?;
            side.only(&["call", "box_id", "turn", "shown"])?;
            let shown = side.optional("shown").map_or(Ok(0), |field| field.count())?;
            let subject = Subject::read_with_view(&side, setup)?;
            Ok((subject, usize::try_from(shown).unwrap_or(usize::MAX)))
        };
        let terms = Terms::from_fields(&fields, setup)?;
        Ok(Self { left: side("left")?, right: side("right")?, terms })
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
    /// One side, once everything is read that it depends on.
    fn side(
        &self,
        (subject, shown): &(Subject, usize),
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Listed>> {
        let mut seen = ready!(subject.see(snapshot, env)?);
        let request = ready!(Request::of(&mut seen, *shown, &self.terms, snapshot, env)?);
        let seat = seen.seat(*shown)?;
        let cards = Cards::new(seen.made(), snapshot, env);
        ready!(cards.read(seat.card_ids.iter()));
        Listed::of(seat, &cards, &request).map(Step::Done)
    }
}

/// One side with what tells its cards apart.
struct Listed {
    side: Side,
    card_ids: Vec<String>,
    keys: Vec<String>,
    tokens: Vec<u64>,
    parts: Vec<Part>,
    /// The cards that stand for others, by their position, with the ids of those.
    covers: Vec<(usize, Vec<String>)>,
}

impl Listed {
    fn of(seat: &Seat, cards: &Cards<'_>, request: &Request) -> Result<Self> {
        let mut keys = Vec::with_capacity(seat.card_ids.len());
        let mut card_ids = Vec::with_capacity(seat.card_ids.len());
        let mut covers = Vec::new();
        for (position, card_id) in seat.card_ids.iter().enumerate() {
            keys.push(cards.made(card_id).map_or_else(|| format!("id {card_id}"), said));
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

/// What a new card says, without what only tells when it was made.
fn said(card: &Card) -> String {
    let mut metadata = card.metadata.clone();
    metadata.remove("created_at");
    let mut said = Object::default();
    said.insert("metadata".into(), metadata.into());
    said.insert("content".into(), card.content.to_wire());
    said.insert("tool_calls".into(), card.tool_calls.clone().map_or(Json::Null, Json::from));
    said.insert("tool_call_id".into(), card.tool_call_id.as_deref().into());
    format!("new {}", Json::Object(said))
}

/// Which position on the left each one on the right is: the first of a key to the first, the
/// second to the second.
fn pairs(left: &[String], right: &[String]) -> Vec<Option<usize>> {
    let mut places: IndexMap<&str, std::collections::VecDeque<usize>> = IndexMap::default();
    for (position, key) in left.iter().enumerate() {
        places.entry(key).or_default().push_back(position);
    }
    right.iter().map(|key| places.get_mut(key.as_str()).and_then(|left| left.pop_front())).collect()
}

/// The right positions of the longest sequence of pairs that increases on both sides.
fn in_order(pairs: &[Option<usize>]) -> Vec<bool> {
    // patience sorting: for each length the pair with the smallest end, and who came before it
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

fn same_prefix(left: &Listed, right: &Listed) -> Prefix {
    let same = left.keys.iter().zip(&right.keys).take_while(|(left, right)| left == right);
    let cards = same.count();
    Prefix { cards, tokens: left.tokens.iter().take(cards).sum() }
}

fn runs(left: &Listed, right: &Listed, pairs: &[Option<usize>]) -> Vec<Run> {
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
    // what leaves a place is told before what comes to it
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

/// Adds a card to the last run where it goes on with it, or begins a new one.
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

fn summaries(left: &Listed, right: &Listed) -> Vec<Summary> {
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
