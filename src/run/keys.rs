//! The arguments of the operations of orchestration. Unknown arguments are errors.

use crate::Result;
use crate::value::json::Fields;

/// Every call.
const CALL: &[&str] = &["op", "project_id", "settings"];

/// A message to an agent.
const SEND: &[&str] = &[
    "target_agent_id",
    "message_type",
    "payload",
    "channel_id",
    "target_agent_turn_id",
    "correlation_id",
    "recursion_depth",
    "headers",
    "trace_id",
    "source_agent_id",
    "source_agent_turn_id",
    "source_step_id",
    "parent_step_id",
    "wakeup",
    "enqueue_mode",
];

/// An edge.
const EDGE: &[&str] = &[
    "correlation_id",
    "channel_id",
    "source_agent_id",
    "source_agent_turn_id",
    "source_step_id",
    "target_agent_id",
    "target_agent_turn_id",
    "recursion_depth",
    "trace_id",
    "parent_step_id",
    "metadata",
    "phase",
];

/// A piece of work on a turn: also as `claim_inbox` and the steps of a turn hand it on.
const WORK: &[&str] = &[
    "agent_id",
    "agent_turn_id",
    "turn_epoch",
    "channel_id",
    "profile_box_id",
    "context_box_id",
    "output_box_id",
    "headers",
    "trace_id",
    "parent_step_id",
    "step_id",
    "step_count",
    "continuation",
    "inbox_id",
    "consume",
    "kind",
    "runtime_config",
    "resume",
    "payload",
];

/// A turn for an agent.
const DISPATCH: &[&str] = &[
    "agent_id",
    "profile_box_id",
    "context_box_id",
    "output_box_id",
    "channel_id",
    "agent_turn_id",
    "headers",
    "trace_id",
    "parent_agent_turn_id",
    "parent_tool_call_id",
    "parent_step_id",
    "source_agent_id",
    "display_name",
    "runtime_config",
    "emit_state_event",
    "publish_turn",
];

/// Where a change of the roster comes from.
const AGENT_REQUEST: &[&str] = &["channel_id", "source_agent_id", "parent_step_id", "trace_id"];

/// What an agent is to be.
pub(super) const SPEC: &[&str] = &[
    "profile_box_id",
    "profile_name",
    "derived_from",
    "worker_target",
    "tags",
    "display_name",
    "owner_agent_id",
    "metadata",
    "active_channel_id",
];

/// What must be true of a head.
const HEAD: &[&str] =
    &["agent_id", "expect_agent_turn_id", "expect_turn_epoch", "expect_status", "bump_epoch"];

/// A lease.
const LEASE: &[&str] = &[
    "agent_id",
    "agent_turn_id",
    "active_channel_id",
    "profile_box_id",
    "context_box_id",
    "output_box_id",
    "parent_step_id",
    "trace_id",
    "active_recursion_depth",
];

/// A batch.
const BATCH: &[&str] = &[
    "source_agent_id",
    "parent_agent_turn_id",
    "parent_turn_epoch",
    "parent_tool_call_id",
    "channel_id",
    "parent_step_id",
    "lineage_parent_step_id",
    "parent_after_execution",
    "tool_suffix",
    "structured_output",
    "fail_fast",
    "deadline_seconds",
    "trace_id",
    "parent_traceparent",
    "recursion_depth",
    "task_specs",
    "activate",
    "dispatch_results",
];

/// One task of a batch.
pub(super) const TASK: &[&str] = &[
    "agent_id",
    "provision",
    "profile_box_id",
    "context_box_id",
    "output_box_id",
    "task_args",
    "runtime_config",
    "metadata",
];

/// A call that a model asked for.
pub(super) const TOOL_CALL: &[&str] = &["id", "name", "outcome", "card_ids", "error"];

/// What a model answered.
pub(super) const THOUGHT: &[&str] = &["text", "tool_calls", "thinking_blocks"];

/// What a dispatcher of the host's own said.
pub(super) const HOST_DISPATCH: &[&str] = &["status", "error_code", "turn_epoch"];

