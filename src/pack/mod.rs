//! `pack_context`: the only operation that packs context for another agent.
//!
//! A call names a target profile. It turns some of its arguments into cards, inherits the cards of
//! other boxes, and can add a pointer to the parent. The result is a new context box. A call is a
//! [`PackContext`]; its answer is a [`Packed`], with a ledger that explains every position. Packing
//! takes at most two rounds of reads, regardless of the number of boxes.
//!
//! A `Plan` is the step between the two: the receiver, the cards to make and the boxes to inherit.
//! It is typed, and has the paths of the caller's values.
//!
//! *Architecture invariant:* nothing here depends on recipes. A recipe builds a plan, and every plan
//! is packed in the same way.
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
mod handover;
mod inherit;
mod lint;
mod liveness;
mod merges;
mod packing;
mod plan;
mod problem;

pub(crate) use handover::HandoverReader;
pub use lint::PackLint;
pub(crate) use merges::Merges;
pub use packing::Packed;
pub(crate) use packing::PackedBox;
pub(crate) use plan::{Packer, Plan, PlannedArgument, PlannedBox};

use crate::Result;
use crate::rule::audit;
use crate::rule::{Cursor, Defaults, Dialect, Grants, Outcome, Rule, Step, Warrant, ready};
use crate::store::{BoxChange, Kind, Presence, Snapshot, Writes};
use crate::value::arguments::{Argument, OrText, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object};
use crate::value::limits::Limits;
use builder::Handover;

/// The arguments of a tool call: an object.
///
/// Shown by the example of [`PackContext`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolArguments(Json);

shape! {
    pub type ToolArguments = Object;
}

impl Argument for ToolArguments {
    fn read(field: &Field<'_>) -> Result<Self> {
        field.object()?;
        Ok(Self(field.json().clone()))
    }
}

impl ToolArguments {
    /// Returns the arguments as JSON.
    pub fn json(&self) -> &Json {
        &self.0
    }
}

impl From<Json> for ToolArguments {
    fn from(json: Json) -> Self {
        Self(json)
    }
}

impl From<ToolArguments> for Json {
    fn from(arguments: ToolArguments) -> Self {
        arguments.0
    }
}

arguments! {
    /// Packs a context box for another agent.
    ///
    /// ```
    /// use tuckbox::{Dialect, PackContext, json};
    ///
    /// let call = PackContext::from_json(&json!({
    ///     "tool_suffix": "delegate", "source_agent_id": "agent_a", "dialect": "v1r3", "check_liveness": true,
    ///     "arguments": {"profile_name": "writer"}, "handover": {}}))?;
    /// assert_eq!((call.dialect, call.check_liveness), (Some(Dialect::V1R3), true));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PackContext {
        /// The tool that packs. It is the author of the new cards.
        pub tool_suffix: String,
        /// The agent that delegates.
        pub source_agent_id: String,
        /// The arguments of the tool call.
        pub arguments: ToolArguments,
        /// The packing rules.
        pub handover: OrText<Handover>,
        /// The rule dialect. The dialect of the project by default.
        pub dialect: Option<Dialect>,
        /// Reads every inherited card and reports those that are missing, deleted or expired.
        pub check_liveness: bool = false,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting limits: Limits,
        setting grants: Grants,
    }
}

impl PackContext {
    /// Returns a call with the default dialect and limits.
    pub fn new(
        tool_suffix: impl Into<String>,
        source_agent_id: impl Into<String>,
        arguments: impl Into<Json>,
        handover: impl Into<Handover>,
    ) -> Self {
        Self {
            tool_suffix: tool_suffix.into(),
            source_agent_id: source_agent_id.into(),
            arguments: ToolArguments(arguments.into()),
            handover: handover.into(),
            dialect: None,
            check_liveness: false,
            operation_id: None,
            limits: Limits::default(),
            grants: Grants::default(),
        }
    }

    /// Returns the call with the limits of a project, and with its dialect where the call has none.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Defaults) -> Self {
        self.dialect = Some(defaults.dialect_of(self.dialect));
        self.limits = defaults.limits;
        self.grants = defaults.grants();
        self
    }

    /// Reads a call and takes the arguments and the handover out of `json`, so that they are not
    /// copied.
    pub(crate) fn take_json(json: &mut Json, defaults: &Defaults) -> Result<Self> {
        let empty = || Json::Object(Object::new());
        let mut take = |key| match json.get_mut(key) {
            Some(value @ Json::Object(_)) => std::mem::replace(value, empty()),
            Some(_) | None => Json::Null,
        };
        let (arguments, handover) = (take("arguments"), take("handover"));
        let mut call = Self::from_json(json)?.with_defaults(defaults);
        call.arguments = ToolArguments(arguments);
        if !handover.is_null() {
            call.handover = Handover::from(handover);
        }
        Ok(call)
    }
}

impl PackContext {
    /// Returns the boxes that the project lets the sender pass on; `None` for every box, or while the
    /// sender is not read.
    fn warrant(&self, agent_id: &str, cursor: &mut Cursor<'_>) -> Result<Option<Warrant>> {
        match self.grants {
            Grants::Every => Ok(None),
            Grants::OwnAnd(_) => {
                let Presence::Read(agent) = cursor.agent(agent_id)? else { return Ok(None) };
                Ok(Some(Warrant::of(&self.grants, agent)))
            }
        }
    }
}

impl Rule for PackContext {
    type Value = Packed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Packed>>> {
        let dialect = self.dialect.unwrap_or_default();
        let agent_id = dialect.id(&self.source_agent_id, "source_agent_id")?;
        let mut cursor = Cursor::new(snapshot);
        let warrant = self.warrant(agent_id, &mut cursor)?;
        let packer = Packer {
            author: &self.tool_suffix,
            agent_id,
            dialect,
            limits: self.limits,
            check_liveness: self.check_liveness,
            warrant: warrant.as_ref(),
        };
        let reader = HandoverReader::new(self.arguments.json(), self.handover.json())?;
        let mut plan = reader.outline(packer, "profile_name")?;
        cursor.join(plan.read(snapshot));
        ready!(cursor.step());
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
            if let Some(Warrant::Only(_)) = &warrant {
                writes.expects.extend(snapshot.expectation(Kind::Agents, agent_id));
            }
            writes.boxes.push(BoxChange::Create { card_box: packed.card_box });
            audit::keep(&packed.ledger.audit, &mut writes);
            let PackedBox { packed: value, ledger, lints, .. } = packed;
            Ok(Step::Done(Outcome { value, writes, ledger, lints }))
        })
    }
}
