//! The one order in which a prompt is taken apart.

use crate::prompt::provider::Prompt;
use crate::value::Map as IndexMap;
use crate::value::json::{Fields, Json};
use crate::value::message::Message;
use crate::value::sort::{sort_by, sort_by_key};
use crate::{Error, Result};

/// What is dropped first: lower figures.
///
/// ```
/// use tuckbox::prompt::budget::Priorities;
///
/// let priorities = Priorities::default().with("team__context", 90);
/// assert_eq!(priorities.of("team__context"), 90);
/// assert_eq!(priorities.of("other__context"), 20);
/// assert!(priorities.of("framework__context") > priorities.of("checkpoint_messages"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    own: IndexMap<String, u64>,
}

/// The layers and what they are worth. Whatever stands in no list is a block of the host's own.
const LAYERS: [(&str, u64); 8] = [
    ("human_message", 85),
    ("framework__context", 80),
    ("compression__context", 70),
    ("todo__context", 60),
    ("knowledge__context", 50),
    ("experience__context", 40),
    ("checkpoint_messages", HISTORY),
    ("query", 100),
];

/// What was said before: the oldest goes first.
const HISTORY: u64 = 30;
/// Blocks that only the host knows.
const OTHER: u64 = 20;
/// A system message that is not the system prompt.
const SYSTEM: u64 = 80;

impl Priorities {
    /// These priorities with another figure for a layer.
    #[must_use]
    pub fn with(mut self, layer: impl Into<String>, priority: u64) -> Self {
        self.own.insert(layer.into(), priority);
        self
    }

    /// What a layer is worth.
    pub fn of(&self, layer: &str) -> u64 {
        let known = LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, worth)| *worth);
        self.own.get(layer).copied().or(known).unwrap_or(OTHER)
    }

    /// Reads `priorities?: {layer: figure}` of a call.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let mut priorities = Self::default();
        let Some(given) = call.optional("priorities") else { return Ok(priorities) };
        let fields = given.object()?;
        for layer in fields.json().keys() {
            if layer == SYSTEM_PROMPT {
                return Err(Error::bad_request("the system prompt is never dropped")
                    .at(given.path().key(layer)));
            }
            let priority = fields.required(layer)?.count()?;
            priorities.own.insert(layer.clone(), priority);
        }
        Ok(priorities)
    }
}

const SYSTEM_PROMPT: &str = "system_prompt";

/// Messages that go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub positions: Vec<usize>,
    pub priority: u64,
}

/// Everything that may go, in the order in which it goes, and what may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub droppable: Vec<Unit>,
    pub protected: Vec<usize>,
}

impl Order {
    /// For every message how many units go before it does; those that never go are last.
    pub fn ranks(&self, messages: usize) -> Vec<usize> {
        let mut ranks = vec![usize::MAX; messages];
        for (rank, unit) in self.droppable.iter().enumerate() {
            for &position in &unit.positions {
                if let Some(slot) = ranks.get_mut(position) {
                    *slot = rank;
                }
            }
        }
        ranks
    }
}

/// The order for a prompt whose messages belong together as `groups` says.
pub(super) fn drop_order(prompt: &Prompt, groups: Vec<usize>, priorities: &Priorities) -> Order {
    let query = query(prompt);
    let mut units: IndexMap<usize, (Unit, bool)> = IndexMap::default();
    for (position, first) in groups.into_iter().enumerate() {
        let fresh = || (Unit { positions: Vec::new(), priority: 0 }, false);
        let (unit, protected) = units.entry(first).or_insert_with(fresh);
        unit.positions.push(position);
        unit.priority = unit.priority.max(priority(prompt, position, priorities));
        *protected |= is_protected(prompt, position, query);
    }
    let mut order = Order { droppable: Vec::new(), protected: Vec::new() };
    for (unit, protected) in units.into_values() {
        if protected {
            order.protected.extend(unit.positions);
        } else {
            order.droppable.push(unit);
        }
    }
    sort_by_key(&mut order.droppable, |unit| (unit.priority, unit.positions.first().copied()));
    sort_by(&mut order.protected, Ord::cmp);
    order
}

/// The query: the message that says so, or the last that a human said.
fn query(prompt: &Prompt) -> Option<usize> {
    let said = prompt.origins.iter().position(|origin| origin.is_query);
    said.or_else(|| prompt.messages.iter().rposition(|message| message.role.is_human()))
}

fn is_protected(prompt: &Prompt, position: usize, query: Option<usize>) -> bool {
    let origin = prompt.origin(position);
    let system_prompt = match origin.layer.as_deref() {
        Some(layer) => layer == SYSTEM_PROMPT,
        // without layers the system prompt is what stands first
        None => position == 0 && prompt.messages.first().is_some_and(is_system),
    };
    origin.protected || system_prompt || query == Some(position)
}

fn priority(prompt: &Prompt, position: usize, priorities: &Priorities) -> u64 {
    let origin = prompt.origin(position);
    match (origin.priority, origin.layer) {
        (Some(priority), _) => priority,
        (None, Some(layer)) => priorities.of(&layer),
        (None, None) if prompt.messages.get(position).is_some_and(is_system) => SYSTEM,
        (None, None) => HISTORY,
    }
}

fn is_system(message: &Message) -> bool {
    matches!(message.role.to_json(), Json::String(role) if role == "system" || role == "developer")
}
