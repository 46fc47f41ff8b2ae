//! A batch is made, with the agents that it needs.

use super::super::desk::{Desk, Run, present, text_of};
use super::super::identity::{self, Asked, Spec};
use super::super::message::object;
use super::super::rows::{Batch, Roster, Task};
use super::super::trace;
use super::result::index_of;
use crate::value::hex::hex;
use crate::value::json::{Json, Object};
use crate::value::lower::lower;
use crate::{Error, Path};
use sha2::{Digest, Sha256};

/// More batches of one turn than there ever are.
pub(super) const BATCHES_OF_A_TURN: usize = 64;

/// One task to hand out.
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

/// What a batch is to do, and for whom.
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

/// Makes a batch and its tasks.
pub(crate) fn create(desk: &mut Desk<'_>, request: &BatchRequest) -> Run<(Batch, Vec<Task>)> {
    let batch_id = desk.mint("batch_");
    let now = desk.now();
    desk.check_tasks(request.tasks.len(), &Path::root().key("task_specs"))?;
    check(request)?;
    let trace_id = match present(request.trace_id.as_deref()) {
        None => None,
        Some(text) => Some(trace::trace_id(text).ok_or_else(|| {
            Error::bad_request(format!("`{text}` is no trace id")).at(Path::root().key("trace_id"))
        })?),
    };
    for spec in &request.tasks {
        match present(spec.agent_id.as_deref()) {
            Some(agent) => desk.want::<Roster>(&[agent]),
            None => desk.want_profile_of_box(spec.profile_box_id.as_deref()),
        }
    }
    // a call of a tool makes one batch, however often it is asked for
    let of = [request.source_agent_id.as_str(), request.parent_agent_turn_id.as_str()];
    let known = desk.list::<Batch>("by_parent", &of, BATCHES_OF_A_TURN)?;
    let same = |batch: &Batch| {
        batch.parent_tool_call_id == request.parent_tool_call_id
            && batch.parent_turn_epoch == request.parent_turn_epoch
    };
    if let Some(batch) = known.into_iter().find(same) {
        return Ok((batch, Vec::new()));
    }
    let mut tasks = Vec::with_capacity(request.tasks.len());
    for (at, spec) in request.tasks.iter().enumerate() {
        let args = match &spec.task_args {
            Json::Object(args) => args.clone(),
            Json::Null => Object::default(),
            other => object! { "value" => other.clone() },
        };
        let agent_id = match present(spec.agent_id.as_deref()) {
            Some(agent) => {
                reuse(desk, at, spec, agent)?;
                agent.to_owned()
            }
            None => provision(desk, request, at, spec, &args, &batch_id, trace_id.as_deref())?,
        };
        let config = spec.runtime_config.clone().filter(|config| !config.is_null());
        let mut metadata = object! {
            "task_args" => args.clone(),
            "task_index" => index_of(args.get("task_index"), at),
        };
        if let Some(config) =
            config.clone().filter(|config| config.as_object().is_some_and(|c| !c.is_empty()))
        {
            metadata.insert("runtime_config".into(), config);
        }
        tasks.push(Task {
            batch_task_id: desk.mint("bt_"),
            batch_id: batch_id.clone(),
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
        });
    }
    let mut metadata = object! {
        "internal" => true,
        "fail_fast" => request.fail_fast,
        "parent_after_execution" => request.parent_after_execution.clone().unwrap_or_else(|| "suspend".into()),
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
    let batch = Batch {
        batch_id,
        parent_agent_id: request.source_agent_id.clone(),
        parent_agent_turn_id: request.parent_agent_turn_id.clone(),
        parent_tool_call_id: request.parent_tool_call_id.clone(),
        parent_turn_epoch: request.parent_turn_epoch,
        parent_channel_id: request.channel_id.clone(),
        task_count: i64::try_from(tasks.len()).unwrap_or(i64::MAX),
        deadline_at: seconds.map(|seconds| now.plus_seconds(seconds)),
        metadata,
        created_at: now,
        updated_at: now,
        open_count: Some(i64::try_from(tasks.len()).unwrap_or(i64::MAX)),
        ..Batch::default()
    };
    desk.put(&batch, "create_batch", "a new batch")?;
    for task in &tasks {
        desk.put(task, "create_batch", "a new batch")?;
    }
    Ok((batch, tasks))
}

/// What can be seen without looking anything up.
fn check(request: &BatchRequest) -> Result<(), Error> {
    let root = Path::root();
    if request.tasks.is_empty() {
        return Err(Error::bad_request("a batch has at least one task").at(root.key("task_specs")));
    }
    if request.recursion_depth.is_some_and(|depth| depth < 0) {
        return Err(
            Error::bad_request("`recursion_depth` is negative").at(root.key("recursion_depth"))
        );
    }
    let mut agents: Vec<&str> = Vec::new();
    let mut indexes = std::collections::BTreeMap::new();
    for (at, spec) in request.tasks.iter().enumerate() {
        let agent = present(spec.agent_id.as_deref());
        match (agent, spec.provision) {
            (Some(agent), true) => {
                return Err(wrong(
                    at,
                    "agent_id",
                    format!("`{agent}` cannot be named and provisioned"),
                ));
            }
            (None, false) => {
                return Err(wrong(
                    at,
                    "agent_id",
                    "`agent_id` is missing, and `provision` is not set",
                ));
            }
            (Some(agent), false) => agents.push(agent),
            (None, true) => {}
        }
        for (key, value) in
            [("profile_box_id", &spec.profile_box_id), ("context_box_id", &spec.context_box_id)]
        {
            if present(value.as_deref()).is_none() {
                return Err(wrong(at, key, format!("`{key}` is missing")));
            }
        }
        for (key, value) in [("runtime_config", &spec.runtime_config), ("metadata", &spec.metadata)]
        {
            if value.as_ref().is_some_and(|value| !value.is_null() && value.as_object().is_none()) {
                return Err(wrong(at, key, format!("`{key}` is an object")));
            }
        }
        if spec.task_args.as_array().is_some() {
            return Err(wrong(at, "task_args", "`task_args` is an object or one value"));
        }
        let index = index_of(spec.task_args.get("task_index"), at);
        if let Some(first) = indexes.insert(index, at) {
            let text = format!("`task_specs[{first}]` has the `task_index` {index} already");
            return Err(wrong(at, "task_args", text));
        }
        let label = spec.task_args.get("label").and_then(Json::as_str).unwrap_or_default();
        if label.chars().any(char::is_control) {
            return Err(wrong(at, "task_args", "`label` holds a control character"));
        }
    }
    let mut sorted = agents.clone();
    sorted.sort_unstable();
    if let Some([twice, _]) = sorted.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some([*a, *b]),
        _ => None,
    }) {
        let text = format!("agent `{twice}` stands in two tasks");
        return Err(Error::bad_request(text).at(root.key("task_specs")));
    }
    Ok(())
}

