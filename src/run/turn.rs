//! The turn machine: start, complete, fail, stop, and what they have in common.

use super::bugs::Bug;
use super::deliverable::{self, Fallback, make};
use super::desk::{Desk, Run, card_text, present};
use super::follows::{ROWS_OF_A_TURN, want_output, want_turn};
use super::l0::{self, dispatch_next, want_promotion};
use super::message::{TaskEnd, object, state_event, step_event, task_event};
use super::rows::{Head, Pointers, Resumption, StepRow, Waiting};
use super::trace;
use super::words::{HeadStatus, StepStatus};
use super::work::Work;
use crate::render::THINKING_BLOCKS;
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};

/// Raises the epoch of a head; nobody who holds the old one can write any more.
pub(crate) fn bump(desk: &mut Desk<'_>, head: &mut Head) -> Run<()> {
    head.turn_epoch = head.turn_epoch.saturating_add(1);
    let mut queue = l0::queue(desk, &head.agent_id)?;
    if queue.last_epoch < head.turn_epoch {
        queue.last_epoch = head.turn_epoch;
        desk.put(&queue, "epoch", "above every one seen")?;
    }
    Ok(())
}

/// Asks for everything that the end of a turn looks at.
pub(crate) fn want_finish(
    desk: &mut Desk<'_>,
    agent: &str,
    turn: &str,
    epoch: i64,
    output: Option<&str>,
) {
    let epoch = epoch.to_string();
    want_promotion(desk, agent);
    desk.want::<Pointers>(&[agent]);
    desk.want_list::<Waiting>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
    desk.want_list::<Resumption>("by_turn", &[agent, turn, &epoch], ROWS_OF_A_TURN);
    desk.want_box(output);
}

/// Frees a head: the end of a turn, whatever ended it.
pub(crate) fn finish(
    desk: &mut Desk<'_>,
    head: &Head,
    raise: bool,
    last_output: Option<&str>,
    rule: &'static str,
    guard: &str,
) -> Run<Head> {
    let epoch = head.turn_epoch.to_string();
    let turn = head.active_agent_turn_id.clone().unwrap_or_default();
    let agent = head.agent_id.clone();
    if desk.settings.bug != Bug::WaitingRowsStay {
        for row in desk.list::<Waiting>("by_turn", &[&agent, &turn, &epoch], ROWS_OF_A_TURN)? {
            desk.delete(&row, rule, "a call of a turn that ended")?;
        }
    }
    for row in desk.list::<Resumption>("by_turn", &[&agent, &turn, &epoch], ROWS_OF_A_TURN)? {
        desk.delete(&row, rule, "a result for a turn that ended")?;
    }
    let mut free = Head {
        status: HeadStatus::Idle,
        active_agent_turn_id: None,
        active_channel_id: None,
        parent_step_id: None,
        trace_id: None,
        context_box_id: None,
        output_box_id: None,
        resume_deadline: None,
        rung_at: None,
        active_recursion_depth: 0,
        waiting_tool_count: 0,
        updated_at: desk.now(),
        ..head.clone()
    };
    if raise {
        bump(desk, &mut free)?;
    }
    desk.put(&free, rule, guard)?;
    let mut queue = l0::queue(desk, &agent)?;
    if queue.status.is_some() {
        queue.active_agent_turn_id = None;
        queue.output_box_id = None;
        queue.channel_id = None;
        queue.status = None;
        desk.put(&queue, rule, "no turn is active")?;
    }
    if let Some(last) = present(last_output) {
        let pointers = desk.get::<Pointers>(&[&agent])?;
        let mut pointers =
            pointers.unwrap_or_else(|| Pointers { agent_id: agent.clone(), ..Pointers::default() });
        pointers.last_output_box_id = Some(last.to_owned());
        pointers.updated_at = desk.now();
        desk.put(&pointers, rule, "the output of the last turn")?;
    }
    Ok(free)
}

/// The output box of a piece of work: the one it names, the head's, or a new one where what is
/// named is not there.
fn output_box(desk: &mut Desk<'_>, work: &Work, head: &Head) -> Run<String> {
    let named = present(work.output_box_id.as_deref()).or(head.output_box_id.as_deref());
    if let Some(named) = present(named) {
        let named = named.to_owned();
        if desk.has_box(&named)? {
            return Ok(named);
        }
    }
    Ok(desk.new_box())
}

