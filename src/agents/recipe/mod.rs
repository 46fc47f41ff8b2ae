//! Recipes: the operations that delegate work to another agent.
//!
//! A recipe finds the receiver, checks the sender's policy and every box that is passed on, packs the
//! contexts and returns [dispatch requests](DispatchRequest). It is a [`Rule`](crate::rule::Rule): it
//! can be previewed, and its commit is one batch.
//!
//! | recipe | description |
//! |---|---|
//! | [`PackWithInstruction`] | packs an instruction with boxes |
//! | [`DelegateAsync`] | delegates one task to a new, a reused or a cloned agent |
//! | [`ForkJoin`] | delegates many tasks in one batch |
//! | [`LaunchPrincipal`], [`AskExpert`] | forms of `delegate_async` |
//! | [`CustomRecipe`] | a handover that a host defines as data |
//!
//! *Architecture invariant:* a recipe builds the same plan that
//! [`PackContext`](crate::pack::PackContext) reads from JSON, and packs only through it. So the
//! ledger explains its contexts too. It does not start a turn: orchestration makes the ids of turns
//! and batches.
//!
//! ```
//! use tuckbox::agents::recipe::{Caller, ForkJoin, Strategy, TaskArguments};
//! # use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
//! # use tuckbox::{Env, Timestamp, json, rule};
//! # let mut store = MemoryStore::new();
//! # let lead = Profile { delegation_policy: json!({"target_profiles": ["Writer"]}), ..Profile::new("Lead", "pb_lead") };
//! # store.project("p1").add_profile(lead).add_profile(Profile::new("Writer", "pb_writer")).add_agent(Agent::new("ann", "pb_lead"));
//! # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let tasks = vec![
//!     TaskArguments::new(Strategy::New, "Writer", "Draft chapter 1."),
//!     TaskArguments::new(Strategy::New, "Writer", "Draft chapter 2."),
//! ];
//! let call = ForkJoin::new(Caller::new("ann"), tasks).with_default_deadline(600.0);
//! let forked = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
//! assert_eq!((forked.value.tasks.len(), forked.value.deadline_seconds), (2, Some(600.0)));
//! let second = &forked.value.tasks[1];
//! assert_eq!((second.task_index, second.handed.profile_name.as_str()), (1, "Writer"));
//! assert_eq!(second.handed.instruction.as_deref(), Some("Draft chapter 2."));
//! assert!(second.handed.dispatch.provision, "the commit adds the new agent to the roster");
//! let permission = forked.ledger.audit[0].permission.as_ref().unwrap();
//! assert_eq!(permission.target_profiles.as_deref(), Some(&["Writer".to_owned()][..]));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod boxes;
mod caller;
mod custom;
mod delegate;
mod dispatch;
mod execute;
mod fork_join;
mod instruct;
mod policy;
mod preview;
mod run;
mod target;
mod task;
mod template;
mod text;

pub use boxes::{OutputBox, ResolveOutputBox, ValidBoxes, ValidateBoxes};
pub use caller::Caller;
pub use custom::{Argument, ArgumentType, CustomRecipe, Recipes};
pub use delegate::{
    AskExpert, DelegateAsync, ExpertQuestion, LaunchPrincipal, PrincipalTask, TaskArguments,
};
pub use dispatch::{DispatchRequest, Handed, Strategy};
pub use fork_join::{
    DEFAULT_MAX_TASKS, ForkJoin, ForkJoinArguments, Forked, ForkedTask, ReadForkJoin,
};
pub use instruct::{Instructed, PackCall, PackWithInstruction};
pub use policy::DelegationPolicy;
pub(crate) use preview::HandoverCall;
pub(crate) use preview::find_secrets;
pub use preview::{Added, Preview, PreviewHandover, Receiver, Seen, Shared};
pub use run::{CheckRecipe, RunRecipe};
