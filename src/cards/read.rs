//! Batch reads: in the order asked, each once, and what is missing with the reason.

use super::{batch, box_id, done, existing};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Liveness};
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::json::{Field, Json};
use crate::value::str_map::Keys;
use crate::{Error, Path, Result};
use serde::Serialize;

/// Why something is not there.
///
/// Shown by the example of [`GetCards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Gone {
    /// There is no such thing in this project.
    Absent,
    /// It was deleted.
    Deleted,
    /// Its time is over.
    Expired,
    /// It is there, and what it holds cannot be read.
    Unreadable,
}

/// One thing that is not there.
///
/// Shown by the example of [`GetCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: Gone,
    /// What is wrong with something that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Missing {
    fn new(id: &str, reason: Gone) -> Self {
        Self { id: id.to_owned(), reason, why: None }
    }

    fn unreadable(id: &str, error: &Error) -> Self {
        Self { id: id.to_owned(), reason: Gone::Unreadable, why: Some(error.message().to_owned()) }
    }
}

/// Reads cards.
///
/// ```
/// use tuckbox::cards::{GetCards, Gone};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # let now = Timestamp::from_millis(0);
/// # let card = Card::make(NewCard::new("note", "a", Content::text("Hi")), &"p1".into(), "n1".into(), now, &Limits::default())?;
/// # store.project("p1").add_card(card);
/// # let env = Env::new(now, [7; 32]);
/// let call = GetCards::new(["n1".into(), "n2".into()]);
/// let read = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(read.cards[0].content.text_view(), "Hi");
/// assert_eq!((read.missing_cards[0].id.as_str(), read.missing_cards[0].reason), ("n2", Gone::Absent));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GetCards {
    card_ids: Keys,
}

/// The cards that are there, in the order asked, and those that are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cards {
    /// What was found.
    pub cards: Vec<Card>,
    /// What was not.
    pub missing_cards: Vec<Missing>,
}

impl GetCards {
    /// Reads these cards, each once.
    pub fn new(card_ids: impl IntoIterator<Item = CardId>) -> Self {
        Self { card_ids: card_ids.into_iter().map(|id| id.as_str().into()).collect() }
    }

    /// Reads `{"card_ids": [..]}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "card_ids"])?;
        Ok(Self::new(call.required("card_ids")?.strings()?.into_iter().map(CardId::from)))
    }
}

impl Rule for GetCards {
    type Value = Cards;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Cards>>> {
        let cards = ready!(found_cards(snapshot, env, &self.card_ids)?);
        done(cards, batch(None, snapshot, env).0)
    }
}

fn found_cards(snapshot: &Snapshot, env: &Env, card_ids: &Keys) -> Result<Step<Cards>> {
    ready!(Cursor::new(snapshot).want_all(Kind::Cards, card_ids.iter().map(|id| &**id)).step());
    let mut found = Cards { cards: Vec::new(), missing_cards: Vec::new() };
    for card_id in card_ids {
        let looked_up = snapshot.card(card_id);
        if let Some(error) = looked_up.unreadable() {
            found.missing_cards.push(Missing::unreadable(card_id, error));
            continue;
        }
        let reason = match looked_up {
            Lookup::Failed(error) => return Err(error.clone()),
            Lookup::Absent | Lookup::NotRead => Gone::Absent,
            Lookup::Present(card) => match card.liveness(env.now) {
                Liveness::Live => {
                    found.cards.push(card.clone());
                    continue;
                }
                Liveness::Deleted => Gone::Deleted,
                Liveness::Expired => Gone::Expired,
            },
        };
        found.missing_cards.push(Missing::new(card_id, reason));
    }
    Ok(Step::Done(found))
}

/// Reads boxes.
///
/// ```
/// use tuckbox::cards::GetBoxes;
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1", "n2"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = GetBoxes::new(["notes".into(), "drafts".into()]);
/// let read = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!((read.boxes[0].card_ids.len(), read.missing_boxes[0].id.as_str()), (2, "drafts"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GetBoxes {
    box_ids: Keys,
}

/// The boxes that are there, in the order asked, and those that are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Boxes {
    /// What was found.
    pub boxes: Vec<CardBox>,
    /// What was not.
    pub missing_boxes: Vec<Missing>,
}

impl GetBoxes {
    /// Reads these boxes, each once.
    pub fn new(box_ids: impl IntoIterator<Item = BoxId>) -> Self {
        Self { box_ids: box_ids.into_iter().map(|id| id.as_str().into()).collect() }
    }

    /// Reads `{"box_ids": [..]}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "box_ids"])?;
        Ok(Self::new(call.required("box_ids")?.strings()?.into_iter().map(BoxId::from)))
    }
}

impl Rule for GetBoxes {
    type Value = Boxes;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Boxes>>> {
        let keys = self.box_ids.iter().map(|id| &**id);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut found = Boxes { boxes: Vec::new(), missing_boxes: Vec::new() };
        for box_id in &self.box_ids {
            let looked_up = snapshot.card_box_row(box_id);
            if let Some(error) = looked_up.unreadable() {
                found.missing_boxes.push(Missing::unreadable(box_id, error));
                continue;
            }
            let reason = match looked_up {
                Lookup::Failed(error) => return Err(error.clone()),
                Lookup::Absent | Lookup::NotRead => Gone::Absent,
                Lookup::Present(card_box) if card_box.deleted_at.is_some() => Gone::Deleted,
                Lookup::Present(card_box) => {
                    found.boxes.push(card_box.clone());
                    continue;
                }
            };
            found.missing_boxes.push(Missing::new(box_id, reason));
        }
        done(found, batch(None, snapshot, env).0)
    }
}

/// Reads the cards of a box, each once.
///
/// ```
/// use tuckbox::cards::GetBoxCards;
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1", "n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// // a box may name cards that the store no longer has
/// let call = GetBoxCards { box_id: "notes".into() };
/// let read = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!((read.cards.len(), read.missing_cards.len()), (0, 1));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GetBoxCards {
    /// Which box.
    pub box_id: BoxId,
}

impl GetBoxCards {
    /// Reads `{"box_id"}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "box_id"])?;
        Ok(Self { box_id: box_id(&call, "box_id")? })
    }
}

impl Rule for GetBoxCards {
    type Value = Cards;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Cards>>> {
        ready!(Cursor::new(snapshot).want(Kind::Boxes, self.box_id.as_str()).step());
        let card_box = existing(snapshot, &self.box_id, Path::root().key("box_id"))?;
        let unique = card_box.card_ids.iter().map(Box::from).collect();
        let cards = ready!(found_cards(snapshot, env, &unique)?);
        done(cards, batch(None, snapshot, env).0)
    }
}
