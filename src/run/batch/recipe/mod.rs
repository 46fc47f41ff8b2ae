//! The dispatch of a recipe: one commit packs the contexts and starts the turns.

mod answer;
mod reads;

pub use answer::{HandOutAnswer, HandOutResult, Handover};

use crate::agents::Setup;
use crate::agents::recipe::{
    AskExpert, Caller, DelegateAsync, DispatchRequest, ForkJoin, Forked, Handed, LaunchPrincipal,
};
use crate::rule::{Outcome, Rule, Step};
use crate::run::batch::create::{BatchRequest, TaskSpec, create, want_start};
use crate::run::batch::dispatch::activate;
use crate::run::queue::boxes::want_free;
use crate::run::queue::dispatch::{DispatchTurn, Dispatched, dispatch};
use crate::run::queue::promote::want_promotion;
use crate::run::rows::{Head, Roster};
use crate::run::terms::RunTerms;
use crate::run::transaction::{Run, Stop, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::trace;
use crate::run::wire::trace::Headers;
use crate::store::{Agent, BoxChange, Expectation, Lookup, Reads, Snapshot, Version, Writes};
use crate::value::arguments::{Loose, OrText, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, listed};
use crate::value::limits::within;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use reads::{add_agent, add_profile};

/// A call of a recipe to dispatch: `{"call": {"op": "delegate_async", ..}, ..}`.
///
/// Nothing is written unless the call is accepted. A repeated `fork_join` writes nothing either; it
/// returns the batch of the first call.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::run::{HandOut, HandOutResult, Handover};
/// use tuckbox::{Env, Timestamp, json, rule};
/// # use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
/// # let mut store = MemoryStore::new();
/// # let lead = Profile { delegation_policy: json!({"target_profiles": ["Writer"]}), ..Profile::new("Lead", "pb_lead") };
/// # let writer = Profile { worker_target: Some("generic".into()), ..Profile::new("Writer", "pb_writer") };
/// # store.project("p1").add_profile(lead).add_profile(writer).add_agent(Agent::new("ann", "pb_lead"));
/// # store.project("p1").add_box("pb_lead", []).add_box("pb_writer", []);
///
/// let call = json!({"op": "delegate_async", "source_agent_id": "ann", "arguments": {
///     "target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it."}});
/// let call = json!({"call": call, "parent_agent_turn_id": "t1", "headers": {"CG-Recursion-Depth": "0"}});
/// let call = HandOut::from_json(&call, &Setup::default())?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let answer = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// let Some(Handover::One(handed)) = answer.handed else { panic!() };
/// assert_eq!(handed.instruction.as_deref(), Some("Draft it."));
/// let HandOutResult::Turn(turn) = answer.result else { panic!() };
/// assert_eq!(turn.status, "accepted");
///
/// let error = HandOut::from_json(&json!({"call": {"op": "create_box"}}), &Setup::default()).err().unwrap();
/// assert_eq!(error.path().to_string(), "call.op");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct HandOut {
    recipe: Recipe,
    parent: Parent,
    terms: RunTerms,
}

/// A call of a recipe that can be dispatched.
type RecipeCall = Json;

shape! {
    /// A call of a recipe that can be dispatched.
    #[serde(tag = "op", rename_all = "snake_case")]
    pub enum RecipeCall {
        DelegateAsync(crate::agents::recipe::DelegateAsync),
        LaunchPrincipal(crate::agents::recipe::LaunchPrincipal),
        AskExpert(crate::agents::recipe::AskExpert),
        ForkJoin(crate::agents::recipe::ForkJoin),
    }

    fn hand_out(arguments: HandOutArguments) -> HandOutAnswer;
}

arguments! {
    /// Packs by a recipe and dispatches the result in one batch. A `fork_join` answers a tool call, so it
    /// needs the turn, its epoch and the call. A refusal writes nothing.
    pub(super) struct HandOutArguments {
        /// The call of the recipe.
        pub call: OrText<Loose<RecipeCall>>,
        /// The channel of the turn.
        pub channel_id: Option<String>,
        /// The headers of the turn.
        pub headers: Headers = Headers::default(),
        /// The trace of the turn.
        pub trace_id: Option<String>,
        /// The turn that calls the recipe.
        pub parent_agent_turn_id: Option<String>,
        /// The epoch of the turn.
        pub parent_turn_epoch: i64 = 0,
        /// The tool call of the turn.
        pub parent_tool_call_id: Option<String>,
        /// The step of the turn.
        pub parent_step_id: Option<String>,
        shared terms: RunTerms,
    }
}

/// A recipe that can be dispatched.
enum Recipe {
    Delegate(DelegateAsync),
    Launch(LaunchPrincipal),
    Ask(AskExpert),
    Fork(ForkJoin),
}

