//! The cards of a request's messages. Requests of one session share most of their messages: a message
//! becomes cards once, and is only named again.

use super::cards::CallIds;
use crate::import::model::Session;
use crate::value::ids::Symbol;

/// What tells equal cards of one request apart: how often each was there already, and which calls
/// without an id wait for a result.
#[derive(Debug, Default)]
pub(super) struct Context {
    counts: Vec<usize>,
    /// Ids for calls that have none.
    pub ids: CallIds,
}

impl Context {
    /// Counts a card by the id that it has where it comes first. Answers how often it was there.
    pub fn count(&mut self, first: Symbol) -> usize {
        let at = first.index();
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts.get_mut(at).map_or(0, |count| std::mem::replace(count, *count + 1))
    }

    /// Takes a message back out.
    pub fn leave(&mut self, step: &Step) {
        for first in &step.firsts {
            if let Some(count) = self.counts.get_mut(first.index()) {
                *count = count.saturating_sub(1);
            }
        }
        self.ids = step.ids.0;
    }

    /// Takes a message in again.
    fn enter(&mut self, step: &Step) {
        for first in &step.firsts {
            self.count(*first);
        }
        self.ids = step.ids.1;
    }
}

/// What a message became, after the messages before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The cards, without those that may not be kept.
    pub cards: Vec<Symbol>,
    /// What every one of them was counted by.
    pub firsts: Vec<Symbol>,
    /// The ids for calls before and after it.
    pub ids: (CallIds, CallIds),
}

/// The messages of the request at hand, and what every message of the session became.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// What stands before the next message.
    pub context: Context,
    /// The cards of the messages, in order.
    pub cards: Vec<Symbol>,
    path: Vec<usize>,
    steps: Vec<Option<Step>>,
    /// How many messages stand before each.
    places: Vec<usize>,
}

impl Trail {
    /// Goes back to where the messages up to `tail` leave those at hand, and on as far as they are
    /// known. Answers those that are not.
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

    /// Goes on to a message that was just made into cards.
    pub fn push(&mut self, at: usize, step: Step) {
        if at >= self.steps.len() {
            self.steps.resize(at + 1, None);
            self.places.resize(at + 1, 0);
        }
        if let (Some(known), Some(place)) = (self.steps.get_mut(at), self.places.get_mut(at)) {
            self.cards.extend(&step.cards);
            *known = Some(step);
            // a message has one place in every path
            *place = self.path.len();
        }
        self.path.push(at);
    }
}
