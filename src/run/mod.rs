//! Orchestration: turns that run, batches that join, nothing lost.
//!
//! Every operation is a [rule](crate::rule): a call and a snapshot of rows in, a value, one atomic
//! batch and the messages to send out. Messages are rows of the outbox in the same batch, so that
//! nothing is sent that was not committed, and nothing committed is forgotten. What is due is a
//! question too (`due`); nothing here has a timer.
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
//! assert!(tables.contains(&"inbox") && tables.contains(&"outbox"), "the message, and what is sent");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod answers;
mod args;
mod batch;
mod bugs;
mod deliverable;
mod desk;
mod dispatch;
mod due;
mod follows;
mod give_back;
mod hand_out;
mod identity;
mod inbox;
mod keys;
mod l0;
mod message;
mod operations;
mod outbox;
mod resume;
mod rows;
mod selections;
mod settings;
pub mod sim;
mod state;
mod tools;
mod trace;
mod turn;
mod watch;
mod words;
mod work;

pub use bugs::Bug;
pub use dispatch::Dispatched;
pub use hand_out::HandOut;
pub use identity::Ready;
pub use l0::Answer;
pub use message::Message;
pub use operations::{OPERATIONS, RunCall};
pub use settings::RunSettings;
