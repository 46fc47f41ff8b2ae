//! Recipes that run: what a recipe packs is dispatched in the same batch that packs it.

use super::batch::{self, BatchRequest, TaskSpec};
use super::desk::{Desk, Run, Stop, text_of};
use super::dispatch::{self, Dispatch};
use super::message::object;
use super::rows::{Head, Roster};
use super::settings::RunSettings;
use super::{follows, keys, l0, trace};
use crate::agents::Setup;
use crate::rule::{AnyOutcome, Call, Outcome, Rule, Step};
use crate::store::table::{PROJECT_AGENTS, PROJECT_PROFILES};
use crate::store::{BoxChange, Expectation, Kind, List, Lookup, Reads, RowKey, Snapshot, Version};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, listed, to_json};
use crate::value::limits::{Limits, within};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// A call of a recipe, to be dispatched: `{"call": {"op": "delegate_async", ..}, ..}`.
///
/// The answer has what was handed over under `handed`, what became of it under `result`, and
/// whether the calling turn waits under `defer_resume`. Nothing is written unless it is accepted,
/// and nothing when a `fork_join` was handed out before: then `handed` is null, and `result` is that
/// of the first time.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::json;
/// use tuckbox::run::HandOut;
///
/// let call = json!({"op": "delegate_async", "source_agent_id": "ann", "arguments": {
///     "target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it."}});
/// assert!(HandOut::from_json(&json!({"call": call}), &Setup::default()).is_ok());
/// let error = HandOut::from_json(&json!({"call": {"op": "create_box"}}), &Setup::default()).err().unwrap();
/// assert_eq!(error.path().to_string(), "call.op");
/// ```
pub struct HandOut {
    call: Call,
    args: Object,
    settings: RunSettings,
    limits: Limits,
}

