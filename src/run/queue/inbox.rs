//! The inbox of an agent: its worker claims messages and consumes them.

use super::promote::trace_headers;
use crate::run::rows::status::InboxStatus;
use crate::run::rows::{Head, Inbox};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{number_of, object, text_of};
use crate::run::wire::events::{inbox_progress, worker_target};
use crate::run::wire::trace;
use crate::value::arguments::{OrNull, arguments};
use crate::value::json::{Json, Object};
use serde::Serialize;

/// The statuses of a message that is not done.
pub(in crate::run) const OPEN: [&str; 3] = ["queued", "pending", "processing"];

arguments! {
    /// The workers that work is for.
    ///
    /// The example of [`ClaimInbox`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ForWorkers {
        /// The kinds of workers (`worker_target`) that the work is for. All by default.
        pub worker_targets: Option<Vec<String>>,
    }

    /// Claims messages of an agent for a worker.
    ///
    /// ```
    /// use tuckbox::run::ClaimInbox;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ClaimInbox::from_json(&json!({"agent_id": "ann", "worker_targets": ["generic"]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let claimed = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(claimed.items.is_empty());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClaimInbox {
        /// The agent.
        pub agent_id: String,
        /// The maximum number of messages. The setting `fetch_limit` by default.
        pub limit: Option<usize>,
        shared workers: ForWorkers,
        shared terms: RunTerms,
    }

    /// Changes the status of a message, if it has the expected one.
    ///
    /// ```
    /// use tuckbox::run::{InboxStatus, SetInboxStatus};
    /// # use tuckbox::store::{MemoryStore, Snapshot, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let row = json!({"inbox_id": "m1", "agent_id": "ann", "status": "pending", "message_type": "note"});
    /// # store.project("p1").add_row(&table::INBOX, row.as_object().unwrap().clone());
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // the message `m1` is pending
    /// let call = SetInboxStatus {
    ///     status: InboxStatus::Skipped,
    ///     expected_status: Some(InboxStatus::Pending),
    ///     ..SetInboxStatus::from_json(&json!({"inbox_id": "m1"}))?
    /// };
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert!(done.value.updated);
    /// let call = SetInboxStatus { expected_status: Some(InboxStatus::Queued), ..call };
    /// let done = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert!(!done.value.updated && done.writes.rows.is_empty());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct SetInboxStatus {
        /// The message.
        pub inbox_id: String,
        /// The new status.
        pub status: InboxStatus = InboxStatus::Pending,
        /// The status that the message must have. Any status by default.
        pub expected_status: Option<OrNull<InboxStatus>>,
        shared terms: RunTerms,
    }

    /// Returns whether messages wait for an agent.
    ///
    /// ```
    /// use tuckbox::run::HasOpen;
    /// # use tuckbox::store::{MemoryStore, Snapshot, table};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let row = json!({"inbox_id": "m1", "agent_id": "ann", "status": "pending", "message_type": "note"});
    /// # store.project("p1").add_row(&table::INBOX, row.as_object().unwrap().clone());
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // the message `m1` waits for Ann
    /// let mut call = HasOpen::from_json(&json!({"agent_id": "ann"}))?;
    /// let waiting = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(waiting.open);
    /// call.exclude_inbox_id = Some("m1".into());
    /// let waiting = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(!waiting.open);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct HasOpen {
        /// The agent.
        pub agent_id: String,
        /// A message that does not count.
        pub exclude_inbox_id: Option<String>,
        shared terms: RunTerms,
    }

    /// Marks a message as processed.
    ///
    /// The example of [`ClaimInbox`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ConsumeInbox {
        /// The message.
        pub inbox_id: String,
        /// The channel of the event. That of the message by default.
        pub channel_id: Option<String>,
        shared terms: RunTerms,
    }
}

/// The work that a worker claimed.
///
/// The example of [`ClaimInbox`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimedInbox {
    /// The work in each message.
    pub items: Vec<InboxItem>,
}

/// The work in a message: the arguments of `turn_start`, `resume` or `stop`.
type InboxItem = Object;

/// Whether a call changed a row.
///
/// The example of [`StateUpdate`](crate::run::StateUpdate) shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Updated {
    /// False if the row is missing, or is not as expected.
    pub updated: bool,
}

/// Whether messages wait.
///
/// The example of [`HasOpen`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Open {
    /// True if a message waits.
    pub open: bool,
}

shape! {
    pub struct ClaimedMessage {
        pub inbox_id: String,
        pub agent_id: String,
        pub agent_turn_id: String,
        pub turn_epoch: i64,
        pub channel_id: String,
        pub headers: BTreeMap<String, String>,
        pub trace_id: String,
        pub parent_step_id: Option<String>,
    }

    /// The work in a message: the arguments of `turn_start`, `resume` or `stop`.
    #[serde(untagged)]
    pub enum InboxItem {
        Turn {
            #[serde(flatten)]
            claimed: ClaimedMessage,
            kind: Word<"turn">,
            profile_box_id: Option<String>,
            context_box_id: Option<String>,
            output_box_id: Option<String>,
            runtime_config: Option<Object>,
            /// The step at which a turn was released.
            step_count: Maybe<i64>,
        },
        Other {
            #[serde(flatten)]
            claimed: ClaimedMessage,
            kind: Word<"resume", "stop">,
            payload: Object,
            profile_box_id: Maybe<Option<String>>,
            context_box_id: Maybe<Option<String>>,
            output_box_id: Maybe<Option<String>>,
        },
    }
}

