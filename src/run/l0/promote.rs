//! An agent's queue, and which of its turns is next.

use super::is_box_id;
use crate::run::bugs::Bug;
use crate::run::desk::{Desk, Run, present, text_of};
use crate::run::follows::FRONT;
use crate::run::message::{object, wakeup};
use crate::run::rows::{Head, Inbox, Queue, Roster};
use crate::run::words::{HeadStatus, InboxStatus};
use crate::value::json::{Json, Object};

/// The next place in an agent's queue.
pub(super) fn next_seq(desk: &mut Desk<'_>, agent_id: &str) -> Run<i64> {
    let rank = desk.rank();
    let mut queue = queue(desk, agent_id)?;
    queue.last_seq = queue.last_seq.saturating_add(1).max(rank);
    if desk.settings.bug != Bug::EnqueueIgnoresQueue {
        desk.put(&queue, "enqueue", "place in the queue")?;
    }
    Ok(queue.last_seq)
}

pub(crate) fn queue(desk: &mut Desk<'_>, agent_id: &str) -> Run<Queue> {
    let queue = desk.get::<Queue>(&[agent_id])?;
    Ok(queue.unwrap_or_else(|| Queue { agent_id: agent_id.to_owned(), ..Queue::default() }))
}

/// What a lease gives the head.
pub(crate) struct Lease {
    pub agent_id: String,
    pub agent_turn_id: String,
    pub channel_id: Option<String>,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub trace_id: Option<String>,
    pub depth: i64,
}

/// Gives an idle agent a turn: the new epoch, or nothing when it has one already.
pub(crate) fn lease(desk: &mut Desk<'_>, lease: &Lease) -> Run<Option<i64>> {
    desk.want::<Queue>(&[&lease.agent_id]);
    let head = desk.get::<Head>(&[&lease.agent_id])?;
    let mut queue = queue(desk, &lease.agent_id)?;
    if head.is_none() && queue.status.is_some() {
        // its head is lost, its turn is not: a watchdog ends it first
        return Ok(None);
    }
    let mut head =
        head.unwrap_or_else(|| Head { agent_id: lease.agent_id.clone(), ..Head::default() });
    if head.status != HeadStatus::Idle {
        return Ok(None);
    }
    let seen = if desk.settings.bug == Bug::RebuiltHeadFromZero { 0 } else { queue.last_epoch };
    let epoch = head.turn_epoch.max(seen).saturating_add(1);
    head.status = HeadStatus::Dispatched;
    head.turn_epoch = epoch;
    head.active_agent_turn_id = Some(lease.agent_turn_id.clone());
    head.active_recursion_depth = lease.depth;
    head.parent_step_id = lease.parent_step_id.clone();
    head.trace_id = lease.trace_id.clone();
    for (to, from) in [
        (&mut head.active_channel_id, &lease.channel_id),
        (&mut head.profile_box_id, &lease.profile_box_id),
        (&mut head.context_box_id, &lease.context_box_id),
        (&mut head.output_box_id, &lease.output_box_id),
    ] {
        if present(from.as_deref()).is_some() {
            to.clone_from(from);
        }
    }
    head.waiting_tool_count = 0;
    head.resume_deadline = None;
    head.rung_at = None;
    head.updated_at = desk.now();
    desk.put(&head, "lease", "status = idle")?;
    queue.last_epoch = queue.last_epoch.max(epoch);
    queue.active_agent_turn_id.clone_from(&head.active_agent_turn_id);
    queue.output_box_id.clone_from(&head.output_box_id);
    queue.channel_id.clone_from(&head.active_channel_id);
    queue.status = Some("active".into());
    desk.put(&queue, "lease", "epoch above every one seen")?;
    Ok(Some(epoch))
}

/// A turn that was promoted.
#[derive(Clone, Debug)]
pub(crate) struct Promoted {
    pub inbox_id: String,
    pub agent_turn_id: String,
    pub turn_epoch: i64,
    pub channel_id: String,
    pub traceparent: Option<String>,
    pub tracestate: Option<String>,
    pub trace_id: Option<String>,
    pub recursion_depth: i64,
}

