//! Batch reads: in the requested order, each id once, and the missing ids with their reason.

use super::{batch, done, existing};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::arguments::arguments;
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Liveness};
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::ids::CardIds;
use crate::value::str_map::Keys;
use crate::{Error, Path, Result};
use serde::Serialize;

/// The reason why a card or box is missing.
///
/// Shown by the example of [`GetCards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissingReason {
    /// The project has no such id.
    Absent,
    /// It was deleted.
    Deleted,
    /// It has expired.
    Expired,
    /// It exists, but its content cannot be read.
    Unreadable,
}

/// A missing card or box.
///
/// Shown by the example of [`GetCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Its id.
    pub id: String,
    /// The reason.
    pub reason: MissingReason,
    /// The error, if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Missing {
    fn new(id: &str, reason: MissingReason) -> Self {
        Self { id: id.to_owned(), reason, why: None }
    }

    fn unreadable(id: &str, error: &Error) -> Self {
        Self {
            id: id.to_owned(),
            reason: MissingReason::Unreadable,
            why: Some(error.message().to_owned()),
        }
    }
}

arguments! {
    /// Reads cards, each once. The answer lists the missing ones with the reason.
    ///
    /// ```
    /// use tuckbox::cards::{GetCards, MissingReason};
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
    /// assert_eq!((read.missing_cards[0].id.as_str(), read.missing_cards[0].reason), ("n2", MissingReason::Absent));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct GetCards {
        /// The ids of the cards.
        pub card_ids: CardIds,
    }
}

/// The result of reading cards, in the requested order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cards {
    /// The cards that were found.
    pub cards: Vec<Card>,
    /// The missing cards.
    pub missing_cards: Vec<Missing>,
}

impl GetCards {
    /// Creates a call that reads these cards, each once.
    pub fn new(card_ids: impl IntoIterator<Item = CardId>) -> Self {
        let card_ids: Vec<CardId> = card_ids.into_iter().collect();
        Self { card_ids: card_ids.iter().map(CardId::as_str).collect() }
    }
}

impl Rule for GetCards {
    type Value = Cards;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Cards>>> {
        let unique = self.card_ids.iter().map(Box::from).collect();
        let cards = ready!(found_cards(snapshot, env, &unique)?);
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
            Lookup::Absent | Lookup::NotRead => MissingReason::Absent,
            Lookup::Present(card) => match card.liveness(env.now) {
                Liveness::Live => {
                    found.cards.push(card.clone());
                    continue;
                }
                Liveness::Deleted => MissingReason::Deleted,
                Liveness::Expired => MissingReason::Expired,
            },
        };
        found.missing_cards.push(Missing::new(card_id, reason));
    }
    Ok(Step::Done(found))
}

arguments! {
    /// Reads boxes, each once. The answer lists the missing ones with the reason.
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
        /// The ids of the boxes.
        pub box_ids: Vec<BoxId>,
    }
}

/// The result of reading boxes, in the requested order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Boxes {
    /// The boxes that were found.
    pub boxes: Vec<CardBox>,
    /// The missing boxes.
    pub missing_boxes: Vec<Missing>,
}

impl GetBoxes {
    /// Creates a call that reads these boxes, each once.
    pub fn new(box_ids: impl IntoIterator<Item = BoxId>) -> Self {
        Self { box_ids: box_ids.into_iter().collect() }
    }
}

impl Rule for GetBoxes {
    type Value = Boxes;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Boxes>>> {
        let unique: Keys = self.box_ids.iter().map(|id| Box::from(id.as_str())).collect();
        let keys = unique.iter().map(|id| &**id);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut found = Boxes { boxes: Vec::new(), missing_boxes: Vec::new() };
        for box_id in &unique {
            let looked_up = snapshot.card_box_row(box_id);
            if let Some(error) = looked_up.unreadable() {
                found.missing_boxes.push(Missing::unreadable(box_id, error));
                continue;
            }
            let reason = match looked_up {
                Lookup::Failed(error) => return Err(error.clone()),
                Lookup::Absent | Lookup::NotRead => MissingReason::Absent,
                Lookup::Present(card_box) if card_box.deleted_at.is_some() => {
                    MissingReason::Deleted
                }
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

arguments! {
    /// Reads the cards of a box, each once.
    ///
    /// ```
    /// use tuckbox::cards::GetBoxCards;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["n1", "n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// // a box can name cards that the store no longer has
    /// let call = GetBoxCards { box_id: "notes".into() };
    /// let read = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!((read.cards.len(), read.missing_cards.len()), (0, 1));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct GetBoxCards {
        /// The box.
        pub box_id: BoxId,
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
