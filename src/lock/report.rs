//! A verdict as text, Markdown and JUnit.

use super::annotate;
use super::compare::LockChange;
use super::verdict::{
    LockEntryChanges, LockStatus, LockTokens, LockVerdict, UnstableSlot, headline, plural,
};
use super::write::is_hidden;
use crate::Result;
use crate::value::arguments::{Argument, read_word};
use crate::value::json::Field;
use serde::Serialize;

/// The maximum number of groups in a Markdown report.
const MAX_GROUPS: usize = 20;
/// The maximum number of contexts whose changes a report lists.
const MAX_ENTRIES: usize = 8;
/// The maximum number of changes of a context in a report.
const MAX_CHANGES: usize = 12;
/// The maximum number of bytes of a Markdown report. A comment can have 65,536 characters.
const MAX_MARKDOWN: usize = 60_000;

/// The format of a report.
///
/// Shown by the example of [`LockCheck`](super::LockCheck).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LockFormat {
    /// Lines for a terminal.
    Text,
    /// Markdown for a comment or a job summary.
    Markdown,
    /// JUnit XML.
    Junit,
    /// Workflow commands of GitHub.
    Annotations,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

impl Argument for LockFormat {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(
            field,
            &[
                ("text", Self::Text),
                ("markdown", Self::Markdown),
                ("junit", Self::Junit),
                ("annotations", Self::Annotations),
                ("sarif", Self::Sarif),
            ],
        )
    }
}

/// What a report needs of the lockfile and of the contexts.
pub(super) struct Place<'a> {
    pub file: &'a str,
    pub lock: &'a str,
    pub names: &'a [&'a str],
}

/// Returns a verdict as text.
pub(super) fn text(format: LockFormat, verdict: &LockVerdict, place: &Place<'_>) -> String {
    match format {
        LockFormat::Text => plain(verdict),
        LockFormat::Markdown => markdown(verdict),
        LockFormat::Junit => junit(verdict, place),
        LockFormat::Annotations => annotate::annotations(verdict, place),
        LockFormat::Sarif => annotate::sarif(verdict, place),
    }
}

/// Returns text on one line, without characters that a screen hides.
pub(super) fn line(text: &str) -> String {
    let shown = |c: char| if c.is_control() || is_hidden(c) { ' ' } else { c };
    text.chars().map(shown).collect()
}

/// Returns the first sentence of a report.
fn summary(verdict: &LockVerdict) -> String {
    let contexts = format!("{} {}", verdict.contexts, plural(verdict.contexts, "context"));
    match verdict.status {
        LockStatus::Same => format!("{contexts}, no changes"),
        LockStatus::Undecided => {
            let failed = verdict.errors.len();
            format!(
                "{failed} {} could not be built, so nothing is decided",
                plural(failed, "context")
            )
        }
        LockStatus::Changed => {
            let mut parts = vec![format!("{} of {contexts} changed", verdict.entries.len())];
            let more = [
                (verdict.added.len(), "not in the lockfile"),
                (verdict.removed.len(), "only in the lockfile"),
                (verdict.failures.len(), "assertions failed"),
            ];
            let more = more.iter().filter(|(count, _)| *count > 0);
            parts.extend(more.map(|(count, what)| format!("{count} {what}")));
            parts.join(", ")
        }
    }
}

pub(super) fn names(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MAX_ENTRIES).map(|name| line(name)).collect();
    if names.len() > MAX_ENTRIES {
        shown.push(format!("and {} more", names.len() - MAX_ENTRIES));
    }
    shown.join(", ")
}

