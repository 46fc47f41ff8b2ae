//! Two requests of a session: what was added, what was removed, and the cache.

use super::excerpt::short;
use super::request::word;
use super::rows::{MessageRow, PartOf, parts_of};
use super::{RequestTokens, SessionQuestion};
use crate::import::model::{Request, part_key};
use crate::import::sums::{Sums, tool_tokens};
use crate::prompt::tokens::estimate_by_table;
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Map;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::Json;
use crate::{Limits, Result};
use serde::Serialize;
use std::sync::Arc;

arguments! {
    /// Compares two requests of a session: what was added, what was removed, and the effect on the
    /// cache.
    #[derive(Clone, Debug)]
    struct CompareRequestsArguments {
        /// The later request, by its number in the session. By default the last one.
        pub after: Option<usize>,
        /// The earlier request. By default the one before.
        pub before: Option<usize>,
        shared question: SessionQuestion,
    }
}

/// Compares two requests of a session: what was added, what was removed, and the effect on the
/// cache.
///
/// ```
/// use tuckbox::import::sessions::CompareRequests;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = r#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}
/// {"model":"gpt-5","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Bye"}]}"#;
/// let call = json!({"files": [{"name": "requests.jsonl", "text": log}]});
/// let call = CompareRequests::read(&call, &Limits::default())?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!((done.value.same_messages, done.value.came, done.value.went), (1, 2, 0));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompareRequests(Immediate<RequestChanges>);

shape! {
    fn compare_requests(arguments: CompareRequestsArguments) -> RequestChanges;
}

/// The differences of two requests.
///
/// Shown by the example of [`CompareRequests`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestChanges {
    /// The session.
    pub session: String,
    /// The earlier request.
    pub before: usize,
    /// The later request.
    pub after: usize,
    /// The number of equal messages at the start.
    pub same_messages: usize,
    /// The number of messages that only the later request has.
    pub came: usize,
    /// The number of messages that only the earlier request has.
    pub went: usize,
    /// The tokens of the earlier request.
    pub before_tokens: RequestTokens,
    /// The tokens of the later request.
    pub after_tokens: RequestTokens,
    /// Why the later request reads less from the cache than it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The tokens that were in the cache and were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_tokens: Option<u64>,
    /// How to keep the prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The changes: model, system prompt and tools, then messages in order.
    pub changes: Vec<RequestChange>,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// A difference of two requests.
///
/// Shown by the example of [`CompareRequests`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestChange {
    /// The change: `came`, `went` or `changed`.
    pub change: &'static str,
    /// The place: `message`, `tool`, `system` or `model`.
    pub place: &'static str,
    /// The name of the tool, or both models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tokens of a tool or a system prompt, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The part of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<MessageRow>,
}

impl CompareRequests {
    /// Reads a call from JSON, and its files.
    ///
    /// # Errors
    /// `not_found` for another session or request, `limit` for files that are too large.
    pub fn read(json: &Json, limits: &Limits) -> Result<Self> {
        let CompareRequestsArguments { after, before, question } =
            CompareRequestsArguments::from_json(json)?;
        let found = question.find(limits)?;
        let (after, new) = found.request(after, "after")?;
        let (before, old) =
            found.request(before.or_else(|| Some(after.saturating_sub(1))), "before")?;
        let mut sums = Sums::of(&found.session);
        let cache = found.cache_of(after)?;
        let old_parts = parts_of(&found.session, old.tail);
        let new_parts = parts_of(&found.session, new.tail);
        let went = only(&old_parts, &new_parts);
        let came = only(&new_parts, &old_parts);
        let mut value = RequestChanges {
            session: found.name.clone(),
            before,
            after,
            same_messages: sums.shared(old.tail, new.tail),
            came: messages(&came),
            went: messages(&went),
            before_tokens: RequestTokens::of(old.usage, sums.estimated(old)),
            after_tokens: RequestTokens::of(new.usage, sums.estimated(new)),
            cause: cache.as_ref().map(|cache| word(&cache.cause)).transpose()?,
            lost_tokens: cache.as_ref().map(|cache| cache.lost_tokens),
            fix: cache.and_then(|cache| cache.fix),
            ..RequestChanges::default()
        };
        let row = |change| {
            move |part: &&PartOf<'_>| RequestChange {
                change,
                place: "message",
                name: None,
                tokens: None,
                part: Some(part.row()),
            }
        };
        let parts = went.iter().map(row("went")).chain(came.iter().map(row("came")));
        (value.changes, value.next) =
            found.page(&value, around(old, new).into_iter().chain(parts))?;
        Ok(Self(Immediate::new(value)))
    }
}

/// Returns the parts of messages that the other request does not have.
fn only<'a, 'b>(parts: &'a [PartOf<'b>], other: &[PartOf<'_>]) -> Vec<&'a PartOf<'b>> {
    let key = |part: &PartOf<'_>| (part.source.role.as_str(), part_key(part.part));
    let mut there: Map<_, usize> = Map::default();
    for part in other {
        *there.entry(key(part)).or_default() += 1;
    }
    let mut is_new = |part: &PartOf<'_>| match there.get_mut(&key(part)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    parts.iter().filter(|part| is_new(part)).collect()
}

fn messages(parts: &[&PartOf<'_>]) -> usize {
    let mut count = 0;
    let mut last = None;
    for part in parts {
        if last != Some(part.message) {
            count += 1;
            last = Some(part.message);
        }
    }
    count
}

/// Returns the changes of the model, the system prompt and the tools.
fn around(old: &Request, new: &Request) -> Vec<RequestChange> {
    let change = |change, place, name, tokens| RequestChange {
        change,
        place,
        name,
        tokens: Some(tokens).filter(|tokens| *tokens > 0),
        part: None,
    };
    let mut changes = Vec::new();
    if old.model != new.model {
        let name = |request: &Request| short(request.model.as_deref().unwrap_or("unknown"));
        let names = format!("{} -> {}", name(old), name(new));
        changes.push(change("changed", "model", Some(names), 0));
    }
    if old.system != new.system {
        let tokens = new.system.iter().map(|text| estimate_by_table(text)).sum();
        changes.push(change("changed", "system", None, tokens));
    }
    for tool in new.tools.iter() {
        let change_of = match old.tools.iter().find(|known| known.name == tool.name) {
            None => "came",
            Some(known) if known != tool => "changed",
            Some(_) => continue,
        };
        changes.push(change(change_of, "tool", Some(short(&tool.name)), tool_tokens(tool)));
    }
    for tool in old.tools.iter() {
        if new.tools.iter().all(|known| known.name != tool.name) {
            changes.push(change("went", "tool", Some(short(&tool.name)), tool_tokens(tool)));
        }
    }
    changes
}

impl Rule for CompareRequests {
    type Value = Arc<RequestChanges>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<RequestChanges>>>> {
        self.0.step(snapshot, env)
    }
}
