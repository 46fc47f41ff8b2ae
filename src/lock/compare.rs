//! The differences between two entries.

use super::align::{Pairing, align};
use super::context::excerpt;
use super::entry::{Content, Entry, Finding, FindingKind, Position, Tool};
use crate::prompt::cache::{ChangedWords, changed_words};
use crate::value::Map;
use serde::Serialize;

/// A kind of change between two entries.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LockChangeKind {
    /// The provider is another one.
    Provider,
    /// The model is another one.
    Model,
    /// A parameter was added, removed or changed.
    Parameter,
    /// A tool was added.
    ToolAdded,
    /// A tool was removed.
    ToolRemoved,
    /// The description or another member of a tool changed.
    ToolEdited,
    /// The schema of a tool changed.
    SchemaEdited,
    /// The same tools are in another order.
    ToolsReordered,
    /// A position was added.
    Added,
    /// A position was removed.
    Removed,
    /// A position was moved.
    Moved,
    /// The content of a position changed.
    Edited,
    /// The same content has another role or kind.
    Retyped,
    /// The same content is in a message of its own, or no longer is.
    Regrouped,
    /// The same content has another cause.
    Recaused,
    /// A mark of the cache was added, removed or changed.
    MarkChanged,
    /// A slot became volatile, or is no longer volatile.
    VolatilityChanged,
    /// A volatile slot is missing.
    VolatileMissing,
    /// A volatile slot has more or fewer tokens than its range.
    VolatileRange,
    /// A lint is new.
    LintAdded,
    /// A lint is no longer reported.
    LintRemoved,
    /// A conversion change is new.
    LossAdded,
    /// A conversion change is no longer reported.
    LossRemoved,
}

/// A change between two entries.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockChange {
    /// The kind.
    pub change: LockChangeKind,
    /// The cause: what the position, tool or parameter comes from.
    pub cause: String,
    /// The slot in the current context, or in the locked one if it was removed.
    pub slot: String,
    /// The locked tokens that were added; negative if they were removed.
    pub tokens: i64,
    /// The words that differ, as far as the lockfile has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ChangedWords>,
    /// The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volatile: Option<&'static str>,
    /// The tool or position after which the prefix differs. Not part of the answer.
    #[serde(skip)]
    pub(super) order: usize,
}

/// The texts and the tokens of the current positions, if they are known.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<'a> {
    pub texts: &'a [String],
    pub tokens: &'a [u64],
    /// The texts of locked positions by their hash.
    pub locked: Option<&'a Map<String, String>>,
}

impl Known<'_> {
    /// Returns the words of a position that differ: of the whole text if the host has the locked
    /// one, otherwise of the excerpts.
    fn words(
        &self,
        was: &Position,
        is: &Position,
        at: usize,
    ) -> (Option<ChangedWords>, Option<&'static str>) {
        let locked = match &was.content {
            Content::Fixed { hash, .. } => self.locked.and_then(|texts| texts.get(hash)),
            Content::Volatile { .. } => None,
        };
        let text = self.texts.get(at);
        let (words, kind) = match (locked, text, &was.excerpt) {
            (Some(before), Some(after), _) => changed_words(before, after),
            (_, Some(after), Some(before)) => changed_words(before, &excerpt(after)),
            (_, None, Some(before)) => {
                changed_words(before, is.excerpt.as_deref().unwrap_or_default())
            }
            (_, _, None) => (None, None),
        };
        match (was.is_shown() && is.is_shown(), &was.excerpt, &is.excerpt) {
            (true, ..) => (words, kind),
            // a report never has the text of a secret
            (false, Some(before), Some(after)) => (changed_words(before, after).0, kind),
            (false, ..) => (None, kind),
        }
    }
}

/// Returns the changes from a locked entry to the current one, in the order of the request.
pub(super) fn compare(old: &Entry, new: &Entry, known: Known<'_>) -> Vec<LockChange> {
    let mut changes = Vec::new();
    let is_fixed = |position: &Position| !position.content.is_volatile();
    if (std::ptr::eq(old, new) || old == new) && new.positions.iter().all(is_fixed) {
        return changes;
    }
    let plain = |change, cause: &str, before: &str, after: &str| LockChange {
        words: Some(ChangedWords { before: before.to_owned(), after: after.to_owned() }),
        ..LockChange::new(change, cause, format!("/{cause}"), 0, 0)
    };
    if old.provider != new.provider {
        let change = LockChangeKind::Provider;
        changes.push(plain(change, "provider", &old.provider, &new.provider));
    }
    if old.model != new.model {
        let name = |entry: &Entry| entry.model.clone().unwrap_or_default();
        changes.push(plain(LockChangeKind::Model, "model", &name(old), &name(new)));
    }
    parameters(old, new, &mut changes);
    tools(&old.tools, &new.tools, &mut changes);
    positions(old, new, known, &mut changes);
    findings(old, new, &mut changes);
    changes
}

