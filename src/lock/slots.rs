//! Volatile slots: positions, or text inside of them, that can change.

use super::context::{Manner, Seen, excerpt};
use super::entry::{Content, Position, SECRET};
use crate::Result;
use crate::prompt::tokens::{Counter, Estimate};
use crate::value::Map;
use crate::value::arguments::{Argument, arguments, read_object};
use crate::value::json::{Field, Json};

/// The word that declares the ids of tool calls volatile.
const CALL_IDS: &str = "tool_call_ids";
/// Keys with the id of a tool call.
const ID_KEYS: [&str; 6] =
    ["id", "tool_call_id", "tool_use_id", "call_id", "toolCallId", "toolUseId"];

/// A slot whose content can change.
///
/// Shown by the example of [`LockEntry`](super::LockEntry).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Volatile {
    /// A position by its slot, such as `/system/0`, or by its cause, such as `/system/date`.
    Slot(String),
    /// Text between two strings of a position.
    Between(VolatileText),
}

arguments! {
    /// Volatile text inside of a position.
    ///
    /// Shown by the example of [`LockEntry`](super::LockEntry).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct VolatileText {
        /// The slot or the cause of the position.
        pub slot: String,
        /// The text before the volatile text.
        pub after: String,
        /// The text after it. The end of the line by default.
        pub before: String = "\n".to_owned(),
    }
}

shape! {
    /// A slot whose content can change: a slot, a cause, `tool_call_ids`, or text in a position.
    #[serde(untagged)]
    pub enum Volatile {
        Slot(String),
        Between(VolatileText),
    }
}

impl Argument for Volatile {
    fn read(field: &Field<'_>) -> Result<Self> {
        match field.json() {
            Json::String(slot) => Ok(Self::Slot(slot.clone())),
            _ => read_object(field).map(Self::Between),
        }
    }
}

impl Volatile {
    /// Returns the declaration as people write it.
    fn declared(&self) -> &str {
        match self {
            Self::Slot(slot) => slot,
            Self::Between(text) => &text.slot,
        }
    }
}

/// The declarations that matched a position.
#[derive(Default)]
pub(super) struct Slots {
    matched: Vec<bool>,
}

impl Slots {
    pub fn new(declared: &[Volatile]) -> Self {
        Self { matched: vec![false; declared.len()] }
    }

    /// Returns the first declarations that match nothing.
    pub fn unmatched(&self, declared: &[Volatile]) -> Vec<String> {
        let all = declared.iter().zip(&self.matched).filter(|(_, matched)| !**matched);
        all.map(|(declared, _)| declared.declared().to_owned()).collect()
    }

    /// Returns true if a whole slot is declared volatile.
    pub fn is_volatile(&mut self, declared: &[Volatile], slot: &str, cause: &str) -> bool {
        let mut found = false;
        for (declared, matched) in declared.iter().zip(&mut self.matched) {
            if let Volatile::Slot(pattern) = declared
                && matches(pattern, slot, cause)
            {
                *matched = true;
                found = true;
            }
        }
        found
    }

    /// Returns a position, with `~` for text that is volatile.
    pub fn position(
        &mut self,
        slot: &str,
        seen: &Seen,
        manner: &Manner<'_>,
        is_secret: bool,
    ) -> Position {
        let shown = |text: &str| match (manner.redact, is_secret) {
            (true, _) => None,
            (false, true) => Some(SECRET.to_owned()),
            (false, false) => Some(excerpt(text)),
        };
        if self.is_volatile(manner.volatile, slot, &seen.cause) {
            let content = Content::volatile(seen.tokens);
            return Position { content, ..seen.fixed("", 0, None) };
        }
        let mut cut: Option<String> = None;
        for (declared, matched) in manner.volatile.iter().zip(&mut self.matched) {
            if let Volatile::Between(between) = declared
                && matches(&between.slot, slot, &seen.cause)
                && let Some(text) = without(cut.as_ref().unwrap_or(&seen.content), between)
            {
                *matched = true;
                cut = Some(text);
            }
        }
        match cut {
            Some(text) => seen.fixed(&text, Estimate.count(&text), shown(&text)),
            None => seen.fixed(&seen.content, seen.tokens, shown(&seen.text)),
        }
    }

    /// Replaces the ids of tool calls by numbers, if they are declared volatile.
    pub fn replace_call_ids(&mut self, declared: &[Volatile], body: &mut Json) {
        let is_ids = |declared: &Volatile| *declared == Volatile::Slot(CALL_IDS.to_owned());
        let Some(at) = declared.iter().position(is_ids) else { return };
        if let Some(matched) = self.matched.get_mut(at) {
            *matched = true;
        }
        let mut known = Map::default();
        for key in ["messages", "input", "contents"] {
            if let Json::Object(body) = body
                && let Some(list) = body.get_mut(key)
            {
                replace_ids(list, &mut known);
            }
        }
    }
}

fn replace_ids(json: &mut Json, known: &mut Map<String, usize>) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(|item| replace_ids(item, known)),
        Json::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value {
                    Json::String(id) if ID_KEYS.contains(&key.as_str()) => {
                        let next = known.len() + 1;
                        let number = *known.entry(id.clone()).or_insert(next);
                        *id = format!("~{number}");
                    }
                    value => replace_ids(value, known),
                }
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Returns text with `~` in place of what is between two strings.
fn without(text: &str, between: &VolatileText) -> Option<String> {
    let (head, tail) = text.split_once(between.after.as_str())?;
    let rest = match tail.find(between.before.as_str()) {
        Some(at) => tail.get(at..)?,
        None if between.before == "\n" => "",
        None => return None,
    };
    Some(format!("{head}{}~{rest}", between.after))
}

/// Returns true if a declaration is for a position. `/system/date` is the position of the system
/// prompt whose cause is `date`, or ends with it, such as `layer date`.
pub(super) fn matches(pattern: &str, slot: &str, cause: &str) -> bool {
    let is_cause = |name: &str| {
        !cause.is_empty()
            && (cause == name || cause.strip_suffix(name).is_some_and(|rest| rest.ends_with(' ')))
    };
    if pattern == slot {
        return true;
    }
    let list = slot.rsplit_once('/').map_or("", |(list, _)| list);
    match pattern.strip_prefix(list).and_then(|rest| rest.strip_prefix('/')) {
        Some(name) if !list.is_empty() => is_cause(name),
        _ => !pattern.starts_with('/') && cause == pattern,
    }
}
