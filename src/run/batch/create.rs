//! The creation of a batch, with the agents that it needs.

use super::dispatch::{HostDispatches, activate};
use super::reads::{want_answer, want_task};
use super::result::{index_of, task_index};
use crate::run::queue::identity::{AgentDetails, AgentKind, AgentRequest, AgentSpec};
use crate::run::queue::roster::make_ready;
use crate::run::rows::{Batch, Roster, Task};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::trace;
use crate::value::arguments::{Loose, arguments};
use crate::value::hex::hex;
use crate::value::json::{Json, Object};
use crate::{Error, Path};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A limit above the number of batches of any turn.
const BATCHES_OF_A_TURN: usize = 64;

/// What a result does to the turn that waits for it.
type AfterResult = String;

shape! {
    /// What a result does to the turn that waits for it.
    pub type AfterResult = Word<"suspend", "terminate">;
}

arguments! {
    /// A task of a new batch.
    ///
    /// The example of [`CreateBatch`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TaskSpec {
        /// The agent of the task.
        pub agent_id: Option<String>,
        /// True to make an agent for the task.
        pub provision: bool = false,
        /// The box of the profile.
        pub profile_box_id: Loose<Option<String>>,
        /// The box of the context.
        pub context_box_id: Loose<Option<String>>,
        /// The box for the output. A new box by default.
        pub output_box_id: Option<String>,
        /// The arguments of the task: an object, or one value. Its `task_index` orders the results.
        pub task_args: Option<Json>,
        /// Values for the worker that runs the task.
        pub runtime_config: Option<Object>,
        /// More about an agent that the task makes.
        pub metadata: Option<Object>,
    }

    /// A batch of tasks for a turn that waits for them.
    ///
    /// The example of [`CreateBatch`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct BatchRequest {
        /// The agent that waits for the batch.
        pub source_agent_id: Loose<String> = String::new(),
        /// The turn that waits for the batch.
        pub parent_agent_turn_id: Loose<String> = String::new(),
        /// The epoch of the turn.
        pub parent_turn_epoch: Loose<i64> = 0,
        /// The tool call that the batch answers.
        pub parent_tool_call_id: Loose<String> = String::new(),
        /// The channel of the turn.
        pub channel_id: Option<String>,
        /// The step that made the call.
        pub parent_step_id: Option<String>,
        /// The step that the tasks belong to.
        pub lineage_parent_step_id: Option<String>,
        /// Whether the result continues or ends the turn.
        pub parent_after_execution: Option<Loose<AfterResult>>,
        /// The tool that was called.
        pub tool_suffix: Option<String>,
        /// The form of the results of the tasks: `tool_result` to add the results of tools.
        pub structured_output: Option<String>,
        /// True to end the batch with the first task that fails.
        pub fail_fast: bool = false,
        /// The time limit of the batch, in seconds.
        pub deadline_seconds: Option<i64>,
        /// The trace of the batch.
        pub trace_id: Option<String>,
        /// The span of the turn that waits.
        pub parent_traceparent: Option<String>,
        /// The depth of the turn that waits. A batch without it cannot start.
        pub recursion_depth: Option<i64>,
        /// The tasks.
        pub task_specs: Loose<Vec<TaskSpec>> = Vec::new(),
    }

    /// Creates a batch. With `activate` it also dispatches the tasks.
    ///
    /// ```
    /// use tuckbox::run::{CreateBatch, CreatedBatch};
    /// use tuckbox::store::{MemoryStore, Snapshot, table};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let mut store = MemoryStore::new();
    /// let agent = json!({"agent_id": "bob", "worker_target": "generic", "profile_box_id": "pb"});
    /// store.project("p1").add_row(&table::PROJECT_AGENTS, agent.as_object().unwrap().clone());
    /// let mut call = CreateBatch::from_json(&json!({"source_agent_id": "ann", "parent_agent_turn_id": "t1",
    ///     "parent_turn_epoch": 1, "parent_tool_call_id": "c1",
    ///     "task_specs": [{"agent_id": "bob", "profile_box_id": "pb", "context_box_id": "ctx"}]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// let CreatedBatch::Made { batch_id } = made.value else { panic!() };
    /// assert!(batch_id.starts_with("batch_"));
    ///
    /// call.request.task_specs.clear();
    /// let error = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store).unwrap_err();
    /// assert_eq!(error.path().to_string(), "task_specs");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct CreateBatch {
        /// True to dispatch the tasks in the same commit.
        pub activate: bool = false,
        shared request: BatchRequest,
        shared host: HostDispatches,
        shared terms: RunTerms,
    }
}

