//! Every operation by its name on the wire, and the part of the product that it belongs to.
//!
//! The WebAssembly module is cut into these parts: the core is always there, every other part is
//! loaded when a call first needs it. Each part is entered through one function in `gate`, and the
//! build puts behind a gate whatever nothing else reaches. To everybody else this is one crate.

use super::workspace::{Run, Workspace};
use crate::agents::registry::{Change, Entry, Kept, ListRows};
use crate::agents::{Setup, recipe, registry, turn};
use crate::import::{Import, Stream, Streaming};
use crate::inspect::{self, Inspect};
use crate::pack::PackContext;
use crate::prompt::budget::FitBudget;
use crate::prompt::diff::DiffPayloads;
use crate::prompt::provider::{MakePayload, ReadResponse, RestoreCall};
use crate::render::Render;
use crate::rule::Call;
use crate::run::{HandOut, RunCall};
use crate::store::{Receipt, decide, table};
use crate::value::json::{Field, Json};

use crate::prompt::{collect, compose, memory, tokens};
use crate::{Result, cards, handoff};

/// Reads a call, and may take out of it what it needs.
type Take = fn(&mut Json, &Setup) -> Result<Call>;

/// Reads a call of orchestration: all of them are read alike.
fn orchestrate(json: &mut Json, setup: &Setup) -> Result<Call> {
    let op = Field::root(json).object()?.required("op")?;
    Ok(Call::new(RunCall::from_json_with(op.string()?, json, setup)?))
}

macro_rules! operations {
    ($($(#[$doc:meta])* $part:ident = $gate:ident { $($name:literal => $take:expr,)* })*) => {
        /// A part of the product that a host may load on its own.
        ///
        /// Shown by the example of [`parts`](super::parts()).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Part {
            $($(#[$doc])* $part,)*
        }

        impl Part {
            /// Every part, the one that is always there first.
            pub const ALL: &[Self] = &[$(Self::$part,)*];

            /// The name of the part.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$part => stringify!($gate),)*
                }
            }

            /// Reads a call of the operation `name`, if it is one of this part.
            pub(super) fn take(
                self,
                name: &str,
                json: &mut Json,
                setup: &Setup,
            ) -> Option<Result<Call>> {
                match self {
                    $(Self::$part => gate::$gate(name, json, setup),)*
                }
            }
        }

        /// Every operation and its part.
        pub(super) const OPERATIONS: &[(&str, Part)] = &[$($(($name, Part::$part),)*)*];

        /// The ways into the parts. Their names are known to the build.
        mod gate {
            use super::*;

            $(
                #[inline(never)]
                pub(super) fn $gate(
                    name: &str,
                    json: &mut Json,
                    setup: &Setup,
                ) -> Option<Result<Call>> {
                    const TAKE: &[(&str, Take)] = &[$(($name, $take),)*];
                    let (_, take) = TAKE.iter().find(|(known, _)| *known == name)?;
                    Some(take(json, setup))
                }
            )*

            #[inline(never)]
            pub(super) fn commit_touched(batch: &[u8]) -> Result<String> {
                decide::touched_text(batch)
            }

            #[inline(never)]
            pub(super) fn commit_decide(batch: &[u8], rows: &[u8]) -> Result<String> {
                decide::decide_text(batch, rows)
            }

            #[inline(never)]
            pub(super) fn commit_select(list: &[u8], rows: &[u8]) -> Result<String> {
                decide::select_text(list, rows)
            }

            #[inline(never)]
            pub(super) fn commit_committed(
                workspace: &mut Workspace,
                run: &Run,
                receipt: &[u8],
            ) -> Result<Receipt> {
                workspace.committed_text(run, receipt)
            }

            #[inline(never)]
            pub(super) fn commit_refused(workspace: &mut Workspace, run: &Run) -> Result<()> {
                workspace.refused(run)
            }

            #[inline(never)]
            pub(super) fn commit_after(workspace: &Workspace, run: &Run) -> Result<Workspace> {
                workspace.after(run)
            }

            #[inline(never)]
            pub(super) fn import_stream(begun: &mut Option<Box<dyn Streaming>>) {
                *begun = Some(Box::new(Stream::new()));
            }

            #[inline(never)]
            pub(super) fn agents_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
                recipe::Recipes::from_json(list, super::super::is_operation)
            }
        }
    };
}