/// Starts a turn, or its next step. The answer says whether it may go on.
pub(crate) fn start(desk: &mut Desk<'_>, work: &Work) -> Run<Object> {
    want_view(desk, work);
    if may_run(desk, work).is_err() {
        work.want_end(desk);
    }
    work.want_message(desk);
    let started = started(desk, work)?;
    // a message whose turn goes on is consumed by the commit that ends the step
    if started.get("entered").and_then(Json::as_bool) != Some(true) {
        work.consume(desk)?;
    }
    Ok(started)
}

/// Asks for what a step looks at: the turn's head, and what its model will be shown.
fn want_view(desk: &mut Desk<'_>, work: &Work) {
    if present(work.output_box_id.as_deref()).is_none() {
        want_output(desk, &work.agent_id);
    }
    desk.want::<Head>(&[&work.agent_id]);
    for box_id in [&work.output_box_id, &work.context_box_id, &work.profile_box_id] {
        desk.want_box(box_id.as_deref());
    }
    desk.want_agent(&work.agent_id);
}

/// The depth of a step that may run, or why its turn ends instead: nothing has to be read for it.
fn may_run(
    desk: &Desk<'_>,
    work: &Work,
) -> std::result::Result<i64, (String, Option<&'static str>)> {
    let limit = desk.settings.max_recursion_depth;
    match trace::depth_of(&work.headers) {
        None => Err(("missing CG-Recursion-Depth header".to_owned(), Some("protocol_violation"))),
        Some(depth) if depth >= limit => Err((
            format!("recursion_depth_exceeded (depth={depth}, max={limit})"),
            Some("recursion_depth_exceeded"),
        )),
        Some(_) if work.step_count >= desk.settings.max_steps => {
            Err((format!("max_steps_reached (max_steps={})", desk.settings.max_steps), None))
        }
        Some(depth) => Ok(depth),
    }
}

fn started(desk: &mut Desk<'_>, work: &Work) -> Run<Object> {
    let outside = |stage: &str| object! { "entered" => false, "stage" => stage };
    let Some(head) = work.head(desk)? else { return Ok(outside("guard")) };
    let wanted = if work.continuation { HeadStatus::Running } else { HeadStatus::Dispatched };
    if head.status != wanted {
        return Ok(outside("guard"));
    }
    let scope = work.scope(&head);
    let step_id = desk.mint("step_");
    let (error, code) = match may_run(desk, work) {
        Err(refused) => refused,
        Ok(depth) => {
            let output = output_box(desk, work, &head)?;
            let mut head = head;
            head.status = HeadStatus::Running;
            head.active_recursion_depth = depth;
            if present(work.context_box_id.as_deref()).is_some() {
                head.context_box_id.clone_from(&work.context_box_id);
            }
            head.output_box_id = Some(output.clone());
            head.updated_at = desk.now();
            let guard = if work.continuation { "status = running" } else { "status = dispatched" };
            desk.put(&head, "start", guard)?;
            let work = Work { output_box_id: Some(output.clone()), ..work.clone() };
            let scope = work.scope(&head);
            let step = work.step_row(desk, &scope, &step_id, StepStatus::Started);
            desk.put(&step, "start", guard)?;
            step_event(desk, &scope, &step_id, "started", &[]);
            state_event(desk, &scope, "running", object! { "activity" => "thinking" });
            return Ok(object! {
                "entered" => true, "step_id" => step_id, "output_box_id" => output,
            });
        }
    };
    step_event(desk, &scope, &step_id, "started", &[]);
    let step = work.step_row(desk, &scope, &step_id, StepStatus::Started);
    desk.put(&step, "start", "a step that may not run")?;
    let end = End {
        rule: "start",
        source: "agent_worker.react_step.ensure_terminal_deliverable",
        status: "failed",
        error: Some(error),
        code: code.map(str::to_owned),
        raise: false,
        new_cards: Vec::new(),
        stop: None,
    };
    ended(desk, work, &head, &step_id, end)?;
    Ok(outside("depth_or_steps"))
}

/// How a piece of work ends its turn.
pub(crate) struct End {
    pub rule: &'static str,
    pub source: &'static str,
    pub status: &'static str,
    pub error: Option<String>,
    pub code: Option<String>,
    pub raise: bool,
    pub new_cards: Vec<String>,
    /// The epoch of the command that stopped it.
    pub stop: Option<i64>,
}

