//! The operations of orchestration, as calls.

use crate::agents::Setup;
use crate::rule::ledger::Ledger;
use crate::rule::{Outcome, Rule, Step};
use crate::run::args::{Args, agent_request, agent_spec, batch_request, head_guard, status_of};
use crate::run::batch::child_event::{ChildEvent, child_event};
use crate::run::batch::create::create;
use crate::run::batch::dispatch::{activate, can_dispatch, dispatch_due, dispatch_tasks};
use crate::run::batch::end::{deadline, finalize};
use crate::run::batch::reads::{TASKS_OF_A_BATCH, dispatch_targets, want_start, want_tasks};
use crate::run::batch::reconcile::reconcile_task;
use crate::run::batch::result::{TaskOutcome, build};
use crate::run::keys;
use crate::run::overview;
use crate::run::queue::answer::Answer;
use crate::run::queue::cancel::cancel;
use crate::run::queue::dispatch::dispatch;
use crate::run::queue::edge::{join, tool_call};
use crate::run::queue::enqueue::enqueue;
use crate::run::queue::identity::{AgentSpec, make_ready};
use crate::run::queue::inbox;
use crate::run::queue::lease::{Lease, lease};
use crate::run::queue::promote::{promote, wake_promoted};
use crate::run::queue::report::report;
use crate::run::rows::status::{BatchStatus, HeadStatus};
use crate::run::rows::{Batch, Inbox, Task};
use crate::run::settings::RunSettings;
use crate::run::transaction::{Run, Stop, Transaction};
use crate::run::turn::complete::{complete, fail};
use crate::run::turn::reads::want_turn;
use crate::run::turn::release::release;
use crate::run::turn::resume::resume;
use crate::run::turn::start::start;
use crate::run::turn::state;
use crate::run::turn::stop::stop;
use crate::run::turn::tools::{ToolCall, tools};
use crate::run::turn::work::Work;
use crate::run::values::{any_text, object, text_of};
use crate::run::watch::due;
use crate::run::watch::reclaim::{reclaim, requeue, take_up};
use crate::run::watch::timeouts::{Reap, reap, time_out};
use crate::run::watch::wakeups::{poke, wake_again};
use crate::run::wire::events::wakeup;
use crate::run::wire::outbox;
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
/// // the message, its edge and its wakeup
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

