//! Orchestration: queues, turns and batches of agents.
//!
//! Every operation is a [rule](crate::rule). It takes a call and a snapshot of rows, and returns a value
//! and one atomic commit. Messages are rows of the outbox in the same commit, so the host sends exactly
//! what was committed. The operation `due` returns the calls that are due; nothing here has a timer.
//!
//! | group | content |
//! |---|---|
//! | `queue` | messages to agents, leases, promotion, the roster |
//! | `turn` | start, tools, results, release and the end of a turn |
//! | `batch` | tasks that are dispatched together and joined, and recipes |
//! | `watch` | what is due: wakeups, timeouts, lost heads |
//! | `wire` | messages, events, the outbox and trace headers |
//! | `rows`, `transaction` | typed rows, and what one call reads, changes and expects |
//!
//! ```
//! use tuckbox::run::Enqueue;
//! use tuckbox::store::{MemoryStore, Snapshot, table};
//! use tuckbox::{Env, Timestamp, json, rule};
//!
//! let mut store = MemoryStore::new();
//! let agent = json!({"agent_id": "ann", "worker_target": "generic"});
//! store.project("demo").add_row(&table::PROJECT_AGENTS, agent.as_object().cloned().unwrap());
//! let mut call = Enqueue::from_json(&json!({"target_agent_id": "ann", "message_type": "note",
//!     "payload": {"text": "hi"}, "headers": {"CG-Recursion-Depth": "0"}}))?;
//! call.terms.settings.max_steps = 12;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
//! assert!(preview.value.payload().is_some());
//! let tables: Vec<_> = preview.writes.rows.iter().map(|row| row.of.table.name).collect();
//! assert!(tables.contains(&"inbox") && tables.contains(&"outbox"), "the message, and its wakeup");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod batch;
mod overview;
mod queue;
mod rows;
mod settings;
mod terms;
mod transaction;
mod turn;
mod values;
mod watch;
mod wire;

pub use batch::child_event::{ChildEvent, TurnEnd};
pub use batch::create::{BatchRequest, CreateBatch, CreatedBatch, TaskSpec};
pub use batch::dispatch::{
    ActivateBatch, DispatchPending, DispatchTask, HostDispatch, HostDispatches,
};
pub use batch::end::EndBatch;
pub use batch::recipe::{HandOut, HandOutAnswer, HandOutResult, Handover};
pub use batch::reconcile::ReconcileTask;
pub use batch::result::BuildBatchResult;
pub use overview::ReadRunState;
pub use queue::answer::{Accepted, Answer, Refused};
pub use queue::cancel::{Cancel, Canceled};
pub use queue::dispatch::{Dispatch, DispatchTurn, Dispatched};
pub use queue::edge::{Join, NoteEdge, NoteToolCall, Noted};
pub use queue::enqueue::Enqueue;
pub use queue::identity::{
    AgentDetails, AgentKind, AgentRequest, AgentSpec, EnsureAgent, ProvisionIdentity, Provisioned,
    Ready, Tags,
};
pub use queue::inbox::{
    ClaimInbox, ClaimedInbox, ConsumeInbox, ForWorkers, HasOpen, Open, SetInboxStatus, Updated,
};
pub use queue::lease::{Lease, LeaseRequest, Leased};
pub use queue::promote::Promoted;
pub use queue::report::Report;
pub use queue::send::{SendMessage, Sent};
pub use queue::wakeup::{Wakeup, WakeupMode, Woken};
pub use rows::UnreadableRow;
pub use rows::status::{HeadStatus, InboxStatus};
pub use settings::RunSettings;
pub use terms::RunTerms;
pub use turn::complete::{ModelThought, TurnComplete, TurnFail, WrittenCards};
pub use turn::put_results::{
    PutToolResults, RanTool, StartedTool, StoredToolResult, StoredToolResults,
};
pub use turn::release::{GivenBack, TurnGiveBack};
pub use turn::result::{ReadTurnResult, TurnProgress, TurnResult};
pub use turn::resume::Resume;
pub use turn::start::{TurnStart, TurnStarted};
pub use turn::state::{
    ClaimedResults, FinishIdle, HeadColumns, HeadGuard, LedgerClaim, LedgerRequeueExpired,
    MarkApplied, MarkReceived, MarkResult, ReplaceWaiting, Requeued, StateUpdate, WaitItem, Waits,
};
pub use turn::stop::Stop;
pub use turn::tool_answer::{AnswerToolCall, AnsweredToolCall, ToolStatus};
pub use turn::tool_results::ToolOutput;
pub use turn::tools::{CallOutcome, CalledTool, TurnTools};
pub use turn::work::{CallToStart, Ended, Queued, QueuedWork, TurnWork};
pub use watch::due::{Due, DueRule, ListDue};
pub use watch::prune::{Prune, Pruned};
pub use watch::reclaim::{ReclaimAgent, RequeueInbox, SuspendedTurn, TakeUpResults, TakenUp};
pub use watch::recover::RecoverTurn;
pub use watch::timeouts::{Reap, ReapTurn, TimeOutTools};
pub use watch::wakeups::{PokeInbox, RingAgain};
pub use wire::message::Message;
pub use wire::outbox::{
    ChangedMessages, ListOutbox, MarkSent, MarkedSent, Outbox, OutboxMessage, QuarantineMessages,
    RetryMessages,
};
pub use wire::trace::Headers;
