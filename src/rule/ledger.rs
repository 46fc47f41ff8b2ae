//! The ledger: the reason for each card and its position.
//!
//! A ledger has one [`BoxLedger`] for each box that a call packs, and a list of dropped values.
//! Entries are built on access, so a box of 100,000 ids needs 8 bytes per entry.
//!
//! ```
//! use tuckbox::rule::ledger::Cause;
//! # use tuckbox::store::{MemoryStore, Profile, Snapshot};
//! # use tuckbox::{Env, Handover, PackContext, Timestamp, json, rule};
//! # let mut store = MemoryStore::new();
//! # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("a", ["n1", "n2"]).add_box("b", ["n2"]);
//! let handover = Handover::builder().argument("instruction").argument("tone").inherit("boxes").build();
//! let arguments = json!({"profile_name": "writer", "instruction": "Draft it.", "boxes": ["a", "b"]});
//! # let call = PackContext::new("delegate", "agent_a", arguments, handover);
//! # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let ledger = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.ledger;
//! let entries = ledger.boxes[0].entries(0..3);
//! assert!(matches!(&entries[0].cause, Cause::Argument { arg_key, .. } if arg_key == "instruction"));
//! assert!(matches!(&entries[2].cause, Cause::Inherited { box_id, position: 1, .. } if box_id == "a"));
//! assert_eq!(entries[2].swallowed.len(), 1, "`n2` is also in `b`");
//! assert_eq!(ledger.dropped[0].reason.as_str(), "argument_absent");
//! assert!(ledger.transitions.is_empty(), "no row of a table changed");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod columns;

pub use columns::{Columns, Source};

use crate::rule::audit::Audit;
use crate::rule::merge::MergeResult;
use crate::value::error::Path;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Json, Number, Object};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// The ledger of one call.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Ledger {
    /// One ledger for each packed box.
    pub boxes: Vec<BoxLedger>,
    /// The values that did not become cards, each with the reason.
    pub dropped: Vec<Dropped>,
    /// One record for each packed context: the sender, the receiver and the sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<Arc<Audit>>,
    /// The changed rows, each with the condition that allowed the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<Transition>,
}

impl Ledger {
    /// Appends another ledger.
    pub fn append(&mut self, mut other: Self) {
        self.boxes.append(&mut other.boxes);
        self.dropped.append(&mut other.dropped);
        self.audit.append(&mut other.audit);
        self.transitions.append(&mut other.transitions);
    }
}

/// The reason for a changed row.
///
/// ```
/// use tuckbox::rule::ledger::{Ledger, Transition};
///
/// let leased = Transition {
///     rule: "lease", guard: "the agent was idle".into(), table: "heads", key: vec!["a1".into()], version: None };
/// let mut ledger = Ledger { transitions: vec![leased], ..Ledger::default() };
/// ledger.append(Ledger::default());
/// assert_eq!(ledger.transitions[0].table, "heads");
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Transition {
    /// The rule that changed the row.
    pub rule: &'static str,
    /// The condition that allowed the change.
    pub guard: String,
    /// The table of the row.
    pub table: &'static str,
    /// The key of the row.
    pub key: Vec<String>,
    /// The version before the change. `None` for a new row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A value of the call that was dropped.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Dropped {
    /// The path of the value.
    pub path: Path,
    /// The reason.
    pub reason: DropReason,
}

crate::value::code::codes! {
    /// The reason why a value of the call became neither a card nor an inherited box.
    ///
    /// Shown by the [example of its module](self).
    pub enum DropReason {
        /// A rule in `pack_arguments` is not an object.
        NotAnObject = "not_an_object",
        /// A rule in `pack_arguments` does not name an argument.
        NoArgKey = "no_arg_key",
        /// The argument is missing.
        ArgumentAbsent = "argument_absent",
        /// An entry in `include_boxes_from_args` is not the name of an argument.
        NotAName = "not_a_name",
        /// An entry of an argument is not a box id.
        NotABoxId = "not_a_box_id",
    }
}

/// The reason for one card in a box.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// A rule in `pack_arguments` made the card from an argument.
    Argument {
        /// The name of the argument.
        arg_key: String,
        /// The path of the rule.
        path: Path,
    },
    /// The card comes from an inherited box.
    Inherited {
        /// The id of the box.
        box_id: BoxId,
        /// The position in that box, from 0.
        position: u32,
        /// The path of the argument that names the box.
        path: Path,
    },
    /// The card is the parent pointer.
    Parent {
        /// The path of the switch that includes it.
        path: Path,
    },
    /// The card comes from the log of another tool.
    Imported(Place),
}