type Perform = fn(&mut Transaction<'_>, &Args<'_>) -> Run<Json>;

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
    "enqueue" => |tx, args| value(&enqueue(tx, &args.send(tx)?)?),
    "report" => |tx, args| value(&report(tx, &args.send(tx)?)?),
    "join" => |tx, args| value(&join(tx, &args.join(tx)?)?),
    "run_state" => overview::run_state,
    "cancel" => op_cancel,
    "wakeup" => op_ring,
    "dispatch" => |tx, args| value(&dispatch(tx, &args.dispatch(tx)?)?),
    "ensure_agent" => op_ensure_agent,
    "provision_identity" => op_provision_identity,
    "lease" => op_lease,
    "state_update" => op_state_update,
    "finish_idle" => op_finish_idle,
    "replace_waiting" => |tx, args| {
        state::replace_waiting(tx, &args.work()?, &args.calls(tx)?)
    },
    "mark_received" => |tx, args| op_mark(tx, args, false),
    "mark_applied" => |tx, args| op_mark(tx, args, true),
    "ledger_claim" => op_ledger_claim,
    "ledger_requeue_expired" => |tx, args| {
        let requeued = state::requeue_expired(tx, args.text("lease_owner")?.as_deref())?;
        Ok(Json::Object(object! { "requeued" => requeued }))
    },
    "inbox_status" => op_inbox_status,
    "has_open" => op_has_open,
    "claim_inbox" => op_claim_inbox,
    "consume_inbox" => |tx, args| {
        let channel = args.text("channel_id")?;
        let updated = inbox::consume(tx, &args.need("inbox_id")?, channel.as_deref())?;
        Ok(Json::Object(object! { "updated" => updated }))
    },
    "requeue_inbox" => |tx, args| Ok(requeue(tx, &args.need("inbox_id")?)?.into()),
    "poke_inbox" => |tx, args| Ok(poke(tx, &args.need("inbox_id")?)?.into()),
    "turn_start" => |tx, args| Ok(Json::Object(start(tx, &args.work()?)?)),
    "turn_tools" => op_turn_tools,
    "turn_complete" => |tx, args| {
        let thought = args.thought()?;
        let done = worked(tx, args, |tx, work| complete(tx, work, thought.as_ref()))?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "turn_fail" => |tx, args| {
        let error = args.text("error")?.unwrap_or_else(|| "failed".into());
        let code = args.text("error_code")?;
        let thought = args.thought()?;
        let done = worked(tx, args, |tx, work| {
            fail(tx, work, thought.as_ref(), &error, code.as_deref())
        })?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "turn_give_back" => |tx, args| Ok(Json::Object(release(tx, &args.work()?)?)),
    "resume" => |tx, args| {
        let payload = args.object("payload")?;
        let items = worked(tx, args, |tx, work| resume(tx, work, &payload))?;
        Ok(Json::Object(object! { "queued" => items }))
    },
    "stop" => |tx, args| {
        let reason = text_of(&args.object("payload")?, "reason");
        let done = worked(tx, args, |tx, work| stop(tx, work, reason.as_deref()))?;
        Ok(Json::Object(object! { "ended" => done }))
    },
    "ring_again" => |tx, args| Ok(wake_again(tx, &args.need("agent_id")?)?.into()),
    "reap_turn" => op_reap_turn,
    "reclaim_agent" => |tx, args| Ok(reclaim(tx, &args.need("agent_id")?)?.into()),
    "tool_call" => |tx, args| value(&tool_call(tx, &args.join(tx)?)?),
    "time_out_tools" => |tx, args| Ok(time_out(tx, &args.need("agent_id")?)?.into()),
    "take_up_results" => |tx, args| {
        let owner = args.text("owner")?.unwrap_or_else(|| "agent-worker:1".into());
        let agent = args.need("agent_id")?;
        want_turn(tx, &agent);
        if !inbox::serves(tx, &agent, args.worker_targets()?.as_deref())? {
            return Ok(Json::Object(object! { "queued" => Vec::<Object>::new() }));
        }
        let items = take_up(tx, &agent, &owner)?;
        Ok(Json::Object(object! { "queued" => items }))
    },
    "due" => op_due,
    "create_batch" => op_create_batch,
    "activate_batch" => op_activate_batch,
    "dispatch_pending" => op_dispatch_pending,
    "dispatch_task" => op_dispatch_task,
    "child_event" => op_child_event,
    "reconcile_task" => |tx, args| {
        Ok(reconcile_task(tx, &args.need("batch_task_id")?)?.into())
    },
    "end_batch" => op_end_batch,
    "build_batch_result" => op_build_batch_result,
    "outbox" => outbox::outbox,
    "mark_sent" => outbox::mark_sent,
}

impl RunCall {
    /// Reads a call of the operation `op`. The argument `settings` changes the defaults.
    ///
    /// # Errors
    /// `bad_request` if `op` is not an operation of orchestration, or an argument or a setting is
    /// unknown.
    pub fn from_json(op: &str, call: &Json) -> Result<Self> {
        Self::of(op, call.clone())
    }

    /// Like [`RunCall::from_json`], under the limits of a project.
    ///
    /// # Errors
    /// Like [`RunCall::from_json`].
    pub fn from_json_with(op: &str, call: &Json, setup: &Setup) -> Result<Self> {
        Ok(Self { limits: setup.defaults.limits, ..Self::from_json(op, call)? })
    }

    /// Like [`RunCall::from_json`], with a call that it owns.
    pub(super) fn of(op: &str, call: Json) -> Result<Self> {
        let fields = Field::root(&call).object()?;
        let perform = named(op).ok_or_else(|| {
            Error::bad_request(format!("unknown operation of orchestration `{op}`"))
        })?;
        keys::check(op, &fields)?;
        let settings = match fields.optional("settings") {
            Some(settings) => RunSettings::from_fields(&settings.object()?)?,
            None => RunSettings::default(),
        };
        Ok(Self { perform, call, settings, limits: Limits::default() })
    }

    /// Returns the arguments of the operation `op`.
    ///
    /// ```
    /// use tuckbox::run::RunCall;
    ///
    /// assert!(RunCall::arguments("ring_again").eq(["op", "project_id", "settings", "agent_id"]));
    /// ```
    pub fn arguments(op: &str) -> impl Iterator<Item = &'static str> {
        keys::known(op).into_iter().flatten().copied()
    }

    /// Returns the call with other settings.
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
        let mut tx = Transaction::new(snapshot, env, &self.settings, self.limits);
        match (self.perform)(&mut tx, &args) {
            Ok(value) => {
                let (writes, transitions) = tx.done()?;
                let ledger = Ledger { transitions, ..Ledger::default() };
                Ok(Step::Done(Outcome { value, writes, ledger, lints: Vec::new() }))
            }
            Err(Stop::Need) => Ok(tx.need()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

fn value(answer: &impl serde::Serialize) -> Run<Json> {
    Ok(to_json(answer)?)
}

fn op_cancel(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let (agent, turn) = (args.need("target_agent_id")?, args.need("agent_turn_id")?);
    let reason = args.text("reason")?;
    let metadata = args.json("metadata").and_then(Json::as_object);
    value(&cancel(tx, &agent, &turn, reason.as_deref(), metadata)?)
}

fn op_ring(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let agent = args.need("target_agent_id")?;
    let metadata = args.json("metadata").and_then(Json::as_object).cloned();
    let reason = args.text("reason")?;
    if args.text("mode")?.as_deref() == Some("dispatch_next") {
        let promoted = promote(tx, &agent)?;
        if let Some(promoted) = &promoted {
            let reason = reason.unwrap_or_else(|| "dispatch_next".into());
            wake_promoted(tx, &agent, promoted, &reason, metadata)?;
        }
        return value(&Answer::accepted(promoted.map(|promoted| promoted.to_object())));
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
    wakeup(tx, &agent, &args.channel()?, extra, headers)?;
    value(&Answer::accepted(None))
}

fn op_ensure_agent(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let mut spec = match args.0.optional("spec") {
        Some(given) => agent_spec(&Args::only(&given, keys::SPEC)?)?,
        None => AgentSpec::default(),
    };
    spec.derived = args.text("kind")?.as_deref() == Some("derived");
    value(&make_ready(tx, &agent_request(args, "agent_id")?, &spec)?)
}

fn op_provision_identity(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    for key in ["target_agent_id", "action", "profile_box_id", "worker_target"] {
        let field = args.0.required(key)?;
        if field.string()?.is_empty() {
            return Err(field.error(format!("`{key}` is empty")).into());
        }
    }
    value(&make_ready(tx, &agent_request(args, "target_agent_id")?, &agent_spec(args)?)?)
}

fn op_lease(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let epoch = lease(
        tx,
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

fn op_state_update(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let field = args.0.required("new_status")?;
    let status = HeadStatus::named(field.string()?)
        .ok_or_else(|| field.error("`new_status` must be a status of an agent"))?;
    let raise = args.flag("bump_epoch")?.unwrap_or(false);
    let updated = state::update(tx, &head_guard(args)?, status, raise)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn op_finish_idle(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let raise = args.flag("bump_epoch")?.unwrap_or(false);
    let last = args.text("last_output_box_id")?;
    let updated = state::finish_idle(tx, &head_guard(args)?, raise, last.as_deref())?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn op_mark(tx: &mut Transaction<'_>, args: &Args<'_>, applied: bool) -> Run<Json> {
    let card = args.text("tool_result_card_id")?;
    let work = args.work()?;
    let updated = state::mark(tx, &work, &args.need("tool_call_id")?, card.as_deref(), applied)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn op_ledger_claim(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(tx, 20)?;
    let seconds = args.number("lease_seconds")?.unwrap_or(tx.settings.resume_lease_seconds);
    let owner = args.need("lease_owner")?;
    let claimed = state::claim_results(tx, &args.work()?, &owner, seconds, limit)?;
    Ok(Json::Object(object! { "claimed" => claimed }))
}

fn op_inbox_status(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let status = status_of(args, "status")?.unwrap_or_default();
    let expected = status_of(args, "expected_status")?;
    let updated = inbox::set_status(tx, &args.need("inbox_id")?, status, expected)?;
    Ok(Json::Object(object! { "updated" => updated }))
}

fn op_has_open(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let agent = args.need("agent_id")?;
    let other = args.text("exclude_inbox_id")?;
    let states = ["queued", "pending", "processing"];
    for status in states {
        tx.want_list::<Inbox>("in_order", &[&agent, status], 2);
    }
    let mut open = false;
    for status in states {
        let rows = tx.list::<Inbox>("in_order", &[&agent, status], 2)?;
        open |= rows.iter().any(|row| Some(&row.inbox_id) != other.as_ref());
    }
    Ok(Json::Object(object! { "open" => open }))
}

fn op_claim_inbox(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.number("limit")?.unwrap_or(tx.settings.fetch_limit);
    let limit = usize::try_from(limit).unwrap_or(1).min(tx.row_limit());
    let targets = args.worker_targets()?;
    let items = inbox::claim(tx, &args.need("agent_id")?, limit, targets.as_deref())?;
    Ok(Json::Object(object! { "items" => items }))
}

/// Works on a turn, and consumes the message of the work regardless of the outcome.
fn worked<T>(
    tx: &mut Transaction<'_>,
    args: &Args<'_>,
    perform: impl FnOnce(&mut Transaction<'_>, &Work) -> Run<T>,
) -> Run<T> {
    let work = args.work()?;
    work.want_message(tx);
    let done = perform(tx, &work)?;
    work.consume(tx)?;
    Ok(done)
}

fn op_turn_tools(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let calls = args.calls(tx)?;
    let timeouts = args.object("tool_suspend_timeouts")?;
    let seconds = |call: &ToolCall| {
        let given = timeouts.get(&call.name).and_then(Json::as_number);
        #[allow(clippy::cast_possible_truncation)]
        given.map_or(0, |number| number.as_f64().ceil() as i64)
    };
    let longest = calls.iter().map(seconds).max().unwrap_or(0);
    let thought = args.thought()?;
    let items = worked(tx, args, |tx, work| tools(tx, work, &calls, thought.as_ref(), longest))?;
    Ok(Json::Object(object! { "queued" => items }))
}

fn op_reap_turn(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let which = match args.need("which")?.as_str() {
        "dispatched" => Reap::Dispatched,
        "active" => Reap::Active,
        "suspended" => Reap::Suspended,
        other => {
            let text =
                format!("unknown `{other}`; expected one of `dispatched`, `active`, `suspended`");
            return Err(args.0.required("which")?.error(text).into());
        }
    };
    let output = args.text("output_box_id")?;
    Ok(reap(tx, &args.need("agent_id")?, which, output.as_deref())?.into())
}

fn op_due(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let rule = args.text("rule")?;
    if let Some(rule) = rule.as_deref().filter(|rule| !due::rules().contains(rule)) {
        let known = listed(&due::rules());
        let field = args.0.required("rule")?;
        return Err(field.error(format!("unknown rule `{rule}`; expected one of {known}")).into());
    }
    Ok(Json::Object(object! { "calls" => due::due(tx, rule.as_deref())? }))
}

fn op_create_batch(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let request = batch_request(args)?;
    let starts = args.flag("activate")? == Some(true);
    if starts {
        want_start(tx, &request);
    }
    let (made, tasks) = create(tx, &request)?;
    let (batch_id, count) = (made.batch_id.clone(), made.task_count);
    if starts {
        if !tasks.is_empty() {
            activate(tx, made, tasks, args.host_dispatch()?.as_deref())?;
        }
        return Ok(Json::Object(object! {
            "accepted" => true, "batch_id" => batch_id, "task_count" => count,
        }));
    }
    Ok(Json::Object(object! { "batch_id" => batch_id }))
}

fn op_activate_batch(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_id = args.need("batch_id")?;
    tx.want::<Batch>(&[&batch_id]);
    let limit = TASKS_OF_A_BATCH;
    tx.want_list_with::<Task>("by_batch", &[&batch_id], limit, dispatch_targets);
    let tasks = tx.list::<Task>("by_batch", &[&batch_id], limit)?;
    let Some(found) = tx.get::<Batch>(&[&batch_id])? else {
        let text = format!("batch `{batch_id}` does not exist");
        return Err(Error::not_found(text).at(crate::Path::root().key("batch_id")).into());
    };
    activate(tx, found, tasks, args.host_dispatch()?.as_deref())?;
    Ok(Json::Null)
}

fn op_dispatch_pending(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(tx, usize::try_from(tx.settings.watchdog_limit).unwrap_or(200))?;
    dispatch_due(tx, limit, args.host_dispatch()?.as_deref())?;
    Ok(Json::Null)
}

fn op_dispatch_task(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_task_id = args.need("batch_task_id")?;
    tx.want_with::<Task>(&[&batch_task_id], dispatch_targets);
    let Some(task) = tx.get::<Task>(&[&batch_task_id])? else {
        return Ok(false.into());
    };
    tx.want::<Batch>(&[&task.batch_id]);
    want_tasks(tx, std::slice::from_ref(&task));
    let due = task.next_retry_at <= tx.now() && can_dispatch(&task);
    let found = tx.get::<Batch>(&[&task.batch_id])?;
    let Some(found) = found.filter(|batch| due && batch.status == BatchStatus::Running) else {
        return Ok(false.into());
    };
    let batches = BTreeMap::from([(found.batch_id.clone(), found)]);
    dispatch_tasks(tx, &batches, vec![task], args.host_dispatch()?.as_deref())?;
    Ok(true.into())
}

fn op_child_event(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let event = ChildEvent {
        agent_turn_id: args.need("agent_turn_id")?,
        status: args.text("status")?.unwrap_or_default(),
        output_box_id: args.text("output_box_id")?,
        deliverable_card_id: args.text("deliverable_card_id")?,
        tool_result_card_id: args.text("tool_result_card_id")?,
        error: args.text("error")?,
    };
    Ok(child_event(tx, &event)?.into())
}

fn op_end_batch(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let batch_id = args.need("batch_id")?;
    if deadline(tx, &batch_id)? {
        return Ok(true.into());
    }
    match tx.get::<Batch>(&[&batch_id])? {
        Some(found) => {
            finalize(tx, found)?;
            Ok(true.into())
        }
        None => Ok(false.into()),
    }
}

fn op_build_batch_result(_: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let mut tasks = Vec::new();
    for task in args.0.required("tasks")?.list()? {
        let args = Args(task.object()?);
        tasks.push(TaskOutcome {
            status: args.json("status").and_then(any_text).unwrap_or_else(|| "failed".into()),
            output_box_id: args.json("output_box_id").and_then(any_text),
            error_detail: args.json("error_detail").and_then(any_text),
            metadata: args.json("metadata").and_then(Json::as_object).cloned().unwrap_or_default(),
        });
    }
    Ok(build(&args.need("status")?, &tasks))
}
