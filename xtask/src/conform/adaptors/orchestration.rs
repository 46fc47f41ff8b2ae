//! `orchestration_*`: sequences of calls on one store.
//!
//! The outcome has the answer and the writes of every call. [`super::super::recorded`] converts it
//! to the recorded form. This host also does the work of the recorded workers and watchdogs: claim,
//! handle, consume and tick.

use super::caller::{Caller, Played, Refused, member, text};
use std::sync::LazyLock;
use tuckbox::store::table;
use tuckbox::value::json::Object;
use tuckbox::{Env, Error, Json, Timestamp};

pub fn play(caller: &mut Caller, input: &Json) -> Played<Json> {
    let mut host = Host::load(caller, input)?;
    let mut steps = Vec::new();
    let mut ids = Ids::default();
    for step in input.get("steps").and_then(Json::as_array).unwrap_or_default() {
        host.now = text(step, "clock");
        let call = member(step, "call");
        let args = ids.named(&member(&call, "args"));
        check_arguments(text(&call, "op"), &args)?;
        host.deliveries = deliveries(&member(step, "expected"));
        let answer = host.perform(text(&call, "op"), &args);
        ids.learn(&member(step, "expected"), answer.as_ref().ok(), &host.written);
        let mut result = Object::default();
        match answer {
            Ok(value) => result.insert("ok".into(), value),
            Err(Refused(error)) => result.insert("error".into(), error),
        };
        result.insert("args".into(), args);
        result.insert("cards".into(), host.delivered.drain(..).collect());
        result.insert("writes".into(), host.written.drain(..).collect());
        steps.push(Json::Object(result));
    }
    Ok(Json::Array(steps))
}

/// The ids of placeholders that later calls name. That of a batch comes from the answer that
/// created it, that of a turn or a step from the inserted row of the same agent.
#[derive(Default)]
struct Ids(std::collections::BTreeMap<String, String>);

impl Ids {
    fn named(&self, args: &Json) -> Json {
        match args {
            Json::String(text) => Json::from(self.0.get(text).unwrap_or(text).as_str()),
            Json::Array(items) => items.iter().map(|item| self.named(item)).collect(),
            Json::Object(object) => Json::Object(
                object.iter().map(|(key, value)| (key.clone(), self.named(value))).collect(),
            ),
            other => other.clone(),
        }
    }

    fn learn(&mut self, expected: &Json, answer: Option<&Json>, written: &[Json]) {
        let batch = member(&member(expected, "ok"), "batch_id");
        if let (Some(name), Some(id)) =
            (batch.as_str(), answer.map(|answer| text(answer, "batch_id")))
        {
            self.0.insert(name.to_owned(), id.to_owned());
        }
        for (recorded, table, key) in
            [("agent_inbox", "inbox", "inbox_id"), ("agent_steps", "steps", "step_id")]
        {
            let rows = member(&member(&member(expected, "changes"), recorded), "insert");
            let mut made: Vec<(&str, &str)> = Vec::new();
            for writes in written {
                let changes = writes.get("rows").and_then(Json::as_array).unwrap_or_default();
                for change in changes.iter().filter(|change| text(change, "table") == table) {
                    let Some(row) = change.get("row") else { continue };
                    let pair = (text(row, "agent_id"), text(row, key));
                    if !made.contains(&pair) {
                        made.push(pair);
                    }
                }
            }
            for row in rows.as_array().unwrap_or_default() {
                let agent = text(row, "agent_id");
                if let Some(at) = made.iter().position(|(of, _)| *of == agent) {
                    self.0.insert(text(row, key).to_owned(), made.remove(at).1.to_owned());
                }
            }
        }
    }
}

