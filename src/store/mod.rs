//! The interface between the core and a store.
//!
//! A rule requests rows with [`Reads`], and the host returns [`Answers`]. A [`Snapshot`] contains
//! the rows so far. It distinguishes *not read yet*, *read and absent*, *present* and *failed*. A
//! rule returns its changes as one atomic batch of [`Writes`].
//!
//! A native host implements the trait [`Store`]. [`MemoryStore`] is the store for tests, previews
//! and small tools.
//!
//! ```
//! use tuckbox::store::{BoxChange, Kind, MemoryStore, Reads, Snapshot, Store, Writes};
//! use tuckbox::{CardBox, Timestamp};
//!
//! let mut store = MemoryStore::new();
//! let created = BoxChange::Create { card_box: CardBox::new("notes", ["n1"].into_iter().collect()) };
//! let writes = Writes { boxes: vec![created], ..Writes::new("demo".into(), "op_1", Timestamp::from_millis(0)) };
//! assert_eq!(store.commit(&writes)?.boxes[0].version, 1);
//!
//! let mut reads = Reads::new("demo".into());
//! reads.add(Kind::Boxes, "notes");
//! let mut snapshot = Snapshot::new("demo".into());
//! snapshot.absorb(&reads, store.read(&reads)?)?;
//! assert_eq!(snapshot.card_box("notes").found()?.map(|found| found.card_ids.len()), Some(1));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod answers;
pub mod decide;
mod decide_text;
mod decode;
mod error;
mod evict;
mod follow;
mod known_rows;
mod memory;
mod memory_rows;
mod overlay;
mod reads;
mod records;
mod resident;
mod row;
mod rows;
pub mod shelves;
mod snapshot;
pub mod table;
pub mod testing;
mod version;
mod writes;

pub use answers::Answers;
pub(crate) use error::store_error;
pub use evict::Counts;
pub use follow::{FollowSource, FollowTarget, FollowUp, KeyPart};
pub use memory::{MemoryStore, Tables};
pub(crate) use overlay::{LookedUp, Overlay};
pub use reads::{Kind, Reads};
pub use records::{Agent, AgentPointers, AgentState, Directory, Profile, StoredFile};
pub(crate) use resident::ResidentCard;
pub use rows::{Before, List, NewRow, RowChange, RowKey, TableRow, Version};
pub use snapshot::{Lookup, Presence, Snapshot};
pub use writes::{BoxChange, BoxVersion, Expectation, Receipt, Writes};
pub(crate) use writes::{card_conflict, file_conflict};

use crate::Result;

/// A store of cards, boxes and other rows.
///
/// **Contract.**
///
/// - `read` answers every requested key exactly once, as a row or as missing. It never returns a
///   row of another project. It can also return rows that [follow](FollowUp) from others.
/// - `commit` applies the whole batch or nothing.
/// - `commit` with a repeated operation id changes nothing and sets `repeated`.
/// - `commit` returns `conflict` if a box is not at the version that the batch expects.
///
/// ```
/// use tuckbox::store::{Answers, MemoryStore, Reads, Receipt, Store, Writes, testing};
///
/// /// A store that counts its commits.
/// struct Counting { inner: MemoryStore, commits: usize }
///
/// impl Store for Counting {
///     fn read(&self, reads: &Reads) -> tuckbox::Result<Answers> {
///         self.inner.read(reads)
///     }
///     fn commit(&mut self, writes: &Writes) -> tuckbox::Result<Receipt> {
///         self.commits += 1;
///         self.inner.commit(writes)
///     }
/// }
///
/// let mut store = Counting { inner: MemoryStore::new(), commits: 0 };
/// testing::CASES[0].run(&mut store, "p1").unwrap();
/// assert!(store.commits > 0);
/// ```
pub trait Store {
    /// Answers one batch of reads.
    ///
    /// # Errors
    /// Returns `store` if the store cannot be reached or read.
    fn read(&self, reads: &Reads) -> Result<Answers>;

    /// Applies one batch of writes atomically.
    ///
    /// # Errors
    /// Returns `conflict` if a row changed since it was read.
    /// Returns `store` if the store cannot write.
    fn commit(&mut self, writes: &Writes) -> Result<Receipt>;
}

/// A [`Store`] for asynchronous hosts, with the same contract. It depends on no runtime.
///
/// An implementation can write `async fn`. [`preview_async`](crate::rule::preview_async) and
/// [`commit_async`](crate::rule::commit_async) use it.
///
/// ```
/// use std::sync::Mutex;
/// use tuckbox::store::{Answers, AsyncStore, MemoryStore, Reads, Receipt, Store, Writes};
///
/// /// A store in memory that tasks share.
/// struct Shared(Mutex<MemoryStore>);
///
/// impl AsyncStore for Shared {
///     async fn read(&self, reads: &Reads) -> tuckbox::Result<Answers> {
///         self.0.lock().unwrap().read(reads)
///     }
///     async fn commit(&self, writes: &Writes) -> tuckbox::Result<Receipt> {
///         self.0.lock().unwrap().commit(writes)
///     }
/// }
/// ```
pub trait AsyncStore {
    /// Answers one batch of reads.
    ///
    /// # Errors
    /// Those of [`Store::read`].
    fn read(&self, reads: &Reads) -> impl Future<Output = Result<Answers>> + Send;

    /// Applies one batch of writes atomically. Tasks can commit at the same time. A dropped future
    /// has applied the whole batch or nothing.
    ///
    /// # Errors
    /// Those of [`Store::commit`].
    fn commit(&self, writes: &Writes) -> impl Future<Output = Result<Receipt>> + Send;
}
