//! The start of a turn, or of its next step.

use super::finish::{End, end_turn};
use super::reads::want_output;
use super::work::Work;
use crate::run::rows::Head;
use crate::run::rows::status::{HeadStatus, StepStatus};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::events::{state_event, step_event};
use crate::run::wire::trace;
use crate::value::json::{Json, Object};

/// Starts a turn or its next step. The answer states whether the worker can continue.
pub(crate) fn start(tx: &mut Transaction<'_>, work: &Work) -> Run<Object> {
    want_view(tx, work);
    if may_run(tx, work).is_err() {
        work.want_end(tx);
    }
    work.want_message(tx);
    let started = started(tx, work)?;
    // the commit that ends the step consumes the message of a turn that continues
    if started.get("entered").and_then(Json::as_bool) != Some(true) {
        work.consume(tx)?;
    }
    Ok(started)
}

/// Requests what a step reads: the head of the turn, and what the model will see.
fn want_view(tx: &mut Transaction<'_>, work: &Work) {
    if present(work.output_box_id.as_deref()).is_none() {
        want_output(tx, &work.agent_id);
    }
    tx.want::<Head>(&[&work.agent_id]);
    for box_id in [&work.output_box_id, &work.context_box_id, &work.profile_box_id] {
        tx.want_box(box_id.as_deref());
    }
    tx.want_agent(&work.agent_id);
}

/// An error that ends the turn, with its stable code.
type Refusal = (String, Option<&'static str>);

/// Returns the depth of a step that can run, or the error that ends its turn. Needs no read.
fn may_run(tx: &Transaction<'_>, work: &Work) -> Result<i64, Refusal> {
    let limit = tx.settings.max_recursion_depth;
    match trace::depth_of(&work.headers) {
        None => Err(("missing CG-Recursion-Depth header".to_owned(), Some("protocol_violation"))),
        Some(depth) if depth >= limit => Err((
            format!("recursion_depth_exceeded (depth={depth}, max={limit})"),
            Some("recursion_depth_exceeded"),
        )),
        Some(_) if work.step_count >= tx.settings.max_steps => {
            Err((format!("max_steps_reached (max_steps={})", tx.settings.max_steps), None))
        }
        Some(depth) => Ok(depth),
    }
}

fn started(tx: &mut Transaction<'_>, work: &Work) -> Run<Object> {
    let refused = |stage: &str| object! { "entered" => false, "stage" => stage };
    let Some(head) = work.head(tx)? else { return Ok(refused("guard")) };
    let wanted = if work.continuation { HeadStatus::Running } else { HeadStatus::Dispatched };
    if head.status != wanted {
        return Ok(refused("guard"));
    }
    let step_id = tx.mint("step_");
    match may_run(tx, work) {
        Ok(depth) => enter(tx, work, head, step_id, depth),
        Err(refusal) => {
            end_before_step(tx, work, &head, &step_id, refusal)?;
            Ok(refused("depth_or_steps"))
        }
    }
}

/// Starts the step.
fn enter(
    tx: &mut Transaction<'_>,
    work: &Work,
    mut head: Head,
    step_id: String,
    depth: i64,
) -> Run<Object> {
    let output = work.output_box(tx, &head)?;
    head.status = HeadStatus::Running;
    head.active_recursion_depth = depth;
    if present(work.context_box_id.as_deref()).is_some() {
        head.context_box_id.clone_from(&work.context_box_id);
    }
    head.output_box_id = Some(output.clone());
    head.updated_at = tx.now();
    let guard = if work.continuation { "status = running" } else { "status = dispatched" };
    tx.put(&head, "start", guard)?;
    let work = Work { output_box_id: Some(output.clone()), ..work.clone() };
    let scope = work.scope(&head);
    let step = work.step_row(tx, &scope, &step_id, StepStatus::Started);
    tx.put(&step, "start", guard)?;
    step_event(tx, &scope, &step_id, "started", &[]);
    state_event(tx, &scope, "running", object! { "activity" => "thinking" });
    Ok(object! { "entered" => true, "step_id" => step_id, "output_box_id" => output })
}

/// Ends a turn whose step cannot run.
fn end_before_step(
    tx: &mut Transaction<'_>,
    work: &Work,
    head: &Head,
    step_id: &str,
    (error, code): Refusal,
) -> Run<()> {
    let scope = work.scope(head);
    step_event(tx, &scope, step_id, "started", &[]);
    let step = work.step_row(tx, &scope, step_id, StepStatus::Started);
    tx.put(&step, "start", "a step that may not run")?;
    let end = End { rule: "start", ..End::failure(&error, code, Vec::new()) };
    end_turn(tx, work, head, step_id, end)
}
