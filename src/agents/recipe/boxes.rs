//! The boxes of an agent: its current output, and those it may hand on.

use super::caller::Caller;
use super::text;
use crate::agents::Setup;
use crate::rule::audit::Authority;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Agent, Kind, Snapshot};
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Field, Json};
use crate::value::str_map::{Keys, StrMap};
use crate::{Error, Path, Result};
use serde::Serialize;

impl Agent {
    /// The box the agent writes to now: that of its turn while one is on, else the last one.
    ///
    /// ```
    /// use tuckbox::store::{Agent, AgentPointers, AgentState};
    ///
    /// let mut agent = Agent::new("a1", "pb");
    /// agent.pointers =
    ///     Some(AgentPointers { last_output_box_id: Some("last".into()), ..Default::default() });
    /// assert_eq!(agent.current_output_box_id().unwrap(), "last");
    ///
    /// let status = "running".to_owned();
    /// agent.state =
    ///     Some(AgentState { status, output_box_id: Some("now".into()), ..Default::default() });
    /// assert_eq!(agent.current_output_box_id().unwrap(), "now");
    /// ```
    pub fn current_output_box_id(&self) -> Option<&BoxId> {
        let active = self.state.as_ref().filter(|state| {
            matches!(state.status.as_str(), "dispatched" | "running" | "suspended")
        });
        let last = self.pointers.as_ref().and_then(|pointers| pointers.last_output_box_id.as_ref());
        active
            .and_then(|state| state.output_box_id.as_ref())
            .filter(|id| named(id))
            .or(last.filter(|id| named(id)))
    }

    /// The agent's own boxes, by the names of their columns.
    pub(super) fn own_boxes(&self) -> StrMap<&'static str> {
        let state = self.state.as_ref();
        let pointers = self.pointers.as_ref();
        let mut own = StrMap::new();
        for (as_what, id) in [
            ("profile_box_id", state.and_then(|state| state.profile_box_id.as_ref())),
            ("context_box_id", state.and_then(|state| state.context_box_id.as_ref())),
            ("output_box_id", state.and_then(|state| state.output_box_id.as_ref())),
            ("memory_context_box_id", pointers.and_then(|p| p.memory_context_box_id.as_ref())),
            ("last_output_box_id", pointers.and_then(|p| p.last_output_box_id.as_ref())),
        ] {
            if let Some(id) = id.filter(|id| named(id)) {
                own.insert_new(id.as_str(), as_what);
            }
        }
        own
    }
}

fn named(id: &BoxId) -> bool {
    !id.as_str().is_empty()
}

/// The error for an agent that has put out nothing yet.
pub(super) fn no_output(agent_id: &str, path: Path) -> Error {
    Error::bad_request(format!("agent `{agent_id}` has no output box to hand on"))
        .at(path)
        .detail("agent_id", agent_id)
}

/// Which boxes may be handed on, and why.
pub(super) enum Warrant {
    /// Any box of the project.
    Project,
    /// Only these.
    Only(StrMap<Authority>),
}

impl Warrant {
    /// The warrant of an agent under a dialect: its own boxes, and those that are granted besides.
    pub fn of(
        agent: Option<&Agent>,
        granted: impl IntoIterator<Item = (BoxId, Authority)>,
    ) -> Self {
        let own = agent.map(Agent::own_boxes).unwrap_or_default();
        let own = own.iter().map(|(box_id, as_what)| (box_id, Authority::Own { as_what }));
        let mut only: StrMap<_> = own.collect();
        for (box_id, authority) in granted {
            only.insert_new(box_id.as_str(), authority);
        }
        Self::Only(only)
    }

    /// Why the box may be handed on.
    pub fn check(&self, box_id: &str, agent_id: &str, path: &Path) -> Result<Authority> {
        match self {
            Self::Project => Ok(Authority::Project),
            Self::Only(boxes) => boxes.get(box_id).cloned().ok_or_else(|| {
                Error::bad_request(format!(
                    "agent `{agent_id}` may not hand on box `{box_id}`: it is none of its own"
                ))
                .at(path.clone())
                .detail("box_id", box_id)
            }),
        }
    }
}

/// A box that must be there, or the read that tells.
pub(super) fn existing(cursor: &mut Cursor<'_>, box_id: &str, path: &Path) -> Result<()> {
    match cursor.card_box(box_id)? {
        Some(Some(_)) | None => Ok(()),
        Some(None) => Err(Error::not_found(format!(
            "no box `{box_id}` in project `{}`",
            cursor.snapshot().project_id()
        ))
        .at(path.clone())
        .detail("box_id", box_id)),
    }
}

