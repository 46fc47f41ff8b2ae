//! The boxes, cards and profiles of a call.

use super::read;
use crate::Result;
use crate::run::transaction::{BoxState, Run, Stop, Transaction};
use crate::store::{Presence, Profile};
use crate::value::card::{Card, NewCard};
use crate::value::id::CardId;
use crate::value::json::weight;
use std::borrow::Cow;

impl<'a> Transaction<'a> {
    /// Returns the card ids of a box, with the changes so far; `None` if the box does not exist.
    pub fn box_cards(&mut self, box_id: &str) -> Run<Option<Vec<String>>> {
        let exists = self.has_box(box_id)?;
        let state = self.boxes.get(box_id).filter(|_| exists);
        Ok(state.map(|state| state.card_ids.clone()))
    }

    /// Returns true if a box exists. The call relies on it from now on.
    pub fn has_box(&mut self, box_id: &str) -> Run<bool> {
        if self.boxes.contains_key(box_id) {
            return Ok(true);
        }
        let found = read(self.cursor.card_box(box_id)?)?;
        let Some(card_box) = found else { return Ok(false) };
        let state = BoxState {
            before: Some(card_box.version),
            card_ids: card_box.card_ids.iter().map(str::to_owned).collect(),
            added: Vec::new(),
        };
        self.boxes.insert(box_id.to_owned(), state);
        self.box_order.push(box_id.to_owned());
        Ok(true)
    }

    /// Makes an empty box.
    pub fn new_box(&mut self) -> String {
        let box_id = self.minter.box_id().as_str().to_owned();
        self.add_box(&box_id);
        box_id
    }

    /// Makes an empty box of this id, unless it exists.
    pub fn ensure_box(&mut self, box_id: &str) -> Run<()> {
        if !self.has_box(box_id)? {
            self.add_box(box_id);
        }
        Ok(())
    }

    fn add_box(&mut self, box_id: &str) {
        let state = BoxState { before: None, card_ids: Vec::new(), added: Vec::new() };
        self.boxes.insert(box_id.to_owned(), state);
        self.box_order.push(box_id.to_owned());
        self.made(box_id);
    }

    /// Appends cards to a box that exists.
    pub fn append(&mut self, box_id: &str, card_ids: &[String]) -> Run<()> {
        self.has_box(box_id)?;
        if let Some(state) = self.boxes.get_mut(box_id) {
            state.card_ids.extend(card_ids.iter().cloned());
            state.added.extend(card_ids.iter().cloned());
        }
        Ok(())
    }

    /// Makes a card.
    pub fn make_card(&mut self, new: NewCard) -> Run<Card> {
        let card_id = self.new_card_id();
        self.make_card_as(card_id, new)
    }

    /// Makes a card of this id.
    pub fn make_card_as(&mut self, card_id: CardId, new: NewCard) -> Run<Card> {
        let card = self.checked_card(card_id, new)?;
        self.add_card(card.clone())?;
        Ok(card)
    }

    /// Makes cards of these ids: all of them, or none if one of them is not valid.
    pub fn make_cards(&mut self, new: Vec<(CardId, NewCard)>) -> Run<()> {
        let made = new.into_iter().map(|(card_id, new)| self.checked_card(card_id, new));
        let made = made.collect::<Result<Vec<_>>>()?;
        made.into_iter().try_for_each(|card| self.add_card(card))
    }

    /// Returns a card that is valid and not stored.
    pub fn checked_card(&self, card_id: CardId, new: NewCard) -> Result<Card> {
        Card::make(new, self.known.project_id(), card_id, self.env.now, &self.limits)
    }

    fn add_card(&mut self, card: Card) -> Run<()> {
        self.spend(card.metadata.values().map(weight).sum())?;
        self.made_cards.insert(card.card_id.as_str(), self.cards.len());
        self.cards.push(card);
        Ok(())
    }

    /// Makes the id of a card.
    pub fn new_card_id(&mut self) -> CardId {
        self.minter.card_id()
    }

    /// Returns true if a card was stored or made, also if it was deleted since.
    pub fn has_card(&mut self, card_id: &str) -> Run<bool> {
        Ok(self.made_cards.get(card_id).is_some() || read(self.cursor.card(card_id)?)?.is_some())
    }

    /// Deletes cards.
    pub fn delete_cards<'c>(&mut self, card_ids: impl Iterator<Item = &'c String>) {
        self.deleted_cards.extend(card_ids.map(|card_id| CardId::from(card_id.as_str())));
    }

    /// Returns the cards of these ids in order, without those that do not exist.
    pub fn cards(&mut self, card_ids: &[String]) -> Run<Vec<Cow<'a, Card>>> {
        let mut found = Vec::new();
        let mut waiting = false;
        for card_id in card_ids {
            if let Some(card) = self.made_cards.get(card_id).and_then(|at| self.cards.get(*at)) {
                found.push(Cow::Owned(card.clone()));
                continue;
            }
            match self.cursor.card(card_id)? {
                Presence::Unread => waiting = true,
                Presence::Read(card) => found.extend(card.map(Cow::Borrowed)),
            }
        }
        if waiting { Err(Stop::Need) } else { Ok(found) }
    }

    /// Returns a card.
    pub fn card(&mut self, card_id: &str) -> Run<Option<Card>> {
        Ok(self.cards(&[card_id.to_owned()])?.into_iter().next().map(Cow::into_owned))
    }

    /// Returns the profile of a name, ignoring case.
    pub fn profile(&mut self, name: &str) -> Run<Option<Profile>> {
        Ok(read(self.cursor.profile(name)?)?.cloned())
    }

    /// Returns the profile that a box holds.
    pub fn profile_of_box(&mut self, box_id: &str) -> Run<Option<Profile>> {
        Ok(read(self.cursor.profile_of_box(box_id)?)?.cloned())
    }
}
