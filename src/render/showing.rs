//! Showing cards within the limits of a project.
//!
//! A card is read once, and may be shown as often as a list names it: what it becomes is counted each
//! time.

use super::{Became, Rendered};
use crate::store::ResidentCard;
use crate::value::json::weight;
use crate::value::limits::{Limits, within};
use crate::{Card, CardId, Path, Result};

/// What cards became so far, and how long that is.
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

    /// Counts what the last card became.
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

    /// Counts so many bytes more of what the last card became.
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
        let what = "the cards as far as this one are {} bytes, each as often as it is shown";
        within(self.bytes, self.limits.max_read_bytes, "max_read_bytes", what, &path)
    }
}
