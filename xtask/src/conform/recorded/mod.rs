//! Converts recorded orchestration rows to ours, and our writes to the recorded form.

mod mirror;

use super::compare::Actual;
use super::vectors::Case;
use mirror::Mirror;
use std::collections::BTreeMap;
use tuckbox::store::table;
use tuckbox::value::json::Object;
use tuckbox::{Json, Timestamp};

/// A row of ours, converted from a recorded one.
pub struct Given {
    pub project: String,
    pub table: &'static str,
    pub row: Object,
}

/// The recorded tables and ours.
const TABLES: &[(&str, &str)] = &[
    ("agent_state_head", "heads"),
    ("agent_state_pointers", "pointers"),
    ("agent_inbox", "inbox"),
    ("execution_edges", "execution_edges"),
    ("identity_edges", "identity_edges"),
    ("turn_waiting_tools", "waiting_tools"),
    ("turn_resume_ledger", "resume_ledger"),
    ("agent_steps", "steps"),
    ("pmo_batches", "batches"),
    ("pmo_batch_tasks", "batch_tasks"),
    ("project_agents", "project_agents"),
    ("profiles", "profiles"),
    ("tools", "project_tools"),
    ("card_boxes", "boxes"),
    ("cards", "cards"),
];

/// Columns that recordings do not have.
const OWN: &[(&str, &[&str])] = &[
    ("heads", &["rung_at"]),
    ("inbox", &["seq", "agent_turn_id"]),
    ("execution_edges", &["seq"]),
    ("identity_edges", &["seq"]),
    ("waiting_tools", &["seq"]),
    ("steps", &["outcome"]),
    ("batches", &["open_count", "events"]),
    ("batch_tasks", &["seq"]),
    ("project_agents", &["in_roster", "state", "pointers"]),
];

/// Columns that default to the start time of the recording.
const STAMPED: &[(&str, &[&str])] = &[
    ("heads", &["updated_at"]),
    ("pointers", &["updated_at"]),
    ("inbox", &["created_at"]),
    ("execution_edges", &["created_at"]),
    ("waiting_tools", &["created_at", "updated_at"]),
    ("resume_ledger", &["created_at", "updated_at", "next_retry_at"]),
    ("batches", &["created_at", "updated_at"]),
    ("batch_tasks", &["created_at", "updated_at", "next_retry_at"]),
    ("project_agents", &["created_at"]),
];