/// Asks which box an agent writes to now.
///
/// ```
/// use tuckbox::agents::recipe::ResolveOutputBox;
/// # use tuckbox::store::{Agent, AgentState, MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # let mut ann = Agent::new("ann", "pb_lead");
/// # ann.state = Some(AgentState { status: "running".into(), output_box_id: Some("out".into()), ..AgentState::default() });
/// # store.project("p1").add_agent(ann).add_box("out", ["n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = ResolveOutputBox { agent_id: "ann".into() };
/// let output = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(output.output_box_id, "out");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResolveOutputBox {
    /// The agent.
    pub agent_id: String,
}

/// The box an agent writes to now.
///
/// Shown by the example of [`ResolveOutputBox`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputBox {
    /// The box.
    pub output_box_id: BoxId,
}

impl ResolveOutputBox {
    /// Reads `{"agent_id"}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "agent_id"])?;
        Ok(Self { agent_id: call.required("agent_id")?.string()?.to_owned() })
    }
}

impl Rule for ResolveOutputBox {
    type Value = OutputBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<OutputBox>>> {
        let mut cursor = Cursor::new(snapshot);
        let Some(agent) = cursor.agent(&self.agent_id)? else { return Ok(cursor.need()) };
        match agent.and_then(Agent::current_output_box_id) {
            None => Err(no_output(&self.agent_id, Path::root().key("agent_id"))),
            Some(id) => {
                let value = OutputBox { output_box_id: id.clone() };
                Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
            }
        }
    }
}

/// Checks that an agent may hand on these boxes, and that they are there.
///
/// ```
/// use tuckbox::agents::recipe::{Caller, ValidateBoxes};
/// use tuckbox::json;
/// # use tuckbox::store::{Agent, MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_agent(Agent::new("ann", "pb_lead")).add_box("notes", ["n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = ValidateBoxes {
///     caller: Caller::new("ann"),
///     box_ids: vec![json!("notes"), json!("notes"), json!("")],
///     authorized_box_ids: vec![json!("notes")],
/// };
/// let valid = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(valid.box_ids, ["notes"]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateBoxes {
    /// Who hands on.
    pub caller: Caller,
    /// The boxes: text or numbers; what is empty does not count.
    pub box_ids: Vec<Json>,
    /// Boxes that the host grants besides the agent's own.
    pub authorized_box_ids: Vec<Json>,
}

/// Boxes that can be handed on, each once.
///
/// Shown by the example of [`ValidateBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValidBoxes {
    /// The boxes, in order.
    pub box_ids: Vec<BoxId>,
}

impl ValidateBoxes {
    /// Reads `{"source_agent_id", "box_ids": [..], "authorized_box_ids"?, "dialect"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "source_agent_id", "box_ids", "authorized_box_ids", "dialect"])?;
        let list = |field: Field<'_>| {
            Ok(field.list()?.iter().map(|item| item.json().clone()).collect::<Vec<_>>())
        };
        Ok(Self {
            caller: Caller::read(&call, setup)?,
            box_ids: list(call.required("box_ids")?)?,
            authorized_box_ids: call.optional("authorized_box_ids").map_or(Ok(Vec::new()), list)?,
        })
    }
}

impl Rule for ValidateBoxes {
    type Value = ValidBoxes;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ValidBoxes>>> {
        let agent_id = self.caller.agent_id()?;
        let mut cursor = Cursor::new(snapshot);
        let warrant = if self.caller.dialect.checks_authority {
            let Some(agent) = cursor.agent(agent_id)? else { return Ok(cursor.need()) };
            let granted = self.authorized_box_ids.iter().filter_map(|id| text::text(Some(id)));
            Warrant::of(agent, granted.map(|id| (BoxId::from(id), Authority::Granted)))
        } else {
            Warrant::Project
        };
        let mut box_ids = Keys::default();
        for (index, id) in self.box_ids.iter().enumerate() {
            let Some(id) = text::text(Some(id)) else { continue };
            if !box_ids.insert(id.as_str().into()) {
                continue;
            }
            let path = Path::root().key("box_ids").index(index);
            // what a box before this one says counts first, so an unread one ends the search
            if !cursor.waits() {
                warrant.check(&id, agent_id, &path)?;
                existing(&mut cursor, &id, &path)?;
            } else if warrant.check(&id, agent_id, &path).is_ok() {
                cursor.want(Kind::Boxes, &id);
            }
        }
        ready!(cursor.step());
        let value = ValidBoxes { box_ids: box_ids.iter().map(|id| BoxId::from(&**id)).collect() };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