impl LockChange {
    fn new(change: LockChangeKind, cause: &str, slot: String, tokens: i64, order: usize) -> Self {
        Self { change, cause: cause.to_owned(), slot, tokens, words: None, volatile: None, order }
    }

    /// Returns true for changes of one kind and cause.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.change == other.change && self.cause == other.cause
    }

    /// Returns true for changes that do not change the bytes of the prefix.
    pub(super) fn keeps_prefix(&self) -> bool {
        match self.change {
            LockChangeKind::Recaused
            | LockChangeKind::VolatilityChanged
            | LockChangeKind::VolatileRange
            | LockChangeKind::LintAdded
            | LockChangeKind::LintRemoved
            | LockChangeKind::LossAdded
            | LockChangeKind::LossRemoved
            | LockChangeKind::Parameter => true,
            LockChangeKind::Provider
            | LockChangeKind::Model
            | LockChangeKind::ToolAdded
            | LockChangeKind::ToolRemoved
            | LockChangeKind::ToolEdited
            | LockChangeKind::SchemaEdited
            | LockChangeKind::ToolsReordered
            | LockChangeKind::Added
            | LockChangeKind::Removed
            | LockChangeKind::Moved
            | LockChangeKind::Edited
            | LockChangeKind::Retyped
            | LockChangeKind::Regrouped
            | LockChangeKind::MarkChanged
            | LockChangeKind::VolatileMissing => false,
        }
    }
}

fn difference(old: u64, new: u64) -> i64 {
    i64::try_from(new).unwrap_or(i64::MAX) - i64::try_from(old).unwrap_or(i64::MAX)
}

fn parameters(old: &Entry, new: &Entry, changes: &mut Vec<LockChange>) {
    let value = |entry: &Entry, name: &str| {
        let found = entry.parameters.iter().find(|parameter| parameter.name == name);
        found.map(|parameter| parameter.value.clone())
    };
    let mut names: Vec<&String> =
        old.parameters.iter().chain(&new.parameters).map(|parameter| &parameter.name).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (before, after) = (value(old, name), value(new, name));
        if before == after {
            continue;
        }
        let words = ChangedWords {
            before: before.unwrap_or_else(|| "(none)".to_owned()),
            after: after.unwrap_or_else(|| "(none)".to_owned()),
        };
        let cause = format!("parameter {name}");
        let slot = format!("/parameters/{name}");
        let change = LockChange::new(LockChangeKind::Parameter, &cause, slot, 0, 0);
        changes.push(LockChange { words: Some(words), ..change });
    }
}

fn tools(old: &[Tool], new: &[Tool], changes: &mut Vec<LockChange>) {
    let named = |tools: &[Tool], name: &str| tools.iter().position(|tool| tool.name == name);
    let mut push = |change, tool: &Tool, tokens, order| {
        let (cause, slot) = (format!("tool {}", tool.name), format!("/tools/{}", tool.name));
        changes.push(LockChange::new(change, &cause, slot, tokens, order));
    };
    for (at, tool) in old.iter().enumerate() {
        if named(new, &tool.name).is_none() {
            push(LockChangeKind::ToolRemoved, tool, -difference(0, tool.tokens), at);
        }
    }
    for (at, tool) in new.iter().enumerate() {
        let Some(before) = named(old, &tool.name).and_then(|at| old.get(at)) else {
            push(LockChangeKind::ToolAdded, tool, difference(0, tool.tokens), at);
            continue;
        };
        let tokens = difference(before.tokens, tool.tokens);
        if before.hash != tool.hash {
            push(LockChangeKind::ToolEdited, tool, tokens, at);
        }
        if before.schema != tool.schema {
            let own = if before.hash == tool.hash { tokens } else { 0 };
            push(LockChangeKind::SchemaEdited, tool, own, at);
        }
        if before.mark != tool.mark {
            push(LockChangeKind::MarkChanged, tool, 0, at);
        }
    }
    let kept = |tools: &[Tool], others: &[Tool]| -> Vec<String> {
        let kept = tools.iter().filter(|tool| named(others, &tool.name).is_some());
        kept.map(|tool| tool.name.clone()).collect()
    };
    let (before, after) = (kept(old, new), kept(new, old));
    if before != after {
        let first = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
        let words =
            ChangedWords { before: excerpt(&before.join(", ")), after: excerpt(&after.join(", ")) };
        let change = LockChangeKind::ToolsReordered;
        let change = LockChange::new(change, "tools", "/tools".to_owned(), 0, first);
        changes.push(LockChange { words: Some(words), ..change });
    }
}

