//! Two entries next to each other, for people.

use super::align::align;
use super::compare::{Known, LockChange, LockChangeKind, compare};
use super::entry::{Content, Entry, Finding, Mark, Position, Tool};
use super::make::LockDetails;
use super::read;
use super::verdict::LockTokens;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::{Path, Result};
use serde::Serialize;

arguments! {
    /// Shows two entries next to each other, with the changes of each line.
    ///
    /// ```
    /// use tuckbox::lock::{LockChangeKind, LockCompare, LockEntry, LockRow, LockRowKind, LockRows, LockSide};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// # let project = Snapshot::new("p1".into());
    /// let make = |text: &str| -> tuckbox::Result<String> {
    ///     let call = LockEntry::from_json(&json!({"name": "a", "request": {"provider": "openai_chat",
    ///         "body": {"model": "gpt-5", "messages": [{"role": "user", "content": text}]}}}))?;
    ///     let Step::Done(done) = call.step(&project, &env)? else { panic!() };
    ///     Ok(done.value.block)
    /// };
    /// let call = LockCompare::from_json(&json!({"before": make("Hello")?, "after": make("Good day")?}))?;
    /// let Step::Done(done) = call.step(&project, &env)? else { panic!() };
    /// let LockRows { rows, .. } = done.value;
    /// let LockRow { kind, before, after, changes } = rows.last().unwrap();
    /// let text = |side: &Option<LockSide>| side.as_ref().unwrap().text.clone();
    /// assert_eq!((*kind, changes[0].change), (LockRowKind::Message, LockChangeKind::Edited));
    /// assert_eq!((text(before), text(after)), (Some("Hello".into()), Some("Good day".into())));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct LockCompare {
        /// The lines of the earlier entry. Missing for a new entry.
        pub before: Option<String>,
        /// The lines of the later entry. Missing for a removed entry.
        pub after: Option<String>,
        /// What is known of the later context, for its texts.
        pub details: LockDetails = LockDetails::default(),
        /// The texts of earlier positions by their hash.
        pub texts: IndexMap<String, String> = IndexMap::default(),
    }
}

/// Two entries next to each other.
///
/// Shown by the example of [`LockCompare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockRows {
    /// The lines, in the order of the request.
    pub rows: Vec<LockRow>,
    /// The number of rows with a change.
    pub changed: usize,
    /// The tokens of the earlier entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<LockTokens>,
    /// The tokens of the later entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<LockTokens>,
}

/// What a row shows.
///
/// Shown by the example of [`LockCompare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LockRowKind {
    /// The provider.
    Provider,
    /// The model.
    Model,
    /// A parameter.
    Parameter,
    /// A tool definition.
    Tool,
    /// A block of the system prompt.
    System,
    /// A block of a message.
    Message,
    /// A lint or a conversion change.
    Finding,
}

/// A line of two entries.
///
/// Shown by the example of [`LockCompare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockRow {
    /// What the row shows.
    pub kind: LockRowKind,
    /// The earlier line. Missing if it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<LockSide>,
    /// The later line. Missing if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<LockSide>,
    /// The changes between them.
    pub changes: Vec<LockChange>,
}

/// A line of an entry.
///
/// Shown by the example of [`LockCompare`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LockSide {
    /// The slot.
    pub slot: String,
    /// The cause.
    pub cause: String,
    /// The kind of the content, for positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The role, for positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The locked tokens, for positions and tools. Volatile positions have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The cache mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
    /// True if the content can change.
    pub is_volatile: bool,
    /// The text of a position as far as it is known, or the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl LockSide {
    fn value(slot: String, cause: &str, text: Option<&str>) -> Self {
        Self {
            slot,
            cause: cause.to_owned(),
            kind: None,
            role: None,
            tokens: None,
            mark: None,
            is_volatile: text == Some("~"),
            text: text.map(str::to_owned),
        }
    }

    fn tool(tool: &Tool) -> Self {
        let slot = format!("/tools/{}", tool.name);
        Self {
            tokens: Some(tool.tokens),
            mark: tool.mark.map(Mark::as_str),
            ..Self::value(slot, &format!("tool {}", tool.name), None)
        }
    }

    fn position(slot: String, position: &Position, text: Option<&String>) -> Self {
        let tokens = match position.content {
            Content::Fixed { tokens, .. } => Some(tokens),
            Content::Volatile { .. } => None,
        };
        Self {
            slot,
            cause: position.cause.clone(),
            kind: Some(position.kind.clone()),
            role: Some(position.role.clone()),
            tokens,
            mark: position.mark.map(Mark::as_str),
            is_volatile: tokens.is_none(),
            text: text.cloned().or_else(|| position.excerpt.clone()),
        }
    }

    fn finding(finding: &Finding) -> Self {
        let kind = finding.kind.as_str();
        let slot = format!("/{kind}/{}", finding.code);
        Self::value(slot, &format!("{kind} {}", finding.code), Some(&finding.count.to_string()))
    }
}

