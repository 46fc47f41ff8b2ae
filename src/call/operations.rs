//! The table of operations: name, description, method, rows that it reads, whether it writes, error
//! codes and reader. Every operation can also fail with `bad_request`, `limit` and `store`.
//!
//! `in boxes` is the namespace of the method in JavaScript. Without it, the part is the namespace;
//! `in project` means none. The method is the name of the operation without the noun of the
//! namespace, so `fork_box` is `project.boxes.fork`. `as name` sets another name.
//!
//! The build splits the WebAssembly module into these parts. The core is always loaded. Every other
//! part is loaded when a call first needs it. Each part has one entry function in `gate`. The build
//! moves all code that only this function reaches into the part. In Rust this is one crate.

use super::declare::operations;
use crate::agents::{AuditRefusal, Setup, recipe, registry, turn};
use crate::import::Import;
use crate::import::sessions::{
    CompareRequests, ExplainCompactions, ExplainMisses, ExplainRequest, ListSessions,
};
use crate::import::timeline::ReadTimeline;
use crate::inspect::{self, Inspect};
use crate::lock;
use crate::pack::PackContext;
use crate::prompt::budget::FitBudget;
use crate::prompt::cache::{ExplainCache, ExplainCompaction};
use crate::prompt::diff::DiffPayloads;
use crate::prompt::provider::{MakePayload, ReadDeltas, ReadResponse, RestoreCall};
use crate::prompt::request::TurnRequest;
use crate::prompt::{collect, compose, memory, tokens};
use crate::render::Render;
use crate::rule::Call;
use crate::run::HandOut;
use crate::value::json::Json;
use crate::{Result, cards, handoff, run};

/// A function that reads a call. It can move values out of the JSON.
type Take = fn(&mut Json, &Setup) -> Result<Call>;

