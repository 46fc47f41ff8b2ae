//! The two boxes of a turn as one list.
//!
//! One box comes first and stands as it is, with every repetition; of the other only what is new
//! follows, each card once. Which box is first is the dialect's choice. A box that is both is read
//! once, as the context; where the output comes first it is not first, so its repetitions go too.

use crate::agents::Setup;
use crate::agents::lint::AgentLint;
use crate::rule::lint::Lint;
use crate::rule::merge::{Origin, merge};
use crate::rule::{Cursor, Dialect, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::ids::over_common_names;
use crate::value::json::{Field, Json};
use crate::{Path, Result};
use serde::Serialize;

/// Which of the two boxes a card stands in.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// What the turn reads.
    Context,
    /// What the turn has put out.
    Output,
}

/// A card of a turn and where it stands.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The card.
    pub card_id: CardId,
    /// Which box.
    pub side: Side,
    /// Where in that box, counted from 0.
    pub position: usize,
}

/// The two boxes of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub context_box_id: Option<BoxId>,
    pub output_box_id: Option<BoxId>,
}

/// What the two boxes come down to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Merged {
    pub seats: Vec<Seat>,
    /// Repetitions that were left out, in order.
    pub swallowed: Vec<Seat>,
    pub lints: Vec<Lint>,
}

impl Pair {
    /// Merges the boxes; nothing while one of them is still to be read. A box that is not there
    /// counts as empty, and a lint says so.
    pub fn merge(&self, cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Option<Merged>> {
        let context = (Side::Context, &self.context_box_id);
        let output = (Side::Output, &self.output_box_id);
        let sides = if dialect.output_first { [output, context] } else { [context, output] };
        let is_one_box = self.context_box_id == self.output_box_id;
        let mut merged = Merged::default();
        let mut found = Vec::new();
        let mut is_first = true;
        let mut stands = false;
        let mut unread = false;
        for (side, box_id) in sides {
            let named = box_id.as_ref().filter(|id| !id.as_str().is_empty());
            let Some(box_id) = named.filter(|_| !(is_one_box && side == Side::Output)) else {
                is_first = false;
                continue;
            };
            let card_box = match cursor.card_box(box_id.as_str())? {
                Some(Some(card_box)) => card_box,
                None => {
                    unread = true;
                    continue;
                }
                Some(None) => {
                    let (key, word) = match side {
                        Side::Context => ("context_box_id", "reads"),
                        Side::Output => ("output_box_id", "writes to"),
                    };
                    merged.lints.push(Lint::new(
                        AgentLint::MissingBox,
                        Path::root().key(key),
                        format!("box `{box_id}`, which the turn {word}, is not there"),
                    ));
                    is_first = false;
                    continue;
                }
            };
            stands |= is_first;
            is_first = false;
            found.push((side, &card_box.card_ids));
        }
        if unread {
            return Ok(None);
        }
        let given: Vec<_> = found.iter().map(|(_, card_ids)| *card_ids).collect();
        let (lists, names) = over_common_names(&given);
        let symbols: Vec<_> = lists.iter().map(|list| list.symbols()).collect();
        let all = merge(&symbols, names);
        let seat = |origin: Origin| {
            let (side, card_ids) = found.get(origin.list as usize)?;
            let position = origin.position as usize;
            Some(Seat { card_id: card_ids.get(position)?.into(), side: *side, position })
        };
        // the box that stands as it is keeps its repetitions
        let whole = given.first().filter(|_| stands).map_or(0, |first| first.len() as u32);
        let is_whole = |origin: &Origin| whole > 0 && origin.list == 0;
        let first = (0..whole).map(|position| Origin { list: 0, position });
        let kept = all.origins.iter().copied().filter(|origin| !is_whole(origin));
        merged.seats = first.chain(kept).filter_map(seat).collect();
        let swallowed = all.swallowed.iter().map(|duplicate| duplicate.origin);
        merged.swallowed = swallowed.filter(|origin| !is_whole(origin)).filter_map(seat).collect();
        Ok(Some(merged))
    }
}

/// Asks what the two boxes of a turn come down to.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::agents::turn::{Side, TurnBoxes};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("ctx", ["n1", "n2"]).add_box("out", ["n2", "n3"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = TurnBoxes::from_json(&json!({"context_box_id": "ctx", "output_box_id": "out"}), &Setup::default())?;
/// let turn = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(turn.card_ids, ["n1", "n2", "n3"]);
/// assert_eq!((turn.seats[2].side, turn.seats[2].position), (Side::Output, 1));
/// assert_eq!(turn.swallowed[0].card_id, "n2");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TurnBoxes {
    pair: Pair,
    dialect: Dialect,
}