operations! {
    /// Reading cards and boxes.
    Core = core {
        "get_cards" => |json, _| Ok(Call::new(cards::GetCards::from_json(json)?)),
        "get_boxes" => |json, _| Ok(Call::new(cards::GetBoxes::from_json(json)?)),
        "get_box_cards" => |json, _| Ok(Call::new(cards::GetBoxCards::from_json(json)?)),
    }
    /// Packing by rules.
    Pack = pack {
        "pack_context" => |json, setup| Ok(Call::new(PackContext::take_json(json, &setup.defaults)?)),
    }
    /// Writing cards and boxes, what stores ask when they commit (see [`touched`], [`decide`](decide())
    /// and [`select_rows`]), and the project behind a commit (see [`committed`], [`refused`], [`after`]).
    Commit = commit {
        "put_cards" => |json, setup| {
            Ok(Call::new(cards::PutCards::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        "create_box" => |json, _| Ok(Call::new(cards::CreateBox::from_json(json)?)),
        "append_to_box" => |json, _| Ok(Call::new(cards::AppendToBox::from_json(json)?)),
        "replace_box" => |json, _| Ok(Call::new(cards::ReplaceBox::from_json(json)?)),
        "fork_box" => |json, _| Ok(Call::new(cards::ForkBox::from_json(json)?)),
        "concat_boxes" => |json, setup| {
            Ok(Call::new(cards::ConcatBoxes::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        "delete_cards" => |json, _| Ok(Call::new(cards::DeleteCards::from_json(json)?)),
        "delete_box" => |json, _| Ok(Call::new(cards::DeleteBox::from_json(json)?)),
    }
    /// Recipes and what the next turn of an agent sees.
    Agents = agents {
        "pack_context_with_instruction" => |json, setup| {
            Ok(Call::new(recipe::PackWithInstruction::from_json(json, setup)?))
        },
        "delegate_async" => |json, setup| Ok(Call::new(recipe::DelegateAsync::from_json(json, setup)?)),
        "launch_principal" => |json, setup| {
            Ok(Call::new(recipe::DelegateAsync::launch_principal_from_json(json, setup)?))
        },
        "ask_expert" => |json, setup| {
            Ok(Call::new(recipe::DelegateAsync::ask_expert_from_json(json, setup)?))
        },
        "fork_join" => |json, setup| Ok(Call::new(recipe::ForkJoin::from_json(json, setup)?)),
        "fork_join_args" => |json, _| Ok(Call::new(recipe::ForkJoinArguments::from_json(json)?)),
        "run_recipe" => |json, setup| Ok(Call::new(recipe::RunRecipe::from_json(json, setup)?)),
        "check_recipe" => |json, setup| Ok(Call::new(recipe::CheckRecipe::from_json(json, setup)?)),
        "preview_handover" => |json, setup| {
            Ok(Call::new(recipe::PreviewHandover::from_json(json, setup)?))
        },
        "resolve_current_output_box_id" => |json, _| Ok(Call::new(recipe::ResolveOutputBox::from_json(json)?)),
        "validate_box_ids_exist" => |json, setup| {
            Ok(Call::new(recipe::ValidateBoxes::from_json(json, setup)?))
        },
        "turn_view" => |json, setup| match json.get("after") {
            Some(after) if !after.is_null() => Ok(Call::new(turn::TurnAfter::from_json(json, setup)?)),
            Some(_) | None => Ok(Call::new(turn::TurnView::from_json(json, setup)?)),
        },
        "list_turn_views" => |json, _| {
            let selectors = [("agent_id", "by_agent"), ("agent_turn_id", "by_turn")];
            Ok(Call::new(ListRows::from_json(json, &table::TURN_VIEWS, &selectors)?))
        },
        "turn_boxes" => |json, setup| Ok(Call::new(turn::TurnBoxes::from_json(json, setup)?)),
        "register_profile" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Profile, Change::Register)?)),
        "update_profile" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Profile, Change::Update)?)),
        "remove_profile" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Profile, Change::Remove)?)),
        "register_agent" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Agent, Change::Register)?)),
        "update_agent" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Agent, Change::Update)?)),
        "remove_agent" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Agent, Change::Remove)?)),
        "register_tool" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Tool, Change::Register)?)),
        "update_tool" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Tool, Change::Update)?)),
        "remove_tool" => |json, _| Ok(Call::new(Entry::from_json(json, Kept::Tool, Change::Remove)?)),
        "list_profiles" => |json, _| Ok(Call::new(ListRows::from_json(json, &table::PROJECT_PROFILES, &[])?)),
        "list_agents" => |json, _| {
            Ok(Call::new(ListRows::from_json(json, &table::PROJECT_AGENTS, &[("profile_box_id", "by_profile")])?))
        },
        "list_tools" => |json, _| Ok(Call::new(ListRows::from_json(json, &table::PROJECT_TOOLS, &[])?)),
        "list_audit" => |json, _| {
            let selectors = [("box_id", "by_subject"), ("agent_id", "by_actor")];
            Ok(Call::new(ListRows::from_json(json, &table::AUDIT, &selectors)?))
        },
        "move_pointers" => |json, _| Ok(Call::new(registry::MovePointers::from_json(json)?)),
        "append_output" => |json, _| Ok(Call::new(registry::AppendOutput::from_json(json)?)),
    }
    /// From cards and layers to the payload, with every token counted.
    Prompt = prompt {
        "render" => |json, setup| {
            Ok(Call::new(Render::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        "payload" => |json, setup| Ok(Call::new(MakePayload::from_json_with(json, setup)?)),
        "token_texts" => |json, setup| Ok(Call::new(tokens::TokenTexts::from_json_with(json, setup)?)),
        "count_tokens" => |json, setup| Ok(Call::new(tokens::CountTokens::from_json_with(json, setup)?)),
        "budget" => |json, setup| Ok(Call::new(FitBudget::from_json_with(json, setup)?)),
        "diff_payloads" => |json, setup| Ok(Call::new(DiffPayloads::from_json_with(json, setup)?)),
        "compose" => |json, setup| {
            Ok(Call::new(compose::operations::compose(json, &setup.defaults)?))
        },
        "allowed_contexts" => |json, setup| {
            Ok(Call::new(compose::operations::allowed_contexts(json, &setup.defaults.composer)?))
        },
        "prompt_tables" => |json, _| Ok(Call::new(compose::operations::prompt_tables(json)?)),
    }
    /// What a prompt is composed of: contexts that were collected, and memory.
    Memory = memory {
        "collect_contexts" => |json, setup| {
            Ok(Call::new(collect::operations::collect_contexts(json, &setup.defaults.limits)?))
        },
        "change_memory" => |json, setup| {
            Ok(Call::new(memory::operations::change_memory(json, &setup.defaults.limits)?))
        },
        "enter_query" => |json, setup| {
            Ok(Call::new(memory::operations::enter_query(json, &setup.defaults.limits)?))
        },
        "write_back" => |json, setup| {
            Ok(Call::new(memory::operations::write_back(json, &setup.defaults.limits)?))
        },
    }
    /// A model's answer, back in.
    Response = response {
        "read_response" => |json, setup| {
            Ok(Call::new(ReadResponse::from_json_with(json, &setup.defaults.limits)?))
        },
        "restore_call" => |json, setup| {
            Ok(Call::new(RestoreCall::from_json_with(json, &setup.defaults.limits)?))
        },
    }
    /// Packages of paths and indexes.
    Handoff = handoff {
        "read_handoff" => |json, _| Ok(Call::new(handoff::Reading::from_json(&Field::root(json))?)),
        "check_handoff" => |json, _| Ok(Call::new(handoff::Checking::from_json(&Field::root(json))?)),
        "build_handoff" => |json, _| Ok(Call::new(handoff::Iteration::from_json(&Field::root(json))?)),
        "store_handoff" => |json, _| Ok(Call::new(handoff::Persist::from_json(&Field::root(json))?)),
        "audit_handoff" => |json, _| Ok(Call::new(handoff::Audit::from_json(&Field::root(json))?)),
        "plan_handoff" => |json, _| Ok(Call::new(handoff::Planning::from_json(&Field::root(json))?)),
        "load_handoff" => |json, _| Ok(Call::new(handoff::Load::from_json(&Field::root(json))?)),
        "make_handoff_cards" => |json, setup| {
            let cards = handoff::ToCards::from_json(&Field::root(json))?;
            Ok(Call::new(handoff::ToCards { limits: setup.defaults.limits, ..cards }))
        },
    }
    /// Orchestration: turns, queues, batches, and what is due.
    Run = run {
        "enqueue" => orchestrate,
        "hand_out" => |json, setup| Ok(Call::new(HandOut::from_json(json, setup)?)),
        "report" => orchestrate,
        "join" => orchestrate,
        "run_state" => orchestrate,
        "cancel" => orchestrate,
        "wakeup" => orchestrate,
        "dispatch" => orchestrate,
        "ensure_agent" => orchestrate,
        "provision_identity" => orchestrate,
        "lease" => orchestrate,
        "state_update" => orchestrate,
        "finish_idle" => orchestrate,
        "replace_waiting" => orchestrate,
        "mark_received" => orchestrate,
        "mark_applied" => orchestrate,
        "ledger_claim" => orchestrate,
        "ledger_requeue_expired" => orchestrate,
        "inbox_status" => orchestrate,
        "has_open" => orchestrate,
        "claim_inbox" => orchestrate,
        "consume_inbox" => orchestrate,
        "requeue_inbox" => orchestrate,
        "poke_inbox" => orchestrate,
        "turn_start" => orchestrate,
        "turn_tools" => orchestrate,
        "turn_complete" => orchestrate,
        "turn_fail" => orchestrate,
        "turn_give_back" => orchestrate,
        "resume" => orchestrate,
        "stop" => orchestrate,
        "ring_again" => orchestrate,
        "reclaim_agent" => orchestrate,
        "tool_call" => orchestrate,
        "reap_turn" => orchestrate,
        "time_out_tools" => orchestrate,
        "take_up_results" => orchestrate,
        "due" => orchestrate,
        "create_batch" => orchestrate,
        "activate_batch" => orchestrate,
        "dispatch_pending" => orchestrate,
        "dispatch_task" => orchestrate,
        "child_event" => orchestrate,
        "reconcile_task" => orchestrate,
        "end_batch" => orchestrate,
        "build_batch_result" => orchestrate,
        "outbox" => orchestrate,
        "mark_sent" => orchestrate,
    }
    /// Logs of other tools.
    Import = import {
        "import" => |json, setup| Ok(Call::new(Import::from_json(json, setup)?)),
    }
    /// Looking at it all, and at what a value is read as.
    Inspect = inspect {
        "inspect" => |json, setup| Ok(Call::new(Inspect::from_json_with(json, setup)?)),
        "search_cards" => |json, setup| {
            Ok(Call::new(inspect::SearchCards::from_json(json)?.with_limits(setup.defaults.limits)))
        },
        "find_cards" => |json, _| Ok(Call::new(inspect::FindCards::from_json(json)?)),
        "text_form" => |json, _| Ok(Call::new(cards::validate::text_form(json)?)),
        "read_content" => |json, setup| Ok(Call::new(cards::validate::read_content(json, &setup.defaults.limits)?)),
        "read_card" => |json, _| Ok(Call::new(cards::validate::ReadCard::from_json(json)?)),
        "read_new_card" => |json, setup| {
            Ok(Call::new(cards::validate::ReadNewCard::from_json(json, &setup.defaults.limits)?))
        },
        "read_box" => |json, _| Ok(Call::new(cards::validate::read_box(json)?)),
    }
    /// What a model gets of what is looked at, and what it costs.
    Request = request {
        "inspect_request" => |json, setup| {
            Ok(Call::new(inspect::InspectRequest::from_json(json, setup)?))
        },
        "compare" => |json, setup| Ok(Call::new(inspect::Compare::from_json(json, setup)?)),
    }
}

/// What a store must look up before it can decide a batch, on JSON text: see
/// [`touched_text`](decide::touched_text). A way into [`Part::Commit`].
///
/// # Errors
/// `store` when the text is not a batch.
///
/// ```
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z", "delete_cards": ["c1"]}"#;
/// assert_eq!(tuckbox::call::touched(batch)?, r#"{"project_id":"p1","cards":["c1"]}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn touched(batch: &[u8]) -> Result<String> {
    gate::commit_touched(batch)
}

/// What a commit puts and answers, on JSON text: see [`decide_text`](decide::decide_text). A way into
/// [`Part::Commit`].
///
/// # Errors
/// As [`decide_text`](decide::decide_text).
///
/// ```
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
///     "boxes": [{"change": "append", "box_id": "b1", "card_ids": ["c2"]}]}"#;
/// let rows = br#"{"boxes": [{"box_id": "b1", "card_ids": ["c1"], "version": 4}]}"#;
/// assert!(tuckbox::call::decide(batch, rows)?.contains(r#""version":5"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn decide(batch: &[u8], rows: &[u8]) -> Result<String> {
    gate::commit_decide(batch, rows)
}

