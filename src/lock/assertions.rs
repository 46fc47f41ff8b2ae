//! Assertions about contexts, which a check evaluates.

use super::entry::{Entry, Position};
use super::make::LockDetails;
use crate::value::arguments::arguments;
use serde::Serialize;

arguments! {
    /// An assertion about contexts.
    ///
    /// Shown by the example of [`LockCheck`](super::LockCheck).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct LockAssertion {
        /// The names of the contexts; `*` is any text. All contexts by default.
        pub entries: Vec<String> = Vec::new(),
        /// Only contexts of this agent.
        pub agent_id: Option<String>,
        /// At most this number of tokens.
        pub max_tokens: Option<u64>,
        /// At most this share of the model's window, in percent.
        pub max_window_percent: Option<u64>,
        /// The prefix that a cache can reuse has at least this number of tokens.
        pub min_prefix_tokens: Option<u64>,
        /// Each of these occurs.
        pub contains: Vec<LockMatch> = Vec::new(),
        /// None of these occurs.
        pub excludes: Vec<LockMatch> = Vec::new(),
        /// Only these tools.
        pub tools: Option<Vec<String>>,
        /// These boxes are visible.
        pub visible_boxes: Vec<String> = Vec::new(),
        /// These boxes are not visible.
        pub hidden_boxes: Vec<String> = Vec::new(),
        /// The context can be sent to these providers.
        pub legal_for: Vec<String> = Vec::new(),
        /// Conversion changes that `legal_for` forbids. All by default.
        pub without_losses: Vec<String> = Vec::new(),
    }

    /// A position to find. Every member that is set must match.
    ///
    /// Shown by the example of [`LockCheck`](super::LockCheck).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct LockMatch {
        /// The type of the card.
        pub card_type: Option<String>,
        /// The cause.
        pub cause: Option<String>,
        /// Text that the position contains.
        pub text: Option<String>,
        /// The role.
        pub role: Option<String>,
        /// The kind, such as `text` or `tool_call`.
        pub kind: Option<String>,
        /// Text that looks like a secret.
        pub secret: bool = false,
    }
}

