//! Soft deletion: readers no longer see the row, but the store keeps it for audits. Erasure overwrites
//! the content.

use super::{BoxChangeOptions, batch, done, existing};
use crate::rule::audit;
use crate::rule::box_turns::Act;
use crate::rule::card_turns;
use crate::rule::{Cursor, Dependencies, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Kind, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::str_map::Keys;
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Deletes cards softly. Boxes that name them keep the id and report it as deleted. A card that a
    /// running turn reads cannot be deleted.
    ///
    /// ```
    /// use tuckbox::cards::DeleteCards;
    /// use tuckbox::json;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # let now = Timestamp::from_millis(0);
    /// # let card = Card::make(NewCard::new("note", "a", Content::text("Hi")), &"p1".into(), "n1".into(), now, &Limits::default())?;
    /// # store.project("p1").add_card(card);
    /// # let env = Env::new(now, [7; 32]);
    /// let call = DeleteCards::from_json(&json!({"card_ids": ["n1"]}))?;
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.writes.delete_cards, ["n1"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeleteCards {
        /// The cards to delete.
        pub card_ids: Vec<CardId>,
        /// Deletes the cards even if a running turn reads them, and leaves an audit entry. Otherwise
        /// that is a `conflict` that names the turn.
        pub even_during_turn: bool = false,
        /// The agent that asks for it, for the audit.
        pub source_agent_id: Option<String>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

/// The result of `delete_cards` and `erase_cards`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeleteResult {
    /// The cards, each once. `delete_cards` omits cards that were deleted before.
    pub card_ids: Vec<CardId>,
}

impl Rule for DeleteCards {
    type Value = DeleteResult;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<DeleteResult>>> {
        let keys = self.card_ids.iter().map(CardId::as_str);
        let mut cursor = Cursor::new(snapshot);
        cursor.want_all(Kind::Cards, keys);
        let turns = match self.even_during_turn {
            true => Some(Vec::new()),
            false => {
                let path = Path::root().key("card_ids");
                cursor.join(card_turns::check(snapshot, &self.card_ids, &path)?)
            }
        };
        ready!(cursor.step());
        let (mut writes, _) = batch(self.operation_id.as_deref(), snapshot, env);
        let mut dependencies = Dependencies::default();
        let mut named = Keys::default();
        for (index, card_id) in self.card_ids.iter().enumerate() {
            match snapshot.card(card_id.as_str()).found()? {
                Some(card) if card.deleted_at.is_some() => {}
                Some(_) if !named.insert(card_id.as_str().into()) => {}
                Some(_) => {
                    dependencies.on(snapshot, Kind::Cards, card_id.as_str());
                    writes.delete_cards.push(card_id.clone());
                }
                None => return Err(unknown_card(snapshot, card_id, index)),
            }
        }
        let card_ids = writes.delete_cards.clone();
        if !card_ids.is_empty() {
            writes.expects = dependencies.into_expects();
            writes.expects.extend(turns.into_iter().flatten());
        }
        if self.even_during_turn && !card_ids.is_empty() {
            let actor = self.source_agent_id.as_deref();
            audit::keep_deletion(actor, card_ids.clone(), &mut writes);
        }
        done(DeleteResult { card_ids }, writes)
    }
}

arguments! {
    /// Erases the content of cards for privacy, also of deleted ones and during a turn, and leaves an
    /// audit entry. The ids stay in their boxes.
    ///
    /// Copies stay: results and instructions in rows of orchestration, files, and backups of the store.
    ///
    /// ```
    /// use tuckbox::cards::EraseCards;
    /// use tuckbox::json;
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store};
    /// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # let now = Timestamp::from_millis(0);
    /// # let card = Card::make(NewCard::new("note", "a", Content::text("Hi")), &"p1".into(), "n1".into(), now, &Limits::default())?;
    /// # store.project("p1").add_card(card);
    /// # let env = Env::new(now, [7; 32]);
    /// let call = EraseCards::from_json(&json!({"card_ids": ["n1"], "reason": "request 17"}))?;
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// store.commit(&preview.writes)?;
    /// let stored = store.tables("p1").unwrap().cards().next().unwrap();
    /// assert_eq!(stored.content.text_view(), "");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct EraseCards {
        /// The cards to erase.
        pub card_ids: Vec<CardId>,
        /// The agent or user that asks for it, for the audit.
        pub source_agent_id: Option<String>,
        /// Why, for the audit. It must not repeat the content.
        pub reason: Option<String>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

impl Rule for EraseCards {
    type Value = DeleteResult;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<DeleteResult>>> {
        let mut cursor = Cursor::new(snapshot);
        cursor.want_all(Kind::Cards, self.card_ids.iter().map(CardId::as_str));
        ready!(cursor.step());
        let (mut writes, _) = batch(self.operation_id.as_deref(), snapshot, env);
        let mut named = Keys::default();
        for (index, card_id) in self.card_ids.iter().enumerate() {
            if snapshot.card(card_id.as_str()).found()?.is_none() {
                return Err(unknown_card(snapshot, card_id, index));
            }
            if named.insert(card_id.as_str().into()) {
                writes.erase_cards.push(card_id.clone());
            }
        }
        let card_ids = writes.erase_cards.clone();
        if !card_ids.is_empty() {
            let (actor, reason) = (self.source_agent_id.as_deref(), self.reason.as_deref());
            audit::keep_erasure(actor, card_ids.clone(), reason, &mut writes);
        }
        done(DeleteResult { card_ids }, writes)
    }
}

/// Returns the error for a card that does not exist.
fn unknown_card(snapshot: &Snapshot, card_id: &CardId, index: usize) -> Error {
    Error::not_found(format!("no card `{card_id}` in project `{}`", snapshot.project_id()))
        .at(Path::root().key("card_ids").index(index))
        .detail("card_id", card_id.as_str())
}

arguments! {
    /// Deletes a box softly. Its cards stay.
    ///
    /// ```
    /// use tuckbox::cards::DeleteBox;
    /// use tuckbox::json;
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = DeleteBox::from_json(&json!({"box_id": "notes"}))?;
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// store.commit(&preview.writes)?;
    /// let stored = store.tables("p1").unwrap().boxes().next().unwrap();
    /// assert!(stored.deleted_at.is_some(), "the row stays");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeleteBox {
        /// The box to delete.
        pub box_id: BoxId,
        shared change: BoxChangeOptions,
    }
}

impl Rule for DeleteBox {
    type Value = BoxId;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<BoxId>>> {
        ready!(self.change.read(snapshot, &self.box_id));
        let before = existing(snapshot, &self.box_id, Path::root().key("box_id"))?;
        let (mut writes, _) = batch(self.change.operation_id.as_deref(), snapshot, env);
        writes.expects.extend(self.change.check(snapshot, &self.box_id, Act::Delete)?);
        let (box_id, version) = (before.box_id.clone(), before.version);
        writes.boxes.push(BoxChange::Delete { box_id: box_id.clone(), version });
        done(box_id, writes)
    }
}