impl Promoted {
    pub fn to_object(&self) -> Object {
        object! {
            "inbox_id" => self.inbox_id.as_str(),
            "agent_turn_id" => self.agent_turn_id.as_str(),
            "turn_epoch" => self.turn_epoch,
            "channel_id" => self.channel_id.as_str(),
            "traceparent" => self.traceparent.clone(),
            "tracestate" => self.tracestate.clone(),
            "trace_id" => self.trace_id.clone(),
            "recursion_depth" => self.recursion_depth,
        }
    }
}

/// Asks for everything that a promotion looks at.
pub(crate) fn want_promotion(desk: &mut Desk<'_>, agent_id: &str) {
    desk.want::<Head>(&[agent_id]);
    desk.want::<Queue>(&[agent_id]);
    desk.want::<Roster>(&[agent_id]);
    let of = [agent_id, "queued", "turn"];
    desk.want_list::<Inbox>("queue", &of, FRONT);
    // where nobody in front can run, the search goes on: it is asked for with what else is missing
    let stuck = desk.known_list::<Inbox>("queue", &of, FRONT).is_some_and(|rows| {
        rows.len() == FRONT && rows.iter().all(|row| !missing(desk, row).is_empty())
    });
    if stuck {
        let search = queue_search(desk);
        desk.want_list::<Inbox>("queue", &of, search);
    }
}

/// How many messages of a queue are read where none of the first can run.
fn queue_search(desk: &Desk<'_>) -> usize {
    let most = desk.most_rows();
    usize::try_from(desk.settings.queue_search).unwrap_or(1).min(most).max(FRONT)
}

