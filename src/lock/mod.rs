//! Lockfiles of contexts: a change of what a model sees is a change of a file.
//!
//! [`LockEntry`] makes the entry of a context: one line for each position of its request, with its
//! kind, role, cause, tokens and hash. [`LockUpdate`] writes entries to the text of a lockfile,
//! [`LockRead`] reads it, and [`LockCheck`] compares it with the current contexts. The verdict is
//! grouped by cause. All operations are pure: hosts read and write the file.
//!
//! ```text
//! # tuckbox.lock v1. Written by `tuckbox lock update`. Do not edit.
//!
//! entry "writer"
//!   provider openai_chat "gpt-5"
//!   parameter "temperature" 0.2
//!   tool "search" 41 9f2c11d0a4b1 77aa01e2b3c4
//!   system text system 1204 ab12cd34ef56 "system prompt of profile Writer" "You write."
//!   message text user 4..16 ~ "layer date"
//!   tokens 1245 tools 41 system 1204 messages 0 ~
//!   prefix 1245
//!   end 0f1e2d3c4b5a
//!
//! # end
//! ```
//!
//! ```
//! use tuckbox::lock::{LockCheck, LockEntry, LockStatus, LockUpdate, LockedContext};
//! # use tuckbox::rule::{Rule, Step};
//! # use tuckbox::{Env, Snapshot, Timestamp, json};
//! # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! # let project = Snapshot::new("p1".into());
//! let make = || -> tuckbox::Result<LockedContext> {
//!     let call = LockEntry::from_json(&json!({"name": "writer", "request": {"provider": "openai_chat",
//!         "body": {"model": "gpt-5", "messages": [{"role": "system", "content": "You write."}]}}}))?;
//!     let Step::Done(done) = call.step(&project, &env)? else { panic!() };
//!     Ok(done.value)
//! };
//! let mut update = LockUpdate::from_json(&json!({"entries": []}))?;
//! update.entries.push(make()?);
//! let Step::Done(updated) = update.step(&project, &env)? else { panic!() };
//! assert_eq!(updated.value.added, ["writer"]);
//!
//! let mut check = LockCheck::from_json(&json!({"lock": updated.value.lock, "entries": []}))?;
//! check.entries.push(make()?);
//! let Step::Done(checked) = check.step(&project, &env)? else { panic!() };
//! assert_eq!((checked.value.status, checked.value.exit_code), (LockStatus::Same, 0));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod align;
mod annotate;
mod assert;
mod assertions;
mod compare;
mod context;
mod entry;
mod make;
mod operations;
mod price;
mod read;
mod report;
mod rows;
mod slots;
#[cfg(test)]
mod tests;
mod verdict;
mod write;

pub use assert::{Comparison, compare_context};
pub use assertions::{LockAssertion, LockFailure, LockMatch};
pub use compare::{LockChange, LockChangeKind};
pub use make::{LockDetails, LockEntry, LockLosses, LockRequest, LockSecret, LockedContext};
pub use operations::{
    BuildError, LockCheck, LockDiff, LockFile, LockFileEntry, LockRead, LockUpdate, LockUpdated,
};
pub use report::LockFormat;
pub use rows::{LockCompare, LockRow, LockRowKind, LockRows, LockSide};
pub use slots::{Volatile, VolatileText};
pub use verdict::{
    LockEntryChanges, LockError, LockGroup, LockReport, LockStatus, LockTokens, LockVerdict,
    UnmatchedSlot, UnstableSlot,
};
