//! What must come of a history, said without rows: queues and turns as a person would tell them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Agent {
    /// Turns that wait, first come first.
    pub queue: VecDeque<String>,
    /// The turn that it has.
    pub active: Option<String>,
}

/// All agents of a project, and every turn that was accepted.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub agents: BTreeMap<String, Agent>,
    pub accepted: BTreeSet<String>,
    pub ended: BTreeSet<String>,
    pub canceled: BTreeSet<String>,
    /// Turns that cannot run.
    pub poison: BTreeSet<String>,
}

impl Model {
    /// A turn was accepted; one that is known changes nothing.
    pub fn enqueue(&mut self, agent: &str, turn: &str, poison: bool, promotes: bool) {
        if self.accepted.insert(turn.to_owned()) {
            if poison {
                self.poison.insert(turn.to_owned());
            }
            self.agents.entry(agent.to_owned()).or_default().queue.push_back(turn.to_owned());
        }
        if promotes {
            self.promote(agent);
        }
    }

    /// Turns that cannot run leave the queue; an agent without a turn gets the first that can.
    pub fn promote(&mut self, agent: &str) {
        let entry = self.agents.entry(agent.to_owned()).or_default();
        while entry.queue.front().is_some_and(|turn| self.poison.contains(turn)) {
            entry.queue.pop_front();
        }
        if entry.active.is_none() {
            entry.active = entry.queue.pop_front();
        }
    }

    /// A turn ended, whatever ended it.
    pub fn end(&mut self, agent: &str, turn: &str) {
        self.ended.insert(turn.to_owned());
        let entry = self.agents.entry(agent.to_owned()).or_default();
        if entry.active.as_deref() == Some(turn) {
            entry.active = None;
        }
        self.promote(agent);
    }

    /// A turn was taken back while it waited.
    pub fn cancel(&mut self, agent: &str, turn: &str) {
        let entry = self.agents.entry(agent.to_owned()).or_default();
        entry.queue.retain(|queued| queued != turn);
        self.canceled.insert(turn.to_owned());
    }

    /// True while a turn waits.
    pub fn is_queued(&self, agent: &str, turn: &str) -> bool {
        self.agents.get(agent).is_some_and(|agent| agent.queue.iter().any(|queued| queued == turn))
    }
}
