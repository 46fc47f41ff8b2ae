//! Orchestration: queues, turns and batches of agents.
//!
//! Every operation is a [rule](crate::rule). It takes a call and a snapshot of rows, and returns a value
//! and one atomic commit. Messages are rows of the outbox in the same commit, so the host sends exactly
//! what was committed. The operation `due` returns the calls that are due; nothing here has a timer.
//!
//! | group | what it holds |
//! |---|---|
//! | `queue` | messages to agents, leases, promotion, the roster |
//! | `turn` | start, tools, results, release and the end of a turn |
//! | `batch` | tasks that are dispatched together and joined, and recipes |
//! | `watch` | what is due: wakeups, timeouts, lost heads |
//! | `wire` | messages, events, the outbox and trace headers |
//! | `rows`, `transaction` | typed rows, and what one call reads, changes and expects |
//!
//! ```
//! use tuckbox::run::RunCall;
//! use tuckbox::store::{MemoryStore, Snapshot, table};
//! use tuckbox::{Env, Json, Timestamp, json, rule};
//!
//! let mut store = MemoryStore::new();
//! let agent = json!({"agent_id": "ann", "worker_target": "generic"});
//! store.project("demo").add_row(&table::PROJECT_AGENTS, agent.as_object().cloned().unwrap());
//! let call = RunCall::from_json("enqueue", &json!({"op": "enqueue", "target_agent_id": "ann",
//!     "message_type": "note", "payload": {"text": "hi"}, "headers": {"CG-Recursion-Depth": "0"}}))?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let preview = rule::preview(&call, &mut Snapshot::new("demo".into()), &env, &store)?;
//! assert_eq!(preview.value.get("status").and_then(Json::as_str), Some("accepted"));
//! let tables: Vec<_> = preview.writes.rows.iter().map(|row| row.of.table.name).collect();
//! assert!(tables.contains(&"inbox") && tables.contains(&"outbox"), "the message, and its wakeup");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod answers;
mod args;
mod batch;
mod keys;
mod operations;
mod overview;
mod queue;
mod rows;
mod settings;
mod transaction;
mod turn;
mod values;
mod watch;
mod wire;

pub use batch::recipe::{HandOut, HandOutAnswer, HandOutResult, Handover};
pub use operations::{OPERATIONS, RunCall};
pub use queue::answer::Answer;
pub use queue::dispatch::Dispatched;
pub use queue::identity::Ready;
pub use settings::RunSettings;
pub use wire::message::Message;
