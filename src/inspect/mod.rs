//! A context as a picture: what stands where, why, and how much of the window it takes.
//!
//! [`Inspect`] wraps any other call, or names a box that is already stored. It runs the call as a
//! preview, reads the cards of what it packs, and gives back what a person looks at: for a range of
//! positions one [`Row`] a card, and for every lint the place it is about. [`InspectRequest`] says
//! what the model of the receiver gets of it, and what that costs. Both write nothing; the wrapped
//! call is committed by itself.
//!
//! *Architecture invariant:* everything the inspector shows as a fact is computed here. A page
//! that renders a [`View`] adds nothing but colour.
//!
//! ```
//! use tuckbox::store::{MemoryStore, Snapshot};
//! use tuckbox::{Env, Json, Timestamp, inspect::Inspect, rule::preview};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_box("b1", ["c1", "c2"]);
//! let look = Inspect::from_json(&Json::parse(r#"{"box_id": "b1", "to": 50}"#)?)?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let view = preview(&look, &mut Snapshot::new("p1".into()), &env, &store)?.value;
//! assert_eq!(view.boxes[0].cards, 2);
//! assert_eq!(view.rows[1].card_id, "c2");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod compare;
mod find;
mod kind;
mod needle;
mod picture;
mod place;
mod problem;
mod request;
mod row;
mod search;
mod subject;
#[cfg(test)]
mod tests;

pub use compare::{Change, Compare, Comparison, Growth, Run, Side, Summary};
pub use find::{FindCards, Found};
pub use kind::CardKind;
use needle::Needle;
pub use picture::{BoxView, Level, Part, Source, Window};
pub use place::Place;
use place::place_of;
pub use problem::{Fix, Problem, ProblemSource, Severity};
pub use request::{CardCost, Fate, InspectRequest, Reader, RequestView};
pub use row::{Presence, Row};
pub use search::{Hit, Hits, SearchCards, Snippet};
use subject::Subject;

use crate::Result;
use crate::agents::Setup;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use serde::Serialize;
use std::ops::Range;

/// The most rows one call gives back.
const MAX_ROWS: usize = 1_000;
/// How many rows a call gives back when it names no range.
const DEFAULT_ROWS: usize = 200;

/// Looks at what a call would pack, or at a stored box.
///
/// ```
/// use tuckbox::inspect::{Inspect, Presence};
/// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let pack = json!({"op": "pack_context", "tool_suffix": "delegate", "source_agent_id": "ann",
///     "arguments": {"profile_name": "writer", "instruction": " "},
///     "handover": {"context_packing_config": {"pack_arguments": [{"arg_key": "instruction"}, {"arg_key": "tone"}]}}});
/// let call = Inspect::from_json(&json!({"call": pack, "to": 10, "find": "draft"}))?;
/// let view = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(view.rows[0].presence, Presence::New);
/// assert!(view.rows[0].cause.is_some());
/// assert_eq!(view.matches, Some(vec![]));
/// let remark = &view.lints[0];
/// assert_eq!((remark.lint.code.as_str(), remark.place.as_ref().unwrap().position), ("blank_instruction", 0));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Inspect {
    subject: Subject,
    shown: usize,
    range: Range<usize>,
    find: Option<Needle>,
}

/// What there is to see.
///
/// Shown by the example of [`Inspect`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// One picture for each box, in the order in which the call packs them.
    pub boxes: Vec<BoxView>,
    /// Which of the boxes the rows are of.
    pub shown: usize,
    /// The rows asked for.
    pub rows: Vec<Row>,
    /// The positions of the cards that hold the text looked for; absent when none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<usize>>,
    /// What was named in the call and never became a card.
    pub dropped: Vec<Dropped>,
    /// What was noticed, and where.
    pub lints: Vec<PlacedLint>,
    /// The hash of what the call makes; absent for a stored box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<ContentHash>,
}

/// A lint with the place of the card it is about.
///
/// Shown by the example of [`Inspect`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedLint {
    /// The lint.
    #[serde(flatten)]
    pub lint: Lint,
    /// Where the card stands; absent when it is about no card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Inspect {
    /// Reads `{"call": {..} | "box_id": ".." | "turn": {..}, "shown"?, "from"?, "to"?, "find"?}`.
    ///
    /// `shown` chooses the box of the rows when a call packs several, `from` and `to` bound their
    /// positions, `find` asks for the positions of the cards that hold a text in any case.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown; a fault in the wrapped
    /// call has its path below `call`.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`Inspect::from_json`], with what the wrapped call leaves open.
    ///
    /// # Errors
    /// As [`Inspect::from_json`].
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        let fields = Field::root(json).object()?;
        fields.only(&["op", "call", "box_id", "turn", "shown", "from", "to", "find"])?;
        let subject = Subject::read(&fields, setup)?;
        let place = |key| -> Result<Option<usize>> {
            let number = fields.optional(key).map(|field| field.count()).transpose()?;
            Ok(number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
        };
        let from = place("from")?.unwrap_or(0);
        let to = place("to")?.unwrap_or(from.saturating_add(DEFAULT_ROWS));
        Ok(Self {
            subject,
            shown: place("shown")?.unwrap_or(0),
            range: from..to.min(from.saturating_add(MAX_ROWS)),
            find: fields
                .optional("find")
                .map(|field| field.string().map(Needle::new))
                .transpose()?
                .filter(|text| !text.is_empty()),
        })
    }
}

impl Rule for Inspect {
    type Value = View;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<View>>> {
        let seen = ready!(self.subject.see(snapshot, env)?);
        let cards = row::Cards::new(seen.made(), snapshot, env);
        if let Some(seat) = seen.boxes.get(self.shown) {
            let wanted = match self.find {
                Some(_) => 0..seat.card_ids.len(),
                None => self.range.clone(),
            };
            ready!(cards.read(seat.card_ids.iter().skip(wanted.start).take(wanted.len())));
        }

        let boxes = seen.boxes.iter().map(BoxView::from).collect();
        let rows = match seen.boxes.get(self.shown) {
            Some(seat) => cards.rows(seat, self.range.clone())?,
            None => Vec::new(),
        };
        let matches = match (&self.find, seen.boxes.get(self.shown)) {
            (Some(text), Some(seat)) => Some(cards.matches(seat, text)?),
            (Some(_), None) => Some(Vec::new()),
            (None, _) => None,
        };
        let lints = seen
            .lints
            .into_iter()
            .map(|lint| PlacedLint { place: place_of(&lint, &seen.boxes), lint })
            .collect();
        let view = View {
            boxes,
            shown: self.shown,
            rows,
            matches,
            dropped: seen.dropped,
            lints,
            content_hash: seen.content_hash,
        };
        Ok(Step::Done(Outcome::answer(view, Vec::new(), snapshot, env)))
    }
}
