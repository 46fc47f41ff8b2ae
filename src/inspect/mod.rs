//! Views of a context: which cards it has, why, and how many tokens they use.
//!
//! [`Inspect`] wraps another call or names a stored box or a turn. It previews the call and reads
//! the cards that the call packs. The view has one [`Row`] for each position of a range, and the
//! position of the card of each lint. [`InspectRequest`] shows what the model of the receiver gets
//! and its cost. Both write nothing; the wrapped call is committed on its own.
//!
//! *Architecture invariant:* the core computes every fact that the inspector shows. A page that
//! renders a [`View`] adds only its design.
//!
//! ```
//! use tuckbox::store::{MemoryStore, Snapshot};
//! use tuckbox::{Env, Json, Timestamp, inspect::Inspect, rule::preview};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_box("b1", ["c1", "c2"]);
//! let call = Inspect::from_json(&Json::parse(r#"{"box_id": "b1", "to": 50}"#)?)?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let view = preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
//! assert_eq!(view.boxes[0].cards, 2);
//! assert_eq!(view.rows[1].card_id, "c2");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod cache;
mod compare;
mod find;
mod handover;
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
mod text;

pub use cache::{CacheSubject, InspectCache};
pub use compare::{Change, Compare, CompareSide, Comparison, Growth, Run, Side, Summary};
pub use find::{FindCards, Found};
pub use handover::{BriefHandover, HandoverBrief, HandoverCard, HandoverLint};
pub use kind::CardKind;
use needle::Needle;
pub use picture::{BoxView, Level, Part, Source, Window};
pub use place::Place;
use place::place_of;
pub use problem::{Fix, Problem, ProblemSource, Severity};
pub use request::{CardCost, Fate, InspectRequest, Reader, RequestTerms, RequestView};
pub use row::{Presence, Row};
pub use search::{Hit, Hits, SearchCards, Snippet};
pub use subject::Subject;

use crate::Result;
use crate::agents::Setup;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use serde::Serialize;
use std::ops::Range;

/// The maximum number of rows of one call.
const MAX_ROWS: usize = 1_000;
/// The number of rows of a call without a range.
const DEFAULT_ROWS: usize = 200;

arguments! {
    /// Shows what a call packs, the content of a box, or what the model of a turn sees. It writes nothing.
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
        /// The box whose rows are shown, from 0, for a call that packs several.
        pub shown: usize = 0,
        /// The first position of the rows.
        pub from: usize = 0,
        /// The position after the last row. By default 200 rows are shown, and at most 1,000.
        pub to: Option<usize>,
        /// A text to find in the cards of the box, ignoring case.
        pub find: Option<String>,
        shared subject: Subject,
    }
}

/// The view of a context.
///
/// Shown by the example of [`Inspect`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// One entry for each box, in packing order.
    pub boxes: Vec<BoxView>,
    /// The index of the box that the rows belong to.
    pub shown: usize,
    /// The rows of the range.
    pub rows: Vec<Row>,
    /// The positions of the cards that match `find`. Missing without `find`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<usize>>,
    /// Values of the call that did not become a card.
    pub dropped: Vec<Dropped>,
    /// The lints, with positions.
    pub lints: Vec<PlacedLint>,
    /// The hash of what the call makes. Missing for a stored box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<ContentHash>,
}

/// A lint and the position of its card.
///
/// Shown by the example of [`Inspect`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedLint {
    /// The lint.
    #[serde(flatten)]
    pub lint: Lint,
    /// The position of the card. Missing for a lint without a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Inspect {
    /// Reads the call of the subject with the settings of the project.
    ///
    /// # Errors
    /// Any error of the call, with a path below `call` or `turn`.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        Ok(Self { subject: self.subject.with_setup(setup)?, ..self })
    }

    fn range(&self) -> Range<usize> {
        let to = self.to.unwrap_or(self.from.saturating_add(DEFAULT_ROWS));
        self.from..to.min(self.from.saturating_add(MAX_ROWS))
    }
}

impl Rule for Inspect {
    type Value = View;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<View>>> {
        let seen = ready!(self.subject.see(snapshot, env)?);
        let cards = row::Cards::new(seen.made(), snapshot, env);
        let find = self.find.as_deref().filter(|text| !text.is_empty()).map(Needle::new);
        if let Some(seat) = seen.boxes.get(self.shown) {
            let wanted = if find.is_some() { 0..seat.card_ids.len() } else { self.range() };
            ready!(cards.read(seat.card_ids.iter().skip(wanted.start).take(wanted.len())));
        }

        let boxes = seen.boxes.iter().map(BoxView::from).collect();
        let rows = match seen.boxes.get(self.shown) {
            Some(seat) => cards.rows(seat, self.range())?,
            None => Vec::new(),
        };
        let matches = match (&find, seen.boxes.get(self.shown)) {
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