/// The turn that calls the recipe.
struct Parent {
    channel_id: String,
    headers: Object,
    trace_id: Option<String>,
    agent_turn_id: Option<String>,
    turn_epoch: i64,
    tool_call_id: Option<String>,
    step_id: Option<String>,
}

impl Parent {
    fn new(call: HandOutArguments) -> Self {
        let text = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            channel_id: text(call.channel_id).unwrap_or_else(|| "public".into()),
            headers: call.headers.0,
            trace_id: text(call.trace_id),
            agent_turn_id: text(call.parent_agent_turn_id),
            turn_epoch: call.parent_turn_epoch,
            tool_call_id: text(call.parent_tool_call_id),
            step_id: text(call.parent_step_id),
        }
    }

    /// Returns the batch request of this turn, without tasks.
    fn batch_request(&self, source_agent_id: &str) -> BatchRequest {
        BatchRequest {
            source_agent_id: source_agent_id.to_owned(),
            channel_id: Some(self.channel_id.clone()),
            parent_agent_turn_id: self.agent_turn_id.clone().unwrap_or_default(),
            parent_turn_epoch: self.turn_epoch,
            parent_tool_call_id: self.tool_call_id.clone().unwrap_or_default(),
            parent_step_id: self.step_id.clone(),
            ..BatchRequest::default()
        }
    }
}

impl Recipe {
    const NAMES: [&str; 4] = ["delegate_async", "launch_principal", "ask_expert", "fork_join"];

    fn read(call: &Json, setup: &Setup) -> Result<Self> {
        let name = Self::name(call).map_err(|error| error.under("call"))?;
        let defaults = &setup.defaults;
        Ok(match name {
            "delegate_async" => {
                Self::Delegate(DelegateAsync::from_json(call)?.with_defaults(defaults))
            }
            "launch_principal" => {
                Self::Launch(LaunchPrincipal::from_json(call)?.with_defaults(defaults))
            }
            "ask_expert" => Self::Ask(AskExpert::from_json(call)?.with_defaults(defaults)),
            _ => Self::Fork(ForkJoin::from_json(call)?.with_defaults(defaults)),
        })
    }

    /// Returns the name of the recipe.
    fn name(call: &Json) -> Result<&str> {
        let op = Field::root(call).object()?.required("op")?;
        let name = op.string()?;
        if Self::NAMES.contains(&name) {
            return Ok(name);
        }
        let known = listed(&Self::NAMES);
        Err(op.error(format!("unknown recipe `{name}`; expected one of {known}")))
    }

    fn caller(&self) -> &Caller {
        match self {
            Self::Delegate(rule) => &rule.caller,
            Self::Launch(rule) => &rule.caller,
            Self::Ask(rule) => &rule.caller,
            Self::Fork(rule) => &rule.caller,
        }
    }

    /// Returns the agents that the call names.
    fn agents(&self) -> Vec<&str> {
        match self {
            Self::Delegate(rule) => rule.agents(),
            Self::Launch(LaunchPrincipal { caller, .. }) | Self::Ask(AskExpert { caller, .. }) => {
                caller.agent_id().into_iter().collect()
            }
            Self::Fork(rule) => rule.agents(),
        }
    }

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Handover>>> {
        let one = match self {
            Self::Delegate(rule) => rule.step(snapshot, env)?,
            Self::Launch(rule) => rule.step(snapshot, env)?,
            Self::Ask(rule) => rule.step(snapshot, env)?,
            Self::Fork(rule) => {
                let many = rule.step(snapshot, env)?;
                return Ok(many.map(|outcome| outcome.map(Handover::Many)));
            }
        };
        Ok(one.map(|outcome| outcome.map(Handover::One)))
    }
}