/// Ends a turn: deliverable, free head, events, the next turn.
pub(crate) fn ended(
    desk: &mut Desk<'_>,
    work: &Work,
    head: &Head,
    step_id: &str,
    end: End,
) -> Run<()> {
    let scope = work.scope(head);
    let partial = end.status != "success";
    let reason =
        end.error.clone().unwrap_or_else(|| "completed_without_explicit_deliverable".into());
    let mut new_cards = end.new_cards;
    let output = present(work.output_box_id.as_deref()).map(str::to_owned);
    let mut delivered = None;
    if let Some(output) = &output
        && let Some(card_ids) = desk.box_cards(output)?
    {
        let cards = desk.cards(&card_ids)?;
        if let Some(epoch) = end.stop {
            let data = object! { "error" => reason.as_str(), "status" => "failed" };
            let mut metadata = work.card_metadata(Some(step_id));
            metadata.insert("role".into(), "system".into());
            metadata.insert("resume_turn_epoch".into(), epoch.into());
            let content = Content::json(Json::Object(data))?;
            let new = NewCard { metadata, ..NewCard::new("agent.error", "system_pmo", content) };
            let card = card_text(&make(desk, new)?.card_id);
            desk.append(output, std::slice::from_ref(&card))?;
            new_cards.push(card);
        }
        delivered = deliverable::deliverable(&cards);
        if delivered.is_none() {
            let (thought, tool_results) = deliverable::summary(&cards);
            let mut metadata = work.card_metadata(Some(step_id));
            match end.stop {
                Some(epoch) => {
                    metadata.insert("stop_reason".into(), reason.as_str().into());
                    metadata.insert("resume_turn_epoch".into(), epoch.into());
                }
                None => drop(metadata.insert("terminal_reason".into(), reason.as_str().into())),
            }
            let fallback = Fallback {
                source: end.source,
                author_id: &work.agent_id,
                headline: deliverable::headline(partial),
                reason: &reason,
                terminal_status: if partial { "failed" } else { "success" },
                partial,
                thought,
                tool_results,
                diagnostics: Object::default(),
                metadata,
            };
            let card = card_text(&deliverable::fallback(desk, fallback)?.card_id);
            desk.append(output, std::slice::from_ref(&card))?;
            new_cards.push(card.clone());
            delivered = Some(card);
        } else if let Some(card) = &delivered
            && end.stop.is_none()
        {
            new_cards.push(card.clone());
        }
    }
    finish(desk, head, end.raise, output.as_deref(), end.rule, "turn and epoch match")?;
    end_step(desk, work, step_id, end.status == "success", end.error.as_deref())?;
    let metadata = match &end.error {
        Some(error) if partial => object! { "error" => error.as_str() },
        Some(_) | None => Object::default(),
    };
    state_event(desk, &scope, "idle", metadata);
    let phase = if partial { "failed" } else { "completed" };
    step_event(desk, &scope, step_id, phase, &new_cards);
    let task = TaskEnd {
        status: end.status.to_owned(),
        deliverable_card_id: delivered,
        error: end.error,
        error_code: end.code,
        timed: !partial,
        ..TaskEnd::default()
    };
    task_event(desk, &scope, &task, None);
    dispatch_next(desk, &work.agent_id, "agent_idle")
}

/// Ends a step.
pub(crate) fn end_step(
    desk: &mut Desk<'_>,
    work: &Work,
    step_id: &str,
    well: bool,
    error: Option<&str>,
) -> Run<()> {
    if let Some(mut step) = desk.peek::<StepRow>(&[&work.agent_id, step_id])? {
        step.status = if well { StepStatus::Completed } else { StepStatus::Failed };
        step.error = error.filter(|_| !well).map(str::to_owned);
        step.ended_at = Some(desk.now());
        desk.put(&step, "step", "the step of a turn that ended")?;
    }
    Ok(())
}

/// The model's answer as a card.
pub(crate) struct Thought {
    pub text: String,
    pub tool_calls: Vec<Object>,
    /// Its reasoning, in the parts that the provider gave it in.
    pub thinking_blocks: Vec<Json>,
}

/// Keeps what the model answered.
pub(crate) fn think(
    desk: &mut Desk<'_>,
    work: &Work,
    step_id: &str,
    thought: &Thought,
) -> Run<Option<String>> {
    let Some(output) = present(work.output_box_id.as_deref()).map(str::to_owned) else {
        return Ok(None);
    };
    if !desk.has_box(&output)? {
        return Ok(None);
    }
    let mut metadata = object! { "role" => "assistant", "step_id" => step_id };
    if !thought.thinking_blocks.is_empty() {
        let blocks = Json::Array(thought.thinking_blocks.clone());
        metadata.insert(THINKING_BLOCKS.into(), blocks);
    }
    let calls = (!thought.tool_calls.is_empty()).then(|| thought.tool_calls.clone());
    let content = Content::text(thought.text.as_str());
    let new = NewCard {
        metadata,
        tool_calls: calls,
        ..NewCard::new("agent.thought", &work.agent_id, content)
    };
    let card = card_text(&make(desk, new)?.card_id);
    desk.append(&output, std::slice::from_ref(&card))?;
    Ok(Some(card))
}

