//! The errors and lints of the composer.

use super::input::{ComposeInput, Query, twice};
use super::layer::{CONTEXT_SUFFIX, Layer};
use super::place;
use super::process::ProcessRule;
use crate::prompt::lint::PromptLint;
use crate::render::RenderLint;
use crate::value::Map as IndexMap;
use crate::value::json::{Json, Object, trim};
use crate::value::message::{Content, Message, Role};
use crate::value::sort::sort_by;
use crate::{Error, Lint, Path, Result};
use std::collections::BTreeSet;

/// Returns the given blocks in the order of the composer: named ones first, then the others by key.
pub(super) fn block_order(contexts: &Object) -> Result<Vec<Layer>> {
    let mut layers = Vec::new();
    for key in contexts.keys() {
        layers.push(Layer::block(key).ok_or_else(|| wrong_key(key, place("contexts").key(key)))?);
    }
    // the order of the layers is the order of their variants; other blocks compare by key
    sort_by(&mut layers, Ord::cmp);
    Ok(layers)
}

/// Returns the error for a key that no block can have.
pub(crate) fn wrong_key(key: &str, path: Path) -> Error {
    Error::bad_request(format!("the key `{key}` must end in `{CONTEXT_SUFFIX}`")).at(path)
}

pub(super) fn unique_ids(messages: &[Message]) -> Result<()> {
    match repeated_id(messages, &place("checkpoint_messages")) {
        None => Ok(()),
        Some((path, message)) => Err(Error::bad_request(message).at(path)),
    }
}

/// Returns the first id that occurs twice: the path of the second, and a message.
pub(crate) fn repeated_id(messages: &[Message], at: &Path) -> Option<(Path, String)> {
    let mut seen: IndexMap<&str, usize> = IndexMap::default();
    for (index, message) in messages.iter().enumerate() {
        let Some(id) = message.id.as_deref() else { continue };
        if let Some(first) = seen.insert(id, index) {
            let [first, again] = [first, index].map(|index| at.index(index).key("id"));
            let message =
                format!("the message id `{id}` occurs twice, at `{first}` and at `{again}`");
            return Some((again, message));
        }
    }
    None
}

/// Returns the position of the query in the checkpoint. `None` if it is not in the checkpoint.
pub(super) fn query_place(input: &ComposeInput, rule: &ProcessRule) -> Result<Option<usize>> {
    let seen: &[Message] = if rule.checkpoint { &input.checkpoint_messages } else { &[] };
    let last_human = seen.iter().rposition(|message| message.role.is_human());
    // a query that was answered can be asked again
    let words = open_query(seen.iter()).and_then(|message| message.content.words());
    let same = |text: &str| {
        let text = trim(text);
        !text.is_empty() && words.as_deref().is_some_and(|words| trim(words) == text)
    };
    let checkpoint = |at: usize| place("checkpoint_messages").index(at);

    let human = input.human_message.as_deref().is_some_and(|text| !trim(text).is_empty());
    if let (Some(text), Some(at)) = (&input.human_message, last_human)
        && same(text)
    {
        return Err(twice(&place("human_message"), &checkpoint(at)));
    }
    let found = match &input.query {
        Query::Runtime(text) => {
            if let Some(at) = last_human
                && same(text)
            {
                return Err(twice(&place("query"), &checkpoint(at)));
            }
            let is_asked = !trim(text).is_empty();
            if human && is_asked {
                return Err(twice(&place("query"), &place("human_message")));
            }
            if !human && !is_asked && rule.needs_query {
                return Err(no_query(input));
            }
            return Ok(None);
        }
        Query::None if human || !rule.needs_query => return Ok(None),
        Query::None => return Err(no_query(input)),
        Query::InCheckpoint(_) if !rule.checkpoint => {
            return Err(Error::bad_request(format!(
                "`query` is `in_checkpoint`, but `process` `{}` sees no checkpoint; give the query \
                 with the call",
                input.process.as_str()
            ))
            .at(place("query"))
            .detail("places", vec!["query", "process"]));
        }
        Query::InCheckpoint(None) => last_human,
        Query::InCheckpoint(Some(id)) => Some(place_of(id, seen)?),
    };
    match found {
        Some(at) if human => Err(twice(&place("human_message"), &checkpoint(at))),
        None if !human && rule.needs_query => Err(no_query(input)),
        found => Ok(found),
    }
}

/// Returns the position of the message with an id, which must be one of the user.
fn place_of(id: &str, messages: &[Message]) -> Result<usize> {
    let Some((at, message)) =
        messages.iter().enumerate().find(|(_, message)| message.id.as_deref() == Some(id))
    else {
        return Err(Error::bad_request(format!("no message `{id}` in `checkpoint_messages`"))
            .at(place("query")));
    };
    if message.role.is_human() {
        return Ok(at);
    }
    let found = place("checkpoint_messages").index(at);
    Err(Error::bad_request(format!("the message `{id}` at `{found}` must have the role `user`"))
        .at(place("query")))
}

/// Returns the error for a prompt without a query.
fn no_query(input: &ComposeInput) -> Error {
    Error::bad_request(format!(
        "no query, and `process` `{}` needs one; pass it with the call, as one of the \
         checkpoint's messages, or as `human_message`",
        input.process.as_str()
    ))
    .at(place("query"))
}

