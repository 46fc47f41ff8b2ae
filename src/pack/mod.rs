//! `pack_context`: the one way context goes from one agent to another.
//!
//! A call names a target profile, turns some of its arguments into cards, inherits the cards of
//! other boxes, and may add a pointer to the parent. Out comes a new context box. What the call
//! may say is a [`PackContext`]; what comes out is a [`Packed`] with a ledger that explains every
//! position. It takes at most two rounds of reads, however many boxes there are.
//!
//! Between the two stands a `Plan`: the receiver, the cards to make, the boxes to inherit, all
//! typed and with the paths of the caller's own value.
//!
//! *Architecture invariant:* nothing here knows about recipes. A recipe builds a plan, and a
//! plan is packed in one way, whoever made it.
//!
//! ```
//! use tuckbox::store::{MemoryStore, Profile, Snapshot};
//! use tuckbox::{Env, Handover, PackContext, Timestamp, json, rule};
//!
//! let mut store = MemoryStore::new();
//! store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1"]);
//! let handover = Handover::builder().argument("instruction").inherit("boxes").build();
//! let arguments = json!({"profile_name": "writer", "instruction": " ", "boxes": ["notes"]});
//! let call = PackContext::new("delegate", "agent_a", arguments, handover);
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
//! assert_eq!(preview.value.profile_name, "Writer");
//! assert_eq!(preview.value.attached_card_ids.get(1), Some("n1"));
//! assert_eq!(preview.lints[0].code.as_str(), "blank_instruction");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod arguments;
pub mod builder;
mod content;
mod fault;
mod handover;
mod inherit;
mod lint;
mod liveness;
mod merges;
mod packing;
mod plan;

pub(crate) use handover::HandoverReader;
pub use lint::PackLint;
pub(crate) use merges::Merges;
pub use packing::Packed;
pub(crate) use packing::PackedBox;
pub(crate) use plan::{Argument, Packer, Plan, PlannedBox};

use crate::Result;
use crate::rule::audit;
use crate::rule::{Defaults, Dialect, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Snapshot, Writes};
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;

/// A call of `pack_context`.
///
/// ```
/// use tuckbox::{Dialect, PackContext, json};
///
/// let call = PackContext::from_json(&json!({
///     "tool_suffix": "delegate", "source_agent_id": "agent_a", "dialect": "v1r3", "check_liveness": true,
///     "arguments": {"profile_name": "writer"}, "handover": {}}))?;
/// assert_eq!((call.dialect, call.check_liveness), (Dialect::V1R3, true));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackContext {
    /// Which tool packs: the author of the new cards.
    pub tool_suffix: String,
    /// Which agent hands over.
    pub source_agent_id: String,
    /// The arguments of the tool call.
    pub arguments: Json,
    /// The packing rules.
    pub handover: Json,
    /// The rule dialect.
    pub dialect: Dialect,
    /// Whether to read every inherited card and report those that are gone.
    pub check_liveness: bool,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
    /// What a new card may hold.
    pub limits: Limits,
}

impl PackContext {
    /// A call with the default dialect and limits.
    pub fn new(
        tool_suffix: impl Into<String>,
        source_agent_id: impl Into<String>,
        arguments: impl Into<Json>,
        handover: impl Into<Json>,
    ) -> Self {
        Self {
            tool_suffix: tool_suffix.into(),
            source_agent_id: source_agent_id.into(),
            arguments: arguments.into(),
            handover: handover.into(),
            dialect: Dialect::default(),
            check_liveness: false,
            operation_id: None,
            limits: Limits::default(),
        }
    }

    /// Reads a call: `{"tool_suffix", "source_agent_id", "arguments", "handover", "dialect"?,
    /// "check_liveness"?, "operation_id"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Defaults::default())
    }

    /// As [`PackContext::from_json`], where a call that names no dialect gets that of `defaults`.
    ///
    /// # Errors
    /// As [`PackContext::from_json`].
    pub fn from_json_with(json: &Json, defaults: &Defaults) -> Result<Self> {
        Self::take_json(&mut json.clone(), defaults)
    }

    /// As [`PackContext::from_json_with`]; the arguments and the handover are taken out.
    pub(crate) fn take_json(json: &mut Json, defaults: &Defaults) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[
            "op",
            "tool_suffix",
            "source_agent_id",
            "arguments",
            "handover",
            "dialect",
            "check_liveness",
            "operation_id",
        ])?;
        let read = Self {
            dialect: match call.optional("dialect") {
                Some(dialect) => Dialect::from_json(Some(dialect))?,
                None => defaults.dialect,
            },
            limits: defaults.limits,
            check_liveness: call
                .optional("check_liveness")
                .map_or(Ok(false), |field| field.boolean())?,
            operation_id: call
                .optional("operation_id")
                .map(|field| field.string().map(str::to_owned))
                .transpose()?,
            ..Self::new(
                call.required("tool_suffix")?.string()?,
                call.required("source_agent_id")?.string()?,
                Json::Null,
                Json::Null,
            )
        };
        call.required("arguments")?;
        call.required("handover")?;
        let mut taken = |key| json.get_mut(key).map(std::mem::take).unwrap_or_default();
        Ok(Self { arguments: taken("arguments"), handover: taken("handover"), ..read })
    }
}

impl Rule for PackContext {
    type Value = Packed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Packed>>> {
        let packer = Packer {
            author: &self.tool_suffix,
            agent_id: self.dialect.id(&self.source_agent_id, "source_agent_id")?,
            dialect: self.dialect,
            limits: self.limits,
            check_liveness: self.check_liveness,
        };
        let reader = HandoverReader::new(&self.arguments, &self.handover)?;
        let mut plan = reader.outline(packer, "profile_name")?;
        ready!(plan.read(snapshot));
        reader.finish(&mut plan);

        let mut minter = env.minter();
        let operation_id = match &self.operation_id {
            Some(operation_id) => operation_id.clone(),
            None => minter.operation_id(),
        };
        plan.pack(snapshot, &mut minter, env, None)?.and_then(|packed| {
            let mut writes = Writes::new(snapshot.project_id().clone(), operation_id, env.now);
            writes.cards = packed.cards;
            writes.expects = packed.expects;
            writes.boxes.push(BoxChange::Create { card_box: packed.card_box });
            audit::keep(&packed.ledger.audit, &mut writes);
            let PackedBox { packed: value, ledger, lints, .. } = packed;
            Ok(Step::Done(Outcome { value, writes, ledger, lints }))
        })
    }
}