perform! {
    ClaimInbox -> ClaimedInbox {
        |call, tx| {
            let usual = usize::try_from(tx.settings.fetch_limit).unwrap_or(1);
            let limit = call.limit.unwrap_or(usual).min(tx.row_limit());
            let targets = call.workers.worker_targets.as_deref();
            Ok(ClaimedInbox { items: claim(tx, &call.agent_id, limit, targets)? })
        }
    }
    SetInboxStatus -> Updated {
        |call, tx| {
            let updated = set_status(tx, &call.inbox_id, call.status, call.expected_status)?;
            Ok(Updated { updated })
        }
    }
    HasOpen -> Open {
        |call, tx| {
            let open = has_open(tx, &call.agent_id, call.exclude_inbox_id.as_deref())?;
            Ok(Open { open })
        }
    }
    ConsumeInbox -> Updated {
        |call, tx| {
            let updated = consume(tx, &call.inbox_id, call.channel_id.as_deref())?;
            Ok(Updated { updated })
        }
    }
}

/// Returns true if messages other than `other` wait for an agent. A queued turn waits for its turn to end.
fn has_open(tx: &mut Transaction<'_>, agent: &str, other: Option<&str>) -> Run<bool> {
    const WAITS: [&str; 2] = ["pending", "processing"];
    for status in WAITS {
        tx.want_list::<Inbox>("in_order", &[agent, status], 2);
    }
    let mut open = false;
    for status in WAITS {
        let rows = tx.list::<Inbox>("in_order", &[agent, status], 2)?;
        open |= rows.iter().any(|row| Some(row.inbox_id.as_str()) != other);
    }
    Ok(open)
}

/// Returns true if a worker that serves `targets` runs the agent; without targets it runs all.
pub(crate) fn serves(
    tx: &mut Transaction<'_>,
    agent: &str,
    targets: Option<&[String]>,
) -> Run<bool> {
    let Some(targets) = targets else { return Ok(true) };
    let target = worker_target(tx, agent)?;
    Ok(target.is_some_and(|target| targets.contains(&target)))
}

/// Claims up to `limit` messages of an agent for a worker that serves `targets`. Returns the work in
/// them.
pub(crate) fn claim(
    tx: &mut Transaction<'_>,
    agent: &str,
    limit: usize,
    targets: Option<&[String]>,
) -> Run<Vec<Object>> {
    tx.want::<Head>(&[agent]);
    tx.want_list::<Inbox>("in_order", &[agent, "pending"], limit);
    if !serves(tx, agent, targets)? {
        return Ok(Vec::new());
    }
    let rows = tx.list::<Inbox>("in_order", &[agent, "pending"], limit)?;
    let mut head = tx.peek::<Head>(&[agent])?;
    let mut items = Vec::new();
    for mut row in rows {
        let now = tx.now();
        row.status = InboxStatus::Processing;
        row.processed_at = row.processed_at.or(Some(now));
        if let Some(item) = work_item(tx, &row, head.as_mut())? {
            tx.put(&row, "claim", "status = pending")?;
            items.push(item);
        } else {
            row.status = InboxStatus::Error;
            row.archived_at = Some(now);
            tx.put(&row, "claim", "a message that no worker can run")?;
            let channel = channel_of(&row, head.as_ref());
            let reason = "inbox_status_update";
            inbox_progress(tx, &channel, agent, &row.inbox_id, "error", reason);
        }
    }
    Ok(items)
}

fn channel_of(row: &Inbox, head: Option<&Head>) -> String {
    let own = row.payload.as_object().and_then(|payload| text_of(payload, "channel_id"));
    own.or_else(|| head.and_then(|head| head.active_channel_id.clone()))
        .unwrap_or_else(|| "public".to_owned())
}