/// The rows of a list among rows of its table, on JSON text: see
/// [`select_text`](decide::select_text). A way into [`Part::Commit`].
///
/// # Errors
/// `store` for text that is no list, or no rows.
///
/// ```
/// let list = br#"{"table": "heads", "index": "all", "of": [], "limit": 1}"#;
/// let rows = br#"[{"key": ["a2"], "version": "v", "row": {"agent_id": "a2"}},
///     {"key": ["a1"], "version": "v", "row": {"agent_id": "a1"}}]"#;
/// let first = tuckbox::call::select_rows(list, rows)?;
/// assert!(first.contains("a1") && !first.contains("a2"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn select_rows(list: &[u8], rows: &[u8]) -> Result<String> {
    gate::commit_select(list, rows)
}

/// As [`Workspace::committed_text`]: a way into [`Part::Commit`].
///
/// # Errors
/// As [`Workspace::committed_text`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let create = json!({"op": "create_box", "card_ids": ["c1"], "operation_id": "op_1"});
/// let mut run = workspace.begin(create, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// let box_id = run.outcome()?.writes.boxes[0].box_id().as_str();
/// let receipt = json!({"operation_id": "op_1", "repeated": false, "boxes": [{"box_id": box_id, "version": 1}]});
/// call::committed(&mut workspace, &run, receipt.to_string().as_bytes())?;
/// assert_eq!(workspace.snapshot().counts().boxes, 1);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn committed(workspace: &mut Workspace, run: &Run, receipt: &[u8]) -> Result<Receipt> {
    gate::commit_committed(workspace, run, receipt)
}