/// A batch that was created.
///
/// The example of [`CreateBatch`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CreatedBatch {
    /// Its tasks wait for `activate_batch`.
    Made {
        /// The batch.
        batch_id: String,
    },
    /// Its tasks were dispatched.
    Started {
        /// True.
        accepted: bool,
        /// The batch.
        batch_id: String,
        /// The number of its tasks.
        task_count: i64,
    },
}

shape! {
    /// A batch that was created. With `activate` its tasks were dispatched too.
    #[serde(untagged)]
    pub enum CreatedBatch {
        Made { batch_id: String },
        Started { accepted: Word<true>, batch_id: String, task_count: i64 },
    }
}

perform! {
    CreateBatch -> CreatedBatch { |call, tx| call.run(tx) }
}

impl CreateBatch {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<CreatedBatch> {
        if self.activate {
            want_start(tx, &self.request);
        }
        let (batch, tasks) = create(tx, &self.request)?;
        let (batch_id, task_count) = (batch.batch_id.clone(), batch.task_count);
        if !self.activate {
            return Ok(CreatedBatch::Made { batch_id });
        }
        if !tasks.is_empty() {
            activate(tx, batch, tasks, self.host.dispatch_results.as_deref())?;
        }
        Ok(CreatedBatch::Started { accepted: true, batch_id, task_count })
    }
}

impl TaskSpec {
    /// Returns one of the arguments of the task.
    fn arg(&self, key: &str) -> Option<&Json> {
        self.task_args.as_ref()?.get(key)
    }
}

fn wrong(at: usize, key: &str, message: impl Into<String>) -> Error {
    Error::bad_request(message).at(Path::root().key("task_specs").index(at).key(key))
}

/// Requests everything that creating and starting a batch reads. A second round is left for queues
/// whose first messages cannot run.
pub(crate) fn want_start(tx: &mut Transaction<'_>, request: &BatchRequest) {
    want_answer(tx, &request.source_agent_id, &request.parent_tool_call_id);
    let of = [request.source_agent_id.as_str(), request.parent_agent_turn_id.as_str()];
    tx.want_list::<Batch>("by_parent", &of, BATCHES_OF_A_TURN);
    for spec in &request.task_specs {
        want_task(tx, spec.agent_id.as_deref(), [&spec.output_box_id, &spec.context_box_id]);
    }
}

/// Creates a batch and its tasks. A tool call creates one batch; a repeated call returns it without
/// tasks.
pub(crate) fn create(tx: &mut Transaction<'_>, request: &BatchRequest) -> Run<(Batch, Vec<Task>)> {
    let batch_id = tx.mint("batch_");
    tx.check_tasks(request.task_specs.len(), &Path::root().key("task_specs"))?;
    check(request)?;
    let trace_id = trace::optional_trace_id(request.trace_id.as_deref())?;
    for spec in &request.task_specs {
        match present(spec.agent_id.as_deref()) {
            Some(agent) => tx.want::<Roster>(&[agent]),
            None => tx.want_profile_of_box(spec.profile_box_id.as_deref()),
        }
    }
    if let Some(batch) = existing(tx, request)? {
        return Ok((batch, Vec::new()));
    }
    let mut tasks = Vec::with_capacity(request.task_specs.len());
    for (at, spec) in request.task_specs.iter().enumerate() {
        tasks.push(new_task(tx, request, at, spec, &batch_id, trace_id.as_deref())?);
    }
    let batch = new_batch(tx, request, batch_id, trace_id, tasks.len());
    tx.put(&batch, "create_batch", "a new batch")?;
    for task in &tasks {
        tx.put(task, "create_batch", "a new batch")?;
    }
    Ok((batch, tasks))
}

/// Returns the batch that the same tool call created before.
fn existing(tx: &mut Transaction<'_>, request: &BatchRequest) -> Run<Option<Batch>> {
    let of = [request.source_agent_id.as_str(), request.parent_agent_turn_id.as_str()];
    let known = tx.list::<Batch>("by_parent", &of, BATCHES_OF_A_TURN)?;
    Ok(known.into_iter().find(|batch| {
        batch.parent_tool_call_id == request.parent_tool_call_id
            && batch.parent_turn_epoch == request.parent_turn_epoch
    }))
}

