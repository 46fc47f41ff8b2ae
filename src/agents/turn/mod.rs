//! What the model of one turn will see.
//!
//! A turn reads its context box and goes on with its output box, and sees nothing else. The boxes
//! are [merged](Side) by the dialect, the profile's prompt is filled in, result contracts are
//! lifted out of the list into the prompt, and what cannot be read is reported, never lost.
//! [`TurnView`] asks for all of that; [`Turn`] is the answer.
//!
//! ```
//! use tuckbox::value::json::{Field, Json, to_json};
//! use tuckbox::rule::preview;
//! use tuckbox::agents::Setup;
//! use tuckbox::store::{Agent, AgentState, MemoryStore, Snapshot};
//! use tuckbox::agents::turn::TurnView;
//! use tuckbox::{Card, Env, Timestamp};
//!
//! let card = |text: &str| Card::from_row(&Field::root(&Json::parse(text).unwrap())).unwrap();
//! let mut agent = Agent::new("wendy", "pb_writer");
//! agent.state = Some(AgentState { context_box_id: Some("ctx".into()), ..Default::default() });
//! let mut store = MemoryStore::new();
//! store
//!     .project("p1")
//!     .add_agent(agent)
//!     .add_box("pb_writer", ["prof"])
//!     .add_box("ctx", ["c1", "gone"])
//!     .add_card(card(r#"{"card_id": "prof", "metadata": {"type": "sys.profile"},
//!         "content": {"__type__": "JsonContent", "data": {
//!             "name": "Writer", "system_prompt_template": "You are {display_name}."}}}"#))
//!     .add_card(card(r#"{"card_id": "c1", "metadata": {"role": "user"},
//!         "content": {"__type__": "TextContent", "text": "Draft it."}}"#));
//!
//! let call = Json::parse(r#"{"agent_id": "wendy"}"#)?;
//! let rule = TurnView::from_json(&call, &Setup::default())?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let turn = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?.value;
//! assert_eq!(to_json(&turn.request)?.to_string(), r#"{"messages":[{"role":"system","content":"You are Writer."},{"role":"user","content":"Draft it."}]}"#);
//! assert_eq!(turn.missing[0].seat.card_id, "gone");
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! *Architecture invariant:* a view is a function of what is stored. It can stand on a snapshot, or
//! on a snapshot and a batch that is not committed yet, and shows the same bytes before and after.

mod merge;
mod profile;
mod recorded;
mod template;
mod view;

pub use merge::{Seat, Side, TurnBoxes, TurnCards};
pub use profile::TurnProfile;
pub use view::{MissingCard, Place, Request, ResultField, Turn, TurnEntry};

use crate::agents::Setup;
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Call, Cursor, Dialect, Outcome, Rule, Step, ready};
use crate::store::{Agent, Kind, Overlay, Snapshot, Writes};
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Json, Object};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};
use merge::Pair;
use profile::{Loading, Wanted};
use view::{Assembled, Frame, Sight};