/// Returns the work in a message; `None` if no worker can do it.
fn work_item(
    tx: &mut Transaction<'_>,
    row: &Inbox,
    mut head: Option<&mut Head>,
) -> Run<Option<Object>> {
    let Some(payload) = row.payload.as_object() else { return Ok(None) };
    let turn = text_of(payload, "agent_turn_id");
    let epoch = number_of(payload, "turn_epoch");
    let (Some(turn), Some(epoch)) = (turn, epoch) else { return Ok(None) };
    let is_turn = row.message_type == "turn";
    if is_turn && epoch <= 0 {
        return Ok(None);
    }
    if let Some(head) = head.as_deref_mut().filter(|_| is_turn)
        && head.active_agent_turn_id.as_deref() == Some(&*turn)
        && head.turn_epoch == epoch
    {
        head.active_recursion_depth = row.recursion_depth;
        head.updated_at = tx.now();
        tx.put(head, "claim", "turn and epoch match")?;
    }
    if text_of(payload, "agent_id").is_none() {
        return Ok(None);
    }
    let (headers, trace_id) = headers(tx, row);
    let named = text_of(payload, "trace_id").filter(|_| is_turn);
    if named.is_some_and(|named| trace::trace_id(&named).as_ref() != Some(&trace_id)) {
        return Ok(None);
    }
    let mut item = object! {
        "inbox_id" => row.inbox_id.as_str(),
        "agent_id" => row.agent_id.as_str(),
        "agent_turn_id" => turn.as_str(),
        "turn_epoch" => epoch,
        "channel_id" => channel_of(row, head.as_deref()),
        "headers" => headers,
        "trace_id" => trace_id.as_str(),
        "parent_step_id" => text_of(payload, "parent_step_id").or_else(|| row.parent_step_id.clone()),
    };
    match row.message_type.as_str() {
        "turn" => add_turn(&mut item, payload),
        "tool_result" | "timeout" | "stop" => {
            let kind = if row.message_type == "stop" { "stop" } else { "resume" };
            item.insert("kind".into(), kind.into());
            item.insert("payload".into(), Json::Object(payload.clone()));
            if let Some(head) = head {
                add_head(&mut item, &trace_id, head);
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(item))
}

/// Returns the headers of a message and its trace id. A message whose trace is invalid gets a new one.
fn headers(tx: &mut Transaction<'_>, row: &Inbox) -> (Object, String) {
    let mut headers = object! { "CG-Recursion-Depth" => row.recursion_depth.to_string() };
    let given = trace_headers(row.traceparent.as_deref(), row.tracestate.as_deref());
    let trace = match trace::ensure(tx, &given, row.trace_id.as_deref()) {
        Ok(trace) => {
            headers.extend(given);
            trace
        }
        Err(_) => {
            let trace_id = tx.hex();
            trace::new_span(tx, trace_id)
        }
    };
    headers.insert("traceparent".into(), trace.traceparent.into());
    (headers, trace.trace_id)
}

/// Adds the boxes of a turn, and the step at which a released turn continues.
fn add_turn(item: &mut Object, payload: &Object) {
    item.insert("kind".into(), "turn".into());
    for key in ["profile_box_id", "context_box_id", "output_box_id", "runtime_config"] {
        item.insert(key.to_owned(), payload.get(key).cloned().unwrap_or_default());
    }
    if let Some(steps) = payload.get("step_count") {
        item.insert("step_count".into(), steps.clone());
    }
}

/// Adds the boxes of the turn that a result or a stop is for.
fn add_head(item: &mut Object, trace_id: &str, head: &Head) {
    item.insert("profile_box_id".into(), head.profile_box_id.clone().into());
    item.insert("context_box_id".into(), head.context_box_id.clone().into());
    item.insert("output_box_id".into(), head.output_box_id.clone().into());
    item.insert("parent_step_id".into(), head.parent_step_id.clone().into());
    let trace_id = head.trace_id.as_deref().unwrap_or(trace_id);
    item.insert("trace_id".into(), trace_id.into());
}

/// Changes the status of a message that has the expected status.
pub(crate) fn set_status(
    tx: &mut Transaction<'_>,
    inbox_id: &str,
    status: InboxStatus,
    expected: Option<InboxStatus>,
) -> Run<bool> {
    let Some(mut row) = tx.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    if expected.is_some_and(|expected| row.status != expected) {
        return Ok(false);
    }
    let now = tx.now();
    row.status = status;
    match status {
        InboxStatus::Pending => {
            row.processed_at = None;
            row.archived_at = None;
        }
        InboxStatus::Processing => row.processed_at = row.processed_at.or(Some(now)),
        InboxStatus::Consumed | InboxStatus::Error | InboxStatus::Skipped => {
            row.archived_at = row.archived_at.or(Some(now));
        }
        InboxStatus::Queued | InboxStatus::Deferred => {}
    }
    tx.put(&row, "inbox_status", "status as expected")?;
    Ok(true)
}

/// Returns the epoch in a message.
pub(crate) fn epoch_of(tx: &mut Transaction<'_>, inbox_id: &str) -> Run<Option<i64>> {
    let row = tx.get::<Inbox>(&[inbox_id])?;
    let payload = row.as_ref().and_then(|row| row.payload.as_object());
    Ok(payload.and_then(|payload| number_of(payload, "turn_epoch")))
}

/// Marks a message as consumed.
pub(crate) fn consume(
    tx: &mut Transaction<'_>,
    inbox_id: &str,
    channel: Option<&str>,
) -> Run<bool> {
    let Some(row) = tx.get::<Inbox>(&[inbox_id])? else { return Ok(false) };
    let moved = set_status(tx, inbox_id, InboxStatus::Consumed, Some(InboxStatus::Processing))?;
    if moved {
        let channel = channel.map_or_else(|| channel_of(&row, None), str::to_owned);
        inbox_progress(tx, &channel, &row.agent_id, inbox_id, "consumed", "worker_consumed");
    }
    Ok(moved)
}
