//! The verdict of a check, grouped by cause.

use super::assertions::LockFailure;
use super::compare::{LockChange, LockChangeKind};
use super::entry::Entry;
use super::price::{LostPrefix, Price, lost_prefix};
use crate::prompt::cache::ChangedWords;
use serde::Serialize;

/// Lower prices for 1,000 turns, in dollars, are not part of a title.
const LEAST_PRICE: f64 = 0.005;

/// The result of a check.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LockStatus {
    /// Nothing changed, and every assertion holds.
    Same,
    /// A context changed, or an assertion fails.
    Changed,
    /// A context could not be built, so nothing is decided.
    Undecided,
}

/// What changed between a lockfile and the current contexts.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockVerdict {
    /// The result.
    pub status: LockStatus,
    /// The exit code of a command: 0 same, 1 changed, 2 undecided.
    pub exit_code: u8,
    /// The number of contexts that were checked.
    pub contexts: usize,
    /// The contexts that are not in the lockfile.
    pub added: Vec<String>,
    /// The entries of the lockfile whose context no longer exists.
    pub removed: Vec<String>,
    /// The changes, grouped by cause. The group with the most contexts is first.
    pub groups: Vec<LockGroup>,
    /// The contexts that changed.
    pub entries: Vec<LockEntryChanges>,
    /// The assertions that fail.
    pub failures: Vec<LockFailure>,
    /// The slots that differ between two builds of one context.
    pub unstable: Vec<UnstableSlot>,
    /// Declared volatile slots that match nothing.
    pub unmatched: Vec<UnmatchedSlot>,
    /// The contexts that could not be built.
    pub errors: Vec<LockError>,
    /// The reports that the call asks for.
    pub reports: Vec<LockReport>,
}

/// A change of one cause in one or more contexts.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockGroup {
    /// The change in one line.
    pub title: String,
    /// The kind of the change.
    pub change: LockChangeKind,
    /// The cause.
    pub cause: String,
    /// The contexts.
    pub entries: Vec<String>,
    /// The smallest change of the locked tokens of a context.
    pub least_tokens: i64,
    /// The largest change.
    pub most_tokens: i64,
    /// The slot from which the first context loses its cached prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_lost_from: Option<String>,
    /// The largest number of tokens of the prefix that a context loses.
    pub prefix_lost_tokens: u64,
    /// True if a lost prefix had enough tokens for the cache of the provider.
    pub prefix_was_cached: bool,
    /// The price of the added tokens for 1,000 turns in dollars, on average. Missing if no price is
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_per_1000: Option<f64>,
    /// The words of the first context that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ChangedWords>,
}

/// The changes of one context.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockEntryChanges {
    /// The name.
    pub name: String,
    /// The changes, in the order of the request.
    pub changes: Vec<LockChange>,
    /// The locked tokens: all, tools, system prompt, messages.
    pub before: LockTokens,
    /// The current ones.
    pub after: LockTokens,
}

/// The tokens of an entry.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LockTokens {
    /// All tokens.
    pub all: u64,
    /// The tool definitions.
    pub tools: u64,
    /// The system prompt.
    pub system: u64,
    /// The messages.
    pub messages: u64,
    /// The prefix that a cache can reuse.
    pub prefix: u64,
}

/// A slot that differs between two builds.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnstableSlot {
    /// The context.
    pub name: String,
    /// The slot.
    pub slot: String,
    /// The cause.
    pub cause: String,
    /// The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// How to declare it.
    pub suggestion: String,
}

/// A declared volatile slot that matches nothing.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnmatchedSlot {
    /// The context.
    pub name: String,
    /// The slot, as it was declared.
    pub slot: String,
}

/// A context that could not be built.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockError {
    /// The context.
    pub name: String,
    /// The reason.
    pub message: String,
}

/// The verdict as text.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockReport {
    /// The format.
    pub format: super::LockFormat,
    /// The text.
    pub text: String,
}

impl LockTokens {
    pub(super) fn of(entry: &Entry) -> Self {
        let totals = entry.totals();
        Self {
            all: totals.all(),
            tools: totals.tools,
            system: totals.system,
            messages: totals.messages,
            prefix: entry.prefix,
        }
    }
}

/// Groups while they are made.
#[derive(Default)]
pub(super) struct Groups(Vec<(LockGroup, Vec<f64>)>);

