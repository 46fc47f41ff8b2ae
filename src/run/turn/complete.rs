//! The end of a turn by its worker.

use super::deliverable::make;
use super::finish::{End, end_turn};
use super::work::Work;
use crate::render::THINKING_BLOCKS;
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{Head, StepRow};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object, present};
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};

/// The answer of the model.
pub(crate) struct Thought {
    pub text: String,
    pub tool_calls: Vec<Object>,
    /// The reasoning, in the parts of the provider.
    pub thinking_blocks: Vec<Json>,
}

/// Writes the answer of the model as a card, and returns its id; `None` without an output box.
pub(crate) fn think(
    tx: &mut Transaction<'_>,
    work: &Work,
    step_id: &str,
    thought: &Thought,
) -> Run<Option<String>> {
    let Some(output) = present(work.output_box_id.as_deref()).map(str::to_owned) else {
        return Ok(None);
    };
    if !tx.has_box(&output)? {
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
    let card = card_text(&make(tx, new)?.card_id);
    tx.append(&output, std::slice::from_ref(&card))?;
    Ok(Some(card))
}

/// Completes a turn. Returns false if the turn does not run.
pub(crate) fn complete(
    tx: &mut Transaction<'_>,
    work: &Work,
    thought: Option<&Thought>,
) -> Run<bool> {
    end_work(tx, work, thought, End::success(Vec::new()))
}

/// Fails a turn. Returns false if the turn ended before.
pub(crate) fn fail(
    tx: &mut Transaction<'_>,
    work: &Work,
    thought: Option<&Thought>,
    error: &str,
    code: Option<&str>,
) -> Run<bool> {
    end_work(tx, work, thought, End::failure(error, code, Vec::new()))
}

fn end_work(
    tx: &mut Transaction<'_>,
    work: &Work,
    thought: Option<&Thought>,
    mut end: End,
) -> Run<bool> {
    work.want_end(tx);
    let step_id = work.step_id.clone().unwrap_or_default();
    tx.want::<StepRow>(&[&work.agent_id, &step_id]);
    let head = tx.get::<Head>(&[&work.agent_id])?;
    let Some(head) = head.filter(|head| work.holds(head)) else { return Ok(false) };
    let ready = match head.status {
        HeadStatus::Running => true,
        HeadStatus::Dispatched | HeadStatus::Suspended => end.rule == "fail",
        HeadStatus::Idle => false,
    };
    if !ready {
        return Ok(false);
    }
    if let Some(thought) = thought {
        end.new_cards.extend(think(tx, work, &step_id, thought)?);
    }
    end_turn(tx, work, &head, &step_id, end)?;
    Ok(true)
}