/// Asks what the model of a turn will see: of an agent's turn, of explicit boxes, or of an agent
/// with other boxes.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::agents::turn::{Side, TurnView};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::Field;
/// # use tuckbox::{Card, Env, Timestamp, json, rule};
/// # let card = |wire| Card::from_row(&Field::root(&wire)).unwrap();
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("pb_writer", ["prof"]).add_box("ctx", ["n1", "want"]).add_box("out", ["n2"])
/// #     .add_card(card(json!({"card_id": "prof", "metadata": {"type": "sys.profile"}, "content": {"__type__": "JsonContent", "data": {
/// #         "name": "Writer", "system_prompt_template": "You write."}}})))
/// #     .add_card(card(json!({"card_id": "want", "metadata": {"type": "task.result_fields"}, "content": {"__type__": "FieldsSchemaContent",
/// #         "fields": [{"name": "total", "description": "in cents"}]}})))
/// #     .add_card(card(json!({"card_id": "n1", "metadata": {"role": "user"}, "content": {"__type__": "TextContent", "text": "Add it up."}})))
/// #     .add_card(card(json!({"card_id": "n2", "metadata": {"role": "assistant"}, "content": {"__type__": "TextContent", "text": "I begin."}})));
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let boxes = json!({"context_box_id": "ctx", "output_box_id": "out", "profile_box_id": "pb_writer"});
/// let call = TurnView::from_json(&boxes, &Setup::default())?;
/// let turn = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(turn.profile.unwrap().name, "Writer");
/// assert_eq!(turn.result_fields[0].description, "in cents", "the fields that are wanted stand in the prompt");
/// let last = turn.entries.last().unwrap();
/// assert_eq!((last.card_id.as_str(), last.seat.as_ref().unwrap().side), ("n2", Side::Output));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnView {
    /// Whose turn. Its state tells the boxes and the profile that are not given here.
    pub agent_id: Option<AgentId>,
    /// What the turn reads.
    pub context_box_id: Option<BoxId>,
    /// What the turn has put out.
    pub output_box_id: Option<BoxId>,
    /// The profile under which it runs.
    pub profile_box_id: Option<BoxId>,
    /// How people call the agent.
    pub display_name: Option<String>,
    /// Whom the agent may hand over to, in words, for the prompt.
    pub downstream_desc: Option<String>,
    /// The tools that the host offers; the profile chooses among them.
    pub tools: Vec<Object>,
    /// What the host puts behind the prompt.
    pub system_append: Option<String>,
    /// Whether what is seen is kept: the prompt and the tools as cards, the rest by ids and versions,
    /// to be committed when the turn starts.
    pub record: bool,
    /// A view that was recorded, to be shown again; then nothing else is given.
    pub recorded: Option<String>,
    /// The rule dialect.
    pub dialect: Dialect,
    /// What a recorded card may hold.
    pub limits: Limits,
}

impl TurnView {
    /// The keys of a call.
    const KEYS: [&'static str; 13] = [
        "op",
        "after",
        "agent_id",
        "context_box_id",
        "output_box_id",
        "profile_box_id",
        "display_name",
        "downstream_desc",
        "tools",
        "system_append",
        "record",
        "recorded",
        "dialect",
    ];

