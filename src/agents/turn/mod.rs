//! The request that the model of a turn gets.
//!
//! A turn reads its context box and continues its output box. The dialect decides how the boxes are
//! [merged](Side). The prompt of the profile is filled in, and result contracts move to the prompt.
//! Cards that cannot be read are reported. [`TurnView`] is the call; [`Turn`] is the answer.
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
//! *Architecture invariant:* a view is a function of a snapshot, or of a snapshot and a batch that
//! is not committed yet. It is the same before and after the commit.

mod merge;
mod profile;
mod recorded;
mod template;
mod view;

pub use merge::{Seat, Side, TurnBoxes, TurnCards};
pub use profile::TurnProfile;
pub use view::{MissingCard, Place, Request, ResultField, Turn, TurnEntry};

use crate::agents::Setup;
use crate::agents::setup::{AnyCall, Resolved};
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Call, Cursor, Dialect, Outcome, Rule, Step, ready};
use crate::store::{Agent, Kind, Overlay, Presence, Snapshot, Writes};
use crate::value::arguments::{Loose, OrText, arguments};
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Json, Object};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};
use merge::Pair;
use profile::{Loading, Wanted};
use view::{Assembled, Frame, Sight};

arguments! {
    /// The parts of a turn that the host adds.
    ///
    /// ```
    /// use tuckbox::agents::turn::{TurnFrame, TurnView};
    ///
    /// let frame = TurnFrame { system_append: Some("Be brief.".into()), ..TurnFrame::default() };
    /// assert_eq!(TurnView::from(frame).system_append.as_deref(), Some("Be brief."));
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TurnFrame {
        /// The tools that the host offers. The profile selects among them.
        pub tools: Vec<Object> = Vec::new(),
        /// The text to append to the system prompt.
        pub system_append: Option<String>,
        /// The description of the profiles that the agent can delegate to, for the prompt.
        pub downstream_desc: Option<String>,
    }

    /// A recorded view of a turn. It returns the same bytes, even after boxes and pointers change.
    pub(super) struct RecordedTurn {
        /// The `view_id` of a view with `record: true`.
        pub recorded: String,
    }

    /// A view of a turn as it is, or as it will be after a call.
    pub(super) struct LiveTurn {
        /// The agent. Its state has the boxes and the profile that the call does not set.
        pub agent_id: Option<String>,
        /// The box that the turn reads. An empty string means none.
        pub context_box_id: Option<String>,
        /// The box that the turn writes to. An empty string means none.
        pub output_box_id: Option<String>,
        /// The box of the profile. An empty string means that of the agent.
        pub profile_box_id: Option<String>,
        /// The display name of the agent.
        pub display_name: Option<String>,
        /// Stores the view: the prompt and the tools as cards, the rest by ids and versions. Commit
        /// it when the turn starts.
        pub record: bool = false,
        /// Stores the view under this id, as `record` does under a new one. An empty string means
        /// none.
        pub view_id: Option<String>,
        /// A call that is not committed. The view shows the turn as if it were.
        pub after: Option<OrText<Loose<AnyCall>>>,
        /// The rule dialect. The dialect of the project by default.
        pub dialect: Option<Dialect>,
        shared frame: TurnFrame,
    }
}

shape! {
    /// A view of a turn: a recorded one, or a live one of an agent or of explicit boxes.
    #[serde(untagged)]
    pub enum TurnViewArguments {
        Recorded(RecordedTurn),
        Live(NamedTurn),
    }

    pub struct NamedTurn {
        #[serde(flatten)]
        pub turn: LiveTurn,
        #[serde(flatten)]
        pub subject: TurnSubject,
        #[serde(flatten)]
        pub time: TurnTime,
    }

    #[serde(untagged)]
    pub enum TurnSubject {
        Agent { agent_id: String },
        Context { context_box_id: String },
        Output { output_box_id: String },
        Profile { profile_box_id: String },
    }

    #[serde(untagged)]
    pub enum TurnTime {
        Now { after: Maybe<()> },
        Later { record: Maybe<Option<Word<false>>>, view_id: Maybe<Option<Word<"">>> },
    }

    fn turn_view(arguments: TurnViewArguments);
}

