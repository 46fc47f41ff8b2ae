//! What runs: the operation `run_state`.

use crate::run::args::Args;
use crate::run::rows::{Batch, Edge, Head, Inbox, Row, StepRow, Task, Waiting};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::json::Json;

/// The statuses of a message that is not done.
const OPEN: [&str; 3] = ["queued", "pending", "processing"];

fn shown<R: Row>(rows: &[R]) -> Json {
    rows.iter().map(|row| Json::Object(row.write())).collect()
}

/// Returns what runs in a project, at one agent, or in one batch.
pub(super) fn run_state(tx: &mut Transaction<'_>, args: &Args<'_>) -> Run<Json> {
    let limit = args.limit(tx, 100)?;
    if let Some(batch_id) = args.text("batch_id")? {
        return of_batch(tx, &batch_id, limit);
    }
    match args.text("agent_id")? {
        Some(agent) => of_agent(tx, &agent, limit),
        None => of_project(tx, limit),
    }
}

fn of_batch(tx: &mut Transaction<'_>, batch_id: &str, limit: usize) -> Run<Json> {
    tx.want::<Batch>(&[batch_id]);
    for phase in ["request", "response"] {
        tx.want_list::<Edge>("by_correlation", &[batch_id, phase], limit);
    }
    let tasks = tx.list::<Task>("by_batch", &[batch_id], limit)?;
    let batches: Vec<Batch> = tx.get::<Batch>(&[batch_id])?.into_iter().collect();
    let mut edges = Vec::new();
    for phase in ["request", "response"] {
        edges.extend(tx.list::<Edge>("by_correlation", &[batch_id, phase], limit)?);
    }
    Ok(Json::Object(object! {
        "batches" => shown(&batches), "tasks" => shown(&tasks), "edges" => shown(&edges),
    }))
}

fn of_agent(tx: &mut Transaction<'_>, agent: &str, limit: usize) -> Run<Json> {
    for status in OPEN {
        tx.want_list::<Inbox>("in_order", &[agent, status], limit);
    }
    tx.want_list::<Waiting>("by_agent", &[agent], limit);
    let heads: Vec<Head> = tx.get::<Head>(&[agent])?.into_iter().collect();
    let turn = heads.first().and_then(|head| head.active_agent_turn_id.clone()).unwrap_or_default();
    let steps = tx.list::<StepRow>("by_turn", &[agent, &turn], limit)?;
    let mut queued = Vec::new();
    for status in OPEN {
        queued.extend(tx.list::<Inbox>("in_order", &[agent, status], limit)?);
    }
    let waiting = tx.list::<Waiting>("by_agent", &[agent], limit)?;
    Ok(Json::Object(object! {
        "agents" => shown(&heads), "queued" => shown(&queued), "waiting" => shown(&waiting),
        "steps" => shown(&steps),
    }))
}

fn of_project(tx: &mut Transaction<'_>, limit: usize) -> Run<Json> {
    let statuses = ["dispatched", "running", "suspended", "idle"];
    for status in statuses {
        tx.want_list::<Head>("by_status", &[status], limit);
    }
    tx.want_list::<Batch>("by_status", &["running"], limit);
    let queued = tx.list::<Inbox>("by_status", &["queued"], limit)?;
    let mut heads = Vec::new();
    for status in statuses {
        heads.extend(tx.list::<Head>("by_status", &[status], limit)?);
    }
    let batches = tx.list::<Batch>("by_status", &["running"], limit)?;
    Ok(Json::Object(object! {
        "agents" => shown(&heads), "queued" => shown(&queued), "batches" => shown(&batches),
    }))
}