fn new_task(
    tx: &mut Transaction<'_>,
    request: &BatchRequest,
    at: usize,
    spec: &TaskSpec,
    batch_id: &str,
    trace_id: Option<&str>,
) -> Run<Task> {
    let now = tx.now();
    let args = match &spec.task_args {
        Some(Json::Object(args)) => args.clone(),
        None => Object::default(),
        Some(other) => object! { "value" => other.clone() },
    };
    let agent_id = match present(spec.agent_id.as_deref()) {
        Some(agent) => {
            check_agent(tx, at, spec, agent)?;
            agent.to_owned()
        }
        None => provision(tx, request, at, spec, &args, batch_id, trace_id)?,
    };
    let config = spec.runtime_config.as_ref();
    let mut metadata = object! {
        "task_args" => args.clone(),
        "task_index" => index_of(args.get("task_index"), at),
    };
    if let Some(config) = config.filter(|config| !config.is_empty()) {
        metadata.insert("runtime_config".into(), Json::Object(config.clone()));
    }
    Ok(Task {
        batch_task_id: tx.mint("bt_"),
        batch_id: batch_id.to_owned(),
        agent_id: agent_id.clone(),
        retryable: Some(true),
        next_retry_at: now,
        payload_hash: Some(payload_hash(&agent_id, spec, &args, config)),
        profile_box_id: spec.profile_box_id.clone(),
        context_box_id: spec.context_box_id.clone(),
        output_box_id: spec.output_box_id.clone(),
        metadata,
        created_at: now,
        updated_at: now,
        seq: i64::try_from(at).unwrap_or(i64::MAX),
        ..Task::default()
    })
}

fn new_batch(
    tx: &Transaction<'_>,
    request: &BatchRequest,
    batch_id: String,
    trace_id: Option<String>,
    tasks: usize,
) -> Batch {
    let now = tx.now();
    let tasks = i64::try_from(tasks).unwrap_or(i64::MAX);
    let after = request.parent_after_execution.clone().unwrap_or_else(|| "suspend".into());
    let mut metadata = object! {
        "internal" => true,
        "fail_fast" => request.fail_fast,
        "parent_after_execution" => after,
        "tool_suffix" => request.tool_suffix.clone(),
        "tool_name" => "fork_join",
    };
    for (key, value) in [
        ("structured_output", &request.structured_output),
        ("lineage_parent_step_id", &request.lineage_parent_step_id),
        ("parent_step_id", &request.parent_step_id),
        ("parent_traceparent", &request.parent_traceparent),
        ("trace_id", &trace_id),
    ] {
        if let Some(value) = present(value.as_deref()) {
            metadata.insert(key.to_owned(), value.into());
        }
    }
    if let Some(depth) = request.recursion_depth {
        metadata.insert("recursion_depth".into(), depth.into());
    }
    let seconds = request.deadline_seconds.filter(|seconds| *seconds > 0);
    Batch {
        batch_id,
        parent_agent_id: request.source_agent_id.clone(),
        parent_agent_turn_id: request.parent_agent_turn_id.clone(),
        parent_tool_call_id: request.parent_tool_call_id.clone(),
        parent_turn_epoch: request.parent_turn_epoch,
        parent_channel_id: request.channel_id.clone(),
        task_count: tasks,
        deadline_at: seconds.map(|seconds| now.plus_seconds(seconds)),
        metadata,
        created_at: now,
        updated_at: now,
        open_count: Some(tasks),
        ..Batch::default()
    }
}

/// Checks what needs no read.
fn check(request: &BatchRequest) -> Result<(), Error> {
    let root = Path::root();
    if request.task_specs.is_empty() {
        let text = "`task_specs` must have at least one task";
        return Err(Error::bad_request(text).at(root.key("task_specs")));
    }
    if request.recursion_depth.is_some_and(|depth| depth < 0) {
        let text = "`recursion_depth` must not be negative";
        return Err(Error::bad_request(text).at(root.key("recursion_depth")));
    }
    let mut agents = BTreeSet::new();
    let mut indexes = BTreeMap::new();
    for (at, spec) in request.task_specs.iter().enumerate() {
        check_spec(at, spec)?;
        let given = spec.arg("task_index").filter(|index| !index.is_null());
        if let Some(given) = given.filter(|given| task_index(given).is_none()) {
            let text = format!("`task_index` must be a whole number from 0 on, found `{given}`");
            return Err(wrong(at, "task_args", text));
        }
        let index = index_of(given, at);
        if let Some(first) = indexes.insert(index, at) {
            let text = format!("`task_index` {index} is also that of `task_specs[{first}]`");
            return Err(wrong(at, "task_args", text));
        }
    }
    let named = request.task_specs.iter().filter_map(|spec| present(spec.agent_id.as_deref()));
    let mut repeated: Vec<&str> = named.filter(|agent| !agents.insert(*agent)).collect();
    repeated.sort_unstable();
    if let Some(agent) = repeated.first() {
        let text = format!("agent `{agent}` has two tasks; an agent can have one");
        return Err(Error::bad_request(text).at(root.key("task_specs")));
    }
    Ok(())
}