/// The calls that this host makes of several operations, and their arguments.
const OWN: &[(&str, &[&str])] = &[
    ("advance", &[]),
    ("create_batch", &["req"]),
    // the request and the number of its tasks are also in the rows of the batch
    ("activate_batch", &["project_id", "batch_id", "forced_dispatch", "req", "task_count"]),
    ("dispatch_pending", &["limit", "forced_dispatch"]),
    ("enqueue_while_finishing", &["finish", "enqueue", "wakeup"]),
    ("reconcile", &["reconcile_after_seconds", "revert_after_seconds"]),
    ("requeue_stale", &["timeout_seconds"]),
    ("worker_wakeup", &["agent_id", "script", "claim_only"]),
    ("reap_batches", &[]),
    ("g_retry", &[]),
    ("g_reap_dispatched", &[]),
    ("g_poke", &[]),
    ("g_reap_active", &[]),
    ("pmo_tick", &[]),
    ("w_timeouts", &[]),
    ("w_requeue", &[]),
    ("w_reconcile", &["include_received"]),
    ("worker_tick", &[]),
];

/// Fails the case if its call has an argument that the operation lacks.
fn check_arguments(op: &str, args: &Json) -> Played<()> {
    let own = OWN.iter().find(|(name, _)| *name == op);
    let op = if op == "tool_result_for" { "report" } else { op };
    let known = |key: &str| own.map_or_else(|| is_argument(op, key), |(_, own)| own.contains(&key));
    match args.as_object().into_iter().flatten().find(|(key, _)| !known(key)) {
        Some((key, _)) => Err(Error::bad_request(format!("`{op}` has no argument `{key}`")).into()),
        None => Ok(()),
    }
}

/// Returns the cards that recorded tools delivered in a step.
fn deliveries(expected: &Json) -> Vec<Json> {
    let cards = member(&member(&member(expected, "changes"), "cards"), "insert");
    let is_delivery = |card: &&Json| {
        let is_deliverable = text(&member(card, "metadata"), "type") == "task.deliverable";
        let kind = member(&member(&member(card, "content"), "data"), "kind");
        is_deliverable && kind.as_str() != Some("fallback_deliverable")
    };
    let cards = cards.as_array().unwrap_or_default();
    cards.iter().filter(is_delivery).rev().cloned().collect()
}

/// Returns true if the schema of an operation has this argument.
fn is_argument(op: &str, key: &str) -> bool {
    static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
        let text = include_str!("../../../../pkg/schema/operations.json");
        Json::parse(text).unwrap_or_default()
    });
    // by reference: the schema is large
    let at = |path: [&str; 2]| path.iter().try_fold(&*SCHEMA, |json, key| json.get(key));
    let mut schema = at(["operations", op]).and_then(|operation| operation.get("arguments"));
    if let Some(name) = schema.and_then(|schema| schema.get("$ref")).and_then(Json::as_str) {
        schema = at(["$defs", name.trim_start_matches("#/$defs/")]);
    }
    schema.and_then(|schema| schema.get("properties")?.get(key)).is_some()
}

/// A host of a recorded sequence.
struct Host<'a> {
    caller: &'a mut Caller,
    projects: Vec<String>,
    now: &'a str,
    calls: u64,
    settings: Json,
    written: Vec<Json>,
    /// The tool calls with stored edges.
    asked: std::collections::BTreeSet<String>,
    /// True to look also for the cards of calls whose result arrived.
    include_received: bool,
    /// The recorded cards that tools of the step deliver, the last one first.
    deliveries: Vec<Json>,
    /// The cards that tools of the step delivered.
    delivered: Vec<Json>,
}

impl<'a> Host<'a> {
    /// Loads the initial rows of a sequence, converted by `recorded::adopt`.
    fn load(caller: &'a mut Caller, input: &Json) -> Played<Self> {
        let mut projects = vec!["p1".to_owned()];
        for given in super::super::recorded::adopt(input) {
            if !projects.contains(&given.project) {
                projects.push(given.project.clone());
            }
            let project = given.project.as_str();
            let row = Json::Object(given.row.clone());
            match given.table {
                "cards" => caller.put_card(project, &row)?,
                "boxes" => {
                    let ids = row.get("card_ids").and_then(Json::as_array).unwrap_or_default();
                    caller.put_box(project, text(&row, "box_id"), ids);
                }
                "profiles" => caller.put_profile(project, &row)?,
                name => {
                    let table = table::named(name)
                        .ok_or_else(|| Error::bad_request(format!("no table `{name}`")))?;
                    caller.put_row(project, table, given.row);
                }
            }
        }
        let settings = input.get("given").and_then(|given| given.get("settings"));
        let settings =
            Json::Object(settings.and_then(Json::as_object).cloned().unwrap_or_default());
        let (written, asked) = (Vec::new(), std::collections::BTreeSet::new());
        let (deliveries, delivered) = (Vec::new(), Vec::new());
        Ok(Self {
            caller,
            projects,
            now: "",
            calls: 0,
            settings,
            written,
            asked,
            include_received: false,
            deliveries,
            delivered,
        })
    }

