//! Agents: the registry, delegation, and the context of a turn.
//!
//! [`registry`] keeps profiles, agents and tools. [`recipe`] packs a context for another agent.
//! [`turn`] shows the context of an agent's next turn.
//!
//! ```
//! use tuckbox::agents::Setup;
//! use tuckbox::agents::recipe::DelegateAsync;
//! use tuckbox::agents::turn::TurnView;
//! use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
//! use tuckbox::{Env, Timestamp, json, rule};
//!
//! let mut store = MemoryStore::new();
//! let lead = Profile { delegation_policy: json!({"target_profiles": ["Writer"]}), ..Profile::new("Lead", "pb_lead") };
//! store.project("p1").add_profile(lead).add_profile(Profile::new("Writer", "pb_writer")).add_agent(Agent::new("ann", "pb_lead"));
//!
//! // Ann delegates a task to a new writer
//! let task = json!({"target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it."});
//! let call = DelegateAsync::from_json(&json!({"source_agent_id": "ann", "arguments": task}))?;
//! let env = Env::new(Timestamp::from_millis(0), [1; 32]);
//! let handed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
//! store.commit(&handed.writes)?;
//!
//! // what the writer sees
//! let context = handed.value.dispatch.context_box_id;
//! let view = TurnView::from_json(&json!({"context_box_id": context}), &Setup::default())?;
//! let env = Env::new(Timestamp::from_millis(1), [2; 32]);
//! let turn = rule::preview(&view, &mut Snapshot::new("p1".into()), &env, &store)?.value;
//! assert!(turn.request.messages.iter().any(|message| message.content == "Draft it.".into()));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod audit;
mod lint;
mod profile;
pub mod recipe;
pub mod registry;
mod setup;
pub mod turn;

pub use audit::{AuditRefusal, AuditedRefusal};
pub use lint::AgentLint;
pub(crate) use setup::Operations;
pub use setup::Setup;
