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
        let answer = host.perform(text(&call, "op"), &args);
        ids.learn(&member(step, "expected"), answer.as_ref().ok(), &host.written);
        let mut result = Object::default();
        match answer {
            Ok(value) => result.insert("ok".into(), value),
            Err(Refused(error)) => result.insert("error".into(), error),
        };
        result.insert("args".into(), args);
        result.insert("writes".into(), host.written.drain(..).collect());
        steps.push(Json::Object(result));
    }
    Ok(Json::Array(steps))
}

/// The ids of placeholders that later calls name: a batch from the answer that created it, a turn
/// and a step from the inserted row of the same agent.
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
        let settings = settings.cloned().unwrap_or_default();
        let (written, asked) = (Vec::new(), std::collections::BTreeSet::new());
        Ok(Self { caller, projects, now: "", calls: 0, settings, written, asked })
    }

    /// Makes a call and commits its writes.
    fn call(&mut self, op: &str, args: &Json) -> Played<Json> {
        let mut call = args.as_object().cloned().unwrap_or_default();
        // recorded calls have arguments that ours do not need
        call.retain(|key, _| is_argument(op, key));
        call.insert("op".into(), op.into());
        if !self.settings.is_null() {
            call.insert("settings".into(), self.settings.clone());
        }
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
                self.call(op, &Json::Object(call))
            }
            "turn_tools" => self.call(op, &named_calls(args)),
            "turn_complete" | "turn_fail" | "stop" | "child_event" => {
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
            "w_reconcile" => self.results(&["take_up"]),
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

    fn with_settings(&mut self, args: &Json, rules: &[&str]) -> Played<Json> {
        let before = self.settings.clone();
        if args.as_object().is_some_and(|args| !args.is_empty()) {
            self.settings = args.clone();
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
                    let answer = self.call(op.as_str().unwrap_or_default(), &Json::Object(call))?;
                    let items = answer.get("queued").and_then(Json::as_array).unwrap_or_default();
                    queued.extend(items.iter().cloned());
                }
            }
        }
        Ok(Json::from([("queued", Json::Array(queued))]))
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
        let call = if op == "turn_tools" { named_calls(&call) } else { call };
        queued(self.call(op, &call)?)
    }
}

/// Names the recorder's tool calls, which have no name: all are web searches.
fn named_calls(args: &Json) -> Json {
    let mut call = args.as_object().cloned().unwrap_or_default();
    let calls = args.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    let name = |call: &Json| {
        let mut call = call.as_object().cloned().unwrap_or_default();
        call.get_or_insert_with("name", || "web_search".into());
        Json::Object(call)
    };
    call.insert("tool_calls".into(), calls.iter().map(name).collect());
    Json::Object(call)
}