    /// Makes a call and commits its writes.
    fn call(&mut self, op: &str, args: &Json) -> Played<Json> {
        let mut call = args.as_object().cloned().unwrap_or_default();
        call.insert("op".into(), op.into());
        call.insert("settings".into(), self.settings.clone());
        let named = text(args, "project_id");
        let project = if named.is_empty() { "p1" } else { named };
        let now = Timestamp::parse(self.now).unwrap_or_default();
        self.calls += 1;
        let mut entropy = [7; 32];
        entropy[..8].copy_from_slice(&self.calls.to_be_bytes());
        let result = self.caller.call(project, &Env::new(now, entropy), Json::Object(call))?;
        self.written.push(result.writes);
        Ok(result.value)
    }

    fn perform(&mut self, op: &str, args: &Json) -> Played<Json> {
        match op {
            "advance" => Ok(Json::Null),
            "create_batch" => self.call(op, &member(args, "req")),
            "activate_batch" | "dispatch_pending" => {
                let mut call = args.as_object().cloned().unwrap_or_default();
                if let Some(forced) = call.remove("forced_dispatch") {
                    call.insert("dispatch_results".into(), forced);
                }
                for gone in ["req", "task_count"] {
                    call.remove(gone);
                }
                self.call(op, &Json::Object(call))
            }
            "turn_tools" => {
                let call = self.named_calls(args)?;
                self.call(op, &call)
            }
            "requeue_stale" => {
                let seconds = member(args, "timeout_seconds");
                let before = self.settings.clone();
                self.set("processing_timeout_seconds", seconds);
                let done = self.perform_due(&["requeue"]);
                self.settings = before;
                let requeued = done?.iter().filter(|done| done.as_bool() == Some(true)).count();
                Ok(Json::from([("requeued", requeued)]))
            }
            "turn_complete" | "turn_fail" | "stop" | "child_event" | "replace_waiting" => {
                self.call(op, args)?;
                Ok(Json::Null)
            }
            "tool_result_for" => self.tool_result(args),
            "worker_wakeup" => self.work(args),
            "reconcile" => self.with_settings(args, &["reconcile"]),
            "reap_batches" => self.tick(&["batches"]),
            "g_retry" => self.tick(&["ring"]),
            "g_reap_dispatched" => self.tick(&["reap_dispatched"]),
            "g_poke" => self.tick(&["poke"]),
            "g_reap_active" => self.tick(&["reap_active"]),
            "pmo_tick" => self.tick(&[
                "ring",
                "reap_dispatched",
                "poke",
                "reap_active",
                "promote",
                "reconcile",
                "dispatch",
                "batches",
            ]),
            "w_timeouts" => self.tick(&["time_out"]),
            "w_requeue" => self.tick(&["requeue"]),
            "w_reconcile" => {
                self.include_received =
                    args.get("include_received").and_then(Json::as_bool) == Some(true);
                let results = self.results(&["take_up"]);
                self.include_received = false;
                results
            }
            "worker_tick" => self.results(&["requeue", "leases", "take_up", "time_out"]),
            "enqueue_while_finishing" => {
                let mut answers = Object::default();
                for (key, op) in
                    [("finish", "finish_idle"), ("enqueue", "enqueue"), ("wakeup", "wakeup")]
                {
                    answers.insert(key.to_owned(), self.call(op, &member(args, key))?);
                }
                Ok(Json::Object(answers))
            }
            _ => self.call(op, args),
        }
    }

    fn set(&mut self, key: &str, value: Json) {
        if let Json::Object(settings) = &mut self.settings {
            settings.insert(key.to_owned(), value);
        }
    }