impl HandOut {
    /// Reads the call.
    ///
    /// # Errors
    /// `bad_request` when `call` is no call of a recipe, or something is told that it does not have.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let fields = Field::root(json).object()?;
        keys::check("hand_out", &fields)?;
        let inner = fields.required("call")?;
        let op = inner.object()?.required("op")?;
        let recipes = ["delegate_async", "launch_principal", "ask_expert", "fork_join"];
        if !recipes.contains(&op.string()?) {
            let known = listed(&recipes);
            return Err(op.error(format!("`{}` is no recipe; known are {known}", op.string()?)));
        }
        let settings = match fields.optional("settings") {
            Some(settings) => RunSettings::from_fields(&settings.object()?)?,
            None => RunSettings::default(),
        };
        let call = setup.read_call(inner.json())?;
        Ok(Self { call, args: fields.json().clone(), settings, limits: setup.defaults.limits })
    }

    fn text(&self, key: &str) -> Option<String> {
        text_of(&self.args, key)
    }

    /// The headers of a child: one deeper than its parent, on the parent's trace.
    fn headers(&self, depth: i64) -> Object {
        let mut headers = trace::headers_of(self.args.get("headers"));
        headers.insert("CG-Recursion-Depth".into(), depth.to_string().into());
        headers
    }

    fn sender(&self) -> String {
        let call = self.args.get("call").and_then(Json::as_object);
        call.and_then(|call| text_of(call, "source_agent_id")).unwrap_or_default()
    }

    /// How deep a child stands: as its request says, or one below the turn of its caller.
    fn depth(&self, desk: &mut Desk<'_>, request: &Json) -> Run<i64> {
        let told = request.get("recursion_depth").and_then(Json::as_number);
        if let Some(told) = told.and_then(|depth| depth.whole()) {
            return Ok(told);
        }
        let head = desk.get::<Head>(&[self.sender().trim()])?;
        Ok(head.map_or(0, |head| head.active_recursion_depth).saturating_add(1))
    }

    fn dispatch(&self, desk: &mut Desk<'_>, handed: Json) -> Run<Object> {
        let request = handed.get("dispatch").cloned().unwrap_or_default();
        let of = |key: &str| request.get(key).and_then(Json::as_str).map(str::to_owned);
        let depth = self.depth(desk, &request)?;
        let call = Dispatch {
            project_id: desk.project(),
            channel_id: self.text("channel_id").unwrap_or_else(|| "public".into()),
            agent_id: of("target_agent_id").unwrap_or_default(),
            profile_box_id: of("profile_box_id"),
            context_box_id: of("context_box_id"),
            output_box_id: of("output_box_id"),
            headers: self.headers(depth),
            parent_agent_turn_id: self.text("parent_agent_turn_id"),
            parent_tool_call_id: self.text("parent_tool_call_id"),
            parent_step_id: self.text("parent_step_id"),
            display_name: of("display_name"),
            emit_state_event: true,
            publish_turn: true,
            ..Dispatch::default()
        };
        let done = to_json(&dispatch::dispatch(desk, &call)?)?;
        let mut result = done.as_object().cloned().unwrap_or_default();
        result.insert("agent_id".into(), call.agent_id.into());
        if text_of(&result, "status").as_deref() == Some("accepted") {
            result.insert("context_box_id".into(), call.context_box_id.into());
        } else {
            // nothing of it is written: there is no turn and no box to name
            result.retain(|key, _| {
                !matches!(key.as_str(), "agent_turn_id" | "turn_epoch" | "output_box_id")
            });
        }
        Ok(object! { "handed" => handed, "result" => result, "defer_resume" => false })
    }

    /// For whom a batch is made.
    fn parent(&self, source_agent_id: String) -> BatchRequest {
        BatchRequest {
            source_agent_id,
            channel_id: Some(self.text("channel_id").unwrap_or_else(|| "public".into())),
            parent_agent_turn_id: self.text("parent_agent_turn_id").unwrap_or_default(),
            parent_turn_epoch: l0::number_of(&self.args, "parent_turn_epoch").unwrap_or(0),
            parent_tool_call_id: self.text("parent_tool_call_id").unwrap_or_default(),
            parent_step_id: self.text("parent_step_id"),
            ..BatchRequest::default()
        }
    }

    fn fork(&self, desk: &mut Desk<'_>, handed: Json) -> Run<Object> {
        let mut tasks = Vec::new();
        let mut depth = 0;
        for task in handed.get("tasks").and_then(Json::as_array).unwrap_or_default() {
            let none = Json::Null;
            let inner = task.get("handed").unwrap_or(&none);
            let request = inner.get("dispatch").unwrap_or(&none);
            let of = |key: &str| request.get(key).and_then(Json::as_str).map(str::to_owned);
            depth = self.depth(desk, request)?;
            let member = |from: &Json, key: &str| from.get(key).cloned().unwrap_or_default();
            tasks.push(TaskSpec {
                agent_id: of("target_agent_id"),
                profile_box_id: of("profile_box_id"),
                context_box_id: of("context_box_id"),
                output_box_id: of("output_box_id"),
                task_args: Json::Object(object! {
                    "task_index" => member(task, "task_index"), "label" => member(task, "label"),
                    "instruction" => member(inner, "instruction"),
                    "target_strategy" => member(inner, "target_strategy"),
                    "target_ref" => member(inner, "target_ref"),
                    "profile_name" => member(inner, "profile_name"),
                }),
                ..TaskSpec::default()
            });
        }
        let inner = self.args.get("call").and_then(Json::as_object).cloned().unwrap_or_default();
        let seconds = handed.get("deadline_seconds").and_then(Json::as_number);
        #[allow(clippy::cast_possible_truncation)]
        let seconds = seconds.map(|seconds| seconds.as_f64().ceil() as i64);
        let headers = trace::headers_of(self.args.get("headers"));
        let request = BatchRequest {
            tool_suffix: text_of(&inner, "tool_suffix"),
            structured_output: handed
                .get("structured_output")
                .and_then(Json::as_str)
                .map(str::to_owned),
            fail_fast: handed.get("fail_fast").and_then(Json::as_bool).unwrap_or(false),
            deadline_seconds: seconds,
            trace_id: self.text("trace_id"),
            parent_traceparent: trace::header(&headers, "traceparent"),
            recursion_depth: Some((depth - 1).max(0)),
            tasks,
            ..self.parent(self.sender())
        };
        if request.parent_tool_call_id.is_empty() || request.parent_agent_turn_id.is_empty() {
            let text = "a batch answers a tool call: `parent_agent_turn_id`, `parent_turn_epoch` and `parent_tool_call_id` say which";
            return Err(Error::bad_request(text)
                .at(Path::root().key("parent_tool_call_id"))
                .into());
        }
        let (made, tasks) = batch::create(desk, &request)?;
        let result = object! {
            "status" => "accepted", "batch_id" => made.batch_id.as_str(), "task_count" => made.task_count,
        };
        if tasks.is_empty() {
            return Ok(
                object! { "handed" => Json::Null, "result" => result, "defer_resume" => true },
            );
        }
        batch::activate(desk, made, tasks, None)?;
        Ok(object! { "handed" => handed, "result" => result, "defer_resume" => true })
    }

    /// The reads of the recipe with everything that handing out will look at: whom it asks for is
    /// known before anything is packed, so that both take two rounds and not two each.
    fn with_own(&self, reads: &Reads, snapshot: &Snapshot, env: &Env) -> Result<Reads> {
        let project = snapshot.project_id();
        let mut desk = Desk::new(snapshot, env, &self.settings, self.limits);
        let mut named = Reads::new(project.clone());
        let sender = self.sender();
        // while it knows nothing, the recipe names everybody who takes part
        if let Step::Need(first) = self.call.step(&Snapshot::new(project.clone()), env)? {
            for agent in first.of(Kind::Agents) {
                l0::want_promotion(&mut desk, agent);
                follows::add_party(&mut named, agent);
                add_profile(&mut named, snapshot, agent, agent == sender.trim());
            }
        }
        if self.text("parent_tool_call_id").is_some() {
            batch::want_start(&mut desk, &self.parent(sender));
        }
        let mut all = snapshot.unread_following(&named);
        all.extend(&desk.into_needs()).extend(reads);
        Ok(all)
    }

    fn run(&self, desk: &mut Desk<'_>, packed: &AnyOutcome) -> Run<Object> {
        for agent in &packed.writes.agents {
            let id = agent.agent_id.as_str();
            desk.made(id);
            let row = Roster {
                agent_id: id.to_owned(),
                in_roster: Some(true),
                profile_box_id: agent.profile_box_id.as_ref().map(|id| id.as_str().to_owned()),
                worker_target: agent.worker_target.clone(),
                tags: Some(Json::from(agent.tags.clone())),
                display_name: agent.display_name.clone(),
                status: Some("active".into()),
                created_at: Some(desk.now()),
                ..Roster::default()
            };
            desk.put(&row, "hand_out", "a receiver that the recipe made")?;
        }
        let handed = packed.value.to_json()?;
        if handed.get("tasks").is_some() {
            self.fork(desk, handed)
        } else {
            self.dispatch(desk, handed)
        }
    }
}

