//! The cards of the messages of a request. Requests of a session share most messages, so each
//! message becomes cards once.

use super::cards::CallIds;
use crate::import::model::Session;
use crate::value::ids::Symbol;

/// The state that distinguishes equal cards of one request: their counts, and the calls without an
/// id that wait for a result.
#[derive(Debug, Default)]
pub(super) struct Context {
    counts: Vec<usize>,
    /// Ids for calls that have none.
    pub ids: CallIds,
}

impl Context {
    /// Counts a card by its first id. Returns how often it occurred before.
    pub fn count(&mut self, first: Symbol) -> usize {
        let at = first.index();
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts.get_mut(at).map_or(0, |count| std::mem::replace(count, *count + 1))
    }

    /// Removes a message.
    pub fn leave(&mut self, step: &Step) {
        for first in &step.firsts {
            if let Some(count) = self.counts.get_mut(first.index()) {
                *count = count.saturating_sub(1);
            }
        }
        self.ids = step.ids.0;
    }

    /// Adds a message again.
    fn enter(&mut self, step: &Step) {
        for first in &step.firsts {
            self.count(*first);
        }
        self.ids = step.ids.1;
    }
}

/// The cards of a message, in its context.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The cards, without those that are rejected.
    pub cards: Vec<Symbol>,
    /// The symbol of each card, for counting.
    pub firsts: Vec<Symbol>,
    /// The ids for calls, before and after the message.
    pub ids: (CallIds, CallIds),
}

/// The messages of the current request, and the cards of every message of the session.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The context of the next message.
    pub context: Context,
    /// The cards of the messages, in order.
    pub cards: Vec<Symbol>,
    path: Vec<usize>,
    steps: Vec<Option<Step>>,
    /// The number of messages before each.
    places: Vec<usize>,
}

impl Trail {
    /// Goes back to the common prefix with the messages up to `tail`, then forward over known
    /// messages. Returns those that are not known.
    pub fn go(&mut self, session: &Session, tail: Option<usize>) -> Vec<usize> {
        let mut new = Vec::new();
        let mut next = tail;
        let shared = loop {
            let Some(at) = next else { break 0 };
            let place = self.places.get(at).copied().unwrap_or_default();
            if self.path.get(place) == Some(&at) {
                break place + 1;
            }
            new.push(at);
            next = session.parent(at);
        };
        new.reverse();
        for at in self.path.drain(shared..).rev() {
            if let Some(Some(step)) = self.steps.get(at) {
                self.context.leave(step);
                self.cards.truncate(self.cards.len() - step.cards.len());
            }
        }
        let mut known = 0;
        for at in &new {
            let Some(Some(step)) = self.steps.get(*at) else { break };
            self.context.enter(step);
            self.cards.extend(&step.cards);
            self.path.push(*at);
            known += 1;
        }
        new.split_off(known)
    }

    /// Adds a message that just became cards.
    pub fn push(&mut self, at: usize, step: Step) {
        if at >= self.steps.len() {
            self.steps.resize(at + 1, None);
            self.places.resize(at + 1, 0);
        }
        if let (Some(known), Some(place)) = (self.steps.get_mut(at), self.places.get_mut(at)) {
            self.cards.extend(&step.cards);
            *known = Some(step);
            // a message has the same position in every path
            *place = self.path.len();
        }
        self.path.push(at);
    }
}