/// Returns the lines that every format has after the groups, each with its kind.
fn notes(verdict: &LockVerdict) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    for error in &verdict.errors {
        notes.push(("error", format!("{}: {}", line(&error.name), line(&error.message))));
    }
    for failure in &verdict.failures {
        let slot = failure.slot.as_deref().map(|slot| format!(" at {}", line(slot)));
        let slot = slot.unwrap_or_default();
        let (name, message) = (line(&failure.name), line(&failure.message));
        notes.push(("failed", format!("{name}: {}{slot}: {message}", failure.assertion)));
    }
    if !verdict.added.is_empty() {
        notes.push(("not in the lockfile", names(&verdict.added)));
    }
    if !verdict.removed.is_empty() {
        notes.push(("only in the lockfile", names(&verdict.removed)));
    }
    for UnstableSlot { name, slot, cause, kind, suggestion } in &verdict.unstable {
        let kind = kind.map(|kind| format!(", a {kind}")).unwrap_or_default();
        let message = format!(
            "{}: {} ({}{kind}) differs between two builds; declare `{}`",
            line(name),
            line(slot),
            line(cause),
            line(suggestion)
        );
        notes.push(("unstable", message));
    }
    for slot in &verdict.unmatched {
        let (name, slot) = (line(&slot.name), line(&slot.slot));
        notes.push(("volatile", format!("{name}: no slot matches the declared `{slot}`")));
    }
    notes
}

/// Returns a change of a context in one line.
fn change_line(change: &LockChange) -> String {
    let mut text =
        format!("{} at {}", line(&headline(change.change, &change.cause)), line(&change.slot));
    if change.tokens != 0 {
        text.push_str(&format!(", {:+} tokens", change.tokens));
    }
    if let Some(words) = &change.words {
        let (before, after) = (line(&words.before), line(&words.after));
        text.push_str(&format!(": \"{before}\" -> \"{after}\""));
    }
    text
}

fn tokens_line(before: &LockTokens, after: &LockTokens) -> Option<String> {
    let parts = [
        ("tokens", before.all, after.all),
        ("tools", before.tools, after.tools),
        ("system", before.system, after.system),
        ("messages", before.messages, after.messages),
        ("prefix", before.prefix, after.prefix),
    ];
    let changed = parts.iter().filter(|(_, before, after)| before != after);
    let changed: Vec<String> =
        changed.map(|(name, before, after)| format!("{name} {before} -> {after}")).collect();
    (!changed.is_empty()).then(|| changed.join(", "))
}

fn changes_of(entry: &LockEntryChanges) -> Vec<String> {
    let mut lines: Vec<String> = entry.changes.iter().take(MAX_CHANGES).map(change_line).collect();
    if entry.changes.len() > MAX_CHANGES {
        lines.push(format!("and {} more changes", entry.changes.len() - MAX_CHANGES));
    }
    lines.extend(tokens_line(&entry.before, &entry.after));
    lines
}

fn plain(verdict: &LockVerdict) -> String {
    let mut out = vec![summary(verdict)];
    out.extend(verdict.groups.iter().map(|group| format!("- {}", line(&group.title))));
    out.extend(notes(verdict).into_iter().map(|(kind, text)| format!("- {kind}: {text}")));
    for entry in verdict.entries.iter().take(MAX_ENTRIES) {
        out.push(String::new());
        out.push(line(&entry.name));
        out.extend(changes_of(entry).into_iter().map(|change| format!("  {change}")));
    }
    if let Some(more) = verdict.entries.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0) {
        out.push(format!("\nand {more} more {}", plural(more, "context")));
    }
    out.join("\n") + "\n"
}

/// Returns text as code: no markup, link or mention of a user in it takes effect.
fn code(text: &str) -> String {
    let text = line(text).replace('`', "'");
    if text.trim().is_empty() { "` `".to_owned() } else { format!("`{text}`") }
}