/// The turn is done.
pub(crate) fn complete(desk: &mut Desk<'_>, work: &Work, thought: Option<&Thought>) -> Run<bool> {
    end_work(desk, work, thought, "complete", "success", None, None)
}

/// The turn failed.
pub(crate) fn fail(
    desk: &mut Desk<'_>,
    work: &Work,
    thought: Option<&Thought>,
    error: &str,
    code: Option<&str>,
) -> Run<bool> {
    end_work(desk, work, thought, "fail", "failed", Some(error), code)
}

fn end_work(
    desk: &mut Desk<'_>,
    work: &Work,
    thought: Option<&Thought>,
    rule: &'static str,
    status: &'static str,
    error: Option<&str>,
    code: Option<&str>,
) -> Run<bool> {
    work.want_end(desk);
    let step_id = work.step_id.clone().unwrap_or_default();
    desk.want::<StepRow>(&[&work.agent_id, &step_id]);
    let head = desk.get::<Head>(&[&work.agent_id])?;
    let bug = desk.settings.bug;
    let holds = |head: &Head| {
        if bug == Bug::CompleteIgnoresEpoch {
            return head.active_agent_turn_id.as_deref() == Some(work.agent_turn_id.as_str());
        }
        work.holds(head)
    };
    let Some(head) = head.filter(holds) else { return Ok(false) };
    let ready = match head.status {
        HeadStatus::Running => true,
        HeadStatus::Dispatched | HeadStatus::Suspended => {
            rule == "fail" || bug == Bug::CompleteIgnoresStatus
        }
        HeadStatus::Idle => false,
    };
    if !ready {
        return Ok(false);
    }
    let mut new_cards = Vec::new();
    if let Some(thought) = thought {
        new_cards.extend(think(desk, work, &step_id, thought)?);
    }
    let end = End {
        rule,
        source: "agent_worker.react_step.ensure_terminal_deliverable",
        status,
        error: error.map(str::to_owned),
        code: code.map(str::to_owned),
        raise: false,
        new_cards,
        stop: None,
    };
    ended(desk, work, &head, &step_id, end)?;
    Ok(true)
}

/// Stops a turn that was leased at this epoch or before.
pub(crate) fn stop(desk: &mut Desk<'_>, work: &Work, reason: Option<&str>) -> Run<bool> {
    want_turn(desk, &work.agent_id);
    want_promotion(desk, &work.agent_id);
    let Some(head) = desk.get::<Head>(&[&work.agent_id])? else { return Ok(false) };
    let same = head.active_agent_turn_id.as_deref() == Some(work.agent_turn_id.as_str());
    if !same || head.status == HeadStatus::Idle || head.turn_epoch < work.turn_epoch {
        return Ok(false);
    }
    // the head says what the turn writes to, whatever the command was told
    let mut work = Work { output_box_id: head.output_box_id.clone(), ..work.clone() };
    for (to, from) in [
        (&mut work.profile_box_id, &head.profile_box_id),
        (&mut work.context_box_id, &head.context_box_id),
        (&mut work.trace_id, &head.trace_id),
        (&mut work.parent_step_id, &head.parent_step_id),
    ] {
        if present(to.as_deref()).is_none() {
            to.clone_from(from);
        }
    }
    let command_epoch = work.turn_epoch;
    work.turn_epoch = head.turn_epoch;
    work.want_end(desk);
    let scope = work.scope(&head);
    let step_id = desk.mint("step_stop_");
    let step = work.step_row(desk, &scope, &step_id, StepStatus::Started);
    desk.put(&step, "stop", "turn matches, epoch not above the head's")?;
    step_event(desk, &scope, &step_id, "started", &[]);
    let end = End {
        rule: "stop",
        source: "agent_worker.stop_handler",
        status: "failed",
        error: Some(present(reason).unwrap_or("stopped_by_pmo").to_owned()),
        code: Some("stopped".into()),
        raise: desk.settings.bug != Bug::StopKeepsEpoch,
        new_cards: Vec::new(),
        stop: Some(command_epoch),
    };
    ended(desk, &work, &head, &step_id, end)?;
    Ok(true)
}
