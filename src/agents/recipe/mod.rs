//! Every way context is handed over: who receives, what goes along, and what it comes down to.
//!
//! A recipe finds the receiver, asks the sender's policy, checks every box that is handed on, packs
//! the contexts and ends with [dispatch requests](DispatchRequest) as data. It is a
//! [`Rule`](crate::rule::Rule) like every other: it previews, and its commit is one batch.
//!
//! | recipe | what it does |
//! |---|---|
//! | [`PackWithInstruction`] | packs an instruction with boxes; nothing else |
//! | [`DelegateAsync`] | one task for a new, a reused or a cloned agent |
//! | [`ForkJoin`] | many tasks in one batch |
//! | [`DelegateAsync::launch_principal`], [`DelegateAsync::ask_expert`] | kinds of `delegate_async` |
//! | [`CustomRecipe`] | whatever a host defines as data |
//!
//! *Architecture invariant:* a recipe builds the same plan that
//! [`PackContext`](crate::pack::PackContext) reads from JSON, and packs through nothing else, so
//! that the ledger explains its contexts like any other. It starts no turn: ids of turns and
//! batches belong to orchestration.

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
pub use delegate::{DelegateAsync, TaskArguments};
pub use dispatch::{DispatchRequest, Handed, Strategy};
pub use fork_join::{DEFAULT_MAX_TASKS, ForkJoin, ForkJoinArguments, Forked, ForkedTask};
pub use instruct::{Instructed, PackCall, PackWithInstruction};
pub use policy::DelegationPolicy;
pub use preview::{Added, Preview, PreviewHandover, Receiver, Seen, Shared};
pub use run::{CheckRecipe, RunRecipe};