fn positions(old: &Entry, new: &Entry, known: Known<'_>, changes: &mut Vec<LockChange>) {
    let tools = new.tools.len();
    // the positions after those that are in both entries with the same role
    let mut next = None;
    for pairing in align(&old.positions, &new.positions) {
        let (before, after) = (
            pairing.before().and_then(|at| Some((at, old.positions.get(at)?))),
            pairing.after().and_then(|at| Some((at, new.positions.get(at)?))),
        );
        match (before, after) {
            (Some((before_at, was)), Some((at, is))) => {
                let tokens = difference(was.content.tokens(), is.content.tokens());
                let mut found = pair_changes(was, is, &pairing, known.tokens.get(at).copied());
                let follows = next == Some((before_at, at)) && was.role == is.role;
                if follows && was.is_another != is.is_another {
                    found.push(LockChangeKind::Regrouped);
                }
                next = (was.role == is.role).then_some((before_at + 1, at + 1));
                for change in found {
                    let mut change =
                        LockChange::new(change, &is.cause, new.slot(at), tokens, tools + at);
                    match change.change {
                        LockChangeKind::Edited => {
                            (change.words, change.volatile) = known.words(was, is, at);
                        }
                        _ => change.tokens = 0,
                    }
                    changes.push(change);
                }
            }
            (Some((at, was)), None) => {
                let change = match was.content.is_volatile() {
                    true => LockChangeKind::VolatileMissing,
                    false => LockChangeKind::Removed,
                };
                let tokens = -difference(0, was.content.tokens());
                changes.push(LockChange::new(change, &was.cause, old.slot(at), tokens, tools + at));
            }
            (None, Some((at, is))) => {
                let tokens = difference(0, is.content.tokens());
                let change = LockChangeKind::Added;
                changes.push(LockChange::new(change, &is.cause, new.slot(at), tokens, tools + at));
            }
            (None, None) => {}
        }
    }
}

/// Returns the changes of a position that is in both entries.
fn pair_changes(
    was: &Position,
    is: &Position,
    pairing: &Pairing,
    tokens: Option<u64>,
) -> Vec<LockChangeKind> {
    let mut changes = Vec::new();
    if matches!(pairing, Pairing::Moved(..)) {
        changes.push(LockChangeKind::Moved);
    }
    // the cause of a position without another one is its role
    let is_retyped = was.kind != is.kind || was.role != is.role || was.list != is.list;
    if is_retyped {
        changes.push(LockChangeKind::Retyped);
    }
    match (&was.content, &is.content) {
        (Content::Fixed { hash: before, .. }, Content::Fixed { hash: after, .. }) => {
            if before != after {
                changes.push(LockChangeKind::Edited);
            } else if was.cause != is.cause && !is_retyped {
                changes.push(LockChangeKind::Recaused);
            }
        }
        (Content::Volatile { least, most }, Content::Volatile { .. }) => {
            if tokens.is_some_and(|tokens| tokens < *least || tokens > *most) {
                changes.push(LockChangeKind::VolatileRange);
            }
            if was.cause != is.cause {
                changes.push(LockChangeKind::Recaused);
            }
        }
        (Content::Fixed { .. }, Content::Volatile { .. })
        | (Content::Volatile { .. }, Content::Fixed { .. }) => {
            changes.push(LockChangeKind::VolatilityChanged);
        }
    }
    if was.mark != is.mark {
        changes.push(LockChangeKind::MarkChanged);
    }
    changes
}

fn findings(old: &Entry, new: &Entry, changes: &mut Vec<LockChange>) {
    let lacks = |list: &[Finding], finding: &Finding| {
        let same = |other: &&Finding| other.kind == finding.kind && other.code == finding.code;
        list.iter().find(same).is_none_or(|other| other.count < finding.count)
    };
    let mut push = |finding: &Finding, change| {
        let cause = format!("{} {}", finding.kind.as_str(), finding.code);
        let slot = format!("/{}/{}", finding.kind.as_str(), finding.code);
        changes.push(LockChange::new(change, &cause, slot, 0, usize::MAX));
    };
    for finding in new.findings.iter().filter(|finding| lacks(&old.findings, finding)) {
        push(
            finding,
            match finding.kind {
                FindingKind::Lint => LockChangeKind::LintAdded,
                FindingKind::Loss => LockChangeKind::LossAdded,
            },
        );
    }
    for finding in old.findings.iter().filter(|finding| lacks(&new.findings, finding)) {
        push(
            finding,
            match finding.kind {
                FindingKind::Lint => LockChangeKind::LintRemoved,
                FindingKind::Loss => LockChangeKind::LossRemoved,
            },
        );
    }
}