/// As [`Workspace::refused`]: a way into [`Part::Commit`].
///
/// # Errors
/// As [`Workspace::refused`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let fork = json!({"op": "fork_box", "box_id": "notes"});
/// let mut run = workspace.begin(fork, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_some());
/// workspace.answer(&mut run, &json!({"boxes": [{"box_id": "notes", "card_ids": [], "version": 3}]}))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// // somebody else was quicker: the box is read again by the next call
/// call::refused(&mut workspace, &run)?;
/// assert_eq!(workspace.snapshot().counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn refused(workspace: &mut Workspace, run: &Run) -> Result<()> {
    gate::commit_refused(workspace, run)
}

/// As [`Workspace::after`]: a way into [`Part::Commit`].
///
/// # Errors
/// As [`Workspace::after`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let create = json!({"op": "create_box", "card_ids": ["c1"]});
/// let mut run = workspace.begin(create, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// let later = call::after(&workspace, &run)?;
/// assert_eq!(later.snapshot().counts().boxes, 1);
/// assert_eq!(workspace.snapshot().counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn after(workspace: &Workspace, run: &Run) -> Result<Workspace> {
    gate::commit_after(workspace, run)
}

/// Begins an import of one file after the other: a way into [`Part::Import`].
///
/// ```
/// let mut stream = tuckbox::call::import_stream().unwrap();
/// let log = br#"[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]"#;
/// stream.begin("talk.json", log.len());
/// stream.push(log)?;
/// stream.end();
/// let [report, lints] = stream.finish();
/// assert!(report.starts_with('{') && lints.starts_with('['));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn import_stream() -> Option<Box<dyn Streaming>> {
    // what a gate returns the compiler may know, and then all of it is in the core
    let mut begun = None;
    gate::import_stream(&mut begun);
    begun
}

/// Reads the recipes of a host: a way into [`Part::Agents`].
pub(crate) fn read_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
    gate::agents_recipes(list)
}