fn reuse(desk: &mut Desk<'_>, at: usize, spec: &TaskSpec, agent: &str) -> Run<()> {
    let Some(roster) = desk.get::<Roster>(&[agent])? else {
        return Err(wrong(at, "agent_id", format!("there is no agent `{agent}`")).into());
    };
    if roster.profile_box_id != spec.profile_box_id {
        let text = format!("agent `{agent}` has another profile");
        return Err(wrong(at, "profile_box_id", text).into());
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)]
fn provision(
    desk: &mut Desk<'_>,
    request: &BatchRequest,
    at: usize,
    spec: &TaskSpec,
    args: &Object,
    batch_id: &str,
    trace_id: Option<&str>,
) -> Run<String> {
    let box_id = spec.profile_box_id.clone().unwrap_or_default();
    let hex = desk.hex();
    let agent_id = format!("{}_{hex}", lower(&box_id));
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
    let asked = Asked {
        agent_id: agent_id.clone(),
        channel_id: request.channel_id.clone(),
        source_agent_id: Some(request.source_agent_id.clone()),
        parent_step_id: request.parent_step_id.clone(),
        trace_id: trace_id.map(str::to_owned),
    };
    let spec = Spec {
        profile_box_id: Some(box_id),
        display_name: Some(name),
        owner_agent_id: Some(request.source_agent_id.clone()),
        metadata,
        active_channel_id: request.channel_id.clone(),
        ..Spec::default()
    };
    desk.made(&agent_id);
    let ready = identity::make_ready(desk, &asked, &spec)?;
    match ready.error_code {
        Some(code) => {
            Err(wrong(at, "profile_box_id", format!("no agent can be made: {code}")).into())
        }
        None => Ok(agent_id),
    }
}

/// The hash of what a task is: the same for the same work.
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
