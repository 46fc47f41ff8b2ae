//! What the core needs from a store, and nothing more.
//!
//! A rule names what it wants to know as [`Reads`]; the host answers with [`Answers`]; what is
//! known so far is a [`Snapshot`], which tells *not read yet*, *read and absent*, *present* and
//! *failed* apart. What a rule wants to change is one atomic batch of [`Writes`].
//!
//! [`Store`] is the trait a native host implements; [`MemoryStore`] is the store for tests,
//! previews and small tools.
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
mod decode;
mod evict;
mod fault;
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
mod snapshot;
pub mod table;
pub mod testing;
mod version;
mod writes;

pub use answers::Answers;
pub use evict::Counts;
pub(crate) use fault::store_fault;
pub use follow::{Follow, Named, Part, Source};
pub use memory::{MemoryStore, Tables};
pub(crate) use overlay::{LookedUp, Overlay};
pub use reads::{Kind, Reads};
pub use records::{Agent, AgentPointers, AgentState, Directory, Profile, StoredFile};
pub(crate) use resident::ResidentCard;
pub use rows::{Before, List, NewRow, RowChange, RowKey, TableRow, Version};
pub use snapshot::{Lookup, Snapshot};
pub use writes::{BoxChange, BoxVersion, Expectation, Receipt, Writes};
pub(crate) use writes::{other_text, taken};

use crate::Result;

/// A place where cards and boxes live.
///
/// **Contract.** `read` answers every key it is asked for exactly once, as a row or as missing,
/// and never with a row of another project; what [follows](Follow) from rows it may answer too. `commit` applies the whole batch or nothing; the same
/// operation id a second time changes nothing and says so; a box that is no longer at the version
/// the batch expects is a `conflict`.
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
    /// `store` when the store cannot be reached or read.
    fn read(&self, reads: &Reads) -> Result<Answers>;

    /// Applies one batch of writes, whole or not at all.
    ///
    /// # Errors
    /// `conflict` when something changed since it was read, `store` when the store cannot write.
    fn commit(&mut self, writes: &Writes) -> Result<Receipt>;
}
