//! Operations that create boxes from a list, from one box or from several.

use super::{batch, done, existing};
use crate::rule::audit::{self, Authority};
use crate::rule::merge::merge;
use crate::rule::{Cursor, Dependencies, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Expectation, Kind, Lookup, Snapshot};
use crate::value::arguments::arguments;
use crate::value::boxes::CardBox;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

arguments! {
    /// Creates a box with these cards.
    ///
    /// ```
    /// use tuckbox::cards::CreateBox;
    /// use tuckbox::json;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let store = MemoryStore::new();
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = CreateBox::from_json(&json!({"card_ids": ["n1", "n1"]}))?;
    /// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!((made.box_id.as_str().len(), made.card_ids.len()), (36, 2));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct CreateBox {
        /// The ids of the cards, in order. An id can occur twice.
        pub card_ids: CardIds,
        /// The id of the box. A new id by default.
        pub box_id: Option<BoxId>,
        /// The boxes that it was made from.
        pub parent_ids: Vec<BoxId> = Vec::new(),
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

impl Rule for CreateBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        let keys = self.box_id.iter().chain(&self.parent_ids).map(BoxId::as_str);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut dependencies = Dependencies::default();
        for (index, parent) in self.parent_ids.iter().enumerate() {
            existing(snapshot, parent, Path::root().key("parent_ids").index(index))?;
            dependencies.on(snapshot, Kind::Boxes, parent.as_str());
        }
        if let Some(box_id) = &self.box_id
            && let Lookup::Present(_) = snapshot.card_box_row(box_id.as_str())
        {
            return Err(Error::conflict(format!("box `{box_id}` already exists"))
                .at(Path::root().key("box_id"))
                .detail("box_id", box_id.as_str()));
        }
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        writes.expects = dependencies.into_expects();
        let box_id = self.box_id.clone().unwrap_or_else(|| minter.box_id());
        let card_box =
            CardBox::new(box_id, self.card_ids.clone()).with_parents(self.parent_ids.clone());
        writes.boxes.push(BoxChange::Create { card_box: card_box.clone() });
        done(card_box, writes)
    }
}

arguments! {
    /// Creates a box with the cards of another box, or with the first `take` of them.
    ///
    /// ```
    /// use tuckbox::cards::ForkBox;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["n1", "n2", "n3"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // the conversation after its second card
    /// let call = ForkBox { box_id: "notes".into(), take: Some(2), source_agent_id: None, operation_id: None };
    /// let fork = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!((fork.card_ids.len(), fork.parent_ids[0].as_str()), (2, "notes"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ForkBox {
        /// The box to copy.
        pub box_id: BoxId,
        /// How many cards to take from the start. All by default.
        pub take: Option<usize>,
        /// The agent that asks for it, for the audit.
        pub source_agent_id: Option<String>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

impl Rule for ForkBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        ready!(Cursor::new(snapshot).want(Kind::Boxes, self.box_id.as_str()).step());
        let from = existing(snapshot, &self.box_id, Path::root().key("box_id"))?;
        let take = self.take.unwrap_or(usize::MAX).min(from.card_ids.len());
        let symbols = from.card_ids.symbols().iter().copied().take(take).collect::<Vec<_>>();
        let card_ids = CardIds::new(from.card_ids.names().clone(), symbols);
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        let card_box =
            CardBox::new(minter.box_id(), card_ids).with_parents(vec![from.box_id.clone()]);
        writes.expects.push(Expectation::of_box(from.box_id.as_str(), from.version));
        writes.boxes.push(BoxChange::Create { card_box: card_box.clone() });
        let sources = vec![source(from, Path::root().key("box_id"))];
        let actor = self.source_agent_id.as_deref();
        audit::keep_copy("fork_box", actor, &card_box.box_id, sources, &mut writes);
        done(card_box, writes)
    }
}

arguments! {
    /// Creates a box with the cards of several boxes, in order, each card once.
    ///
    /// ```
    /// use tuckbox::cards::ConcatBoxes;
    /// use tuckbox::json;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("a", ["n1", "n2"]).add_box("b", ["n2", "n3"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ConcatBoxes::from_json(&json!({"box_ids": ["a", "b"]}))?;
    /// let made = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(made.card_ids.iter().collect::<Vec<_>>(), ["n1", "n2", "n3"]);
    /// assert_eq!(made.parent_ids, ["a", "b"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ConcatBoxes {
        /// The boxes, in order.
        pub box_ids: Vec<BoxId>,
        /// The agent that asks for it, for the audit.
        pub source_agent_id: Option<String>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting limits: Limits,
    }
}

impl ConcatBoxes {
    /// Returns the call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Rule for ConcatBoxes {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        let keys = self.box_ids.iter().map(BoxId::as_str);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut boxes = Vec::with_capacity(self.box_ids.len());
        for (index, box_id) in self.box_ids.iter().enumerate() {
            boxes.push(existing(snapshot, box_id, Path::root().key("box_ids").index(index))?);
        }
        let lists: Vec<_> = boxes.iter().map(|card_box| card_box.card_ids.symbols()).collect();
        let path = Path::root().key("box_ids");
        self.limits.check_merged(lists.iter().map(|list| list.len()).sum(), &path)?;
        let merged = merge(&lists, snapshot.names().len());
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        let mut parents: StrMap<BoxId> = StrMap::new();
        let mut sources = Vec::with_capacity(boxes.len());
        for (index, card_box) in boxes.into_iter().enumerate() {
            if parents.insert_new(card_box.box_id.as_str(), card_box.box_id.clone()) {
                writes
                    .expects
                    .push(Expectation::of_box(card_box.box_id.as_str(), card_box.version));
                sources.push(source(card_box, path.index(index)));
            }
        }
        let card_ids = CardIds::new(snapshot.names().clone(), merged.kept);
        let card_box = CardBox::new(minter.box_id(), card_ids).with_parents(parents.into_values());
        writes.boxes.push(BoxChange::Create { card_box: card_box.clone() });
        let actor = self.source_agent_id.as_deref();
        audit::keep_copy("concat_boxes", actor, &card_box.box_id, sources, &mut writes);
        done(card_box, writes)
    }
}

/// Returns a box as the source of another box. Every box of the project can be copied.
fn source(card_box: &CardBox, path: Path) -> audit::Source {
    audit::Source {
        box_id: card_box.box_id.clone(),
        version: card_box.version,
        cards: card_box.card_ids.len(),
        authority: Authority::Project,
        path,
    }
}
