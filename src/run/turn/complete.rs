//! The end of a turn by its worker.

use super::deliverable::make;
use super::finish::{End, end_turn};
use super::work::{Ended, TurnWork};
use crate::render::THINKING_BLOCKS;
use crate::run::rows::status::HeadStatus;
use crate::run::rows::{Head, StepRow};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object, present};
use crate::value::arguments::{Loose, OrNull, arguments};
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};

arguments! {
    /// The answer of the model.
    ///
    /// The example of [`TurnComplete`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ModelThought {
        /// The text.
        pub text: Loose<String> = String::new(),
        /// The calls as the model wrote them. The card keeps them.
        pub tool_calls: Vec<Object> = Vec::new(),
        /// The reasoning in the parts of the provider, signed if the provider signs them. The next
        /// request has them.
        pub thinking_blocks: Vec<Json> = Vec::new(),
    }

    /// Completes a turn.
    ///
    /// ```
    /// use tuckbox::run::TurnComplete;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = TurnComplete::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1",
    ///     "turn_epoch": 1, "thought": {"text": "Done."}}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let done = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert!(!done.ended, "no agent has this turn");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnComplete {
        /// The answer of the model.
        pub thought: Option<ModelThought>,
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared cards: WrittenCards,
        shared work: TurnWork,
        shared terms: RunTerms,
    }

    /// The cards that a worker wrote before it ends its turn.
    ///
    /// The example of [`TurnComplete`] shows a similar call.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct WrittenCards {
        /// The card that the turn delivers. By default that of the output box, or a new one.
        pub deliverable_card_id: Option<OrNull<String>>,
        /// Further cards of the step, for its event.
        pub new_card_ids: Vec<String> = Vec::new(),
    }

    /// Fails a turn.
    ///
    /// The example of [`TurnComplete`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnFail {
        /// The error.
        pub error: String = "failed".into(),
        /// The stable code of the error.
        pub error_code: Option<String>,
        /// The answer of the model.
        pub thought: Option<ModelThought>,
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        shared cards: WrittenCards,
        shared work: TurnWork,
        shared terms: RunTerms,
    }
}

perform! {
    TurnComplete -> Ended {
        |call, tx| {
            let end = call.cards.end(End::success);
            let thought = call.thought.as_ref();
            let ended = call.work.perform(tx, |tx, work| end_work(tx, work, thought, end))?;
            Ok(Ended { ended })
        }
    }
    TurnFail -> Ended {
        |call, tx| {
            let code = call.error_code.as_deref();
            let end = call.cards.end(|new_cards| End::failure(&call.error, code, new_cards));
            let thought = call.thought.as_ref();
            let ended = call.work.perform(tx, |tx, work| end_work(tx, work, thought, end))?;
            Ok(Ended { ended })
        }
    }
}

/// Writes the answer of the model as a card, and returns its id; `None` without an output box.
pub(crate) fn think(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    step_id: &str,
    thought: &ModelThought,
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

impl WrittenCards {
    /// Returns an end of the turn with these cards.
    fn end(&self, end: impl FnOnce(Vec<String>) -> End) -> End {
        let delivered = present(self.deliverable_card_id.as_deref()).map(str::to_owned);
        End { delivered, ..end(self.new_card_ids.clone()) }
    }
}

/// Ends a turn. Returns false if the turn does not run.
fn end_work(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    thought: Option<&ModelThought>,
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
        let thought = think(tx, work, &step_id, thought)?;
        end.new_cards.splice(0..0, thought);
    }
    end_turn(tx, work, &head, &step_id, end)?;
    Ok(true)
}
