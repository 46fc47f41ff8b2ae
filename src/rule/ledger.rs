//! Why every card is where it is.
//!
//! A ledger has one [`BoxLedger`] for each box that a call packs, and a list of what was left out
//! before it ever became a card. Entries are made when they are looked at: a box of 100,000 ids
//! keeps eight bytes an entry, not a tree of objects.
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
//! assert_eq!(entries[2].swallowed.len(), 1, "`n2` also stands in `b`");
//! assert_eq!(ledger.dropped[0].reason.as_str(), "argument_absent");
//! assert!(ledger.transitions.is_empty(), "no row of a table changed");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod columns;

pub use columns::{Columns, Source};

use crate::rule::audit::Audit;
use crate::rule::merge::Merged;
use crate::value::error::Path;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Json, Number, Object};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// The whole account of one call.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Ledger {
    /// One account for each box that was packed.
    pub boxes: Vec<BoxLedger>,
    /// What never became a card, and why.
    pub dropped: Vec<Dropped>,
    /// Who packed what from where, one record for each packed context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<Arc<Audit>>,
    /// Which rows changed, and what held so that they could.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<Transition>,
}

impl Ledger {
    /// Puts another account behind this one.
    pub fn append(&mut self, mut other: Self) {
        self.boxes.append(&mut other.boxes);
        self.dropped.append(&mut other.dropped);
        self.audit.append(&mut other.audit);
        self.transitions.append(&mut other.transitions);
    }
}

/// Why a row changed.
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
    /// The rule that changed it.
    pub rule: &'static str,
    /// What held, so that it could.
    pub guard: String,
    /// The table of the row.
    pub table: &'static str,
    /// The key of the row.
    pub key: Vec<String>,
    /// The version that it had; absent for a new row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Something that was named in the call and left out.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Dropped {
    /// The value that was left out.
    pub path: Path,
    /// Why.
    pub reason: DropReason,
}

crate::value::code::codes! {
    /// Why something that the call names became no card and no inherited box.
    ///
    /// Shown by the [example of its module](self).
    pub enum DropReason {
        /// A rule of `pack_arguments` is not an object.
        NotAnObject = "not_an_object",
        /// A rule of `pack_arguments` names no argument.
        NoArgKey = "no_arg_key",
        /// The argument is not there.
        ArgumentAbsent = "argument_absent",
        /// An entry of `include_boxes_from_args` is not the name of an argument.
        NotAName = "not_a_name",
        /// An entry of an argument is not the id of a box.
        NotABoxId = "not_a_box_id",
    }
}

/// Why one card is in a box.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// A rule of `pack_arguments` made it from an argument.
    Argument {
        /// The argument's name.
        arg_key: String,
        /// The rule.
        path: Path,
    },
    /// It stood in a box that was inherited.
    Inherited {
        /// Which box.
        box_id: BoxId,
        /// Where in that box, counted from 0.
        position: u32,
        /// The argument that named the box.
        path: Path,
    },
    /// The parent pointer.
    Parent {
        /// The switch that asked for it.
        path: Path,
    },
    /// It was read in the log of another tool.
    Imported(Place),
}

/// Where in a file something was read.
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
    /// The line, from 1; nothing where the file is one value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The place inside the value as a JSON pointer; empty for the whole of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
}

impl Place {
    /// The place that the `origin` of a card's metadata names; nothing where it names none.
    pub fn of(origin: &Json) -> Option<Self> {
        let file = origin.get("file")?.as_str()?.to_owned();
        let line = origin.get("line").and_then(Json::as_number).and_then(Number::whole);
        let pointer = origin.get("pointer").and_then(Json::as_str).unwrap_or_default().to_owned();
        Some(Self { file, line: line.and_then(|line| u32::try_from(line).ok()), pointer })
    }

    /// The `origin` of a card's metadata.
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
    /// Which box.
    pub box_id: BoxId,
    /// The argument that named it.
    pub path: Path,
}

/// A run of entries with one kind of cause.
#[derive(Clone, Debug, PartialEq)]
enum Segment {
    /// Cards made by the call, each with its own cause.
    Made(Vec<Cause>),
    /// Cards merged from boxes.
    Merged { sources: Vec<Inherited>, merged: Arc<Merged> },
}

impl Segment {
    fn len(&self) -> usize {
        match self {
            Self::Made(causes) => causes.len(),
            Self::Merged { merged, .. } => merged.origins.len(),
        }
    }
}

/// One position of a box, explained.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// The position in the box, counted from 0.
    pub position: usize,
    /// The card there.
    pub card_id: String,
    /// Why it is there.
    pub cause: Cause,
    /// The later duplicates that it stands for, as inherited places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub swallowed: Vec<Cause>,
}

/// The account of one box, position by position.
///
/// Shown by the example of [`Columns`], which makes one by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxLedger {
    box_id: BoxId,
    card_ids: CardIds,
    segments: Vec<Segment>,
}

impl BoxLedger {
    /// An account of a box; add the segments in the order of its cards.
    pub fn new(box_id: BoxId, card_ids: CardIds) -> Self {
        Self { box_id, card_ids, segments: Vec::new() }
    }

    /// Explains the next cards as made by the call.
    pub fn made(&mut self, causes: Vec<Cause>) -> &mut Self {
        self.segments.push(Segment::Made(causes));
        self
    }

    /// Explains the next cards as merged from `sources`. Accounts of equal merges can share one.
    pub fn merged(&mut self, sources: Vec<Inherited>, merged: impl Into<Arc<Merged>>) -> &mut Self {
        self.segments.push(Segment::Merged { sources, merged: merged.into() });
        self
    }

    /// The box this is about.
    pub fn box_id(&self) -> &BoxId {
        &self.box_id
    }

    /// The cards of the box.
    pub fn card_ids(&self) -> &CardIds {
        &self.card_ids
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.card_ids.len()
    }

    /// True for an empty box.
    pub fn is_empty(&self) -> bool {
        self.card_ids.is_empty()
    }

    /// How many duplicates were left out.
    pub fn swallowed(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Made(_) => 0,
                Segment::Merged { merged, .. } => merged.swallowed.len(),
            })
            .sum()
    }

    /// The entries of a range of positions; what lies outside the box is left out.
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
