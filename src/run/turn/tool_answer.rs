//! The answer of a tool that answers later.

use super::tool_results::{AnsweredCall, ToolOutput, put_result, result_id};
use crate::run::queue::answer::{Answer, Checked, settled, violation};
use crate::run::queue::edge::{NoteEdge, note_tool_call, want_tool_call};
use crate::run::queue::report::{report_checked, sent_before, want_report};
use crate::run::queue::send::SendMessage;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Stop, Transaction};
use crate::run::values::object;
use crate::value::arguments::{Argument, OrNull, arguments, read_word};
use crate::value::card::{AfterExecution, Content, ToolResult};
use crate::value::error::Step;
use crate::value::json::{Field, Json, Object};
use crate::{Error, Path, Result};
use serde::Serialize;

/// The outcome that a tool reports.
///
/// The example of [`AnswerToolCall`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolStatus {
    /// The tool did what the call asks for.
    Success,
    /// The tool failed.
    Failed,
    /// The tool did a part of it.
    Partial,
    /// The tool did not answer in time.
    Timeout,
    /// The call was canceled.
    Canceled,
}

shape! {
    pub type ToolStatus = Word<"success", "failed", "partial", "timeout", "canceled">;
    pub type AfterExecution = Word<"suspend", "terminate">;
}

impl ToolStatus {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Partial => "partial",
            Self::Timeout => "timeout",
            Self::Canceled => "canceled",
        }
    }
}

impl Argument for ToolStatus {
    fn read(field: &Field<'_>) -> Result<Self> {
        let words = [Self::Success, Self::Failed, Self::Partial, Self::Timeout, Self::Canceled];
        read_word(field, &words.map(|status| (status.as_str(), status)))
    }
}

impl Argument for AfterExecution {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &[Self::Suspend, Self::Terminate].map(|next| (next.as_str(), next)))
    }
}

arguments! {
    /// Answers a tool call that a turn waits for. It stores the result as the card
    /// `result_<tool_call_id>`, notes the call, and reports the result to the turn. Only the first
    /// answer of a call counts: a later one changes no card. A refused answer writes nothing.
    ///
    /// ```
    /// use tuckbox::run::{AnswerToolCall, ToolStatus};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = AnswerToolCall::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1,
    ///     "step_id": "s1", "tool_call_id": "c1", "tool_name": "search", "result": ["a hit"]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let answered = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?;
    /// assert_eq!(call.status, ToolStatus::Success);
    /// assert!(answered.value.accepted);
    /// assert_eq!(answered.writes.cards[0].card_id, "result_c1");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct AnswerToolCall {
        /// The agent whose turn waits.
        pub agent_id: String,
        /// The turn that waits.
        pub agent_turn_id: String,
        /// The epoch of the turn.
        pub turn_epoch: i64,
        /// The step that made the call.
        pub step_id: String,
        /// The id of the call.
        pub tool_call_id: String,
        /// The name of the tool.
        pub tool_name: String,
        /// The depth of the call.
        pub recursion_depth: u64 = 0,
        /// The channel of the turn.
        pub channel_id: String = "public".into(),
        /// The outcome of the call.
        pub status: ToolStatus = ToolStatus::Success,
        /// The error of a call that did not succeed, with `code` and `message`.
        pub error: Option<OrNull<Object>>,
        /// `suspend` to continue the turn, `terminate` to end it.
        pub after_execution: AfterExecution = AfterExecution::Suspend,
        shared output: ToolOutput,
        shared terms: RunTerms,
    }
}

/// Whether the answer of a tool was accepted.
///
/// The example of [`AnswerToolCall`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnsweredToolCall {
    /// True if the turn receives the answer, or received the same answer before.
    pub accepted: bool,
    /// The stable code of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
}

shape! {
    /// Whether the answer of a tool was accepted.
    pub struct AnsweredToolCall {
        pub accepted: bool,
        pub error_code: Maybe<crate::run::queue::answer::RunRefusal>,
    }
}