    fn with_settings(&mut self, args: &Json, rules: &[&str]) -> Played<Json> {
        let before = self.settings.clone();
        for (key, value) in args.as_object().into_iter().flatten() {
            self.set(key, value.clone());
        }
        let answer = self.tick(rules);
        self.settings = before;
        answer
    }

    /// Performs the calls that are due by these rules, rule by rule, in every project.
    fn tick(&mut self, rules: &[&str]) -> Played<Json> {
        self.results(rules)?;
        Ok(Json::Null)
    }

    fn results(&mut self, rules: &[&str]) -> Played<Json> {
        let mut queued = Vec::new();
        for answer in self.perform_due(rules)? {
            let items = answer.get("queued").and_then(Json::as_array).unwrap_or_default();
            queued.extend(items.iter().cloned());
        }
        Ok(Json::from([("queued", Json::Array(queued))]))
    }

    /// Performs the calls that are due by these rules, and returns their answers.
    fn perform_due(&mut self, rules: &[&str]) -> Played<Vec<Json>> {
        let mut answers = Vec::new();
        for rule in rules {
            for project in self.projects.clone() {
                let ask = Json::from([
                    ("rule", Json::from(*rule)),
                    ("project_id", project.as_str().into()),
                ]);
                let due = self.call("due", &ask)?;
                for call in due.get("calls").and_then(Json::as_array).unwrap_or_default() {
                    let mut call = call.as_object().cloned().unwrap_or_default();
                    let op = call.remove("op").unwrap_or_default();
                    call.insert("project_id".into(), project.as_str().into());
                    if *rule == "take_up" && self.include_received {
                        call.insert("include_received".into(), true.into());
                    }
                    answers.push(self.call(op.as_str().unwrap_or_default(), &Json::Object(call))?);
                }
            }
        }
        Ok(answers)
    }

    /// Stores the request and the result of a tool, then reports.
    fn tool_result(&mut self, args: &Json) -> Played<Json> {
        let (rows, card) = super::super::recorded::tool_answer(args, self.now);
        let project = text(args, "project_id").to_owned();
        for (name, row) in rows {
            // a request is stored once
            let key = format!("{project} {}", text(&Json::Object(row.clone()), "edge_id"));
            if let Some(table) = table::named(name)
                && (name != "execution_edges" || self.asked.insert(key))
            {
                self.caller.put_row(&project, table, row);
            }
        }
        self.caller.put_card(&project, &card)?;
        self.call("report", args)
    }

    /// Plays the recorded worker: claim, handle and consume, with a scripted model.
    fn work(&mut self, args: &Json) -> Played<Json> {
        let agent = text(args, "agent_id").to_owned();
        let mut script: Vec<Json> =
            args.get("script").and_then(Json::as_array).unwrap_or_default().to_vec();
        script.reverse();
        let claim_only = args.get("claim_only").and_then(Json::as_bool) == Some(true);
        let ask = Json::from([("agent_id", agent.as_str())]);
        let mut queue: Vec<Json> = Vec::new();
        loop {
            let answer = self.call("claim_inbox", &ask)?;
            let items = answer.get("items").and_then(Json::as_array).unwrap_or_default().to_vec();
            if items.is_empty() {
                break;
            }
            queue.extend(items);
        }
        if claim_only {
            let claimed = queue.iter().map(super::super::recorded::claimed);
            return Ok(Json::from([("queued", claimed.collect::<Json>())]));
        }
        let mut next = 0;
        while let Some(item) = queue.get(next).cloned() {
            next += 1;
            let follow = match self.handle(&item, &mut script) {
                Ok(Some(follow)) => follow,
                Ok(None) => continue,
                Err(error) => return Err(error),
            };
            if let Some(inbox_id) = item.get("inbox_id") {
                self.call(
                    "consume_inbox",
                    &Json::from([
                        ("inbox_id", inbox_id.clone()),
                        ("channel_id", member(&item, "channel_id")),
                    ]),
                )?;
            }
            for follow in follow {
                // a follow-up inherits missing values from its work item
                let mut whole = item.as_object().cloned().unwrap_or_default();
                for gone in ["inbox_id", "payload", "kind"] {
                    whole.remove(gone);
                }
                whole.extend(follow.as_object().cloned().unwrap_or_default());
                queue.push(Json::Object(whole));
            }
            // later messages are claimed at the next wakeup
        }
        Ok(Json::Null)
    }