/// The cards of a turn, in the order in which they are shown.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnCards {
    /// The cards.
    pub card_ids: Vec<CardId>,
    /// Where each of them stands.
    pub seats: Vec<Seat>,
    /// Repetitions that were left out.
    pub swallowed: Vec<Seat>,
}

impl TurnBoxes {
    /// Reads `{"context_box_id"?, "output_box_id"?, "dialect"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "context_box_id", "output_box_id", "dialect"])?;
        let box_id = |key| call.optional(key).map(|field| field.string().map(BoxId::from));
        Ok(Self {
            pair: Pair {
                context_box_id: box_id("context_box_id").transpose()?,
                output_box_id: box_id("output_box_id").transpose()?,
            },
            dialect: match call.optional("dialect") {
                Some(dialect) => Dialect::from_json(Some(dialect))?,
                None => setup.defaults.dialect,
            },
        })
    }
}

impl Rule for TurnBoxes {
    type Value = TurnCards;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<TurnCards>>> {
        let mut cursor = Cursor::new(snapshot);
        let merged = self.pair.merge(&mut cursor, self.dialect)?;
        let Some(merged) = merged else { return Ok(cursor.need()) };
        let Merged { seats, swallowed, lints } = merged;
        let card_ids = seats.iter().map(|seat| seat.card_id.clone()).collect();
        let value = TurnCards { card_ids, seats, swallowed };
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::preview;
    use crate::store::MemoryStore;

    fn merged(call: &str, dialect: &str) -> TurnCards {
        let mut store = MemoryStore::new();
        let boxes = store.project("p1");
        boxes.add_box("dup", ["a", "b", "a"]).add_box("other", ["b", "c", "c"]);
        let call = call.replace('}', &format!(r#", "dialect": "{dialect}"}}"#));
        let rule = TurnBoxes::from_json(&Json::parse(&call).unwrap(), &Setup::default()).unwrap();
        let env = Env::new(crate::Timestamp::from_millis(0), [7; 32]);
        preview(&rule, &mut Snapshot::new("p1".into()), &env, &store).unwrap().value
    }

    #[test]
    fn a_box_that_is_context_and_output_is_read_once() {
        let both = r#"{"context_box_id": "dup", "output_box_id": "dup"}"#;
        for (dialect, card_ids, swallowed) in [
            ("v1r3", &["a", "b", "a"][..], 0),
            ("v1r4", &["a", "b", "a"], 0),
            ("v1r4_hotfix", &["a", "b"], 1),
        ] {
            let merged = merged(both, dialect);
            assert_eq!(merged.card_ids, card_ids, "{dialect}");
            assert_eq!(merged.swallowed.len(), swallowed, "{dialect}");
            assert!(merged.seats.iter().all(|seat| seat.side == Side::Context), "{dialect}");
        }
    }

    #[test]
    fn of_two_boxes_the_first_keeps_its_repetitions() {
        let two = r#"{"context_box_id": "dup", "output_box_id": "other"}"#;
        assert_eq!(merged(two, "v1r4").card_ids, ["a", "b", "a", "c"]);
        assert_eq!(merged(two, "v1r4_hotfix").card_ids, ["b", "c", "c", "a"]);
    }
}