fn markdown(verdict: &LockVerdict) -> String {
    let mut out = vec![format!("### Context: {}", summary(verdict))];
    if verdict.status == LockStatus::Same {
        return out.join("\n") + "\n";
    }
    out.push(String::new());
    for group in verdict.groups.iter().take(MAX_GROUPS) {
        let rest = group.title.strip_prefix(&headline(group.change, &group.cause));
        let title = headline(group.change, &group.cause);
        out.push(format!("- {}{}", code(&title), line(rest.unwrap_or_default())));
        if let Some(words) = &group.words {
            out.push(format!("  - {} → {}", code(&words.before), code(&words.after)));
        }
    }
    if let Some(more) = verdict.groups.len().checked_sub(MAX_GROUPS).filter(|more| *more > 0) {
        out.push(format!("- and {more} more {}", plural(more, "cause")));
    }
    let notes = notes(verdict);
    for (kind, text) in notes.iter().take(MAX_GROUPS) {
        out.push(format!("- **{kind}** {}", code(text)));
    }
    if let Some(more) = notes.len().checked_sub(MAX_GROUPS).filter(|more| *more > 0) {
        out.push(format!("- and {more} more"));
    }
    if !verdict.entries.is_empty() {
        out.push(format!("\n<details><summary>{} changed</summary>\n", {
            let count = verdict.entries.len();
            format!("{count} {}", plural(count, "context"))
        }));
        let mut shown = 0;
        for entry in verdict.entries.iter().take(MAX_ENTRIES) {
            // one shared edit needs no list for each context
            let is_known = shown > 0 && verdict.groups.len() == 1;
            out.push(format!("- {}", code(&entry.name)));
            if !is_known {
                out.extend(changes_of(entry).iter().map(|change| format!("  - {}", code(change))));
            }
            shown += 1;
        }
        if let Some(more) = verdict.entries.len().checked_sub(shown).filter(|more| *more > 0) {
            out.push(format!("- and {more} more"));
        }
        out.push("\n</details>".to_owned());
    }
    cut(out)
}

/// Joins lines up to the size of a comment.
fn cut(lines: Vec<String>) -> String {
    let mut out = String::new();
    for text in lines {
        if out.len() + text.len() + 1 > MAX_MARKDOWN {
            out.push_str(
                "\n</details>\n\nThe report is cut: it is longer than a comment can be.\n",
            );
            break;
        }
        out.push_str(&text);
        out.push('\n');
    }
    out
}

/// Escapes text for XML and drops characters that XML does not allow.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn junit(verdict: &LockVerdict, place: &Place<'_>) -> String {
    let mut cases = Vec::new();
    let (mut failed, mut errors) = (0, 0);
    let removed = verdict.removed.iter().map(String::as_str);
    let broken = verdict.errors.iter().map(|error| error.name.as_str());
    let mut all: Vec<&str> = place.names.iter().copied().chain(removed).chain(broken).collect();
    all.sort_unstable();
    all.dedup();
    for name in &all {
        let head =
            format!("  <testcase classname=\"{}\" name=\"{}\"", xml(place.file), xml(&line(name)));
        if let Some(error) = verdict.errors.iter().find(|error| error.name == **name) {
            errors += 1;
            let message = xml(&line(&error.message));
            cases.push(format!("{head}><error message=\"{message}\"/></testcase>"));
            continue;
        }
        let mut found: Vec<String> = Vec::new();
        let changed = verdict.entries.iter().find(|entry| entry.name == **name);
        found.extend(changed.map(changes_of).into_iter().flatten());
        let is = |names: &[String]| names.iter().any(|known| known == *name);
        if is(&verdict.added) {
            found.push("the context is not in the lockfile".to_owned());
        }
        if is(&verdict.removed) {
            found.push("the entry has no context".to_owned());
        }
        let failures = verdict.failures.iter().filter(|failure| failure.name == **name);
        found.extend(failures.map(|failure| format!("{}: {}", failure.assertion, failure.message)));
        let slots = verdict.unmatched.iter().filter(|slot| slot.name == **name);
        found.extend(slots.map(|slot| format!("no slot matches the declared `{}`", slot.slot)));
        if found.is_empty() {
            cases.push(format!("{head}/>"));
            continue;
        }
        failed += 1;
        let first = found.first().map(|first| xml(&line(first))).unwrap_or_default();
        let text = xml(&found.join("\n"));
        cases.push(format!("{head}><failure message=\"{first}\">{text}</failure></testcase>"));
    }
    let count = all.len();
    let suite = format!(
        "<testsuite name=\"context\" tests=\"{count}\" failures=\"{failed}\" errors=\"{errors}\">"
    );
    let cases = cases.join("\n");
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{suite}\n{cases}\n</testsuite>\n")
}
