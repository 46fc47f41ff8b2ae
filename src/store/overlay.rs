//! A view of a project after a batch is committed, without a copy of the snapshot.

use super::ResidentCard;
use super::decide::Effects;
use super::{Agent, Kind, Lookup, Snapshot, Writes};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::str_map::StrMap;

/// A card, and its resident card unless a batch writes it.
pub(crate) type LookedUp<'a> = (Lookup<'a, Card>, Option<&'a ResidentCard>);

/// A snapshot with the changes of a batch.
pub(crate) struct Overlay<'a> {
    snapshot: &'a Snapshot,
    boxes: StrMap<CardBox>,
    cards: StrMap<Card>,
    agents: StrMap<&'a Agent>,
}

impl<'a> Overlay<'a> {
    /// Creates a view of the snapshot without changes.
    pub fn of(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, boxes: StrMap::new(), cards: StrMap::new(), agents: StrMap::new() }
    }

    /// Creates a view of the snapshot after `writes` are committed.
    pub fn after(snapshot: &'a Snapshot, writes: &'a Writes) -> Self {
        let effects = Effects::of(writes, snapshot);
        let mut overlay = Self::of(snapshot);
        for card in effects.cards {
            let card_id = card.card_id.clone();
            overlay.cards.insert(card_id.as_str(), card.into_owned());
        }
        for card_id in effects.deleted_cards {
            if let Lookup::Present(card) = snapshot.card(card_id.as_str()) {
                let deleted = Card { deleted_at: Some(effects.at), ..card.clone() };
                overlay.cards.insert(card_id.as_str(), deleted);
            }
        }
        for card_box in effects.boxes {
            let box_id = card_box.box_id.clone();
            overlay.boxes.insert(box_id.as_str(), card_box);
        }
        for agent in effects.agents {
            overlay.agents.insert(agent.agent_id.as_str(), agent);
        }
        overlay
    }

    /// Returns the snapshot without the batch.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Returns whether the batch writes this key.
    pub fn changes(&self, kind: Kind, key: &str) -> bool {
        match kind {
            Kind::Boxes => self.boxes.contains_key(key),
            Kind::Cards => self.cards.contains_key(key),
            Kind::Agents => self.agents.contains_key(key),
            Kind::Profiles | Kind::ProfilesByBox | Kind::Files | Kind::Directories => false,
        }
    }

    /// Returns the state of a box after the batch, deleted or not.
    pub fn card_box_row(&self, box_id: &str) -> Lookup<'_, CardBox> {
        match self.boxes.get(box_id) {
            Some(card_box) => Lookup::Present(card_box),
            None => self.snapshot.card_box_row(box_id),
        }
    }

    /// Returns the state of a box after the batch; a deleted box is absent.
    pub fn card_box(&self, box_id: &str) -> Lookup<'_, CardBox> {
        match self.card_box_row(box_id) {
            Lookup::Present(row) if row.deleted_at.is_some() => Lookup::Absent,
            other => other,
        }
    }

    /// Returns the state of a card after the batch.
    pub fn card(&self, card_id: &str) -> Lookup<'_, Card> {
        match self.cards.get(card_id) {
            Some(card) => Lookup::Present(card),
            None => self.snapshot.card(card_id),
        }
    }

    /// Returns the states of all cards of a list; see [`Overlay::card`].
    pub fn cards<'b, 'i>(
        &'b self,
        card_ids: impl Iterator<Item = &'i str>,
    ) -> impl Iterator<Item = LookedUp<'b>> {
        self.snapshot.resident_cards(card_ids).map(|(card_id, kept)| {
            match self.cards.get(card_id) {
                Some(card) => (Lookup::Present(card), None),
                None => match kept {
                    Lookup::Present(kept) => (Lookup::Present(kept.card()), Some(kept)),
                    Lookup::NotRead => (Lookup::NotRead, None),
                    Lookup::Absent => (Lookup::Absent, None),
                    Lookup::Failed(error) => (Lookup::Failed(error), None),
                },
            }
        })
    }

    /// Returns the state of an agent after the batch.
    pub fn agent(&self, agent_id: &str) -> Lookup<'_, Agent> {
        match self.agents.get(agent_id) {
            Some(agent) => Lookup::Present(agent),
            None => self.snapshot.agent(agent_id),
        }
    }
}
