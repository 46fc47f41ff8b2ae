//! The creation of a batch, with the agents that it needs.

use super::result::index_of;
use crate::run::queue::identity::{AgentRequest, AgentSpec, make_ready};
use crate::run::rows::{Batch, Roster, Task};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::trace;
use crate::value::hex::hex;
use crate::value::json::{Json, Object};
use crate::{Error, Path};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A limit above the number of batches of any turn.
pub(super) const BATCHES_OF_A_TURN: usize = 64;

/// A task of a new batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskSpec {
    pub agent_id: Option<String>,
    pub provision: bool,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub task_args: Json,
    pub runtime_config: Option<Json>,
    pub metadata: Option<Json>,
}

/// A new batch, and its parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchRequest {
    pub channel_id: Option<String>,
    pub source_agent_id: String,
    pub parent_agent_turn_id: String,
    pub parent_turn_epoch: i64,
    pub parent_tool_call_id: String,
    pub parent_step_id: Option<String>,
    pub lineage_parent_step_id: Option<String>,
    pub parent_after_execution: Option<String>,
    pub tool_suffix: Option<String>,
    pub structured_output: Option<String>,
    pub fail_fast: bool,
    pub deadline_seconds: Option<i64>,
    pub trace_id: Option<String>,
    pub parent_traceparent: Option<String>,
    pub recursion_depth: Option<i64>,
    pub tasks: Vec<TaskSpec>,
}

fn wrong(at: usize, key: &str, message: impl Into<String>) -> Error {
    Error::bad_request(message).at(Path::root().key("task_specs").index(at).key(key))
}

/// Creates a batch and its tasks. A tool call creates one batch; a repeated call returns it without
/// tasks.
pub(crate) fn create(tx: &mut Transaction<'_>, request: &BatchRequest) -> Run<(Batch, Vec<Task>)> {
    let batch_id = tx.mint("batch_");
    tx.check_tasks(request.tasks.len(), &Path::root().key("task_specs"))?;
    check(request)?;
    let trace_id = trace::optional_trace_id(request.trace_id.as_deref())?;
    for spec in &request.tasks {
        match present(spec.agent_id.as_deref()) {
            Some(agent) => tx.want::<Roster>(&[agent]),
            None => tx.want_profile_of_box(spec.profile_box_id.as_deref()),
        }
    }
    if let Some(batch) = existing(tx, request)? {
        return Ok((batch, Vec::new()));
    }
    let mut tasks = Vec::with_capacity(request.tasks.len());
    for (at, spec) in request.tasks.iter().enumerate() {
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
        Json::Object(args) => args.clone(),
        Json::Null => Object::default(),
        other => object! { "value" => other.clone() },
    };
    let agent_id = match present(spec.agent_id.as_deref()) {
        Some(agent) => {
            check_agent(tx, at, spec, agent)?;
            agent.to_owned()
        }
        None => provision(tx, request, at, spec, &args, batch_id, trace_id)?,
    };
    let config = spec.runtime_config.clone().filter(|config| !config.is_null());
    let mut metadata = object! {
        "task_args" => args.clone(),
        "task_index" => index_of(args.get("task_index"), at),
    };
    let is_set = |config: &Json| config.as_object().is_some_and(|config| !config.is_empty());
    if let Some(config) = config.clone().filter(is_set) {
        metadata.insert("runtime_config".into(), config);
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
    if request.tasks.is_empty() {
        let text = "`task_specs` must have at least one task";
        return Err(Error::bad_request(text).at(root.key("task_specs")));
    }
    if request.recursion_depth.is_some_and(|depth| depth < 0) {
        let text = "`recursion_depth` must not be negative";
        return Err(Error::bad_request(text).at(root.key("recursion_depth")));
    }
    let mut agents = BTreeSet::new();
    let mut indexes = BTreeMap::new();
    for (at, spec) in request.tasks.iter().enumerate() {
        check_spec(at, spec)?;
        let index = index_of(spec.task_args.get("task_index"), at);
        if let Some(first) = indexes.insert(index, at) {
            let text = format!("`task_index` {index} is also that of `task_specs[{first}]`");
            return Err(wrong(at, "task_args", text));
        }
    }
    let named = request.tasks.iter().filter_map(|spec| present(spec.agent_id.as_deref()));
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
    for (key, value) in [("runtime_config", &spec.runtime_config), ("metadata", &spec.metadata)] {
        if value.as_ref().is_some_and(|value| !value.is_null() && value.as_object().is_none()) {
            return Err(wrong(at, key, format!("`{key}` must be an object")));
        }
    }
    if spec.task_args.as_array().is_some() {
        return Err(wrong(at, "task_args", "`task_args` must be an object or one value"));
    }
    let label = spec.task_args.get("label").and_then(Json::as_str).unwrap_or_default();
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
    if let Some(Json::Object(more)) = &spec.metadata {
        metadata.extend(more.clone());
    }
    let number = at + 1;
    let name = label.unwrap_or_else(|| match text_of(args, "profile_name") {
        Some(name) => format!("{name} #{number}"),
        None => format!("{box_id} #{number}"),
    });
    let agent = AgentRequest {
        agent_id: agent_id.clone(),
        channel_id: request.channel_id.clone(),
        source_agent_id: Some(request.source_agent_id.clone()),
        parent_step_id: request.parent_step_id.clone(),
        trace_id: trace_id.map(str::to_owned),
    };
    let wanted = AgentSpec {
        profile_box_id: Some(box_id),
        display_name: Some(name),
        owner_agent_id: Some(request.source_agent_id.clone()),
        metadata,
        active_channel_id: request.channel_id.clone(),
        ..AgentSpec::default()
    };
    tx.made(&agent_id);
    let ready = make_ready(tx, &agent, &wanted)?;
    match ready.error_code {
        Some(code) => {
            let text = format!("the agent of this task cannot be created: `{code}`");
            Err(wrong(at, "profile_box_id", text).into())
        }
        None => Ok(agent_id),
    }
}

/// Returns the hash of a task: the same for the same work.
fn payload_hash(agent_id: &str, spec: &TaskSpec, args: &Object, config: Option<Json>) -> String {
    let mut payload = object! {
        "agent_id" => agent_id,
        "profile_box_id" => spec.profile_box_id.clone(),
        "context_box_id" => spec.context_box_id.clone(),
        "task_args" => args.clone(),
        "runtime_config" => config.unwrap_or_else(|| Json::Object(Object::default())),
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
