//! Putting cards.

use super::{batch, done, operation_id};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot, taken};
use crate::value::card::{Card, NewCard};
use crate::value::env::Env;
use crate::value::id::CardId;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Path, Result};
use serde::Serialize;

/// Puts cards. A card without an id gets a new one. The same id with the same content again is
/// fine; with other content it is a `conflict`, because a card never changes.
///
/// ```
/// use tuckbox::cards::PutCards;
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Content, Env, NewCard, Timestamp, rule};
/// # let store = MemoryStore::new();
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let note = |text| NewCard::new("note", "agent_a", Content::text(text));
/// let call = PutCards::new(vec![(None, note("gets an id")), (Some("n1".into()), note("brings its own"))]);
/// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(preview.writes.cards.len(), 2);
/// assert_eq!(preview.writes.cards[1].card_id, "n1");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PutCards {
    cards: Vec<(Option<CardId>, NewCard)>,
    operation_id: Option<String>,
    limits: Limits,
}

/// The cards that were put, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PutResult {
    /// Their ids.
    pub card_ids: Vec<CardId>,
}

impl PutCards {
    /// Puts these cards under these ids.
    pub fn new(cards: Vec<(Option<CardId>, NewCard)>) -> Self {
        Self { cards, operation_id: None, limits: Limits::default() }
    }

    /// The same call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads `{"cards": [..], "operation_id"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "cards", "operation_id"])?;
        let mut cards = Vec::new();
        for card in call.required("cards")?.list()? {
            let card_id = card.object()?.optional("card_id");
            let card_id = card_id.map(|id| CardId::parse(&id)).transpose()?;
            cards.push((card_id, NewCard::from_wire(&card)?));
        }
        Ok(Self { cards, operation_id: operation_id(&call)?, limits: Limits::default() })
    }
}

impl Rule for PutCards {
    type Value = PutResult;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<PutResult>>> {
        let named = self.cards.iter().filter_map(|(id, _)| id.as_ref()).map(CardId::as_str);
        ready!(Cursor::new(snapshot).want_all(Kind::Cards, named).step());
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        let mut card_ids = Vec::with_capacity(self.cards.len());
        let mut put: StrMap<usize> = StrMap::new();
        for (index, (card_id, new)) in self.cards.iter().enumerate() {
            let path = Path::root().key("cards").index(index);
            let card_id = card_id.clone().unwrap_or_else(|| minter.card_id());
            let card =
                Card::make(new.clone(), snapshot.project_id(), card_id, env.now, &self.limits)
                    .map_err(|error| error.within(&path))?;
            card_ids.push(card.card_id.clone());
            let in_batch = put.get(card.card_id.as_str()).and_then(|at| writes.cards.get(*at));
            let there = match (in_batch, snapshot.card(card.card_id.as_str())) {
                (Some(other), _) => Some(other),
                (None, Lookup::Present(there)) => Some(there),
                (None, Lookup::Failed(error)) => return Err(error.clone()),
                (None, Lookup::Absent | Lookup::NotRead) => None,
            };
            match there {
                None => {
                    put.insert(card.card_id.as_str(), writes.cards.len());
                    writes.cards.push(card);
                }
                Some(there) if there.same_content(&card) => {}
                Some(_) => return Err(taken(&card).at(path)),
            }
        }
        done(PutResult { card_ids }, writes)
    }
}
