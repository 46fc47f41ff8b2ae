//! A piece of work on a turn: what a worker receives, and what follows from it.

use super::reads::want_finish;
use crate::run::queue::inbox;
use crate::run::rows::status::StepStatus;
use crate::run::rows::{Head, Inbox, StepCard, StepRow};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::events::Scope;
use crate::value::json::{Json, Object};

/// A piece of work on a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub agent_id: String,
    pub agent_turn_id: String,
    pub turn_epoch: i64,
    pub channel_id: Option<String>,
    pub profile_box_id: Option<String>,
    pub context_box_id: Option<String>,
    pub output_box_id: Option<String>,
    pub headers: Object,
    pub trace_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub step_id: Option<String>,
    pub step_count: i64,
    pub continuation: bool,
    /// The message that the same commit consumes.
    pub consumes: Option<String>,
}

impl Work {
    pub fn scope(&self, head: &Head) -> Scope {
        let channel = present(self.channel_id.as_deref())
            .or(head.active_channel_id.as_deref())
            .unwrap_or("public");
        Scope {
            agent_id: self.agent_id.clone(),
            agent_turn_id: self.agent_turn_id.clone(),
            turn_epoch: self.turn_epoch,
            channel_id: channel.to_owned(),
            output_box_id: self.output_box_id.clone(),
            headers: self.headers.clone(),
        }
    }

    /// Returns the metadata of a card of this turn.
    pub fn card_metadata(&self, step_id: Option<&str>) -> Object {
        let mut metadata = object! { "agent_turn_id" => self.agent_turn_id.as_str() };
        let parts = [
            ("step_id", step_id),
            ("trace_id", self.trace_id.as_deref()),
            ("parent_step_id", self.parent_step_id.as_deref()),
        ];
        for (key, value) in parts {
            if let Some(value) = present(value) {
                metadata.insert(key.to_owned(), value.into());
            }
        }
        metadata
    }

    pub fn step_row(
        &self,
        tx: &Transaction<'_>,
        scope: &Scope,
        step_id: &str,
        status: StepStatus,
    ) -> StepRow {
        StepRow {
            agent_id: self.agent_id.clone(),
            step_id: step_id.to_owned(),
            agent_turn_id: self.agent_turn_id.clone(),
            channel_id: Some(scope.channel_id.clone()),
            parent_step_id: self.parent_step_id.clone(),
            trace_id: self.trace_id.clone(),
            status,
            profile_box_id: self.profile_box_id.clone(),
            context_box_id: self.context_box_id.clone(),
            output_box_id: self.output_box_id.clone(),
            started_at: tx.now(),
            ..StepRow::default()
        }
    }

    /// Returns the head, if turn and epoch match.
    pub fn head(&self, tx: &mut Transaction<'_>) -> Run<Option<Head>> {
        let head = tx.get::<Head>(&[&self.agent_id])?;
        Ok(head.filter(|head| self.holds(head)))
    }

    /// Returns true if turn and epoch are those of the head.
    pub fn holds(&self, head: &Head) -> bool {
        head.active_agent_turn_id.as_deref() == Some(self.agent_turn_id.as_str())
            && head.turn_epoch == self.turn_epoch
    }

    /// Returns the output box: the one of this work, of the head, or a new one if that does not exist.
    pub fn output_box(&self, tx: &mut Transaction<'_>, head: &Head) -> Run<String> {
        let named = present(self.output_box_id.as_deref()).or(head.output_box_id.as_deref());
        match present(named).map(str::to_owned) {
            Some(named) if tx.has_box(&named)? => Ok(named),
            Some(_) | None => Ok(tx.new_box()),
        }
    }

    /// Requests everything that the end of this turn reads.
    pub fn want_end(&self, tx: &mut Transaction<'_>) {
        let output = self.output_box_id.as_deref();
        want_finish(tx, &self.agent_id, &self.agent_turn_id, self.turn_epoch, output);
    }

    /// Requests the message to consume.
    pub fn want_message(&self, tx: &mut Transaction<'_>) {
        if let Some(inbox_id) = &self.consumes {
            tx.want::<Inbox>(&[inbox_id]);
        }
    }

    /// Consumes the message of this work, regardless of the outcome. The message of a released turn has
    /// another epoch and belongs to another worker.
    pub fn consume(&self, tx: &mut Transaction<'_>) -> Run<()> {
        let Some(inbox_id) = &self.consumes else { return Ok(()) };
        if inbox::epoch_of(tx, inbox_id)? == Some(self.turn_epoch) {
            inbox::consume(tx, inbox_id, self.channel_id.as_deref())?;
        }
        Ok(())
    }

    /// Returns the next piece of work on the same turn.
    pub fn next(&self, turn_epoch: i64, step_count: i64, output: Option<&str>) -> Object {
        object! {
            "agent_id" => self.agent_id.as_str(),
            "agent_turn_id" => self.agent_turn_id.as_str(),
            "turn_epoch" => turn_epoch,
            "continuation" => true,
            "step_count" => step_count,
            "output_box_id" => output.map(str::to_owned),
        }
    }
}

/// Returns the work that resumes a turn with a result.
pub(crate) fn resume_item(work: &Work, resume: Object) -> Object {
    let mut item = work.next(work.turn_epoch, 0, work.output_box_id.as_deref());
    item.insert("resume".into(), Json::Object(resume));
    item
}

/// Returns the keys of a payload that describe a result, without its target.
pub(crate) fn resume_payload(payload: &Object) -> Object {
    let keys = ["tool_call_id", "status", "after_execution", "tool_result_card_id", "step_id"];
    keys.iter().filter_map(|key| Some((key.to_string(), payload.get(key)?.clone()))).collect()
}

/// Describes the result in a card.
pub(crate) fn card_payload(card: &StepCard, tool_call_id: &str) -> Object {
    object! {
        "tool_call_id" => tool_call_id,
        "status" => card.status.clone(),
        "after_execution" => card.after_execution.clone(),
        "tool_result_card_id" => card.card_id.as_str(),
        "step_id" => card.step_id.clone(),
    }
}
