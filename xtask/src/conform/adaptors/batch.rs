//! `batch`: the ends of batches and the reports to their parents.

use super::caller::{CallResult, Caller, Played, member, text};
use super::world::env;
use tuckbox::store::table;
use tuckbox::value::json::{Field, Object};
use tuckbox::{Card, Json};

const PROJECT: &str = "proj_1";

pub fn play(caller: &mut Caller, input: &Json) -> Played<Json> {
    match text(input, "op") {
        "build_result" => build_result(caller, input),
        _ => end(caller, input),
    }
}

fn build_result(caller: &mut Caller, input: &Json) -> Played<Json> {
    let call = Json::from([
        ("op", Json::from("build_batch_result")),
        ("status", member(input, "final_status")),
        ("tasks", member(input, "tasks")),
    ]);
    Ok(caller.call(PROJECT, &env(), call)?.value)
}

/// Plays events on a batch of recorded tasks.
fn end(caller: &mut Caller, input: &Json) -> Played<Json> {
    load(caller, input)?;
    let mut seen = Seen::default();
    let mut steps = Vec::new();
    let events = member(input, "events");
    let calls: Vec<Json> = match events.as_array() {
        Some(events) => events
            .iter()
            .map(|event| {
                let mut call = event.as_object().cloned().unwrap_or_default();
                call.insert("op".into(), "child_event".into());
                Json::Object(call)
            })
            .collect(),
        None if text(input, "op") == "deadline" => {
            let ask = Json::from([("op", "due"), ("rule", "batches")]);
            let due = caller.call(PROJECT, &env(), ask)?.value;
            member(&due, "calls").as_array().unwrap_or_default().to_vec()
        }
        None => vec![Json::from([("op", "end_batch"), ("batch_id", "batch_1")])],
    };
    for (at, call) in calls.into_iter().enumerate() {
        let entropy = [u8::try_from(at).unwrap_or(u8::MAX); 32];
        let env = tuckbox::Env { entropy, ..env() };
        let result = caller.call(PROJECT, &env, call)?;
        seen.take(&result)?;
        let (status, tasks) = state(caller)?;
        let statuses: Json = tasks.iter().map(|task| member(task, "status")).collect();
        steps.push(Json::from([("batch_status", status), ("task_statuses", statuses)]));
    }
    let (status, tasks) = state(caller)?;
    let view_of = |task: &Json| {
        let view = task.get("metadata").and_then(|metadata| metadata.get("result_view"));
        Json::from([
            ("status", member(task, "status")),
            ("output_box_id", member(task, "output_box_id")),
            ("error_detail", member(task, "error_detail")),
            ("result_view", view.cloned().unwrap_or_default()),
        ])
    };
    let mut answer = Object::default();
    if !events.is_null() {
        answer.insert("steps".into(), Json::Array(steps));
    }
    answer.insert("batch_status".into(), status);
    answer.insert("tasks".into(), tasks.iter().map(view_of).collect());
    answer.insert("children_terminated".into(), seen.terminated.into());
    answer.insert("resume".into(), seen.resume);
    Ok(Json::Object(answer))
}

/// The reports to the parent, and whether children must stop.
#[derive(Default)]
struct Seen {
    terminated: bool,
    resume: Json,
}

impl Seen {
    fn take(&mut self, result: &CallResult) -> Played<()> {
        let early = |guard: &str| guard.contains("deadline") || guard.contains("failed");
        let transitions = result.transitions.as_array().unwrap_or_default();
        self.terminated |= transitions.iter().any(|change| {
            text(change, "rule") == "end_batch"
                && text(change, "table") == "batches"
                && early(text(change, "guard"))
        });
        let mut joined = Json::Null;
        let mut report = None;
        for change in result.writes.get("rows").and_then(Json::as_array).unwrap_or_default() {
            let row = member(change, "row");
            match text(change, "table") {
                "execution_edges" if text(&row, "primitive") == "join" => {
                    joined = member(&row, "metadata")
                }
                "inbox" if text(&row, "message_type") == "tool_result" => report = Some(row),
                _ => {}
            }
        }
        let Some(report) = report else { return Ok(()) };
        let card_id = text(&member(&report, "payload"), "tool_result_card_id").to_owned();
        let cards = result.writes.get("cards").and_then(Json::as_array).unwrap_or_default();
        let card = match cards.iter().find(|card| text(card, "card_id") == card_id) {
            None => Json::Null,
            Some(card) => {
                let card = Card::from_row(&Field::root(card))?;
                let given = [
                    "agent_turn_id",
                    "tool_call_id",
                    "role",
                    "function_name",
                    "step_id",
                    "parent_step_id",
                ];
                let given =
                    given.iter().filter_map(|key| Some((key.to_string(), card.metadata.get(key)?)));
                let given = given.map(|(key, value)| (key.clone(), value.clone())).collect();
                super::world::new_card(&card, given)
            }
        };
        self.resume = Json::from([
            ("payload", member(&report, "payload")),
            ("correlation_id", member(&report, "correlation_id")),
            ("target_agent_id", member(&report, "agent_id")),
            ("card", card),
            ("join_response_metadata", joined),
        ]);
        Ok(())
    }
}

