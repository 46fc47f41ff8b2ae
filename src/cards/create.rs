//! New boxes: from a list, from one box, from many.

use super::{batch, box_id, card_ids, done, existing, operation_id};
use crate::rule::merge::merge;
use crate::rule::{Cursor, Outcome, Relied, Rule, Step, ready};
use crate::store::{BoxChange, Expectation, Kind, Lookup, Snapshot};
use crate::value::boxes::CardBox;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// Makes a box of these cards.
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
    /// Its id; minted when absent.
    pub box_id: Option<BoxId>,
    /// Its cards, as they are: a card may stand there twice.
    pub card_ids: CardIds,
    /// The boxes it was made from.
    pub parent_ids: Vec<BoxId>,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
}

impl CreateBox {
    /// Reads `{"card_ids": [..], "box_id"?, "parent_ids"?, "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "card_ids", "box_id", "parent_ids", "operation_id"])?;
        let parent_ids = match call.optional("parent_ids") {
            Some(ids) => ids.list()?.iter().map(BoxId::parse).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        Ok(Self {
            box_id: call.optional("box_id").map(|id| BoxId::parse(&id)).transpose()?,
            card_ids: card_ids(&call.required("card_ids")?)?,
            parent_ids,
            operation_id: operation_id(&call)?,
        })
    }
}

impl Rule for CreateBox {
    type Value = CardBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CardBox>>> {
        let keys = self.box_id.iter().chain(&self.parent_ids).map(BoxId::as_str);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut relied = Relied::default();
        for (index, parent) in self.parent_ids.iter().enumerate() {
            existing(snapshot, parent, Path::root().key("parent_ids").index(index))?;
            relied.on(snapshot, Kind::Boxes, parent.as_str());
        }
        if let Some(box_id) = &self.box_id
            && let Lookup::Present(_) = snapshot.card_box_row(box_id.as_str())
        {
            return Err(Error::conflict(format!("there is a box `{box_id}` already"))
                .at(Path::root().key("box_id"))
                .detail("box_id", box_id.as_str()));
        }
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        writes.expects = relied.into_expects();
        let box_id = self.box_id.clone().unwrap_or_else(|| minter.box_id());
        let card_box =
            CardBox::new(box_id, self.card_ids.clone()).with_parents(self.parent_ids.clone());
        writes.boxes.push(BoxChange::Create { card_box: card_box.clone() });
        done(card_box, writes)
    }
}

/// Makes a new box with the cards of another, so that both can go their own way.
///
/// ```
/// use tuckbox::cards::ForkBox;
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1", "n2", "n3"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// // back to what the conversation was after its second card
/// let call = ForkBox { box_id: "notes".into(), take: Some(2), operation_id: None };
/// let fork = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!((fork.card_ids.len(), fork.parent_ids[0].as_str()), (2, "notes"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ForkBox {
    /// The box to fork.
    pub box_id: BoxId,
    /// How many of its cards to take, from the front; all when absent.
    pub take: Option<usize>,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
}

impl ForkBox {
    /// Reads `{"box_id", "take"?, "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "box_id", "take", "operation_id"])?;
        let take = call.optional("take").map(|field| field.count()).transpose()?;
        Ok(Self {
            box_id: box_id(&call, "box_id")?,
            take: take.map(|take| usize::try_from(take).unwrap_or(usize::MAX)),
            operation_id: operation_id(&call)?,
        })
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
        done(card_box, writes)
    }
}

/// Makes a new box with the cards of several, in order, each card once.
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
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
    /// How much it may put into the new box.
    pub limits: Limits,
}

impl ConcatBoxes {
    /// The same call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads `{"box_ids": [..], "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "box_ids", "operation_id"])?;
        let box_ids = call.required("box_ids")?.list()?;
        Ok(Self {
            box_ids: box_ids.iter().map(BoxId::parse).collect::<Result<_>>()?,
            operation_id: operation_id(&call)?,
            limits: Limits::default(),
        })
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
        for card_box in boxes {
            if parents.insert_new(card_box.box_id.as_str(), card_box.box_id.clone()) {
                writes
                    .expects
                    .push(Expectation::of_box(card_box.box_id.as_str(), card_box.version));
            }
        }
        let card_ids = CardIds::new(snapshot.names().clone(), merged.kept);
        let card_box = CardBox::new(minter.box_id(), card_ids).with_parents(parents.into_values());
        writes.boxes.push(BoxChange::Create { card_box: card_box.clone() });
        done(card_box, writes)
    }
}