impl HandOut {
    /// Reads the call.
    ///
    /// # Errors
    /// `bad_request` if `call` is not a call of a recipe, or an argument is unknown.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = HandOutArguments::from_json(json)?;
        let recipe = Recipe::read(&call.call, setup)?;
        let mut terms = call.terms.clone();
        terms.set_defaults(&setup.defaults);
        Ok(Self { recipe, parent: Parent::new(call), terms })
    }

    fn sender(&self) -> &str {
        &self.recipe.caller().source_agent_id
    }

    /// Returns the depth of a child: that of its request, or one below the turn of its caller.
    fn depth(&self, tx: &mut Transaction<'_>, request: &DispatchRequest) -> Run<i64> {
        if let Some(depth) = request.recursion_depth {
            return Ok(i64::try_from(depth).unwrap_or(i64::MAX));
        }
        let head = tx.get::<Head>(&[self.sender().trim()])?;
        Ok(head.map_or(0, |head| head.active_recursion_depth).saturating_add(1))
    }

    /// Dispatches one turn.
    fn dispatch(&self, tx: &mut Transaction<'_>, handed: Handed) -> Run<HandOutAnswer> {
        let request = &handed.dispatch;
        let depth = self.depth(tx, request)?;
        let mut headers = self.parent.headers.clone();
        headers.insert("CG-Recursion-Depth".into(), depth.to_string().into());
        let context_box_id = request.context_box_id.as_str().to_owned();
        let call = DispatchTurn {
            channel_id: self.parent.channel_id.clone(),
            agent_id: request.target_agent_id.as_str().to_owned(),
            profile_box_id: request.profile_box_id.as_str().to_owned(),
            context_box_id: Some(context_box_id.clone()),
            output_box_id: request.output_box_id.as_ref().map(|id| id.as_str().to_owned()),
            headers: headers.into(),
            parent_agent_turn_id: self.parent.agent_turn_id.clone(),
            parent_tool_call_id: self.parent.tool_call_id.clone(),
            parent_step_id: self.parent.step_id.clone(),
            display_name: Some(request.display_name.clone()),
            emit_state_event: true,
            publish_turn: true,
            ..DispatchTurn::default()
        };
        let dispatched = dispatch(tx, &call)?;
        let agent_id = Some(call.agent_id);
        let result = if dispatched.status == "accepted" {
            Dispatched { agent_id, context_box_id: Some(context_box_id), ..dispatched }
        } else {
            // a refused call writes no turn and no box, so it names none
            let Dispatched { status, error_code, trace_id, .. } = dispatched;
            Dispatched { status, error_code, agent_id, trace_id, ..Dispatched::default() }
        };
        let (handed, result) = (Some(Handover::One(handed)), HandOutResult::Turn(result));
        Ok(HandOutAnswer { handed, result, defer_resume: false })
    }

    /// Creates and starts a batch.
    fn fork(&self, tx: &mut Transaction<'_>, forked: Forked) -> Run<HandOutAnswer> {
        let mut depth = 0;
        for task in &forked.tasks {
            depth = self.depth(tx, &task.handed.dispatch)?;
        }
        #[allow(clippy::cast_possible_truncation)]
        let seconds = forked.deadline_seconds.map(|seconds| seconds.ceil() as i64);
        let suffix = self.recipe.caller().tool_suffix.as_deref();
        let request = BatchRequest {
            tool_suffix: present(suffix).map(str::to_owned),
            structured_output: Some(forked.structured_output.to_owned()),
            fail_fast: forked.fail_fast,
            deadline_seconds: seconds,
            trace_id: self.parent.trace_id.clone(),
            parent_traceparent: trace::header(&self.parent.headers, "traceparent"),
            recursion_depth: Some((depth - 1).max(0)),
            task_specs: task_specs(&forked),
            ..self.parent.batch_request(self.sender())
        };
        if request.parent_tool_call_id.is_empty() || request.parent_agent_turn_id.is_empty() {
            let text = "a batch answers a tool call: set `parent_agent_turn_id`, \
                        `parent_turn_epoch` and `parent_tool_call_id`";
            return Err(Error::bad_request(text)
                .at(Path::root().key("parent_tool_call_id"))
                .into());
        }
        let (batch, tasks) = create(tx, &request)?;
        let result = HandOutResult::Batch {
            status: "accepted",
            batch_id: batch.batch_id.clone(),
            task_count: batch.task_count,
        };
        let is_new = !tasks.is_empty();
        if is_new {
            activate(tx, batch, tasks, None)?;
        }
        let handed = is_new.then_some(Handover::Many(forked));
        Ok(HandOutAnswer { handed, result, defer_resume: true })
    }

    /// Adds to the reads of the recipe everything that the dispatch reads. The agents are known before
    /// anything is packed, so both take two rounds together.
    fn with_own(&self, reads: &Reads, snapshot: &Snapshot, env: &Env) -> Reads {
        let mut tx = self.terms.transaction(snapshot, env);
        let mut named = Reads::new(snapshot.project_id().clone());
        let sender = self.sender();
        for agent in self.recipe.agents() {
            want_promotion(&mut tx, agent);
            add_agent(&mut named, agent);
            add_profile(&mut named, snapshot, agent, agent == sender.trim());
            // an agent that is reused keeps its output
            if let Lookup::Present(agent) = snapshot.agent(agent)
                && let Some(output) = agent.current_output_box_id()
            {
                want_free(&mut tx, None, Some(output.as_str()));
            }
        }
        if self.parent.tool_call_id.is_some() {
            want_start(&mut tx, &self.parent.batch_request(sender));
        }
        let mut all = snapshot.unread_following(&named);
        all.extend(&tx.into_needs()).extend(reads);
        all
    }

    fn run(
        &self,
        tx: &mut Transaction<'_>,
        handed: Handover,
        agents: &[Agent],
    ) -> Run<HandOutAnswer> {
        for agent in agents {
            let id = agent.agent_id.as_str();
            tx.made(id);
            let row = Roster {
                agent_id: id.to_owned(),
                in_roster: Some(true),
                profile_box_id: agent.profile_box_id.as_ref().map(|id| id.as_str().to_owned()),
                worker_target: agent.worker_target.clone(),
                tags: Some(Json::from(agent.tags.clone())),
                display_name: agent.display_name.clone(),
                status: Some("active".into()),
                created_at: Some(tx.now()),
                ..Roster::default()
            };
            tx.put(&row, "hand_out", "a receiver that the recipe made")?;
        }
        match handed {
            Handover::One(handed) => self.dispatch(tx, handed),
            Handover::Many(forked) => self.fork(tx, forked),
        }
    }
}