    /// Handles a work item. Returns `None` if the worker crashed.
    fn handle(&mut self, item: &Json, script: &mut Vec<Json>) -> Played<Option<Vec<Json>>> {
        let queued = |answer: Json| {
            Ok(Some(answer.get("queued").and_then(Json::as_array).unwrap_or_default().to_vec()))
        };
        match text(item, "kind") {
            "stop" => {
                self.call("stop", item)?;
                return Ok(Some(Vec::new()));
            }
            "resume" => return queued(self.call("resume", item)?),
            _ => {}
        }
        if let Some(resume) = item.get("resume") {
            let mut call = item.as_object().cloned().unwrap_or_default();
            call.insert("payload".into(), resume.clone());
            return queued(self.call("resume", &Json::Object(call))?);
        }
        let started = self.call("turn_start", item)?;
        if started.get("entered").and_then(Json::as_bool) != Some(true) {
            return Ok(Some(Vec::new()));
        }
        let mut call = item.as_object().cloned().unwrap_or_default();
        call.insert("step_id".into(), member(&started, "step_id"));
        call.insert("output_box_id".into(), member(&started, "output_box_id"));
        let answer = script.pop().unwrap_or_else(|| Json::from([("final", true)]));
        if answer.get("crash").is_some() {
            return Ok(None);
        }
        let (op, more) = super::super::recorded::model(&answer);
        call.extend(more);
        let call = Json::Object(call);
        let call = if op == "turn_tools" { self.named_calls(&call)? } else { call };
        queued(self.call(op, &call)?)
    }

    /// Names the recorder's tool calls: those without a name are web searches. A tool that delivers
    /// stores its card first.
    fn named_calls(&mut self, args: &Json) -> Played<Json> {
        let mut call = args.as_object().cloned().unwrap_or_default();
        let mut named = Vec::new();
        for tool in args.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            let mut tool = tool.as_object().cloned().unwrap_or_default();
            tool.get_or_insert_with("name", || "web_search".into());
            let delivers = tool.get("outcome").and_then(Json::as_str) == Some("deliver");
            if delivers && let Some(Json::Object(mut card)) = self.deliveries.pop() {
                let card_id = format!("{:032x}", 0xd0 + self.delivered.len());
                card.insert("card_id".into(), card_id.as_str().into());
                card.remove("created_at");
                let card = Json::Object(card);
                self.caller.put_card("p1", &card)?;
                self.delivered.push(card);
                tool.insert("card_ids".into(), Json::from(vec![card_id]));
            }
            named.push(Json::Object(tool));
        }
        call.insert("tool_calls".into(), Json::Array(named));
        Ok(Json::Object(call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_arguments_fail_a_case() {
        let fails =
            |op: &str, args: &str| check_arguments(op, &Json::parse(args).unwrap()).is_err();
        assert!(!fails("has_open", r#"{"agent_id": "a"}"#));
        assert!(fails("has_open", r#"{"agent_id": "a", "agent": "b"}"#));
        assert!(!fails("worker_wakeup", r#"{"agent_id": "a", "script": []}"#));
        assert!(fails("worker_wakeup", r#"{"agent_id": "a", "scripts": []}"#));
        assert!(fails("unknown_operation", r#"{"agent_id": "a"}"#));
    }

    #[test]
    fn delivered_cards_are_those_of_tools() {
        let expected = r#"{"changes": {"cards": {"insert": [
            {"card_id": "$id1", "metadata": {"type": "tool.result"}},
            {"card_id": "$id2", "metadata": {"type": "task.deliverable"}, "content": {"text": "t"}},
            {"card_id": "$id3", "metadata": {"type": "task.deliverable"},
                "content": {"data": {"kind": "fallback_deliverable"}}}]}}}"#;
        let found = deliveries(&Json::parse(expected).unwrap());
        assert_eq!(found.iter().map(|card| text(card, "card_id")).collect::<Vec<_>>(), ["$id2"]);
    }
}