/// Returns the rows of lines that have a slot: those of the later entry, then the removed ones.
fn paired(kind: LockRowKind, old: Vec<LockSide>, new: Vec<LockSide>) -> Vec<LockRow> {
    let mut rows: Vec<LockRow> = Vec::new();
    for after in new {
        let before = old.iter().find(|before| before.slot == after.slot).cloned();
        rows.push(LockRow { kind, before, after: Some(after), changes: Vec::new() });
    }
    for before in old {
        let is_shown = |row: &LockRow| row.before.as_ref().is_some_and(|b| b.slot == before.slot);
        if !rows.iter().any(is_shown) {
            rows.push(LockRow { kind, before: Some(before), after: None, changes: Vec::new() });
        }
    }
    rows
}

fn rows(
    old: &Entry,
    new: &Entry,
    details: &LockDetails,
    texts: &IndexMap<String, String>,
) -> Vec<LockRow> {
    let locked = |position: &Position| match &position.content {
        Content::Fixed { hash, .. } => texts.get(hash),
        Content::Volatile { .. } => None,
    };
    let one = |name: &str, text: Option<&str>| -> Vec<LockSide> {
        let side = |text| LockSide::value(format!("/{name}"), name, Some(text));
        text.filter(|text| !text.is_empty()).map(side).into_iter().collect()
    };
    let provider = |entry: &Entry| one("provider", Some(&entry.provider));
    let model = |entry: &Entry| one("model", entry.model.as_deref());
    let parameters = |entry: &Entry| -> Vec<LockSide> {
        let side = |parameter: &super::entry::Parameter| {
            let (slot, cause) = ("/parameters/", "parameter ");
            let name = &parameter.name;
            LockSide::value(
                format!("{slot}{name}"),
                &format!("{cause}{name}"),
                Some(&parameter.value),
            )
        };
        entry.parameters.iter().map(side).collect()
    };
    let tools = |entry: &Entry| entry.tools.iter().map(LockSide::tool).collect();
    let findings = |entry: &Entry| entry.findings.iter().map(LockSide::finding).collect();
    let mut rows = paired(LockRowKind::Provider, provider(old), provider(new));
    rows.extend(paired(LockRowKind::Model, model(old), model(new)));
    rows.extend(paired(LockRowKind::Parameter, parameters(old), parameters(new)));
    rows.extend(paired(LockRowKind::Tool, tools(old), tools(new)));
    for pairing in align(&old.positions, &new.positions) {
        let before = pairing.before().and_then(|at| Some((at, old.positions.get(at)?)));
        let after = pairing.after().and_then(|at| Some((at, new.positions.get(at)?)));
        let list = after.or(before).map(|(_, position)| position.list);
        let kind = match list {
            Some(super::entry::List::System) => LockRowKind::System,
            Some(super::entry::List::Messages) | None => LockRowKind::Message,
        };
        rows.push(LockRow {
            kind,
            before: before.map(|(at, was)| LockSide::position(old.slot(at), was, locked(was))),
            after: after
                .map(|(at, is)| LockSide::position(new.slot(at), is, details.texts.get(at))),
            changes: Vec::new(),
        });
    }
    rows.extend(paired(LockRowKind::Finding, findings(old), findings(new)));
    rows
}

/// Returns true for changes whose slot is that of the earlier entry.
fn is_removal(change: LockChangeKind) -> bool {
    matches!(
        change,
        LockChangeKind::Removed
            | LockChangeKind::VolatileMissing
            | LockChangeKind::ToolRemoved
            | LockChangeKind::LintRemoved
            | LockChangeKind::LossRemoved
    )
}

impl LockRow {
    fn has(&self, change: &LockChange) -> bool {
        let at =
            |side: &Option<LockSide>| side.as_ref().is_some_and(|side| side.slot == change.slot);
        match is_removal(change.change) {
            true => at(&self.before) && (self.after.is_none() || self.kind == LockRowKind::Finding),
            false => at(&self.after) || (self.after.is_none() && at(&self.before)),
        }
    }
}

impl Rule for LockCompare {
    type Value = LockRows;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockRows>>> {
        let read = |text: &Option<String>, key: &str| match text {
            Some(text) => read::block(text)
                .map(Some)
                .map_err(|error| error.as_code(crate::Code::BadRequest).at(Path::root().key(key))),
            None => Ok(None),
        };
        let (old, new) = (read(&self.before, "before")?, read(&self.after, "after")?);
        let tokens = |entry: &Option<Entry>| entry.as_ref().map(LockTokens::of);
        let (before, after) = (tokens(&old), tokens(&new));
        let is_both = old.is_some() && new.is_some();
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let mut rows = rows(&old, &new, &self.details, &self.texts);
        let known = Known {
            texts: &self.details.texts,
            tokens: &self.details.tokens,
            locked: Some(&self.texts),
        };
        for change in is_both.then(|| compare(&old, &new, known)).into_iter().flatten() {
            match rows.iter_mut().find(|row| row.has(&change)) {
                Some(row) => row.changes.push(change),
                // the order of all tools
                None => {
                    let tool = rows.iter_mut().find(|row| row.kind == LockRowKind::Tool);
                    if let Some(tool) = tool {
                        tool.changes.push(change);
                    }
                }
            }
        }
        let is_changed =
            |row: &&LockRow| !row.changes.is_empty() || row.before.is_none() || row.after.is_none();
        let changed = rows.iter().filter(is_changed).count();
        let value = LockRows { rows, changed, before, after };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