/// What a turn lacks to run.
fn missing(desk: &Desk<'_>, row: &Inbox) -> Vec<&'static str> {
    let fits = |key: &str, is_box: bool| {
        let text = row.payload.as_object().and_then(|payload| text_of(payload, key));
        let any = !is_box || desk.settings.bug == Bug::PoisonBlocksQueue;
        text.is_some_and(|text| any || is_box_id(&text))
    };
    let needed = [
        ("channel_id", false),
        ("profile_box_id", true),
        ("context_box_id", true),
        ("output_box_id", true),
    ];
    needed.into_iter().filter(|(key, is_box)| !fits(key, *is_box)).map(|(key, _)| key).collect()
}

/// Gives an idle agent the first of its queued turns that can run. Those before it that cannot are
/// put aside as errors, also when the agent is busy.
pub(crate) fn promote(desk: &mut Desk<'_>, agent_id: &str) -> Run<Option<Promoted>> {
    want_promotion(desk, agent_id);
    let search = queue_search(desk);
    let mut aside = 0;
    for limit in [FRONT, search] {
        let rows = desk.list::<Inbox>("queue", &[agent_id, "queued", "turn"], limit)?;
        let is_whole = rows.len() < limit;
        // the queue's row is written by every enqueue: relying on it is relying on the whole queue
        queue(desk, agent_id)?;
        match promote_first(desk, agent_id, rows, &mut aside)? {
            Search::Over(promoted) => return Ok(promoted),
            Search::AllAside if is_whole => return Ok(None),
            Search::AllAside => {}
        }
    }
    Ok(None)
}

/// How a search in the front of a queue ended.
enum Search {
    /// A turn was promoted, or none may be.
    Over(Option<Promoted>),
    /// None of the rows could run.
    AllAside,
}

fn promote_first(
    desk: &mut Desk<'_>,
    agent_id: &str,
    mut rows: Vec<Inbox>,
    aside: &mut usize,
) -> Run<Search> {
    let bug = desk.settings.bug;
    if bug == Bug::LifoPromotion {
        rows.reverse();
    }
    for mut row in rows {
        if bug == Bug::FiveInvalidBlock && *aside >= 5 {
            return Ok(Search::Over(None));
        }
        let payload = row.payload.as_object().cloned().unwrap_or_default();
        let missing = missing(desk, &row);
        let [channel_id, profile_box_id, context_box_id, output_box_id] =
            ["channel_id", "profile_box_id", "context_box_id", "output_box_id"]
                .map(|key| text_of(&payload, key).unwrap_or_default());
        if bug == Bug::PoisonBlocksQueue && !is_box_id(&profile_box_id) && missing.is_empty() {
            return Ok(Search::Over(None));
        }
        let turn_id = text_of(&payload, "agent_turn_id")
            .or_else(|| row.correlation_id.clone().filter(|id| !id.is_empty()))
            .unwrap_or_else(|| row.inbox_id.clone());
        if !missing.is_empty() {
            let mut payload = payload;
            payload.insert("dispatch_error".into(), "missing_required_fields".into());
            payload.insert("missing".into(), missing.into_iter().collect());
            row.payload = Json::Object(payload);
            row.status = InboxStatus::Error;
            row.archived_at = Some(desk.now());
            desk.put(&row, "promote", "a turn that cannot run")?;
            *aside += 1;
            continue;
        }
        let lease = Lease {
            agent_id: agent_id.to_owned(),
            agent_turn_id: turn_id.clone(),
            channel_id: Some(channel_id.clone()),
            profile_box_id: Some(profile_box_id),
            context_box_id: Some(context_box_id),
            output_box_id: Some(output_box_id),
            parent_step_id: row.parent_step_id.clone(),
            trace_id: row.trace_id.clone(),
            depth: row.recursion_depth,
        };
        let Some(turn_epoch) = self::lease(desk, &lease)? else {
            // taking it back would make another one the first
            desk.get::<Inbox>(&[&row.inbox_id])?;
            return Ok(Search::Over(None));
        };
        let mut payload = payload;
        payload.insert("turn_epoch".into(), turn_epoch.into());
        payload.insert("agent_turn_id".into(), turn_id.as_str().into());
        row.payload = Json::Object(payload);
        row.status = InboxStatus::Pending;
        row.processed_at = None;
        row.archived_at = None;
        row.agent_turn_id = Some(turn_id.clone());
        desk.put(&row, "promote", "first queued turn of an idle agent")?;
        return Ok(Search::Over(Some(Promoted {
            inbox_id: row.inbox_id,
            agent_turn_id: turn_id,
            turn_epoch,
            channel_id,
            traceparent: row.traceparent,
            tracestate: row.tracestate,
            trace_id: row.trace_id,
            recursion_depth: row.recursion_depth,
        })));
    }
    Ok(Search::AllAside)
}

/// The headers of a doorbell: the trace of the message that it rings for.
pub(crate) fn trace_headers(traceparent: Option<&str>, tracestate: Option<&str>) -> Object {
    let given = [("traceparent", traceparent), ("tracestate", tracestate)];
    given.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect()
}

/// Rings for a turn that was promoted.
pub(crate) fn ring_promoted(
    desk: &mut Desk<'_>,
    agent_id: &str,
    promoted: &Promoted,
    reason: &str,
    metadata: Option<Object>,
) -> Run<()> {
    let mut extra = object! { "inbox_id" => promoted.inbox_id.as_str(), "reason" => reason };
    if let Some(metadata) = metadata {
        extra.insert("metadata".into(), Json::Object(metadata));
    }
    let headers = trace_headers(promoted.traceparent.as_deref(), promoted.tracestate.as_deref());
    let channel = promoted.channel_id.clone();
    wakeup(desk, agent_id, &channel, extra, Some(headers))
}

/// Promotes the next turn of an agent that became idle, and rings for it.
pub(crate) fn dispatch_next(desk: &mut Desk<'_>, agent_id: &str, reason: &str) -> Run<()> {
    if desk.settings.bug == Bug::FinishWithoutPromotion {
        return Ok(());
    }
    if let Some(promoted) = promote(desk, agent_id)? {
        ring_promoted(desk, agent_id, &promoted, reason, None)?;
    }
    Ok(())
}