fn task_specs(forked: &Forked) -> Vec<TaskSpec> {
    let spec = |task: &crate::agents::recipe::ForkedTask| {
        let (handed, request) = (&task.handed, &task.handed.dispatch);
        TaskSpec {
            agent_id: Some(request.target_agent_id.as_str().to_owned()),
            profile_box_id: Some(request.profile_box_id.as_str().to_owned()),
            context_box_id: Some(request.context_box_id.as_str().to_owned()),
            output_box_id: request.output_box_id.as_ref().map(|id| id.as_str().to_owned()),
            task_args: Some(Json::Object(object! {
                "task_index" => task.task_index, "label" => task.label.as_str(),
                "instruction" => handed.instruction.clone(),
                "target_strategy" => handed.target_strategy.as_str(),
                "target_ref" => handed.target_ref.as_str(),
                "profile_name" => handed.profile_name.as_str(),
            })),
            ..TaskSpec::default()
        }
    };
    forked.tasks.iter().map(spec).collect()
}

/// Adds the writes of the dispatch to those of the recipe.
fn merged(mut writes: Writes, more: Writes) -> Writes {
    let made: StrMap<()> =
        writes.boxes.iter().map(|change| (change.box_id().as_str(), ())).collect();
    let name = |of: &Expectation| format!("{} {}", of.table, of.id());
    let mut known: StrMap<Option<&Version>> = StrMap::new();
    for expected in &writes.expects {
        known.insert(name(expected), expected.version.as_ref());
    }
    let is_new = |expected: &Expectation| {
        let of_made = expected.key.first().is_some_and(|first| made.contains_key(first));
        !of_made && known.get(&name(expected)) != Some(&expected.version.as_ref())
    };
    let added: Vec<Expectation> = more.expects.into_iter().filter(is_new).collect();
    // the dispatch writes new agents as rows of the roster
    writes.agents.clear();
    writes.cards.extend(more.cards);
    writes.boxes.extend(more.boxes);
    writes.rows.extend(more.rows);
    writes.expects.extend(added);
    writes
}

impl Rule for HandOut {
    type Value = HandOutAnswer;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<HandOutAnswer>>> {
        let packed = match self.recipe.step(snapshot, env)? {
            Step::Need(reads) => return Ok(Step::Need(self.with_own(&reads, snapshot, env))),
            Step::Done(packed) => packed,
        };
        let Outcome { value: handed, writes, mut ledger, lints } = packed;
        let ids = writes.boxes.iter().map(|change| match change {
            BoxChange::Create { card_box } => card_box.card_ids.len(),
            BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. } => 0,
        });
        let what = "the call returns {} card ids";
        let path = Path::root().key("call");
        within(ids.sum(), self.terms.limits.max_values, "max_values", what, &path)?;
        let mut after = snapshot.clone();
        after.apply(&writes);
        // the recipe used the ids of the call, so the dispatch has others
        let mut entropy = env.entropy;
        entropy.iter_mut().for_each(|byte| *byte ^= 0x5A);
        let own = Env::new(env.now, entropy);
        let mut tx = self.terms.transaction(&after, &own);
        for change in &writes.boxes {
            tx.made(change.box_id().as_str());
        }
        let value = match self.run(&mut tx, handed, &writes.agents) {
            Ok(value) => value,
            Err(Stop::Need) => return Ok(tx.need()),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let (more, transitions) = tx.done()?;
        let writes = if value.writes() {
            ledger.transitions = transitions;
            merged(writes, more)
        } else {
            Writes::new(writes.project_id, writes.operation_id, writes.at)
        };
        Ok(Step::Done(Outcome { value, writes, ledger, lints }))
    }
}