/// The defaults of the recorded database, as JSON.
const DEFAULTS: &[(&str, &str)] = &[
    (
        "heads",
        r#"{"status":"idle","turn_epoch":0,"active_recursion_depth":0,"waiting_tool_count":0}"#,
    ),
    ("inbox", r#"{"recursion_depth":0,"payload":{},"status":"pending"}"#),
    ("execution_edges", r#"{"metadata":{}}"#),
    ("identity_edges", r#"{"metadata":{}}"#),
    ("resume_ledger", r#"{"status":"pending","attempt_count":0,"payload":{}}"#),
    ("steps", r#"{"metadata":{}}"#),
    ("batches", r#"{"status":"running","metadata":{}}"#),
    ("batch_tasks", r#"{"status":"pending","retryable":true,"attempt_count":0,"metadata":{}}"#),
    ("project_agents", r#"{"status":"active","tags":[],"metadata":{}}"#),
];

/// Returns the initial rows of a sequence in our tables. They have an order number, the turn of a
/// message as a column, and every card under its step.
pub fn adopt(case: &Json) -> Vec<Given> {
    let given = member(case, "given");
    let clock = text(&given, "clock");
    let mut found = Vec::new();
    for (name, rows) in member(&given, "tables").as_object().into_iter().flatten() {
        let Some((_, table)) = TABLES.iter().find(|(recorded, _)| recorded == name) else {
            continue;
        };
        for (at, row) in rows.as_array().unwrap_or_default().iter().enumerate() {
            let mut row = row.as_object().cloned().unwrap_or_default();
            let project = ["project_id", "tenant_id"]
                .iter()
                .find_map(|key| row.get(key).and_then(Json::as_str))
                .unwrap_or("p1")
                .to_owned();
            if *table != "cards" && *table != "boxes" {
                row.remove("project_id");
            }
            row.retain(|_, value| !value.is_null());
            let stamped = STAMPED.iter().find(|(of, _)| of == table).map_or(&[][..], |(_, of)| of);
            for column in stamped {
                row.get_or_insert_with(column, || clock.into());
            }
            if *table != "cards" && *table != "boxes" {
                normalize_columns(&mut row);
            }
            if OWN.iter().any(|(of, own)| of == table && own.contains(&"seq")) {
                let created =
                    row.get("created_at").and_then(Json::as_str).and_then(Timestamp::parse);
                let base = created.unwrap_or_default().as_millis() * 1024;
                row.insert("seq".into(), (base + i64::try_from(at).unwrap_or(0)).into());
            }
            if *table == "inbox" {
                let turn = row.get("payload").and_then(|payload| payload.get("agent_turn_id"));
                if let Some(turn) = turn.filter(|turn| turn.as_str().is_some()).cloned() {
                    row.insert("agent_turn_id".into(), turn);
                }
            }
            let defaults = DEFAULTS.iter().find(|(of, _)| of == table);
            let defaults =
                defaults.and_then(|(_, json)| Json::parse(json).ok()).unwrap_or_default();
            for (column, value) in defaults.as_object().into_iter().flatten() {
                row.get_or_insert_with(column, || value.clone());
            }
            if *table == "project_agents" {
                row.insert("in_roster".into(), true.into());
            }
            if *table == "cards" {
                found.extend(step_card(&project, &row, at));
            }
            found.push(Given { project, table, row });
        }
    }
    found
}

fn normalize_columns(row: &mut Object) {
    for value in row.values_mut() {
        if let Json::String(text) = value
            && let Some(timestamp) = timestamp(text)
        {
            *value = timestamp.into();
        }
    }
}

fn step_card(project: &str, card: &Object, at: usize) -> Option<Given> {
    let metadata = card.get("metadata")?;
    let content = card.get("content");
    let step = metadata.get("step_id").filter(|step| step.as_str().is_some());
    let call = card.get("tool_call_id").or_else(|| metadata.get("tool_call_id"));
    if step.is_none() && call.is_none() {
        return None;
    }
    let created = metadata.get("created_at").and_then(Json::as_str).and_then(Timestamp::parse);
    let mut row = Object::default();
    let mut put = |key: &str, value: Option<&Json>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            row.insert(key.to_owned(), value.clone());
        }
    };
    put("card_id", card.get("card_id"));
    put("step_id", step);
    put("tool_call_id", call);
    put("card_type", metadata.get("type"));
    put("status", content.and_then(|content| content.get("status")));
    put("after_execution", content.and_then(|content| content.get("after_execution")));
    let calls = card.get("tool_calls").and_then(Json::as_array);
    if let Some(calls) = calls {
        row.insert("calls".into(), (!calls.is_empty()).into());
    }
    let created = created.unwrap_or_default();
    row.insert("created_at".into(), created.into());
    row.insert("seq".into(), (created.as_millis() * 1024 + i64::try_from(at).unwrap_or(0)).into());
    Some(Given { project: project.to_owned(), table: "step_cards", row })
}

/// Returns the rows that a recorded tool stores before it reports: its request and its result.
pub fn tool_answer(args: &Json, now: &str) -> (Vec<(&'static str, Object)>, Json) {
    let call_id = text(args, "correlation_id");
    let payload = member(args, "payload");
    let card_id = text(&payload, "tool_result_card_id");
    let now = Timestamp::parse(now).unwrap_or_default();
    let edge = Object::from_iter([
        ("edge_id".to_owned(), Json::from(format!("edge_req_{call_id}"))),
        ("channel_id".into(), member(args, "channel_id")),
        ("primitive".into(), "tool_call".into()),
        ("edge_phase".into(), "request".into()),
        ("correlation_id".into(), call_id.into()),
        ("recursion_depth".into(), 0_i64.into()),
        ("metadata".into(), Json::Object(Object::default())),
        ("created_at".into(), now.into()),
        ("seq".into(), (now.as_millis() * 1024).into()),
    ]);
    let content = Json::from([
        ("__type__", Json::from("ToolResultContent")),
        ("status", member(&payload, "status")),
        ("after_execution", member(&payload, "after_execution")),
        ("result", Json::from([("v", call_id)])),
        ("error", Json::Null),
    ]);
    let metadata = Json::from([
        ("role", Json::from("tool")),
        ("type", "tool.result".into()),
        ("step_id", member(&payload, "step_id")),
        ("author_id", "tool.x".into()),
        ("created_at", now.into()),
        ("project_id", member(args, "project_id")),
        ("tool_call_id", call_id.into()),
        ("function_name", "web_search".into()),
    ]);
    let card = Json::from([
        ("card_id", Json::from(card_id)),
        ("tenant_id", member(args, "project_id")),
        ("content", content),
        ("metadata", metadata),
        ("tool_call_id", call_id.into()),
    ]);
    let index = step_card("", card.as_object().unwrap_or(&Object::default()), 0);
    let mut rows = vec![("execution_edges", edge)];
    rows.extend(index.map(|given| ("step_cards", given.row)));
    (rows, card)
}

/// Returns the answer of a scripted model as a call: the operation and its arguments.
pub fn model(answer: &Json) -> (&'static str, Object) {
    let mut more = Object::default();
    let mut thought = Object::from_iter([("text".to_owned(), Json::from("thinking"))]);
    let calls = answer.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    if !calls.is_empty() {
        let asked = |call: &Json| {
            let function = Json::from([("name", "web_search"), ("arguments", "{}")]);
            Json::from([
                ("id", member(call, "id")),
                ("type", "function".into()),
                ("function", function),
            ])
        };
        thought.insert("tool_calls".into(), calls.iter().map(asked).collect());
        more.insert("tool_calls".into(), calls.iter().cloned().collect());
    }
    more.insert("thought".into(), Json::Object(thought));
    if let Some(error) = answer.get("fail") {
        more.insert("error".into(), error.clone());
        return ("turn_fail", more);
    }
    (if calls.is_empty() { "turn_complete" } else { "turn_tools" }, more)
}

/// Returns a claimed message in the recorded form.
pub fn claimed(item: &Json) -> Json {
    let mut message = Object::default();
    for key in ["agent_id", "agent_turn_id", "turn_epoch"] {
        message.insert(key.to_owned(), member(item, key));
    }
    let first = text(item, "kind") == "turn";
    message.insert("continuation".into(), (!first).into());
    message.insert("step_count".into(), 0_i64.into());
    if text(item, "kind") == "resume" {
        let mut payload = member(item, "payload").as_object().cloned().unwrap_or_default();
        payload.retain(|key, _| {
            ["tool_call_id", "status", "after_execution", "tool_result_card_id", "step_id"]
                .contains(&key.as_str())
        });
        message.insert("resume".into(), Json::Object(payload));
    }
    if text(item, "kind") == "stop" {
        message.insert("stop".into(), member(item, "payload"));
    }
    message.insert("inbox_id".into(), member(item, "inbox_id"));
    message.insert("output_box_id".into(), member(item, "output_box_id"));
    Json::Object(message)
}

/// Returns the answers and commits in the recorded form.
pub fn shape(case: &Case, actual: &Actual) -> Actual {
    let Ok(steps) = actual else { return actual.clone() };
    let mut mirror = Mirror::default();
    for given in adopt(&case.input) {
        if given.table == "profiles" || !is_recorded(given.table) {
            continue;
        }
        let row = shaped_row(given.table, &given.project, given.row);
        mirror.put(given.table, &given.project, row);
    }
    let recorded = case.input.get("steps").and_then(Json::as_array).unwrap_or_default();
    let by_agent = text(&case.input, "order") == "by_agent";
    let mut shaped = Vec::new();
    for (step, recorded) in steps.as_array().unwrap_or_default().iter().zip(recorded) {
        let call = member(recorded, "call");
        let raised = member(recorded, "expected").get("error").is_some();
        shaped.push(mirror.step(step, &call, text(recorded, "clock"), by_agent, raised));
    }
    Ok(Json::Array(shaped))
}

/// Returns the recorded steps in the form of ours.
pub fn expected(case: &Json) -> Json {
    let steps = case.get("steps").and_then(Json::as_array).unwrap_or_default();
    let by_agent = text(case, "order") == "by_agent";
    let step = |step: &Json| {
        let mut step_shape = member(step, "expected").as_object().cloned().unwrap_or_default();
        if let Some(error) = step_shape.get("error") {
            let kind = text(error, "kind").to_owned();
            step_shape.insert("error".into(), kind_of(&kind).into());
        }
        if let Some(Json::Object(changes)) = step_shape.get_mut("changes") {
            sort_deleted(changes);
        }
        drop_orphans(&mut step_shape);
        drop_stand_in(&mut step_shape, |_, _| true);
        if by_agent {
            if let Some(Json::Array(messages)) = step_shape.get_mut("messages") {
                sort_by_agent(messages);
            }
            if let Some(Json::Object(changes)) = step_shape.get_mut("changes") {
                for change in changes.values_mut() {
                    let Json::Object(change) = change else { continue };
                    for rows in change.values_mut() {
                        let Json::Array(rows) = rows else { continue };
                        sort_by_agent(rows);
                    }
                }
            }
        }
        normalize(Json::Object(step_shape))
    };
    steps.iter().map(step).collect()
}

/// Converts the kind of a recorded error. All errors of the caller are one kind.
fn kind_of(kind: &str) -> &'static str {
    match kind {
        "publish_failed" => "publish_failed",
        _ => "refused",
    }
}

/// Returns the code of a refusal, which is an error of the caller. Other errors are not refusals.
fn refusal(step: &Json) -> &str {
    let code = step.get("error").map_or("", |error| text(error, "code"));
    match code {
        "bad_request" | "not_found" | "invalid_content" | "conflict" => "refused",
        other => other,
    }
}

fn is_recorded(table: &str) -> bool {
    TABLES.iter().any(|(_, ours)| *ours == table)
}

fn shaped_row(table: &str, project: &str, mut row: Object) -> Object {
    let own = OWN.iter().find(|(of, _)| *of == table).map_or(&[][..], |(_, own)| own);
    row.retain(|column, value| !own.contains(&column.as_str()) && !value.is_null());
    if table == "cards" || table == "boxes" {
        row.insert("tenant_id".into(), project.into());
    } else {
        row.insert("project_id".into(), project.into());
    }
    row
}

fn key_columns(table: &str) -> Vec<&'static str> {
    match table {
        "cards" => vec!["card_id"],
        "boxes" => vec!["box_id"],
        "inbox" => vec!["inbox_id"],
        "execution_edges" | "identity_edges" => vec!["edge_id"],
        "batches" => vec!["batch_id"],
        "batch_tasks" => vec!["batch_task_id"],
        _ => {
            let mut columns = vec!["project_id"];
            columns.extend(table::named(table).map_or(&[][..], |table| table.key));
            columns
        }
    }
}

fn key_of(table: &str, row: &Object) -> Json {
    let column = |column: &&str| Some(((*column).to_owned(), row.get(column)?.clone()));
    Json::Object(key_columns(table).iter().filter_map(column).collect())
}

fn message(row: &Json) -> Json {
    let mut message = Object::default();
    message.insert("subject".into(), member(row, "subject"));
    message.insert("payload".into(), member(row, "payload"));
    if row.get("core").and_then(Json::as_bool) == Some(true) {
        message.insert("core".into(), true.into());
    } else {
        message.insert("headers".into(), member(row, "headers"));
    }
    Json::Object(message)
}

/// Matches the recorder's patterns: any subject, a part of one, or its end.
fn matches_pattern(pattern: &str, subject: &str) -> bool {
    let plain = pattern.replace('\\', "");
    match plain.strip_suffix('$') {
        _ if pattern.is_empty() => false,
        _ if pattern == "." => true,
        Some(end) => subject.ends_with(end),
        None => subject.contains(&plain),
    }
}

/// Sorts items without a fixed order by agent, ignoring ids.
fn sort_by_agent(items: &mut [Json]) {
    let key = |item: &Json| {
        let agent = item
            .get("payload")
            .and_then(|payload| payload.get("agent_id"))
            .or_else(|| item.get("agent_id"))
            .or_else(|| item.get("target_agent_id"))
            .or_else(|| item.get("key").and_then(|key| key.get("agent_id")))
            .map(Json::text_form)
            .unwrap_or_default();
        (without_ids(text(item, "subject")), without_ids(&agent))
    };
    items.sort_by_key(|item| key(item));
}

/// Sorts deleted rows, which have no order.
fn sort_deleted(changes: &mut Object) {
    for change in changes.values_mut() {
        if let Json::Object(change) = change
            && let Some(Json::Array(rows)) = change.get_mut("delete")
        {
            rows.sort_by_key(|row| row.canonical_text().unwrap_or_default());
        }
    }
}

/// Removes empty new boxes that nothing else in their step names. The recorded dispatcher creates a
/// box before it accepts a turn, and ours does not.
pub fn drop_orphans(step: &mut Object) {
    let whole = Json::Object(step.clone()).to_string();
    let Some(Json::Object(changes)) = step.get_mut("changes") else { return };
    let Some(Json::Object(boxes)) = changes.get_mut("card_boxes") else { return };
    if let Some(Json::Array(rows)) = boxes.get_mut("insert") {
        rows.retain(|row| whole.matches(&format!("\"{}\"", text(row, "box_id"))).count() > 1);
        if rows.is_empty() {
            boxes.remove("insert");
        }
    }
    if boxes.is_empty() {
        changes.remove("card_boxes");
    }
}

/// Removes the author of recorded thoughts. The recorder's mock model signs every thought as the
/// same agent, and ours as the agent of the step. `is_own` checks that.
fn drop_stand_in(step: &mut Object, is_own: impl Fn(&Json, &Json) -> bool) {
    let Some(Json::Object(changes)) = step.get_mut("changes") else { return };
    let Some(Json::Object(cards)) = changes.get_mut("cards") else { return };
    let Some(Json::Array(rows)) = cards.get_mut("insert") else { return };
    for row in rows {
        let Json::Object(row) = row else { continue };
        let Some(Json::Object(metadata)) = row.get_mut("metadata") else { continue };
        if metadata.get("type").and_then(Json::as_str) != Some("agent.thought") {
            continue;
        }
        let step_id = metadata.get("step_id").unwrap_or(&Json::Null);
        if metadata.get("author_id").is_some_and(|author| is_own(step_id, author)) {
            metadata.remove("author_id");
        }
    }
}

fn without_ids(text: &str) -> String {
    let parts = text.split(['_', '.', '$']);
    let minted = |part: &&str| {
        !(part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            || part.starts_with("id"))
    };
    parts.filter(minted).collect::<Vec<_>>().join(".")
}

/// Parses a timestamp.
fn timestamp(text: &str) -> Option<Timestamp> {
    let looks = text.len() >= 19
        && text.is_char_boundary(10)
        && matches!(text.as_bytes().get(10), Some(b'T' | b' '));
    if looks { Timestamp::parse(text) } else { None }
}

/// Converts all timestamps to one format.
fn normalize(json: Json) -> Json {
    match json {
        Json::String(text) => match timestamp(&text) {
            Some(timestamp) => timestamp.into(),
            None => Json::String(text),
        },
        Json::Array(items) => items.into_iter().map(normalize).collect(),
        Json::Object(object) => {
            Json::Object(object.into_iter().map(|(key, value)| (key, normalize(value))).collect())
        }
        other => other,
    }
}

pub fn member(value: &Json, key: &str) -> Json {
    value.get(key).cloned().unwrap_or_default()
}

pub fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_caller_are_refusals() {
        let step = |code: &str| Json::from([("error", Json::from([("code", code)]))]);
        assert_eq!(refusal(&step("not_found")), "refused");
        assert_eq!(refusal(&step("store")), "store");
        assert_eq!(refusal(&step("limit")), "limit");
    }
}
