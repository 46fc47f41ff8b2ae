//! The two boxes of a turn as one list.
//!
//! The first box keeps its repetitions. The other adds only new cards, each once. The dialect decides
//! which box is first. A box that is both is read once, as the context. If the output comes first, it
//! is not the first box, and its repetitions are removed too.

use crate::agents::lint::AgentLint;
use crate::rule::lint::Lint;
use crate::rule::merge::{Origin, merge};
use crate::rule::{Cursor, Defaults, Dialect, Outcome, Rule, Step};
use crate::store::{Presence, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::ids::share_names;
use crate::{Path, Result};
use serde::Serialize;

/// One of the two boxes of a turn.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The box that the turn reads.
    Context,
    /// The box that the turn writes to.
    Output,
}

/// A card of a turn and its position.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The card.
    pub card_id: CardId,
    /// The box.
    pub side: Side,
    /// The index in that box, from 0.
    pub position: usize,
}

/// The two boxes of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub context_box_id: Option<BoxId>,
    pub output_box_id: Option<BoxId>,
}

/// The merged boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Merged {
    pub seats: Vec<Seat>,
    /// Removed repetitions, in order.
    pub swallowed: Vec<Seat>,
    pub lints: Vec<Lint>,
}

impl Pair {
    /// Merges the boxes; `None` if one must be read first. A box that does not exist counts as empty,
    /// with a lint.
    pub fn merge(&self, cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Option<Merged>> {
        let context = (Side::Context, &self.context_box_id);
        let output = (Side::Output, &self.output_box_id);
        let sides = if dialect.output_first { [output, context] } else { [context, output] };
        let is_one_box = self.context_box_id == self.output_box_id;
        let mut merged = Merged::default();
        let mut found = Vec::new();
        let mut is_first = true;
        let mut keeps_first = false;
        let mut unread = false;
        for (side, box_id) in sides {
            let named = box_id.as_ref().filter(|id| !id.as_str().is_empty());
            let Some(box_id) = named.filter(|_| !(is_one_box && side == Side::Output)) else {
                is_first = false;
                continue;
            };
            let card_box = match cursor.card_box(box_id.as_str())? {
                Presence::Read(Some(card_box)) => card_box,
                Presence::Unread => {
                    unread = true;
                    continue;
                }
                Presence::Read(None) => {
                    let (key, word) = match side {
                        Side::Context => ("context_box_id", "reads"),
                        Side::Output => ("output_box_id", "writes to"),
                    };
                    merged.lints.push(Lint::new(
                        AgentLint::MissingBox,
                        Path::root().key(key),
                        format!("box `{box_id}`, which the turn {word}, does not exist"),
                    ));
                    is_first = false;
                    continue;
                }
            };
            keeps_first |= is_first;
            is_first = false;
            found.push((side, &card_box.card_ids));
        }
        if unread {
            return Ok(None);
        }
        let given: Vec<_> = found.iter().map(|(_, card_ids)| *card_ids).collect();
        let (lists, names) = share_names(&given);
        let symbols: Vec<_> = lists.iter().map(|list| list.symbols()).collect();
        let all = merge(&symbols, names);
        let seat = |origin: Origin| {
            let (side, card_ids) = found.get(origin.list as usize)?;
            let position = origin.position as usize;
            Some(Seat { card_id: card_ids.get(position)?.into(), side: *side, position })
        };
        // the first box keeps its repetitions
        let whole = given.first().filter(|_| keeps_first).map_or(0, |first| first.len() as u32);
        let is_whole = |origin: &Origin| whole > 0 && origin.list == 0;
        let first = (0..whole).map(|position| Origin { list: 0, position });
        let kept = all.origins.iter().copied().filter(|origin| !is_whole(origin));
        merged.seats = first.chain(kept).filter_map(seat).collect();
        let swallowed = all.swallowed.iter().map(|duplicate| duplicate.origin);
        merged.swallowed = swallowed.filter(|origin| !is_whole(origin)).filter_map(seat).collect();
        Ok(Some(merged))
    }
}

arguments! {
    /// Merges the context box and the output box of a turn.
    ///
    /// ```
    /// use tuckbox::agents::turn::{Side, TurnBoxes};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("ctx", ["n1", "n2"]).add_box("out", ["n2", "n3"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = TurnBoxes::from_json(&json!({"context_box_id": "ctx", "output_box_id": "out"}))?;
    /// let turn = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(turn.card_ids, ["n1", "n2", "n3"]);
    /// assert_eq!((turn.seats[2].side, turn.seats[2].position), (Side::Output, 1));
    /// assert_eq!(turn.swallowed[0].card_id, "n2");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnBoxes {
        /// The box that the turn reads. An empty string means none.
        pub context_box_id: Option<String>,
        /// The box that the turn writes to. An empty string means none.
        pub output_box_id: Option<String>,
        /// The rule dialect, which decides which box comes first. The dialect of the project by
        /// default.
        pub dialect: Option<Dialect>,
    }
}

/// The cards of a turn, in the order of the request.
///
/// Shown by the example of [`TurnBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnCards {
    /// The cards.
    pub card_ids: Vec<CardId>,
    /// The position of each card.
    pub seats: Vec<Seat>,
    /// Removed repetitions.
    pub swallowed: Vec<Seat>,
}

impl TurnBoxes {
    /// Returns the call with the dialect of a project where it has none.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Defaults) -> Self {
        self.dialect = self.dialect.or(Some(defaults.dialect));
        self
    }
}

impl Rule for TurnBoxes {
    type Value = TurnCards;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<TurnCards>>> {
        let mut cursor = Cursor::new(snapshot);
        let pair = Pair {
            context_box_id: self.context_box_id.as_deref().map(BoxId::from),
            output_box_id: self.output_box_id.as_deref().map(BoxId::from),
        };
        let merged = pair.merge(&mut cursor, self.dialect.unwrap_or_default())?;
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
        let rule = TurnBoxes::from_json(&crate::Json::parse(&call).unwrap()).unwrap();
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
