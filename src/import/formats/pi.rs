//! pi: entries that name their parent. A compaction names the first entry that is kept. The first version
//! of the format has neither ids nor parents: entries follow each other, and a compaction has an index.

use crate::import::file::{Doc, Row};
use crate::import::history::{Entry, History};
use crate::import::message::message;
use crate::import::model::{Called, Draft, Findings, Message, Role, Session};
use crate::import::pick::{first_count, first_time, some, text, usage};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    let is_session = |value: &Json| {
        text(value, "type") == Some("session")
            && text(value, "id").is_some()
            && value.get("cwd").is_some()
    };
    // the first version names the model at the start, and no parents
    let is_first = |value: &Json| is_session(value) && text(value, "modelId").is_some();
    let is_message = |value: &Json| text(value, "type") == Some("message");
    super::shared::some_row(doc, is_session)
        && super::shared::some_row(doc, |value| {
            is_message(value) && value.get("parentId").is_some()
        })
        || super::shared::some_row(doc, is_first)
            && super::shared::some_row(doc, |value| {
                is_message(value) && value.get("message").and_then(Json::as_object).is_some()
            })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        if let Some(session) = session(doc) {
            findings.sessions.push(session);
        }
    }
}

/// Returns the positions of entries by their ids.
fn places(doc: &Doc) -> StrMap<usize> {
    let mut places: StrMap<usize> = StrMap::new();
    for (at, row) in doc.rows().iter().enumerate() {
        if let Some(id) = text(&row.value, "id") {
            places.insert(id, at);
        }
    }
    places
}

/// Returns the path from the first entry to the last one. Without ids it has all entries.
fn path(doc: &Doc, places: &StrMap<usize>) -> Vec<usize> {
    let rows = doc.rows();
    let mut next = rows.iter().rposition(|row| row.value.get("parentId").is_some());
    if next.is_none() {
        return (0..rows.len()).collect();
    }
    let mut path: Vec<usize> = Vec::new();
    let mut is_on_path = vec![false; rows.len()];
    while let Some(at) = next {
        let Some(is_known) = is_on_path.get_mut(at) else { break };
        if std::mem::replace(is_known, true) {
            break;
        }
        path.push(at);
        let parent = rows.get(at).and_then(|row| text(&row.value, "parentId"));
        next = parent.and_then(|id| places.get(id).copied());
    }
    path.reverse();
    path
}

/// Returns the session of a file; `None` if it has more messages than allowed.
fn session(doc: &Doc) -> Option<Session> {
    let rows = doc.rows();
    let places = places(doc);
    let path = path(doc, &places);
    let id = rows
        .iter()
        .find(|row| text(&row.value, "type") == Some("session"))
        .and_then(|row| text(&row.value, "id"));
    let mut session = Session::new("pi", id.unwrap_or(&doc.name));
    let mut base = Draft { origin: doc.whole(), ..Draft::default() };
    super::shared::agent_lacks(&mut base, true);
    let mut used = Called::default();
    let mut history = History::default();
    for (step, at) in path.iter().enumerate() {
        let Some(row) = rows.get(*at) else { continue };
        match text(&row.value, "type") {
            Some("message") => {
                for entry in entries(doc, *at) {
                    entry.message.parts.iter().for_each(|part| used.part(part));
                    history.add(&mut session, entry, &base);
                }
            }
            Some("compaction") => {
                compact(doc, row, &mut history, &mut session, &base);
                let index = first_count(&row.value, &["firstKeptEntryIndex"]);
                let first = text(&row.value, "firstKeptEntryId")
                    .and_then(|id| places.get(id).copied())
                    .or_else(|| usize::try_from(index?).ok());
                for at in path.iter().take(step).skip_while(|at| Some(**at) != first) {
                    if !doc.allows(1) {
                        return None;
                    }
                    for entry in entries(doc, *at) {
                        let place = session.node(history.tail, entry.message);
                        history.tail = Some(place);
                    }
                }
            }
            Some(_) | None => {}
        }
    }
    history.end(&mut session, &base);
    session.offer(used);
    Some(session)
}

/// Replaces the history by the summary of a compaction.
fn compact(doc: &Doc, row: &Row, history: &mut History, session: &mut Session, base: &Draft) {
    let covered = history.tail;
    history.restart(session);
    let summary = text(&row.value, "summary").unwrap_or("");
    let words = format!(
        "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{summary}\n</summary>"
    );
    let origin = doc.origin(row).at("summary");
    history.add(session, Entry::new(Message::text(Role::User, words, origin)), base);
    history.cover(session, covered);
}

/// Returns the messages of one line.
fn entries(doc: &Doc, at: usize) -> Vec<Entry> {
    let Some(row) = doc.rows().get(at) else { return Vec::new() };
    let Some(message_json) =
        some(&row.value, "message").filter(|_| text(&row.value, "type") == Some("message"))
    else {
        return Vec::new();
    };
    let found = message(message_json, &doc.origin(row).at("message"));
    found
        .into_iter()
        .map(|message| {
            let mut entry = Entry::new(message);
            entry.at = first_time(&row.value, &["timestamp"]);
            entry.usage = some(message_json, "usage").map(usage).unwrap_or_default();
            entry.model = text(message_json, "model").map(str::to_owned);
            entry.answer = text(&row.value, "id").map(str::to_owned);
            entry
        })
        .collect()
}