    /// Reads `{"agent_id"?, "context_box_id"?, "output_box_id"?, "profile_box_id"?,
    /// "display_name"?, "downstream_desc"?, "tools"?, "system_append"?, "record"?, "dialect"?}`, or
    /// `{"recorded"}` alone.
    ///
    /// # Errors
    /// `bad_request` with the path of what is mistyped or unknown, or when the call names neither
    /// an agent nor a box.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&Self::KEYS)?;
        let text = |key| -> Result<Option<&str>> {
            call.optional(key).map(|field| field.string()).transpose()
        };
        if let Some(recorded) = call.optional("recorded") {
            for key in Self::KEYS.into_iter().filter(|key| !["op", "recorded"].contains(key)) {
                if let Some(given) = call.optional(key) {
                    return Err(given.error(format!(
                        "a recorded view is what it was: `{key}` changes nothing"
                    )));
                }
            }
            return Ok(Self { recorded: Some(recorded.string()?.to_owned()), ..Self::default() });
        }
        let tools = match call.optional("tools") {
            Some(tools) => tools.list()?,
            None => Vec::new(),
        };
        let view = Self {
            agent_id: text("agent_id")?.map(AgentId::from),
            context_box_id: text("context_box_id")?.map(BoxId::from),
            output_box_id: text("output_box_id")?.map(BoxId::from),
            profile_box_id: text("profile_box_id")?.map(BoxId::from),
            display_name: text("display_name")?.map(str::to_owned),
            downstream_desc: text("downstream_desc")?.map(str::to_owned),
            tools: tools
                .iter()
                .map(|tool| tool.object().map(|tool| tool.json().clone()))
                .collect::<Result<_>>()?,
            system_append: text("system_append")?.map(str::to_owned),
            recorded: None,
            record: call.optional("record").map_or(Ok(false), |field| field.boolean())?,
            dialect: match call.optional("dialect") {
                Some(dialect) => Dialect::from_json(Some(dialect))?,
                None => setup.defaults.dialect,
            },
            limits: setup.defaults.limits,
        };
        let names_something = view.agent_id.is_some()
            || view.context_box_id.is_some()
            || view.output_box_id.is_some()
            || view.profile_box_id.is_some();
        match names_something {
            true => Ok(view),
            false => Err(Field::root(json).error("name an agent or a box to look at")),
        }
    }

    /// The view of a project as `overlay` shows it.
    pub(crate) fn look(&self, overlay: &Overlay<'_>, env: &Env) -> Result<Step<Outcome<Turn>>> {
        if let Some(view_id) = &self.recorded {
            return recorded::replay(view_id, overlay.snapshot(), env);
        }
        let project_id = overlay.snapshot().project_id();
        let mut cursor = Cursor::over(overlay);
        let head = self.agent_id.as_ref().filter(|_| self.record).map(recorded::head);
        if let Some(head) = &head {
            cursor.want_row(head);
        }
        let Some(agent) = self.agent(&mut cursor)? else {
            self.name_boxes(&mut cursor);
            return Ok(cursor.need());
        };
        let state = agent.and_then(|agent| agent.state.as_ref());
        // an empty id says: none, whatever the state says
        let of_state = |given: &Option<BoxId>, of: Option<&BoxId>| {
            given.clone().or(of.cloned()).filter(|id| !id.as_str().is_empty())
        };
        let pair = Pair {
            context_box_id: of_state(
                &self.context_box_id,
                state.and_then(|state| state.context_box_id.as_ref()),
            ),
            output_box_id: of_state(
                &self.output_box_id,
                state.and_then(|state| state.output_box_id.as_ref()),
            ),
        };
        let named = |id: &&BoxId| !id.as_str().is_empty();
        let profile_box_id = self
            .profile_box_id
            .as_ref()
            .filter(named)
            .or_else(|| state.and_then(|state| state.profile_box_id.as_ref()).filter(named))
            .or_else(|| agent.and_then(|agent| agent.profile_box_id.as_ref()));

        let mut lints = Vec::new();
        let merged = pair.merge(&mut cursor, self.dialect)?;
        let merged = merged.map(|merged| {
            let cards = view::look_up(&merged, overlay, &mut cursor);
            (merged, cards)
        });
        let wanted = Wanted {
            profile_box_id,
            agent_id: self.agent_id.as_ref(),
            agent,
            display_name: self.display_name.as_deref(),
            downstream_desc: self.downstream_desc.as_deref(),
        };
        let loading = wanted.load(&mut cursor, env, &mut lints)?;
        let Some((merged, looked_up)) = merged.filter(|_| !cursor.waits()) else {
            return Ok(cursor.need());
        };
        let (profile, prompt) = match loading {
            Loading::Need => return Ok(cursor.need()),
            Loading::None => (None, None),
            Loading::Done(loaded) => (Some(loaded.profile), Some(loaded.prompt)),
        };
        let (tools, tools_left_out) = profile::allowed(&self.tools, profile.as_ref());
        let frame = Frame {
            agent_id: self.agent_id.clone(),
            profile,
            prompt,
            tools,
            tools_left_out,
            system_append: self.system_append.as_deref(),
            record: self.record,
            limits: self.limits,
        };
        let Assembled { mut turn, cards, lints: seen } =
            view::assemble(frame, merged, looked_up, overlay, Sight::Now(env))?;
        turn.context_box_id.clone_from(&pair.context_box_id);
        turn.output_box_id.clone_from(&pair.output_box_id);
        lints.extend(seen);
        let operation_id = env.minter().operation_id();
        let mut writes = Writes::new(project_id.clone(), operation_id.as_str(), env.now);
        if self.record {
            turn.view_id = Some(operation_id);
            let row = recorded::keep(&turn, &cards, &pair, self.dialect, overlay, env)?;
            writes.rows.push(row);
            // a record names the turn that the agent is in
            writes.expects.extend(head.and_then(|of| overlay.snapshot().row_expectation(&of)));
        }
        writes.cards = cards;
        Ok(Step::Done(Outcome { value: turn, writes, ledger: Ledger::default(), lints }))
    }

    /// Whose turn it is, if anybody's; nothing while the agent is still to be read.
    fn agent<'a>(&self, cursor: &mut Cursor<'a>) -> Result<Option<Option<&'a Agent>>> {
        let Some(agent_id) = &self.agent_id else { return Ok(Some(None)) };
        match cursor.agent(agent_id.as_str())? {
            known @ (Some(Some(_)) | None) => Ok(known),
            Some(None) => Err(Error::not_found(format!(
                "no agent `{agent_id}` in project `{}`",
                cursor.snapshot().project_id()
            ))
            .at(Path::root().key("agent_id"))
            .detail("agent_id", agent_id.as_str())),
        }
    }

    /// Names the boxes that are known before anything is read.
    fn name_boxes(&self, cursor: &mut Cursor<'_>) {
        let given = [&self.context_box_id, &self.output_box_id, &self.profile_box_id];
        for box_id in given.into_iter().flatten().filter(|id| !id.as_str().is_empty()) {
            cursor.want(Kind::Boxes, box_id.as_str());
        }
    }
}