/// Shows what the model of a turn sees: the turn of an agent, of explicit boxes, or of an agent with
/// other boxes.
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
/// assert_eq!(turn.result_fields[0].description, "in cents", "the required fields are in the prompt");
/// let last = turn.entries.last().unwrap();
/// assert_eq!((last.card_id.as_str(), last.seat.as_ref().unwrap().side), ("n2", Side::Output));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnView {
    /// The agent. Its state has the boxes and the profile that are not set here.
    pub agent_id: Option<AgentId>,
    /// The box that the turn reads.
    pub context_box_id: Option<BoxId>,
    /// The box that the turn writes to.
    pub output_box_id: Option<BoxId>,
    /// The box of the profile.
    pub profile_box_id: Option<BoxId>,
    /// The display name of the agent.
    pub display_name: Option<String>,
    /// The description of the profiles that the agent can delegate to, for the prompt.
    pub downstream_desc: Option<String>,
    /// The tools that the host offers. The profile selects among them.
    pub tools: Vec<Object>,
    /// The text to append to the system prompt.
    pub system_append: Option<String>,
    /// Stores the view: the prompt and the tools as cards, the rest by ids and versions. Commit it
    /// when the turn starts.
    pub record: bool,
    /// The id of the view to record. A new id by default.
    pub view_id: Option<String>,
    /// The id of a recorded view. It excludes all other fields.
    pub recorded: Option<String>,
    /// The rule dialect.
    pub dialect: Dialect,
    /// The limits of a recorded card.
    pub limits: Limits,
}

impl TurnView {
    /// Reads a call, without `after`: that is for [`TurnAfter`].
    ///
    /// # Errors
    /// `bad_request` with the path of a wrong value or an unknown key, or if the call has neither an
    /// agent nor a box.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        if let Some(RecordedTurn { recorded }) = RecordedTurn::of(json)? {
            return Ok(Self { recorded: Some(recorded), ..Self::default() });
        }
        Self::of(LiveTurn::from_json(json)?, setup)
    }

    fn of(turn: LiveTurn, setup: &Setup) -> Result<Self> {
        let view_id = turn.view_id.filter(|id| !id.is_empty());
        let view = Self {
            agent_id: turn.agent_id.map(AgentId::from),
            context_box_id: turn.context_box_id.map(BoxId::from),
            output_box_id: turn.output_box_id.map(BoxId::from),
            profile_box_id: turn.profile_box_id.map(BoxId::from),
            display_name: turn.display_name,
            record: turn.record || view_id.is_some(),
            view_id,
            dialect: turn.dialect.unwrap_or(setup.defaults.dialect),
            limits: setup.defaults.limits,
            ..Self::from(turn.frame)
        };
        let boxes = [&view.context_box_id, &view.output_box_id, &view.profile_box_id];
        if view.agent_id.is_none() && boxes.iter().all(|box_id| box_id.is_none()) {
            return Err(Error::bad_request(
                "expected `agent_id`, `context_box_id`, `output_box_id` or `profile_box_id`",
            )
            .at(Path::root().key("agent_id")));
        }
        Ok(view)
    }

    /// Returns the view of a project as `overlay` shows it.
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
        let Presence::Read(agent) = self.agent(&mut cursor)? else {
            self.name_boxes(&mut cursor);
            return Ok(cursor.need());
        };
        let pair = self.pair(agent);
        let mut lints = Vec::new();
        let merged = pair.merge(&mut cursor, self.dialect)?;
        let merged = merged.map(|merged| {
            let cards = view::look_up(&merged, overlay, &mut cursor);
            (merged, cards)
        });
        let wanted = Wanted {
            profile_box_id: self.profile_box(agent),
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
        lints.extend(profile::undescribed(&self.tools));
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
            turn.view_id = Some(self.view_id.clone().unwrap_or(operation_id));
            let row = recorded::keep(&turn, &cards, &pair, self.dialect, overlay, env)?;
            writes.rows.push(row);
            // a recorded view has the running turn of the agent
            writes.expects.extend(head.and_then(|of| overlay.snapshot().row_expectation(&of)));
        }
        writes.cards = cards;
        Ok(Step::Done(Outcome { value: turn, writes, ledger: Ledger::default(), lints }))
    }

    /// Returns the agent, if the call has one.
    fn agent<'a>(&self, cursor: &mut Cursor<'a>) -> Result<Presence<&'a Agent>> {
        let Some(agent_id) = &self.agent_id else { return Ok(Presence::Read(None)) };
        match cursor.agent(agent_id.as_str())? {
            known @ (Presence::Read(Some(_)) | Presence::Unread) => Ok(known),
            Presence::Read(None) => Err(Error::not_found(format!(
                "no agent `{agent_id}` in project `{}`",
                cursor.snapshot().project_id()
            ))
            .at(Path::root().key("agent_id"))
            .detail("agent_id", agent_id.as_str())),
        }
    }

    /// Returns the boxes of the turn. An empty id means none, regardless of the state.
    fn pair(&self, agent: Option<&Agent>) -> Pair {
        let state = agent.and_then(|agent| agent.state.as_ref());
        let of_state = |given: &Option<BoxId>, of: Option<&BoxId>| {
            given.clone().or(of.cloned()).filter(|id| !id.as_str().is_empty())
        };
        let (context, output) = match state {
            Some(state) => (state.context_box_id.as_ref(), state.output_box_id.as_ref()),
            None => (None, None),
        };
        Pair {
            context_box_id: of_state(&self.context_box_id, context),
            output_box_id: of_state(&self.output_box_id, output),
        }
    }

    /// Returns the box of the profile: that of the call, of the agent's state, or of the agent.
    fn profile_box<'a>(&'a self, agent: Option<&'a Agent>) -> Option<&'a BoxId> {
        let named = |id: &&BoxId| !id.as_str().is_empty();
        let state = agent.and_then(|agent| agent.state.as_ref());
        let given = self.profile_box_id.as_ref().filter(named);
        let of_state = state.and_then(|state| state.profile_box_id.as_ref()).filter(named);
        given.or(of_state).or_else(|| agent.and_then(|agent| agent.profile_box_id.as_ref()))
    }

    /// Requests the boxes that are known before anything is read.
    fn name_boxes(&self, cursor: &mut Cursor<'_>) {
        let given = [&self.context_box_id, &self.output_box_id, &self.profile_box_id];
        for box_id in given.into_iter().flatten().filter(|id| !id.as_str().is_empty()) {
            cursor.want(Kind::Boxes, box_id.as_str());
        }
    }
}

