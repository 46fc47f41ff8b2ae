//! The boxes of an agent: its current output, and those that it can pass on.

use super::text;
use crate::rule::audit::Authority;
use crate::rule::{Cursor, Defaults, Dialect, Grants, Outcome, Rule, Step, Warrant, ready};
use crate::store::{Agent, Kind, Presence, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::Json;
use crate::value::str_map::Keys;
use crate::{Error, Path, Result};
use serde::Serialize;

impl Agent {
    /// Returns the box that the agent writes to: that of its running turn, or that of the last one.
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
}

fn named(id: &BoxId) -> bool {
    !id.as_str().is_empty()
}

/// Returns the error for an agent without an output box.
pub(super) fn no_output(agent_id: &str, path: Path) -> Error {
    Error::bad_request(format!("agent `{agent_id}` has no output box to pass on"))
        .at(path)
        .detail("agent_id", agent_id)
}

/// Rejects a box that does not exist, or adds it to the reads.
pub(super) fn existing(cursor: &mut Cursor<'_>, box_id: &str, path: &Path) -> Result<()> {
    match cursor.card_box(box_id)? {
        Presence::Read(Some(_)) | Presence::Unread => Ok(()),
        Presence::Read(None) => Err(Error::not_found(format!(
            "no box `{box_id}` in project `{}`",
            cursor.snapshot().project_id()
        ))
        .at(path.clone())
        .detail("box_id", box_id)),
    }
}

arguments! {
    /// Returns the box that an agent writes to.
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
}

/// The box that an agent writes to.
///
/// Shown by the example of [`ResolveOutputBox`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputBox {
    /// The box.
    pub output_box_id: BoxId,
}

impl Rule for ResolveOutputBox {
    type Value = OutputBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<OutputBox>>> {
        let mut cursor = Cursor::new(snapshot);
        let Presence::Read(agent) = cursor.agent(&self.agent_id)? else { return Ok(cursor.need()) };
        match agent.and_then(Agent::current_output_box_id) {
            None => Err(no_output(&self.agent_id, Path::root().key("agent_id"))),
            Some(id) => {
                let value = OutputBox { output_box_id: id.clone() };
                Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
            }
        }
    }
}

arguments! {
    /// Checks that an agent can pass on these boxes, and that they exist.
    ///
    /// ```
    /// use tuckbox::agents::recipe::ValidateBoxes;
    /// use tuckbox::json;
    /// # use tuckbox::store::{Agent, MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_agent(Agent::new("ann", "pb_lead")).add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ValidateBoxes::from_json(&json!({"source_agent_id": "ann", "box_ids": ["notes", "notes", ""]}))?;
    /// let valid = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(valid.box_ids, ["notes"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ValidateBoxes {
        /// The agent.
        pub source_agent_id: String,
        /// The boxes. A value that is not a string becomes one; an empty one is ignored.
        pub box_ids: Vec<Json>,
        /// Boxes that the host grants in addition to the agent's own. A project whose dialect checks
        /// authority ignores them, unless its setting `authority.granted_by` is `call`.
        pub authorized_box_ids: Vec<Json> = Vec::new(),
        /// The rule dialect. The dialect of the project by default.
        pub dialect: Option<Dialect>,
        setting grants: Grants,
    }
}

/// Boxes that can be passed on, each once.
///
/// Shown by the example of [`ValidateBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValidBoxes {
    /// The boxes, in order.
    pub box_ids: Vec<BoxId>,
}

impl ValidateBoxes {
    /// Returns the call with the dialect of a project where it has none.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Defaults) -> Self {
        self.dialect = Some(defaults.dialect_of(self.dialect));
        self.grants = defaults.grants();
        self
    }
}

impl Rule for ValidateBoxes {
    type Value = ValidBoxes;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ValidBoxes>>> {
        let dialect = self.dialect.unwrap_or_default();
        let agent_id = dialect.id(&self.source_agent_id, "source_agent_id")?;
        let mut cursor = Cursor::new(snapshot);
        let warrant = if dialect.checks_authority {
            let Presence::Read(agent) = cursor.agent(agent_id)? else { return Ok(cursor.need()) };
            let of_call = match self.grants {
                Grants::Every => self.authorized_box_ids.as_slice(),
                Grants::OwnAnd(_) => &[],
            };
            let of_call = of_call.iter().filter_map(|id| text::text(Some(id)));
            let of_call = of_call.map(|id| (BoxId::from(id), Authority::Granted));
            Warrant::own_and(&self.grants, agent, of_call)
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
            // errors come in order, so an unread box ends the checks
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