/// Returns the status of the batch, and its tasks.
fn state(caller: &mut Caller) -> Played<(Json, Vec<Json>)> {
    let ask = Json::from([
        ("op", Json::from("run_state")),
        ("batch_id", "batch_1".into()),
        ("limit", 10_000_i64.into()),
    ]);
    let state = caller.call(PROJECT, &env(), ask)?.value;
    let batches = member(&state, "batches");
    let batch = batches.as_array().unwrap_or_default().first();
    let status = batch.map(|batch| member(batch, "status")).unwrap_or_default();
    Ok((status, member(&state, "tasks").as_array().unwrap_or_default().to_vec()))
}

fn load(caller: &mut Caller, input: &Json) -> Played<()> {
    let now = env().now;
    let metadata = Json::from([
        ("fail_fast", member(input, "fail_fast")),
        ("parent_after_execution", given_or(input, "parent_after_execution", "suspend")),
        ("tool_name", "fork_join".into()),
        ("parent_step_id", "step_p".into()),
        ("recursion_depth", 0_i64.into()),
        ("structured_output", member(input, "structured_output")),
    ]);
    let given = member(input, "tasks");
    let given = given.as_array().unwrap_or_default();
    let count = member(input, "task_count");
    let deadline = input.get("deadline_in_seconds").and_then(Json::as_number);
    #[allow(clippy::cast_possible_truncation)]
    let deadline = deadline.map(|seconds| {
        tuckbox::Timestamp::from_millis(now.as_millis() + (seconds.as_f64() * 1000.0) as i64)
    });
    let batch = Json::from([
        ("batch_id", Json::from("batch_1")),
        ("parent_agent_id", "agent_parent".into()),
        ("parent_agent_turn_id", "turn_p".into()),
        ("parent_tool_call_id", "call_1".into()),
        ("parent_turn_epoch", 3_i64.into()),
        ("parent_channel_id", "public".into()),
        ("task_count", if count.is_null() { given.len().into() } else { count }),
        ("status", given_or(input, "batch_status", "running")),
        ("deadline_at", deadline.map(Json::from).into()),
        ("metadata", metadata),
        ("created_at", now.into()),
        ("updated_at", now.into()),
    ]);
    let put = |json: Json| json.as_object().cloned().unwrap_or_default();
    if member(input, "no_batch").is_null() {
        caller.put_row(PROJECT, &table::BATCHES, put(batch));
    }
    let edge = |id: &str, correlation: &str, primitive: &str| {
        put(Json::from([
            ("edge_id", Json::from(id)),
            ("correlation_id", correlation.into()),
            ("primitive", primitive.into()),
            ("edge_phase", "request".into()),
            ("recursion_depth", 0_i64.into()),
            ("metadata", Json::Object(Object::default())),
            ("created_at", now.into()),
        ]))
    };
    caller.put_row(PROJECT, &table::EXECUTION_EDGES, edge("e1", "call_1", "tool_call"));
    caller.put_row(PROJECT, &table::EXECUTION_EDGES, edge("e2", "batch_1", "join"));
    for (at, task) in given.iter().enumerate() {
        let mut metadata = member(task, "metadata").as_object().cloned().unwrap_or_default();
        metadata.get_or_insert_with("task_index", || at.into());
        let row = Json::from([
            ("batch_task_id", Json::from(format!("bt_{at}"))),
            ("batch_id", "batch_1".into()),
            ("agent_id", format!("agent_{at}").into()),
            ("status", member(task, "status")),
            ("next_retry_at", now.into()),
            ("current_agent_turn_id", member(task, "agent_turn_id")),
            ("current_turn_epoch", member(task, "turn_epoch")),
            ("output_box_id", member(task, "output_box_id")),
            ("error_detail", member(task, "error_detail")),
            ("metadata", Json::Object(metadata)),
            ("created_at", now.into()),
            ("updated_at", now.into()),
            ("seq", at.into()),
        ]);
        let mut row = put(row);
        row.retain(|_, value| !value.is_null());
        caller.put_row(PROJECT, &table::BATCH_TASKS, row);
    }
    for (card_id, card) in member(input, "cards").as_object().into_iter().flatten() {
        let kind = card.get("type").cloned().unwrap_or_else(|| "task.deliverable".into());
        let row = Json::from([
            ("card_id", Json::from(card_id.as_str())),
            ("content", member(card, "content")),
            ("metadata", Json::from([("type", kind)])),
        ]);
        caller.put_card(PROJECT, &row)?;
    }
    Ok(())
}

fn given_or(input: &Json, key: &str, otherwise: &str) -> Json {
    input.get(key).filter(|value| !value.is_null()).cloned().unwrap_or_else(|| otherwise.into())
}