impl RecordedTurn {
    /// Reads a call that has `recorded`.
    fn of(json: &Json) -> Result<Option<Self>> {
        let is_recorded = json.get("recorded").is_some_and(|recorded| !recorded.is_null());
        is_recorded.then(|| Self::from_json(json)).transpose()
    }
}

impl From<TurnFrame> for TurnView {
    fn from(frame: TurnFrame) -> Self {
        let TurnFrame { tools, system_append, downstream_desc } = frame;
        Self { tools, system_append, downstream_desc, ..Self::default() }
    }
}

impl Rule for TurnView {
    type Value = Turn;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Turn>>> {
        self.look(&Overlay::of(snapshot), env)
    }
}

/// A [`TurnView`] as it will be after the commit of another call.
///
/// This shows what the receiver of a delegation will see:
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
/// let rule = DelegateAsync::from_json(&Json::parse(delegate)?)?;
/// let delegated = preview(&rule, &mut snapshot, &env, &store)?;
/// let turn = format!(r#""context_box_id": "{}""#, delegated.value.dispatch.context_box_id);
///
/// let look = Json::parse(&format!(r#"{{{turn}, "after": {delegate}}}"#))?;
/// let look = TurnAfter::from_json(&look, &Setup::default())?;
/// let before = preview(&look, &mut snapshot, &env, &store)?.value;
/// assert_eq!(before.source_card_ids().len(), 1); // the instruction
///
/// store.commit(&delegated.writes)?;
/// let look = TurnView::from_json(&Json::parse(&format!("{{{turn}}}"))?, &Setup::default())?;
/// assert_eq!(preview(&look, &mut Snapshot::new("p1".into()), &env, &store)?.value, before);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct TurnAfter {
    after: AnyCall,
    call: Resolved<Call>,
    view: TurnView,
    setup: Setup,
}

impl TurnAfter {
    /// Reads `after` and what [`TurnView::from_json`] reads.
    ///
    /// # Errors
    /// As there, and for `record`. The path of an error in the other call is below `after`.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        RecordedTurn::of(json)?;
        let mut turn = LiveTurn::from_json(json)?;
        let Some(after) = turn.after.take() else {
            return Err(within_after(Error::bad_request("`after` is missing")));
        };
        let view = TurnView::of(turn, setup)?;
        if view.record {
            return Err(Error::bad_request(
                "`record` must be `false` with `after`: the turn cannot start yet",
            )
            .at(Path::root().key("record")));
        }
        Ok(Self { after, call: Resolved::default(), view, setup: setup.clone() })
    }
}

fn within_after(error: Error) -> Error {
    error.within(&Path::root().key("after"))
}

impl Rule for TurnAfter {
    type Value = Turn;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Turn>>> {
        let call = self.call.get_or_make(|| self.setup.read_call(&self.after));
        let call = call.map_err(within_after)?;
        let outcome = ready!(call.step(snapshot, env).map_err(within_after)?);
        let after = Overlay::after(snapshot, &outcome.writes);
        let mut turn = ready!(self.view.look(&after, env)?);
        let lints = outcome.lints.into_iter();
        let path = Path::root().key("after");
        turn.lints.extend(lints.map(|lint| Lint { path: path.join(&lint.path), ..lint }));
        Ok(Step::Done(turn))
    }
}
