//! The operations of orchestration, as calls.

use super::args::{Args, asked, batch_request, expectation, spec, status_of};
use super::batch::{self, ChildEvent};
use super::desk::{Desk, Run, Stop, text_of};
use super::identity::{self, Spec};
use super::l0::{self, Lease};
use super::message::{object, wakeup};
use super::rows::{Batch, Edge, Head, Inbox, StepRow, Task, Waiting};
use super::settings::RunSettings;
use super::tools::{self, Called};
use super::turn;
use super::watch::{self, Reap};
use super::words::{BatchStatus, HeadStatus};
use super::work::Work;
use super::{dispatch, due, follows, give_back, inbox, keys, outbox, resume, state};
use crate::agents::Setup;
use crate::rule::ledger::Ledger;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, listed, to_json};
use crate::value::limits::Limits;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// A call of one operation of orchestration.
///
/// ```
/// use tuckbox::{Env, Json, MemoryStore, Snapshot, Store, Timestamp};
/// use tuckbox::{rule, run::RunCall, store::table};
///
/// let mut store = MemoryStore::new();
/// let row = Json::parse(r#"{"agent_id": "a1", "worker_target": "generic"}"#)?;
/// store.project("demo").add_row(&table::PROJECT_AGENTS, row.as_object().unwrap().clone());
///
/// let call = RunCall::from_json("enqueue", &Json::parse(r#"{
///     "op": "enqueue", "target_agent_id": "a1", "message_type": "note", "payload": {"text": "hi"},
///     "headers": {"CG-Recursion-Depth": "0"}}"#)?)?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
/// assert_eq!(preview.value.get("status").and_then(Json::as_str), Some("accepted"));
/// // the message, its edge, and the doorbell that goes out with them
/// assert_eq!(preview.writes.rows.len(), 3);
/// assert_eq!(preview.ledger.transitions[0].rule, "enqueue");
/// store.commit(&preview.writes)?;
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct RunCall {
    perform: Perform,
    call: Json,
    settings: RunSettings,
    limits: Limits,
}

type Perform = fn(&mut Desk<'_>, &Args<'_>) -> Run<Json>;

macro_rules! operations {
    ($($name:literal => $perform:expr,)*) => {
        /// The names of the operations of orchestration.
        ///
        /// ```
        /// assert!(tuckbox::run::OPERATIONS.contains(&"enqueue"));
        /// ```
        pub const OPERATIONS: &[&str] = &[$($name,)*];

        fn named(name: &str) -> Option<Perform> {
            match name {
                $($name => Some($perform),)*
                _ => None,
            }
        }
    };
}

