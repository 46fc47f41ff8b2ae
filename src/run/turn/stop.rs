//! The stop of a turn by a command.

use super::finish::{End, end_turn};
use super::reads::want_turn;
use super::work::{Ended, TurnWork};
use crate::run::queue::promote::want_promotion;
use crate::run::rows::Head;
use crate::run::rows::status::{HeadStatus, StepStatus};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{present, text_of};
use crate::run::wire::events::step_event;
use crate::value::arguments::arguments;
use crate::value::json::Object;

arguments! {
    /// Stops a turn.
    ///
    /// The example of [`TurnComplete`](crate::run::TurnComplete) shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Stop {
        /// The content of the command. Its `reason` becomes the error of the turn.
        pub payload: Object = Object::default(),
        shared work: TurnWork,
        shared terms: RunTerms,
    }
}

perform! {
    Stop -> Ended {
        |call, tx| {
            let reason = text_of(&call.payload, "reason");
            let ended = call.work.perform(tx, |tx, work| stop(tx, work, reason.as_deref()))?;
            Ok(Ended { ended })
        }
    }
}

/// Stops a turn, if the epoch of its head is not below the epoch of the command.
fn stop(tx: &mut Transaction<'_>, work: &TurnWork, reason: Option<&str>) -> Run<bool> {
    want_turn(tx, &work.agent_id);
    want_promotion(tx, &work.agent_id);
    let Some(head) = tx.get::<Head>(&[&work.agent_id])? else { return Ok(false) };
    let same = head.active_agent_turn_id.as_deref() == Some(work.agent_turn_id.as_str());
    if !same || head.status == HeadStatus::Idle || head.turn_epoch < work.turn_epoch {
        return Ok(false);
    }
    // the head names the output box of the turn; the command may name another
    let mut work = TurnWork { output_box_id: head.output_box_id.clone(), ..work.clone() };
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
    work.turn_epoch = head.turn_epoch;
    work.want_end(tx);
    let scope = work.scope(&head);
    let step_id = tx.mint("step_stop_");
    let step = work.step_row(tx, &scope, &step_id, StepStatus::Started);
    tx.put(&step, "stop", "turn matches, epoch not above the head's")?;
    step_event(tx, &scope, &step_id, "started", &[]);
    let error = present(reason).unwrap_or("stopped_by_pmo");
    let end = End {
        rule: "stop",
        source: "agent_worker.stop_handler",
        raise: true,
        stop: Some(head.turn_epoch),
        ..End::failure(error, Some("stopped"), Vec::new())
    };
    end_turn(tx, &work, &head, &step_id, end)?;
    Ok(true)
}
