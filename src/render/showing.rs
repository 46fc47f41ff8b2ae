//! Showing cards within the limits of a project.
//!
//! A card is read once and shown each time that a list names it. Its size counts each time.

use super::{Became, Rendered};
use crate::store::ResidentCard;
use crate::value::json::weight;
use crate::value::limits::{Limits, within};
use crate::{Card, CardId, Path, Result};

/// The rendered cards so far, and their size.
pub(crate) struct Showing {
    pub rendered: Rendered,
    limits: Limits,
    /// The list that names the cards.
    key: &'static str,
    bytes: usize,
}

impl Showing {
    /// Returns an empty rendering of this number of cards, which are in the list `key`.
    ///
    /// # Errors
    /// `limit` for more than `max_messages`.
    pub fn of(cards: usize, key: &'static str, limits: Limits) -> Result<Self> {
        let what = "the call shows {} cards";
        within(cards, limits.max_messages, "max_messages", what, &Path::root().key(key))?;
        Ok(Self { rendered: Rendered::with_capacity(cards + 2), limits, key, bytes: 0 })
    }

    /// As [`Rendered::push`].
    ///
    /// # Errors
    /// As [`Showing::spend`].
    pub fn push(&mut self, card: &Card) -> Result<()> {
        self.rendered.push(card);
        self.count()
    }

    /// As [`Rendered::push_resident`].
    ///
    /// # Errors
    /// As [`Showing::spend`].
    pub fn push_resident(&mut self, kept: &ResidentCard, card_id: &CardId) -> Result<()> {
        self.rendered.push_resident(kept, card_id);
        self.count()
    }

    /// Counts the size of the last card.
    fn count(&mut self) -> Result<()> {
        let Rendered { messages, tools, entries, .. } = &self.rendered;
        let bytes = match entries.last().map(|entry| entry.became) {
            Some(Became::Message { .. }) => messages.last().map_or(0, |message| message.bytes()),
            Some(Became::Tools { first, .. }) => {
                tools.iter().skip(first).flat_map(|tool| tool.values()).map(weight).sum()
            }
            Some(Became::Nothing { .. }) | None => 0,
        };
        self.spend(bytes)
    }

    /// Counts further bytes of the last card.
    ///
    /// # Errors
    /// `limit` when that is more than `max_read_bytes` allows, with the place of the card.
    pub fn spend(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes <= self.limits.max_read_bytes {
            return Ok(());
        }
        let last = self.rendered.entries.len().saturating_sub(1);
        let path = Path::root().key(self.key).index(last);
        let what = "the cards up to this one have {} bytes, counted each time they are shown";
        within(self.bytes, self.limits.max_read_bytes, "max_read_bytes", what, &path)
    }
}