/// What an operation may be told beside [`CALL`]: keys that several have in common, and its own.
fn of(op: &str) -> [&'static [&'static str]; 2] {
    match op {
        "enqueue" | "report" => [SEND, &[]],
        "join" | "tool_call" => [EDGE, &[]],
        "run_state" => [&[], &["agent_id", "batch_id", "limit"]],
        "cancel" => {
            [&[], &["target_agent_id", "agent_turn_id", "channel_id", "reason", "metadata"]]
        }
        "wakeup" => [
            &[],
            &["target_agent_id", "mode", "channel_id", "inbox_id", "reason", "metadata", "headers"],
        ],
        "dispatch" => [DISPATCH, &[]],
        "ensure_agent" => [AGENT_REQUEST, &["agent_id", "kind", "spec"]],
        "provision_identity" => [
            SPEC,
            &[
                "target_agent_id",
                "action",
                "channel_id",
                "source_agent_id",
                "parent_step_id",
                "trace_id",
            ],
        ],
        "lease" => [LEASE, &[]],
        "state_update" => [HEAD, &["new_status"]],
        "finish_idle" => [HEAD, &["last_output_box_id"]],
        "replace_waiting" => [WORK, &["tool_calls"]],
        "mark_received" | "mark_applied" => [WORK, &["tool_call_id", "tool_result_card_id"]],
        "ledger_claim" => [WORK, &["lease_owner", "lease_seconds", "limit"]],
        "ledger_requeue_expired" => [&[], &["lease_owner"]],
        "inbox_status" => [&[], &["inbox_id", "status", "expected_status"]],
        "has_open" => [&[], &["agent_id", "exclude_inbox_id"]],
        "claim_inbox" => [&[], &["agent_id", "limit", "worker_targets"]],
        "consume_inbox" => [&[], &["inbox_id", "channel_id"]],
        "requeue_inbox" | "poke_inbox" => [&[], &["inbox_id"]],
        "turn_start" | "turn_give_back" | "resume" | "stop" => [WORK, &[]],
        "turn_tools" => [WORK, &["tool_calls", "thought", "tool_suspend_timeouts"]],
        "turn_complete" => [WORK, &["thought"]],
        "turn_fail" => [WORK, &["thought", "error", "error_code"]],
        "ring_again" | "reclaim_agent" | "time_out_tools" => [&[], &["agent_id"]],
        "reap_turn" => [&[], &["agent_id", "which", "output_box_id"]],
        "take_up_results" => [&[], &["agent_id", "owner", "worker_targets"]],
        "due" => [&[], &["rule"]],
        "create_batch" => [BATCH, &[]],
        "activate_batch" => [&[], &["batch_id", "dispatch_results"]],
        "dispatch_pending" => [&[], &["limit", "dispatch_results"]],
        "dispatch_task" => [&[], &["batch_task_id", "dispatch_results"]],
        "child_event" => [
            &[],
            &[
                "agent_turn_id",
                "status",
                "output_box_id",
                "deliverable_card_id",
                "tool_result_card_id",
                "error",
            ],
        ],
        "reconcile_task" => [&[], &["batch_task_id"]],
        "end_batch" => [&[], &["batch_id"]],
        "build_batch_result" => [&[], &["status", "tasks"]],
        "outbox" => [&[], &["limit"]],
        "mark_sent" => [&[], &["message_ids"]],
        "hand_out" => [
            &[],
            &[
                "call",
                "channel_id",
                "headers",
                "trace_id",
                "parent_agent_turn_id",
                "parent_turn_epoch",
                "parent_tool_call_id",
                "parent_step_id",
            ],
        ],
        _ => [&[], &[]],
    }
}

/// Everything that an operation may be told.
pub(super) fn known(op: &str) -> [&'static [&'static str]; 3] {
    let [common, own] = of(op);
    [CALL, common, own]
}

/// Refuses what an operation does not know.
pub(super) fn check(op: &str, call: &Fields<'_>) -> Result<()> {
    let known = known(op);
    let is_known = |key: &String| known.iter().any(|keys| keys.contains(&key.as_str()));
    if call.json().keys().all(is_known) { Ok(()) } else { call.only(&known.concat()) }
}

#[cfg(test)]
mod tests {
    use super::super::{OPERATIONS, RunCall};
    use crate::{Code, Json};

    #[test]
    fn every_operation_refuses_a_word_that_it_does_not_know_and_says_where() {
        for op in OPERATIONS {
            let call = Json::from([("op", Json::from(*op)), ("agent", "a1".into())]);
            let error = RunCall::from_json(op, &call).err().expect(op);
            assert_eq!(
                (error.code(), error.path().to_string().as_str()),
                (Code::BadRequest, "agent")
            );
            assert!(error.to_string().contains("unknown key `agent`"), "{op}: {error}");
        }
    }

    #[test]
    fn words_inside_of_arguments_are_refused_too() {
        let call = Json::parse(
            r#"{"op": "turn_complete", "agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 1,
                "thought": {"txt": "done"}}"#,
        );
        let call = RunCall::from_json("turn_complete", &call.unwrap()).unwrap();
        let env = crate::Env::new(crate::Timestamp::from_millis(0), [7; 32]);
        let snapshot = crate::Snapshot::new("p1".into());
        let error = crate::rule::Rule::step(&call, &snapshot, &env).err().unwrap();
        assert_eq!(error.path().to_string(), "thought.txt");
    }
}