/// Adds what is still to be read of the profile of an agent whose rows are known: its name, and where
/// the registry keeps no policy, the cards that the policy of the sender stands in.
fn add_profile(reads: &mut Reads, snapshot: &Snapshot, agent: &str, sends: bool) {
    let Lookup::Present(row) = snapshot.row_of(&RowKey::new(&PROJECT_AGENTS, [agent])) else {
        return;
    };
    let Some(box_id) = text_of(&row.row, "profile_box_id") else { return };
    let list = List::new(&PROJECT_PROFILES, "by_box", [box_id.as_str()], 1);
    let profile = list.and_then(|list| match snapshot.list(&list) {
        Lookup::Present(rows) => rows.first(),
        Lookup::Absent | Lookup::Failed(_) | Lookup::NotRead => None,
    });
    if let Some(name) = profile.and_then(|profile| text_of(&profile.row, "name")) {
        reads.add(Kind::Profiles, &name);
    }
    let policy = profile.and_then(|profile| profile.row.get("delegation_policy"));
    if sends
        && policy.is_none_or(Json::is_null)
        && let Lookup::Present(card_box) = snapshot.card_box(&box_id)
    {
        for card_id in card_box.card_ids.iter() {
            reads.add(Kind::Cards, card_id);
        }
    }
}

impl Rule for HandOut {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let packed = match self.call.step(snapshot, env)? {
            Step::Need(reads) => return Ok(Step::Need(self.with_own(&reads, snapshot, env)?)),
            Step::Done(packed) => packed,
        };
        let ids = packed.writes.boxes.iter().map(|change| match change {
            BoxChange::Create { card_box } => card_box.card_ids.len(),
            BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. } => 0,
        });
        let ids: usize = ids.sum();
        let what = "the call hands {} card ids over, and answers with each";
        within(ids, self.limits.max_values, "max_values", what, &Path::root().key("call"))?;
        let mut after = snapshot.clone();
        after.apply(&packed.writes);
        // ids of its own: the recipe has used those of the call
        let mut entropy = env.entropy;
        entropy.iter_mut().for_each(|byte| *byte ^= 0x5A);
        let own = Env::new(env.now, entropy);
        let mut desk = Desk::new(&after, &own, &self.settings, self.limits);
        let value = match self.run(&mut desk, &packed) {
            Ok(value) => value,
            Err(Stop::Need) => return Ok(desk.need()),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let status = value.get("result").and_then(|result| result.get("status"));
        let accepted = status.and_then(Json::as_str) == Some("accepted");
        let before = value.get("handed").is_some_and(Json::is_null);
        let (more, transitions) = desk.done()?;
        let mut writes = packed.writes;
        let mut ledger = packed.ledger;
        if !accepted || before {
            let nothing = crate::store::Writes::new(
                writes.project_id.clone(),
                writes.operation_id.clone(),
                writes.at,
            );
            return Ok(Step::Done(Outcome {
                value: Json::Object(value),
                writes: nothing,
                ledger,
                lints: packed.lints,
            }));
        }
        let made: StrMap<()> =
            writes.boxes.iter().map(|change| (change.box_id().as_str(), ())).collect();
        writes.agents.clear();
        writes.cards.extend(more.cards);
        writes.boxes.extend(more.boxes);
        writes.rows.extend(more.rows);
        let of_this = |key: &[String]| key.first().is_some_and(|first| made.contains_key(first));
        let name = |of: &Expectation| format!("{} {}", of.table, of.id());
        let mut known: StrMap<Option<&Version>> = StrMap::new();
        for expected in &writes.expects {
            known.insert(name(expected), expected.version.as_ref());
        }
        let is_known =
            |expected: &Expectation| known.get(&name(expected)) == Some(&expected.version.as_ref());
        let more = more.expects.into_iter();
        let added: Vec<Expectation> =
            more.filter(|expected| !of_this(&expected.key) && !is_known(expected)).collect();
        writes.expects.extend(added);
        ledger.transitions = transitions;
        Ok(Step::Done(Outcome { value: Json::Object(value), writes, ledger, lints: packed.lints }))
    }
}