/// An assertion that fails.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockFailure {
    /// The context.
    pub name: String,
    /// The member of the assertion.
    pub assertion: &'static str,
    /// The slot, if the failure has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl LockAssertion {
    fn is_about(&self, entry: &Entry, details: &LockDetails) -> bool {
        let is_named =
            self.entries.is_empty() || self.entries.iter().any(|name| is_like(name, &entry.name));
        is_named && self.agent_id.as_ref().is_none_or(|id| details.agent_id.as_ref() == Some(id))
    }

    /// Adds the failures of one context.
    pub(super) fn check(&self, entry: &Entry, details: &LockDetails, out: &mut Vec<LockFailure>) {
        if !self.is_about(entry, details) {
            return;
        }
        let mut fail = |assertion, slot: Option<String>, message: String| {
            out.push(LockFailure { name: entry.name.clone(), assertion, slot, message });
        };
        self.check_sizes(entry, details, &mut fail);
        for wanted in &self.contains {
            if wanted.find(entry, details).is_none() {
                fail("contains", None, format!("no position has {}", wanted.described()));
            }
        }
        for unwanted in &self.excludes {
            if let Some(slot) = unwanted.find(entry, details) {
                let message = format!("{slot} has {}", unwanted.described());
                fail("excludes", Some(slot), message);
            }
        }
        let allowed = |name: &String| self.tools.as_ref().is_none_or(|tools| tools.contains(name));
        for tool in entry.tools.iter().filter(|tool| !allowed(&tool.name)) {
            let message = format!("the tool `{}` is not allowed", tool.name);
            fail("tools", Some(format!("/tools/{}", tool.name)), message);
        }
        for id in self.visible_boxes.iter().filter(|id| !details.boxes.contains(id)) {
            fail("visible_boxes", None, format!("the box `{id}` is not visible"));
        }
        for id in self.hidden_boxes.iter().filter(|id| details.boxes.contains(id)) {
            fail("hidden_boxes", None, format!("the box `{id}` is visible"));
        }
        for provider in &self.legal_for {
            let Some(found) = details.losses.iter().find(|losses| losses.provider == *provider)
            else {
                let message = format!(
                    "the changes for `{provider}` are not known; add it to `legal_for` of the entry"
                );
                fail("legal_for", None, message);
                continue;
            };
            for (at, code) in found.codes.iter().enumerate() {
                if !self.without_losses.is_empty() && !self.without_losses.contains(code) {
                    continue;
                }
                let place = found.places.get(at).map(|place| format!(": {place}"));
                let place = place.unwrap_or_default();
                let message =
                    format!("the request for `{provider}` has the change `{code}`{place}");
                fail("legal_for", None, message);
            }
        }
    }

    fn check_sizes(
        &self,
        entry: &Entry,
        details: &LockDetails,
        fail: &mut impl FnMut(&'static str, Option<String>, String),
    ) {
        let totals = entry.totals();
        let tokens = totals.tools + details.tokens.iter().sum::<u64>();
        // the position that crosses the limit
        let crossing = |max: u64| {
            let mut sum = totals.tools;
            let over = details.tokens.iter().position(|tokens| {
                sum += tokens;
                sum > max
            });
            over.map(|at| entry.slot(at))
        };
        if let Some(max) = self.max_tokens.filter(|max| tokens > *max) {
            let message = format!("{tokens} tokens; expected at most {max}");
            fail("max_tokens", crossing(max), message);
        }
        match (self.max_window_percent, details.window) {
            (Some(percent), Some(window)) => {
                let max = window.saturating_mul(percent) / 100;
                if tokens > max {
                    let message = format!(
                        "{tokens} tokens; expected at most {max}, {percent}% of the window"
                    );
                    fail("max_window_percent", crossing(max), message);
                }
            }
            (Some(_), None) => {
                let message = "the window of the model is not known; add the model to the settings";
                fail("max_window_percent", None, message.to_owned());
            }
            (None, _) => {}
        }
        if let Some(least) = self.min_prefix_tokens.filter(|least| entry.prefix < *least) {
            let at = entry.positions.iter().position(|position| position.content.is_volatile());
            let message =
                format!("a cache can reuse {} tokens; expected at least {least}", entry.prefix);
            fail("min_prefix_tokens", at.map(|at| entry.slot(at)), message);
        }
    }
}

impl LockMatch {
    /// Returns the slot of the first position that matches. Tools and parameters have secrets too.
    fn find(&self, entry: &Entry, details: &LockDetails) -> Option<String> {
        if self.secret && *self == (Self { secret: true, ..Self::default() }) {
            return details.secrets.first().map(|secret| secret.slot.clone());
        }
        let found = entry.positions.iter().enumerate().position(|(at, position)| {
            let text = details.texts.get(at).map_or("", String::as_str);
            let slot = || entry.slot(at);
            self.is_like(position, text)
                && (!self.secret || details.secrets.iter().any(|secret| secret.slot == slot()))
        });
        found.map(|at| entry.slot(at))
    }

    fn is_like(&self, position: &Position, text: &str) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        let card = position.cause.strip_prefix("card ").unwrap_or_default();
        is(&self.card_type, card)
            && is(&self.cause, &position.cause)
            && is(&self.role, &position.role)
            && is(&self.kind, &position.kind)
            && self.text.as_ref().is_none_or(|wanted| text.contains(wanted.as_str()))
    }

    fn described(&self) -> String {
        let members = [
            ("card type", &self.card_type),
            ("cause", &self.cause),
            ("role", &self.role),
            ("kind", &self.kind),
            ("text", &self.text),
        ];
        let mut words: Vec<String> = members
            .iter()
            .filter_map(|(name, value)| Some(format!("{name} `{}`", value.as_ref()?)))
            .collect();
        if self.secret {
            words.push("text that looks like a secret".to_owned());
        }
        if words.is_empty() { "any content".to_owned() } else { words.join(", ") }
    }
}

/// Returns true if a name matches a pattern in which `*` is any text.
pub(super) fn is_like(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return true };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}