impl Groups {
    /// Adds the changes of one context.
    pub fn add(&mut self, old: &Entry, new: &Entry, changes: &[LockChange], price: &Price<'_>) {
        let lost = lost_prefix(old, changes);
        for change in by_cause(changes) {
            let cost = price.per_1000(new, change.tokens);
            let is_first = |lost: &&LostPrefix| {
                changes.iter().any(|each| change.is_like(each) && each.slot == lost.slot)
            };
            let lost = lost.as_ref().filter(is_first);
            if let Some((group, costs)) = self.0.iter_mut().find(|(group, _)| group.is_of(&change))
            {
                group.entries.push(new.name.clone());
                group.least_tokens = group.least_tokens.min(change.tokens);
                group.most_tokens = group.most_tokens.max(change.tokens);
                if let Some(lost) = lost {
                    group.prefix_lost_from.get_or_insert_with(|| lost.slot.clone());
                    group.prefix_lost_tokens = group.prefix_lost_tokens.max(lost.tokens);
                    group.prefix_was_cached |= lost.is_cached;
                }
                costs.extend(cost);
                continue;
            }
            let group = LockGroup {
                title: String::new(),
                change: change.change,
                cause: change.cause,
                entries: vec![new.name.clone()],
                least_tokens: change.tokens,
                most_tokens: change.tokens,
                prefix_lost_from: lost.map(|lost| lost.slot.clone()),
                prefix_lost_tokens: lost.map_or(0, |lost| lost.tokens),
                prefix_was_cached: lost.is_some_and(|lost| lost.is_cached),
                price_per_1000: None,
                words: change.words,
            };
            self.0.push((group, cost.into_iter().collect()));
        }
    }

    /// Returns the groups, those with the most contexts first.
    pub fn finish(self) -> Vec<LockGroup> {
        let mut groups: Vec<LockGroup> = self
            .0
            .into_iter()
            .map(|(mut group, costs)| {
                if !costs.is_empty() && costs.len() == group.entries.len() {
                    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
                    group.price_per_1000 = Some((mean * 1e6).round() / 1e6).filter(|p| *p != 0.0);
                }
                group.title = group.title();
                group
            })
            .collect();
        groups.sort_by_key(|group| usize::MAX - group.entries.len());
        groups
    }
}

/// Returns one change for each kind and cause, with the sum of the tokens.
fn by_cause(changes: &[LockChange]) -> Vec<LockChange> {
    let mut all: Vec<LockChange> = Vec::new();
    for change in changes {
        match all.iter_mut().find(|known| known.is_like(change)) {
            Some(known) => known.tokens += change.tokens,
            None => all.push(change.clone()),
        }
    }
    all
}

impl LockGroup {
    fn is_of(&self, change: &LockChange) -> bool {
        self.change == change.change && self.cause == change.cause
    }

    /// Returns the change in one line.
    fn title(&self) -> String {
        let mut title = headline(self.change, &self.cause);
        let contexts = self.entries.len();
        title.push_str(&format!(": {contexts} {}", plural(contexts, "context")));
        let each = if contexts > 1 { " each" } else { "" };
        match (self.least_tokens, self.most_tokens) {
            (0, 0) => {}
            (least, most) if least == most => {
                title.push_str(&format!(
                    ", {most:+} {}{each}",
                    plural(most.unsigned_abs() as usize, "token")
                ));
            }
            (least, most) => title.push_str(&format!(", {least:+} to {most:+} tokens{each}")),
        }
        if let Some(slot) = &self.prefix_lost_from {
            let lost = self.prefix_lost_tokens;
            let tokens = format!("{lost} {}", plural(lost as usize, "token"));
            title.push_str(&match self.prefix_was_cached {
                true => format!(", cached prefix lost from {slot} ({tokens})"),
                false => format!(", prefix lost from {slot} ({tokens}, too few for a cache)"),
            });
        }
        if let Some(price) = self.price_per_1000.filter(|price| price.abs() >= LEAST_PRICE) {
            let sign = if price < 0.0 { "-" } else { "" };
            title.push_str(&format!(", about {sign}${:.2} per 1,000 turns", price.abs()));
        }
        title
    }
}

/// Returns a noun in the plural, but for 1.
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// Returns a change and its cause in words.
pub(super) fn headline(change: LockChangeKind, cause: &str) -> String {
    match change {
        LockChangeKind::Provider => "provider changed".to_owned(),
        LockChangeKind::Model => "model changed".to_owned(),
        LockChangeKind::Parameter => format!("{cause} changed"),
        LockChangeKind::ToolAdded | LockChangeKind::Added => format!("{cause} added"),
        LockChangeKind::ToolRemoved | LockChangeKind::Removed => format!("{cause} removed"),
        LockChangeKind::ToolEdited | LockChangeKind::Edited => format!("{cause} edited"),
        LockChangeKind::SchemaEdited => format!("schema of {cause} edited"),
        LockChangeKind::ToolsReordered => "tools reordered".to_owned(),
        LockChangeKind::Moved => format!("{cause} moved"),
        LockChangeKind::Retyped => format!("{cause} has another role or kind"),
        LockChangeKind::Regrouped => format!("{cause} is in another message"),
        LockChangeKind::Recaused => format!("content has the new cause {cause}"),
        LockChangeKind::MarkChanged => format!("cache mark of {cause} changed"),
        LockChangeKind::VolatilityChanged => format!("{cause} changed between fixed and volatile"),
        LockChangeKind::VolatileMissing => format!("volatile slot of {cause} is missing"),
        LockChangeKind::VolatileRange => format!("volatile slot of {cause} is out of its range"),
        LockChangeKind::LintAdded | LockChangeKind::LossAdded => format!("{cause} is new"),
        LockChangeKind::LintRemoved | LockChangeKind::LossRemoved => format!("{cause} is gone"),
    }
}