operations! {
    /// Read cards and boxes.
    Core = core {
        /// Reads cards, each once, and lists the missing ones with the reason.
        "get_cards" [in cards; reads cards] => |json, _| Ok(Call::new(cards::GetCards::from_json(json)?)),
        /// Reads boxes, each once, and lists the missing ones with the reason.
        "get_boxes" [in boxes; reads boxes] => |json, _| Ok(Call::new(cards::GetBoxes::from_json(json)?)),
        /// Reads the cards of a box, each once.
        "get_box_cards" [in boxes; reads boxes cards; errors not_found] => |json, _| Ok(Call::new(cards::GetBoxCards::from_json(json)?)),
    }
    /// Pack a context box by rules.
    Pack = pack {
        /// Packs a context box for another agent.
        "pack_context" [in project; as pack; reads profiles boxes cards agents; writes; errors not_found invalid_content] => |json, setup| Ok(Call::new(PackContext::take_json(json, &setup.defaults)?)),
    }
    /// Store, check and find cards, change boxes, and decide commits.
    Commit = commit {
        /// Stores cards. Storing an id again with the same content changes nothing; with other
        /// content it is a `conflict`.
        "put_cards" [in cards; reads cards; writes; errors invalid_content conflict] => |json, setup| {
            Ok(Call::new(cards::PutCards::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Creates a box with these cards.
        "create_box" [in boxes; reads boxes; writes; errors not_found conflict] => |json, _| Ok(Call::new(cards::CreateBox::from_json(json)?)),
        /// Appends cards to a box.
        "append_to_box" [in boxes; reads boxes rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(cards::AppendToBox::from_json(json)?)),
        /// Replaces the cards of a box.
        "replace_box" [in boxes; reads boxes rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(cards::ReplaceBox::from_json(json)?)),
        /// Creates a box with the cards of another box, or with the first `take` of them.
        "fork_box" [in boxes; reads boxes; writes; errors not_found] => |json, _| Ok(Call::new(cards::ForkBox::from_json(json)?)),
        /// Creates a box with the cards of several boxes, in order, each card once.
        "concat_boxes" [in boxes; reads boxes; writes; errors not_found] => |json, setup| {
            Ok(Call::new(cards::ConcatBoxes::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        /// Deletes cards softly. Boxes keep their ids.
        "delete_cards" [in cards; reads cards boxes rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(cards::DeleteCards::from_json(json)?)),
        /// Erases the content of cards for privacy, and leaves an audit entry.
        "erase_cards" [in cards; reads cards; writes; errors not_found] => |json, _| Ok(Call::new(cards::EraseCards::from_json(json)?)),
        /// Deletes a box softly. Its cards stay.
        "delete_box" [in boxes; reads boxes rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(cards::DeleteBox::from_json(json)?)),
        /// Finds cards by text, ignoring case, with the text around each match.
        "search_cards" [in cards; reads boxes cards] => |json, setup| {
            Ok(Call::new(inspect::SearchCards::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        /// Finds every position of a card in boxes.
        "find_cards" [in cards; reads boxes] => |json, _| Ok(Call::new(inspect::FindCards::from_json(json)?)),
        /// Returns the text of a value on a text card, and its JSON as a model reads it.
        "text_form" [in cards] => |json, _| Ok(Call::new(cards::validate::TextForm::from_json(json)?)),
        /// Returns a content in canonical form, its type, and the text that a model reads.
        "read_content" [in cards; errors invalid_content] => |json, setup| {
            Ok(Call::new(cards::validate::ReadContent::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        /// Returns a card as it would be read, and the text that a model reads.
        "read_card" [in cards; errors invalid_content] => |json, _| Ok(Call::new(cards::validate::ReadCard::from_json(json)?)),
        /// Returns a card as it would be stored.
        "read_new_card" [in cards; errors invalid_content] => |json, setup| {
            Ok(Call::new(cards::validate::ReadNewCard::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        /// Returns a box as it would be read.
        "read_box" [in boxes; errors invalid_content] => |json, _| Ok(Call::new(cards::validate::ReadBox::from_json(json)?)),
    }
    /// Delegate by recipes, show what a turn sees, and change the registry.
    Agents = agents {
        /// Packs an instruction and boxes for a profile.
        "pack_context_with_instruction" [in recipes; as pack_with_instruction; reads profiles boxes cards agents; writes; errors not_found invalid_content] => |json, setup| {
            Ok(Call::new(recipe::PackWithInstruction::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Delegates one task to a new, a reused or a cloned agent.
        "delegate_async" [in project; as delegate; reads profiles boxes cards agents; writes; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(recipe::DelegateAsync::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Delegates to a new agent with a profile: a form of `delegate_async`.
        "launch_principal" [in recipes; reads profiles boxes cards agents; writes; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(recipe::LaunchPrincipal::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Asks a new agent with an expert profile: a form of `delegate_async`.
        "ask_expert" [in recipes; reads profiles boxes cards agents; writes; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(recipe::AskExpert::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Delegates many tasks in one batch. An error names its task: `tasks[3].target_ref`.
        "fork_join" [in recipes; reads profiles boxes cards agents; writes; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(recipe::ForkJoin::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Reads the arguments of a `fork_join` without running it.
        "fork_join_args" [in recipes] => |json, _| Ok(Call::new(recipe::ReadForkJoin::from_json(json)?)),
        /// Runs a recipe: a definition, or the name of one that the project was opened with.
        "run_recipe" [in recipes; reads profiles boxes cards agents; writes; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(recipe::RunRecipe::read(json, setup)?)),
        /// Checks the definition of a recipe and returns it with its defaults, and with lints for
        /// likely mistakes.
        "check_recipe" [in recipes] => |json, setup| Ok(Call::new(recipe::CheckRecipe::from_json(json)?.with_setup(setup))),
        /// Shows what the receiver of a delegation will see next to what the sender sees, with lints.
        /// It writes nothing.
        "preview_handover" [in recipes; reads profiles boxes cards agents; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(recipe::PreviewHandover::from_json(json)?.with_setup(setup)))
        },
        /// Lists what the receiver of a delegation will see and what it will not see. It writes nothing.
        "brief_handover" [in recipes; reads profiles boxes cards agents; errors not_found invalid_content auth_failed] => |json, setup| {
            Ok(Call::new(inspect::BriefHandover::from_json(json)?.with_setup(setup)))
        },
        /// Returns the box that an agent writes to.
        "resolve_current_output_box_id" [reads agents] => |json, _| Ok(Call::new(recipe::ResolveOutputBox::from_json(json)?)),
        /// Checks that an agent can pass on these boxes, and that they exist.
        "validate_box_ids_exist" [in boxes; reads agents boxes; errors not_found] => |json, setup| {
            Ok(Call::new(recipe::ValidateBoxes::from_json(json)?.with_defaults(&setup.defaults)))
        },
        /// Shows what the model of a turn sees: now, as recorded, or after a call that is not
        /// committed.
        "turn_view" [in project; reads profiles boxes cards agents rows; writes; errors not_found invalid_content auth_failed] => |json, setup| match json.get("after") {
            Some(after) if !after.is_null() => Ok(Call::new(turn::TurnAfter::from_json(json, setup)?)),
            Some(_) | None => Ok(Call::new(turn::TurnView::from_json(json, setup)?)),
        },
        /// Lists recorded turn views.
        "list_turn_views" [reads rows] => |json, _| {
            Ok(Call::new(registry::ListTurnViews::from_json(json)?))
        },
        /// Merges the context box and the output box of a turn.
        "turn_boxes" [reads boxes] => |json, setup| Ok(Call::new(turn::TurnBoxes::from_json(json)?.with_defaults(&setup.defaults))),
        /// Adds a profile to the registry.
        "register_profile" [in profiles; reads boxes rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::RegisterProfile::from_json(json)?)),
        /// Declares a profile: creates it, or changes what differs from the declaration.
        "put_profile" [in profiles; reads boxes cards rows; writes; errors invalid_content conflict] => |json, _| Ok(Call::new(registry::PutProfile::from_json(json)?)),
        /// Changes a profile of the registry.
        "update_profile" [in profiles; reads boxes rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::UpdateProfile::from_json(json)?)),
        /// Removes a profile from the registry.
        "remove_profile" [in profiles; reads rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::RemoveProfile::from_json(json)?)),
        /// Adds an agent to the roster.
        "register_agent" [reads profiles rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::RegisterAgent::from_json(json)?)),
        /// Changes an agent of the roster.
        "update_agent" [reads profiles rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::UpdateAgent::from_json(json)?)),
        /// Removes an agent from the roster.
        "remove_agent" [reads rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::RemoveAgent::from_json(json)?)),
        /// Adds a tool to the registry.
        "register_tool" [in tools; reads rows; writes; errors invalid_content conflict] => |json, _| Ok(Call::new(registry::RegisterTool::from_json(json)?)),
        /// Changes a tool of the registry.
        "update_tool" [in tools; reads rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::UpdateTool::from_json(json)?)),
        /// Removes a tool from the registry.
        "remove_tool" [in tools; reads rows; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(registry::RemoveTool::from_json(json)?)),
        /// Lists the profiles of the project.
        "list_profiles" [in profiles; reads rows] => |json, _| Ok(Call::new(registry::ListProfiles::from_json(json)?)),
        /// Lists the agents of the project.
        "list_agents" [reads rows] => |json, _| {
            Ok(Call::new(registry::ListAgents::from_json(json)?))
        },
        /// Lists the tools of the project.
        "list_tools" [in tools; reads rows] => |json, _| Ok(Call::new(registry::ListTools::from_json(json)?)),
        /// Stores an audit entry about a call that a policy refuses. Nothing else of the call is
        /// written.
        "audit_refusal" [reads profiles boxes cards agents rows; writes; errors not_found invalid_content auth_failed conflict] => |json, setup| {
            Ok(Call::new(AuditRefusal::from_json(json)?.with_setup(setup)))
        },
        /// Lists audit entries, newest last.
        "list_audit" [reads rows] => |json, _| {
            Ok(Call::new(registry::ListAudit::from_json(json)?))
        },
        /// Lists the boxes that profiles, agents and audit entries name.
        "list_boxes" [in boxes; reads rows] => |json, _| Ok(Call::new(registry::ListBoxes::from_json(json)?)),
        /// Points an agent to other boxes.
        "move_pointers" [reads agents boxes rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(registry::MovePointers::from_json(json)?)),
        /// Appends cards to the output box of an agent.
        "append_output" [reads agents boxes cards rows; writes; errors not_found conflict] => |json, _| Ok(Call::new(registry::AppendOutput::from_json(json)?)),
    }
    /// Build requests from cards and layers, and count their tokens.
    Prompt = prompt {
        /// Renders cards as the messages that a model sees.
        "render" [in project; reads boxes cards; errors not_found invalid_content] => |json, setup| {
            Ok(Call::new(Render::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        /// Builds the request body for a provider and reports every conversion change.
        "payload" [in project; reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(MakePayload::from_json(json)?.with_setup(setup)?)),
        /// Builds the request that the worker of a turn sends, as the profile of the turn sets it.
        "turn_request" [in project; reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(TurnRequest::from_json(json)?.with_setup(setup))),
        /// Lists the strings of a request that the host's own counter has to count.
        "token_texts" [reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(tokens::TokenTexts::from_json(json)?.with_setup(setup)?)),
        /// Counts the tokens of a request, each in exactly one bucket.
        "count_tokens" [in project; reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(tokens::CountTokens::from_json(json)?.with_setup(setup)?)),
        /// Fits a request into a budget and lists what is dropped.
        "budget" [in project; reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(FitBudget::from_json(json)?.with_setup(setup)?)),
        /// Compares two requests: where they first differ, why, and what a cache can reuse.
        "diff_payloads" [reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(DiffPayloads::from_json(json)?.with_setup(setup)?)),
        /// Composes a prompt from its layers.
        "compose" [in project; errors invalid_content] => |json, setup| {
            Ok(Call::new(compose::operations::compose(json, &setup.defaults)?))
        },
        /// Lists the contexts that a kind of process takes.
        "allowed_contexts" => |json, setup| {
            Ok(Call::new(compose::operations::allowed_contexts(json, &setup.defaults.composer)?))
        },
        /// Returns the tables of layers, processes and lifecycles.
        "prompt_tables" => |json, _| Ok(Call::new(compose::operations::prompt_tables(json)?)),
    }
    /// Collect contexts and keep memory.
    Memory = memory {
        /// Collects contexts from a state snapshot and retrieved material.
        "collect_contexts" [errors invalid_content] => |json, setup| {
            Ok(Call::new(collect::operations::collect_contexts(json, &setup.defaults)?))
        },
        /// Applies changes to a memory state and returns the new state.
        "change_memory" [errors not_found invalid_content conflict] => |json, setup| {
            Ok(Call::new(memory::operations::change_memory(json, &setup.defaults.limits)?))
        },
        /// Adds a query to a memory state, exactly once.
        "enter_query" [errors invalid_content] => |json, setup| {
            Ok(Call::new(memory::operations::enter_query(json, &setup.defaults.limits)?))
        },
        /// Returns what a memory state persists.
        "write_back" [errors invalid_content] => |json, setup| {
            Ok(Call::new(memory::operations::write_back(json, &setup.defaults.limits)?))
        },
    }
    /// Read the answers of models.
    Response = response {
        /// Reads the answer of a model, whole or as a stream.
        "read_response" [in prompt; errors invalid_content] => |json, setup| {
            Ok(Call::new(ReadResponse::from_json(json, &setup.defaults.limits)?))
        },
        /// Reads what events of a stream add to the answer, while they arrive.
        "read_deltas" [in prompt; errors invalid_content] => |json, _| Ok(Call::new(ReadDeltas::from_json(json)?)),
        /// Restores the original names in a tool call of a model.
        "restore_call" [in prompt; errors invalid_content] => |json, setup| {
            Ok(Call::new(RestoreCall::from_json(json)?.with_limits(setup.defaults.limits)))
        },
    }
    /// Build, check, store and load handoff packages.
    Handoff = handoff {
        /// Reads a handoff package.
        "read_handoff" [errors invalid_content] => |json, _| Ok(Call::new(handoff::ReadHandoff::from_json(json)?)),
        /// Checks a handoff package and lists findings.
        "check_handoff" [errors invalid_content] => |json, _| Ok(Call::new(handoff::CheckHandoff::from_json(json)?)),
        /// Builds a handoff package from an iteration.
        "build_handoff" [errors invalid_content] => |json, _| Ok(Call::new(handoff::Iteration::from_json(json)?)),
        /// Stores a handoff package and its files in one batch.
        "store_handoff" [reads files directories; writes; errors not_found invalid_content conflict] => |json, _| Ok(Call::new(handoff::StoreHandoff::from_json(json)?)),
        /// Compares a handoff package with the files in the store.
        "audit_handoff" [reads files directories; errors invalid_content] => |json, _| Ok(Call::new(handoff::AuditHandoff::from_json(json)?)),
        /// Plans what to read of a handoff package within a token budget.
        "plan_handoff" [errors invalid_content] => |json, _| Ok(Call::new(handoff::PlanHandoff::from_json(json)?)),
        /// Loads a handoff package within a token budget.
        "load_handoff" [reads files; errors not_found invalid_content] => |json, _| Ok(Call::new(handoff::LoadHandoff::from_json(json)?)),
        /// Makes cards of a handoff package: its references, or its loaded content.
        "make_handoff_cards" [reads files; writes; errors not_found invalid_content] => |json, setup| {
            Ok(Call::new(handoff::MakeHandoffCards::from_json(json)?.with_limits(setup.defaults.limits)))
        },
    }
    /// Run agents: queues, turns, batches, and what is due.
    Run = run {
        /// Sends a message to an agent. A turn waits in the queue until the agent is idle.
        "enqueue" [reads agents boxes rows; writes] => |json, setup| Ok(Call::new(run::Enqueue::from_json(json)?.with_setup(setup))),
        /// Packs by a recipe and dispatches the result in one batch. A refusal writes nothing.
        "hand_out" [reads profiles boxes cards agents rows; writes; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(HandOut::from_json(json, setup)?)),
        /// Reports a result to the agent that asked for it.
        "report" [reads agents boxes rows; writes] => |json, setup| Ok(Call::new(run::Report::from_json(json)?.with_setup(setup))),
        /// Records who waits for whom, and the answer.
        "join" [reads rows; writes] => |json, setup| Ok(Call::new(run::Join::from_json(json)?.with_setup(setup))),
        /// Shows what runs: in the project, at one agent, or in one batch.
        "run_state" [reads rows] => |json, setup| Ok(Call::new(run::ReadRunState::from_json(json)?.with_setup(setup))),
        /// Reads whether a turn has ended, its result, and the cards of its output.
        "turn_result" [reads boxes cards rows] => |json, setup| Ok(Call::new(run::ReadTurnResult::from_json(json)?.with_setup(setup))),
        /// Cancels a queued turn.
        "cancel" [reads rows; writes] => |json, setup| Ok(Call::new(run::Cancel::from_json(json)?.with_setup(setup))),
        /// Wakes an agent. `dispatch_next` promotes its next turn first.
        "wakeup" [reads agents boxes rows; writes] => |json, setup| Ok(Call::new(run::Wakeup::from_json(json)?.with_setup(setup))),
        /// Dispatches a turn with its boxes.
        "dispatch" [reads agents boxes rows; writes] => |json, setup| Ok(Call::new(run::Dispatch::from_json(json)?.with_setup(setup))),
        /// Makes an agent ready: in the roster, with a head.
        "ensure_agent" [reads agents boxes rows profiles; writes; errors not_found] => |json, setup| Ok(Call::new(run::EnsureAgent::from_json(json)?.with_setup(setup))),
        /// Makes an agent ready as `ensure_agent` does, with every value given.
        "provision_identity" [reads agents boxes rows profiles; writes; errors not_found] => |json, setup| Ok(Call::new(run::ProvisionIdentity::from_json(json)?.with_setup(setup))),
        /// Gives an idle agent a turn. The answer is `null` when it has one.
        "lease" [reads rows; writes] => |json, setup| Ok(Call::new(run::Lease::from_json(json)?.with_setup(setup))),
        /// Changes the status of an agent's head.
        "state_update" [reads rows; writes] => |json, setup| Ok(Call::new(run::StateUpdate::from_json(json)?.with_setup(setup))),
        /// Sets an agent's head to idle.
        "finish_idle" [reads rows; writes] => |json, setup| Ok(Call::new(run::FinishIdle::from_json(json)?.with_setup(setup))),
        /// Records the tool calls that a turn waits for.
        "replace_waiting" [reads rows; writes] => |json, setup| Ok(Call::new(run::ReplaceWaiting::from_json(json)?.with_setup(setup))),
        /// Records that a tool result arrived.
        "mark_received" [reads rows; writes] => |json, setup| Ok(Call::new(run::MarkReceived::from_json(json)?.with_setup(setup))),
        /// Records that a tool result was applied.
        "mark_applied" [reads rows; writes] => |json, setup| Ok(Call::new(run::MarkApplied::from_json(json)?.with_setup(setup))),
        /// Claims the results of a turn that are due and returns their tool calls.
        "ledger_claim" [reads rows; writes] => |json, setup| Ok(Call::new(run::LedgerClaim::from_json(json)?.with_setup(setup))),
        /// Releases results whose lease expired.
        "ledger_requeue_expired" [reads rows; writes] => |json, setup| Ok(Call::new(run::LedgerRequeueExpired::from_json(json)?.with_setup(setup))),
        /// Changes the status of a message, if it has the expected one.
        "inbox_status" [reads rows; writes] => |json, setup| Ok(Call::new(run::SetInboxStatus::from_json(json)?.with_setup(setup))),
        /// Returns whether messages wait for an agent.
        "has_open" [reads rows] => |json, setup| Ok(Call::new(run::HasOpen::from_json(json)?.with_setup(setup))),
        /// Claims messages of an agent for a worker.
        "claim_inbox" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::ClaimInbox::from_json(json)?.with_setup(setup))),
        /// Marks a message as processed.
        "consume_inbox" [reads rows; writes] => |json, setup| Ok(Call::new(run::ConsumeInbox::from_json(json)?.with_setup(setup))),
        /// Releases a message that a worker claimed and did not finish.
        "requeue_inbox" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::RequeueInbox::from_json(json)?.with_setup(setup))),
        /// Sends the wakeup of an unclaimed message again.
        "poke_inbox" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::PokeInbox::from_json(json)?.with_setup(setup))),
        /// Starts a turn, or its next step.
        "turn_start" [reads agents boxes cards rows profiles; writes] => |json, setup| Ok(Call::new(run::TurnStart::from_json(json)?.with_setup(setup))),
        /// Records the tool calls of the model: the turn runs, waits, continues or ends.
        "turn_tools" [reads agents boxes cards rows; writes; errors not_found invalid_content] => |json, setup| Ok(Call::new(run::TurnTools::from_json(json)?.with_setup(setup))),
        /// Completes a turn.
        "turn_complete" [reads agents boxes cards rows; writes; errors invalid_content] => |json, setup| Ok(Call::new(run::TurnComplete::from_json(json)?.with_setup(setup))),
        /// Fails a turn.
        "turn_fail" [reads agents boxes cards rows; writes; errors invalid_content] => |json, setup| Ok(Call::new(run::TurnFail::from_json(json)?.with_setup(setup))),
        /// Releases a turn for another worker, at the next epoch and the same step.
        "turn_give_back" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::TurnGiveBack::from_json(json)?.with_setup(setup))),
        /// Applies a tool result to the turn that waits for it.
        "resume" [reads agents boxes cards rows; writes; errors invalid_content] => |json, setup| Ok(Call::new(run::Resume::from_json(json)?.with_setup(setup))),
        /// Stops a turn.
        "stop" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::Stop::from_json(json)?.with_setup(setup))),
        /// Sends the wakeup of a dispatched turn again.
        "ring_again" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::RingAgain::from_json(json)?.with_setup(setup))),
        /// Rebuilds a lost head at an epoch above all earlier ones.
        "reclaim_agent" [reads agents rows; writes] => |json, setup| Ok(Call::new(run::ReclaimAgent::from_json(json)?.with_setup(setup))),
        /// Records that an agent called a tool.
        "tool_call" [reads rows; writes] => |json, setup| Ok(Call::new(run::NoteToolCall::from_json(json)?.with_setup(setup))),
        /// Stores the results of tools that ran. A result that cannot be stored fails only its call.
        "put_tool_results" [reads cards; writes; errors invalid_content conflict] => |json, setup| Ok(Call::new(run::PutToolResults::from_json(json)?.with_setup(setup))),
        /// Answers a tool call that a turn waits for: stores the result and reports it. Only the
        /// first answer counts.
        "answer_tool_call" [reads agents cards rows; writes; errors invalid_content] => |json, setup| Ok(Call::new(run::AnswerToolCall::from_json(json)?.with_setup(setup))),
        /// Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails.
        "recover_turn" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::RecoverTurn::from_json(json)?.with_setup(setup))),
        /// Ends a turn that made no progress within its time limit.
        "reap_turn" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::ReapTurn::from_json(json)?.with_setup(setup))),
        /// Deletes rows of work that ended long ago.
        "prune" [reads rows; writes] => |json, setup| Ok(Call::new(run::Prune::from_json(json)?.with_setup(setup))),
        /// Reports a timeout for every tool call that is past its deadline.
        "time_out_tools" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::TimeOutTools::from_json(json)?.with_setup(setup))),
        /// Claims results that wait for a suspended turn.
        "take_up_results" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::TakeUpResults::from_json(json)?.with_setup(setup))),
        /// Lists the calls that are due now, in order, or what one rule finds.
        "due" [reads agents rows] => |json, setup| Ok(Call::new(run::ListDue::from_json(json)?.with_setup(setup))),
        /// Creates a batch. With `activate` it also dispatches the tasks.
        "create_batch" [reads agents boxes cards rows profiles; writes] => |json, setup| Ok(Call::new(run::CreateBatch::from_json(json)?.with_setup(setup))),
        /// Starts a batch: the join request, then every task.
        "activate_batch" [reads agents boxes cards rows profiles; writes; errors not_found] => |json, setup| Ok(Call::new(run::ActivateBatch::from_json(json)?.with_setup(setup))),
        /// Dispatches the tasks that are due.
        "dispatch_pending" [reads agents boxes cards rows profiles; writes] => |json, setup| Ok(Call::new(run::DispatchPending::from_json(json)?.with_setup(setup))),
        /// Dispatches one task. The answer is `false` when it is not due or its batch ended.
        "dispatch_task" [reads agents boxes cards rows profiles; writes] => |json, setup| Ok(Call::new(run::DispatchTask::from_json(json)?.with_setup(setup))),
        /// Records that the turn of a task ended.
        "child_event" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::ChildEvent::from_json(json)?.with_setup(setup))),
        /// Checks a task whose end was not reported.
        "reconcile_task" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::ReconcileTask::from_json(json)?.with_setup(setup))),
        /// Ends a batch whose tasks or deadline allow it.
        "end_batch" [reads agents boxes cards rows; writes] => |json, setup| Ok(Call::new(run::EndBatch::from_json(json)?.with_setup(setup))),
        /// Builds the result of a batch.
        "build_batch_result" => |json, setup| Ok(Call::new(run::BuildBatchResult::from_json(json)?.with_setup(setup))),
        /// Lists messages that wait to be sent, oldest first.
        "outbox" [reads rows] => |json, setup| Ok(Call::new(run::ListOutbox::from_json(json)?.with_setup(setup))),
        /// Marks messages as sent.
        "mark_sent" [reads rows; writes] => |json, setup| Ok(Call::new(run::MarkSent::from_json(json)?.with_setup(setup))),
        /// Quarantines messages that cannot be sent.
        "quarantine_messages" [reads rows; writes] => |json, setup| Ok(Call::new(run::QuarantineMessages::from_json(json)?.with_setup(setup))),
        /// Releases messages from quarantine: they wait to be sent again.
        "retry_messages" [reads rows; writes] => |json, setup| Ok(Call::new(run::RetryMessages::from_json(json)?.with_setup(setup))),
    }
    /// Import logs of other tools.
    Import = import {
        /// Imports logs of other tools as cards and boxes.
        "import" [as logs; reads boxes cards; writes; errors not_found conflict] => |json, setup| Ok(Call::new(Import::from_json(json)?.read_with(&setup.defaults.limits, &setup.models)?)),
        /// Lists the sessions of an import report, the newest first.
        "list_sessions" [errors not_found] => |json, _| Ok(Call::new(ListSessions::from_json(json)?)),
        /// Explains a request of a log: where its tokens go, why the cache missed, what the log lacks.
        "explain_request" [errors not_found] => |json, setup| Ok(Call::new(ExplainRequest::read(json, &setup.defaults.limits)?)),
        /// Compares two requests of a session: what was added, what was removed, and the effect on
        /// the cache.
        "compare_requests" [errors not_found] => |json, setup| Ok(Call::new(CompareRequests::read(json, &setup.defaults.limits)?)),
        /// Explains the requests of a session that lost tokens of the cache, the most expensive first.
        "explain_misses" [errors not_found] => |json, setup| Ok(Call::new(ExplainMisses::read(json, &setup.defaults.limits)?)),
        /// Lists the messages that the compactions of a session removed from the context.
        "explain_compactions" [errors not_found] => |json, setup| Ok(Call::new(ExplainCompactions::read(json, &setup.defaults.limits)?)),
        /// Shows the requests of a log as steps of a timeline: what each did, its cost, and what
        /// the cache read. Also shows everything about one step or message.
        "timeline" [errors not_found] => |json, setup| Ok(Call::new(ReadTimeline::from_json(json)?.read_with(&setup.defaults.limits, &setup.models)?)),
    }
    /// Inspect boxes, calls and turns.
    Inspect = inspect {
        /// Shows what a call packs, the content of a box, or what the model of a turn sees.
        "inspect" [in project; reads profiles boxes cards agents rows files directories; errors not_found invalid_content auth_failed conflict] => |json, setup| Ok(Call::new(Inspect::from_json(json)?.with_setup(setup)?)),
    }
    /// Inspect requests and compare contexts.
    Request = request {
        /// Shows the request that a model receives for a box or turn, and the cost of each part.
        "inspect_request" [in prompt; reads profiles boxes cards agents rows files directories; errors not_found invalid_content auth_failed conflict] => |json, setup| {
            Ok(Call::new(inspect::InspectRequest::from_json(json)?.with_setup(setup)?))
        },
        /// Compares two contexts: which cards stayed, moved, were added or removed.
        "compare" [in prompt; reads profiles boxes cards agents rows files directories; errors not_found invalid_content auth_failed conflict] => |json, setup| Ok(Call::new(inspect::Compare::from_json(json)?.with_setup(setup)?)),
    }
    /// Explain what the caches of providers read.
    Cache = cache {
        /// Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after the other.
        "inspect_cache" [in cache; reads profiles boxes cards agents rows files directories; errors not_found invalid_content auth_failed conflict] => |json, setup| {
            Ok(Call::new(inspect::InspectCache::from_json(json)?.with_setup(setup)?))
        },
        /// Explains why requests of a session read less from the provider's cache than they could.
        "explain_cache" => |json, setup| Ok(Call::new(ExplainCache::with_models(json, &setup.models)?)),
        /// Accounts for the messages of every compaction between the requests of a session.
        "explain_compaction" => |json, _| Ok(Call::new(ExplainCompaction::from_json(json)?)),
    }
    /// Lock contexts in a file, and compare them with it.
    Lock = lock {
        /// Makes the entry of a context for a lockfile: one line for each position of its request.
        "lock_entry" [reads profiles boxes cards agents rows; errors not_found invalid_content auth_failed] => |json, setup| Ok(Call::new(lock::LockEntry::from_json(json)?.with_setup(setup))),
        /// Reads a lockfile and lists its entries.
        "lock_read" [errors invalid_content] => |json, _| Ok(Call::new(lock::LockRead::from_json(json)?)),
        /// Returns the text of a lockfile with changed entries.
        "lock_update" [errors not_found invalid_content] => |json, _| Ok(Call::new(lock::LockUpdate::from_json(json)?)),
        /// Compares the current contexts with a lockfile and groups the changes by cause.
        "lock_check" [errors invalid_content] => |json, setup| Ok(Call::new(lock::LockCheck::from_json(json)?.with_setup(setup))),
        /// Compares two entries of lockfiles.
        "lock_diff" [errors invalid_content] => |json, setup| Ok(Call::new(lock::LockDiff::from_json(json)?.with_setup(setup))),
        /// Shows two entries of lockfiles next to each other.
        "lock_compare" [errors invalid_content] => |json, _| Ok(Call::new(lock::LockCompare::from_json(json)?)),
    }
}