operations! {
    "enqueue" => |desk, args| value(&l0::enqueue(desk, &args.send(desk)?)?),
    "report" => |desk, args| value(&l0::report(desk, &args.send(desk)?)?),
    "join" => |desk, args| value(&l0::join(desk, &args.join(desk)?)?),
    "run_state" => run_state,
    "cancel" => cancel,
    "wakeup" => ring,
    "dispatch" => |desk, args| value(&dispatch::dispatch(desk, &args.dispatch(desk)?)?),
    "ensure_agent" => ensure_agent,
    "provision_identity" => provision_identity,
    "lease" => lease,
    "state_update" => state_update,
    "finish_idle" => finish_idle,
    "replace_waiting" => |desk, args| {
        state::replace_waiting(desk, &args.work()?, &args.calls(desk)?)
    },
    "mark_received" => |desk, args| mark(desk, args, false),
    "mark_applied" => |desk, args| mark(desk, args, true),
    "ledger_claim" => ledger_claim,
    "ledger_requeue_expired" => |desk, args| {
        let requeued = state::requeue_expired(desk, args.text("lease_owner")?.as_deref())?;
        Ok(Json::Object(object! { "requeued" => requeued }))
    },
    "inbox_status" => inbox_status,
    "has_open" => has_open,
    "claim_inbox" => claim_inbox,
    "consume_inbox" => |desk, args| {
        let channel = args.text("channel_id")?;
        let updated = inbox::consume(desk, &args.need("inbox_id")?, channel.as_deref())?;
        Ok(Json::Object(object! { "updated" => updated }))
    },
    "requeue_inbox" => |desk, args| Ok(watch::requeue(desk, &args.need("inbox_id")?)?.into()),
    "poke_inbox" => |desk, args| Ok(watch::poke(desk, &args.need("inbox_id")?)?.into()),
    "turn_start" => |desk, args| Ok(Json::Object(turn::start(desk, &args.work()?)?)),
    "turn_tools" => turn_tools,
    "turn_complete" => |desk, args| {
        let thought = args.thought()?;
        let done = worked(desk, args, |desk, work| turn::complete(desk, work, thought.as_ref()))?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "turn_fail" => |desk, args| {
        let error = args.text("error")?.unwrap_or_else(|| "failed".into());
        let code = args.text("error_code")?;
        let thought = args.thought()?;
        let done = worked(desk, args, |desk, work| {
            turn::fail(desk, work, thought.as_ref(), &error, code.as_deref())
        })?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "turn_give_back" => |desk, args| Ok(Json::Object(give_back::give_back(desk, &args.work()?)?)),
    "resume" => |desk, args| {
        let payload = args.object("payload")?;
        let items = worked(desk, args, |desk, work| resume::resume(desk, work, &payload))?;
        Ok(Json::Object(object! { "queued" => items }))
    },
    "stop" => |desk, args| {
        let reason = text_of(&args.object("payload")?, "reason");
        let done = worked(desk, args, |desk, work| turn::stop(desk, work, reason.as_deref()))?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "ring_again" => |desk, args| Ok(watch::ring(desk, &args.need("agent_id")?)?.into()),
    "reap_turn" => reap_turn,
    "reclaim_agent" => |desk, args| Ok(watch::reclaim(desk, &args.need("agent_id")?)?.into()),
    "tool_call" => |desk, args| value(&l0::tool_call(desk, &args.join(desk)?)?),
    "time_out_tools" => |desk, args| Ok(watch::time_out(desk, &args.need("agent_id")?)?.into()),
    "take_up_results" => |desk, args| {
        let owner = args.text("owner")?.unwrap_or_else(|| "agent-worker:1".into());
        let agent = args.need("agent_id")?;
        follows::want_turn(desk, &agent);
        if !inbox::serves(desk, &agent, args.worker_targets()?.as_deref())? {
            return Ok(Json::Object(object! { "queued" => Vec::<Object>::new() }));
        }
        let items = watch::take_up(desk, &agent, &owner)?;
        Ok(Json::Object(object! { "queued" => items }))
    },
    "due" => due,
    "create_batch" => create_batch,
    "activate_batch" => activate_batch,
    "dispatch_pending" => dispatch_pending,
    "dispatch_task" => dispatch_task,
    "child_event" => child_event,
    "reconcile_task" => |desk, args| {
        Ok(batch::reconcile_task(desk, &args.need("batch_task_id")?)?.into())
    },
    "end_batch" => end_batch,
    "build_batch_result" => build_batch_result,
    "outbox" => outbox::outbox,
    "mark_sent" => outbox::mark_sent,
}

impl RunCall {
    /// Reads a call of the operation `op`. Settings that differ from the defaults stand under
    /// `settings`.
    ///
    /// # Errors
    /// `bad_request` when `op` is no operation of orchestration, the call names an argument that it
    /// does not have, or the settings are none.
    pub fn from_json(op: &str, call: &Json) -> Result<Self> {
        Self::of(op, call.clone())
    }

    /// As [`RunCall::from_json`], under the limits of a project.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(op: &str, call: &Json, setup: &Setup) -> Result<Self> {
        Ok(Self { limits: setup.defaults.limits, ..Self::from_json(op, call)? })
    }

    /// As [`RunCall::from_json`], with a call that nobody else needs.
    pub(super) fn of(op: &str, call: Json) -> Result<Self> {
        let fields = Field::root(&call).object()?;
        let perform = named(op).ok_or_else(|| {
            Error::bad_request(format!("`{op}` is no operation of orchestration"))
        })?;
        keys::check(op, &fields)?;
        let settings = match fields.optional("settings") {
            Some(settings) => RunSettings::from_fields(&settings.object()?)?,
            None => RunSettings::default(),
        };
        Ok(Self { perform, call, settings, limits: Limits::default() })
    }

    /// What the operation `op` may be told.
    ///
    /// ```
    /// use tuckbox::run::RunCall;
    ///
    /// assert!(RunCall::arguments("ring_again").eq(["op", "project_id", "settings", "agent_id"]));
    /// ```
    pub fn arguments(op: &str) -> impl Iterator<Item = &'static str> {
        keys::known(op).into_iter().flatten().copied()
    }

    /// The same call under other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }
}

impl Rule for RunCall {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let args = Args(Field::root(&self.call).object()?);
        if let Some(project) = args.0.optional("project_id") {
            let named = project.string()?;
            if !named.is_empty() && named != snapshot.project_id().as_str() {
                return Err(project.error(format!("`{named}` is not the project of this call")));
            }
        }
        let mut desk = Desk::new(snapshot, env, &self.settings, self.limits);
        match (self.perform)(&mut desk, &args) {
            Ok(value) => {
                let (writes, transitions) = desk.done()?;
                let ledger = Ledger { transitions, ..Ledger::default() };
                Ok(Step::Done(Outcome { value, writes, ledger, lints: Vec::new() }))
            }
            Err(Stop::Need) => Ok(desk.need()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

fn value(answer: &impl serde::Serialize) -> Run<Json> {
    Ok(to_json(answer)?)
}

/// What runs in a project, at one agent, or in one batch.
fn run_state(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    fn shown<R: super::rows::Row>(rows: &[R]) -> Json {
        rows.iter().map(|row| Json::Object(row.write())).collect()
    }
    let limit = args.limit(desk, 100)?;
    if let Some(batch_id) = args.text("batch_id")? {
        desk.want::<Batch>(&[&batch_id]);
        desk.want_list::<Edge>("by_correlation", &[&batch_id, "request"], limit);
        desk.want_list::<Edge>("by_correlation", &[&batch_id, "response"], limit);
        let tasks = desk.list::<Task>("by_batch", &[&batch_id], limit)?;
        let batches: Vec<Batch> = desk.get::<Batch>(&[&batch_id])?.into_iter().collect();
        let mut edges = desk.list::<Edge>("by_correlation", &[&batch_id, "request"], limit)?;
        edges.extend(desk.list::<Edge>("by_correlation", &[&batch_id, "response"], limit)?);
        return Ok(Json::Object(object! {
            "batches" => shown(&batches), "tasks" => shown(&tasks), "edges" => shown(&edges),
        }));
    }
    if let Some(agent) = args.text("agent_id")? {
        let states = ["queued", "pending", "processing"];
        for status in states {
            desk.want_list::<Inbox>("in_order", &[&agent, status], limit);
        }
        desk.want_list::<Waiting>("by_agent", &[&agent], limit);
        let heads: Vec<Head> = desk.get::<Head>(&[&agent])?.into_iter().collect();
        let turn =
            heads.first().and_then(|head| head.active_agent_turn_id.clone()).unwrap_or_default();
        let steps = desk.list::<StepRow>("by_turn", &[&agent, &turn], limit)?;
        let mut queued = Vec::new();
        for status in states {
            queued.extend(desk.list::<Inbox>("in_order", &[&agent, status], limit)?);
        }
        let waiting = desk.list::<Waiting>("by_agent", &[&agent], limit)?;
        return Ok(Json::Object(object! {
            "agents" => shown(&heads), "queued" => shown(&queued), "waiting" => shown(&waiting),
            "steps" => shown(&steps),
        }));
    }
    let states = ["dispatched", "running", "suspended", "idle"];
    for status in states {
        desk.want_list::<Head>("by_status", &[status], limit);
    }
    desk.want_list::<Batch>("by_status", &["running"], limit);
    let queued = desk.list::<Inbox>("by_status", &["queued"], limit)?;
    let mut heads = Vec::new();
    for status in states {
        heads.extend(desk.list::<Head>("by_status", &[status], limit)?);
    }
    let batches = desk.list::<Batch>("by_status", &["running"], limit)?;
    Ok(Json::Object(object! {
        "agents" => shown(&heads), "queued" => shown(&queued), "batches" => shown(&batches),
    }))
}

fn cancel(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let (agent, turn) = (args.need("target_agent_id")?, args.need("agent_turn_id")?);
    let reason = args.text("reason")?;
    let metadata = args.json("metadata").and_then(Json::as_object);
    value(&l0::cancel(desk, &agent, &turn, reason.as_deref(), metadata)?)
}

fn ring(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let agent = args.need("target_agent_id")?;
    let metadata = args.json("metadata").and_then(Json::as_object).cloned();
    let reason = args.text("reason")?;
    if args.text("mode")?.as_deref() == Some("dispatch_next") {
        let promoted = l0::promote(desk, &agent)?;
        if let Some(promoted) = &promoted {
            let reason = reason.unwrap_or_else(|| "dispatch_next".into());
            l0::ring_promoted(desk, &agent, promoted, &reason, metadata)?;
        }
        return value(&l0::Answer::accepted(promoted.map(|promoted| promoted.to_object())));
    }
    let mut extra = Object::default();
    for (key, text) in [("inbox_id", args.text("inbox_id")?), ("reason", reason)] {
        if let Some(text) = text {
            extra.insert(key.to_owned(), text.into());
        }
    }
    if let Some(metadata) = metadata {
        extra.insert("metadata".into(), Json::Object(metadata));
    }
    let headers = args.json("headers").and_then(Json::as_object).cloned();
    wakeup(desk, &agent, &args.channel()?, extra, headers)?;
    value(&l0::Answer::accepted(None))
}

fn ensure_agent(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let mut spec = match args.0.optional("spec") {
        Some(given) => spec(&Args::only(&given, keys::SPEC)?)?,
        None => Spec::default(),
    };
    spec.derived = args.text("kind")?.as_deref() == Some("derived");
    value(&identity::make_ready(desk, &asked(args, "agent_id")?, &spec)?)
}

fn provision_identity(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    for key in ["target_agent_id", "action", "profile_box_id", "worker_target"] {
        let field = args.0.required(key)?;
        if field.string()?.is_empty() {
            return Err(field.error(format!("`{key}` is empty")).into());
        }
    }
    value(&identity::make_ready(desk, &asked(args, "target_agent_id")?, &spec(args)?)?)
}

fn lease(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let epoch = l0::lease(
        desk,
        &Lease {
            agent_id: args.need("agent_id")?,
            agent_turn_id: args.need("agent_turn_id")?,
            channel_id: args.text("active_channel_id")?,
            profile_box_id: args.text("profile_box_id")?,
            context_box_id: args.text("context_box_id")?,
            output_box_id: args.text("output_box_id")?,
            parent_step_id: args.text("parent_step_id")?,
            trace_id: args.text("trace_id")?,
            depth: args.number("active_recursion_depth")?.unwrap_or(0),
        },
    )?;
    Ok(Json::Object(object! { "turn_epoch" => epoch }))
}

fn state_update(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let field = args.0.required("new_status")?;
    let status = HeadStatus::named(field.string()?)
        .ok_or_else(|| field.error("`new_status` is no status of an agent"))?;
    let raise = args.flag("bump_epoch")?.unwrap_or(false);
    let updated = state::update(desk, &expectation(args)?, status, raise)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn finish_idle(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let raise = args.flag("bump_epoch")?.unwrap_or(false);
    let last = args.text("last_output_box_id")?;
    let updated = state::finish_idle(desk, &expectation(args)?, raise, last.as_deref())?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn mark(desk: &mut Desk<'_>, args: &Args<'_>, applied: bool) -> Run<Json> {
    let card = args.text("tool_result_card_id")?;
    let work = args.work()?;
    let updated = state::mark(desk, &work, &args.need("tool_call_id")?, card.as_deref(), applied)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn ledger_claim(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(desk, 20)?;
    let seconds = args.number("lease_seconds")?.unwrap_or(desk.settings.resume_lease_seconds);
    let owner = args.need("lease_owner")?;
    let claimed = state::claim_results(desk, &args.work()?, &owner, seconds, limit)?;
    Ok(Json::Object(object! { "claimed" => claimed }))
}

fn inbox_status(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let status = status_of(args, "status")?.unwrap_or_default();
    let expected = status_of(args, "expected_status")?;
    let updated = inbox::set_status(desk, &args.need("inbox_id")?, status, expected)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn has_open(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let agent = args.need("agent_id")?;
    let other = args.text("exclude_inbox_id")?;
    let states = ["queued", "pending", "processing"];
    for status in states {
        desk.want_list::<Inbox>("in_order", &[&agent, status], 2);
    }
    let mut open = false;
    for status in states {
        let rows = desk.list::<Inbox>("in_order", &[&agent, status], 2)?;
        open |= rows.iter().any(|row| Some(&row.inbox_id) != other.as_ref());
    }
    Ok(Json::Object(object! { "open" => open }))
}

fn claim_inbox(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.number("limit")?.unwrap_or(desk.settings.fetch_limit);
    let limit = usize::try_from(limit).unwrap_or(1).min(desk.most_rows());
    let targets = args.worker_targets()?;
    let items = inbox::claim(desk, &args.need("agent_id")?, limit, targets.as_deref())?;
    Ok(Json::Object(object! { "items" => items }))
}

/// Works on a turn, and consumes the message that the work came with, whatever became of it.
fn worked<T>(
    desk: &mut Desk<'_>,
    args: &Args<'_>,
    perform: impl FnOnce(&mut Desk<'_>, &Work) -> Run<T>,
) -> Run<T> {
    let work = args.work()?;
    work.want_message(desk);
    let done = perform(desk, &work)?;
    work.consume(desk)?;
    Ok(done)
}

fn turn_tools(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let calls = args.calls(desk)?;
    let timeouts = args.object("tool_suspend_timeouts")?;
    let seconds = |call: &Called| {
        let given = timeouts.get(&call.name).and_then(Json::as_number);
        #[allow(clippy::cast_possible_truncation)]
        given.map_or(0, |number| number.as_f64().ceil() as i64)
    };
    let longest = calls.iter().map(seconds).max().unwrap_or(0);
    let thought = args.thought()?;
    let items = worked(desk, args, |desk, work| {
        tools::tools(desk, work, &calls, thought.as_ref(), longest)
    })?;
    Ok(Json::Object(object! { "queued" => items }))
}

fn reap_turn(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let which = match args.need("which")?.as_str() {
        "dispatched" => Reap::Dispatched,
        "active" => Reap::Active,
        "suspended" => Reap::Suspended,
        other => {
            let text = format!("`which` is `dispatched`, `active` or `suspended`, not `{other}`");
            return Err(args.0.required("which")?.error(text).into());
        }
    };
    let output = args.text("output_box_id")?;
    Ok(watch::reap(desk, &args.need("agent_id")?, which, output.as_deref())?.into())
}

fn due(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let rule = args.text("rule")?;
    if let Some(rule) = rule.as_deref().filter(|rule| !due::RULES.contains(rule)) {
        let known = listed(&due::RULES);
        let field = args.0.required("rule")?;
        return Err(field.error(format!("`{rule}` is no rule; known are {known}")).into());
    }
    Ok(Json::Object(object! { "calls" => due::due(desk, rule.as_deref())? }))
}

fn create_batch(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let request = batch_request(args)?;
    let starts = args.flag("activate")? == Some(true);
    if starts {
        batch::want_start(desk, &request);
    }
    let (made, tasks) = batch::create(desk, &request)?;
    let (batch_id, count) = (made.batch_id.clone(), made.task_count);
    if starts {
        if !tasks.is_empty() {
            batch::activate(desk, made, tasks, args.foreign()?.as_deref())?;
        }
        return Ok(Json::Object(object! {
            "accepted" => true, "batch_id" => batch_id, "task_count" => count,
        }));
    }
    Ok(Json::Object(object! { "batch_id" => batch_id }))
}

fn activate_batch(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_id = args.need("batch_id")?;
    desk.want::<Batch>(&[&batch_id]);
    let limit = follows::TASKS_OF_A_BATCH;
    desk.want_list_with::<Task>("by_batch", &[&batch_id], limit, follows::handed_out);
    let tasks = desk.list::<Task>("by_batch", &[&batch_id], limit)?;
    let Some(found) = desk.get::<Batch>(&[&batch_id])? else {
        let text = format!("there is no batch `{batch_id}`");
        return Err(Error::not_found(text).at(crate::Path::root().key("batch_id")).into());
    };
    batch::activate(desk, found, tasks, args.foreign()?.as_deref())?;
    Ok(Json::Null)
}

fn dispatch_pending(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(desk, usize::try_from(desk.settings.watchdog_limit).unwrap_or(200))?;
    batch::dispatch_due(desk, limit, args.foreign()?.as_deref())?;
    Ok(Json::Null)
}

fn dispatch_task(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_task_id = args.need("batch_task_id")?;
    desk.want_with::<Task>(&[&batch_task_id], follows::handed_out);
    let Some(task) = desk.get::<Task>(&[&batch_task_id])? else {
        return Ok(false.into());
    };
    desk.want::<Batch>(&[&task.batch_id]);
    batch::want_tasks(desk, std::slice::from_ref(&task));
    let due = task.next_retry_at <= desk.now() && batch::waits_to_be_handed_out(&task);
    let found = desk.get::<Batch>(&[&task.batch_id])?;
    let Some(found) = found.filter(|batch| due && batch.status == BatchStatus::Running) else {
        return Ok(false.into());
    };
    let batches = BTreeMap::from([(found.batch_id.clone(), found)]);
    batch::dispatch_tasks(desk, &batches, vec![task], args.foreign()?.as_deref())?;
    Ok(true.into())
}

fn child_event(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let event = ChildEvent {
        agent_turn_id: args.need("agent_turn_id")?,
        status: args.text("status")?.unwrap_or_default(),
        output_box_id: args.text("output_box_id")?,
        deliverable_card_id: args.text("deliverable_card_id")?,
        tool_result_card_id: args.text("tool_result_card_id")?,
        error: args.text("error")?,
    };
    Ok(batch::child_event(desk, &event)?.into())
}

fn end_batch(desk: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_id = args.need("batch_id")?;
    if batch::deadline(desk, &batch_id)? {
        return Ok(true.into());
    }
    match desk.get::<Batch>(&[&batch_id])? {
        Some(found) => {
            batch::finalise(desk, found)?;
            Ok(true.into())
        }
        None => Ok(false.into()),
    }
}

fn build_batch_result(_: &mut Desk<'_>, args: &Args<'_>) -> Run<Json> {
    let mut tasks = Vec::new();
    for task in args.0.required("tasks")?.list()? {
        let args = Args(task.object()?);
        tasks.push(batch::result::Told {
            status: args.json("status").and_then(l0::any_text).unwrap_or_else(|| "failed".into()),
            output_box_id: args.json("output_box_id").and_then(l0::any_text),
            error_detail: args.json("error_detail").and_then(l0::any_text),
            metadata: args.json("metadata").and_then(Json::as_object).cloned().unwrap_or_default(),
        });
    }
    Ok(batch::result::build(&args.need("status")?, &tasks))
}