fn check_spec(at: usize, spec: &TaskSpec) -> Result<(), Error> {
    match (present(spec.agent_id.as_deref()), spec.provision) {
        (Some(agent), true) => {
            let text = format!("agent `{agent}` exists, so `provision` must not be set");
            return Err(wrong(at, "agent_id", text));
        }
        (None, false) => {
            let text = "`agent_id` is missing, and `provision` is not set";
            return Err(wrong(at, "agent_id", text));
        }
        (Some(_), false) | (None, true) => {}
    }
    for (key, value) in
        [("profile_box_id", &spec.profile_box_id), ("context_box_id", &spec.context_box_id)]
    {
        if present(value.as_deref()).is_none() {
            return Err(wrong(at, key, format!("`{key}` is missing")));
        }
    }
    if matches!(spec.task_args, Some(Json::Array(_))) {
        return Err(wrong(at, "task_args", "`task_args` must be an object or one value"));
    }
    let label = spec.arg("label").and_then(Json::as_str).unwrap_or_default();
    if label.chars().any(char::is_control) {
        return Err(wrong(at, "task_args", "`label` must not hold a control character"));
    }
    Ok(())
}

/// Checks that an agent exists with the profile of its task.
fn check_agent(tx: &mut Transaction<'_>, at: usize, spec: &TaskSpec, agent: &str) -> Run<()> {
    let Some(roster) = tx.get::<Roster>(&[agent])? else {
        return Err(wrong(at, "agent_id", format!("agent `{agent}` does not exist")).into());
    };
    if roster.profile_box_id != spec.profile_box_id {
        let text = format!("agent `{agent}` has another profile");
        return Err(wrong(at, "profile_box_id", text).into());
    }
    Ok(())
}

/// Creates the agent of a task.
fn provision(
    tx: &mut Transaction<'_>,
    request: &BatchRequest,
    at: usize,
    spec: &TaskSpec,
    args: &Object,
    batch_id: &str,
    trace_id: Option<&str>,
) -> Run<String> {
    let box_id = spec.profile_box_id.clone().unwrap_or_default();
    let hex = tx.hex();
    let agent_id = format!("{}_{hex}", box_id.to_lowercase());
    let label =
        text_of(args, "label").map(|label| label.trim().to_owned()).filter(|l| !l.is_empty());
    let mut metadata = object! {
        "spawned_by" => request.source_agent_id.as_str(), "batch_id" => batch_id,
    };
    if let Some(label) = &label {
        metadata.insert("task_label".into(), label.as_str().into());
    }
    if let Some(more) = &spec.metadata {
        metadata.extend(more.clone());
    }
    let number = at + 1;
    let name = label.unwrap_or_else(|| match text_of(args, "profile_name") {
        Some(name) => format!("{name} #{number}"),
        None => format!("{box_id} #{number}"),
    });
    let source = AgentRequest {
        channel_id: request.channel_id.clone(),
        source_agent_id: Some(request.source_agent_id.clone()),
        parent_step_id: request.parent_step_id.clone(),
        trace_id: trace_id.map(str::to_owned),
    };
    let wanted = AgentSpec {
        profile_box_id: Some(box_id),
        worker_target: None,
        details: AgentDetails {
            display_name: Some(name),
            owner_agent_id: Some(request.source_agent_id.clone()),
            metadata,
            active_channel_id: request.channel_id.clone(),
            ..AgentDetails::default()
        },
    };
    tx.made(&agent_id);
    let ready = make_ready(tx, &agent_id, &source, AgentKind::Create, &wanted)?;
    match ready.error_code {
        Some(code) => {
            let text = format!("the agent of this task cannot be created: `{code}`");
            Err(wrong(at, "profile_box_id", text).into())
        }
        None => Ok(agent_id),
    }
}

/// Returns the hash of a task: the same for the same work.
fn payload_hash(agent_id: &str, spec: &TaskSpec, args: &Object, config: Option<&Object>) -> String {
    let mut payload = object! {
        "agent_id" => agent_id,
        "profile_box_id" => spec.profile_box_id.clone(),
        "context_box_id" => spec.context_box_id.clone(),
        "task_args" => args.clone(),
        "runtime_config" => config.cloned().unwrap_or_default(),
    };
    if let Some(output) = present(spec.output_box_id.as_deref()) {
        payload.insert("output_box_id".into(), output.into());
    }
    let text = sorted(Json::Object(payload)).spaced();
    hex(&Sha256::digest(text))
}

fn sorted(json: Json) -> Json {
    match json {
        Json::Object(object) => {
            let mut entries: Vec<(String, Json)> = object.into_iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Json::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
