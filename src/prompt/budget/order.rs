//! The order in which messages of a prompt are dropped.

use crate::Result;
use crate::prompt::provider::Prompt;
use crate::value::Map as IndexMap;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json};
use crate::value::message::Message;
use crate::value::sort::{sort_by, sort_by_key};

/// The priorities of layers. Lower numbers are dropped first.
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

/// The priorities of layers. Other layers are blocks of the host.
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

/// The priority of the conversation. The oldest message is dropped first.
const HISTORY: u64 = 30;
/// The priority of blocks of the host.
const OTHER: u64 = 20;
/// The priority of a system message that is not the system prompt.
const SYSTEM: u64 = 80;

impl Priorities {
    /// Returns the priorities with another number for a layer.
    #[must_use]
    pub fn with(mut self, layer: impl Into<String>, priority: u64) -> Self {
        self.own.insert(layer.into(), priority);
        self
    }

    /// Returns the priority of a layer.
    pub fn of(&self, layer: &str) -> u64 {
        let known = LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, worth)| *worth);
        self.own.get(layer).copied().or(known).unwrap_or(OTHER)
    }
}

shape! {
    pub type Priorities = BTreeMap<String, u64>;
}

impl Argument for Priorities {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let mut priorities = Self::default();
        for layer in fields.json().keys() {
            let priority = fields.required(layer)?;
            if layer == SYSTEM_PROMPT {
                return Err(priority.error(
                    "`system_prompt` has no priority, because it is never dropped; remove it",
                ));
            }
            priorities.own.insert(layer.clone(), priority.count()?);
        }
        Ok(priorities)
    }
}

const SYSTEM_PROMPT: &str = "system_prompt";

/// Messages that are dropped together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub positions: Vec<usize>,
    pub priority: u64,
}

/// Messages that can be dropped, in order, and those that cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub droppable: Vec<Unit>,
    pub protected: Vec<usize>,
}

impl Order {
    /// Returns how many units are dropped before each message. Protected messages have the maximum.
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

/// Returns the order for a prompt whose messages are grouped by `groups`.
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

/// Returns the position of the query: the marked message, or else the last message of a human.
fn query(prompt: &Prompt) -> Option<usize> {
    let marked = prompt.origins.iter().position(|origin| origin.is_query);
    marked.or_else(|| prompt.messages.iter().rposition(|message| message.role.is_human()))
}

fn is_protected(prompt: &Prompt, position: usize, query: Option<usize>) -> bool {
    let origin = prompt.origin(position);
    let system_prompt = match origin.layer.as_deref() {
        Some(layer) => layer == SYSTEM_PROMPT,
        // without layers the system prompt is the first message
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
