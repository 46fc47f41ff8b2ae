//! Operations that append to or replace a box.

use super::{BoxChangeOptions, batch, done, existing};
use crate::rule::box_turns::Act;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Snapshot};
use crate::value::arguments::arguments;
use crate::value::boxes::CardBox;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::{Path, Result};

/// Decides the change that `change` returns for the current box.
fn step(
    box_id: &BoxId,
    options: &BoxChangeOptions,
    snapshot: &Snapshot,
    env: &Env,
    act: Act,
    change: impl FnOnce(&CardBox) -> BoxChange,
) -> Result<Step<Outcome<CardBox>>> {
    ready!(options.read(snapshot, box_id));
    let before = existing(snapshot, box_id, Path::root().key("box_id"))?;
    let turns = options.check(snapshot, box_id, act)?;
    let (mut writes, _) = batch(options.operation_id.as_deref(), snapshot, env);
    let change = change(before);
    let after = change.after(before, env.now);
    writes.expects.extend(turns);
    writes.boxes.push(change);
    done(after, writes)
}

arguments! {
    /// Appends cards to a box.
    ///
    /// ```
    /// use tuckbox::cards::AppendToBox;
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // the cards are appended after those of concurrent writers
    /// let call = AppendToBox::new("notes", ["n2"].into_iter().collect()).any_version();
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.writes.boxes[0].expected_version(), None);
    /// assert_eq!(store.commit(&preview.writes)?.boxes[0].version, 2);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct AppendToBox {
        /// The box to append to.
        pub box_id: BoxId,
        /// The ids of the cards to append, in order.
        pub card_ids: CardIds,
        /// Appends to any version of the box. Otherwise a box that changed since it was read is a
        /// `conflict`.
        pub any_version: bool = false,
        shared change: BoxChangeOptions,
    }
}

impl AppendToBox {
    /// Creates a call that appends to the version that was read. It is a `conflict` if the box
    /// changed since, or if a running turn reads it.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        let (box_id, change) = (box_id.into(), BoxChangeOptions::default());
        Self { box_id, card_ids, any_version: false, change }
    }

    /// Appends to any version of the box. Concurrent writers use this.
    #[must_use]
    pub fn any_version(mut self) -> Self {
        self.any_version = true;
        self
    }
}

impl Rule for AppendToBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        step(&self.box_id, &self.change, snapshot, env, Act::Append, |before| BoxChange::Append {
            box_id: before.box_id.clone(),
            card_ids: self.card_ids.clone(),
            version: (!self.any_version).then_some(before.version),
        })
    }
}

arguments! {
    /// Replaces the cards of a box. The boxes of a running turn cannot be replaced. `move_pointers`
    /// points the turn to another box instead.
    ///
    /// ```
    /// use tuckbox::cards::ReplaceBox;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["n1", "n2", "n3"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ReplaceBox::new("notes", ["summary", "n3"].into_iter().collect());
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.value.card_ids.iter().collect::<Vec<_>>(), ["summary", "n3"]);
    /// assert_eq!(preview.writes.boxes[0].expected_version(), Some(1), "a concurrent change is a conflict");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReplaceBox {
        /// The box to change.
        pub box_id: BoxId,
        /// The ids of its new cards, in order.
        pub card_ids: CardIds,
        shared change: BoxChangeOptions,
    }
}

impl ReplaceBox {
    /// Creates a call that replaces the cards of a box.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        Self { box_id: box_id.into(), card_ids, change: BoxChangeOptions::default() }
    }
}

impl Rule for ReplaceBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        step(&self.box_id, &self.change, snapshot, env, Act::Replace, |before| BoxChange::Replace {
            box_id: before.box_id.clone(),
            card_ids: self.card_ids.clone(),
            version: before.version,
        })
    }
}