pub(super) fn lints(input: &ComposeInput, rule: &ProcessRule) -> Vec<Lint> {
    let mut lints = Vec::new();
    if trim(&input.system_prompt).is_empty() {
        let message = "the system prompt is blank";
        lints.push(Lint::new(PromptLint::BlankSystemPrompt, place("system_prompt"), message));
    }
    block_lints(&input.contexts, &place("contexts"), &mut lints);
    if rule.checkpoint {
        let remembered: Vec<&Message> = input.checkpoint_messages.iter().collect();
        message_lints(&remembered, &place("checkpoint_messages"), &mut lints);
    }
    match &input.query {
        Query::Runtime(text) if trim(text).is_empty() => {
            lints.push(Lint::new(PromptLint::BlankQuery, place("query"), "the query is blank"));
        }
        Query::Runtime(_) => {}
        Query::None => {
            let human = |message: &Message| rule.checkpoint && message.role.is_human();
            let instructed =
                input.human_message.as_deref().is_some_and(|text| !trim(text).is_empty());
            if !instructed && !input.checkpoint_messages.iter().any(human) {
                let message = "the prompt has no query, and the checkpoint has no human message";
                lints.push(Lint::new(PromptLint::NoQuery, place("query"), message));
            }
        }
        Query::InCheckpoint(_) => {
            if !input.checkpoint_messages.iter().any(|message| message.role.is_human()) {
                let message = "the query must be in the checkpoint, which has no human message";
                lints.push(Lint::new(PromptLint::NoQuery, place("query"), message));
            }
        }
    }
    lints
}

/// Adds lints about blocks: values that are not strings, and keys that are similar to those of layers.
pub(crate) fn block_lints(blocks: &Object, at: &Path, lints: &mut Vec<Lint>) {
    for (key, value) in blocks {
        match value {
            Json::Null | Json::String(_) => {}
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                let message =
                    format!("expected a string, found {}; the block is omitted", value.kind());
                lints.push(Lint::new(PromptLint::BlockNotText, at.key(key), message));
            }
        }
        let plain = trim(key).to_lowercase();
        if let Some(Layer::Other(_)) = Layer::block(key)
            && let Some(meant) = Layer::NAMED_BLOCKS.iter().find(|layer| layer.key() == plain)
        {
            let message = format!("`{key}` is not `{}` and is placed by its key", meant.key());
            lints.push(Lint::new(PromptLint::LookalikeKey, at.key(key), message));
        }
    }
}

/// Returns the question without an answer: the last human message, unless an answer follows it.
pub(crate) fn open_query<'a>(
    messages: impl DoubleEndedIterator<Item = &'a Message>,
) -> Option<&'a Message> {
    let last = messages.rev().find(|message| message.role.is_human() || is_answer(message));
    last.filter(|message| message.role.is_human())
}

/// Returns true for a message of the model without calls. It answers every human message before it.
fn is_answer(message: &Message) -> bool {
    matches!(message.role, Role::Assistant) && message.calls().next().is_none()
}

/// Adds lints about human messages that repeat one without an answer.
fn repeated_queries(messages: &[&Message], at: &Path, lints: &mut Vec<Lint>) {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        if is_answer(message) {
            open.clear();
        } else if message.role.is_human()
            && let Some(words) = message.content.words()
            && !trim(&words).is_empty()
            && !open.insert(trim(&words).to_owned())
        {
            let message = "the message repeats a human message that was not answered";
            lints.push(Lint::new(PromptLint::DuplicateQuery, at.index(index), message));
        }
    }
}

/// Adds lints about a remembered conversation.
pub(crate) fn message_lints(messages: &[&Message], at: &Path, lints: &mut Vec<Lint>) {
    repeated_queries(messages, at, lints);
    let mut called = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let here = at.index(index);
        match &message.role {
            Role::User | Role::Assistant => {}
            Role::System | Role::Developer => lints.push(Lint::new(
                PromptLint::SystemInCheckpoint,
                here.key("role"),
                "a remembered conversation holds no system messages; summaries belong into \
                 `compression__context`",
            )),
            Role::Tool => {
                let known = message.tool_call_id.as_deref().is_some_and(|id| called.contains(id));
                if !known {
                    let message = match &message.tool_call_id {
                        Some(id) => format!("no earlier message makes the call `{id}`"),
                        None => "the tool result names no call".to_owned(),
                    };
                    lints.push(Lint::new(PromptLint::OrphanToolResult, here.clone(), message));
                }
            }
            Role::Other(role) => {
                let message = format!("unknown role `{}`", role.text_form());
                lints.push(Lint::new(RenderLint::UnknownRole, here.key("role"), message));
            }
        }
        called.extend(message.calls().filter_map(|call| call.id));
        if message.extra.get("internal").is_some_and(Json::is_truthy) {
            let message = "an internal message is for one call only, but it was remembered";
            lints.push(Lint::new(PromptLint::InternalInCheckpoint, here.key("internal"), message));
        }
        match &message.content {
            Content::Absent | Content::Null if message.tool_calls.is_none() => {
                let message = "the message has neither content nor calls";
                lints.push(Lint::new(PromptLint::EmptyMessage, here, message));
            }
            Content::Absent | Content::Null | Content::Text(_) | Content::Parts(_) => {}
        }
    }
    unanswered(messages, at, lints);
}

fn unanswered(messages: &[&Message], at: &Path, lints: &mut Vec<Lint>) {
    let answered: BTreeSet<_> =
        messages.iter().filter_map(|message| message.tool_call_id.as_deref()).collect();
    for (index, message) in messages.iter().enumerate() {
        for (call, id) in message.calls().enumerate().filter_map(|(n, call)| Some((n, call.id?))) {
            if !answered.contains(id) {
                let path = at.index(index).key("tool_calls").index(call);
                let message = format!("no message answers the call `{id}`");
                lints.push(Lint::new(PromptLint::UnansweredToolCall, path, message));
            }
        }
    }
}
