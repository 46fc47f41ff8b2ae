//! Boxes that grow or are replaced.

use super::{Turns, batch, box_id, card_ids, done, existing, operation_id};
use crate::rule::box_turns::Act;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Snapshot};
use crate::value::boxes::CardBox;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Fields, Json};
use crate::{Path, Result};

/// What both changes say.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    box_id: BoxId,
    card_ids: CardIds,
    turns: Turns,
    operation_id: Option<String>,
}

impl Change {
    fn of(box_id: BoxId, card_ids: CardIds) -> Self {
        Self { box_id, card_ids, turns: Turns::default(), operation_id: None }
    }

    fn from_call(call: &Fields<'_>) -> Result<Self> {
        Ok(Self {
            box_id: box_id(call, "box_id")?,
            card_ids: card_ids(&call.required("card_ids")?)?,
            turns: Turns::from_call(call)?,
            operation_id: operation_id(call)?,
        })
    }

    fn step(
        &self,
        snapshot: &Snapshot,
        env: &Env,
        act: Act,
        change: impl FnOnce(&CardBox) -> BoxChange,
    ) -> Result<Step<Outcome<CardBox>>> {
        ready!(self.turns.read(snapshot, &self.box_id));
        let before = existing(snapshot, &self.box_id, Path::root().key("box_id"))?;
        let turns = self.turns.check(snapshot, &self.box_id, act)?;
        let (mut writes, _) = batch(self.operation_id.as_deref(), snapshot, env);
        let change = change(before);
        let after = change.after(before, env.now);
        writes.expects.extend(turns);
        writes.boxes.push(change);
        done(after, writes)
    }
}

/// Puts more cards at the end of a box.
///
/// ```
/// use tuckbox::cards::AppendToBox;
/// # use tuckbox::store::{MemoryStore, Snapshot, Store};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// // whatever others have appended until the commit, these cards go behind it
/// let call = AppendToBox::new("notes", ["n2"].into_iter().collect()).behind_anything();
/// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(preview.writes.boxes[0].expected_version(), None);
/// assert_eq!(store.commit(&preview.writes)?.boxes[0].version, 2);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AppendToBox {
    change: Change,
    anywhere: bool,
}

impl AppendToBox {
    /// Appends to the box as it was read; a box that changed since is a `conflict`, and so is one that
    /// a running turn reads.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        Self { change: Change::of(box_id.into(), card_ids), anywhere: false }
    }

    /// Appends behind whatever is in the box by then: what concurrent writers want.
    #[must_use]
    pub fn behind_anything(mut self) -> Self {
        self.anywhere = true;
        self
    }

    /// Reads `{"box_id", "card_ids": [..], "behind_anything"?, "even_during_turn"?,
    /// "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[
            "op",
            "box_id",
            "card_ids",
            "behind_anything",
            "even_during_turn",
            "operation_id",
        ])?;
        let anywhere = call.optional("behind_anything").map_or(Ok(false), |f| f.boolean())?;
        Ok(Self { change: Change::from_call(&call)?, anywhere })
    }
}

impl Rule for AppendToBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        self.change.step(snapshot, env, Act::Append, |before| BoxChange::Append {
            box_id: before.box_id.clone(),
            card_ids: self.change.card_ids.clone(),
            version: (!self.anywhere).then_some(before.version),
        })
    }
}

/// Puts other cards into a box: a compaction, or a rewrite. The boxes of a running turn stay as they
/// are: its pointers are moved to another box instead.
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
/// assert_eq!(preview.writes.boxes[0].expected_version(), Some(1), "a change in between is a conflict");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceBox {
    change: Change,
}

impl ReplaceBox {
    /// Replaces the cards of a box.
    pub fn new(box_id: impl Into<BoxId>, card_ids: CardIds) -> Self {
        Self { change: Change::of(box_id.into(), card_ids) }
    }

    /// Reads `{"box_id", "card_ids": [..], "even_during_turn"?, "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "box_id", "card_ids", "even_during_turn", "operation_id"])?;
        Ok(Self { change: Change::from_call(&call)? })
    }
}

impl Rule for ReplaceBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        self.change.step(snapshot, env, Act::Replace, |before| BoxChange::Replace {
            box_id: before.box_id.clone(),
            card_ids: self.change.card_ids.clone(),
            version: before.version,
        })
    }
}