impl Rule for TurnView {
    type Value = Turn;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Turn>>> {
        self.look(&Overlay::of(snapshot), env)
    }
}

/// A [`TurnView`] as it will be once another call is committed.
///
/// What the receiver of a delegation will see, before anything happens:
///
/// ```
/// use tuckbox::rule::preview;
/// use tuckbox::agents::Setup;
/// use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
/// use tuckbox::agents::turn::{TurnAfter, TurnView};
/// use tuckbox::agents::recipe::DelegateAsync;
/// use tuckbox::{Env, Json, Timestamp};
///
/// let mut lead = Profile::new("Lead", "pb_lead");
/// lead.delegation_policy = Json::parse("{}")?;
/// let mut store = MemoryStore::new();
/// store
///     .project("p1")
///     .add_profile(lead)
///     .add_profile(Profile::new("Writer", "pb_writer"))
///     .add_agent(Agent::new("agent_a", "pb_lead"));
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let mut snapshot = Snapshot::new("p1".into());
///
/// let delegate = r#"{"op": "delegate_async", "source_agent_id": "agent_a", "arguments": {
///     "target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it."}}"#;
/// let rule = DelegateAsync::from_json(&Json::parse(delegate)?, &Setup::default())?;
/// let delegated = preview(&rule, &mut snapshot, &env, &store)?;
/// let turn = format!(r#""context_box_id": "{}""#, delegated.value.dispatch.context_box_id);
///
/// let look = Json::parse(&format!(r#"{{{turn}, "after": {delegate}}}"#))?;
/// let look = TurnAfter::from_json(&look, &Setup::default())?;
/// let before = preview(&look, &mut snapshot, &env, &store)?.value;
/// assert_eq!(before.source_card_ids().len(), 2);           // the instruction and the pointer
///
/// store.commit(&delegated.writes)?;
/// let look = TurnView::from_json(&Json::parse(&format!("{{{turn}}}"))?, &Setup::default())?;
/// assert_eq!(preview(&look, &mut Snapshot::new("p1".into()), &env, &store)?.value, before);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct TurnAfter {
    call: Call,
    view: TurnView,
}

impl TurnAfter {
    /// Reads `{"after": {call}, ..}` and what [`TurnView::from_json`] reads.
    ///
    /// # Errors
    /// As there, and for `record`; a fault in the other call has its path below `after`.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let after = Field::root(json).object()?.required("after")?;
        let call = setup.read_call(after.json()).map_err(within_after)?;
        let view = TurnView::from_json(json, setup)?;
        if view.record {
            return Err(Error::bad_request("a turn that cannot start yet records no cards")
                .at(Path::root().key("record")));
        }
        Ok(Self { call, view })
    }
}

fn within_after(error: Error) -> Error {
    error.within(&Path::root().key("after"))
}

impl Rule for TurnAfter {
    type Value = Turn;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Turn>>> {
        let outcome = ready!(self.call.step(snapshot, env).map_err(within_after)?);
        let after = Overlay::after(snapshot, &outcome.writes);
        let mut turn = ready!(self.view.look(&after, env)?);
        let lints = outcome.lints.into_iter();
        let path = Path::root().key("after");
        turn.lints.extend(lints.map(|lint| Lint { path: path.join(&lint.path), ..lint }));
        Ok(Step::Done(turn))
    }
}