/// A place in an imported file.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::rule::ledger::Place;
///
/// let place = Place { file: "log.jsonl".into(), line: Some(3), pointer: "/message".into() };
/// assert_eq!(place.to_json().to_string(), r#"{"file":"log.jsonl","line":3,"pointer":"/message"}"#);
/// assert_eq!(Place::of(&place.to_json()), Some(place));
/// assert_eq!(Place::of(&Json::from("log.jsonl")), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line, from 1. `None` if the file is one value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The JSON pointer inside the value. Empty for the whole value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
}

impl Place {
    /// Returns the place in the `origin` of a card's metadata, if there is one.
    pub fn of(origin: &Json) -> Option<Self> {
        let file = origin.get("file")?.as_str()?.to_owned();
        let line = origin.get("line").and_then(Json::as_number).and_then(Number::whole);
        let pointer = origin.get("pointer").and_then(Json::as_str).unwrap_or_default().to_owned();
        Some(Self { file, line: line.and_then(|line| u32::try_from(line).ok()), pointer })
    }

    /// Returns the `origin` of a card's metadata.
    pub fn to_json(&self) -> Json {
        let mut out = Object::default();
        out.insert("file".into(), self.file.as_str().into());
        if let Some(line) = self.line {
            out.insert("line".into(), u64::from(line).into());
        }
        if !self.pointer.is_empty() {
            out.insert("pointer".into(), self.pointer.as_str().into());
        }
        Json::Object(out)
    }
}

/// A box that cards were inherited from.
///
/// Shown by the example of [`Columns`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// The id of the box.
    pub box_id: BoxId,
    /// The path of the argument that names it.
    pub path: Path,
}

/// A run of entries with one kind of cause.
#[derive(Clone, Debug, PartialEq)]
enum Segment {
    /// Cards that the call made, each with its own cause.
    Made(Vec<Cause>),
    /// Cards merged from boxes.
    Merged { sources: Vec<Inherited>, merged: Arc<MergeResult> },
}

impl Segment {
    fn len(&self) -> usize {
        match self {
            Self::Made(causes) => causes.len(),
            Self::Merged { merged, .. } => merged.origins.len(),
        }
    }
}

/// One position of a box and its reason.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// The position in the box, from 0.
    pub position: usize,
    /// The card at this position.
    pub card_id: String,
    /// The reason for the card.
    pub cause: Cause,
    /// The later duplicates of the card, as causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub swallowed: Vec<Cause>,
}

/// The ledger of one box, position by position.
///
/// Shown by the example of [`Columns`].
#[derive(Clone, Debug, PartialEq)]
pub struct BoxLedger {
    box_id: BoxId,
    card_ids: CardIds,
    segments: Vec<Segment>,
}

impl BoxLedger {
    /// Creates the ledger of a box. The caller adds segments in the order of the cards.
    pub fn new(box_id: BoxId, card_ids: CardIds) -> Self {
        Self { box_id, card_ids, segments: Vec::new() }
    }

    /// Adds the causes of the next cards, which the call made.
    pub fn made(&mut self, causes: Vec<Cause>) -> &mut Self {
        self.segments.push(Segment::Made(causes));
        self
    }

    /// Adds the causes of the next cards, which were merged from `sources`. Equal merges can share
    /// one `Arc`.
    pub fn merged(
        &mut self,
        sources: Vec<Inherited>,
        merged: impl Into<Arc<MergeResult>>,
    ) -> &mut Self {
        self.segments.push(Segment::Merged { sources, merged: merged.into() });
        self
    }

    /// Returns the id of the box.
    pub fn box_id(&self) -> &BoxId {
        &self.box_id
    }

    /// Returns the cards of the box.
    pub fn card_ids(&self) -> &CardIds {
        &self.card_ids
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.card_ids.len()
    }

    /// Returns true for an empty box.
    pub fn is_empty(&self) -> bool {
        self.card_ids.is_empty()
    }

    /// Returns the number of dropped duplicates.
    pub fn swallowed(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Made(_) => 0,
                Segment::Merged { merged, .. } => merged.swallowed.len(),
            })
            .sum()
    }

    /// Returns the entries of a range of positions. Positions outside the box are ignored.
    pub fn entries(&self, range: Range<usize>) -> Vec<Entry> {
        self.columns(range).entries()
    }
}

impl Serialize for BoxLedger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("BoxLedger", 2)?;
        body.serialize_field("box_id", &self.box_id)?;
        body.serialize_field("entries", &self.entries(0..self.len()))?;
        body.end()
    }
}