perform! {
    AnswerToolCall -> AnsweredToolCall { |call, tx| call.run(tx) }
}

impl AnswerToolCall {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<AnsweredToolCall> {
        let error_code = match settled(self.answer(tx))? {
            Answer::Accepted { .. } => None,
            Answer::Refused(refused) => Some(refused.error_code),
        };
        Ok(AnsweredToolCall { accepted: error_code.is_none(), error_code })
    }

    fn answer(&self, tx: &mut Transaction<'_>) -> Checked<()> {
        let answer = self.content().map_err(Stop::Failed)?;
        let send = self.report(&answer);
        let Some(call) = send.correlation().filter(|_| !self.terms.lacks_project()) else {
            return violation();
        };
        tx.want_card(Some(&result_id(call)));
        want_tool_call(tx, call);
        want_report(tx, &send, call);
        // what is refused must not leave a note
        sent_before(tx, &send, call)?;
        note_tool_call(tx, &self.edge())?;
        report_checked(tx, &send, Object::default())?;
        let of = AnsweredCall {
            agent_turn_id: &self.agent_turn_id,
            step_id: &self.step_id,
            tool_call_id: call,
            tool_name: &self.tool_name,
        };
        Ok(put_result(tx, &of, answer, &self.output).map_err(|stop| self.located(stop))?)
    }

    /// Returns the content of the result's card, without the result.
    fn content(&self) -> Result<ToolResult> {
        let wire = object! {
            "__type__" => "ToolResultContent",
            "status" => self.status.as_str(),
            "after_execution" => self.after_execution.as_str(),
            "error" => self.error.clone(),
        };
        match Content::from_wire(&Field::root(&Json::Object(wire)))? {
            Content::ToolResult(result) => Ok(result),
            _ => Err(Error::invalid_content("the answer is not a result")),
        }
    }

    /// Returns the report to the turn.
    fn report(&self, answer: &ToolResult) -> SendMessage {
        let payload = object! {
            "tool_call_id" => self.tool_call_id.as_str(),
            "agent_turn_id" => self.agent_turn_id.as_str(),
            "turn_epoch" => self.turn_epoch,
            "agent_id" => self.agent_id.as_str(),
            "status" => answer.status.as_str(),
            "after_execution" => answer.after_execution.as_str(),
            "tool_result_card_id" => result_id(&self.tool_call_id),
            "step_id" => self.step_id.as_str(),
        };
        SendMessage {
            target_agent_id: self.agent_id.clone(),
            message_type: "tool_result".into(),
            payload: Json::Object(payload),
            channel_id: self.channel_id.clone(),
            correlation_id: Some(self.tool_call_id.clone()),
            recursion_depth: Some(self.recursion_depth.into()),
            source_agent_id: Some(format!("tool.{}", self.tool_name)),
            wakeup: true,
            ..SendMessage::default()
        }
    }

    /// Returns the note of the call.
    fn edge(&self) -> NoteEdge {
        NoteEdge {
            correlation_id: self.tool_call_id.clone(),
            channel_id: Some(self.channel_id.clone()),
            source_agent_id: Some(self.agent_id.clone()),
            source_agent_turn_id: Some(self.agent_turn_id.clone()),
            source_step_id: Some(self.step_id.clone()),
            recursion_depth: Some(self.recursion_depth.into()),
            ..NoteEdge::default()
        }
    }

    /// Returns an error of a card with the path of the argument.
    fn located(&self, stop: Stop) -> Stop {
        let Stop::Failed(error) = stop else { return stop };
        let path = match error.path().steps() {
            [Step::Key(content), Step::Key(result), rest @ ..]
                if &**content == "content" && &**result == "result" =>
            {
                Path::root().key(self.output.key()).join(&Path::from_steps(rest.to_vec()))
            }
            [Step::Key(content), rest @ ..] if &**content == "content" => {
                Path::from_steps(rest.to_vec())
            }
            _ => return Stop::Failed(error),
        };
        Stop::Failed(error.at(path))
    }
}
